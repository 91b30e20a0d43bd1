"""Calendars: what each entry becomes, with times that are never guessed and rules that are never followed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.ingest.calendars import read_calendar
from kb.ingest.records import Attachment, Nature, Part, Problem, SourceRecord
from tests.ingest.records import keys_of

BERLIN = """\
BEGIN:VTIMEZONE
TZID:Customized Zone 1
BEGIN:STANDARD
DTSTART:16010101T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T020000
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
"""


def read(body: str, where: str = "c.ics", end: str = "\r\n") -> list[SourceRecord | Problem]:
    """Read a calendar that holds some lines."""
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n{body.strip()}\nEND:VCALENDAR\n"
    return list(read_calendar(text.replace("\n", end).encode(), where))


def event(*lines: str, zone: str = "") -> SourceRecord:
    """Read one event of some lines."""
    (record,) = read("\n".join([zone.strip(), "BEGIN:VEVENT", "UID:1", *lines, "END:VEVENT"]))
    assert isinstance(record, SourceRecord)
    return record


def test_an_event() -> None:
    """An event's properties are lines of its text; organizer and attendees are the participants."""
    record = event(
        "DTSTAMP:20260101T000000Z",
        "DTSTART;TZID=Europe/Berlin:20261022T140000",
        "DTEND;TZID=Europe/Berlin:20261022T150000",
        "SUMMARY:Pilot\\, review",
        "LOCATION:Room 4",
        "ORGANIZER;CN=Dana Reyes:mailto:Dana@northpeak.example",
        "ATTENDEE;CN=Room 4;CUTYPE=ROOM:mailto:room4@northpeak.example",
        "DESCRIPTION:First line\\nsecond line",
        "X-OTHER:not said",
    )
    assert (record.source, record.kind, record.title) == ("uid:1", "calendar", "Pilot, review")
    assert record.happened_at == "2026-10-22T14:00:00+02:00"
    assert record.said_by == "email:dana@northpeak.example"
    assert [(one.part, one.name, one.nature) for one in record.participants] == [
        (Part.ORGANIZER, "Dana Reyes", Nature.UNSAID),
        (Part.ATTENDEE, "Room 4", Nature.PLACE),
    ]
    assert record.text == (
        "Pilot, review\n\nStart: 2026-10-22 14:00 Europe/Berlin\nEnd: 2026-10-22 15:00 Europe/Berlin\nWhere: Room 4\n"
        "Organizer: Dana Reyes <dana@northpeak.example>\nAttendee: Room 4 <room4@northpeak.example>\n\n"
        "First line\nsecond line\n"
    )
    assert record.warnings == ()


def test_case_b62_commas_in_names() -> None:
    """CASES B62: an escaped or quoted comma in a CN is part of the name."""
    record = event(
        "DTSTART;VALUE=DATE:20200101",
        "ORGANIZER;CN=AGSM Student Society\\, Class of 2014:mailto:abc\n @group.example.com",
        'ATTENDEE;CN="Doe, Jane";PARTSTAT=ACCEPTED:MAILTO:Jane@Example.com',
    )
    assert [(one.name, one.keys) for one in record.participants] == [
        ("AGSM Student Society, Class of 2014", ("email:abc@group.example.com",)),
        ("Doe, Jane", ("email:jane@example.com",)),
    ]
    assert record.happened_at == "2020-01-01"


def test_case_b64_folded_names_and_capital_mailto() -> None:
    """CASES B64: a name that is folded anywhere and MAILTO: in capitals lose no attendee."""
    record = event(
        "DTSTART:20200101T100000Z",
        "ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=chris@chri\n s.example:MAILTO:chris@chris.example",
    )
    assert keys_of(record) == ("email:chris@chris.example",)


