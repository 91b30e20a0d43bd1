"""When a statement holds: dates, intervals, and the one rule that decides.

Integers only: whole seconds since 1970-01-01T00:00Z in the proleptic Gregorian calendar.
Never reads a clock (`now` is an argument), never parses text (`kb.syntax.edtf` does) and
never imports `datetime`.
"""

import enum
from typing import NamedTuple

DAY = 86_400

#: Stands for an unbounded side in comparisons; far beyond any date that can be written.
_FAR = 1 << 62


class TimeSpan(NamedTuple):
    """A half-open span of seconds, `start` in and `end` out; None is unbounded on that side.

    A span whose end is not after its start is empty, and overlaps nothing.
    """

    start: int | None
    end: int | None

    def overlaps(self, other: "TimeSpan") -> bool:
        """Tell whether the two share at least one second."""
        return max(_low(self.start), _low(other.start)) < min(_high(self.end), _high(other.end))


_ALWAYS = TimeSpan(None, None)
_NEVER = TimeSpan(0, 0)


class Date(NamedTuple):
    """One EDTF date or date-time, and the unit that it covers."""

    text: str  #: as written
    first: int  #: the first second of the unit
    after: int  #: the first second after it; a date-time covers one second

    @property
    def span(self) -> TimeSpan:
        return TimeSpan(self.first, self.after)

    @property
    def day(self) -> str:
        """The UTC day on which the unit starts, as yyyy-mm-dd."""
        return civil(self.first)


class Bound(enum.Enum):
    """A side of an interval without a date; the value is how it is written."""

    OPEN = ".."
    UNKNOWN = ""


class Interval(NamedTuple):
    """The time of a statement; an undated statement has None in its place.

    In an event (a single date was written) both sides are that date; in `ended` both are unknown.
    """

    text: str  #: as written
    start: Date | Bound
    end: Date | Bound
    is_event: bool

    @property
    def start_text(self) -> str:
        """The start as written, which is part of a statement's digest; "" for `ended`."""
        if self.start is Bound.UNKNOWN:
            return ""
        return self.text.partition("/")[0]


