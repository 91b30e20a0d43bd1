"""What reads as a time, what it covers, and what is said about the rest."""

from __future__ import annotations

import datetime
import re
from calendar import monthrange
from time import struct_time

import edtf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.model.time import DAY, Bound, Date, Interval, TimeSpan, civil
from kb.syntax.edtf import TimeFault, looks_like_time, parse_at, parse_date, parse_interval


def fault(text: str) -> TimeFault:
    read = parse_interval(text)
    assert isinstance(read, TimeFault)
    return read


@pytest.mark.parametrize(
    "text, first, last",
    [
        ("2015", "2015-01-01", "2015-12-31"),
        ("2015-12", "2015-12-01", "2015-12-31"),
        ("2016-02", "2016-02-01", "2016-02-29"),
        ("1900-02", "1900-02-01", "1900-02-28"),
        ("2015-12-05", "2015-12-05", "2015-12-05"),
        ("0001", "0001-01-01", "0001-12-31"),
        ("9999-12-31", "9999-12-31", "9999-12-31"),
        ("201X", "2010-01-01", "2019-12-31"),
        ("20XX", "2000-01-01", "2099-12-31"),
        ("2XXX", "2000-01-01", "2999-12-31"),
        ("000X", "0001-01-01", "0009-12-31"),
        ("201X-XX", "2010-01-01", "2019-12-31"),
        ("2015-XX", "2015-01-01", "2015-12-31"),
        ("2015-XX-XX", "2015-01-01", "2015-12-31"),
        ("2015-12-XX", "2015-12-01", "2015-12-31"),
        ("2015?", "2015-01-01", "2015-12-31"),
        ("2015-12~", "2015-12-01", "2015-12-31"),
        ("2015-12-05%", "2015-12-05", "2015-12-05"),
        ("2015?-12", "2015-12-01", "2015-12-31"),
        ("2015-12~-05", "2015-12-05", "2015-12-05"),
        ("201X~", "2010-01-01", "2019-12-31"),
    ],
)
def test_a_date_covers_its_unit(text: str, first: str, last: str) -> None:
    """A date covers its whole unit, and a mark of doubt never changes which."""
    date = parse_date(text)
    assert isinstance(date, Date)
    assert (date.text, civil(date.first), civil(date.after - 1)) == (text, first, last)
    assert date.first % DAY == date.after % DAY == 0


@pytest.mark.parametrize(
    "text, moment",
    [
        ("2025-10-23T14:00+02:00", "2025-10-23T12:00:00Z"),
        ("2025-10-23T14:00Z", "2025-10-23T14:00:00Z"),
        ("2025-10-23T14:00:59Z", "2025-10-23T14:00:59Z"),
        ("2025-10-23T14:00:59.999Z", "2025-10-23T14:00:59Z"),
        ("2025-10-23T14:00-05:30", "2025-10-23T19:30:00Z"),
        ("2025-10-23T00:00+14:00", "2025-10-22T10:00:00Z"),
        ("2025-10-23T00:00-14:00", "2025-10-23T14:00:00Z"),
        ("2025-12-31T23:59:59-00:01", "2026-01-01T00:00:59Z"),
    ],
)
def test_a_date_time_covers_one_second(text: str, moment: str) -> None:
    """A time is read with its offset; its fraction of a second is not compared."""
    date = parse_date(text)
    assert isinstance(date, Date)
    assert (
        f"{datetime.datetime.fromtimestamp(date.first, datetime.UTC):%Y-%m-%dT%H:%M:%SZ}" == moment
    )
    assert date.after == date.first + 1


