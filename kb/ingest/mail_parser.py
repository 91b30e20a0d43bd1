"""A mail's bytes → the standard library's ``Message``, much faster where the mail is well formed, as it is else.

``email`` reads a body line by line. Where header and parts are as RFC 5322 and 2046 have them, they are cut apart here and
the body is left whole; for all other mails, the library decides. Both ways give the same message (tested to agree).
"""

import re
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

_HEAD_END = re.compile(rb"\r?\n\r?\n")
#: What may follow a boundary on its line.
_LINE_REST = re.compile(rb"(--)?[ \t]*(?:\r?\n|\Z)")
_DEEPEST = 20
#: No parameter stands further in a header; the library's reading of them is quadratic.
_LONGEST_VALUE = 8192

if TYPE_CHECKING:
    Mail = Message[str, str]
else:
    Mail = Message


class _Message(Mail):
    """A message whose header values are cut where they are read; ``raw_items`` has them whole."""

    def get(self, name: str, failobj: Any = None) -> Any:
        value = super().get(name, failobj)
        if value is failobj or value is None:
            return value
        return str(value)[:_LONGEST_VALUE]


_PARSER = BytesParser(_class=_Message, policy=compat32)


def parse_message(data: bytes) -> Mail:
    """Parse a mail. If any part of it is malformed, the library parses the whole."""
    message = _parse_well_formed(data, 0)
    return _PARSER.parsebytes(data) if message is None else message


def _parse_well_formed(data: bytes, depth: int) -> Mail | None:
    if depth > _DEEPEST:
        return None
    if data[:1] in (b"\n", b"\r"):
        head, body = b"", data[2:] if data.startswith(b"\r\n") else data[1:]
    elif end := _HEAD_END.search(data):
        head, body = data[: end.start()], data[end.end() :]
    else:
        return None
    if b"\r" in head.replace(b"\r\n", b"") or b"\r" in body[:200].replace(b"\r\n", b"")[:-1]:
        return None
    message = _PARSER.parsebytes(head, headersonly=True)
    if message.defects or message.get_payload():
        return None
    kind = message.get_content_maintype()
    if kind == "message":
        return None
    if kind == "multipart":
        return message if _take_parts(message, body, depth) else None
    message.set_payload(body.decode("ascii", "surrogateescape"))
    return message


def _take_parts(message: Mail, body: bytes, depth: int) -> bool:
    """Cut a body at its boundaries; say whether it has them all, each on a line of its own."""
    # The parts of a digest have another default type.
    if message.get_content_type() == "multipart/digest":
        return False
    boundary = message.get_boundary()
    if not boundary or not boundary.isascii() or "content-transfer-encoding" in message:
        return False
    cuts = _find_boundaries(body, b"--" + boundary.encode())
    if len(cuts) < 2 or not cuts[-1].is_last:
        return False
    parts: list[Mail | str] = []
    for before, after in pairwise(cuts):
        if after.start < before.end:
            return False
        part = _parse_well_formed(body[before.end : after.start], depth + 1)
        if part is None:
            return False
        parts.append(part)
    message.set_payload(parts)
    message.preamble = body[: cuts[0].start].decode("ascii", "surrogateescape") or None
    message.epilogue = body[cuts[-1].end :].decode("ascii", "surrogateescape")
    return True


class _Cut(NamedTuple):
    start: int  #: before the line end that belongs to the boundary
    end: int  #: after its own line end
    is_last: bool


def _find_boundaries(body: bytes, mark: bytes) -> list[_Cut]:
    """Find the lines that are boundaries, up to the last; none where the mark stands anywhere else."""
    cuts: list[_Cut] = []
    at = body.find(mark)
    while at >= 0:
        rest = _LINE_REST.match(body, at + len(mark))
        if rest is None or (at and body[at - 1 : at] != b"\n"):
            return []
        start = at - (body[at - 2 : at] == b"\r\n") - 1 if at else 0
        cuts.append(_Cut(max(start, 0), rest.end(), rest.group(1) is not None))
        at = body.find(mark, rest.end())
        if cuts[-1].is_last:
            return cuts if at < 0 else []
    return []