class Holds(enum.Enum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


def holds_at(
    interval: Interval | None, at: TimeSpan, now: int, witnessed: TimeSpan | None = None
) -> Holds:
    """Decide whether a statement with this time holds at some moment of `at`.

    `witnessed` spans the earliest to the latest `happened_at` that the statement cites, their
    units included; only an undated statement falls back on it. Every query decides through
    this function (FORMAT.md, "Time").
    """
    if interval is None:
        certain, possible = witnessed or _NEVER, _ALWAYS
    else:
        certain, possible = _certain_and_possible(interval, now)
    if certain.overlaps(at):
        return Holds.YES
    return Holds.UNKNOWN if possible.overlaps(at) else Holds.NO


def _certain_and_possible(interval: Interval, now: int) -> tuple[TimeSpan, TimeSpan]:
    """Give the span in which it surely holds, and the one outside which it surely does not.

    An unknown end means "over": whatever is certain of such an interval stops at `now`.
    """
    match interval.start, interval.end:
        case Date() as start, Bound.UNKNOWN:
            over = min(start.after, now)
            return TimeSpan(start.first, over), TimeSpan(start.first, now)
        case _, Bound.UNKNOWN:
            return _NEVER, TimeSpan(None, now)
        case Bound.UNKNOWN, Date() as end:
            return end.span, TimeSpan(None, end.after)
        case Bound.UNKNOWN, Bound.OPEN:
            return TimeSpan(now, None), _ALWAYS
    whole = _widest(interval)
    return whole, whole


def is_ended(interval: Interval | None, now: int) -> bool:
    """Tell whether it is known not to hold at `now`, be that past or still to come.

    An event never ends (it stays on the record), nor does what is undated.
    """
    if interval is None or interval.is_event:
        return False
    # What `holds_at` says of this moment (tested to agree), without its spans: it is asked of
    # every statement that a search over the graph passes.
    start, end = interval.start, interval.end
    if isinstance(start, Date) and now < start.first:
        return True
    return end.after <= now if isinstance(end, Date) else end is Bound.UNKNOWN


def covered(interval: Interval | None) -> TimeSpan | None:
    """Give the widest span that it may cover, whatever the time now; None if undated."""
    return None if interval is None else _widest(interval)


def _widest(interval: Interval) -> TimeSpan:
    start, end = interval.start, interval.end
    return TimeSpan(
        start.first if isinstance(start, Date) else None,
        end.after if isinstance(end, Date) else None,
    )


def overlaps_window(
    interval: Interval | None,
    since: Date | None,
    until: Date | None,
    witnessed: TimeSpan | None = None,
) -> bool:
    """Tell whether a `since`/`until` filter keeps it: both ends of the window count whole.

    An undated one is judged by its witnesses and left out without any. No filter keeps all.
    """
    if since is None and until is None:
        return True
    span = covered(interval) or witnessed
    window = TimeSpan(since.first if since else None, until.after if until else None)
    return span is not None and span.overlaps(window)


def clash(a: Interval | None, b: Interval | None) -> bool:
    """Tell whether two times overlap in more than a boundary unit, so that values contend.

    `2015/2018` and `2018/..` follow one another; equal times clash, and what is undated clashes
    with everything. An unknown side counts as unbounded, as in `covered`.
    """
    if a is None or b is None:
        return True
    first, second = _widest(a), _widest(b)
    if not first.overlaps(second):
        return False
    return first == second or not (_leads_into(a, b) or _leads_into(b, a))


def _leads_into(earlier: Interval, later: Interval) -> bool:
    """Tell whether their overlap lies within one's end unit or the other's start unit."""
    one, two = _widest(earlier), _widest(later)
    if _low(one.start) > _low(two.start) or _high(one.end) > _high(two.end):
        return False
    in_end_unit = isinstance(earlier.end, Date) and earlier.end.first <= _low(two.start)
    in_start_unit = isinstance(later.start, Date) and _high(one.end) <= later.start.after
    return in_end_unit or in_start_unit


def sort_key(interval: Interval | None) -> tuple[int, int, int]:
    """Key for most recent first: sort ascending by it (no `reverse`).

    The latest start comes first; among equal starts an open end, then the latest end, an
    unknown end counting as no later than the start's unit. Those without a date for their start
    follow, ordered by their end in the same way (`ended` is the last of them), then the undated.
    """
    if interval is None:
        return 2, 0, 0
    start, end = interval.start, interval.end
    if isinstance(end, Date):
        after = end.after
    elif end is Bound.OPEN:
        after = _FAR
    else:
        after = start.after if isinstance(start, Date) else -_FAR
    if isinstance(start, Date):
        return 0, -start.first, -after
    return 1, 0, -after


def render_time(interval: Interval | None) -> str:
    """Say it for a reader, dates as written: `2015-12 → now`, `undated → 2021`, `undated`."""
    if interval is None:
        return "undated"
    match interval.start, interval.end:
        case Date() as date, _ if interval.is_event:
            return date.text
        case Bound.UNKNOWN, Bound.UNKNOWN:
            return "ended, date unknown"
        case Bound.OPEN, Bound.OPEN:
            return "always"
    return f"{_render_start(interval.start)} → {_render_end(interval.end)}"


def _render_start(start: Date | Bound) -> str:
    if isinstance(start, Date):
        return start.text
    return "always" if start is Bound.OPEN else "undated"


def _render_end(end: Date | Bound) -> str:
    if isinstance(end, Date):
        return end.text
    return "now" if end is Bound.OPEN else "ended, date unknown"


def civil(seconds: int) -> str:
    """Give the UTC day of a moment as yyyy-mm-dd."""
    year, month, day = civil_date(seconds // DAY)
    return f"{year:04}-{month:02}-{day:02}"


def moment(seconds: int) -> str:
    """Give a moment as an EDTF date-time in UTC."""
    hour, rest = divmod(seconds % DAY, 3600)
    return f"{civil(seconds)}T{hour:02}:{rest // 60:02}:{rest % 60:02}Z"


def epoch_day(year: int, month: int, day: int) -> int:
    """Count the days from 1970-01-01 to a date of the proleptic Gregorian calendar."""
    # The year is taken to start in March, so that the leap day is its last.
    if month <= 2:
        year -= 1
    day_of_year = (153 * ((month - 3) % 12) + 2) // 5 + day - 1
    return 365 * year + year // 4 - year // 100 + year // 400 + day_of_year - 719_468


def civil_date(days: int) -> tuple[int, int, int]:
    """Give year, month and day; the inverse of `epoch_day`."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    leap_days = day_of_era // 1_460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leap_days) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * from_march + 2) // 5 + 1
    month = from_march + 3 if from_march < 10 else from_march - 9
    return era * 400 + year_of_era + (month <= 2), month, day


def days_in_month(year: int, month: int) -> int:
    if month == 2:
        is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        return 29 if is_leap else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _low(start: int | None) -> int:
    return -_FAR if start is None else start


def _high(end: int | None) -> int:
    return _FAR if end is None else end
