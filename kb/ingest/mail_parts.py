"""The body of a mail → text and the names of its attachments. Parts are read in order; none is dropped in silence.

Of alternatives the plain one counts where it says anything, else the HTML one. A mail inside a mail is quoted whole.
"""

import re
from email.message import Message

from kb.ingest.encoded_words import decode_header
from kb.ingest.html_text import html_to_text
from kb.ingest.mail_parser import Mail
from kb.ingest.records import Attachment
from kb.ingest.texts import clean_line, clean_text, decode_text

#: Mails inside mails, and multiparts inside multiparts, are read so deep.
_DEEPEST = 20
_QUOTED_HEADERS = ("From", "To", "Cc", "Date", "Subject")
#: Types that are read as text; all others are named.
_READ = ("text/plain", "text/html", "text/enriched")
#: Types that an invitation has.
_CALENDARS = ("text/calendar", "application/ics")
_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")

#: What the standard library's parser finds, in words; what is not listed is said with its name.
_DEFECTS = {
    "NoBoundaryInMultipartDefect": "a multipart body names no boundary: it is kept as one text",
    "StartBoundaryNotFoundDefect": "a multipart body never has its boundary: it is kept as one text",
    "CloseBoundaryNotFoundDefect": "a multipart body is never closed: it is read to the end",
    "FirstHeaderLineIsContinuationDefect": "the header begins in the middle of a line",
    "MisplacedEnvelopeHeaderDefect": 'a "From " line stands among the headers and is not read',
    "MissingHeaderBodySeparatorDefect": "the header ends without a blank line: the rest is read as the body",
    "MultipartInvariantViolationDefect": "a body is called multipart and has no parts: it is kept as one text",
    "InvalidMultipartContentTransferEncodingDefect": "a multipart body has a transfer encoding, which is not applied",
    "InvalidBase64PaddingDefect": "a part's base64 ends too early: it is read as far as it goes",
    "InvalidBase64CharactersDefect": "a part's base64 holds other characters, which are left out",
    "InvalidBase64LengthDefect": "a part's base64 has an impossible length and is kept as written",
}


