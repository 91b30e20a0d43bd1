"""Mail: what each header and part becomes, and that nothing malformed costs more than itself."""

import base64
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import compat32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.ingest.addresses import Mailbox, read_addresses
from kb.ingest.encoded_words import decode_header
from kb.ingest.mail_dates import read_mail_date
from kb.ingest.mail_parser import parse_message
from kb.ingest.mails import read_mail
from kb.ingest.records import Attachment, Part, SourceRecord
from tests.ingest.records import keys_of

HEAD = b"""\
From: Dana Reyes <Dana@Northpeak.example>
To: Jordan Lee <jordan@northpeak.example>, undisclosed-recipients:;
Cc: sales@northpeak.example
Subject: Proposal and meeting
Message-ID: <20261022.4711@northpeak.example>
In-Reply-To: <4710@northpeak.example>
Date: Thu, 22 Oct 2026 09:14:00 +0200
"""


def mail(*lines: str | bytes, head: bytes = HEAD) -> SourceRecord:
    """Read a mail of the usual head and some more lines."""
    more = b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
    return next(read_mail(head + more, "a.eml"))


def test_a_plain_mail() -> None:
    """Headers give identity, time, speaker and participants; the body is the text."""
    record = mail("", "Dana set a meeting.", "")
    assert record.source == "mid:20261022.4711@northpeak.example"
    assert (record.kind, record.title) == ("email", "Proposal and meeting")
    assert record.happened_at == "2026-10-22T09:14:00+02:00"
    assert record.said_by == "email:dana@northpeak.example"
    assert [(one.part, one.keys, one.name) for one in record.participants] == [
        (Part.AUTHOR, ("email:dana@northpeak.example",), "Dana Reyes"),
        (Part.TO, ("email:jordan@northpeak.example",), "Jordan Lee"),
        (Part.CC, ("email:sales@northpeak.example",), ""),
    ]
    assert record.text == "Dana set a meeting.\n"
    assert record.warnings == ()


def test_addresses_in_the_text_are_no_participants() -> None:
    """Keys come from structure alone: an address in prose, or in a quoted mail, names nobody."""
    record = mail(
        "", "Ask eve@elsewhere.example, she knows.", "", "> From: mallory@elsewhere.example", ""
    )
    assert not any("elsewhere" in key for key in keys_of(record))


# -- addresses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw, boxes",
    [
        ("a@b.example", [("", "a@b.example")]),
        ("A B <a@b.example>, c@d.example", [("A B", "a@b.example"), ("", "c@d.example")]),
        ('"Doe, Jane" <JANE@b.example>', [("Doe, Jane", "jane@b.example")]),
        ("a@b.example (Ann (the first) B)", [("Ann the first B", "a@b.example")]),
        (
            "team: a@b.example, C <c@d.example>; e@f.example",
            [("", "a@b.example"), ("C", "c@d.example"), ("", "e@f.example")],
        ),
        ("undisclosed-recipients:;", []),
        ("=?utf-8?q?J=C3=B6rg?= <j@b.example>", [("Jörg", "j@b.example")]),
        ("'x@b.example' <x@b.example>", [("", "x@b.example")]),
        ("<@relay.example:a@b.example>", [("", "a@b.example")]),
        ("A <a@b.example> C <c@d.example>", [("A", "a@b.example"), ("C", "c@d.example")]),
        ("Ann\n Bee\n <a@b.example>", [("Ann Bee", "a@b.example")]),
        ('"a \\"b\\" c" <a@b.example>', [('a "b" c', "a@b.example")]),
        ("Dana Reyes", [("Dana Reyes", "")]),
        ("jörg@münchen.example", [("", "jörg@münchen.example")]),
    ],
)
def test_mailboxes(raw: str, boxes: list[tuple[str, str]]) -> None:
    """A list of mailboxes reads as RFC 5322 has it, and as programs write it."""
    assert read_addresses(raw, "To", []) == [Mailbox(*box) for box in boxes]


