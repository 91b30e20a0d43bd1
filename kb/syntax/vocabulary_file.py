"""``kb.yaml`` over the built-in words → settings and a vocabulary, with what is wrong in it. Total.

One reader per table of words.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

from kb.diagnostics import Diagnostic, Fault
from kb.model.names import normalize_predicate
from kb.model.settings import Settings
from kb.model.statement import LinkForm
from kb.model.vocabulary import (
    FactWord,
    KeyForm,
    KeyWord,
    RelationWord,
    StatementClass,
    TypeWord,
    Vocabulary,
)
from kb.syntax.front_matter import Mapping, Node, Scalar, Sequence, is_larger
from kb.syntax.source import Source, decode, find_conflict_markers, iter_encoding_faults, locate
from kb.syntax.vocabulary_checks import TRUE_WORDS, check_words, nearest_word
from kb.syntax.yaml_block import parse_yaml

FORMAT_VERSION = "1"
#: A larger ``kb.yaml`` is not parsed, so that a bad one costs no more than a moment.
MAX_CONFIGURATION = 256 * 1024
_FALSE = ("false", "no", "off")
_SETTINGS = (
    "kb",
    "name",
    "links",
    "strict",
    "freshness",
    "commit",
    "types",
    "keys",
    "relations",
    "facts",
)

_Word = TypeVar("_Word", TypeWord, KeyWord, RelationWord, FactWord)


@dataclass(frozen=True, slots=True)
class Configuration:
    """A knowledge base's settings and words."""

    settings: Settings
    vocabulary: Vocabulary
    source: Source | None = None


@dataclass
class _Words:
    """The tables while they are laid over each other."""

    types: dict[str, TypeWord] = field(default_factory=dict)
    keys: dict[str, KeyWord] = field(default_factory=dict)
    relations: dict[str, RelationWord] = field(default_factory=dict)
    facts: dict[str, FactWord] = field(default_factory=dict)

    def vocabulary(self) -> Vocabulary:
        return Vocabulary(dict(self.types), dict(self.keys), dict(self.relations), dict(self.facts))


def read_configuration(
    data: bytes, path: str = "kb.yaml"
) -> tuple[Configuration, tuple[Diagnostic, ...]]:
    """Read ``kb.yaml``. Whatever cannot be read is a diagnostic; the built-in words always stand."""
    source = decode(path, data)
    faults = [*iter_encoding_faults(source), *find_conflict_markers(source.text)]
    node = None
    if is_larger(source.text, MAX_CONFIGURATION):
        message = f"kb.yaml is larger than {MAX_CONFIGURATION // 1024} KiB"
        faults.append(Fault("KB901", 0, 0, message, "keep words that are needed"))
    elif not (faults and faults[-1].code == "KB115"):
        node, found = parse_yaml(source.text)
        faults += [_as_configuration(fault) for fault in found]
    words = _built_in()
    settings = Settings()
    if isinstance(node, Mapping):
        reader = _Reader(faults)
        settings = reader.settings(node)
        reader.words(node, words)
        check_words(node, words.vocabulary(), faults)
    elif node is not None:
        faults.append(
            Fault(
                "KB901", node.start, node.end, "kb.yaml is no mapping", "write 'key: value' lines"
            )
        )
    return Configuration(settings, words.vocabulary(), source), locate(source, faults)


@lru_cache(maxsize=1)
def built_in_vocabulary() -> Vocabulary:
    """The words that ship with the package."""
    return _built_in().vocabulary()


def _built_in() -> _Words:
    from importlib.resources import files  # heavy, and only a changed kb.yaml needs the words

    text = files("kb").joinpath("vocabulary.yaml").read_text("utf-8")
    node, _ = parse_yaml(text)
    words, faults = _Words(), list[Fault]()
    assert isinstance(node, Mapping)
    _Reader(faults).words(node, words)
    assert not faults, faults
    return words


def _as_configuration(fault: Fault) -> Fault:
    code = "KB905" if fault.code == "KB104" else "KB901"
    return Fault(code, fault.start, fault.end, fault.message, fault.hint, fault.other)