@pytest.mark.parametrize(
    "text, start, end",
    [
        ("2015/2018", "2015", "2018"),
        ("2015-12/..", "2015-12", Bound.OPEN),
        ("2015/", "2015", Bound.UNKNOWN),
        ("/2021", Bound.UNKNOWN, "2021"),
        ("../2021", Bound.OPEN, "2021"),
        ("/..", Bound.UNKNOWN, Bound.OPEN),
        ("../..", Bound.OPEN, Bound.OPEN),
        ("ended", Bound.UNKNOWN, Bound.UNKNOWN),
        ("ENDED", Bound.UNKNOWN, Bound.UNKNOWN),
        ("2015-06/2015", "2015-06", "2015"),
        ("2015/2015-06", "2015", "2015-06"),
        ("2015?/2018~", "2015?", "2018~"),
        ("201X/..", "201X", Bound.OPEN),
        ("2025-10-23T14:00Z/2025-10-23T14:00Z", "2025-10-23T14:00Z", "2025-10-23T14:00Z"),
    ],
)
def test_intervals(text: str, start: str | Bound, end: str | Bound) -> None:
    """Both ends are kept as written; ends that share a unit are in order."""
    interval = parse_interval(text)
    assert isinstance(interval, Interval)
    sides = [
        side.text if isinstance(side, Date) else side for side in (interval.start, interval.end)
    ]
    assert (interval.text, sides, interval.is_event) == (text, [start, end], False)


def test_a_single_date_is_an_event() -> None:
    """A date by itself is a time at which something happened, not a period."""
    interval = parse_interval("2015-12")
    assert isinstance(interval, Interval)
    assert interval.is_event
    assert interval.start == interval.end == parse_date("2015-12")