@pytest.mark.parametrize(
    "line, date",
    [
        ("DTSTART:20261022T120000Z", "2026-10-22T12:00:00Z"),
        ("DTSTART;VALUE=DATE:20261022", "2026-10-22"),
        ("DTSTART;TZID=Europe/Berlin:20261022T120000", "2026-10-22T12:00:00+02:00"),
        ("DTSTART;TZID=Europe/Berlin:20261122T120000", "2026-11-22T12:00:00+01:00"),
        ("DTSTART;TZID=America/St_Johns:20261122T120000", "2026-11-22T12:00:00-03:30"),
        ('DTSTART;TZID="Customized Zone 1":20260722T120000', "2026-07-22T12:00:00+02:00"),
        ("DTSTART;TZID=Customized Zone 1:20260122T120000", "2026-01-22T12:00:00+01:00"),
        ("DTSTART;TZID=W. Europe Standard Time:20260722T120000", "2026-07-22T12:00:00+02:00"),
    ],
)
def test_times(line: str, date: str) -> None:
    """A time has the offset of its zone on that day: of the tz database, of the file, or of Windows."""
    record = event(line, zone=BERLIN)
    assert (record.happened_at, record.warnings) == (date, ())


@pytest.mark.parametrize(
    "line, date, warning",
    [
        ("DTSTART:20261022T120000", "2026-10-22", "has no zone (it floats)"),
        (
            "DTSTART;TZID=Mars/Phobos:20261022T120000",
            "2026-10-22",
            'the time zone "Mars/Phobos" is not known',
        ),
        ("DTSTART;TZID=../../etc/passwd:20261022T120000", "2026-10-22", "is not known"),
        ("DTSTART;TZID=right/Europe/Berlin:20261022T120000", "2026-10-22", "is not known"),
        ("DTSTART;TZID=Europe:20261022T120000", "2026-10-22", "is not known"),
        ("DTSTART:20261022T250000Z", "2026-10-22", "is no time of day"),
        ("DTSTART:20261322T120000Z", "", "is no date"),
        ("DTSTART:20260230", "", "is no date"),
        ("DTSTART:tomorrow", "", "is no date"),
        ("SUMMARY:x", "", "it has no DTSTART"),
    ],
)
def test_times_that_are_not_whole_are_never_guessed(line: str, date: str, warning: str) -> None:
    """A time without an offset that is known is a day; what is no date is none; both are said (BAD-INPUTS 48)."""
    record = event(line)
    assert record.happened_at == date
    assert any(warning in text for text in record.warnings), record.warnings


@pytest.mark.parametrize(
    "rule", ["FREQ=SECONDLY", "FREQ=YEARLY;BYSECOND=1", "FREQ=MINUTELY;COUNT=1000000000"]
)
def test_a_zone_whose_rule_never_ends_is_not_followed(rule: str) -> None:
    """A hostile VTIMEZONE costs no time: its zone is not known."""
    zone = f"BEGIN:VTIMEZONE\nTZID:Evil\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:{rule}\nEND:STANDARD\nEND:VTIMEZONE"
    record = event("DTSTART;TZID=Evil:20261022T120000", zone=zone)
    assert record.happened_at == "2026-10-22"


def test_a_rule_is_kept_and_not_followed() -> None:
    """An event that repeats a thousand million times is one record that says so (BAD-INPUTS 48)."""
    record = event(
        "DTSTART:20261022T120000Z",
        "RRULE:FREQ=SECONDLY;COUNT=1000000000",
        "EXDATE:20261023T120000Z",
    )
    assert "Repeats: FREQ=SECONDLY;COUNT=1000000000\nNot on: 20261023T120000Z\n" in record.text


def test_an_occurrence_is_a_source_of_its_own() -> None:
    """A changed occurrence has the event's UID and its own RECURRENCE-ID."""
    record = event("RECURRENCE-ID;TZID=Europe/Berlin:20261029T140000", "DTSTART:20261029T130000Z")
    assert record.source == "uid:1;recurrence-id=20261029T140000"
    assert "Occurrence of: 2026-10-29 14:00 Europe/Berlin" in record.text


