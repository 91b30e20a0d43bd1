"""Spans of days in words, "next Tuesday" and "end of Q3" → day spans, seen from a reference. The rules: ``relative_dates``.

Each method of the reader knows one form, and gives ``None`` for all others. Says no to what is vague or has two readings.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from kb.model.time import DAY, Date, civil, civil_date, days_in_month, epoch_day
from kb.syntax.date_words import COUNTS, MONTHS, ORDINALS, WEEKDAY_NAMES, WEEKDAYS, WHICH
from kb.syntax.day_spans import (
    SEASONS,
    DaySpan,
    day_span,
    first_after,
    iso_week,
    latest_before,
    months_from,
    quarter_of,
    season_of,
    third_of,
    week_of,
    weekday_of,
)
from kb.syntax.edtf import parse_date

ACCEPTED = (
    'write a date such as 2026-03-05, 2026-03 or 2026, an interval such as 2026-03/2026-05, or words such as "yesterday",'
    ' "next Tuesday", "two weeks ago", "end of Q3", "last spring", "5 March 2026"'
)

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_WEEKDAY = "|".join(sorted(WEEKDAYS, key=len, reverse=True))
_SEASON = "|".join(SEASONS)
_COUNT = rf"\d{{1,5}}|{'|'.join(COUNTS)}"
_UNIT = "day|week|fortnight|month|quarter|year"
_IS = "|".join(sorted(WHICH, key=len, reverse=True))
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4})"


class Refused(Exception):
    def __init__(self, message: str, hint: str = ACCEPTED) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


@dataclass(frozen=True, slots=True)
class _Reference:
    """The day, month or year from which things are seen; as precise as the source's time is."""

    text: str
    year: int
    month: int  #: 0 if not known
    day: int  #: 0 if not known

    def need_day(self, said: str) -> int:
        if not self.day:
            raise Refused(
                f'"{said}" needs a day to count from, and the source\'s time is {self.text}',
                "write the date itself, or give the source a happened_at with a day",
            )
        return epoch_day(self.year, self.month, self.day)

    def need_month(self, said: str) -> tuple[int, int]:
        if not self.month:
            raise Refused(
                f'"{said}" needs a month to count from, and the source\'s time is {self.text}',
                "write the date itself, or give the source a happened_at with a month",
            )
        return self.year, self.month

    def bounds(self, said: str) -> tuple[int, int]:
        """Give the first and last day of what is known, which must be a month at least."""
        year, month = self.need_month(said)
        if self.day:
            day = epoch_day(year, month, self.day)
            return day, day
        span = months_from(year, month)
        return span.first, span.last