# The part of the text at fault, and a part of the hint.
@pytest.mark.parametrize(
    "text, at_fault, hint",
    [
        # Impossible components
        ("2015-13", (5, "13"), "01 to 12"),
        ("2015-00", (5, "00"), "01 to 12"),
        ("1980-02-30", (8, "30"), "write 1980-02"),
        ("2015-04-31/..", (8, "31"), "write 2015-04"),
        ("2014/1980-02-30", (13, "30"), "write 1980-02"),
        ("2015-12-00", (8, "00"), "write 2015-12"),
        ("0000", (0, "0000"), "0001 to 9999"),
        ("12015", (0, "12015"), "0001 to 9999"),
        ("2015/12015", (5, "12015"), "0001 to 9999"),
        ("-0500", (0, "-0500"), "0001 to 9999"),
        ("Y12015", (0, "Y12015"), "0001 to 9999"),
        # Two years, and seasons
        ("2023-24", (5, "24"), "write 2023/2024 for two years; write the months for a season"),
        ("1999-00", (5, "00"), "write 1999/2000"),
        ("2015-18", (5, "18"), "write 2015/2018"),
        ("2023-21", (5, "21"), "such as 2023-03/2023-05"),
        ("2001-21", (5, "21"), "such as 2001-03/2001-05"),
        ("2023-24/..", (5, "24"), "write 2023/2024"),
        # Order
        ("2018/2015", (5, "2015"), "write 2015/2018"),
        ("2016-01/2015", (8, "2015"), "write 2015/2016-01"),
        ("/", (0, "/"), "write ended"),
        ("../", (0, "../"), "write ended"),
        # Times
        ("2025-10-23 14:00+02:00", (10, " "), "write 2025-10-23T14:00+02:00"),
        ("2025-10-23 14:00", (10, " "), "write 2025-10-23T14:00Z"),
        ("2025-10-23T14:00", (11, "14:00"), "add Z or an offset such as +02:00"),
        ("2015/2025-10-23T14:00", (16, "14:00"), "add Z or an offset such as +02:00"),
        ("2025-10-23T14:00+0200", (11, "14:00+0200"), "write 2025-10-23T14:00+02:00"),
        ("2025-10-23t14:00z", (10, "t"), "write 2025-10-23T14:00Z"),
        ("2025-10-23T14Z", (11, "14Z"), "14:00Z"),
        ("2025-10-23T24:00Z", (11, "24"), "00 to 23"),
        ("2025-10-23T14:60Z", (14, "60"), "00 to 59"),
        ("2016-12-31T23:59:60Z", (17, "60"), "leap second"),
        ("2025-10-23T14:00+99:00", (16, "+99:00"), "-14:00 to +14:00"),
        ("2025-10-23T14:00+14:01", (16, "+14:01"), "-14:00 to +14:00"),
        ("2025-10-23T14:00-01:60", (16, "-01:60"), "-14:00 to +14:00"),
        ("2025-02-30T14:00Z", (8, "30"), "write 2025-02"),
        ("2025-10-23T14:00Z?", (0, "2025-10-23T14:00Z?"), "write 2025-10-23T14:00Z"),
        # Unknown digits and marks in other places
        ("2015-XX-12", (0, "2015-XX-12"), "write 2015:"),
        ("201X-05", (0, "201X-05"), "write 201X:"),
        ("2015-1X", (0, "2015-1X"), "write 2015-XX"),
        ("201x", (0, "201x"), "write 201X"),
        ("XXXX", (0, "XXXX"), "leave the date out"),
        ("?2015", (0, "?2015"), "write 2015?"),
        ("2015?~", (0, "2015?~"), "write 2015%"),
        # Other ways to write a date
        ("2015-1", (0, "2015-1"), "write 2015-01"),
        ("2015-1-5", (0, "2015-1-5"), "write 2015-01-05"),
        ("20151231", (0, "20151231"), "write 2015-12-31"),
        ("2024/03/12", (0, "2024/03/12"), "write 2024-03-12"),
        (
            "12.03.2024",
            (0, "12.03.2024"),
            "write 2024-03-12 or 2024-12-03: day and month are ambiguous",
        ),
        ("12/03/2024", (0, "12/03/2024"), "write 2024-03-12 or 2024-12-03"),
        ("25.03.2024", (0, "25.03.2024"), "write 2024-03-25"),
        ("12.03.24", (0, "12.03.24"), "four digits"),
        ("45.45.2024", (0, "45.45.2024"), "yyyy-mm-dd"),
        ("12/2024", (0, "12/2024"), "write 2024-12"),
        ("March 2024", (0, "March 2024"), "write 2024-03"),
        ("12 March 2024", (0, "12 March 2024"), "write 2024-03-12"),
        ("March 12, 2024", (0, "March 12, 2024"), "write 2024-03-12"),
        ("c. 2015", (0, "c. 2015"), "write 2015~"),
        ("2010s", (0, "2010s"), "write 201X"),
        ("2015-Q4", (0, "2015-Q4"), "write 2015-10/2015-12"),
        (" 2015", (0, " 2015"), "write 2015"),
        # Other ways to write an interval
        ("2015-2018", (0, "2015-2018"), "write 2015/2018"),
        ("2015–2018", (0, "2015–2018"), "write 2015/2018"),
        ("2015..2018", (0, "2015..2018"), "write 2015/2018"),
        ("2015 to 2018", (0, "2015 to 2018"), "write 2015/2018"),
        ("2015 / 2018", (0, "2015 / 2018"), "write 2015/2018"),
        ("2015 → now", (0, "2015 → now"), "write 2015/.."),
        ("2015-", (0, "2015-"), "write 2015/.."),
        ("2015..", (0, "2015.."), "write 2015/.."),
        ("..2018", (0, "..2018"), "write ../2018"),
        ("2015-now", (0, "2015-now"), "write 2015/.."),
        ("2015/now", (5, "now"), "write 2015/.."),
        ("since 2015", (0, "since 2015"), "write 2015/.."),
        ("until 2015", (0, "until 2015"), "write /2015"),
        ("2015/18", (5, "18"), "write 2015/2018"),
        ("2005/06", (5, "06"), "write 2005-06 or 2005/2006"),
        ("2015/2016/2017", (9, "/"), "2015/2018"),
        # Anything else
        ("", (0, ""), "write a date such as 2015"),
        ("soon", (0, "soon"), "write a date such as 2015"),
        ("2015/soon", (5, "soon"), "write a date such as 2015"),
        ("２０１５", (0, "２０１５"), "write a date such as 2015"),
    ],
)
def test_faults(text: str, at_fault: tuple[int, str], hint: str) -> None:
    """A fault points at the component that is wrong and says what to write."""
    found = fault(text)
    assert (found.offset, text[found.offset : found.offset + found.length]) == at_fault
    assert hint in found.hint
    assert "\n" not in found.message + found.hint
    if "for two years" not in found.hint:
        for better in re.findall(r"(?:write|[0-9] or) ([0-9./][^ ,;]*)", found.hint):
            assert isinstance(parse_interval(better.rstrip(":")), Interval), better