@pytest.mark.parametrize(
    "raw, addresses, warning",
    [
        ("a:b:c@d.example;;", ["c@d.example"], "To: a group stands inside a group"),
        ('"', [], "To: a quotation mark is never closed"),
        ('"Dana <d@x.example>, j@y.example', ["d@x.example", "j@y.example"], "never closed"),
        ("<a@b.example, c@d.example", ["a@b.example", "c@d.example"], '"<" is never closed'),
        ("<a b c>, d@e.example", ["d@e.example"], 'To: "a b c" is no address'),
        ("<a@localhost>", [], "is no address"),
        ("a@@b.example, c@d.example", ["c@d.example"], "is no address"),
    ],
)
def test_a_malformed_mailbox_costs_only_itself(
    raw: str, addresses: list[str], warning: str
) -> None:
    """What has no readable address is reported by header, and its neighbours are kept (CASES B54, B56)."""
    warnings: list[str] = []
    boxes = read_addresses(raw, "To", warnings)
    assert [box.address for box in boxes if box.address] == addresses
    assert any(warning in text for text in warnings), warnings


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Ann", " ", "<", ">", "a@b.example", ",", "\n ", "é", "=?utf-8?q?a?="]),
        max_size=10,
    )
)
def test_plain_headers_read_as_the_grammar_has_them(pieces: list[str]) -> None:
    """A header without quotes is split at its commas; the result is the one of the whole grammar."""
    raw = "".join(pieces)
    whole = read_addresses(f"{raw};", "To", [])  # a semicolon only closes what a comma would
    assert read_addresses(raw, "To", []) == whole


def test_case_b54_a_group_in_a_group() -> None:
    """CASES B54: the mail is read with the addresses that can be read; a warning names the header."""
    data = b"From: a@b.example\nTo: a:b:c@d.example;;\nMessage-ID: <1@b>\nDate: Fri, 25 Jun 2010 15:26:31 +0200\nSubject: s\n\nx\n"
    record = next(read_mail(data, "g.eml"))
    assert keys_of(record) == ("email:a@b.example", "email:c@d.example")
    assert record.warnings == ("To: a group stands inside a group; its addresses are read",)
    assert record.happened_at == "2010-06-25T15:26:31+02:00"


def test_case_b56_an_unclosed_quote() -> None:
    """CASES B56: the mail is read without that recipient."""
    record = next(
        read_mail(b'To: "\r\nFrom: a@b.example\r\nMessage-ID: <1@b>\r\n\r\nbody\r\n', "t.eml")
    )
    assert (keys_of(record), record.text) == (("email:a@b.example",), "body\n")
    assert "To: a quotation mark is never closed" in record.warnings


def test_of_several_authors_the_sender_speaks() -> None:
    """With several authors the one that the Sender header names said it, and all take part."""
    head = b"From: a@x.example, b@x.example\nSender: b@x.example\n"
    record = mail("", "x", head=head)
    assert record.said_by == "email:b@x.example"
    assert keys_of(record) == ("email:a@x.example", "email:b@x.example")


def test_an_author_without_an_address_speaks_by_name() -> None:
    """A name without an address is plain text, which decides nobody."""
    assert mail("", "x", head=b"From: The Committee\n").said_by == "The Committee"


# -- headers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw, text",
    [
        ("=?utf-8?B?w6TDtg==?=", "äö"),
        ("=?utf-8?Q?a_b=C3=A4?= =?utf-8?Q?c?=", "a bäc"),
        ("=?utf-8?B?w6Q?=", "ä"),
        ("=?utf-8?Q?=C3?= =?utf-8?Q?=A4?=", "ä"),
        ("=?iso-8859-1*de?Q?=E4?= and =?koi8-r?Q?=C1?=", "ä and а"),
        ("a =?utf-8?Q?b?= c", "a b c"),
        ("plain\n folded", "plain folded"),
        ("=?utf-8?B?***?=", "=?utf-8?B?***?="),
        ("=?x-nothing?Q?a=E4?=", "a\\xe4"),
        ("=?utf-8?Q?=E4?=", "\\xe4"),
        (b"caf\xc3\xa9".decode("ascii", "surrogateescape"), "café"),
        (b"caf\xe9".decode("ascii", "surrogateescape"), "caf\\xe9"),
    ],
)
def test_encoded_words(raw: str, text: str) -> None:
    """Encoded words are decoded over their joints; what cannot be decoded stays, and no charset is guessed."""
    warnings: list[str] = []
    assert decode_header(raw, "Subject", warnings) == text
    assert bool(warnings) == ("\\x" in text or text.startswith("=?"))