class SpanReader:
    """Reads texts from one reference; ``rule`` says by which rule the last one was read."""

    def __init__(self, given: Date | None) -> None:
        self.given = given
        self.rule = ""

    @property
    def reference(self) -> _Reference:
        if self.given is None:
            raise Refused(
                "that is relative, and the source has no time to count from",
                "write the date itself, or give the source a happened_at",
            )
        match = re.match(r"(\d{4})(?:[?~%]?-(\d{2})(?:[?~%]?-(\d{2}))?)?", self.given.text)
        if match is None:
            raise Refused(f"the source's time {self.given.text} is too vague to count from")
        return _Reference(self.given.text, *(int(part or 0) for part in match.groups()))

    def span(self, said: str) -> DaySpan:
        """Read a span of days; raise ``Refused`` with what is wrong and what to write."""
        said = said.removeprefix("the ") if not said.startswith(("the last", "the next")) else said
        if re.fullmatch(r"[0-9]{3}0s", said):
            return months_from(int(said[:4]), 1, 120)
        plain = parse_date(said)
        if isinstance(plain, Date) and re.fullmatch(r"\d{4}(?:-\d{2}){0,2}", said):
            return DaySpan(plain.first // DAY, plain.after // DAY - 1)
        readers: tuple[Callable[[str], DaySpan | None], ...] = (
            self._near_day,
            self._counted,
            self._part,
            self._calendar_unit,
            self._weekday,
            self._month_day,
            self._month,
            self._quarter,
            self._half,
            self._season,
            self._week_number,
        )
        for reader in readers:
            span = reader(said)
            if span is not None:
                if not span.is_in_range:
                    raise Refused(f'"{said}" lies outside the years 0001 to 9999')
                return span
        if re.search(r"\b(?:few|couple|several|some|recently|soon|lately|ages|while)\b", said):
            raise Refused(
                f'"{said}" is too vague for a date',
                'write it as roughly as it is known: 2026-03, 2026, "last month"; or leave it out',
            )
        if match := re.fullmatch(r"(?:by|before|after|around|about|circa|ca\.?) (.+)", said):
            time = f"next {match[1]}" if match[1] in WEEKDAYS else match[1]
            raise Refused(
                f'"{said}" bounds a time and names none',
                f'write "{time}"; of what lasts, "until {time}" or "since {time}"',
            )
        raise Refused(f'"{said}" is no date that can be read')

    def _near_day(self, said: str) -> DaySpan | None:
        said = re.sub(r"(?<=day|row) (?:morning|noon|afternoon|evening|night)\Z", "", said)
        shifts = {
            **dict.fromkeys(("today", "tonight"), 0),
            **{f"this {part}": 0 for part in ("morning", "afternoon", "evening")},
            **{"yesterday": -1, "last night": -1, "tomorrow": 1},
            **{"day before yesterday": -2, "day after tomorrow": 2},
        }
        if said not in shifts:
            return None
        reference = self.reference
        self.rule = f"counted from {reference.text[:10]}"
        return day_span(reference.need_day(said) + shifts[said])

    def _counted(self, said: str) -> DaySpan | None:
        match = re.fullmatch(rf"({_COUNT}) ({_UNIT})s? (ago|from now|earlier|later|hence)", said)
        count, unit, way = match.groups() if match else ("", "", "")
        if match is None:
            match = re.fullmatch(rf"in ({_COUNT}) ({_UNIT})s?(?:' time)?", said)
            if match is None:
                return None
            count, unit = match.groups()
        number = COUNTS.get(count) or int(count)
        signed = -number if way in ("ago", "earlier") else number
        self.rule = f"counted from {self.reference.text[:10]}, as precise as a {unit if unit != 'fortnight' else 'week'}"
        return self._shifted(unit, signed, said)

    def _shifted(self, unit: str, count: int, said: str) -> DaySpan:
        """Give the unit that lies so many units from the reference's own."""
        reference = self.reference
        match unit:
            case "day":
                return day_span(reference.need_day(said) + count)
            case "week" | "fortnight":
                return week_of(reference.need_day(said), count * (2 if unit == "fortnight" else 1))
            case "month":
                year, month = reference.need_month(said)
                return months_from(year, month + count)
            case "quarter":
                year, month = reference.need_month(said)
                return quarter_of(year, (month + 2) // 3 + count)
            case _:
                return months_from(reference.year + count, 1, 12)

    def _part(self, said: str) -> DaySpan | None:
        match = re.fullmatch(
            r"(beginning|start|early|middle|mid|late|end)(?:(?: in| of|-| of the|) ?)(?<=[ -])(?:the )?(.+)",
            said,
        )
        if match is None:
            return None
        word, rest = match.groups()
        if rest in ("week", "month", "quarter", "year"):
            rest = f"this {rest}"
        whole = self.span(rest)
        number = {"beginning": 0, "start": 0, "early": 0, "middle": 1, "mid": 1}.get(word, 2)
        if whole.months == 12 and word in ("beginning", "start", "end"):
            year, month, _ = civil_date(whole.first)
            part: DaySpan | None = months_from(year, month + (11 if number else 0))
            self.rule = f"the {'last' if number else 'first'} month of {whole.text()}"
        else:
            part = third_of(whole, number)
            self.rule = f"the {('first', 'middle', 'last')[number]} third of {whole.text()}"
        if part is None:
            raise Refused(f'"{rest}" is no unit with a beginning, middle and end')
        return part

    def _calendar_unit(self, said: str) -> DaySpan | None:
        if match := re.fullmatch(r"(week|month|quarter|year) (after next|before last)", said):
            self.rule = f"counted from {self.reference.text[:10]}"
            return self._shifted(match[1], 2 if match[2] == "after next" else -2, said)
        match = re.fullmatch(rf"({_IS}) (week|month|quarter|year|weekend)", said)
        if match is None:
            return None
        which, unit = WHICH[match[1]], match[2]
        self.rule = f"the calendar's {unit}, seen from {self.reference.text[:10]}"
        if unit != "weekend":
            return self._shifted(unit, which, said)
        day = self.reference.need_day(said)
        saturdays = [week_of(day, weeks).last - 1 for weeks in range(-2, 3)]
        weekends = [DaySpan(saturday, saturday + 1) for saturday in saturdays]
        return self._chosen(weekends, which, said, weekends[2])

    def _weekday(self, said: str) -> DaySpan | None:
        week = re.fullmatch(
            rf"({_WEEKDAY})(?: of)?,? ({_IS}) week|({_IS}) week(?:'s)?,? ({_WEEKDAY})", said
        )
        if week:
            which = WHICH[week[2] or week[3]]
            monday = week_of(self.reference.need_day(said), which).first
            self.rule = f"of the week of {civil(monday * DAY)}"
            return day_span(monday + WEEKDAYS[week[1] or week[4]])
        match = re.fullmatch(rf"(?:(?P<which>{_IS}) )?(?P<day>{_WEEKDAY})", said)
        if match is None:
            return None
        if match["which"] is None:
            raise Refused(
                f'"{said}" may be the last one or the next',
                f'write "last {said}", "next {said}", "this {said}" or the date',
            )
        day, number = self.reference.need_day(said), WEEKDAYS[match["day"]]
        days = [day_span(week_of(day, weeks).first + number) for weeks in range(-2, 3)]
        return self._chosen(days, WHICH[match["which"]], said, days[2])

    def _month_day(self, said: str) -> DaySpan | None:
        month, year = rf"(?P<month>{_MONTH})\.?", rf"(?:(?:,| of|) {_YEAR})?"
        match = re.fullmatch(rf"(?:(?:{_WEEKDAY}),? )?(?:{month} {_NTH}{year})", said)
        match = match or re.fullmatch(
            rf"(?:(?:{_WEEKDAY}),? )?(?:the )?{_NTH}\.?(?: of)? {month}{year}", said
        )
        if match is None:
            if match := re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)", said):
                at_year, at_month = self.reference.need_month(said)
                self.rule = f"of the month of {self.reference.text[:10]}"
                return self._day(at_year, at_month, int(match[1]), said)
            return None
        number = MONTHS[match["month"]]
        span = self._day(self._year(match["year"]), number, int(match["day"]), said)
        weekday = re.match(rf"({_WEEKDAY})\b", said)
        if weekday and WEEKDAYS[weekday[1]] != weekday_of(span.first):
            actual = WEEKDAY_NAMES[weekday_of(span.first)].capitalize()
            raise Refused(
                f"{span.text()} is a {actual}", "write the date alone, or the right weekday"
            )
        return span

    def _month(self, said: str) -> DaySpan | None:
        return self._named(
            said, _MONTH, lambda year, name: months_from(year, MONTHS[name.rstrip(".")])
        )

    def _quarter(self, said: str) -> DaySpan | None:
        said = re.sub(
            r"\A(first|second|third|fourth|[1-4](?:st|nd|rd|th)) quarter",
            lambda found: f"q{ORDINALS[found[1]]}",
            said,
        )
        said = re.sub(r"\A(\d{4})[ -]?(q[1-4])\Z", r"\2 \1", said)
        return self._named(said, "q[1-4]", lambda year, name: quarter_of(year, int(name[1])))

    def _half(self, said: str) -> DaySpan | None:
        said = re.sub(
            r"\A(first|second|1st|2nd) half", lambda found: f"h{ORDINALS[found[1]]}", said
        )
        said = re.sub(r"\A(\d{4})[ -]?(h[12])\Z", r"\2 \1", said)
        return self._named(
            said, "h[12]", lambda year, name: months_from(year, 6 * int(name[1]) - 5, 6)
        )

    def _season(self, said: str) -> DaySpan | None:
        if match := re.fullmatch(r"winter(?: of)? (\d{4})[/-](\d{2}|\d{4})", said):
            year = int(match[1])
            if int(match[2]) not in (year + 1, (year + 1) % 100):
                raise Refused(
                    f'"{said}" is no winter', f"write winter {year}/{(year + 1) % 100:02}"
                )
            return season_of(year, "winter")
        return self._named(said, _SEASON, season_of)

    def _week_number(self, said: str) -> DaySpan | None:
        match = re.fullmatch(
            r"(?P<year>\d{4})-?w(?P<week>\d{1,2})|(?:week|cw|kw|w) ?(?P<number>\d{1,2})(?:(?: of|,|) (?P<of>\d{4}))?",
            said,
        )
        if match is None:
            return None
        year = self._year(match["year"] or match["of"])
        span = iso_week(year, int(match["week"] or match["number"]))
        if span is None:
            raise Refused(f"{year} has no such week")
        return span

    def _named(
        self, said: str, names: str, span_of: Callable[[int, str], DaySpan]
    ) -> DaySpan | None:
        """Read a unit that recurs each year: alone, with a year, or with this, last, next."""
        match = re.fullmatch(
            rf"(?:(?P<is>{_IS}) )?(?P<name>{names})\.?(?:(?:,| of|/|-|) ?(?P<year>\d{{4}})| (?:of )?(?P<which>{_IS}) year| of the year)?",
            said,
        )
        if match is None or (match["is"] and (match["year"] or match["which"])):
            return None
        name = match["name"]
        if match["which"]:
            return span_of(self.reference.year + WHICH[match["which"]], name)
        if match["is"] is None:
            return span_of(self._year(match["year"]), name)
        first, last = self.reference.bounds(said)
        year = self.reference.year
        spans = [span_of(near, name) for near in range(year - 2, year + 3)]
        running = [one for one in spans if one.first <= first and last <= one.last]
        return self._chosen(spans, WHICH[match["is"]], said, running[0] if running else spans[2])

    def _chosen(self, spans: list[DaySpan], which: int, said: str, this: DaySpan) -> DaySpan:
        first, last = self.reference.bounds(said)
        day = self.reference.text[:10]
        match which:
            case 0:
                self.rule = f"the one of the week or year of {day}"
                return this
            case 1:
                self.rule = f"the first that begins after {day}"
                return first_after(iter(spans), last)
            case _:
                self.rule = f"the latest that ended before {day}"
                return latest_before(iter(spans), first)

    def _year(self, text: str | None) -> int:
        if text:
            return int(text)
        year = self.reference.year
        self.rule = f"of the year of {self.reference.text[:10]}"
        return year

    def _day(self, year: int, month: int, day: int, said: str) -> DaySpan:
        if not 1 <= day <= days_in_month(year, month):
            raise Refused(f'"{said}" is no day of the calendar')
        return day_span(epoch_day(year, month, day))
