"""Rules of time: what holds when, what has ended, what clashes, in which order and words."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.model.time import (
    DAY,
    Bound,
    Date,
    Holds,
    Interval,
    TimeSpan,
    civil,
    civil_date,
    clash,
    covered,
    days_in_month,
    epoch_day,
    holds_at,
    is_ended,
    overlaps_window,
    render_time,
    sort_key,
)
from kb.syntax.edtf import parse_at, parse_date, parse_interval

YES, NO, UNKNOWN = Holds.YES, Holds.NO, Holds.UNKNOWN


def date(text: str) -> Date:
    read = parse_date(text)
    assert isinstance(read, Date)
    return read


def time(text: str | None) -> Interval | None:
    """Read an interval; None stands for an undated statement."""
    if text is None:
        return None
    read = parse_interval(text)
    assert isinstance(read, Interval)
    return read


def span(text: str, now: int = 0) -> TimeSpan:
    read = parse_at(text, now)
    assert isinstance(read, TimeSpan)
    return read


NOW = date("2024-06-15T12:00Z").first


# Rows of FORMAT.md, "Time", at moments and units before, in, after, now and to come.
@pytest.mark.parametrize(
    "text, expected",
    [
        ("2015-12", {"2015-11": NO, "2015-12": YES, "2015-12-31": YES, "2016-01": NO, "now": NO}),
        ("2015-12", {"2015": YES, "2014/2016": YES, "2015-12-31T23:59:59Z": YES}),
        ("2015-12/..", {"2015-11-30": NO, "2015-12-01": YES, "now": YES, "2090": YES}),
        ("2030/..", {"now": NO, "2030": YES, "2029-12-31": NO}),
        ("2015/2018", {"2014": NO, "2015": YES, "2018-12-31": YES, "2019": NO, "now": NO}),
        ("2015/2030", {"now": YES, "2030-12-31": YES, "2031": NO}),
        ("2015/", {"2014": NO, "2015-12-31": YES, "2016": UNKNOWN, "now": NO, "2030": NO}),
        ("2015/", {"2015/2030": YES, "2016/2030": UNKNOWN, "2024-06-15T11:59:59Z": UNKNOWN}),
        ("2024/", {"2024-06-14": YES, "2024-06-16": NO, "now": NO, "2023": NO}),
        ("2030/", {"now": NO, "2030": NO}),
        ("/2021", {"1900": UNKNOWN, "2020-12-31": UNKNOWN, "2021": YES, "2022": NO, "now": NO}),
        ("../2021", {"0001": YES, "2021-12-31": YES, "2022": NO, "now": NO}),
        ("/..", {"1900": UNKNOWN, "2024-06-15T11:59:59Z": UNKNOWN, "now": YES, "2030": YES}),
        ("../..", {"0001": YES, "now": YES, "9999": YES}),
        ("ended", {"1900": UNKNOWN, "2024-06-14": UNKNOWN, "now": NO, "2030": NO}),
        (
            "2025-10-23T14:00+02:00",
            {"2025-10-23T12:00Z": YES, "2025-10-23T12:00:01Z": NO, "2025-10-23": YES, "2025": YES},
        ),
        (None, {"1900": UNKNOWN, "now": UNKNOWN, "2030": UNKNOWN}),
    ],
)
def test_holds_at(text: str | None, expected: dict[str, Holds]) -> None:
    """Each form of time holds where FORMAT.md says."""
    got = {at: holds_at(time(text), span(at, NOW), NOW) for at in expected}
    assert got == expected


@pytest.mark.parametrize(
    "text, at, expected",
    [
        (None, "2019", UNKNOWN),
        (None, "2020", YES),
        (None, "2021-05", YES),
        (None, "2022-12-31", YES),
        (None, "2023", UNKNOWN),
        (None, "now", UNKNOWN),
        ("2015/", "2020", UNKNOWN),
        ("/..", "2020", UNKNOWN),
        ("2015", "2020", NO),
    ],
)
def test_witnesses(text: str | None, at: str, expected: Holds) -> None:
    """Only an undated statement holds from its earliest to its latest witness."""
    assert holds_at(time(text), span(at, NOW), NOW, witnessed=span("2020/2022")) is expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("2015", False),
        ("2030", False),
        (None, False),
        ("2015/..", False),
        ("2024-06-15/..", False),
        ("2024-06-16/..", True),
        ("2015/2018", True),
        ("2015/2024", False),
        ("2015/2024-06-14", True),
        ("2015/2030", False),
        ("2030/2031", True),
        ("2015/", True),
        ("2024/", True),
        ("/2021", True),
        ("/2030", False),
        ("../2021", True),
        ("/..", False),
        ("../..", False),
        ("ended", True),
        ("2015/2024-06-15T12:00Z", False),
        ("2015/2024-06-15T11:59:59Z", True),
    ],
)
def test_is_ended(text: str | None, expected: bool) -> None:
    """Ended is: known not to hold now; events and undated statements never are."""
    assert is_ended(time(text), NOW) is expected


@pytest.mark.parametrize(
    "a, b, expected",
    [
        ("2015/2018", "2018/..", False),
        ("2015/2018", "2018-06/..", False),
        ("2015/2018", "2018-01-01/..", False),
        ("2015/2018", "2017-12/..", True),
        ("2015/2018-12-31", "2018/..", False),
        ("2015/2019-01-01", "2018/..", True),
        ("2015/2018-06", "2018/..", False),
        ("2015/2018-06", "2018-06/2020", False),
        ("2015/2018", "2019/..", False),
        ("2015/2018", "2017/..", True),
        ("2015/2018", "2017-12-31/..", True),
        ("2015/..", "2018/..", True),
        ("2015/2020", "2016/2018", True),
        ("2015/2020", "2018", True),
        ("2015/2018", "2018", False),
        ("2018", "2018/2020", False),
        ("2018", "2018", True),
        ("2018", "2018?", True),
        ("2018", "2018/2018", True),
        ("2018", "2018-06", True),
        ("2015/2018", "2015/2018", True),
        ("../2021", "2021/..", False),
        ("/2021", "2021/..", False),
        ("/2021", "2022/..", False),
        ("/2021", "2015/..", True),
        ("/..", "2015/..", True),
        ("/..", "/..", True),
        ("2015/", "2016/..", True),
        ("2015/", "2014/2015", False),
        ("ended", "2015", True),
        (None, "2015", True),
        (None, "2015/2018", True),
        (None, None, True),
    ],
)
def test_clash(a: str | None, b: str | None, expected: bool) -> None:
    """Times that share only a boundary unit follow one another, in either order of asking."""
    assert clash(time(a), time(b)) is expected
    assert clash(time(b), time(a)) is expected


@pytest.mark.parametrize(
    "text, since, until, expected",
    [
        ("2015", "2015", None, True),
        ("2015", "2016", None, False),
        ("2015", None, "2015-01", True),
        ("2015", None, "2014", False),
        ("2015/2018", "2018-12-31", "2020", True),
        ("2015/2018", "2019", "2020", False),
        ("2015/..", "2090", None, True),
        ("2015/..", None, "2014", False),
        ("/2021", None, "1900", True),
        ("2015", "2016", "2014", False),
        (None, "2015", None, False),
        (None, None, None, True),
        ("2015", None, None, True),
    ],
)
def test_window(text: str | None, since: str | None, until: str | None, expected: bool) -> None:
    """A window keeps what overlaps it, both of its ends counted whole."""
    bounds = (date(since) if since else None, date(until) if until else None)
    assert overlaps_window(time(text), *bounds) is expected


def test_window_falls_back_on_witnesses() -> None:
    """An undated statement lies in a window where its witnesses do; a dated one by its dates."""
    witnessed = span("2020/2022")
    assert overlaps_window(None, date("2022"), None, witnessed)
    assert not overlaps_window(None, date("2023"), None, witnessed)
    assert not overlaps_window(time("2015"), date("2022"), None, witnessed)


@pytest.mark.parametrize(
    "text, rendered",
    [
        ("2015-12/..", "2015-12 → now"),
        ("2015/2018", "2015 → 2018"),
        ("2015/2090", "2015 → 2090"),
        ("2015-12", "2015-12"),
        ("2015?", "2015?"),
        (None, "undated"),
        ("/2021", "undated → 2021"),
        ("/..", "undated → now"),
        ("ended", "ended, date unknown"),
        ("Ended", "ended, date unknown"),
        ("2015/", "2015 → ended, date unknown"),
        ("../2021", "always → 2021"),
        ("../..", "always"),
    ],
)
def test_render_time(text: str | None, rendered: str) -> None:
    """A time is shown in the words of QUERIES.md, its dates as written."""
    assert render_time(time(text)) == rendered


def test_most_recent_first() -> None:
    """Latest start first, then open and latest ends; unknown starts, then undated ones, last."""
    ordered = [
        "2020",
        "2018/..",
        "2018/2021",
        "2018/2019",
        "2018/",
        "2015-12",
        "2015/..",
        "/..",
        "/2022",
        "../2021",
        "ended",
        None,
    ]
    times = [time(text) for text in ordered]
    backwards = times[::-1]
    assert sorted(backwards, key=sort_key) == times


@pytest.mark.parametrize(
    "text, start",
    [
        ("2015-12", "2015-12"),
        ("2015?/2018", "2015?"),
        ("2015/", "2015"),
        ("/2021", ""),
        ("../2021", ".."),
        ("../..", ".."),
        ("ended", ""),
        ("2025-10-23T14:00+02:00/..", "2025-10-23T14:00+02:00"),
    ],
)
def test_start_text(text: str, start: str) -> None:
    """The start, as a statement's digest has it, is what was written before the slash."""
    interval = time(text)
    assert interval is not None
    assert interval.start_text == start


