"""A calendar file → one record for each event, to-do and journal entry. A rule of repetition is kept, never followed.

Organizer and attendees are the participants. What a reader needs to know stands in the text, a line for each property.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from kb.ingest.addresses import read_address
from kb.ingest.content_lines import (
    Component,
    Property,
    decode_lines,
    iter_components,
    read_text,
    size_of_binary,
    unescape,
)
from kb.ingest.html_text import html_to_text
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
from kb.ingest.time_zones import TimeZones
from kb.model.time import Date
from kb.syntax.edtf import parse_date

_ENTRIES = frozenset(("VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY"))
#: Components that are no entries, and are read with those that need them or tell of none.
_NO_ENTRIES = frozenset(("VTIMEZONE", "VALARM", "STANDARD", "DAYLIGHT"))
_MOMENT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(?:[.,]\d+)?(Z?))?")
_NATURES = {
    "INDIVIDUAL": Nature.INDIVIDUAL,
    "GROUP": Nature.GROUP,
    "RESOURCE": Nature.RESOURCE,
    "ROOM": Nature.PLACE,
}
#: Properties that are said in the text, and how each line begins.
_LINES = (
    ("LOCATION", "Where"),
    ("STATUS", "Status"),
    ("RRULE", "Repeats"),
    ("RDATE", "Also on"),
    ("EXDATE", "Not on"),
    ("DUE", "Due"),
    ("COMPLETED", "Completed"),
    ("PRIORITY", "Priority"),
    ("CATEGORIES", "Categories"),
    ("RESOURCES", "Resources"),
    ("RELATED-TO", "Related to"),
    ("FREEBUSY", "Busy"),
    ("URL", "Link"),
    ("CONFERENCE", "Conference"),
)
_PROSE = ("DESCRIPTION", "COMMENT", "CONTACT")
#: Properties that change with each export and say nothing of the event.
_STAMPS = ("DTSTAMP", "LAST-MODIFIED", "SEQUENCE", "CREATED")
_HTML = re.compile(r"<br\s*/?>|</(?:p|a|b|i|u|ul|ol|li|span|div|html|table)>", re.I)
_MAX_PARTICIPANTS = 2000
#: Parameters of people that name others: who sent for them, which groups they are in, whom they sent.
_BESIDES = ("SENT-BY", "MEMBER", "DELEGATED-TO", "DELEGATED-FROM")
#: Addresses in a warning.
_SHOWN = 3
#: Methods of calendars that say what is to be, and not what somebody answers.
_INVITING = frozenset(("", "REQUEST", "PUBLISH", "ADD", "CANCEL"))
NO_TITLE = "(no title)"


def read_calendar(data: bytes, where: str) -> Iterator[SourceRecord | Problem]:
    """Read a calendar file. Never raises on content."""
    warnings: list[str] = []
    text = decode_lines(data, warnings)
    number = 0
    outside: Component | None = None
    others: list[Component] = []
    for component in iter_components(text):
        entries = [component] if component.name in _ENTRIES else component.parts
        if not component.name:
            outside = component
            continue
        reader = _EntryReader(component, where)
        for entry in entries:
            if entry.name in _ENTRIES:
                number += 1
                yield reader.read(entry, number, warnings)
                warnings = []
            elif entry.name not in _NO_ENTRIES:
                others.append(entry)
    if number == 0 and data.strip():
        warnings.append("it holds no event, to-do or journal entry; it is kept as it stands")
        yield raw_record(data, where, "calendar", where.rpartition("/")[2], warnings)
        return
    for component in others:
        yield Problem(
            f"{where}:{component.line}", f"{show(component.name)} is no entry that is read"
        )
    if outside is not None:
        line, content = outside.unread[0]
        count = len(outside.unread)
        message = f"{count} lines stand outside any entry and are not read, first {show(content)}"
        yield Problem(f"{where}:{line}", message, is_lost=False)


def read_invitation(data: bytes, where: str) -> Iterator[SourceRecord]:
    """Read the entries of a mail's calendar part: what it invites to or calls off. Never raises on content.

    Answers to an invitation are left out: they say nothing of the event that their mail does not. So is an entry without a
    UID, since nothing would tell that it is the one of a calendar file.
    """
    number = 0
    for component in iter_components(decode_lines(data, [])):
        reader = _EntryReader(component, where)
        if component.name == "VCALENDAR" and reader.method in _INVITING:
            for entry in component.parts:
                if entry.name in _ENTRIES and entry.value("UID"):
                    number += 1
                    yield reader.read(entry, number, [])


class _EntryReader:
    """Reads the entries of one calendar, with its method and time zones."""

    def __init__(self, calendar: Component, where: str) -> None:
        self.zones = TimeZones(calendar)
        self.method = calendar.value("METHOD").upper() if calendar.name == "VCALENDAR" else ""
        self.where = where

    def read(self, entry: Component, number: int, warnings: list[str]) -> SourceRecord:
        warnings = list(warnings)
        raw = "\n".join(entry.raw).encode("utf-8", "surrogateescape")
        if not entry.is_closed:
            warnings.append(f"the {entry.name} that begins in line {entry.line} is never closed")
        title = clean_line(_text_of(entry, "SUMMARY", warnings), "title", warnings)
        if entry.value("STATUS").upper() == "CANCELLED" or self.method == "CANCEL":
            title = f"Cancelled: {title or NO_TITLE}"
        participants = self._participants(entry, warnings)
        attachments = tuple(_attachments(entry))
        text = self._text(entry, participants, attachments, title, warnings)
        organizers = [one for one in participants if one.part is Part.ORGANIZER]
        return SourceRecord(
            source=_source_of(entry, warnings),
            kind="calendar",
            title=title or NO_TITLE,
            text=clean_text(text, warnings),
            where=f"{self.where}#{number}",
            digest=digest_of(raw),
            happened_at=self._happened_at(entry, warnings),
            said_by=next((one.keys[0] if one.keys else one.name for one in organizers), ""),
            participants=participants,
            attachments=attachments,
            warnings=in_short(warnings),
        )

    # -- times -------------------------------------------------------------------------------------

    def _happened_at(self, entry: Component, warnings: list[str]) -> str:
        start = entry.first("DTSTART")
        if start is None:
            if entry.name == "VEVENT":
                warnings.append("it has no DTSTART; the time is unknown")
            return ""
        return self.moment(start, warnings)

    def moment(self, one: Property, warnings: list[str]) -> str:
        """Read a date or date-time as EDTF; a time whose offset is not known gives its day, "" what is none."""
        place = f"line {one.line}, {one.name}"
        match = _MOMENT.fullmatch(one.value.strip())
        day = "-".join(match.groups()[:3]) if match else ""
        whole = parse_date(day)
        if match is None or not isinstance(whole, Date):
            warnings.append(f"{place}: {show(one.value)} is no date; the time is unknown")
            return ""
        hour, minute, second, utc = match.groups()[3:]
        if hour is None:
            return whole.text
        offset = "Z" if utc else self._offset(one, match, warnings, place)
        second = "59" if second == "60" else second
        moment = parse_date(f"{day}T{hour}:{minute}:{second}{offset}") if offset else None
        if isinstance(moment, Date):
            return moment.text
        if offset:
            warnings.append(f"{place}: {show(one.value)} is no time of day: only its day is kept")
        return whole.text

    def _offset(self, one: Property, match: re.Match[str], warnings: list[str], place: str) -> str:
        zone = one.parameter("TZID")
        if not zone:
            warnings.append(
                f"{place}: {show(one.value)} has no zone (it floats): only its day is kept"
            )
            return ""
        try:
            local = datetime(*(int(part) for part in match.groups()[:5]))  # type: ignore[arg-type]
            offset = self.zones.offset(zone, local)
        except ValueError:
            offset = None
        if offset is None:
            warnings.append(
                f"{place}: the time zone {show(zone)} is not known: only the day is kept"
            )
            return ""
        minutes = round(offset.total_seconds() / 60)
        return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"

    # -- people ------------------------------------------------------------------------------------

    def _participants(self, entry: Component, warnings: list[str]) -> tuple[Participant, ...]:
        found: dict[tuple[Part, str], Participant] = {}
        named: list[tuple[str, str]] = []
        for name, part in (("ORGANIZER", Part.ORGANIZER), ("ATTENDEE", Part.ATTENDEE)):
            properties = entry.all(name)
            if len(properties) > _MAX_PARTICIPANTS:
                warnings.append(
                    f"only the first {_MAX_PARTICIPANTS} of {len(properties)} {name} lines are read"
                )
            for one in properties[:_MAX_PARTICIPANTS]:
                named += _other_addresses(one)
                person = _participant(one, part, warnings)
                if person:
                    found.setdefault((part, person.keys[0] if person.keys else person.name), person)
        warnings += _say_unread(named)
        return tuple(found.values())

    # -- text --------------------------------------------------------------------------------------

    def _text(
        self,
        entry: Component,
        participants: tuple[Participant, ...],
        attachments: tuple[Attachment, ...],
        title: str,
        warnings: list[str],
    ) -> str:
        lines = [title or NO_TITLE, ""]
        for name, label in (("DTSTART", "Start"), ("DTEND", "End")):
            lines += [f"{label}: {self._time(one)}" for one in entry.all(name)]
        lines += [f"Duration: {one.value.strip()}" for one in entry.all("DURATION")]
        lines += [f"Occurrence of: {self._time(one)}" for one in entry.all("RECURRENCE-ID")]
        if self.method in ("CANCEL", "REPLY", "COUNTER", "DECLINECOUNTER"):
            lines.append(f"Method: {self.method}")
        for name, label in _LINES:
            for one in entry.all(name):
                text = _one_line(read_text(one, warnings))
                zone = one.parameter("TZID")
                lines += [f"{label}: {text}{f' ({zone})' if zone else ''}"] if text else []
        for person in participants:
            label = "Organizer" if person.part is Part.ORGANIZER else "Attendee"
            lines.append(f"{label}: {_named(person)}")
        lines += [f"Line {number} as it stands: {readable(line)}" for number, line in entry.unread]
        if entry.unread:
            warnings.append(
                f"line {entry.unread[0][0]}: {show(entry.unread[0][1])} cannot be read and is kept as it stands"
            )
        for name in _PROSE:
            for one in entry.all(name):
                lines += ["", _prose(one, warnings)]
        if not entry.all("DESCRIPTION"):
            for one in entry.all("X-ALT-DESC"):
                lines += ["", html_to_text(read_text(one, warnings))]
        if attachments:
            lines += ["", *map(attachment_line, attachments)]
        return "\n".join(lines).rstrip("\n") + "\n"

    def _time(self, one: Property) -> str:
        """Say a time as it is written, made readable; its zone by name."""
        match = _MOMENT.fullmatch(one.value.strip())
        if match is None:
            return _one_line(one.value)
        year, month, day, hour, minute, second, utc = match.groups()
        text = f"{year}-{month}-{day}"
        if hour is None:
            # The end of an all-day event is the day after its last.
            return f"{text} (not included)" if one.name == "DTEND" else text
        text += f" {hour}:{minute}" + (f":{second}" if second != "00" else "")
        zone = "UTC" if utc else one.parameter("TZID")
        return f"{text} {zone}" if zone else text


def _participant(one: Property, part: Part, warnings: list[str]) -> Participant | None:
    name = clean_line(readable(one.parameter("CN")), f"name in line {one.line}", warnings)
    address = read_address(readable(one.value))
    if not address:
        address = read_address(one.parameter("EMAIL"))
    nature = _NATURES.get(one.parameter("CUTYPE").upper(), Nature.UNSAID)
    if not address:
        if one.value.strip().lower() not in ("", "invalid:nomail", "mailto:", "noemail"):
            warnings.append(
                f"line {one.line}, {one.name}: {show(one.value)} is no address, and is no key"
            )
        return Participant(part, (), name, nature) if name else None
    return Participant(
        part, (f"email:{address}",), "" if name.casefold() == address else name, nature
    )


def _other_addresses(one: Property) -> list[tuple[str, str]]:
    """List whom a line names besides the one that it is about: (parameter, address as written)."""
    return [
        (name, text)
        for name, value in one.parameters
        if name in _BESIDES
        for text in value.split(",")
        if text.strip()
    ]


def _say_unread(named: list[tuple[str, str]]) -> list[str]:
    """Say of each parameter how many it names, who are no participants by it."""
    said = []
    for name in dict.fromkeys(name for name, _ in named):
        texts = list(dict.fromkeys(text.strip(' "') for other, text in named if other == name))
        shown = ", ".join(map(show, texts[:_SHOWN])) + (" …" if len(texts) > _SHOWN else "")
        count = "1 address" if len(texts) == 1 else f"{len(texts)} addresses"
        said.append(f"{name} names {count}, not kept as participants: {shown}")
    return said


def _source_of(entry: Component, warnings: list[str]) -> str:
    uid = clean_line(unescape(entry.value("UID")), "UID", [])
    if not uid or len(uid) > 500:
        warnings.append("it has no UID that can be kept; the content's digest stands in for it")
        lines = [line for line in entry.raw if not line.upper().startswith(_STAMPS)]
        return source_of_content("\n".join(lines).encode("utf-8", "surrogateescape"))
    occurrence = clean_line(entry.value("RECURRENCE-ID"), "RECURRENCE-ID", [])
    return f"uid:{uid};recurrence-id={occurrence}" if occurrence else f"uid:{uid}"


def _attachments(entry: Component) -> Iterator[Attachment]:
    for one in entry.all("ATTACH"):
        kind = one.parameter("FMTTYPE") or "application/octet-stream"
        name = clean_line(one.parameter("FILENAME") or one.parameter("X-FILENAME"), "file name", [])
        if (
            one.parameter("ENCODING").upper() in ("BASE64", "B")
            or one.parameter("VALUE").upper() == "BINARY"
        ):
            yield Attachment(name, kind, size_of_binary(one.value) or 0)
        else:
            link = clean_line(one.value, "link", [])
            yield Attachment(f"{name} <{link}>" if name else link, kind, 0)


def _text_of(entry: Component, name: str, warnings: list[str]) -> str:
    one = entry.first(name)
    return read_text(one, warnings) if one else ""


def _prose(one: Property, warnings: list[str]) -> str:
    text = read_text(one, warnings).strip("\n")
    label = "" if one.name == "DESCRIPTION" else f"{one.name.capitalize()}: "
    # Some calendars put HTML where plain text is meant.
    if _HTML.search(text):
        text = html_to_text(text.replace("\n", "<br>"))
    return label + text


def _named(one: Participant) -> str:
    address = one.keys[0].removeprefix("email:") if one.keys else ""
    return f"{one.name} <{address}>" if one.name and address else one.name or address


def _one_line(text: str) -> str:
    return " ".join(readable(text).split())