class BodyReader:
    """Collects a mail's text and attachments, part by part."""

    def __init__(self, warnings: list[str]) -> None:
        self.warnings = warnings
        self.texts: list[str] = []
        self.attachments: list[Attachment] = []
        self.calendars: list[bytes] = []  #: UTF-8; each is an attachment too

    def read(self, part: Mail, depth: int = 0) -> None:
        """Read one part and all in it."""
        kind = media_type(part)
        payload = part.get_payload()
        if isinstance(payload, list) and depth < _DEEPEST:
            inner = [one for one in payload if isinstance(one, Message)]
            self._parts(part, kind, inner, depth)
        elif isinstance(payload, list):
            self.warnings.append(f"parts nested deeper than {_DEEPEST} are named and not read")
            self.attachments.append(Attachment("", kind, len(bytes(part))))
        else:
            self._leaf(part, kind)
        self._defects(part)

    def text(self) -> str:
        """Give all texts in their order, and a line for each attachment."""
        blocks = [text.strip("\n") for text in self.texts if text.strip()]
        blocks += ["\n".join(map(attachment_line, self.attachments))] if self.attachments else []
        return "\n\n".join(blocks) + "\n" if blocks else ""

    def _parts(self, part: Mail, kind: str, parts: list[Mail], depth: int) -> None:
        if kind == "message/rfc822" or kind == "message/global":
            for inner in parts:
                self._quoted(inner, depth + 1)
        elif kind == "multipart/alternative":
            self._alternative(parts, depth + 1)
        else:
            for inner in parts:
                self.read(inner, depth + 1)
        epilogue = part.epilogue
        if isinstance(epilogue, str) and epilogue.strip():
            self._add(epilogue.encode("utf-8", "surrogateescape"), "", "text after the last part")

    def _alternative(self, parts: list[Mail], depth: int) -> None:
        """Read the best alternative that says anything; of the others, name what is no text."""
        order = {"text/plain": 0, "text/enriched": 2}
        ranked = sorted(parts, key=lambda part: order.get(media_type(part), 1))
        is_said = False
        for part in ranked:
            if is_said and media_type(part) in _READ:
                continue
            reader = BodyReader([])
            reader.read(part, depth)
            is_saying = any(text.strip() for text in reader.texts)
            if is_saying and not is_said:
                self.texts += reader.texts
                is_said = True
            elif is_saying:
                reader.warnings.clear()
            self.attachments += reader.attachments
            self.calendars += reader.calendars
            self.warnings += reader.warnings

    def _quoted(self, message: Mail, depth: int) -> None:
        """Quote a mail inside this one: the headers that a reader needs, then its text."""
        heads = {name.lower(): value for name, value in reversed(list(message.raw_items()))}
        lines = ["---------- message inside this one ----------"]
        for name in _QUOTED_HEADERS:
            if name.lower() in heads:
                value = decode_header(str(heads[name.lower()]), name, self.warnings)
                lines.append(f"{name}: {clean_line(value, name, self.warnings)}")
        self.texts.append("\n".join(lines))
        self.read(message, depth)

    def _leaf(self, part: Mail, kind: str) -> None:
        data = decoded_payload(part, self.warnings)
        name = self._file_name(part)
        if kind in _CALENDARS:
            text = decode_text(data, charset_of(part), "a calendar", [])
            self.calendars.append(text.encode("utf-8", "surrogateescape"))
        disposition = _plain_header(part, "content-disposition").strip().lower()
        is_text = kind in _READ or kind.startswith("multipart/")
        if kind == "message/delivery-status" or kind == "text/rfc822-headers":
            is_text = True
        if (
            not is_text
            or disposition.startswith("attachment")
            or (name and disposition.startswith("inline"))
        ):
            if name or data.strip():
                self.attachments.append(Attachment(name, kind, len(data)))
            return
        self._add(data, charset_of(part), f"the {kind} part", is_html=kind == "text/html")

    def _add(self, data: bytes, charset: str, what: str, *, is_html: bool = False) -> None:
        text = clean_text(decode_text(data, charset, what, self.warnings), self.warnings)
        self.texts.append(html_to_text(text) if is_html else text)

    def _file_name(self, part: Mail) -> str:
        try:
            name = part.get_filename()
        except (ValueError, LookupError, TypeError, AttributeError):
            self.warnings.append("an attachment's file name cannot be read and is left out")
            return ""
        if not isinstance(name, str):
            return ""
        return clean_line(
            decode_header(name, "a file name", self.warnings), "file name", self.warnings
        )

    def _defects(self, part: Mail) -> None:
        for defect in part.defects:
            name = type(defect).__name__
            text = _DEFECTS.get(name, f"the mail is malformed ({name})")
            if text not in self.warnings:
                self.warnings.append(text)


def attachment_line(attachment: Attachment) -> str:
    """Name an attachment in a text."""
    name = attachment.name or "without a name"
    return f"[attachment: {name}, {attachment.media_type}, {attachment.size} bytes]"


def media_type(part: Mail) -> str:
    """Give a part's type in lower case: ``text/plain`` where none is declared or none can be read."""
    declared = _plain_header(part, "content-type")
    if not declared:
        return part.get_default_type()
    named = declared.partition(";")[0].strip().lower()
    if named == "text":
        return "text/plain"
    return named if _TYPE.fullmatch(named) else "text/plain"


def charset_of(part: Mail) -> str:
    """Give the declared charset, "" where there is none."""
    try:
        value = part.get_param("charset")
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""
    if isinstance(value, tuple):
        value = value[2]
    return value if isinstance(value, str) else ""


def decoded_payload(part: Mail, warnings: list[str]) -> bytes:
    """Undo a part's transfer encoding; what cannot be undone is kept as written."""
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        warnings.append(
            f"a part's transfer encoding cannot be undone ({error}): it is kept as written"
        )
        data = None
    if isinstance(data, bytes):
        return data
    payload = part.get_payload()
    return payload.encode("utf-8", "surrogateescape") if isinstance(payload, str) else b""


def _plain_header(part: Mail, name: str) -> str:
    """Give a header's first value as text, whatever bytes it holds."""
    for key, value in part.raw_items():
        if key.lower() == name:
            return str(value)
    return ""
