"""One mail's bytes → a record, and one for each event that it invites to. Keys are the addresses of its headers; nothing is taken from its text.

The standard library's parser splits headers and parts, under its oldest policy (``compat32``): the newer one reads each
header while it is asked for, and raises on many that are malformed. Addresses, dates and encoded words are read here.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from kb.graph.contact_rules import is_program_mailbox
from kb.ingest.addresses import Mailbox, read_addresses
from kb.ingest.calendars import read_invitation
from kb.ingest.encoded_words import decode_header
from kb.ingest.mail_dates import read_mail_date
from kb.ingest.mail_parser import Mail, parse_message
from kb.ingest.mail_parts import BodyReader
from kb.ingest.mailing_lists import Lists, find_lists
from kb.ingest.program_mails import find_program_mailboxes
from kb.ingest.records import (
    Nature,
    Part,
    Participant,
    SourceRecord,
    digest_of,
    raw_record,
    source_of_content,
)
from kb.ingest.texts import clean_line, in_short, show

_PARTS = (
    ("from", Part.AUTHOR),
    ("sender", Part.SENDER),
    ("to", Part.TO),
    ("cc", Part.CC),
    ("bcc", Part.BCC),
)
#: Of these all headers of a name are read, of the others the first.
_SEVERAL = (Part.TO, Part.CC, Part.BCC)
_ONCE = ("date", "from", "message-id", "subject")
_MESSAGE_ID = re.compile(r"<([^<>]++)>")
_SPACE = re.compile(r"\s+")
_MAX_HEADER = 256 * 1024
NO_SUBJECT = "(no subject)"


def read_mail(data: bytes, where: str, stored: bytes | None = None) -> Iterator[SourceRecord]:
    """Read a mail, and after it the events that it invites to. Never raises on content.

    ``stored`` are the mail's bytes as they stand in a mailbox, where those are quoted.
    """
    warnings: list[str] = []
    kept = data if stored is None else stored
    body = BodyReader(warnings)
    try:
        message = parse_message(data.removeprefix(b"\xef\xbb\xbf"))
        heads = _headers(message, warnings)
        body.read(message)
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError) as error:
        why = f"the mail cannot be taken apart ({type(error).__name__}) and is kept as it stands"
        yield raw_record(kept, where, "email", "mail that cannot be read", [why])
        return
    if not heads:
        yield raw_record(kept, where, "email", "mail without headers", ["it has no headers"])
        return
    mail = _record(heads, body, data, kept, where, warnings)
    yield mail
    for number, calendar in enumerate(body.calendars, 1):
        for event in read_invitation(calendar, f"{where}/calendar-{number}"):
            yield replace(event, mail=mail)


def _record(
    heads: dict[str, list[str]],
    body: BodyReader,
    data: bytes,
    kept: bytes,
    where: str,
    warnings: list[str],
) -> SourceRecord:
    participants = _participants(heads, warnings)
    first = {name: values[0] for name, values in heads.items()}
    title = clean_line(
        decode_header(first.get("subject", ""), "Subject", warnings), "Subject", warnings
    )
    return SourceRecord(
        source=_message_id(first.get("message-id", ""), warnings) or source_of_content(data),
        kind="email",
        title=title or NO_SUBJECT,
        text=body.text(),
        where=where,
        digest=digest_of(kept),
        happened_at=_happened_at(first, warnings),
        said_by=_said_by(participants),
        participants=participants,
        attachments=tuple(body.attachments),
        warnings=in_short(warnings),
    )


def _headers(message: Mail, warnings: list[str]) -> dict[str, list[str]]:
    """Give each header's values by its name in lower case, in their order."""
    heads: dict[str, list[str]] = {}
    for written, value in message.raw_items():
        name, text = written.lower().strip(), str(value)
        if len(text) > _MAX_HEADER:
            warnings.append(
                f"{written}: it has {len(text)} characters; the first {_MAX_HEADER} are read"
            )
            text = text[:_MAX_HEADER]
        values = heads.setdefault(name, [])
        if name in _ONCE and values and values[0].strip() != text.strip():
            warnings.append(f"{written}: it stands twice; the first one counts")
        values.append(text)
    return heads


def _participants(heads: dict[str, list[str]], warnings: list[str]) -> tuple[Participant, ...]:
    found: dict[tuple[Part, str], Participant] = {}
    lists = find_lists(heads)
    programs = find_program_mailboxes(heads, lists.has)
    for name, part in _PARTS:
        values = heads.get(name, [])[: None if part in _SEVERAL else 1]
        for box in read_addresses(",\n ".join(values), name.capitalize(), warnings):
            keys = (f"email:{box.address}",) if box.address else ()
            one = Participant(part, keys, box.name)
            if lists.has(box):
                # What a list puts in the author's place only sends what the author wrote.
                one = replace(one, nature=Nature.MAILBOX)
                if part is Part.AUTHOR:
                    _add_author(found, box, lists, warnings)
                    one = replace(one, part=Part.SENDER)
            elif box.address in programs:
                one = replace(one, nature=Nature.MAILBOX)
            known = found.get((one.part, box.address or box.name))
            if known is None or (not known.name and box.name):
                found[one.part, box.address or box.name] = one
    return tuple(found.values())


def _add_author(
    found: dict[tuple[Part, str], Participant],
    box: Mailbox,
    lists: Lists,
    warnings: list[str],
) -> None:
    """Put the author in whose place a list put itself beside it, or say that it is not known who that is."""
    author = lists.author(box)
    if author is None:
        warnings.append(
            f"From: {box.address} is a mailing list's; who wrote is not certain, and is left open"
        )
        return
    key = f"email:{author.address}"
    found[Part.AUTHOR, author.address] = Participant(Part.AUTHOR, (key,), author.name)


def _said_by(participants: tuple[Participant, ...]) -> str:
    """Give the author's key, of several authors the one who sent it; without one the sender's, else the author's name.

    What a list or a program only sent, it does not say.
    """
    authors = [one for one in participants if one.part is Part.AUTHOR]
    senders = [one for one in participants if one.part is Part.SENDER]
    keys = [key for one in authors for key in one.keys]
    sent = [key for one in senders for key in one.keys]
    both = [key for key in sent if key in keys]
    if any(one.nature is Nature.MAILBOX for one in senders):
        sent.clear()
    names = [one.name for one in authors if one.name]
    persons = [key for key in sent if not is_program_mailbox(key)]
    return next(iter((*both, *keys, *persons, *names)), "")


def _happened_at(heads: dict[str, str], warnings: list[str]) -> str:
    if "date" not in heads:
        warnings.append("it has no Date header; the time is unknown")
        return ""
    return read_mail_date(heads["date"], "Date", warnings)


def _message_id(raw: str, warnings: list[str]) -> str:
    """Give ``mid:…`` of the first id in the header; "" where there is none."""
    text = raw.strip()
    if not text:
        return ""
    match = _MESSAGE_ID.search(text)
    id = _SPACE.sub("", match.group(1) if match else text.strip("<>"))
    id = clean_line(decode_header(id, "Message-ID", []), "Message-ID", [])
    if not id or len(id) > 500 or (not match and "@" not in id):
        warnings.append(
            f"Message-ID: {show(raw)} is no message id; the content's digest stands in for it"
        )
        return ""
    return f"mid:{id}"