@pytest.mark.parametrize(
    "raw, date",
    [
        ("Thu, 22 Oct 2026 09:14:00 +0200", "2026-10-22T09:14:00+02:00"),
        ("22 Oct 2026 09:14 -0530 (a (comment))", "2026-10-22T09:14:00-05:30"),
        ("Thu, 22 Oct 2026 07:14:00 GMT", "2026-10-22T07:14:00Z"),
        ("Thu, 22 Oct 2026 07:14:00 -0000", "2026-10-22T07:14:00Z"),
        ("Thu, 22 Oct 98 07:14:00 EST", "1998-10-22T07:14:00-05:00"),
        ("2 Oct 02 7:14:00 PDT", "2002-10-02T07:14:00-07:00"),
        ("Thu,22 October 2026  09:14:00+0200", "2026-10-22T09:14:00+02:00"),
        ("Thu Oct 22 09:14:00 2026 +0200", "2026-10-22T09:14:00+02:00"),
        ("Thu Oct 22 09:14:00 UTC 2026", "2026-10-22T09:14:00Z"),
        ("2026-10-22T09:14:00+02:00", "2026-10-22T09:14:00+02:00"),
        ("31 Dec 2016 23:59:60 +0000", "2016-12-31T23:59:59+00:00"),
    ],
)
def test_dates_of_mails(raw: str, date: str) -> None:
    """A date header reads as the moment that it gives, with the offset that it gives."""
    warnings: list[str] = []
    assert read_mail_date(raw, "Date", warnings) == date
    assert warnings == []


@pytest.mark.parametrize(
    "raw, date",
    [
        ("Thu, 22 Oct 2026 09:14:00", "2026-10-22"),
        ("Thu, 22 Oct 2026 09:14:00 CEST", "2026-10-22"),
        ("Thu Oct 22 09:14:00 2026", "2026-10-22"),
        ("22 Oct 2026", "2026-10-22"),
        ("Thu, 22 Oct 2026 25:14:00 +0200", "2026-10-22"),
        ("Thu, 22 Oct 2026 09:14:00 +9900", "2026-10-22"),
        ("32 Oct 2026 09:14:00 +0200", ""),
        ("22 Foo 2026 09:14:00 +0200", ""),
        ("22/10/2026 09:14", ""),
        ("yesterday", ""),
        ("", ""),
        ("\ud800\udcff" * 300, ""),
    ],
)
def test_dates_that_are_not_whole_are_never_guessed(raw: str, date: str) -> None:
    """Without a zone that is known only the day is kept; what is no date is none; both are said."""
    warnings: list[str] = []
    assert read_mail_date(raw, "Date", warnings) == date
    assert len(warnings) == 1


def test_headers_that_stand_twice() -> None:
    """Of a header that may stand once the first counts, and that is said; recipients are read from all."""
    head = (
        b"Subject: a\nSubject: b\nTo: a@x.example\nTo: b@x.example\nDate: 1 Jan 2020 00:00 +0000\n"
    )
    record = mail("", "x", head=head)
    assert record.title == "a"
    assert keys_of(record) == ("email:a@x.example", "email:b@x.example")
    assert record.warnings == ("Subject: it stands twice; the first one counts",)


def test_an_enormous_header_is_read_in_part() -> None:
    """A header of a megabyte is cut, with a warning, and costs no more time than it must."""
    head = b"Subject: x\nTo: " + b"a@b.example,\n " * 100_000 + b"c@d.example\n"
    record = mail("", "x", head=head)
    assert keys_of(record) == ("email:a@b.example",)
    assert any(text.startswith("To: it has") for text in record.warnings)


