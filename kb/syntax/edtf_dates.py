"""EDTF text of one date or date-time → a date, strictly: what has its shape and is right, or a fault inside it.

yyyy, yyyy-mm, yyyy-mm-dd (years 0001–9999), X for digits unknown from the right, one mark of
doubt (`?`, `~`, `%`) after a component, and date-times with their offset.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kb.model.time import DAY, Bound, Date, days_in_month, epoch_day

#: A longer text is no date.
LONGEST = 80
_FIRST_YEAR, _LAST_YEAR = 1, 9999
_WIDEST_OFFSET = 14 * 60

YEARS = "write a year from 0001 to 9999, with four digits"

_DATE = re.compile(
    r"(?P<year>[0-9]{4}|[0-9]{3}X|[0-9]{2}XX|[0-9]XXX)[?~%]?"
    r"(?:-(?P<month>[0-9]{2}|XX)[?~%]?"
    r"(?:-(?P<day>[0-9]{2}|XX)[?~%]?)?)?"
)
_MOMENT = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"T(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]+)?)?"
    r"(?P<offset>Z|(?P<sign>[+-])(?P<offset_hour>[0-9]{2}):(?P<offset_minute>[0-9]{2}))"
)


class TimeFault(NamedTuple):
    """What is wrong with a time, and the remedy; `offset` and `length` lie in the parsed text."""

    offset: int
    length: int
    message: str
    hint: str


def read_date(text: str) -> Date | TimeFault | None:
    """Read what has the shape of a date; None for any other shape. Explains no shape."""
    if found := _DATE.fullmatch(text):
        return _read_calendar_date(found)
    if found := _MOMENT.fullmatch(text):
        return _read_moment(found)
    return None


def _read_calendar_date(found: re.Match[str]) -> Date | TimeFault:
    """Read the groups `year`, `month` and `day` of a match."""
    text = found.string
    year_text, month_text, day_text = found.group("year", "month", "day")
    # Digits are unknown from the right only: after an X no digit may follow.
    if ("X" in year_text and month_text not in (None, "XX")) or (
        month_text == "XX" and day_text not in (None, "XX")
    ):
        return whole_fault(
            text,
            "digits can be unknown from the right only",
            f"write {year_text}: what follows an unknown digit is unknown too",
        )
    first_year = int(year_text.replace("X", "0"))
    if "X" in year_text:
        last_year = int(year_text.replace("X", "9"))
        return _unit_of_years(text, max(first_year, _FIRST_YEAR), last_year)
    if first_year < _FIRST_YEAR:
        return fault_at(found, "year", "there is no year 0000", YEARS)
    if month_text is None or month_text == "XX":
        return _unit_of_years(text, first_year, first_year)
    month = int(month_text)
    if not 1 <= month <= 12:
        return _explain_month(found, first_year, month)
    length = days_in_month(first_year, month)
    if day_text is None or day_text == "XX":
        day = epoch_day(first_year, month, 1)
        return Date(text, day * DAY, (day + length) * DAY)
    if not 1 <= int(day_text) <= length:
        year_month = f"{year_text}-{month_text}"
        message = f"{year_month} has no day {day_text}, only 01 to {length}"
        return fault_at(found, "day", message, f"write {year_month} if the day is not known")
    day = epoch_day(first_year, month, int(day_text))
    return Date(text, day * DAY, (day + 1) * DAY)


def _unit_of_years(text: str, first: int, last: int) -> Date:
    return Date(text, epoch_day(first, 1, 1) * DAY, epoch_day(last + 1, 1, 1) * DAY)


def _read_moment(found: re.Match[str]) -> Date | TimeFault:
    day = _read_calendar_date(found)
    if isinstance(day, TimeFault):
        return day
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"] or 0)
    if hour > 23:
        hint = "write an hour from 00 to 23; midnight is 00:00 of the day that begins"
        return fault_at(found, "hour", f"there is no hour {hour}", hint)
    if minute > 59:
        return fault_at(
            found, "minute", f"there is no minute {minute}", "write a minute from 00 to 59"
        )
    if second > 59:
        hint = "write a second from 00 to 59; a leap second is written as 59"
        return fault_at(found, "second", f"there is no second {second}", hint)
    offset = 0
    if found["sign"]:
        offset = int(found["offset_hour"]) * 60 + int(found["offset_minute"])
        if offset > _WIDEST_OFFSET or int(found["offset_minute"]) > 59:
            message = f"there is no offset {found['offset']}"
            return fault_at(found, "offset", message, "write Z, or an offset from -14:00 to +14:00")
        offset = -offset if found["sign"] == "-" else offset
    first = day.first + hour * 3600 + (minute - offset) * 60 + second
    return Date(found.string, first, first + 1)


def _explain_month(found: re.Match[str], year: int, month: int) -> TimeFault:
    """Explain a month above 12, which is often a second year or an EDTF season."""
    hints = []
    two_years = f"{year:04}/{_second_year(year, month):04}"
    if found["day"] is None and reads(two_years):
        hints.append(f"write {two_years} for two years")
    is_season = 21 <= month <= 41
    if is_season:
        first = 3 * (month - 20) if month < 24 else 12
        season = f"{year:04}-{first:02}/{year + first // 12:04}-{(first + 1) % 12 + 1:02}"
        season = season if month <= 24 and reads(season) else f"{year:04}-03/{year:04}-05"
        hints.append(f"write the months for a season, such as {season}")
    message = f"there is no month {month:02}" + (": seasons are not read" if is_season else "")
    return fault_at(found, "month", message, "; ".join(hints) or "write a month from 01 to 12")


def _second_year(year: int, digits: int) -> int:
    """Complete the second year of `2023-24` or `1999-00`; the first one if that is none."""
    century = year - year % 100
    if digits == 0 and year % 100 == 99:
        return century + 100
    return century + digits if digits > year % 100 else 0


def is_reversed(start: Date | Bound, end: Date | Bound) -> bool:
    """Compare what the ends cover, so that `2015-06/2015` is in order."""
    return isinstance(start, Date) and isinstance(end, Date) and start.first >= end.after


def reads(text: str) -> bool:
    """Tell whether a date or interval is right as it stands, explaining nothing."""
    if "/" not in text:
        return isinstance(read_date(text), Date)
    left, _, right = text.partition("/")
    sides: list[Date | Bound] = []
    for side in (left, right):
        date = Bound.OPEN if side == ".." else read_date(side) if side else Bound.UNKNOWN
        if date is None or isinstance(date, TimeFault):
            return False
        sides.append(date)
    start, end = sides
    if end is Bound.UNKNOWN and not isinstance(start, Date):
        return False
    return not is_reversed(start, end)


def whole_fault(text: str, message: str, hint: str) -> TimeFault:
    return TimeFault(0, len(text), message, hint)


def fault_at(found: re.Match[str], group: str, message: str, hint: str) -> TimeFault:
    return TimeFault(found.start(group), len(found[group]), message, hint)
