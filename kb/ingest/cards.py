"""A contact file (vCard 2.1, 3.0, 4.0) → one record for each card, with a line of text for each property.

Own, since the kept reader (vobject) gives up on a whole file at a soft line break of quoted-printable, which is what
Android writes, and has had no release since 2024. A card's addresses are its keys; its phone numbers are none.
"""

import re
from collections.abc import Iterator

from kb.graph.contact_rules import normalize_phone
from kb.ingest.addresses import read_address
from kb.ingest.content_lines import (
    Component,
    Property,
    decode_lines,
    iter_components,
    read_pieces,
    read_text,
    size_of_binary,
    unescape,
)
from kb.ingest.mail_parts import attachment_line
from kb.ingest.records import (
    Attachment,
    Nature,
    Part,
    Participant,
    Problem,
    SourceRecord,
    digest_of,
    raw_record,
    source_of_content,
)
from kb.ingest.texts import clean_line, clean_text, in_short, readable, show
from kb.model.time import Date
from kb.syntax.edtf import parse_date

_LABELS = {
    "FN": "Name",
    "N": "Name in parts",
    "NICKNAME": "Nickname",
    "ORG": "Organization",
    "TITLE": "Title",
    "ROLE": "Role",
    "EMAIL": "Email",
    "TEL": "Phone",
    "ADR": "Address",
    "LABEL": "Address",
    "URL": "Link",
    "IMPP": "Messenger",
    "BDAY": "Birthday",
    "ANNIVERSARY": "Anniversary",
    "NOTE": "Note",
    "CATEGORIES": "Categories",
    "RELATED": "Related",
    "MEMBER": "Member",
    "TZ": "Time zone",
    "GEO": "Place",
    "LANG": "Language",
    "GENDER": "Gender",
    "X-SOCIALPROFILE": "Profile",
}
#: Pieces of a structured value are joined by this.
_STRUCTURED = {"N": " ", "ADR": ", ", "ORG": ", ", "GENDER": " "}
_NOT_SAID = frozenset(
    (
        "VERSION",
        "PRODID",
        "REV",
        "UID",
        "KIND",
        "SOURCE",
        "CLIENTPIDMAP",
        "X-ABLABEL",
        "X-ADDRESSBOOKSERVER-KIND",
        "SORT-STRING",
        "CLASS",
        "MAILER",
        "AGENT",
    )
)
_BINARY = frozenset(("PHOTO", "LOGO", "SOUND", "KEY"))
_KINDS = {
    "individual": Nature.INDIVIDUAL,
    "group": Nature.GROUP,
    "org": Nature.ORGANIZATION,
    "organization": Nature.ORGANIZATION,
    "location": Nature.PLACE,
}
_REVISION = re.compile(
    r"(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2}):?(\d{2})(?::?(\d{2}))?(?:[.,]\d+)?(Z|[+-]\d{2}(?::?\d{2})?)?)?"
)
_SHOWN_TYPES = re.compile(r"(?:HOME|WORK|CELL|FAX|PAGER|MAIN|IPHONE|OTHER)", re.I)
_APPLE_LABEL = re.compile(r"_\$!<([^<>]*+)>!\$_")
NO_NAME = "(no name)"


def read_cards(data: bytes, where: str) -> Iterator[SourceRecord | Problem]:
    """Read a contact file. Never raises on content."""
    warnings: list[str] = []
    number = 0
    outside: Component | None = None
    for component in iter_components(decode_lines(data, warnings)):
        if component.name == "VCARD":
            number += 1
            yield _Card(component, [*warnings]).read(f"{where}#{number}")
            warnings = []
        elif component.name:
            yield Problem(f"{where}:{component.line}", f"{show(component.name)} is no card")
        else:
            outside = component
    if number == 0 and data.strip():
        warnings.append("it holds no card; it is kept as it stands")
        yield raw_record(data, where, "contact", where.rpartition("/")[2], warnings)
    elif outside is not None:
        line, content = outside.unread[0]
        count = len(outside.unread)
        message = f"{count} lines stand outside any card and are not read, first {show(content)}"
        yield Problem(f"{where}:{line}", message, is_lost=False)


