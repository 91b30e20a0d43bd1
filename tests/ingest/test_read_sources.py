"""Files and folders: what each is found to be, in which order it is read, and what is never opened."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.edits.file_texts import format_observation
from kb.edits.workspace import Refused
from kb.ingest import read_sources as module
from kb.ingest.notes import read_note
from kb.ingest.read_sources import (
    Format,
    check_sources,
    detect_format,
    read_bytes,
    read_sources,
)
from kb.ingest.records import Problem, SourceRecord
from kb.ingest.repeats import iter_new, kept_text, seal_of_record
from kb.model.observation import KINDS
from kb.model.time import Date
from kb.syntax.edtf import parse_date
from kb.syntax.observation_file import parse_observation_file
from kb.syntax.source import decode
from tests.ingest.records import keys_of

MAIL = b"From: a@b.example\nDate: 1 Jan 2020 00:00 +0000\nSubject: s\nMessage-ID: <1@b>\n\nx\n"
BOX = b"From a@b Thu Jan  1 00:00:00 2020\n" + MAIL
EVENT = b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20200101\nSUMMARY:e\nEND:VEVENT\nEND:VCALENDAR\n"
CARD = b"BEGIN:VCARD\nFN:Ann\nUID:2\nEND:VCARD\n"


def records(path: Path) -> list[SourceRecord]:
    """Read a path in which nothing is a problem."""
    items = list(read_sources(str(path)))
    assert all(isinstance(item, SourceRecord) for item in items), items
    return [item for item in items if isinstance(item, SourceRecord)]


@pytest.mark.parametrize(
    "name, head, format",
    [
        ("a.eml", MAIL, Format.MAIL),
        ("a", MAIL, Format.MAIL),
        ("a.txt", MAIL, Format.MAIL),
        ("a.mbox", BOX, Format.MBOX),
        ("Inbox", BOX, Format.MBOX),
        ("a.eml", BOX, Format.MBOX),
        ("a.mbox", b"From someone\nSubject: s\n\nx\n", Format.MBOX),
        ("a.ics", EVENT, Format.CALENDAR),
        ("a.txt", EVENT, Format.CALENDAR),
        ("a", b"\xef\xbb\xbf\r\n" + EVENT, Format.CALENDAR),
        ("a", EVENT.decode().encode("utf-16"), Format.CALENDAR),
        ("a.ics", b"damaged", Format.CALENDAR),
        ("a.vcf", CARD, Format.CARDS),
        ("a", b"begin:vcard\r\n", Format.CARDS),
        ("a.md", b"# x\n", Format.NOTE),
        ("a.md", MAIL, Format.NOTE),
        ("a.txt", b"Date: today\nSubject: a plan\n\nx\n", Format.NOTE),
        ("README", b"words\n", Format.NOTE),
        ("a.txt", b"From here on, all is well.\n", Format.NOTE),
        ("a.png", b"\x89PNG", None),
        ("a.py", b"import x\n", None),
        ("core", b"\x7fELF\0\0", None),
        ("latin", b"caf\xe9", None),
    ],
)
def test_what_a_file_is(name: str, head: bytes, format: Format | None) -> None:
    """Content decides before the extension, except for Markdown, which may quote anything."""
    assert detect_format(name, head) is format


def test_a_folder_is_walked_in_the_order_of_its_names(tmp_path: Path) -> None:
    """Files of all kinds are read, folders in their place; names that begin with a dot are not."""
    (tmp_path / "b").mkdir()
    (tmp_path / ".git").mkdir()
    for name, data in {
        "c.ics": EVENT,
        "a.vcf": CARD,
        "b/m.eml": MAIL,
        "b/n.md": b"# N\n",
        ".git/x.md": b"x",
        ".y.md": b"y",
    }.items():
        (tmp_path / name).write_bytes(data)
    assert [one.kind for one in records(tmp_path)] == ["contact", "email", "note", "calendar"]
    assert [one.where for one in records(tmp_path)][1] == str(tmp_path / "b/m.eml")
    assert list(read_sources(str(tmp_path))) == list(read_sources(str(tmp_path)))


def test_a_maildir(tmp_path: Path) -> None:
    """Of a Maildir ``cur`` and ``new`` are read whatever their names, and its folders; ``tmp`` and the rest are not."""
    for folder in ("cur", "new", "tmp", ".Sent/cur", ".Sent/new", "sub/cur", "sub/new"):
        (tmp_path / folder).mkdir(parents=True)
    for number, name in enumerate(
        ["cur/1:2,S", "new/2", "tmp/3", ".Sent/cur/4.txt", "sub/new/5", "dovecot.index", "cur/.x"]
    ):
        (tmp_path / name).write_bytes(MAIL.replace(b"<1@b>", b"<%d@b>" % number))
    assert [one.source for one in records(tmp_path)] == ["mid:3@b", "mid:0@b", "mid:1@b", "mid:4@b"]


def test_what_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    """Links, pipes, empty and unknown files are each named and none stops the rest."""
    (tmp_path / "a.md").write_text("x")
    (tmp_path / "b.md").symlink_to(tmp_path / "a.md")
    os.mkfifo(tmp_path / "c.md")
    (tmp_path / "d.md").write_text(" \n")
    (tmp_path / "e.bin").write_bytes(b"\0")
    (tmp_path / "loop").symlink_to(tmp_path)
    items = list(read_sources(str(tmp_path)))
    assert [type(item) for item in items] == [SourceRecord, *[Problem] * 5]
    messages = [item.message for item in items if isinstance(item, Problem)]
    expected = ("a symbolic link", "no regular file", "empty", "nothing reads", "a symbolic link")
    assert [
        words for words, message in zip(expected, messages, strict=True) if words not in message
    ] == []


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    """A missing path is said, with the path; a link that is given by name is read."""
    (missing,) = read_sources(str(tmp_path / "x"))
    assert missing == Problem(str(tmp_path / "x"), "it cannot be read: No such file or directory")
    (bad,) = read_sources("a\0b")
    assert isinstance(bad, Problem)
    (tmp_path / "a.eml").write_bytes(MAIL)
    (tmp_path / "link").symlink_to(tmp_path / "a.eml")
    assert len(records(tmp_path / "link")) == 1


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    """A file whose name is no UTF-8 is read, and its name can be written down."""
    path = os.fsencode(tmp_path) + b"/caf\xe9.md"
    Path(os.fsdecode(path)).write_text("x")
    (record,) = records(tmp_path)
    assert record.where.endswith("caf\\xe9.md")
    record.title.encode()


def test_a_text_that_is_too_large_is_lost_and_said(tmp_path: Path) -> None:
    """A text that no observation holds is a problem, with its size."""
    (tmp_path / "a.txt").write_text("x" * (module.MAX_TEXT_BYTES + 1))
    (item,) = read_sources(str(tmp_path / "a.txt"))
    assert isinstance(item, Problem)
    assert item.is_lost
    assert "3.9 MiB" in item.message


# -- notes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, text, title, date",
    [
        ("a.md", "# A plan #\n\nx", "A plan", ""),
        ("a.md", "A plan\n======\n", "A plan", ""),
        ("a.md", "```\n# code\n```\n# Plan\n", "Plan", ""),
        ("2026-05-26.md", "# 2026-05-26\n\ncafé\n", "2026-05-26", "2026-05-26"),
        ("2026-05-26-plan.md", "x", "2026-05-26-plan", "2026-05-26"),
        ("2026-05-266.md", "x", "2026-05-266", ""),
        ("2026-13-26.md", "x", "2026-13-26", ""),
        ("a.md", "---\ntitle: NO\ndate: 2026-05\n---\n# H\n", "NO", "2026-05"),
        ("a.md", "# Closed \t## \n", "Closed", ""),
        ("a.md", "# C#\n", "C#", ""),
        ("a.md", "#  ##\n", "##", ""),
        ("a.md", "---\ndate: 2026-05-26 10:00:00+02:00\n---\n", "a", "2026-05-26T10:00:00+02:00"),
        ("a.md", "---\nhappened_at: 2026-05-26\ndate: 2020\n---\n", "a", "2026-05-26"),
        ("a.txt", "--- no frontmatter", "a", ""),
    ],
)
def test_notes(name: str, text: str, title: str, date: str) -> None:
    """A note is its text to the letter; title and date are those it declares, as text (CASES B04)."""
    record = read_note(text.encode(), f"notes/{name}")
    assert (record.title, record.happened_at, record.text) == (title, date, text)
    assert (record.kind, record.participants, record.warnings) == ("note", (), ())


@pytest.mark.parametrize(
    "date, kept",
    [("2026-05-26 10:00", "2026-05-26"), ("03/04/2026", ""), ("2023_0129", ""), ("2026-02-30", "")],
)
def test_dates_of_notes_are_never_guessed(date: str, kept: str) -> None:
    """A declared date that is not whole, or none, is said; the file's name does not stand in for it."""
    record = read_note(f"---\ndate: {date}\n---\n".encode(), "2020-01-01.md")
    assert record.happened_at == kept
    assert len(record.warnings) == 1