@pytest.mark.parametrize("text", ["2015/2018", "2015/..", "2015-2018", "since 2015", "ended"])
def test_one_date_where_one_is_wanted(text: str) -> None:
    """`parse_date` reads no interval, and offers none."""
    read = parse_date(text)
    assert isinstance(read, TimeFault)
    assert "/" not in read.hint


@pytest.mark.parametrize(
    "text",
    [
        "2015",
        "2015-13",
        "2015-1",
        "2023-24",
        "2015-2018",
        "2015–",
        "201X",
        "201x",
        "12.03.2024",
        "12/03/2024",
        "2024/03/12",
        "2015/2016",
        "2015/now",
        "2015 / 2018",
        "2018/2015",
        "2015/18",
        "..",
        "../",
        "/..",
        "2015..2018",
        "12015/..",
        "10000-01-01",
        "10000-01-01/..",
        "2015/10000-01-01",
        "2025-10-23T14:00",
        "2025-10-23 14:00",
        "ended",
    ],
)
def test_looks_like_time(text: str) -> None:
    """What is meant as a time but does not read still looks like one, so that it can be told."""
    assert looks_like_time(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "2015 budget",
        "since 2015",
        "acting",
        "90%",
        "../notes.md",
        "v1.2",
        "1.2.3",
        "12",
        "24/7",
        "and/or",
        "10-12",
        "12015-12",
        "120150",
        "https://example.org/2015/03",
    ],
)
def test_does_not_look_like_time(text: str) -> None:
    """Prose, versions, paths and other numbers are no near miss of a date."""
    assert not looks_like_time(text)


NOW = 1_718_452_800  # 2024-06-15T12:00:00Z
TODAY = NOW - 12 * 3600


@pytest.mark.parametrize(
    "text, expected",
    [
        ("now", (NOW, NOW + 1)),
        ("Today", (TODAY, TODAY + DAY)),
        ("2024-06-15", (TODAY, TODAY + DAY)),
        ("2024-06-15T12:00Z", (NOW, NOW + 1)),
        ("2024-06-14/2024-06-15", (TODAY - DAY, TODAY + DAY)),
        ("2024-06-15/..", (TODAY, None)),
        ("../2024-06-15", (None, TODAY + DAY)),
    ],
)
def test_parse_at(text: str, expected: tuple[int | None, int | None]) -> None:
    """A question about a time covers all of its day, moment or interval; open sides have no bound."""
    assert parse_at(text, NOW) == TimeSpan(*expected)


@pytest.mark.parametrize("text", ["ended", "2015/", "/2015", "/..", "../..", "2015-13", "", "/"])
def test_at_needs_a_definite_span(text: str) -> None:
    """One cannot ask about a span whose bounds are unknown, or about all time."""
    assert isinstance(parse_at(text, NOW), TimeFault)


# Properties

digits_and_marks = st.text("0123456789X?~%-/.: TZz+ endow\t–", max_size=30)