def test_day_of_a_date_is_utc() -> None:
    """The day of a moment is its day in UTC; of a longer date, its first."""
    assert date("2025-10-23T01:00+02:00").day == "2025-10-22"
    assert date("2015").day == "2015-01-01"
    assert date("2015").span == TimeSpan(date("2015").first, date("2015").after)


def test_covered() -> None:
    """A side without a date is unbounded, whatever the reason; undated covers nothing known."""
    assert covered(time("2015/2018")) == span("2015/2018")
    assert covered(time("2015/")) == TimeSpan(date("2015").first, None)
    assert covered(time("/2015")) == TimeSpan(None, date("2015").after)
    assert covered(time("ended")) == TimeSpan(None, None)
    assert covered(None) is None


def test_empty_spans_overlap_nothing() -> None:
    """A span without a second shares none, not even with all time."""
    assert not TimeSpan(5, 5).overlaps(TimeSpan(None, None))
    assert not TimeSpan(5, 3).overlaps(TimeSpan(0, 9))
    assert TimeSpan(5, 6).overlaps(TimeSpan(None, None))


# Laws, on a small time line where everything meets.

seconds = st.integers(0, 24)


@st.composite
def dates(draw: st.DrawFn) -> Date:
    first, after = sorted(draw(st.tuples(seconds, seconds)))
    return Date("d", first, after + 1)