def test_texts_in_other_encodings() -> None:
    r"""UTF-16 is read by its mark; bytes that are no UTF-8 are kept as ``\xNN``; line ends become LF."""
    assert read_note("é\r\nx\ry".encode("utf-16"), "a.txt").text == "é\nx\ny"
    assert read_note(b"\xef\xbb\xbfx", "a.txt").text == "x"
    record = read_note(b"caf\xe9 \xf0\x9f", "a.txt")
    assert record.text == "caf\\xe9 \\xf0\\x9f"
    assert record.warnings


@pytest.mark.parametrize(
    "name, fields, kept",
    [
        ("a.md", "date: next Tuesday\ncreated: 2026-05-22", "2026-05-26"),
        ("a.md", "happened_at: yesterday\ncreated: 2026-05-22 10:00", "2026-05-21"),
        ("2026-05-22-x.md", "date: two days ago", "2026-05-20"),
        ("2026-05-22-x.md", "date: last month", "2026-04"),
        ("a.md", "date: 5 March 2026", "2026-03-05"),
        ("a.md", "date: 2026/03/05", "2026-03-05"),
        ("2026-05-22-x.md", "date: since March", ""),
        ("a.md", "date: next Tuesday", ""),
        ("a.md", "date: last month\ncreated: 2026", ""),
    ],
)
def test_dates_of_notes_as_people_say_them(name: str, fields: str, kept: str) -> None:
    """A date in words counts from another one that the note declares; without one, or with no single date, it is unknown."""
    record = read_note(f"---\n{fields}\n---\n".encode(), name)
    assert record.happened_at == kept
    (warning,) = record.warnings
    assert ("is read as" if kept else "the time is unknown") in warning