def test_without_a_message_id_the_content_identifies() -> None:
    """Without a message id the digest does, whatever the line ends; a copy of the file is the same source."""
    one, other = (
        next(read_mail(data, "a")) for data in (b"Subject: s\n\nx\n", b"Subject: s\r\n\r\nx\r\n")
    )
    assert one.source == other.source
    assert one.source.startswith("sha256:")
    assert one.digest != other.digest


def test_marks_that_reorder_are_left_out_of_titles_and_said_of_texts() -> None:
    """A bidi override in a title or name would fake it; in a text it is the source's own and is kept."""
    record = mail("Subject: x", "", "ab\u202ecd", head="Subject: pay\u202efdp.exe\n".encode())
    assert record.title == "payfdp.exe"
    assert record.text == "ab\u202ecd\n"
    assert sum("reorder" in text for text in record.warnings) == 2


# -- bodies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, encoding, body, text",
    [
        ("text/plain; charset=utf-8", "8bit", "größer".encode(), "größer"),
        ("text/plain; charset=iso-8859-1", "8bit", "größer".encode("latin-1"), "größer"),
        ("text/plain; charset=utf-8", "quoted-printable", b"gr=C3=B6=\r\n=C3=9Fer", "größer"),
        ("text/plain; charset=utf-8", "base64", base64.b64encode("größer".encode()), "größer"),
        ("text", "7bit", b"x", "x"),
        ("nonsense", "7bit", b"x", "x"),
    ],
)
def test_bodies_are_decoded(kind: str, encoding: str, body: bytes, text: str) -> None:
    """Charset and transfer encoding are undone as declared, without a word."""
    record = mail(f"Content-Type: {kind}", f"Content-Transfer-Encoding: {encoding}", "", body)
    assert (record.text.strip(), record.warnings) == (text, ())


@pytest.mark.parametrize(
    "kind, encoding, body, text",
    [
        ("text/plain; charset=x-unheard-of", "8bit", b"a\xe4", "a\\xe4"),
        ("text/plain; charset=utf-8", "8bit", b"a\xe4", "a\\xe4"),
        ("text/plain; charset=hex", "8bit", b"6161", "6161"),
        ("text/plain", "8bit", b"a\xe4", "a\\xe4"),
        ("text/plain", "base64", b"YWJ!jZGU", "abcde"),
        ("text/plain", "base64", b"YWJjZ", "YWJjZ"),
        ("text/plain", "8bit", b"a\0b\x1b[31m", "a␀b␛[31m"),
    ],
)
def test_what_cannot_be_decoded_is_kept_and_said(
    kind: str, encoding: str, body: bytes, text: str
) -> None:
    r"""No byte is dropped: what no declared charset reads is kept as ``\xNN``, with a warning."""
    record = mail(f"Content-Type: {kind}", f"Content-Transfer-Encoding: {encoding}", "", body)
    assert record.text.strip() == text
    assert record.warnings


def test_of_alternatives_the_plain_one_is_read() -> None:
    """The plain alternative is the text, the HTML one where the plain one says nothing; attachments are named."""
    for plain, text in (("plain", "plain"), ("", "rich text <https://x.example/>")):
        message = EmailMessage()
        message.set_content(plain)
        message.add_alternative(
            "<style>p {}</style><p>rich <a href='https://x.example/'>text</a></p>", subtype="html"
        )
        message.add_attachment(
            b"x" * 100, maintype="application", subtype="pdf", filename="plän.pdf"
        )
        message.add_attachment("notes", filename="notes.txt")
        record = mail(message.as_bytes())
        attachments = (
            Attachment("plän.pdf", "application/pdf", 100),
            Attachment("notes.txt", "text/plain", 6),
        )
        assert record.attachments == attachments
        lines = "[attachment: plän.pdf, application/pdf, 100 bytes]\n[attachment: notes.txt, text/plain, 6 bytes]\n"
        assert record.text == f"{text}\n\n{lines}"


