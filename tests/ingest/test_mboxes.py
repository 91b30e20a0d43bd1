"""Mailboxes: where a mail begins, and what its quoting becomes."""

import io
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from kb.ingest.mails import read_mail
from kb.ingest.mboxes import MboxForm, iter_mbox
from kb.ingest.read_sources import read_sources
from kb.ingest.records import Problem, SourceRecord

FROM = b"From dana@northpeak.example Thu Oct 22 09:14:00 2026\n"


def read(data: bytes, form: MboxForm = MboxForm.RD) -> list[SourceRecord]:
    """Read a mailbox in which nothing is a problem."""
    items = list(iter_mbox(io.BytesIO(data), "box", form))
    assert all(isinstance(item, SourceRecord) for item in items)
    return [item for item in items if isinstance(item, SourceRecord)]


def test_case_b52_quoting_is_undone() -> None:
    """CASES B52: one ``>`` is taken from each quoted line, and the digest is of the bytes as stored."""
    stored = b"From: a@b.example\nMessage-ID: <1@b>\nSubject: s\n\n>From here\n>>From there\n"
    (record,) = read(b"From a@b Thu Jan  1 00:00:00 2020\n" + stored)
    assert record.text == "From here\n>From there\n"
    assert record.source == "mid:1@b"
    assert record.digest == next(read_mail(stored, "x")).digest


def test_mboxo_takes_only_what_it_quoted() -> None:
    """In an mboxo file ``>>From`` is what its author wrote."""
    (record,) = read(FROM + b"Subject: s\n\n>From here\n>>From there\n", MboxForm.O)
    assert record.text == "From here\n>>From there\n"


def test_a_mail_has_one_identity_in_a_mailbox_and_as_a_file() -> None:
    """Without a message id, the copy in a mailbox and the one in a file are the same source."""
    plain = b"Subject: s\n\nFrom here\n"
    (record,) = read(FROM + plain.replace(b"\nFrom ", b"\n>From ") + b"\n")
    assert record.source == next(read_mail(plain.replace(b"\n", b"\r\n"), "s.eml")).source


def test_only_a_dated_line_after_a_blank_one_separates() -> None:
    """A text may hold lines that begin with "From", after a blank line too."""
    data = (
        FROM
        + b"Subject: a\n\nFrom here on\n\nFrom now on\nx\n"
        + FROM
        + b"\n"
        + FROM
        + b"Subject: b\n\ny\n"
    )
    first, second = read(data)
    assert first.text == "From here on\n\nFrom now on\nx\n" + FROM.decode()
    assert (second.title, second.where) == ("b", "box#2")


def test_separators_of_many_programs() -> None:
    """Addresses with blanks, missing addresses, zones and ISO dates separate all the same."""
    lines = [
        b"From - Thu Oct 22 09:14:00 2026",
        b"From dana at northpeak.example  Thu Oct 22 09:14:00 2026",
        b"From MAILER-DAEMON Thu Oct 22 09:14:00 2026 +0200",
        b"From x@y 2026-10-22T09:14:00+00:00",
        b"From 123@xxx Thu Oct 22 09:14:00 +0000 2026",
    ]
    assert len(read(b"".join(line + b"\nSubject: s\n\nx\n\n" for line in lines))) == len(lines)


def test_a_mailbox_is_read_one_mail_at_a_time() -> None:
    """No more than a mail is held: the first is given before the second was read."""

    class Counting(io.BytesIO):
        count = 0

        def readline(self, size: int | None = -1, /) -> bytes:
            self.count += 1
            return super().readline(size)

    file = Counting((FROM + b"Subject: s\n\nx\n\n") * 1000)
    items: Iterator[SourceRecord | Problem] = iter_mbox(file, "box")
    next(items)
    assert file.count < 20


def test_an_empty_mail_is_a_problem_and_costs_nothing_else(tmp_path: Path) -> None:
    """A separator with nothing after it is reported by number."""
    path = tmp_path / "box"
    path.write_bytes(FROM + b"\n" + FROM + b"Subject: s\n\nx\n")
    empty, record = read_sources(str(path))
    assert empty == Problem(f"{path}#1", "the mail is empty", is_lost=False)
    assert isinstance(record, SourceRecord)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from([FROM, b"From ", b">From x\n", b"\n", b"\r\n", b"a: b\n", b"\xff\0", b"x"]),
        max_size=12,
    )
)
def test_any_mailbox_is_read(pieces: list[bytes]) -> None:
    """Whatever the bytes, each mail is a record or a problem."""
    for form in MboxForm:
        list(iter_mbox(io.BytesIO(b"".join(pieces)), "box", form))
