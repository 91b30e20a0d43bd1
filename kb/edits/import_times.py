"""A record's ``since``, ``until`` and ``at`` → an interval. ``until`` is exclusive, ends of intervals are not."""

import re
from collections.abc import Callable

from kb.model.time import DAY, Date, Interval, civil
from kb.syntax.edtf import TimeFault, parse_date, parse_interval

_PLAIN = re.compile(r"\d{4}(?:-\d{2}){0,2}")
_NAIVE = re.compile(r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?")

Report = Callable[[str], None]


def read_record_date(text: str, field: str, report: Report) -> Date | None:
    """Read an ISO date or date-time; what it lacks or cannot be is reported."""
    text = text.strip()
    for spelling in (text, text.replace(" ", "T", 1)):
        date = parse_date(spelling)
        if isinstance(date, Date):
            return date
    naive = _NAIVE.fullmatch(text)
    day = parse_date(naive.group(1)) if naive else None
    if isinstance(day, Date):
        report(f'"{field}" has a time without an offset ({text}): only its day is kept')
        return day
    fault = parse_date(text)
    why = f"{fault.message}; {fault.hint}" if isinstance(fault, TimeFault) else ""
    report(f'"{field}" is not kept: {text}: {why}')
    return None


def record_interval(since: str, until: str, at: str, report: Report) -> Interval | None:
    """Give the interval of a record, ``None`` where it has no time that can be kept."""
    if at:
        if since or until:
            report('"since" and "until" beside "at" are not kept')
        moment = read_record_date(at, "at", report)
        return _interval(moment.text) if moment else None
    start = read_record_date(since, "since", report) if since else None
    after = read_record_date(until, "until", report) if until else None
    if start is not None and until and after is None:
        return _interval(f"{start.text}/")
    if after is None:
        return _interval(f"{start.text}/..") if start else None
    if start is not None and start.text == after.text:
        report(f'"since" and "until" are both {start.text}: kept as that one {_unit(after.text)}')
        return _interval(f"{start.text}/{start.text}")
    left = start.text if start else ""
    end = _before(after)
    if end is None:
        report(f'"until" is no plain date ({after.text}): the end is kept as unknown')
        return _interval(f"{left}/" if left else "ended")
    found = _interval(f"{left}/{end}")
    if found is None and start is not None and after.after > start.first:
        report(
            f'"until" {after.text} begins before "since" {start.text}: read as the last {_unit(after.text)}'
        )
        return _interval(f"{left}/{after.text}")
    if found is None:
        report(
            f'"until" {after.text} is before "since" {start.text if start else ""}: kept without a time'
        )
    return found


def _interval(text: str) -> Interval | None:
    read = parse_interval(text)
    return read if isinstance(read, Interval) else None


def _unit(text: str) -> str:
    return {4: "year", 7: "month", 10: "day"}.get(len(text), "moment")


def _before(date: Date) -> str | None:
    """Name the unit before a date: its day, month or year; a date-time is the instant itself."""
    if "T" in date.text:
        return date.text
    if not _PLAIN.fullmatch(date.text) or date.first - DAY < _FIRST:
        return None
    return civil(date.first - DAY)[: len(date.text)]


_first = parse_date("0001-01-01")
_FIRST = _first.first if isinstance(_first, Date) else 0
