"""Dates as people say them → EDTF, seen from a reference: "next Tuesday", "end of Q3", "March 5", and all EDTF.

Pure: the reference is the observation's ``happened_at``, or today where a person types. The result is as precise as what
was said, and every rule that was applied is named. What has two readings is refused, with both. The rules:

- A name that recurs (a weekday, a month, a quarter, a season) is, with **next**, the first that begins after the
  reference's day; with **last**, the latest that ended before it; never the reference's own. So "next Tuesday" is
  tomorrow on a Monday, and a week ahead on a Tuesday. The other reading is said as "Tuesday next week".
- With **this** it is the one in the reference's week or year (of seasons, the one that is running).
- Without any of them a weekday is refused; a month, quarter or season is that of the reference's year.
- **week**, **month**, **quarter**, **year** with this, last, next are the calendar's: the one of the reference, before, after.
- "3 weeks ago" is as precise as its unit: that whole week. "In 3 days" is a day.
- **Early**, **mid**, **late** are thirds; the **beginning** and **end** of a year are its first and last month, those of
  anything else its first and last third.
- Weeks begin on Monday; seasons are the three-month ones of the northern hemisphere, a winter of the year in which it begins.
- Numbers that may mean two days are refused with both; so are two-digit years and dates without a year.
- A time of day needs its offset, as everywhere.
"""

import re
from dataclasses import dataclass

from kb.model.time import Date, Interval, civil, days_in_month
from kb.syntax.edtf import TimeFault, parse_date, parse_interval
from kb.syntax.said_spans import ACCEPTED, Refused, SpanReader

_LONGEST = 80


@dataclass(frozen=True, slots=True)
class SaidTime:
    """What was said, as an interval, and the rule by which it was read; "" where it was EDTF already."""

    interval: Interval
    rule: str = ""


def read_said_time(text: str, reference: Date | None) -> SaidTime | TimeFault:
    """Read a time as EDTF or as people say it; ``reference`` is ``None`` where the source has no time.

    The day of a reference with an offset is the one that it writes, not that of UTC.
    """
    plain = parse_interval(text)
    if isinstance(plain, Interval):
        return SaidTime(plain)
    if len(text) > _LONGEST:
        return TimeFault(0, len(text), "not a date", ACCEPTED)
    try:
        said, rule = _Reader(reference).read(text, plain)
    except Refused as refused:
        return TimeFault(0, len(text), refused.message, refused.hint)
    interval = parse_interval(said)
    if isinstance(interval, TimeFault):
        return TimeFault(0, len(text), f"that would be {said}: {interval.message}", ACCEPTED)
    return SaidTime(interval, rule)


def reference_of(now: int) -> Date:
    """Give today (UTC) as a reference, where a person types and no source is cited."""
    day = parse_date(civil(now))
    assert isinstance(day, Date), "a clock shows a day of the calendar"
    return day


