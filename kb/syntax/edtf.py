"""EDTF text → dates and intervals, or a fault that says where it is wrong and what to write.

Never raises on text, never reads a clock, and never decides what holds when (`kb.model.time`).

Read: yyyy, yyyy-mm, yyyy-mm-dd (years 0001–9999), X for digits unknown from the right, one mark of
doubt (`?`, `~`, `%`) after a component, date-times with their offset, intervals of these, and
`ended`. What a wrong text was probably meant to be, ``kb.syntax.edtf_faults`` says.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kb.model.time import DAY, Bound, Date, Interval, TimeSpan, covered
from kb.syntax.edtf_dates import LONGEST, TimeFault, is_reversed, read_date, whole_fault
from kb.syntax.edtf_faults import (
    ANY_DATE,
    NOW,
    explain_date,
    explain_end,
    explain_interval,
    explain_slashes,
)

__all__ = ["TimeFault", "looks_like_time", "parse_at", "parse_date", "parse_interval"]


def parse_interval(text: str) -> Interval | TimeFault:
    """Read an interval, a single date (an event) or `ended`."""
    if text.lower() == "ended":
        return Interval(text, Bound.UNKNOWN, Bound.UNKNOWN, is_event=False)
    slashes = text.count("/")
    if slashes == 0:
        date = parse_date(text)
        if isinstance(date, TimeFault):
            return explain_interval(text, date)
        return Interval(text, date, date, is_event=True)
    if slashes > 1:
        return explain_slashes(text)
    left, _, right = text.partition("/")
    start = _parse_side(left)
    if isinstance(start, TimeFault):
        return explain_interval(text, start)
    end = _parse_side(right)
    if isinstance(end, TimeFault):
        end = explain_end(left, right) or end
        offset = len(left) + 1 + end.offset
        return explain_interval(text, TimeFault(offset, end.length, end.message, end.hint))
    if end is Bound.UNKNOWN and not isinstance(start, Date):
        return whole_fault(text, "an interval needs a date or an open end", "write ended")
    if is_reversed(start, end):
        message = f"{right} is before {left}: the interval is reversed"
        return TimeFault(len(left) + 1, len(right), message, f"write {right}/{left}")
    return Interval(text, start, end, is_event=False)


def parse_date(text: str) -> Date | TimeFault:
    """Read a single date or date-time."""
    if len(text) > LONGEST:
        return whole_fault(text, "not a date", ANY_DATE)
    return _parse_date(text)


def parse_at(text: str, now: int) -> TimeSpan | TimeFault:
    """Read the moment or span that `--at` asks about.

    `now`, `today` (UTC), a date (its whole unit), a date-time, or an interval with a date whose
    other side is a date or `..`.
    """
    match text.lower():
        case "now":
            return TimeSpan(now, now + 1)
        case "today":
            midnight = now - now % DAY
            return TimeSpan(midnight, midnight + DAY)
    interval = parse_interval(text)
    if isinstance(interval, TimeFault):
        return interval
    sides = interval.start, interval.end
    span = covered(interval)
    if span is None or Bound.UNKNOWN in sides or sides == (Bound.OPEN, Bound.OPEN):
        return whole_fault(
            text,
            "that is no definite moment or span",
            "write now, today, a date, or an interval such as 2015/2018 or 2015/..",
        )
    return span


def looks_like_time(text: str) -> bool:
    """Tell whether a reader would think that this was meant as a date or interval.

    True for all that `parse_interval` reads, and for near misses of the same shapes: 2015-13,
    12.03.2024, 2015-2018, 2015/now. Prose such as "since 2015" or "2015 budget" is none.
    """
    return len(text) <= 2 * LONGEST + 1 and _LOOKS_LIKE_TIME.fullmatch(text) is not None


_SIDE = (
    r"[0-9][0-9Xx]{3}[?~%]?(?:[-–][0-9Xx]{1,5}[?~%]?){0,2}"
    r"(?:[Tt ][0-9]{1,2}(?:[:.,][0-9]+)*(?: ?[Zz]|[+-][0-9:]+)?)?"
)
#: A year beyond 9999, which is out of range, with or without its month and day.
_LONG_YEAR = r"[0-9]{5,}(?:-[0-9]{2}){0,2}"
_LOOKS_LIKE_TIME = re.compile(
    rf"{_SIDE}"
    rf"|{_SIDE} ?/ ?(?:{_SIDE}|\.\.|[0-9]{{1,2}}|{NOW})?"
    rf"|(?:\.\.)? ?/ ?(?:{_SIDE}|\.\.)|\.\./?"
    rf"|{_SIDE} ?(?:\.\.|[-–—→]|->) ?(?:{_SIDE}|{NOW})?|\.\.{_SIDE}"
    rf"|[0-9]{{5,}}-[0-9]{{2}}-[0-9]{{2}}|{_LONG_YEAR}/(?:\.\.|{_LONG_YEAR}|{_SIDE})?|{_SIDE}/{_LONG_YEAR}"
    r"|[0-9]{1,2}(?P<sep>[./-])[0-9]{1,2}(?P=sep)(?:[0-9]{4}|[0-9]{2})"
    r"|[0-9]{4}(?P<sep2>[./])[0-9]{1,2}(?P=sep2)[0-9]{1,2}"
    r"|[Ee][Nn][Dd][Ee][Dd]"
)


def _parse_side(text: str) -> Date | Bound | TimeFault:
    if text == "..":
        return Bound.OPEN
    return parse_date(text) if text else Bound.UNKNOWN


@lru_cache(maxsize=8192)
def _parse_date(text: str) -> Date | TimeFault:
    return read_date(text) or explain_date(text)