def test_cancelled_events_say_so() -> None:
    """A cancelled event is one, by its status or by the calendar's method."""
    assert (
        event("STATUS:CANCELLED", "SUMMARY:Pilot", "DTSTART:20261022").title == "Cancelled: Pilot"
    )
    (record,) = read(
        "METHOD:CANCEL\nBEGIN:VEVENT\nUID:1\nSUMMARY:Pilot\nDTSTART:20261022\nEND:VEVENT"
    )
    assert isinstance(record, SourceRecord)
    assert record.title == "Cancelled: Pilot"


def test_to_dos_and_journals_are_read_and_others_reported() -> None:
    """Entries of all kinds are records; a component that is none is named, and nothing passes in silence."""
    entries = [
        f"BEGIN:{kind}\nUID:{kind}\nSUMMARY:{kind}\nDTSTART:20260101\nEND:{kind}"
        for kind in ("VTODO", "VJOURNAL", "VODDITY")
    ]
    *records, problem = read("\n".join(entries))
    assert [one.title for one in records if isinstance(one, SourceRecord)] == ["VTODO", "VJOURNAL"]
    assert isinstance(problem, Problem)
    assert problem.message == '"VODDITY" is no entry that is read'


def test_attendees_without_an_address_are_names() -> None:
    """What is no address is no key; a name beside it is kept, and EMAIL= is read where the value is none."""
    record = event(
        "DTSTART:20260101",
        "ATTENDEE;CN=Ann:invalid:nomail",
        "ATTENDEE;CN=Bob:urn:uuid:1",
        "ATTENDEE;CN=Cy;EMAIL=cy@x.example:urn:uuid:2",
    )
    assert [(one.name, one.keys) for one in record.participants] == [
        ("Ann", ()),
        ("Bob", ()),
        ("Cy", ("email:cy@x.example",)),
    ]
    assert record.warnings == ('line 8, ATTENDEE: "urn:uuid:1" is no address, and is no key',)