def test_file_names_in_every_form() -> None:
    """File names are read as RFC 2231 has them, over several pieces, and as encoded words."""
    part = "--b\nContent-Type: application/pdf{}\nContent-Disposition: attachment{}\n\nx\n"
    parts = [
        part.format("", "; filename*=utf-8''pl%C3%A4n.pdf"),
        part.format("", "; filename*0*=utf-8''a%20; filename*1*=%C3%A4; filename*2=\".pdf\""),
        part.format('; name="=?utf-8?q?=C3=A4.pdf?="', ""),
        part.format("", ""),
        part.format("", "; filename*=nonsense'en'a%E4.pdf"),
        part.format("", '; filename="../../etc/passwd"'),
    ]
    record = mail("Content-Type: multipart/mixed; boundary=b", "", *parts, "--b--", "")
    names = [one.name for one in record.attachments]
    assert names == ["plän.pdf", "a ä.pdf", "ä.pdf", "", names[4], "../../etc/passwd"]


def test_a_mail_in_a_mail_is_quoted() -> None:
    """A mail inside a mail is part of the text, with the headers a reader needs; its people take no part."""
    inner = "From: eve@elsewhere.example\nTo: x@y.example\nSubject: =?utf-8?q?=C3=A4?=\nReceived: from z\n\ninner text\n"
    lines = ["--b", "", "see below", "--b", "Content-Type: message/rfc822", "", inner, "--b--", ""]
    record = mail("Content-Type: multipart/mixed; boundary=b", "", *lines)
    assert record.text == (
        "see below\n\n---------- message inside this one ----------\n"
        "From: eve@elsewhere.example\nTo: x@y.example\nSubject: ä\n\ninner text\n"
    )
    assert "email:eve@elsewhere.example" not in keys_of(record)


@pytest.mark.parametrize(
    "lines, text, warning",
    [
        (["Content-Type: multipart/mixed", "", "kept text"], "kept text", "names no boundary"),
        (
            ["Content-Type: multipart/mixed; boundary=b", "", "kept text"],
            "kept text",
            "never has its boundary",
        ),
        (
            ["Content-Type: multipart/mixed; boundary=b", "", "--b", "", "kept text"],
            "kept text",
            "never closed",
        ),
        (["a line that is no header", "", "kept text"], "kept text", "without a blank line"),
    ],
)
def test_malformed_structure_is_kept_as_text(lines: list[str], text: str, warning: str) -> None:
    """A body that is no multipart, though it says so, is one text, with a warning that says why."""
    record = mail(*lines, "")
    assert text in record.text
    assert any(warning in one for one in record.warnings), record.warnings


def test_what_follows_the_last_part_is_kept() -> None:
    """Text after the last boundary, such as a list's footer, is part of the text."""
    record = mail(
        "Content-Type: multipart/mixed; boundary=b", "", "--b", "", "x", "--b--", "", "footer", ""
    )
    assert record.text == "x\n\nfooter\n"


def test_parts_nested_without_end_are_named() -> None:
    """Structure nested beyond reason is no crash and takes no time."""
    data = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000)
    )
    record = next(read_mail(b"Subject: s\n" + data, "deep.eml"))
    assert record.warnings


def test_bytes_that_are_no_mail_are_kept_raw() -> None:
    """A mail without any header is kept as it stands, every byte of it."""
    record = next(read_mail(b"\x00\x01\xff no mail", "x.eml"))
    assert record.text == "␀␁\\xff no mail"
    assert "it has no headers" in record.warnings


# -- the two ways to parse -----------------------------------------------------------------------------------------


def _tree(part: "Message[str, str]") -> object:
    payload = part.get_payload()
    inner = (
        [_tree(one) for one in payload if isinstance(one, Message)]
        if isinstance(payload, list)
        else payload
    )
    return (
        list(part.raw_items()),
        part.get_content_type(),
        inner,
        part.preamble or None,
        part.epilogue or None,
    )


