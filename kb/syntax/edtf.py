"""EDTF text → dates and intervals, or a fault that says where it is wrong and what to write.

Never raises on text, never reads a clock, and never decides what holds when (`kb.model.time`).

Read: yyyy, yyyy-mm, yyyy-mm-dd (years 0001–9999), X for digits unknown from the right, one mark of
doubt (`?`, `~`, `%`) after a component, date-times with their offset, intervals of these, and
`ended`. The rules for what is right come first; below them, and making up half of this long module
because each tells one story about a wrong text, are the explanations that guess what was meant by
the rest. A hint offers a spelling of the whole only if that spelling reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from kb.model.time import DAY, Bound, Date, Interval, TimeSpan, covered, days_in_month, epoch_day

_LONGEST = 80
_FIRST_YEAR, _LAST_YEAR = 1, 9999
_WIDEST_OFFSET = 14 * 60

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


def parse_interval(text: str) -> Interval | TimeFault:
    """Read an interval, a single date (an event) or `ended`."""
    if text.lower() == "ended":
        return Interval(text, Bound.UNKNOWN, Bound.UNKNOWN, is_event=False)
    slashes = text.count("/")
    if slashes == 0:
        date = parse_date(text)
        if isinstance(date, TimeFault):
            return _explain_interval(text, date)
        return Interval(text, date, date, is_event=True)
    if slashes > 1:
        return _explain_slashes(text)
    left, _, right = text.partition("/")
    start = _parse_side(left)
    if isinstance(start, TimeFault):
        return _explain_interval(text, start)
    end = _parse_side(right)
    if isinstance(end, TimeFault):
        end = _explain_end(left, right) or end
        offset = len(left) + 1 + end.offset
        return _explain_interval(text, TimeFault(offset, end.length, end.message, end.hint))
    if end is Bound.UNKNOWN and not isinstance(start, Date):
        return _whole(text, "an interval needs a date or an open end", "write ended")
    if _is_reversed(start, end):
        message = f"{right} is before {left}: the interval is reversed"
        return TimeFault(len(left) + 1, len(right), message, f"write {right}/{left}")
    return Interval(text, start, end, is_event=False)


def parse_date(text: str) -> Date | TimeFault:
    """Read a single date or date-time."""
    if len(text) > _LONGEST:
        return _whole(text, "not a date", _ANY_DATE)
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
        return _whole(
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
    return len(text) <= 2 * _LONGEST + 1 and _LOOKS_LIKE_TIME.fullmatch(text) is not None


_SIDE = (
    r"[0-9][0-9Xx]{3}[?~%]?(?:[-–][0-9Xx]{1,5}[?~%]?){0,2}"
    r"(?:[Tt ][0-9]{1,2}(?:[:.,][0-9]+)*(?: ?[Zz]|[+-][0-9:]+)?)?"
)
#: A year beyond 9999, which is out of range, with or without its month and day.
_LONG_YEAR = r"[0-9]{5,}(?:-[0-9]{2}){0,2}"
_NOW_WORDS = ("now", "today", "present", "ongoing", "current")
_NOW = "|".join(_NOW_WORDS)
_LOOKS_LIKE_TIME = re.compile(
    rf"{_SIDE}"
    rf"|{_SIDE} ?/ ?(?:{_SIDE}|\.\.|[0-9]{{1,2}}|{_NOW})?"
    rf"|(?:\.\.)? ?/ ?(?:{_SIDE}|\.\.)|\.\./?"
    rf"|{_SIDE} ?(?:\.\.|[-–—→]|->) ?(?:{_SIDE}|{_NOW})?|\.\.{_SIDE}"
    rf"|[0-9]{{5,}}-[0-9]{{2}}-[0-9]{{2}}|{_LONG_YEAR}/(?:\.\.|{_LONG_YEAR}|{_SIDE})?|{_SIDE}/{_LONG_YEAR}"
    r"|[0-9]{1,2}(?P<sep>[./-])[0-9]{1,2}(?P=sep)(?:[0-9]{4}|[0-9]{2})"
    r"|[0-9]{4}(?P<sep2>[./])[0-9]{1,2}(?P=sep2)[0-9]{1,2}"
    r"|[Ee][Nn][Dd][Ee][Dd]"
)


def _parse_side(text: str) -> Date | Bound | TimeFault:
    if text == "..":
        return Bound.OPEN
    return parse_date(text) if text else Bound.UNKNOWN


def _is_reversed(start: Date | Bound, end: Date | Bound) -> bool:
    """Compare what the ends cover, so that `2015-06/2015` is in order."""
    return isinstance(start, Date) and isinstance(end, Date) and start.first >= end.after


@lru_cache(maxsize=8192)
def _parse_date(text: str) -> Date | TimeFault:
    return _read_date(text) or _explain_date(text)


def _read_date(text: str) -> Date | TimeFault | None:
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
        return _whole(
            text,
            "digits can be unknown from the right only",
            f"write {year_text}: what follows an unknown digit is unknown too",
        )
    first_year = int(year_text.replace("X", "0"))
    if "X" in year_text:
        last_year = int(year_text.replace("X", "9"))
        return _unit_of_years(text, max(first_year, _FIRST_YEAR), last_year)
    if first_year < _FIRST_YEAR:
        return _at(found, "year", "there is no year 0000", _YEARS)
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
        return _at(found, "day", message, f"write {year_month} if the day is not known")
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
        return _at(found, "hour", f"there is no hour {hour}", hint)
    if minute > 59:
        return _at(found, "minute", f"there is no minute {minute}", "write a minute from 00 to 59")
    if second > 59:
        hint = "write a second from 00 to 59; a leap second is written as 59"
        return _at(found, "second", f"there is no second {second}", hint)
    offset = 0
    if found["sign"]:
        offset = int(found["offset_hour"]) * 60 + int(found["offset_minute"])
        if offset > _WIDEST_OFFSET or int(found["offset_minute"]) > 59:
            message = f"there is no offset {found['offset']}"
            return _at(found, "offset", message, "write Z, or an offset from -14:00 to +14:00")
        offset = -offset if found["sign"] == "-" else offset
    first = day.first + hour * 3600 + (minute - offset) * 60 + second
    return Date(found.string, first, first + 1)


# What was probably meant. Each function returns None where it has nothing to say.

_ANY_DATE = "write a date such as 2015, 2015-12 or 2015-12-31"
_ANY_TIME = f"{_ANY_DATE}, or an interval such as 2015/2018 or 2015/.."
_YEARS = "write a year from 0001 to 9999, with four digits"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _explain_date(text: str) -> TimeFault:
    """Explain a text that has not the shape of a date."""
    for explain in _DATE_EXPLANATIONS:
        if fault := explain(text):
            return fault
    if _reads(text):
        return _whole(text, "an interval, where one date is wanted", _ANY_DATE)
    return _whole(text, "not a date", _ANY_DATE)


def _explain_interval(text: str, fault: TimeFault) -> TimeFault:
    """Explain the whole of a text with at most one slash, or else pass on what is wrong inside."""
    if len(text) <= 2 * _LONGEST + 1:
        for explain in (_explain_range, _explain_period, _explain_spaces):
            if meant := explain(text):
                return meant
    if fault.hint == _ANY_DATE:
        return TimeFault(fault.offset, fault.length, "not a date or interval", _ANY_TIME)
    return fault


def _explain_slashes(text: str) -> TimeFault:
    """Explain a text with several slashes."""
    if len(text) <= _LONGEST and (fault := _explain_numeric_date(text)):
        return fault
    second = text.index("/", text.index("/") + 1)
    return TimeFault(second, 1, "an interval has one slash", _ANY_TIME)


def _explain_month(found: re.Match[str], year: int, month: int) -> TimeFault:
    """Explain a month above 12, which is often a second year or an EDTF season."""
    hints = []
    two_years = f"{year:04}/{_second_year(year, month):04}"
    if found["day"] is None and _reads(two_years):
        hints.append(f"write {two_years} for two years")
    is_season = 21 <= month <= 41
    if is_season:
        first = 3 * (month - 20) if month < 24 else 12
        season = f"{year:04}-{first:02}/{year + first // 12:04}-{(first + 1) % 12 + 1:02}"
        season = season if month <= 24 and _reads(season) else f"{year:04}-03/{year:04}-05"
        hints.append(f"write the months for a season, such as {season}")
    message = f"there is no month {month:02}" + (": seasons are not read" if is_season else "")
    return _at(found, "month", message, "; ".join(hints) or "write a month from 01 to 12")


def _second_year(year: int, digits: int) -> int:
    """Complete the second year of `2023-24` or `1999-00`; the first one if that is none."""
    century = year - year % 100
    if digits == 0 and year % 100 == 99:
        return century + 100
    return century + digits if digits > year % 100 else 0


def _explain_end(left: str, right: str) -> TimeFault | None:
    """Explain the right side of an interval where the left one helps: `2015/now`, `2015/18`."""
    if right.lower() in _NOW_WORDS:
        return _whole(right, f'"{right}" is not a date', f"write {left}/..")
    if re.fullmatch(r"[0-9]{1,2}", right):
        shortened = f"{right:0>2}"
        options = (f"{left}-{shortened}", f"{left}/{left[:-2]}{shortened}")
        if good := [option for option in options if _reads(option)]:
            return _whole(right, f'"{right}" is not a whole date', f"write {' or '.join(good)}")
    return None


def _explain_emptiness(text: str) -> TimeFault | None:
    if not text.strip():
        return _whole(text, "the date is empty", _ANY_TIME)
    if re.fullmatch(r"XXXX(-XX){0,2}", text):
        return _whole(text, "no digit of the date is known", "leave the date out")
    return None


def _explain_clock_time(text: str) -> TimeFault | None:
    """Explain a date with a time of day: a space for the T, no offset, or another offset style."""
    found = re.fullmatch(
        r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})(?P<between>[Tt_]| +)(?P<time>[0-9].*)", text
    )
    if not found:
        return None
    clock = re.fullmatch(
        r"(?P<hour>[0-9]{1,2})(?P<rest>(?::[0-9]{2}){1,2}(?:[.,][0-9]+)?) ?"
        r"(?P<offset>(?:[Zz]|UTC|GMT)?|(?P<hours>[+-][0-9]{2})(?::?(?P<minutes>[0-9]{2}))?)",
        found["time"],
    )
    if not clock:
        return _at(
            found,
            "time",
            "not a time of day",
            "write hours and minutes, as in 14:00Z or 14:00:30+02:00",
        )
    offset = f"{clock['hours']}:{clock['minutes'] or '00'}" if clock["hours"] else "Z"
    better = f"{found['date']}T{clock['hour']:0>2}{clock['rest']}{offset}"
    if isinstance(read := _read_date(better), TimeFault):
        in_date = read.offset < found.end("date")
        return read if in_date else _at(found, "time", read.message, read.hint)
    if found["between"] != "T":
        hint = f"write {better}"
        if not clock["offset"]:
            hint = f"write {better}, or with an offset such as +02:00 in place of Z"
        return _at(found, "between", "a T stands between date and time", hint)
    if not clock["offset"]:
        return _at(found, "time", "a time needs its offset", "add Z or an offset such as +02:00")
    return _at(found, "time", "not a time of day with its offset", f"write {better}")


def _explain_numeric_date(text: str) -> TimeFault | None:
    """Explain 12.03.2024 and 2024/03/12 in any punctuation, and 20240312."""
    if found := re.fullmatch(r"([0-9]{4})([-./]?)([0-9]{1,2})\2([0-9]{1,2})", text):
        if not found[2] and len(text) != 8:
            return None
        better = f"{found[1]}-{found[3]:0>2}-{found[4]:0>2}"
        return _respell_date(text, better)
    if found := re.fullmatch(r"([0-9]{4})-([0-9])", text):
        return _respell_date(text, f"{found[1]}-0{found[2]}")
    found = re.fullmatch(r"([0-9]{1,2})([-./])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})", text)
    if not found:
        return None
    if len(found[4]) == 2:
        return _whole(text, "the year is not clear", "write it with four digits, as in 2024-03-12")
    one, two, year = f"{found[1]:0>2}", f"{found[3]:0>2}", found[4]
    options = dict.fromkeys((f"{year}-{two}-{one}", f"{year}-{one}-{two}"))
    good = [option for option in options if _reads(option)]
    if not good:
        return _whole(text, "there is no such day", "write the day as yyyy-mm-dd")
    why = ": day and month are ambiguous" if len(good) > 1 else ""
    return _whole(text, "a date is written year first", f"write {' or '.join(good)}{why}")


def _explain_range(text: str) -> TimeFault | None:
    """Explain 2015-2018, 2015..2018, `2015 to 2018`, 2015-now, `since 2015` and `until 2015`."""
    if found := re.fullmatch(
        r"(.*?[0-9X][?~%]?) ?(?:\.\.+|…|--?|–|—|->|→|to|until|till) ?([0-9][0-9X]{3}.*)?", text
    ):
        return _respell(text, f"{found[1]}/{found[2] or '..'}")
    if found := re.fullmatch(rf"(.*?[0-9X]) ?(?:-|–|—|->|→|to|until|till) ?(?:{_NOW})", text):
        return _respell(text, f"{found[1]}/..")
    if found := re.fullmatch(r"(?:\.\.+|…) ?([0-9].*)", text):
        return _respell(text, f"../{found[1]}")
    if found := re.fullmatch(r"(?i:(since|from|until|till|to)) +([0-9].*)", text):
        is_start = found[1].lower() in ("since", "from")
        return _respell(text, f"{found[2]}/.." if is_start else f"/{found[2]}")
    return None


def _explain_period(text: str) -> TimeFault | None:
    """Explain 2015-Q1, and 12/2024 for a month."""
    if found := re.fullmatch(r"([0-9]{4})[- ]?[Qq]([1-4])", text):
        last = 3 * int(found[2])
        return _respell(text, f"{found[1]}-{last - 2:02}/{found[1]}-{last:02}")
    if found := re.fullmatch(r"([0-9]{1,2})[./]([0-9]{4})", text):
        return _respell(text, f"{found[2]}-{found[1]:0>2}")
    return None


def _explain_words(text: str) -> TimeFault | None:
    """Explain English: `circa 2015`, `2010s`, `March 2024`, `12 March 2024`, `March 12, 2024`."""
    if found := re.fullmatch(r"(?i:circa|ca?\.?|about|around|approx\.?) *([0-9][^?~%]*)", text):
        return _respell_date(text, f"{found[1]}~")
    if found := re.fullmatch(r"([0-9]{3})0'?s", text):
        return _respell_date(text, f"{found[1]}X")
    found = re.fullmatch(
        r"(?:(?P<day>[0-9]{1,2})\.? )?(?P<month>[A-Za-z]{3,9})\.? "
        r"(?:(?P<day2>[0-9]{1,2}),? )?(?P<year>[0-9]{4})",
        text,
    )
    if not found or found["month"][:3].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(found["month"][:3].lower()) + 1
    day = found["day"] or found["day2"]
    return _respell_date(text, f"{found['year']}-{month:02}" + (f"-{day:0>2}" if day else ""))


def _explain_far_year(text: str) -> TimeFault | None:
    if found := re.fullmatch(r"(?P<year>Y?[-+]?[0-9]{5,}|Y?[-+][0-9]+)(?:[-T].*)?", text):
        return _at(found, "year", f"the year {found['year']} is out of range", _YEARS)
    return None


def _explain_marks(text: str) -> TimeFault | None:
    """Explain marks of doubt in other places, and single digits left open (2015-1X)."""
    if re.search(r"[?~%]", text):
        bare = re.sub(r"[?~%]", "", text)
        if "T" in text and _reads(bare):
            return _whole(text, "a date-time bears no mark of doubt", f"write {bare}")
        marks = set(re.findall(r"[?~%]", text))
        return _respell_date(text, bare + (marks.pop() if len(marks) == 1 else "%"))
    if found := re.fullmatch(r"([0-9]{4}(?:-[0-9]{2})?)-[0-9]X(?:-XX)?", text):
        return _respell_date(text, f"{found[1]}-XX")
    return None


def _explain_spelling(text: str) -> TimeFault | None:
    """Explain white space, and small letters where EDTF has capitals."""
    compact = "".join(text.split())
    for better in (compact, compact.upper(), compact.replace("u", "X")):
        if fault := _respell_date(text, better):
            return fault
    return None


def _explain_spaces(text: str) -> TimeFault | None:
    sides = [side.strip() for side in text.split("/")]
    better = "/".join(".." if side.lower() in _NOW_WORDS else side for side in sides)
    return _respell(text, better) if text != "/".join(sides) else None


#: In order: the first that has something to say is heard.
_DATE_EXPLANATIONS: tuple[Callable[[str], TimeFault | None], ...] = (
    _explain_emptiness,
    _explain_marks,
    _explain_clock_time,
    _explain_numeric_date,
    _explain_words,
    _explain_far_year,
    _explain_spelling,
)


def _reads(text: str) -> bool:
    """Tell whether a date or interval is right as it stands, explaining nothing."""
    if "/" not in text:
        return isinstance(_read_date(text), Date)
    left, _, right = text.partition("/")
    sides: list[Date | Bound] = []
    for side in (left, right):
        date = Bound.OPEN if side == ".." else _read_date(side) if side else Bound.UNKNOWN
        if date is None or isinstance(date, TimeFault):
            return False
        sides.append(date)
    start, end = sides
    if end is Bound.UNKNOWN and not isinstance(start, Date):
        return False
    return not _is_reversed(start, end)


def _respell(text: str, better: str) -> TimeFault | None:
    """Offer another spelling of the whole text, if that one reads."""
    if better == text or not _reads(better):
        return None
    return _whole(text, "not a date or interval", f"write {better}")


def _respell_date(text: str, better: str) -> TimeFault | None:
    """Offer another spelling, if that one reads as a single date."""
    if not isinstance(_read_date(better), Date):
        return None
    return _whole(text, "not a date in the form yyyy-mm-dd", f"write {better}")


def _whole(text: str, message: str, hint: str) -> TimeFault:
    return TimeFault(0, len(text), message, hint)


def _at(found: re.Match[str], group: str, message: str, hint: str) -> TimeFault:
    return TimeFault(found.start(group), len(found[group]), message, hint)
