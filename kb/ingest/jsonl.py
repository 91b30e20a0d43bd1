"""``kb import jsonl``: the line format of records → an import. Every line is read by itself; none is fatal.

One JSON object a line; an array of objects is read too. Fields that nothing reads, lines that do not parse and values
of the wrong shape are reported by line.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from kb.edits.import_records import import_records
from kb.edits.import_writes import Progress
from kb.edits.records import (
    EntityRecord,
    Import,
    ObservationRecord,
    Problem,
    Records,
    StatementRecord,
)
from kb.errors import UsageError
from kb.knowledge_base import KnowledgeBase
from kb.model.statement import Section

_FIELDS = {
    "entity": frozenset(("kind", "ref", "type", "name", "keys", "aliases")),
    "observation": frozenset(("kind", "ref", "happened_at", "said_by", "title", "text")),
    "relation": frozenset(
        (
            "kind",
            "subject",
            "predicate",
            "object",
            "since",
            "until",
            "source",
            "text",
            "confidence",
            "said_by",
        )
    ),
    "fact": frozenset(
        (
            "kind",
            "subject",
            "predicate",
            "value",
            "at",
            "since",
            "until",
            "source",
            "text",
            "confidence",
            "said_by",
        )
    ),
}
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_GAP = re.compile(r"[\s\ufeff]*")
_NEXT_OBJECT = re.compile(r"\n[ \t]*(?=\{)")


def import_jsonl(
    base: KnowledgeBase,
    path: str,
    *,
    add_words: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Import:
    """Import a file of the line format into a knowledge base."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    return import_records(
        base, read_records(data), with_words=add_words, dry_run=dry_run, progress=progress
    )


def read_records(data: bytes) -> Records:
    """Read the line format."""
    reader = _Reader()
    for line, value in _iter_values(data, reader.problems):
        reader.read(line, value)
    return Records(
        tuple(reader.entities),
        tuple(reader.observations),
        tuple(reader.statements),
        tuple(reader.problems),
    )


# -- bytes → JSON values -----------------------------------------------------------------------------------------


class _Object(dict[str, object]):
    """A JSON object that knows whether a key stands in it twice."""

    repeated: tuple[str, ...] = ()


def _object(pairs: list[tuple[str, object]]) -> _Object:
    made = _Object(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        made.repeated = tuple(key for key in made if keys.count(key) > 1)
        made.update(reversed(pairs))  # the first one counts
    return made


#: Numbers stay as they are written.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=str, parse_int=str, parse_constant=str
)


def _iter_values(data: bytes, problems: list[Problem]) -> Iterator[tuple[int, object]]:
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.lstrip()[:1] == b"[":
        yield from _iter_array(data.decode("utf-8", "replace"), problems)
        return
    lines = data.split(b"\n")
    for number, raw in enumerate(lines, 1):
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            problems.append(
                Problem(number, f"byte 0x{raw[error.start]:02x} is no UTF-8 and is kept as �")
            )
            text = raw.decode("utf-8", "replace")
        yield from _iter_line(number, text, number == len(lines), problems)


def _iter_line(
    number: int, text: str, is_last: bool, problems: list[Problem]
) -> Iterator[tuple[int, object]]:
    at, count = _skip(text, 0), 0
    while at < len(text):
        value, end, why = _decode(text, at)
        if why:
            what = "the last line is half-written" if is_last else "no JSON"
            problems.append(Problem(number, f"{what}: {why}", is_lost=True))
            return
        count += 1
        if count == 2:
            problems.append(Problem(number, "several objects stand on one line; all are read"))
        yield number, value
        at = _skip(text, end)


def _iter_array(text: str, problems: list[Problem]) -> Iterator[tuple[int, object]]:
    at, counted, number = text.index("[") + 1, 0, 1
    while True:
        at = _skip(text, at)
        if text.startswith(",", at):
            at += 1
            continue
        number += text.count("\n", counted, at)
        counted = at
        if at >= len(text) or text.startswith("]", at):
            if at >= len(text):
                problems.append(Problem(number, "the array is never closed"))
            elif text[at + 1 :].strip():
                problems.append(Problem(number, "what follows the array is not read", is_lost=True))
            return
        value, end, why = _decode(text, at)
        if not why:
            yield number, value
            at = end
            continue
        problems.append(Problem(number, f"no JSON: {why}", is_lost=True))
        following = _NEXT_OBJECT.search(text, at + 1)
        at = following.end() if following else len(text)