class _Card:
    """One card while it is read."""

    def __init__(self, card: Component, warnings: list[str]) -> None:
        self.card, self.warnings = card, warnings
        self.labels = {
            one.group: _APPLE_LABEL.sub(r"\1", self._value(one))
            for one in card.all("X-ABLABEL")
            if one.group
        }

    def read(self, where: str) -> SourceRecord:
        card, warnings = self.card, self.warnings
        if not card.is_closed:
            warnings.append(f"the card that begins in line {card.line} is never closed")
        raw = "\n".join(card.raw).encode("utf-8", "surrogateescape")
        name, nature = self._name()
        if not name:
            warnings.append("it has no name")
        emails = self._emails()
        phones = dict.fromkeys(
            phone for one in card.all("TEL") if (phone := normalize_phone(self._value(one)))
        )
        attachments = tuple(self._attachments())
        subject = Participant(
            Part.SUBJECT,
            tuple(f"email:{address}" for address in emails),
            name,
            nature,
        )
        fallback = next(iter(emails), "") or next(iter(phones), "") or NO_NAME
        return SourceRecord(
            source=self._source(raw),
            kind="contact",
            title=name or fallback,
            text=clean_text(self._text(attachments), warnings),
            where=where,
            digest=digest_of(raw),
            happened_at=self._revised_at(),
            participants=(subject,) if name or emails else (),
            attachments=attachments,
            warnings=in_short(warnings),
        )

    def _name(self) -> tuple[str, Nature]:
        """Give the card's name, and what it is of: FN, else the parts of N, else the organization."""
        said = self.card.value("KIND") or self.card.value("X-ADDRESSBOOKSERVER-KIND")
        nature = _KINDS.get(said.lower(), Nature.UNSAID)
        if self.card.value("X-ABSHOWAS").upper() == "COMPANY":
            nature = Nature.ORGANIZATION
        for one in self.card.all("FN"):
            if name := clean_line(self._value(one), "name", self.warnings):
                return name, nature
        for one in self.card.all("N"):
            family, given, more, before, after, *_ = [
                *read_pieces(one, ";", self.warnings),
                *[""] * 5,
            ]
            parts = (before, given, more, family, after)
            if name := clean_line(" ".join(parts), "name", self.warnings):
                return name, nature
        for one in self.card.all("ORG"):
            if name := clean_line(read_pieces(one, ";", self.warnings)[0], "name", self.warnings):
                return name, Nature.ORGANIZATION if nature is Nature.UNSAID else nature
        return "", nature

    def _emails(self) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for one in self.card.all("EMAIL"):
            value = self._value(one).strip()
            address = read_address(value)
            if address:
                found[address] = None
            elif value:
                self.warnings.append(
                    f"line {one.line}, EMAIL: {show(value)} is no address, and is no key"
                )
        return tuple(found)

    def _source(self, raw: bytes) -> str:
        uid = clean_line(unescape(self.card.value("UID")), "UID", [])
        return f"uid:{uid}" if uid and len(uid) <= 500 else source_of_content(raw)

    def _revised_at(self) -> str:
        """Give when the card was last revised, which is when it said this; "" where it does not say."""
        one = self.card.first("REV")
        if one is None:
            return ""
        match = _REVISION.fullmatch(one.value.strip())
        if match:
            year, month, day, hour, minute, second, zone = match.groups()
            date = f"{year}-{month}-{day}"
            if hour and zone:
                offset = zone if zone == "Z" else f"{zone[:3]}:{zone[3:].strip(':') or '00'}"
                moment = parse_date(f"{date}T{hour}:{minute}:{second or '00'}{offset}")
                if isinstance(moment, Date):
                    return moment.text
            whole = parse_date(date)
            if isinstance(whole, Date):
                if hour:
                    self.warnings.append(
                        f"line {one.line}, REV: {show(one.value)} has no zone: only its day is kept"
                    )
                return whole.text
        self.warnings.append(
            f"line {one.line}, REV: {show(one.value)} is no date; the time is unknown"
        )
        return ""

    def _attachments(self) -> Iterator[Attachment]:
        for one in self.card.properties:
            if one.name not in _BINARY:
                continue
            value, kind = one.value.strip(), one.parameter("MEDIATYPE") or one.parameter("TYPE")
            name = one.name.lower()
            if value[:5].lower() == "data:":
                head, _, content = value[5:].partition(",")
                yield Attachment(name, head.partition(";")[0] or kind, size_of_binary(content) or 0)
            elif value.lower().startswith(("http:", "https:")):
                yield Attachment(
                    f"{name} <{clean_line(value, 'link', [])}>", kind.lower() or "unknown", 0
                )
            else:
                size = size_of_binary(value)
                if size is None:
                    self.warnings.append(
                        f"line {one.line}, {one.name}: the base64 cannot be read; it is named"
                    )
                yield Attachment(
                    name, kind.lower() or "unknown", len(value) if size is None else size
                )

    def _text(self, attachments: tuple[Attachment, ...]) -> str:
        lines = []
        for one in self.card.properties:
            if one.name in _NOT_SAID or one.name in _BINARY:
                continue
            text = self._said(one)
            if text:
                lines.append(f"{self._label(one)}: {text}")
        for part in self.card.parts:
            lines += [f"In it, as it stands: {readable(line)}" for line in part.raw if ":" in line]
        if self.card.unread:
            number, line = self.card.unread[0]
            self.warnings.append(
                f"line {number}: {show(line)} cannot be read and is kept as it stands"
            )
        lines += [
            f"Line {number} as it stands: {readable(line)}" for number, line in self.card.unread
        ]
        if attachments:
            lines += ["", *map(attachment_line, attachments)]
        return "\n".join(lines) + "\n" if lines else ""

    def _said(self, one: Property) -> str:
        sign = _STRUCTURED.get(one.name)
        if sign is None:
            return "\n  ".join(self._value(one).strip().splitlines())
        pieces = read_pieces(one, ";", self.warnings)
        return " ".join(sign.join(piece for piece in pieces if piece).split())

    def _label(self, one: Property) -> str:
        label = _LABELS.get(one.name, one.name.removeprefix("X-").replace("-", " ").capitalize())
        types = [
            *dict.fromkeys(
                word.strip('"').lower()
                for word in one.parameter("TYPE").split(",")
                if _SHOWN_TYPES.fullmatch(word.strip('"'))
            )
        ]
        given = clean_line(self.labels.get(one.group, ""), "label", [])
        words = [given] if given else types
        return f"{label} ({', '.join(words)})" if words else label

    def _value(self, one: Property) -> str:
        return read_text(one, self.warnings)