# -- the same source again -----------------------------------------------------------------------------------------


def test_the_same_source_again_adds_nothing(tmp_path: Path) -> None:
    """What is known is left out, in one run and over two; a copy under another name is no other source."""
    for name, data in {
        "a.eml": MAIL,
        "b.mbox": BOX,
        "c.vcf": CARD,
        "d.md": b"x\n",
        "e.txt": b"x\n",
    }.items():
        (tmp_path / name).write_bytes(data)
    first = [
        one for one in iter_new(read_sources(str(tmp_path)), {}) if isinstance(one, SourceRecord)
    ]
    assert [one.kind for one in first] == ["email", "contact", "note"]
    known = {one.source: seal_of_record(one) for one in first}
    assert list(iter_new(read_sources(str(tmp_path)), known)) == []


def test_another_text_under_a_known_id_is_kept_apart(tmp_path: Path) -> None:
    """A message id that two mails bear, or an event that was moved, loses neither, in whatever order they come."""
    one, other = (next(read_bytes(data, "m", Format.MAIL)) for data in (MAIL, MAIL + b"more\n"))
    for pair in ([one, other], [other, one]):
        kept = [item for item in iter_new([*pair, *pair], {}) if isinstance(item, SourceRecord)]
        assert [item.text for item in kept] == [
            item.text for item in pair if isinstance(item, SourceRecord)
        ]
        assert kept[1].source.startswith("mid:1@b#")
        assert "is there with another text" in kept[1].warnings[-1]
        known = {item.source: seal_of_record(item) for item in kept}
        assert list(iter_new(pair, known)) == []