def _skip(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    return found.end() if found else at


def _decode(text: str, at: int) -> tuple[object, int, str]:
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        return None, at, f"{error.msg} at character {error.pos + 1}"
    except RecursionError:
        return None, at, "it is nested too deep"
    return value, end, ""


# -- JSON values → records ---------------------------------------------------------------------------------------


class _Reader:
    def __init__(self) -> None:
        self.entities: list[EntityRecord] = []
        self.observations: list[ObservationRecord] = []
        self.statements: list[StatementRecord] = []
        self.problems: list[Problem] = []

    def read(self, line: int, value: object) -> None:
        if not isinstance(value, _Object):
            self.problems.append(Problem(line, "not an object, so no record", is_lost=True))
            return
        fields = _Fields(line, value, self.problems)
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in _FIELDS:
            what = (
                f'the kind "{kind}" is unknown'
                if kind is not None
                else 'the field "kind" is missing'
            )
            fields.lose(f"{what}; kinds are {', '.join(_FIELDS)}")
            return
        unknown = [key for key in value if key not in _FIELDS[kind]]
        if unknown:
            fields.report(f"nothing reads {', '.join(map(repr, unknown))}")
        if value.repeated:
            fields.report(
                f"{', '.join(map(repr, value.repeated))} stands twice; the first one counts"
            )
        match kind:
            case "entity":
                self._entity(fields)
            case "observation":
                self._observation(fields)
            case _:
                self._statement(fields, kind)

    def _entity(self, fields: "_Fields") -> None:
        ref = fields.required("ref")
        if not ref:
            return
        name = fields.text("name")
        if not name:
            name = ref.rsplit("/", 1)[-1]
            fields.report(f'"name" is missing: {name} stands in for it')
        type = "-".join(fields.text("type").split())
        if not type:
            fields.report('"type" is missing: the entity has none')
        aliases = dict.fromkeys(alias for alias in fields.texts("aliases") if alias != name)
        self.entities.append(
            EntityRecord(fields.line, ref, type, name, tuple(fields.keys()), tuple(aliases))
        )

    def _observation(self, fields: "_Fields") -> None:
        ref = fields.required("ref")
        if not ref:
            return
        text = fields.raw("text")
        if not text:
            fields.report('"text" is missing: the observation is empty')
        title = fields.text("title") or ref.rsplit("/", 1)[-1]
        said_by = fields.text("said_by")
        self.observations.append(
            ObservationRecord(fields.line, ref, fields.text("happened_at"), said_by, title, text)
        )

    def _statement(self, fields: "_Fields", kind: str) -> None:
        is_relation = kind == "relation"
        goal = "object" if is_relation else "value"
        subject, predicate, object = (
            fields.required("subject"),
            fields.required("predicate"),
            fields.required(goal),
        )
        if not (subject and predicate and object):
            return
        self.statements.append(
            StatementRecord(
                line=fields.line,
                section=Section.RELATIONS if is_relation else Section.FACTS,
                subject=subject,
                predicate=predicate,
                object=object,
                since=fields.text("since"),
                until=fields.text("until"),
                at="" if is_relation else fields.text("at"),
                sources=tuple(dict.fromkeys(fields.texts("source"))),
                text=fields.text("text"),
                confidence=fields.confidence(),
                said_by=fields.text("said_by"),
            )
        )


class _Fields:
    """The fields of one record; what has the wrong shape is reported and left out."""

    def __init__(self, line: int, value: _Object, problems: list[Problem]) -> None:
        self.line, self.value, self.problems = line, value, problems
        self.is_lost = False

    def lose(self, message: str) -> None:
        """Report why the record is not kept; it counts once, whatever it lacks."""
        self.problems.append(Problem(self.line, message, is_lost=not self.is_lost))
        self.is_lost = True

    def report(self, message: str) -> None:
        self.problems.append(Problem(self.line, message))

    def required(self, key: str) -> str:
        text = self.text(key)
        if not text:
            self.lose(f'"{key}" is missing: the record is not kept')
        return text

    def raw(self, key: str) -> str:
        """A text to the letter."""
        value = self.value.get(key)
        if value is None:
            return ""
        return self._text(key, value)

    def text(self, key: str) -> str:
        """A text on one line; odd white space is folded and reported."""
        return self._folded(key, self.raw(key))

    def texts(self, key: str) -> list[str]:
        value = self.value.get(key)
        if value is None:
            return []
        items = value if isinstance(value, list) else [value]
        return [
            text
            for item in items
            if item is not None and (text := self._folded(key, self._text(key, item)))
        ]

    def keys(self) -> Iterator[tuple[str, str]]:
        value = self.value.get("keys")
        if value is None:
            return
        if not isinstance(value, dict):
            self.report('"keys" must be an object of kinds, and is not kept')
            return
        seen = set()
        for written, values in value.items():
            kind = self._folded("keys", self._text("keys", written))
            if not re.fullmatch(r"[^\s:]+", kind):
                self.report(f'"{written}" is no kind of key, and is not kept')
                continue
            for item in values if isinstance(values, list) else [values]:
                text = (
                    self._folded(f"keys.{kind}", self._text(f"keys.{kind}", item))
                    if item is not None
                    else ""
                )
                if text and (kind, text) not in seen:
                    seen.add((kind, text))
                    yield kind, text

    def confidence(self) -> int | None:
        """A confidence from 0 to 1, or in per cent."""
        text = self.text("confidence")
        if not text:
            return None
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            number = -1.0
        percent = number * 100 if number <= 1 and not text.endswith("%") else number
        if not 0 <= percent <= 100:
            self.report(f'"confidence" {text} is neither from 0 to 1 nor per cent, and is not kept')
            return None
        if abs(percent - round(percent)) > 1e-6:
            self.report(f'"confidence" {text} is kept as {round(percent)}%')
        return round(percent)

    def _text(self, key: str, value: object) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str):
            self.report(f'"{key}" must be a text, and is not kept')
            return ""
        if _SURROGATE.search(value):
            self.report(f'"{key}" holds half a character, which is kept as �')
            return _SURROGATE.sub("�", value)
        return value

    def _folded(self, key: str, text: str) -> str:
        folded = " ".join(_CONTROL.sub(" ", text).split())
        if folded != text:
            self.report(f'"{key}" has line ends or odd white space, which became single blanks')
        return folded
