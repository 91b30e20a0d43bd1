"""What a reader makes of a source: one record for each message, event, card or note. Frozen values; decides no identity."""

from dataclasses import dataclass
from enum import Enum

from kb.ingest.texts import clean_line, in_short, read_raw
from kb.model.digests import sha256


class Part(Enum):
    """What somebody was in a source, by the field that names them."""

    AUTHOR = "from"
    SENDER = "sender"
    TO = "to"
    CC = "cc"
    BCC = "bcc"
    ORGANIZER = "organizer"
    ATTENDEE = "attendee"
    SUBJECT = "card"  #: whom a contact card is about


class Nature(Enum):
    """What the source's structure says a participant is; ``UNSAID`` where it says nothing."""

    UNSAID = ""
    INDIVIDUAL = "individual"
    GROUP = "group"
    ORGANIZATION = "organization"
    PLACE = "place"
    RESOURCE = "resource"
    MAILBOX = "mailbox"  #: several people's, such as a mailing list's or a tracker's: it says where, and not who


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody whom a source's structure names: a header, a calendar property, a card. Never taken from prose."""

    part: Part
    keys: tuple[str, ...]  #: ``email:…``, address folded; several only where one card holds them
    name: str = ""  #: display name on one line, as given there; "" where none is
    nature: Nature = Nature.UNSAID


@dataclass(frozen=True, slots=True)
class Attachment:
    """A part that is named and not kept."""

    name: str  #: "" where the part has none
    media_type: str
    size: int  #: bytes, decoded


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """One source text with what its structure says of it. All strings encode to UTF-8."""

    source: str  #: the same source has the same one: ``mid:…``, ``uid:…``, ``sha256:…``
    kind: str  #: an observation's kind: email, calendar, contact, note
    title: str  #: on one line; never empty
    text: str  #: LF line ends
    where: str  #: path, and where in the file: ``mail/box#3``
    digest: str  #: SHA-256 of the record's bytes as they stood, in hex
    happened_at: str = ""  #: an EDTF date or moment; "" where the source has none that can be read
    said_by: str = ""  #: a key, else a name as plain text, else ""
    participants: tuple[Participant, ...] = ()  #: in the source's order, each part and key once
    attachments: tuple[Attachment, ...] = ()
    mail: "SourceRecord | None" = None  #: that it came in and is a part of, as an invitation is
    warnings: tuple[str, ...] = ()  #: what could not be read as it stood, and what was done


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that became no record."""

    where: str  #: path, and where in the file
    message: str
    is_lost: bool = True  #: a source that should have been read was not


def digest_of(data: bytes) -> str:
    """Digest bytes: SHA-256 in hex."""
    return sha256(data).hexdigest()


def source_of_content(data: bytes) -> str:
    """Identify a source by its content, whatever its line ends and however many end it."""
    plain = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data
    return f"sha256:{digest_of(plain.strip(chr(10).encode()))}"


def raw_record(data: bytes, where: str, kind: str, title: str, warnings: list[str]) -> SourceRecord:
    """Keep bytes that no reader can make sense of as they stand."""
    text = read_raw(data, warnings)
    return SourceRecord(
        source=source_of_content(data),
        kind=kind,
        title=clean_line(title, "title", warnings) or "untitled",
        text=text,
        where=where,
        digest=digest_of(data),
        warnings=in_short(warnings),
    )