class _Reader:
    """Reads one text from one reference; each method gives what it reads or ``None``."""

    def __init__(self, reference: Date | None) -> None:
        self.spans = SpanReader(reference)

    def read(self, text: str, plain: TimeFault) -> tuple[str, str]:
        said = " ".join(text.lower().replace("’", "'").split()).rstrip(".,")
        said = re.sub(
            r"\A(?:on|during|at|in the|in(?! (?:\w+) (?:day|week|fortnight|month|quarter|year)s?\b))\s+",
            "",
            said,
        )
        numeric = self._numeric(said)
        if numeric:
            return numeric, self.spans.rule
        if re.fullmatch(r"[\d\s:.,+/?~%txz–—-]*", said):
            raise Refused(plain.message, plain.hint)
        return self._range(said) or self._moment(said) or self.spans.span(
            said
        ).text(), self.spans.rule

    # -- numbers -----------------------------------------------------------------------------------

    def _numeric(self, said: str) -> str:
        """Read a date in numbers if it has one reading; refuse it, with all readings, if it has more."""
        if match := re.fullmatch(r"(\d{4})([./])(\d{1,2})\2(\d{1,2})", said):
            return self._days([(int(match[1]), int(match[3]), int(match[4]))], said)
        match = re.fullmatch(
            r"(\d{1,2})([./-])(\d{1,2})(?:\2(\d{4}|\d{2}))?", said.removesuffix(".")
        )
        if match is None:
            return ""
        one, other, year = int(match[1]), int(match[3]), match[4] or ""
        if len(year) == 4:
            return self._days([(int(year), other, one), (int(year), one, other)], said)
        full = 2000 + int(year) if year else self.spans.reference.year
        pairs = [(full, other, one), (full, one, other)]
        if year and match[2] != ".":
            pairs.append((2000 + one, other, int(year)))
        readings = _calendar_days(pairs)
        why = "the year has two digits" if year else "there is no year"
        raise Refused(
            f'"{said}" is ambiguous ({why}): it may mean {" or ".join(readings)}'
            if readings
            else f'"{said}" is no date',
            f"write {' or '.join(readings)}" if readings else ACCEPTED,
        )

    def _days(self, pairs: list[tuple[int, int, int]], said: str) -> str:
        readings = _calendar_days(pairs)
        if not readings:
            raise Refused(f'"{said}" is no day of the calendar')
        if len(readings) > 1:
            both = " or ".join(readings)
            raise Refused(f'"{said}" is ambiguous: it may mean {both}', f"write {both}")
        self.spans.rule = "the only day that the numbers can mean"
        return readings[0]

    # -- ranges and moments ------------------------------------------------------------------------

    def _range(self, said: str) -> str:
        if match := re.fullmatch(r"since (.+)|from (.+?) on(?:wards?)?", said):
            return f"{self._side(match[1] or match[2], 0)}/.."
        if match := re.fullmatch(r"(?:until|till) (.+)", said):
            return f"/{self._side(match[1], 1)}"
        match = re.fullmatch(
            r"from (.+) (?:to|until|till|through) (.+)|between (.+) and (.+)", said
        )
        match = match or re.fullmatch(r"(.+) (?:to|through|–|—) (.+)", said)
        if match is None:
            return ""
        left, right = (part for part in match.groups() if part is not None)
        return f"{self._side(left, 0)}/{self._side(right, 1)}"

    def _side(self, said: str, which: int) -> str:
        plain = parse_date(said.upper())
        if isinstance(plain, Date):
            return plain.text
        text = self._numeric(said) or self._moment(said) or self.spans.span(said).text()
        return text.split("/")[which if "/" in text else 0]

    def _moment(self, said: str) -> str:
        if said in ("now", "right now"):
            reference = self.spans.reference
            self.spans.rule = f"the source's own time, {reference.text}"
            return reference.text
        match = re.fullmatch(
            r"(.+?),?(?: at)? (\d{1,2}):(\d{2})(?::(\d{2}))? ?(z|utc|[+-]\d{2}:\d{2})?", said
        )
        if match is None:
            if re.search(r"\b\d{1,2}(?::\d{2})? ?(?:[ap]\.?m\b|o'clock)", said):
                raise Refused(
                    "a time of day is written with 24 hours and its offset",
                    'write such as "tomorrow 14:00+02:00", or the day alone',
                )
            return ""
        span = self.spans.span(match[1])
        if span.first != span.last:
            raise Refused(f'"{match[1]}" is more than a day, and has no time of day')
        if not match[5]:
            raise Refused(
                "a time of day needs its offset",
                f'write "{match[1]} {int(match[2]):02}:{match[3]}+02:00", say, or {span.text()} alone',
            )
        offset = "Z" if match[5] in ("z", "utc") else match[5]
        seconds = f":{match[4]}" if match[4] else ""
        return f"{span.text()}T{int(match[2]):02}:{match[3]}{seconds}{offset}"


def _calendar_days(dates: list[tuple[int, int, int]]) -> list[str]:
    """Write those of some dates that the calendar has, each once."""
    texts: dict[str, None] = {}
    for year, month, day in dates:
        if 1 <= year <= 9999 and 1 <= month <= 12 and 1 <= day <= days_in_month(year, month):
            texts[f"{year:04}-{month:02}-{day:02}"] = None
    return list(texts)