class _Reader:
    """Reads nodes of the configuration; wrong ones become faults and are left out."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = faults

    def bad(self, node: Node, message: str, hint: str, code: str = "KB904") -> None:
        self.faults.append(Fault(code, node.start, max(node.end, node.start + 1), message, hint))

    # -- settings ------------------------------------------------------------------------------------------------

    def settings(self, node: Mapping) -> Settings:
        name, links, strict, freshness, commit = "", LinkForm.MARKDOWN, False, 0, False
        version = node.get("kb")
        if version is None:
            self.faults.append(
                Fault("KB902", 0, 0, "kb.yaml does not say its version", "write 'kb: 1'")
            )
        for key, value in node.entries:
            match key.text:
                case "kb":
                    if not isinstance(value, Scalar) or value.text != FORMAT_VERSION:
                        self.bad(
                            value,
                            "this program reads version 1 of the format",
                            "write 'kb: 1'",
                            "KB902",
                        )
                case "name":
                    name = self.text(value, "name") or ""
                case "links":
                    links = self.choice(value, "links", LinkForm) or links
                case "strict":
                    strict = self.flag(value, "strict")
                case "freshness":
                    freshness = self.whole(value, "freshness")
                case "commit":
                    commit = self.flag(value, "commit")
                case other if other not in _SETTINGS:
                    self.faults.append(
                        Fault(
                            "KB903",
                            key.start,
                            key.end,
                            f'nothing reads the setting "{other}"',
                            nearest_word(other, _SETTINGS),
                        )
                    )
        return Settings(name, links, strict, freshness, commit)

    # -- words ---------------------------------------------------------------------------------------------------

    def words(self, node: Mapping, into: _Words) -> None:
        self._table(node.get("types"), "types", into.types, self._type)
        self._table(node.get("keys"), "keys", into.keys, self._key)
        self._table(node.get("relations"), "relations", into.relations, self._relation)
        self._table(node.get("facts"), "facts", into.facts, self._fact)

    def _table(
        self,
        node: Node | None,
        name: str,
        into: dict[str, _Word],
        read: Callable[[str, Mapping], _Word],
    ) -> None:
        if node is None or (isinstance(node, Scalar) and node.text in ("", "~", "null")):
            return
        if not isinstance(node, Mapping):
            self.bad(node, f'"{name}" must be a mapping', f"write {name}: {{word: {{…}}}}")
            return
        for key, value in node.entries:
            if isinstance(value, Scalar) and value.text in ("", "~", "null"):
                value = Mapping((), value.start, value.end)
            if not isinstance(value, Mapping):
                self.bad(
                    value, f'the word "{key.text}" must be a mapping', f"write {key.text}: {{…}}"
                )
                continue
            word = key.text if name == "keys" else normalize_predicate(key.text)
            into[word] = read(word, value)

    def _known(self, node: Mapping, allowed: tuple[str, ...]) -> None:
        for key, _ in node.entries:
            if key.text not in allowed:
                self.faults.append(
                    Fault(
                        "KB903",
                        key.start,
                        key.end,
                        f'nothing reads "{key.text}" here',
                        nearest_word(key.text, allowed),
                    )
                )

    def _type(self, name: str, node: Mapping) -> TypeWord:
        self._known(node, ("is", "aliases"))
        wider = self.text(node.get("is"), "is")
        return TypeWord(
            name, normalize_predicate(wider) if wider else None, self.list(node, "aliases")
        )

    def _key(self, name: str, node: Mapping) -> KeyWord:
        self._known(node, ("types", "pattern", "normalize"))
        pattern = self.text(node.get("pattern"), "pattern")
        if pattern is not None:
            try:
                re.compile(pattern)
            except re.error as error:
                at = node.get("pattern")
                assert at is not None
                self.bad(at, f"the pattern is no regular expression: {error}", "mend it")
                pattern = None
        form = self.choice(node.get("normalize"), "normalize", KeyForm) or KeyForm.EXACT
        return KeyWord(name, self.list(node, "types"), pattern, form)

    def _relation(self, name: str, node: Mapping) -> RelationWord:
        self._known(
            node,
            (
                "inverse",
                "symmetric",
                "from",
                "to",
                "single",
                "acyclic",
                "class",
                "expand",
                "aliases",
                "replaced_by",
                "hints",
                "note",
            ),
        )
        inverse = self.text(node.get("inverse"), "inverse")
        replaced = self.text(node.get("replaced_by"), "replaced_by")
        expand, expand_inverse = self._expand(node.get("expand"))
        return RelationWord(
            name=name,
            inverse=normalize_predicate(inverse) if inverse else None,
            symmetric=self.flag(node.get("symmetric"), "symmetric"),
            single=self.flag(node.get("single"), "single"),
            acyclic=self.flag(node.get("acyclic"), "acyclic"),
            from_types=self.list(node, "from"),
            to_types=self.list(node, "to"),
            klass=self.choice(node.get("class"), "class", StatementClass) or StatementClass.PLAIN,
            expand=expand,
            expand_inverse=expand_inverse,
            needs_note=self.text(node.get("note"), "note") == "required",
            aliases=self.list(node, "aliases"),
            replaced_by=normalize_predicate(replaced) if replaced else None,
            hints=self.list(node, "hints", as_words=False),
        )

    def _expand(self, node: Node | None) -> tuple[bool, bool]:
        if isinstance(node, Scalar) and node.text in ("inverse", "both"):
            return node.text == "both", True
        return self.flag(node, "expand"), False

    def _fact(self, name: str, node: Mapping) -> FactWord:
        self._known(node, ("value", "single", "aliases", "replaced_by"))
        value = self.text(node.get("value"), "value") or "text"
        if value not in ("text", "date", "number", "url"):
            at = node.get("value")
            assert at is not None
            self.bad(at, f'"{value}" is no kind of value', "write text, date, number or url")
            value = "text"
        replaced = self.text(node.get("replaced_by"), "replaced_by")
        return FactWord(
            name,
            value,
            self.flag(node.get("single"), "single"),
            self.list(node, "aliases"),
            normalize_predicate(replaced) if replaced else None,
        )

    # -- values --------------------------------------------------------------------------------------------------

    def text(self, node: Node | None, key: str) -> str | None:
        if node is None:
            return None
        if not isinstance(node, Scalar):
            self.bad(node, f'"{key}" must be one text', f"write {key}: text")
            return None
        return node.text or None

    def flag(self, node: Node | None, key: str) -> bool:
        if node is None:
            return False
        word = node.text.lower() if isinstance(node, Scalar) else ""
        if word not in TRUE_WORDS + _FALSE:
            self.bad(node, f'"{key}" must be true or false', f"write {key}: true")
        return word in TRUE_WORDS

    def whole(self, node: Node, key: str) -> int:
        if isinstance(node, Scalar) and re.fullmatch(r"[0-9]{1,9}", node.text):
            return int(node.text)
        self.bad(node, f'"{key}" must be a whole number of seconds', f"write {key}: 0")
        return 0

    def choice(self, node: Node | None, key: str, among: "type[_Choice]") -> "_Choice | None":
        if node is None:
            return None
        for member in among:
            if isinstance(node, Scalar) and node.text == member.value:
                return member
        self.bad(
            node,
            f'"{key}" cannot be that',
            f"write one of {', '.join(str(m.value) for m in among)}",
        )
        return None

    def list(self, node: Mapping, key: str, as_words: bool = True) -> tuple[str, ...]:
        value = node.get(key)
        if value is None:
            return ()
        items = value.items if isinstance(value, Sequence) else (value,)
        texts = []
        for item in items:
            if isinstance(item, Scalar) and item.text:
                texts.append(normalize_predicate(item.text) if as_words else item.text)
            else:
                self.bad(item, f'"{key}" must be a list of texts', f"write {key}: [one, two]")
        return tuple(texts)


_Choice = TypeVar("_Choice", LinkForm, KeyForm, StatementClass)
