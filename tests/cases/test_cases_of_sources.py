"""CASES B52–B64 and BAD-INPUTS 48 from end to end: as files through the command line, twice, then checked."""

from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from kb.cli.program import program
from tests.conftest import SHARED, write_kb


class Case(NamedTuple):
    """A file to take in, and what must come of it."""

    data: bytes
    says: tuple[str, ...]  #: lines of the observation that is filed
    warns: tuple[str, ...] = ()  #: parts of what is said meanwhile
    people: tuple[str, ...] = ()  #: what entities are made say


def event(*lines: str) -> bytes:
    """A calendar of one event, as the cases have it."""
    head = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "UID:1", "DTSTAMP:20200101T000000Z")  # fmt: skip
    return "\r\n".join((*head, *lines, "END:VEVENT", "END:VCALENDAR", "")).encode()


CASES = {
    "B52/q.mbox": Case(
        b"From a@b Thu Jan  1 00:00:00 2020\nFrom: a@b.example\nMessage-ID: <1@b>\nSubject: s\n\n>From here\n>>From there\n",
        ("From here", ">From there", "source: mid:1@b"),
        ("no Date header",),
        ("keys: [email:a@b.example]",),
    ),
    "B54/g.eml": Case(
        b"From: a@b.example\nTo: a:b:c@d.example;;\nMessage-ID: <1@b>\nDate: Fri, 25 Jun 2010 15:26:31 +0200\nSubject: s\n\nx\n",
        ("happened_at: 2010-06-25T15:26:31+02:00", "participants: [a, c]", "x"),
        ("To: a group stands inside a group",),
        ("keys: [email:a@b.example]", "keys: [email:c@d.example]"),
    ),
    "B56/t.eml": Case(
        b'To: "\r\nFrom: a@b.example\r\nMessage-ID: <1@b>\r\n\r\nbody\r\n',
        ("said_by: a", "participants: [a]", "body"),
        ("To: a quotation mark is never closed",),
        ("keys: [email:a@b.example]",),
    ),
    "B58/a.vcf": Case(
        b"BEGIN:VCARD\r\nVERSION:2.1\r\nN:Muster;Max;;;\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=9A=D0=BE=D0=BC"
        b"=D0=BC=D0=B5=D1=80=D1=87=D0=B5=D1=81=D0=BA=D0=B8=D0=\r\n=B9\r\nADR;WORK;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:"
        b";;=65=66=\r\n=31=37=30=20=31;;;;\r\nTEL;CELL:+70000000000\r\nEND:VCARD\r\n",
        ("Name: Коммерческий", "Address (work): ef170 1", "Phone (cell): +70000000000"),
    ),
    "B62/o.ics": Case(
        event(
            "DTSTART;VALUE=DATE:20200101",
            "ORGANIZER;CN=AGSM Student Society\\, Class of 2014:mailto:abc",
            " @group.example.com",
            'ATTENDEE;CN="Doe, Jane";PARTSTAT=ACCEPTED:MAILTO:Jane@Example.com',
        ),
        (
            "happened_at: 2020-01-01",
            "Organizer: AGSM Student Society, Class of 2014 <abc@group.example.com>",
            "Attendee: Doe, Jane <jane@example.com>",
        ),
        (),
        ('name: "AGSM Student Society, Class of 2014"', 'name: "Doe, Jane"'),
    ),
    "B64/a.ics": Case(
        event(
            "DTSTART:20200101T100000Z",
            "ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=chris@chri",
            " s.example:MAILTO:chris@chris.example",
        ),
        ("participants: [chris]", "Attendee: chris@chris.example"),
        (),
        ("keys: [email:chris@chris.example]",),
    ),
    "48/rule.ics": Case(
        event("DTSTART:20200101T100000", "RRULE:FREQ=SECONDLY;COUNT=1000000000"),
        ("happened_at: 2020-01-01", "Repeats: FREQ=SECONDLY;COUNT=1000000000"),
        ("has no zone",),
    ),
    "48/zone.ics": Case(
        event("DTSTART;TZID=Mars/Phobos:20200101T100000", "SUMMARY:Far"),
        ("happened_at: 2020-01-01", "title: Far"),
        ("Mars/Phobos",),
    ),
}


def read(folder: Path) -> str:
    """All files below a folder, as one text."""
    return "\n".join(path.read_text("utf-8") for path in sorted(folder.rglob("*.md")))


@pytest.mark.parametrize("name", CASES)
def test_case_from_end_to_end(tmp_path: Path, name: str) -> None:
    """One observation comes of it, that says what it says; a second time nothing does; nothing is wrong then."""
    case = CASES[name]
    original = SHARED / "cases" / name
    assert not original.exists() or original.read_bytes() == case.data
    root = write_kb(tmp_path / "kb", {})
    file = tmp_path / Path(name).name
    file.write_bytes(case.data)
    arguments = ["--root", str(root), "ingest", str(file)]
    first = CliRunner().invoke(program, arguments)
    assert first.exit_code == 0, first.output
    filed = read(root / "observations")
    for line in case.says:
        assert f"\n{line}\n" in filed, filed
    for warning in case.warns:
        assert warning in first.output
    for line in case.people:
        assert f"\n{line}\n" in read(root / "entities")
    assert len([*root.glob("observations/**/*.md")]) == 1
    assert len([*root.glob("entities/**/*.md")]) == len(case.people)
    again = CliRunner().invoke(program, arguments)
    assert (again.exit_code, read(root / "observations")) == (0, filed), again.output
    checked = CliRunner().invoke(program, ["--root", str(root), "check", "--strict"])
    assert checked.exit_code == 0, checked.output
