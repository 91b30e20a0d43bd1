"""A Markdown or text file → one record: the text as it stands. Nobody is taken from it; its date is one that it declares."""

import re

from kb.ingest.records import SourceRecord, digest_of, source_of_content
from kb.ingest.texts import clean_line, in_short, read_raw, show
from kb.model.time import Date
from kb.syntax.edtf import TimeFault, parse_date
from kb.syntax.front_matter import FrontMatter, Scalar, split_front_matter
from kb.syntax.relative_dates import read_said_time

_HEADING = re.compile(r"^ {0,3}#[ \t]++(.++)$", re.M)
_SETEXT = re.compile(r"\A\s*+(\S[^\n]*+)\n=++[ \t]*+$", re.M)
_FENCED = re.compile(r"^ {0,3}(```+|~~~+).*?(?:^ {0,3}\1|\Z)", re.M | re.S)
_DATED_STEM = re.compile(r"(\d{4}-\d{2}-\d{2})(?![0-9])")
_DATE_FIELDS = ("happened_at", "date", "created")
#: A first line is a title if it is no longer than this.
_LONGEST_TITLE = 120


def read_note(data: bytes, where: str) -> SourceRecord:
    """Read a text. The date is that of its frontmatter, else the one with which its file's name begins, else none."""
    warnings: list[str] = []
    text = read_raw(data, warnings)
    stem = re.sub(r"\.[A-Za-z]+\Z", "", where.rpartition("/")[2])
    front = split_front_matter(text) if text.startswith("---") else None
    return SourceRecord(
        source=source_of_content(data),
        kind="note",
        title=_title(front, text, stem, warnings),
        text=text,
        where=where,
        digest=digest_of(data),
        happened_at=_happened_at(front, stem, warnings),
        warnings=in_short(warnings),
    )


def _title(front: FrontMatter | None, text: str, stem: str, warnings: list[str]) -> str:
    body = text[front.body_start :] if front else text
    for title in (_field(front, "title"), _heading(body), stem):
        if line := clean_line(title, "title", warnings):
            return line[:_LONGEST_TITLE].rstrip()
    return "untitled"


def _heading(body: str) -> str:
    """Give the first heading of the first level, without the signs that may close it; "" where there is none."""
    if match := _SETEXT.search(body):
        return match[1]
    if match := _HEADING.search(_FENCED.sub("", body)):
        text = match[1].rstrip(" \t")
        bare = text.rstrip("#")
        return bare if bare.endswith((" ", "\t")) else text
    return ""


def _happened_at(front: FrontMatter | None, stem: str, warnings: list[str]) -> str:
    match = _DATED_STEM.match(stem)
    named = _plain_date(match.group(1)) if match else None
    declared = [(name, text) for name in _DATE_FIELDS if (text := _field(front, name).strip())]
    if not declared:
        return named.text if named else ""
    (name, text), *others = declared
    if date := _plain_date(text):
        return date.text
    if day := _day_without_zone(text):
        warnings.append(f"{name}: {show(text)} has no zone: only its day is kept")
        return day.text
    dates = (_plain_date(other) or _day_without_zone(other) for _, other in others)
    return _said_date(name, text, next(filter(None, dates), named), warnings)


def _plain_date(text: str) -> Date | None:
    """Read a date or moment as EDTF, or with a space where EDTF has a T."""
    for spelling in (text, text.replace(" ", "T", 1)):
        date = parse_date(spelling)
        if isinstance(date, Date):
            return date
    return None


def _day_without_zone(text: str) -> Date | None:
    day = parse_date(text[:10])
    is_timed = re.fullmatch(r"[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?", text[10:])
    return day if is_timed and isinstance(day, Date) else None


def _said_date(name: str, text: str, reference: Date | None, warnings: list[str]) -> str:
    """Read a date as people say it, counted from another one that the note declares; "" where it is no single date."""
    said = read_said_time(text, reference)
    if isinstance(said, TimeFault):
        why = said.message
    elif said.interval.is_event:
        counted = f", counted from {reference.text}" if reference else ""
        warnings.append(f"{name}: {show(text)} is read as {said.interval.text}{counted}")
        return said.interval.text
    else:
        why = f"it is {said.interval.text}, and no single date"
    shown = "" if text.casefold() in why.casefold() else f"{show(text)}: "
    warnings.append(f"{name}: {shown}{why}; the time is unknown")
    return ""


def _field(front: FrontMatter | None, name: str) -> str:
    node = front.fields.get(name) if front and front.fields else None
    return node.text if isinstance(node, Scalar) else ""