_LINES = st.sampled_from(
    [
        b"",
        b"--b",
        b"--b--",
        b"--c",
        b"--c--",
        b"--b ",
        b"text",
        b"a: b",
        b"\tfolded",
        b"Content-Type: text/plain",
        b"--bb",
        b"Content-Type: multipart/mixed; boundary=b",
        b"Content-Type: multipart/alternative; boundary=c",
        b"Content-Type: message/rfc822",
        b"Content-Type: multipart/digest; boundary=c",
        b"From x",
        b"\xff",
        b"x\ry",
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_LINES, max_size=14), st.sampled_from([b"\n", b"\r\n"]))
def test_the_fast_way_and_the_library_agree(lines: list[bytes], end: bytes) -> None:
    """Where a mail is cut apart by ourselves, the result is the one that the standard library gives."""
    data = end.join([b"Content-Type: multipart/mixed; boundary=b", *lines])
    assert _tree(parse_message(data)) == _tree(message_from_bytes(data, policy=compat32))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=300), st.lists(_LINES, max_size=8))
def test_any_bytes_are_read(data: bytes, lines: list[bytes]) -> None:
    """Whatever the bytes, there is a record whose texts can be written as UTF-8."""
    for mail_bytes in (
        data,
        HEAD + data,
        b"To: " + data + b"\n\n" + data,
        b"\n".join([*lines, data, *lines]),
    ):
        record = next(read_mail(mail_bytes, "x.eml"))
        "".join(
            (record.text, record.title, record.source, *record.warnings, *keys_of(record))
        ).encode()
        assert record.title


@pytest.mark.parametrize(
    "to, said",
    [
        ("root", '"root" is no address that can be read'),
        ("root, Ann Bell, bob@x.example, <kim>", '3 are no addresses that can be read, and are left out: "root", "Ann Bell", "kim"'),
        ("=?utf-8?B?!!!?=", '"=?utf-8?B?!!!?=" is no address'),
        ("a, b, c, d", '"a", "b", "c" …'),
        ("Ann <ann\u200b@x.example>", "is no address that can be read"),
        ("undisclosed-recipients:;", ""),
        ("Undisclosed recipients:;", ""),
        ("undisclosed-recipients", ""),
        ('"undisclosed-recipients"', ""),
        ("<undisclosed-recipients:;>", ""),
        ("unlisted-recipients:; (no To-header on input)", ""),
        ("friends:;", ""),
        ("", ""),
    ],
)  # fmt: skip
@pytest.mark.parametrize("header", ["To", "Cc", "Bcc", "Sender"])
def test_recipients_without_an_address_are_counted(header: str, to: str, said: str) -> None:
    """Whoever cannot be known by an address is named in one warning a header; that nobody is named needs no word."""
    head = f"From: Ann <ann@x.example>\nMessage-ID: <1@x>\nDate: Thu, 22 Oct 2026 09:14:00 +0200\n{header}: {to}\n"
    record = next(read_mail(f"{head}\nHello.\n".encode(), "a.eml"))
    left_out = [one for one in record.warnings if "can be read" in one]
    assert len(left_out) == bool(said)
    assert all(one.startswith(f"{header}: ") and said in one for one in left_out)


def test_an_author_without_an_address_is_said_as_a_name() -> None:
    """Nothing is lost: who said it is the name. Of several that have none, each is named."""
    record = mail("", "x", head=b"From: Ann Bell\nMessage-ID: <1@x>\nDate: Thu, 22 Oct 2026 09:14:00 +0200\n")  # fmt: skip
    assert (record.said_by, record.warnings) == ("Ann Bell", ())
    record = mail("", "x", head=b"From: Ann Bell, bob@x.example\nMessage-ID: <1@x>\nDate: Thu, 22 Oct 2026 09:14:00 +0200\n")  # fmt: skip
    assert record.said_by == "email:bob@x.example"
    assert any("Ann Bell" in one for one in record.warnings)


def test_an_address_with_a_letter_of_another_script_is_warned_of() -> None:
    """It is kept, since it may be one; whoever reads the warning looks twice."""
    found: list[str] = []
    read_addresses("Dana <d\u0430na@northpeak.example>", "From", found)
    assert "CYRILLIC SMALL LETTER A" in found[0]
