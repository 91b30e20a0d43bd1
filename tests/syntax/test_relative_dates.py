"""Dates as people say them: each form, the rule for each, and what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.model.time import DAY, Date, Interval
from kb.syntax.day_spans import DaySpan, iso_week, week_of
from kb.syntax.edtf import TimeFault, parse_date, parse_interval
from kb.syntax.relative_dates import SaidTime, read_said_time, reference_of


def reference(text: str) -> Date:
    """Give a reference."""
    date = parse_date(text)
    assert isinstance(date, Date)
    return date


#: A Thursday.
THURSDAY = "2026-10-22T09:14:00+02:00"


def said(text: str, at: str = THURSDAY) -> str:
    """Read a text that must be one that can be read."""
    read = read_said_time(text, reference(at))
    assert isinstance(read, SaidTime), read
    return read.interval.text


def refused(text: str, at: str = THURSDAY) -> TimeFault:
    """Read a text that must be refused."""
    read = read_said_time(text, reference(at))
    assert isinstance(read, TimeFault), read.interval.text
    return read


@pytest.mark.parametrize(
    "text, edtf",
    [
        ("now", THURSDAY),
        ("today", "2026-10-22"),
        ("tonight", "2026-10-22"),
        ("this morning", "2026-10-22"),
        ("yesterday", "2026-10-21"),
        ("last night", "2026-10-21"),
        ("Tomorrow", "2026-10-23"),
        ("tomorrow morning", "2026-10-23"),
        ("the day before yesterday", "2026-10-20"),
        ("the day after tomorrow", "2026-10-24"),
        ("3 days ago", "2026-10-19"),
        ("in 3 days", "2026-10-25"),
        ("two weeks ago", "2026-10-05/2026-10-11"),
        ("a week from now", "2026-10-26/2026-11-01"),
        ("in a fortnight", "2026-11-02/2026-11-08"),
        ("in 3 months", "2027-01"),
        ("a year ago", "2025"),
        ("two quarters ago", "2026-04/2026-06"),
        ("this week", "2026-10-19/2026-10-25"),
        ("last week", "2026-10-12/2026-10-18"),
        ("next month", "2026-11"),
        ("last month", "2026-09"),
        ("this quarter", "2026-10/2026-12"),
        ("next quarter", "2027-01/2027-03"),
        ("last year", "2025"),
        ("the week after next", "2026-11-02/2026-11-08"),
        ("the month before last", "2026-08"),
        ("this weekend", "2026-10-24/2026-10-25"),
        ("last weekend", "2026-10-17/2026-10-18"),
    ],
)
def test_what_is_counted_from_the_reference(text: str, edtf: str) -> None:
    """A unit counted from the reference is that whole unit, no more precise than it was said."""
    assert said(text) == edtf


@pytest.mark.parametrize(
    "at, next_one, last_one, this_one",
    [
        ("2026-10-19", "2026-10-20", "2026-10-13", "2026-10-20"),  # Monday
        ("2026-10-20", "2026-10-27", "2026-10-13", "2026-10-20"),  # Tuesday
        ("2026-10-21", "2026-10-27", "2026-10-20", "2026-10-20"),  # Wednesday
        ("2026-10-25", "2026-10-27", "2026-10-20", "2026-10-20"),  # Sunday
    ],
)
def test_weekdays(at: str, next_one: str, last_one: str, this_one: str) -> None:
    """Next Tuesday is the first after the day, last Tuesday the latest before it, this Tuesday that of the week."""
    assert said("next Tuesday", at) == next_one
    assert said("last Tues", at) == last_one
    assert said("on this tuesday", at) == this_one
    assert said("Tuesday next week", at) == said("next week's Tuesday", at) == "2026-10-27"


@pytest.mark.parametrize(
    "text, edtf",
    [
        ("Q3", "2026-07/2026-09"),
        ("Q3 2025", "2025-07/2025-09"),
        ("2025-Q3", "2025-07/2025-09"),
        ("the third quarter of 2025", "2025-07/2025-09"),
        ("last Q4", "2025-10/2025-12"),
        ("next Q4", "2027-10/2027-12"),
        ("this Q4", "2026-10/2026-12"),
        ("H1", "2026-01/2026-06"),
        ("the first half of 2025", "2025-01/2025-06"),
        ("March", "2026-03"),
        ("in March", "2026-03"),
        ("last March", "2026-03"),
        ("last October", "2025-10"),
        ("next October", "2027-10"),
        ("Sept. 2025", "2025-09"),
        ("March last year", "2025-03"),
        ("spring 2026", "2026-03/2026-05"),
        ("last spring", "2026-03/2026-05"),
        ("last fall", "2025-09/2025-11"),
        ("this autumn", "2026-09/2026-11"),
        ("next winter", "2026-12/2027-02"),
        ("winter 2025/26", "2025-12/2026-02"),
        ("winter 2025", "2025-12/2026-02"),
        ("week 12", "2026-03-16/2026-03-22"),
        ("2026-W53", "2026-12-28/2027-01-03"),
        ("March 5", "2026-03-05"),
        ("5 March", "2026-03-05"),
        ("the 5th of March, 2025", "2025-03-05"),
        ("March 5th, 2025", "2025-03-05"),
        ("5 March 2026", "2026-03-05"),
        ("Friday, October 23", "2026-10-23"),
        ("the 5th", "2026-10-05"),
        ("the 2020s", "2020/2029"),
        ("29 February 2024", "2024-02-29"),
    ],
)
def test_names_that_recur(text: str, edtf: str) -> None:
    """A month, quarter or season is the reference's year's, the last that is over or the next to begin."""
    assert said(text) == edtf


@pytest.mark.parametrize(
    "at, this_one, last_one",
    [
        ("2026-01-15", "2025-12/2026-02", "2024-12/2025-02"),
        ("2026-04", "2026-12/2027-02", "2025-12/2026-02"),
    ],
)
def test_a_winter_that_is_running(at: str, this_one: str, last_one: str) -> None:
    """This winter, said in January, is the one that began in the year before; it is not last winter."""
    assert said("this winter", at) == this_one
    assert said("last winter", at) == last_one


@pytest.mark.parametrize(
    "text, edtf",
    [
        ("end of Q3", "2026-09"),
        ("the end of next quarter", "2027-03"),
        ("end of the year", "2026-12"),
        ("beginning of 2026", "2026-01"),
        ("early 2026", "2026-01/2026-04"),
        ("mid-2026", "2026-05/2026-08"),
        ("late 2026", "2026-09/2026-12"),
        ("mid March", "2026-03-11/2026-03-20"),
        ("early March", "2026-03-01/2026-03-10"),
        ("end of February", "2026-02-21/2026-02-28"),
        ("in late summer", "2026-08"),
        ("early next week", "2026-10-26/2026-10-27"),
        ("middle of this week", "2026-10-21/2026-10-22"),
        ("end of the week", "2026-10-23/2026-10-25"),
        ("end of next month", "2026-11-21/2026-11-30"),
    ],
)
def test_parts(text: str, edtf: str) -> None:
    """Early, mid and late are thirds; a year begins and ends with a month."""
    assert said(text) == edtf


@pytest.mark.parametrize(
    "text, edtf",
    [
        ("since March", "2026-03/.."),
        ("from tomorrow on", "2026-10-23/.."),
        ("until the end of the year", "/2026-12"),
        ("from Q1 to Q2", "2026-01/2026-06"),
        ("between 2020 and last year", "2020/2025"),
        ("yesterday to tomorrow", "2026-10-21/2026-10-23"),
        ("tomorrow at 14:00+02:00", "2026-10-23T14:00+02:00"),
        ("next Tuesday, 9:30 Z", "2026-10-27T09:30Z"),
        ("in the last week", "2026-10-12/2026-10-18"),
    ],
)
def test_ranges_and_moments(text: str, edtf: str) -> None:
    """Two times make an interval; a day and a time with its offset make a moment."""
    assert said(text) == edtf


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-05",
        "2026-03",
        "2015-12/..",
        "/..",
        "ended",
        "201X",
        "2025-10-23T14:00+02:00",
        "2026?",
    ],
)
def test_edtf_stays_as_it_is(text: str) -> None:
    """What is EDTF is read as it is everywhere, and needs no reference."""
    read = read_said_time(text, None)
    assert isinstance(read, SaidTime)
    assert (read.interval.text, read.rule) == (text, "")


@pytest.mark.parametrize(
    "text, readings",
    [
        ("03/04/2026", ["2026-04-03", "2026-03-04"]),
        ("3.4.2026", ["2026-04-03", "2026-03-04"]),
        ("3-4-2026", ["2026-04-03", "2026-03-04"]),
        ("3.4.26", ["2026-04-03", "2026-03-04"]),
        ("03/04/05", ["2005-04-03", "2005-03-04", "2003-04-05"]),
        ("3/4", ["2026-04-03", "2026-03-04"]),
        ("13.4.26", ["2026-04-13"]),
        ("since 03/04/2026", ["2026-04-03", "2026-03-04"]),
    ],
)
def test_ambiguous_numbers_are_refused_with_all_readings(text: str, readings: list[str]) -> None:
    """Numbers that may mean several days are refused, and the fault names each."""
    fault = refused(text)
    assert "ambiguous" in fault.message
    assert " or ".join(readings) in fault.message
    assert fault.hint == f"write {' or '.join(readings)}"


@pytest.mark.parametrize(
    "text, day",
    [
        ("13/04/2026", "2026-04-13"),
        ("04/13/2026", "2026-04-13"),
        ("03.03.2026", "2026-03-03"),
        ("2026/3/4", "2026-03-04"),
    ],
)
def test_numbers_with_one_reading_are_read(text: str, day: str) -> None:
    """Where only one day of the calendar fits, there is nothing to guess."""
    assert said(text) == day


@pytest.mark.parametrize(
    "text, message, hint",
    [
        ("Tuesday", "may be the last one or the next", 'write "last tuesday"'),
        ("nonsense", '"nonsense" is no date that can be read', '"next Tuesday"'),
        ("soon", "too vague", "as roughly as it is known"),
        ("a few weeks ago", "too vague", "as roughly as it is known"),
        ("by Friday", "bounds a time and names none", '"until next friday"'),
        ("tomorrow at 14:00", "a time of day needs its offset", '"tomorrow 14:00+02:00"'),
        ("tomorrow at 2pm", "24 hours", "14:00+02:00"),
        ("next week 14:00Z", "is more than a day", ""),
        ("30 February", "is no day of the calendar", ""),
        ("29 February 2026", "is no day of the calendar", ""),
        ("31.4.2026", "is no day of the calendar", ""),
        ("Friday, October 24", "2026-10-24 is a Saturday", "the right weekday"),
        ("2025-W53", "2025 has no such week", ""),
        ("winter 2025/27", "is no winter", "winter 2025/26"),
        ("99999 years ago", "outside the years", ""),
        ("from tomorrow to yesterday", "reversed", ""),
        ("mid tomorrow", "no unit with a beginning", ""),
        ("2026-13", "13", ""),
        ("", "empty", ""),
        ("x" * 1000, "not a date", "yesterday"),
    ],
)
def test_what_is_refused_says_why_and_what_to_write(text: str, message: str, hint: str) -> None:
    """What is vague, impossible or no date is refused with a reason and a remedy."""
    fault = refused(text)
    assert message in fault.message
    assert hint in fault.hint
    assert fault.hint


@pytest.mark.parametrize(
    "text, at, message",
    [
        ("tomorrow", "2026-10", '"tomorrow" needs a day to count from'),
        ("next Tuesday", "2026", "needs a"),
        ("two weeks ago", "2026-10", "needs a day"),
        ("next month", "2026", '"next month" needs a month'),
        ("last spring", "2026", "needs a month"),
        ("Q3", "20XX", "too vague"),
    ],
)
def test_a_reference_must_be_as_precise_as_what_is_said(text: str, at: str, message: str) -> None:
    """Nothing is counted from a day that the source does not give."""
    assert message in refused(text, at).message


def test_a_vague_reference_serves_what_it_can() -> None:
    """A source of some month can say last month, and one of some year last year."""
    assert said("last month", "2026-10") == "2026-09"
    assert said("last spring", "2026-10?") == "2026-03/2026-05"
    assert said("last year", "2026~") == "2025"


def test_without_a_reference_only_what_is_whole_is_read() -> None:
    """Without a reference a whole date in words is read, and a relative one refused with a remedy."""
    read = read_said_time("5 March 2026", None)
    assert isinstance(read, SaidTime)
    fault = read_said_time("tomorrow", None)
    assert isinstance(fault, TimeFault)
    assert "no time to count from" in fault.message


def test_the_day_is_the_one_that_the_source_writes() -> None:
    """Late in the evening, today is the day of the source's own clock, not of UTC."""
    assert said("today", "2026-10-22T23:30:00-05:00") == "2026-10-22"
    assert said("tomorrow", "2026-10-22T00:30:00+09:00") == "2026-10-23"