@st.composite
def spans(draw: st.DrawFn) -> TimeSpan:
    start = draw(st.none() | seconds)
    end = draw(st.none() | st.integers((start or 0) + 1, 30))
    return TimeSpan(start, end)


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    if draw(st.booleans()):
        event = draw(dates())
        return Interval("d", event, event, is_event=True)
    sides = dates() | st.sampled_from(Bound)
    start, end = draw(sides), draw(sides)
    if isinstance(start, Date) and isinstance(end, Date) and start.first >= end.after:
        start, end = end, start
    return Interval("i", start, end, is_event=False)


def moments(at: TimeSpan) -> range:
    return range(at.start if at.start is not None else -5, at.end if at.end is not None else 40)


@given(st.none() | intervals(), spans(), seconds, st.none() | spans())
def test_a_span_is_the_best_of_its_moments(
    interval: Interval | None, at: TimeSpan, now: int, witnessed: TimeSpan | None
) -> None:
    """Over a span: yes if yes at one of its moments, else unknown if at one, else no."""
    each = {holds_at(interval, TimeSpan(t, t + 1), now, witnessed) for t in moments(at)}
    best = YES if YES in each else UNKNOWN if UNKNOWN in each else NO
    assert holds_at(interval, at, now, witnessed) is best


@given(intervals(), spans(), spans(), seconds)
def test_a_wider_span_holds_no_less(
    interval: Interval, inner: TimeSpan, outer: TimeSpan, now: int
) -> None:
    """Whatever holds at a span holds at each span that contains it."""
    rank = [NO, UNKNOWN, YES].index
    if set(moments(inner)) <= set(moments(outer)):
        assert rank(holds_at(interval, outer, now)) >= rank(holds_at(interval, inner, now))


