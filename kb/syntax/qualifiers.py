"""The parenthesis of a statement ⇄ its qualifiers. Never decides whether a parenthesis is one of them."""

import re
from collections.abc import Iterator
from functools import lru_cache

from kb.diagnostics import Fault
from kb.model.statement import Section, StatementLine
from kb.model.time import Interval
from kb.syntax.edtf import TimeFault, looks_like_time, parse_interval

TIME_HINT = "write 2020/.. for since 2020, 2019/2020-03 for a span, 2020-03-31 for a day"
QUALIFIER_HINT = "qualifiers are a time (2020/.., 2019/2020-03), 90%, 'by <entity id>', auto-high|medium|low, retracted, 'superseded by ^id'"

_WORD = re.compile(
    r"(?P<confidence>[0-9]{1,3}) ?%"
    r"|by (?P<by>[a-z0-9]+(?:-[a-z0-9]+)*)"
    r"|auto-(?P<auto>high|medium|low)"
    r"|(?P<retracted>retracted)"
    r"|superseded by \^(?P<superseded_by>[A-Za-z0-9-]+)"
)
_TWICE = {
    "confidence": "confidence",
    "by": "'by'",
    "auto": "'auto-'",
    "retracted": "'retracted'",
    "superseded_by": "'superseded by'",
}

#: What a fact's parenthesis can only mean as a time, even where the date in it is impossible: a year with a month,
#: or an interval. A lone number may well be part of the value.
_YEAR = r"[0-9]{4}(?:-[0-9]{1,2}){0,2}[?~]?"
_PLAIN_TIME = re.compile(
    rf"[0-9]{{4}}(?:-[0-9]{{1,2}}){{1,2}}(?:[?~]|T[^\s]+)?|{_YEAR}/(?:{_YEAR}|\.\.)?|(?:\.\.)?/{_YEAR}"
)

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
#: A time in words or in another notation.
_SAYS_A_TIME = re.compile(
    rf"(?:since|until|till|from|before|after)\b.*[0-9]{{4}}|{_MONTH} (?:[0-9]{{1,2}},? )?[0-9]{{4}}\b.*"
    rf"|[0-9]{{1,2}}\.? {_MONTH} [0-9]{{4}}\b.*|[0-9]{{1,2}}[./][0-9]{{1,2}}[./][0-9]{{4}}\b.*"
    r"|[0-9]{4}[0-9-]*(?: (?:to|until|till|-|–) |/\.\.\.).*",
    re.I,
)

#: Of all statements of a knowledge base, few have a time of their own.
parse_time = lru_cache(maxsize=1 << 15)(parse_interval)


class Qualifiers:
    """What a parenthesis says, and what is wrong with it."""

    __slots__ = ("count", "faults", "interval", "unread", "words")

    def __init__(self) -> None:
        self.interval: Interval | None = None
        self.words: dict[str, str] = {}  #: by the statement's fields
        self.count = 0  #: items that are qualifiers, wrong ones included
        self.unread: list[tuple[int, int, str]] = []  #: (start, end, item) of the others
        self.faults: list[Fault] = []

    @property
    def confidence(self) -> int | None:
        """Per cent."""
        confidence = self.words.get("confidence")
        return None if confidence is None else int(confidence)

    @property
    def is_only_a_time(self) -> bool:
        """It says when, and nothing else."""
        return self.count == 1 and not self.words and not self.unread


def read_qualifiers(
    text: str, start: int, end: int, section: Section, offset: int = 0
) -> Qualifiers:
    """Read what stands between the brackets; ``offset`` is added to all positions."""
    found = Qualifiers()
    for piece in text[start:end].split(","):
        item = piece.strip()
        at = start + len(piece) - len(piece.lstrip()) if item else start
        start += len(piece) + 1
        item_end = at + len(item)
        if not _read_item(found, " ".join(item.split()), offset + at, offset + item_end, section):
            found.unread.append((offset + at, offset + item_end, item))
    found.count += len(found.words)
    return found


def _read_item(found: Qualifiers, item: str, start: int, end: int, section: Section) -> bool:
    """Add one item; whether it is a qualifier, if a wrong one."""
    match = _WORD.fullmatch(item)
    name = match.lastgroup if match else None
    if match is None or name is None:
        return _read_time(found, item, start, end, section)
    if name in found.words:
        found.faults.append(_twice(start, end, _TWICE[name]))
    elif name == "confidence" and int(match[name]) > 100:
        found.count += 1
        message = f"a confidence of {item} is more than 100%"
        found.faults.append(Fault("KB127", start, end, message, "write 0% to 100%"))
    else:
        found.words[name] = match[name]
    return True


def _read_time(found: Qualifiers, item: str, start: int, end: int, section: Section) -> bool:
    if not item:
        return False
    parsed = parse_time(item)
    if isinstance(parsed, Interval):
        found.count += 1
        if found.interval is None:
            found.interval = parsed
        else:
            found.faults.append(_twice(start, end, "time"))
        return True
    if section is Section.RELATIONS:
        is_meant, is_said = looks_like_time(item), says_a_time(item)
    else:
        is_meant, is_said = _PLAIN_TIME.fullmatch(item) is not None, False
    if is_meant:
        found.faults.append(_time_fault(parsed, start, end))
    elif is_said:
        found.faults.append(Fault("KB401", start, end, f'"{item}" is no EDTF date', TIME_HINT))
    found.count += is_meant or is_said
    return is_meant or is_said


def says_a_time(item: str) -> bool:
    """Tell whether a text says a time in words or in another notation: since 2020, Mar 2024, 01.10.2026/..."""
    return _SAYS_A_TIME.fullmatch(item) is not None


def _time_fault(fault: TimeFault, start: int, end: int) -> Fault:
    at = min(start + fault.offset, end)
    return Fault("KB401", at, min(at + max(fault.length, 1), end), fault.message, fault.hint)


def _twice(start: int, end: int, what: str) -> Fault:
    return Fault("KB140", start, end, f"a second {what} in one statement is not read", "keep one")


def qualifier_kind(item: str) -> str:
    """Name the field of a statement that an item of a parenthesis says; "" where it is no qualifier."""
    folded = " ".join(item.split())
    match = _WORD.fullmatch(folded)
    if match is not None:
        return match.lastgroup or ""
    return "interval" if isinstance(parse_time(folded), Interval) else ""


def iter_qualifiers(statement: StatementLine) -> Iterator[str]:
    """Yield a statement's qualifiers in their canonical order."""
    if statement.interval is not None:
        yield statement.interval.text
    if statement.confidence is not None:
        yield f"{statement.confidence}%"
    if statement.by is not None:
        yield f"by {statement.by}"
    if statement.auto is not None:
        yield f"auto-{statement.auto}"
    if statement.retracted:
        yield "retracted"
    if statement.superseded_by is not None:
        yield f"superseded by ^{statement.superseded_by}"
