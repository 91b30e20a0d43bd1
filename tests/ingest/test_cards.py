"""Contact cards of three versions: what each property becomes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.ingest.cards import read_cards
from kb.ingest.records import Attachment, Nature, SourceRecord
from tests.ingest.records import keys_of


def card(*lines: str, version: str = "3.0", end: str = "\r\n") -> SourceRecord:
    """Read a card of some lines."""
    text = end.join(["BEGIN:VCARD", f"VERSION:{version}", *lines, "END:VCARD", ""])
    (record,) = read_cards(text.encode(), "c.vcf")
    assert isinstance(record, SourceRecord)
    return record


def test_a_card() -> None:
    """A card is of one person, who bears all its addresses; each property is a line."""
    record = card(
        "FN:Dana Reyes",
        "N:Reyes;Dana;;;",
        "ORG:Northpeak\\, Inc.;Partnerships",
        "EMAIL;TYPE=WORK:Dana@Northpeak.example",
        "EMAIL;TYPE=HOME,pref:dana@home.example",
        "TEL;TYPE=CELL:+49 (0)6221 123-45",
        "TEL:06221 555",
        "NOTE:one\\ntwo",
        "REV:20260102T030405Z",
        "UID:urn:uuid:1",
    )
    (person,) = record.participants
    assert person.keys == ("email:dana@northpeak.example", "email:dana@home.example")
    assert (person.name, person.nature) == ("Dana Reyes", Nature.UNSAID)
    assert (record.kind, record.title, record.source) == ("contact", "Dana Reyes", "uid:urn:uuid:1")
    assert (record.happened_at, record.said_by, record.warnings) == ("2026-01-02T03:04:05Z", "", ())
    assert record.text == (
        "Name: Dana Reyes\nName in parts: Reyes Dana\nOrganization: Northpeak, Inc., Partnerships\n"
        "Email (work): Dana@Northpeak.example\nEmail (home): dana@home.example\n"
        "Phone (cell): +49 (0)6221 123-45\nPhone: 06221 555\nNote: one\n  two\n"
    )


def test_case_b58_soft_line_breaks() -> None:
    """CASES B58: quoted-printable of Android goes on after a soft line break, in every property."""
    data = (
        b"BEGIN:VCARD\r\nVERSION:2.1\r\nN:Muster;Max;;;\r\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=9A=D0=BE=D0=BC=D0=BC"
        b"=D0=B5=D1=80=D1=87=D0=B5=D1=81=D0=BA=D0=B8=D0=\r\n=B9\r\nADR;WORK;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;;=65=66="
        b"\r\n=31=37=30=20=31;;;;\r\nTEL;CELL:+70000000000\r\nEND:VCARD\r\n"
    )
    (record,) = read_cards(data, "a.vcf")
    assert isinstance(record, SourceRecord)
    assert record.title == "Коммерческий"
    assert "Address (work): ef170 1\n" in record.text
    assert record.text.endswith("Phone (cell): +70000000000\n")
    assert record.warnings == ()


@pytest.mark.parametrize(
    "line, name",
    [
        ("FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:J=F6rg", "Jörg"),
        ("FN;QUOTED-PRINTABLE;CHARSET=UTF-8:J=C3=B6rg", "Jörg"),
        ("FN;ENCODING=QUOTED-PRINTABLE:J=C3=B6=\n rg", "Jö rg"),
        ("FN:J\n örg", "Jörg"),
        ("N;ENCODING=QUOTED-PRINTABLE:Reyes=3B;Dana;;;", "Dana Reyes;"),
        ("N:Reyes;Dana;Ann;Dr.;PhD", "Dr. Dana Ann Reyes PhD"),
        ("item1.FN:Jörg", "Jörg"),
        ("fn:Jörg", "Jörg"),
        ('FN;X-A="a;b:c":Jörg', "Jörg"),
        ("FN:a\u202eb", "ab"),
    ],
)
def test_names_in_every_form(line: str, name: str) -> None:
    """A name is read whatever its encoding, folding, group and parameters."""
    assert card(line, version="2.1", end="\n").title == name


def test_of_what_a_card_is() -> None:
    """Structure says what a card is of: KIND, Apple's sign of a company, or an organization alone."""
    assert card("FN:N", "KIND:org", version="4.0").participants[0].nature is Nature.ORGANIZATION
    assert card("FN:N", "KIND:group", version="4.0").participants[0].nature is Nature.GROUP
    assert card("FN:N", "X-ABShowAs:COMPANY").participants[0].nature is Nature.ORGANIZATION
    record = card("N:;;;;", "ORG:Northpeak;")
    assert (record.title, record.participants[0].nature) == ("Northpeak", Nature.ORGANIZATION)


def test_groups_label_their_properties() -> None:
    """Apple's label of a group stands with the property."""
    assert (
        "Email (Office): a@b.example"
        in card("item1.EMAIL:a@b.example", "item1.X-ABLabel:_$!<Office>!$_").text
    )