# -- all that is installed -----------------------------------------------------------------------------------------


def check_that_an_observation_keeps(record: SourceRecord) -> None:
    """Write a record as an observation's file, and read that again."""
    fields = (
        ("id", "x"),
        ("kind", record.kind),
        ("title", record.title),
        ("happened_at", record.happened_at),
        ("said_by", record.said_by),
        ("participants", keys_of(record)),
        ("source", record.source),
    )
    data = format_observation(fields, kept_text(record)).encode()
    read, _ = parse_observation_file(decode("observations/x.md", data))
    assert (read.kind, read.title, read.source) == (record.kind, record.title, record.source)
    assert record.kind in KINDS
    assert not record.happened_at or isinstance(parse_date(record.happened_at), Date)
    assert tuple(one.text for one in read.participants) == keys_of(record)
    assert (read.said_by, read.body) == (record.said_by, f"\n{kept_text(record)}")
    assert read.is_sealed
    assert read.digest == seal_of_record(record)
    "".join(record.warnings).encode()


def installed_sources() -> list[Path]:
    """Every mail, calendar and card that comes with an installed package; none where packages come without."""
    found: set[Path] = set()
    for top in {sys.prefix, sys.base_prefix}:
        for folder, _, names in os.walk(top):
            is_test_data = folder.endswith("test_email/data")
            found.update(
                Path(folder, name)
                for name in names
                if is_test_data or name.endswith((".eml", ".mbox", ".ics", ".vcf", ".msg"))
            )
    return sorted(found)


def test_every_installed_source_is_read() -> None:
    """Every mail, calendar and card that comes with an installed package is read without a crash."""
    paths = installed_sources()
    if not paths:
        pytest.skip("no installed package comes with mails, calendars or cards")
    formats = {".ics": Format.CALENDAR, ".vcf": Format.CARDS, ".mbox": Format.MBOX}
    for path in paths:
        data = path.read_bytes()
        items = [
            *read_sources(str(path)),
            *read_bytes(data, str(path), formats.get(path.suffix, Format.MAIL)),
        ]
        for item in items:
            if isinstance(item, SourceRecord):
                check_that_an_observation_keeps(item)
        assert items or not data.strip(), path


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(list(Format)))
def test_random_bytes_never_raise(data: bytes, format: Format) -> None:
    """Bytes read as anything are problems, or records that an observation keeps to the letter."""
    for item in read_bytes(data, "x", format):
        if isinstance(item, SourceRecord):
            check_that_an_observation_keeps(item)
    detect_format("x", data)


@pytest.mark.parametrize(
    "path",
    [
        ".", "..", "entities", "entities/person", "entities/person/ada.md", "observations", "link",
        "questions/../observations", ".git", ".git/hooks",
    ],
)  # fmt: skip
def test_what_is_filed_already_is_no_source(tmp_path: Path, path: str) -> None:
    """A knowledge base's own root, what holds it, its entities and observations, and git's folder are refused; all else is read."""
    root = tmp_path / "kb"
    for folder in ("entities/person", "observations/2026", "export", "questions", ".git/hooks"):
        (root / folder).mkdir(parents=True)
    (root / "entities/person/ada.md").write_text("---\nid: ada\n---\n")
    (root / "link").symlink_to(root / "entities")
    with pytest.raises(Refused, match="no source"):
        check_sources(str(root), [str(root / "export"), str(root / path)])
    check_sources(str(root), [str(root / "export"), str(tmp_path / "elsewhere"), str(root / "questions")])  # fmt: skip


def test_a_walk_leaves_git_out(tmp_path: Path) -> None:
    """Whatever lies in a .git, at any depth and in a Maildir too, is no source."""
    for folder in (
        ".git",
        "deep/.git",
        "box/.git",
        "box/cur/",
        "box/new",
        "box/.git/cur",
        "box/.git/new",
    ):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        if ".git" in folder:
            (tmp_path / folder / "a.eml").write_bytes(MAIL)
    (tmp_path / "deep/b.eml").write_bytes(MAIL)
    assert [one.where for one in records(tmp_path)] == [str(tmp_path / "deep/b.eml")]