@given(intervals(), spans(), seconds)
def test_nothing_holds_outside_what_is_covered(interval: Interval, at: TimeSpan, now: int) -> None:
    """The certain and the possible part lie within the widest span; dates alone leave no doubt."""
    widest = covered(interval)
    assert widest is not None
    holds = holds_at(interval, at, now)
    if not widest.overlaps(at):
        assert holds is NO
    elif Bound.UNKNOWN not in (interval.start, interval.end):
        assert holds is YES


@given(st.none() | intervals(), seconds)
def test_what_is_over_holds_at_no_later_moment(interval: Interval | None, now: int) -> None:
    """Ended is what does not hold now; an unknown end leaves no doubt from now on."""
    holds = holds_at(interval, TimeSpan(now, now + 1), now)
    may_end = interval is not None and not interval.is_event
    assert is_ended(interval, now) is (may_end and holds is NO)
    if interval is not None and interval.end is Bound.UNKNOWN:
        assert is_ended(interval, now)
        assert holds_at(interval, TimeSpan(now, None), now) is NO


@given(st.none() | intervals(), st.none() | intervals())
def test_clash_laws(a: Interval | None, b: Interval | None) -> None:
    """Clashing is symmetric, holds of any time with itself, and needs an overlap."""
    assert clash(a, a)
    assert clash(a, b) is clash(b, a)
    first, second = covered(a), covered(b)
    if first and second and not first.overlaps(second):
        assert not clash(a, b)


@given(spans(), spans())
def test_spans_are_sets_of_moments(a: TimeSpan, b: TimeSpan) -> None:
    """Spans overlap if they share a moment."""
    ours, theirs = set(moments(a)), set(moments(b))
    assert a.overlaps(b) is bool(ours & theirs)


# The calendar, against `datetime`.


@given(st.dates())
def test_calendar_agrees_with_datetime(day: datetime.date) -> None:
    """Days and dates are those of Python's calendar."""
    count = (day - datetime.date(1970, 1, 1)).days
    assert epoch_day(day.year, day.month, day.day) == count
    assert civil_date(count) == (day.year, day.month, day.day)
    assert civil(count * DAY + DAY - 1) == civil(count * DAY) == day.isoformat()


@given(st.integers(-5_000_000, 5_000_000))
def test_calendar_round_trip(count: int) -> None:
    """A date counts back to the days that it was made of, outside of Python's calendar too."""
    year, month, day = civil_date(count)
    assert epoch_day(year, month, day) == count
    assert 1 <= day <= days_in_month(year, month)
