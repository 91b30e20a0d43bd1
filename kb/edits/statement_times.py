"""Times as an edit's arguments give them → an interval or a date, and what a relative date was read as. Reads no clock."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from kb.errors import UsageError
from kb.model.time import Bound, Date, Interval
from kb.syntax.edtf import TimeFault, parse_interval
from kb.syntax.relative_dates import SaidTime, read_said_time, reference_of
from kb.syntax.said_spans import ACCEPTED

#: What to do about a date that stands and is wrong.
_SAY_ANEW = "mend the date; one that stands is corrected by saying it anew with --supersede ^ID"
#: What to write where one date is wanted.
_ONE_DATE = (
    'give one date: a day, a month or a year such as 2026-03-05, 2026-03 or 2026, or words for one, such as "yesterday",'
    ' "last Tuesday", "last month"'
)


class GivenTime(NamedTuple):
    """The time that the arguments give."""

    interval: Interval | None = None
    has_start: bool = False  #: a start was given, and is not only the open side of the other
    has_end: bool = False
    notes: tuple[str, ...] = ()


def read_time(
    since: str, valid_until: str, when: str, references: Iterable[Date | None]
) -> GivenTime:
    """Read ``--since``, ``--valid-until`` and ``--when``; relative dates count from the references, the sources' times."""
    if when and (since or valid_until):
        raise UsageError(
            "--when says the whole time, so it cannot stand beside --since or --valid-until",
            "write --when 2024/2025, or --since 2024 --valid-until 2025",
        )
    seen_from = tuple(references)
    notes: list[str] = []
    if when:
        interval = _read("--when", when, seen_from, notes)
        return GivenTime(interval, True, True, tuple(notes))
    start = read_start(since, seen_from, notes) if since else None
    end = read_end("--valid-until", valid_until, seen_from, notes) if valid_until else None
    if start is None and end is None:
        return GivenTime()
    if start is not None and end is not None:
        end_option, start_option = f"--valid-until {end.text}", f"--since {start.text}"
        _check_order(end_option, end, start_option, start, "exchange the two")
    text = f"{start.text if start else ''}/{end.text if end else '..'}"
    return GivenTime(make_interval(text), start is not None, end is not None, tuple(notes))


def _check_order(what: str, end: Date, other: str, start: Date, hint: str = _SAY_ANEW) -> None:
    """Refuse an end before its start."""
    if isinstance(parse_interval(f"{start.text}/{end.text}"), TimeFault):
        raise UsageError(f"{what} is before {other}", hint)


def read_start(text: str, references: Iterable[Date | None], notes: list[str]) -> Date:
    """Read the one date that something began: of a stretch, such as last week, its start."""
    interval = _read("--since", text, tuple(references), notes, "start")
    if isinstance(interval.start, Date):
        return interval.start
    raise UsageError(f'--since takes a date, and "{text}" has no start', _ONE_DATE)


def read_end(option: str, text: str, references: Iterable[Date | None], notes: list[str]) -> Date:
    """Read the one date that something ended: of a stretch, such as last week, its end."""
    interval = _read(option, text, tuple(references), notes, "end")
    if isinstance(interval.end, Date):
        return interval.end
    raise UsageError(f'{option} takes a date, and "{text}" has no end', _ONE_DATE)


def read_end_from_now(option: str, text: str, now: int, notes: list[str]) -> Date:
    """Read the date that something ended, as somebody says it today."""
    return read_end(option, text, (reference_of(now),), notes)


def read_happened_at(text: str, now: int, notes: list[str]) -> str:
    """Read when something was said or decided: EDTF, or as people say it, counted from today; empty where it is not given."""
    if not text:
        return ""
    said = _read_from("--happened-at", text, reference_of(now), _ONE_DATE)
    if not said.interval.is_event:
        what = "" if said.interval.text == text else f", but {said.interval.text}"
        raise UsageError(f'--happened-at "{text}" is no single date{what}', _ONE_DATE)
    if not _is_edtf(text):
        notes.append(_told("--happened-at", text, said))
    return said.interval.text


def _read(
    option: str,
    text: str,
    references: tuple[Date | None, ...],
    notes: list[str],
    side: Literal["", "start", "end"] = "",
) -> Interval:
    """Read a time from each reference; they must agree. Of a ``side`` one date is wanted: that end of a stretch in words."""
    readings = dict.fromkeys(_read_from(option, text, one) for one in references or (None,))
    said, *others = readings
    if others:
        texts = " or ".join(one.interval.text for one in (said, *others))
        raise UsageError(
            f'{option} "{text}" would be {texts}: the cited observations are of different days',
            "write the date itself",
        )
    if not _is_edtf(text):
        notes.append(_told(option, text, said, side))
    elif side and not said.interval.is_event:
        raise UsageError(f"{option} takes one date, not {text}", _ONE_DATE)
    return said.interval


def _is_edtf(text: str) -> bool:
    return isinstance(parse_interval(text), Interval)


def _told(option: str, text: str, said: SaidTime, side: Literal["", "start", "end"] = "") -> str:
    """Say what words were read as, and by which rule."""
    interval = said.interval
    date = getattr(interval, side) if side and not interval.is_event else None
    read = f"{date.text}, the {side} of {interval.text}" if date else interval.text
    return f'{option} "{text}" was read as {read}{": " if said.rule else ""}{said.rule}'


def _read_from(
    option: str, text: str, reference: Date | None, accepted: str = ACCEPTED
) -> SaidTime:
    """Read a time from one reference; ``accepted`` says what may be written, where that is less than any time."""
    said = read_said_time(text, reference)
    if isinstance(said, TimeFault):
        what = "" if f'"{text}"' in said.message else f' "{text}"'
        hint = accepted if said.hint == ACCEPTED else said.hint
        raise UsageError(f"{option}{what}: {said.message}", hint)
    return said


def make_interval(text: str) -> Interval:
    """Make an interval of dates that were read."""
    interval = parse_interval(text)
    if isinstance(interval, TimeFault):
        raise UsageError(f"{text} is no time: {interval.message}", interval.hint)
    return interval


def with_end(interval: Interval | None, end: Date) -> Interval:
    """End a time. What was an event lasted from it to the end."""
    if interval is not None and isinstance(interval.start, Date):
        start = interval.start
        _check_order(f"the end {end.text}", end, f"its start, {start.text}", start)
    return make_interval(f"{_start(interval)}/{end.text}")


def with_start(interval: Interval, start: Date) -> Interval:
    """Give a time whose start is not known its start."""
    if isinstance(interval.end, Date):
        end = interval.end
        _check_order(f"its end, {end.text},", end, f"the start {start.text}", start)
    return make_interval(f"{start.text}/{_end(interval)}")


def ended(interval: Interval | None) -> Interval:
    """End a time at a date that nobody knows."""
    if interval is not None and isinstance(interval.end, Date) and not interval.is_event:
        return interval
    start = _start(interval)
    return make_interval("ended" if start in ("", "..") else f"{start}/")


def _start(interval: Interval | None) -> str:
    if interval is None or interval.start is Bound.UNKNOWN:
        return ""
    return interval.start.text if isinstance(interval.start, Date) else interval.start.value


def _end(interval: Interval) -> str:
    return interval.end.text if isinstance(interval.end, Date) else interval.end.value