def test_each_rule_is_named() -> None:
    """The rule that was applied comes with the result, so that it can be shown."""
    read = read_said_time("next Tuesday", reference(THURSDAY))
    assert isinstance(read, SaidTime)
    assert read.rule == "the first that begins after 2026-10-22"


def test_today_as_a_reference() -> None:
    """Where a person types, today is the reference."""
    assert reference_of(20_000 * DAY + 5).text == "2024-10-04"


_WORDS = st.sampled_from(
    [
        "next",
        "last",
        "this",
        "end",
        "of",
        "the",
        "Q3",
        "mid",
        "early",
        "spring",
        "winter",
        "tuesday",
        "march",
        "week",
        "month",
        "year",
        "5",
        "5th",
        "2026",
        "2026-03",
        "since",
        "until",
        "from",
        "to",
        "in",
        "ago",
        "days",
        "two",
        "yesterday",
        "14:00",
        "+02:00",
        "3/4",
        ",",
        "-",
        "03/04/2026",
        "week's",
        "9999",
        "0000",
        "half",
        "first",
        "weekend",
        "between",
        "and",
        "now",
    ]
)


@settings(max_examples=600, deadline=None)
@given(
    st.one_of(st.text(max_size=30), st.lists(_WORDS, max_size=7).map(" ".join)),
    st.sampled_from(
        ["2026-10-22", "0001-01-01", "9999-12-31", "2024-02", "2026", "XXXX", THURSDAY]
    ),
)
def test_any_text_is_read_or_refused(text: str, at: str) -> None:
    """Whatever the text, the result is an interval that reads back, or a fault with a remedy."""
    date = parse_date(at)
    read = read_said_time(text, date if isinstance(date, Date) else None)
    if isinstance(read, SaidTime):
        assert parse_interval(read.interval.text) == read.interval
    else:
        assert read.message
        assert read.hint


@given(st.integers(-700_000, 2_900_000), st.integers(0, 400))
def test_spans_of_days_write_what_they_are(first: int, length: int) -> None:
    """A span is written as EDTF that covers the same days."""
    span = DaySpan(first, first + length)
    if not span.is_in_range:
        return
    read = parse_interval(span.text())
    assert isinstance(read, Interval)
    assert isinstance(read.start, Date)
    assert isinstance(read.end, Date)
    assert (read.start.first // DAY, read.end.after // DAY - 1) == (span.first, span.last)


@given(st.integers(1, 9998), st.integers(1, 53))
def test_weeks_have_the_numbers_of_iso_8601(year: int, number: int) -> None:
    """A numbered week is the one that Python's own calendar gives."""
    import datetime

    span = iso_week(year, number)
    try:
        monday = datetime.date.fromisocalendar(year, number, 1)
    except ValueError:
        assert span is None
        return
    assert span == week_of((monday - datetime.date(1970, 1, 1)).days)