@given(st.text(max_size=200) | digits_and_marks)
def test_any_text_is_read_or_explained(text: str) -> None:
    """Nothing raises; a fault lies within the text and has a message and a hint."""
    for read in (parse_interval(text), parse_date(text), parse_at(text, NOW)):
        if isinstance(read, TimeFault):
            assert 0 <= read.offset <= read.offset + read.length <= len(text)
            assert read.message
            assert read.hint
    looks_like_time(text)


@pytest.mark.parametrize(
    "text", ["9" * 100_000, "1/" * 50_000, "2015-" * 20_000, "2015/" + "X" * 9999]
)
def test_long_text_is_refused(text: str) -> None:
    """A long text is no time and costs none."""
    fault(text)
    assert isinstance(parse_date(text), TimeFault)
    assert not looks_like_time(text)


mark = st.sampled_from(["", "?", "~", "%"])


@st.composite
def date_texts(draw: st.DrawFn) -> str:
    day = draw(st.dates())
    precision = draw(st.sampled_from([4, 7, 10]))
    return day.isoformat()[:precision] + draw(mark)


@given(st.lists(date_texts() | st.sampled_from(["..", "", "201X"]), min_size=1, max_size=2))
def test_what_reads_looks_like_time(sides: list[str]) -> None:
    """All that reads looks like a time, keeps its text, and reads alike a second time."""
    text = "/".join(sides)
    read = parse_interval(text)
    if isinstance(read, Interval):
        assert looks_like_time(text)
        assert read.text == text
        assert parse_interval(text) == read


@given(st.text("0123456789X?~%-/.:TZ+ ", max_size=24))
def test_what_reads_by_chance_looks_like_time(text: str) -> None:
    """Whatever parses as an interval looks like a time."""
    if isinstance(parse_interval(text), Interval):
        assert looks_like_time(text)


def day_of(moment: struct_time) -> datetime.date:
    return datetime.date(moment.tm_year, moment.tm_mon, moment.tm_mday)


def first_and_last(text: str) -> tuple[str, str]:
    date = parse_date(text)
    assert isinstance(date, Date)
    return civil(date.first), civil(date.after - 1)


def edtf_first_and_last(text: str) -> tuple[str, str]:
    peer = edtf.parse_edtf(text)
    if hasattr(peer, "date"):  # with a mark, whose doubt the fuzzy bounds alone would widen
        peer = peer.date
    return day_of(peer.lower_strict()).isoformat(), day_of(peer.upper_strict()).isoformat()


@given(date_texts())
def test_dates_agree_with_edtf(text: str) -> None:
    """The peer library's strict bounds are the unit that we cover."""
    assert first_and_last(text) == edtf_first_and_last(text)


@given(st.integers(100, 998), st.sampled_from(["", "~", "?"]))
def test_decades_agree_with_edtf(decade: int, mark: str) -> None:
    """A decade covers what the edtf library says that it does."""
    text = f"{decade}X{mark}"
    assert first_and_last(text) == edtf_first_and_last(text)


@given(st.integers(1, 9999), st.integers(0, 99), st.integers(0, 99))
def test_impossible_dates_are_faults(year: int, month: int, day: int) -> None:
    """A date reads if and only if the calendar has it."""
    is_possible = 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]
    read = parse_date(f"{year:04}-{month:02}-{day:02}")
    assert isinstance(read, Date) is is_possible


@given(
    st.datetimes(
        min_value=datetime.datetime(2, 1, 1),
        max_value=datetime.datetime(9998, 1, 1),
        timezones=st.integers(-840, 840).map(
            lambda minutes: datetime.timezone(datetime.timedelta(minutes=minutes))
        ),
    )
)
def test_moments_agree_with_datetime(moment: datetime.datetime) -> None:
    """A date-time with any offset is the moment that `datetime` computes."""
    text = moment.isoformat()
    text = re.sub(r"\+00:00$", "Z", text)
    read = parse_date(text)
    assert isinstance(read, Date)
    elapsed = moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    assert read.first == elapsed.days * DAY + elapsed.seconds
