"""Spans of whole days and the units that people name: weeks, months, quarters, seasons. Arithmetic only, no text.

Days are counted as in ``kb.model.time``: from 1970-01-01. Weeks begin on Monday (ISO 8601). Seasons are the three-month
ones of the northern hemisphere: spring is March to May; a winter belongs to the year in which it begins.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kb.model.time import civil_date, days_in_month, epoch_day

FIRST_YEAR, LAST_YEAR = 1, 9999
#: Season → its first month.
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}


@dataclass(frozen=True, slots=True)
class DaySpan:
    """From a day to a day, both in."""

    first: int
    last: int

    @property
    def months(self) -> int:
        """How many whole calendar months it is; 0 if it is none."""
        (year, month, day), (end_year, end_month, end_day) = (
            civil_date(self.first),
            civil_date(self.last),
        )
        if day != 1 or end_day != days_in_month(end_year, end_month):
            return 0
        return (end_year - year) * 12 + end_month - month + 1

    def text(self) -> str:
        """Write it as EDTF in the widest units that say the same: a year, months, days."""
        start, end = civil_date(self.first), civil_date(self.last)
        months = self.months
        if months and months % 12 == 0 and start[1] == 1:
            first, last = f"{start[0]:04}", f"{end[0]:04}"
        elif months:
            first, last = f"{start[0]:04}-{start[1]:02}", f"{end[0]:04}-{end[1]:02}"
        else:
            first, last = (
                f"{start[0]:04}-{start[1]:02}-{start[2]:02}",
                f"{end[0]:04}-{end[1]:02}-{end[2]:02}",
            )
        return first if first == last else f"{first}/{last}"

    @property
    def is_in_range(self) -> bool:
        """The years are ones that can be written."""
        return civil_date(self.first)[0] >= FIRST_YEAR and civil_date(self.last)[0] <= LAST_YEAR


def weekday_of(day: int) -> int:
    """Number a day's weekday, Monday as 0."""
    return (day + 3) % 7


def day_span(day: int) -> DaySpan:
    """Give one day."""
    return DaySpan(day, day)


def week_of(day: int, weeks: int = 0) -> DaySpan:
    """Give the week of a day, or one so many weeks later."""
    monday = day - weekday_of(day) + 7 * weeks
    return DaySpan(monday, monday + 6)


def iso_week(year: int, number: int) -> DaySpan | None:
    """Give a numbered week of a year (ISO 8601); ``None`` if the year has none of that number."""
    span = week_of(epoch_day(year, 1, 4), number - 1)
    return span if number >= 1 and civil_date(span.first + 3)[0] == year else None


def months_from(year: int, month: int, count: int = 1) -> DaySpan:
    """Give so many months from one on; the month may lie beyond its year."""
    first_year, first = year + (month - 1) // 12, (month - 1) % 12 + 1
    end = month + count - 1
    end_year, last = year + (end - 1) // 12, (end - 1) % 12 + 1
    return DaySpan(
        epoch_day(first_year, first, 1), epoch_day(end_year, last, days_in_month(end_year, last))
    )


def quarter_of(year: int, number: int) -> DaySpan:
    """Give a quarter; the number may lie beyond its year."""
    return months_from(year, 3 * number - 2, 3)


def season_of(year: int, name: str) -> DaySpan:
    """Give the season that begins in a year."""
    return months_from(year, SEASONS[name], 3)


def third_of(span: DaySpan, number: int) -> DaySpan | None:
    """Give the first, second or last third (0, 1, 2); ``None`` of what nobody divides so.

    Of a week: Monday and Tuesday, Wednesday and Thursday, Friday to Sunday. Of a month: up to the 10th, up to the 20th,
    from the 21st on. Of longer units: whole months.
    """
    months, days = span.months, span.last - span.first + 1
    if months == 1:
        firsts = (span.first, span.first + 10, span.first + 20, span.last + 1)
    elif months and months % 3 == 0:
        year, month, _ = civil_date(span.first)
        return months_from(year, month + number * (months // 3), months // 3)
    elif days == 7:
        firsts = (span.first, span.first + 2, span.first + 4, span.last + 1)
    else:
        return None
    return DaySpan(firsts[number], firsts[number + 1] - 1)


def latest_before(spans: Iterator[DaySpan], day: int) -> DaySpan:
    """Give the last of some spans that is over before a day."""
    return max((one for one in spans if one.last < day), key=lambda one: one.last)


def first_after(spans: Iterator[DaySpan], day: int) -> DaySpan:
    """Give the first of some spans that begins after a day."""
    return min((one for one in spans if one.first > day), key=lambda one: one.first)