def test_several_cards_in_one_file() -> None:
    """Cards are read one after the other, whatever their version; one that is never closed ends where the next begins."""
    data = b"BEGIN:VCARD\nVERSION:2.1\nFN:A\nBEGIN:VCARD\nVERSION:4.0\nFN:B\nEND:VCARD\n\nBEGIN:VCARD\nFN:C"
    records = [one for one in read_cards(data, "c") if isinstance(one, SourceRecord)]
    assert [(one.title, one.where) for one in records] == [("A", "c#1"), ("B", "c#2"), ("C", "c#3")]
    assert [bool(one.warnings) for one in records] == [True, False, True]


def test_a_card_in_a_card_is_not_the_same_person() -> None:
    """An agent's card inside another is kept, and its address is no key of the outer one."""
    record = card(
        "FN:Boss",
        "AGENT:",
        "BEGIN:VCARD",
        "FN:Aide",
        "EMAIL:aide@x.example",
        "END:VCARD",
        "EMAIL:boss@x.example",
    )
    assert keys_of(record) == ("email:boss@x.example",)
    assert "In it, as it stands: EMAIL:aide@x.example" in record.text


@pytest.mark.parametrize(
    "line, attachment",
    [
        ("PHOTO;ENCODING=b;TYPE=JPEG:AAAA\n AAAA", Attachment("photo", "jpeg", 6)),
        ("PHOTO;BASE64;JPEG:AAAA\nAAAA\n", Attachment("photo", "jpeg", 6)),
        ("PHOTO:data:image/png;base64,AAAA", Attachment("photo", "image/png", 3)),
        (
            "LOGO;MEDIATYPE=image/png:https://x.example/l.png",
            Attachment("logo <https://x.example/l.png>", "image/png", 0),
        ),
    ],
)
def test_pictures_are_named(line: str, attachment: Attachment) -> None:
    """A picture is named with its size, however it is folded, and is no text."""
    record = card("FN:A", line, "NOTE:after", end="\n")
    assert record.attachments == (attachment,)
    assert "Note: after" in record.text
    assert "AAAA" not in record.text


@pytest.mark.parametrize(
    "line, date, warns",
    [
        ("REV:2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", False),
        ("REV:20260102T030405+0200", "2026-01-02T03:04:05+02:00", False),
        ("REV:20260102", "2026-01-02", False),
        ("REV:20260102T030405", "2026-01-02", True),
        ("REV:yesterday", "", True),
        ("REV:20261302", "", True),
        ("FN:x", "", False),
    ],
)
def test_when_a_card_was_revised(line: str, date: str, warns: bool) -> None:
    """A card says what it says when it was last revised; a time without a zone is a day."""
    record = card("FN:A", line)
    assert (record.happened_at, bool(record.warnings)) == (date, warns)


@pytest.mark.parametrize(
    "line, warning",
    [
        ("EMAIL:not an address", 'line 4, EMAIL: "not an address" is no address, and is no key'),
        ("no line at all", 'line 4: "no line at all" cannot be read and is kept as it stands'),
        ("NOTE;CHARSET=x-none;ENCODING=QUOTED-PRINTABLE:=E4", "line 4, NOTE: the charset"),
        ("NOTE:\0", "the text holds control characters"),
    ],
)
def test_damaged_lines_cost_only_themselves(line: str, warning: str) -> None:
    """What cannot be read is said with its line, and the rest of the card is read."""
    record = card("FN:A", line, "EMAIL:a@b.example")
    assert keys_of(record) == ("email:a@b.example",)
    assert any(text.startswith(warning) for text in record.warnings), record.warnings


def test_bytes_of_no_charset_are_kept() -> None:
    r"""A Latin-1 byte in a card that declares nothing is kept as ``\xNN``."""
    (record,) = read_cards(b"BEGIN:VCARD\nFN:J\xf6rg\nEND:VCARD\n", "c")
    assert isinstance(record, SourceRecord)
    assert record.title == "J\\xf6rg"
    assert "some bytes are no UTF-8" in record.warnings[0]


_PIECES = st.sampled_from(
    [
        "BEGIN:VCARD\n",
        "END:VCARD\n",
        "FN:",
        "N:",
        "a;b\n",
        ";CHARSET=",
        ";ENCODING=QUOTED-PRINTABLE:",
        "=C3",
        "=\n",
        "\n",
        " ",
        "PHOTO;BASE64:",
        "AAAA\n",
        "TEL:",
        "+49",
        "EMAIL:",
        "a@b.example\n",
        "REV:",
        "AGENT:\n",
        "\x00",
        "\\",
        '"',
        "utf-16",
        "é",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_PIECES, max_size=25), st.binary(max_size=40))
def test_any_card_is_read(pieces: list[str], data: bytes) -> None:
    """Whatever the bytes, each card is a record whose texts can be written as UTF-8."""
    for start in (b"", b"BEGIN:VCARD\n", b"\xff\xfe"):
        for item in read_cards(start + "".join(pieces).encode() + data, "c.vcf"):
            if isinstance(item, SourceRecord):
                "".join((item.text, item.title, item.source, *item.warnings)).encode()
            else:
                item.message.encode()