def test_attachments_are_named() -> None:
    """An attachment inside the file is named with its size, a link as it is."""
    record = event(
        "DTSTART:20260101",
        "ATTACH;FMTTYPE=application/pdf;ENCODING=BASE64;VALUE=BINARY;FILENAME=a.pdf:YWJj",
        "ATTACH:https://x.example/plan.pdf",
    )
    assert record.attachments == (
        Attachment("a.pdf", "application/pdf", 3),
        Attachment("https://x.example/plan.pdf", "application/octet-stream", 0),
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_damaged_line_costs_only_itself(end: str) -> None:
    """A line that is none is kept as it stands, with its number; the entry and its neighbours are read."""
    first = "BEGIN:VEVENT\nUID:1\nDTSTART:20260101\nthis is no line\nSUMMARY:a\nEND:VEVENT\n"
    one, other = read(
        first + first.replace("UID:1", "UID:2").replace("this is no line\n", ""), end=end
    )
    assert isinstance(one, SourceRecord)
    assert isinstance(other, SourceRecord)
    assert "Line 7 as it stands: this is no line\n" in one.text
    assert one.warnings == ('line 7: "this is no line" cannot be read and is kept as it stands',)
    assert (other.title, other.warnings) == ("a", ())


def test_entries_that_are_never_closed() -> None:
    """An entry ends where the next one begins, or with the file."""
    records = list(
        read_calendar(
            b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nBEGIN:VEVENT\nUID:2\nDTSTART:20200101", "c"
        )
    )
    assert [one.source for one in records if isinstance(one, SourceRecord)] == ["uid:1", "uid:2"]
    assert all(
        "is never closed" in one.warnings[0] for one in records if isinstance(one, SourceRecord)
    )


def test_a_calendar_without_entries_is_kept_raw() -> None:
    """Nothing is lost of a file in which no entry is found."""
    (record,) = read("X-WR-CALNAME:mine")
    assert isinstance(record, SourceRecord)
    assert "X-WR-CALNAME:mine" in record.text
    assert record.warnings == (
        "it holds no event, to-do or journal entry; it is kept as it stands",
    )


def test_html_descriptions_are_read() -> None:
    """A description in HTML becomes text, whether it stands in DESCRIPTION or beside it."""
    for name in ("DESCRIPTION", "X-ALT-DESC;FMTTYPE=text/html"):
        record = event(
            "DTSTART:20260101", f'{name}:<p>see <a href="https://x.example/">this</a></p>'
        )
        assert record.text.endswith("\n\nsee this <https://x.example/>\n")


def _found_calendars() -> list[Path]:
    icalendar = pytest.importorskip("icalendar")
    return sorted(Path(icalendar.__file__).parent.rglob("*.ics"))


@pytest.mark.filterwarnings("ignore")
def test_the_library_reads_the_same() -> None:
    """On the calendars that come with ``icalendar``, both read the same entries with the same titles."""
    icalendar = pytest.importorskip("icalendar")
    compared = 0
    for path in _found_calendars():
        ours = [
            one for one in read_calendar(path.read_bytes(), "x") if isinstance(one, SourceRecord)
        ]
        try:
            calendars = icalendar.Calendar.from_ical(path.read_bytes(), multiple=True)
            theirs = [part for one in calendars for part in _entries(one)]
            titles = [" ".join(str(part.get("SUMMARY", "")).split()) for part in theirs]
        except (ValueError, UnicodeDecodeError, IndexError):
            continue
        if not theirs or any(part.errors for part in theirs):
            continue
        assert [one.title.removeprefix("Cancelled: ") for one in ours] == [
            title or "(no title)" for title in titles
        ], path.name
        compared += 1
    if not compared:
        pytest.skip("icalendar comes without calendars")


def _entries(calendar: object) -> Iterator[object]:
    for part in calendar.subcomponents:  # type: ignore[attr-defined]
        if part.name in ("VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY"):
            yield part


_PIECES = st.sampled_from(
    [
        "BEGIN:VCALENDAR\n",
        "END:VCALENDAR\n",
        "BEGIN:VEVENT\n",
        "END:VEVENT\n",
        "BEGIN:VTIMEZONE\n",
        "END:VTIMEZONE\n",
        "UID:1\n",
        ":",
        ";",
        '"',
        "\\",
        "DTSTART;TZID=x:",
        "20200101T000000",
        "ATTENDEE;CN=",
        "mailto:a@b.example\n",
        "\n ",
        "\r",
        "\x00",
        "é",
        "ENCODING=BASE64",
        "TZID:x\n",
        "^n",
        "�",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_PIECES, max_size=25), st.binary(max_size=40))
def test_any_calendar_is_read(pieces: list[str], data: bytes) -> None:
    """Whatever the bytes, each entry is a record whose text can be written as UTF-8."""
    for item in read_calendar("".join(pieces).encode("utf-8", "surrogatepass") + data, "c.ics"):
        if isinstance(item, SourceRecord):
            "".join((item.text, item.title, item.source, item.said_by, *item.warnings)).encode()
        else:
            item.message.encode()


def test_whom_a_line_names_besides_is_counted() -> None:
    """Who sent for somebody, whom somebody sent, and the groups somebody is in are no participants, and are said."""
    record = event(
        "DTSTART:20260101T000000Z",
        'ORGANIZER;SENT-BY="mailto:pa@x.example":mailto:ann@x.example',
        'ATTENDEE;MEMBER="mailto:dev@x.example","mailto:ops@x.example":mailto:bob@x.example',
        'ATTENDEE;MEMBER="mailto:dev@x.example";DELEGATED-TO="mailto:eve@x.example":mailto:kim@x.example',
        'ATTENDEE;DELEGATED-FROM="mailto:kim@x.example":mailto:eve@x.example',
    )
    assert keys_of(record) == tuple(f"email:{one}@x.example" for one in ("ann", "bob", "kim", "eve"))  # fmt: skip
    assert record.warnings == (
        'SENT-BY names 1 address, not kept as participants: "mailto:pa@x.example"',
        'MEMBER names 2 addresses, not kept as participants: "mailto:dev@x.example", "mailto:ops@x.example"',
        'DELEGATED-TO names 1 address, not kept as participants: "mailto:eve@x.example"',
        'DELEGATED-FROM names 1 address, not kept as participants: "mailto:kim@x.example"',
    )
