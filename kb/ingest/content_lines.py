r"""Content lines, which calendars and contact cards are made of (RFC 5545, 6350, and vCard 2.1) → nested components.

Each line is read by itself, with its number: a damaged one is kept as it stands and costs nothing else. A component that
is never closed ends with the file, or where another of its kind begins.
"""

import binascii
import codecs
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.ingest.texts import decode_text

_NAME = re.compile(r"(?:(?P<group>[A-Za-z0-9_-]+)\.)?(?P<name>[A-Za-z0-9_-]+)\s*(?=[;:])")
#: One parameter: quoted text, escaped characters, or anything up to the next ``;`` or ``:``.
_PARAMETER = re.compile(
    r';\s*+([A-Za-z0-9_-]*+)\s*+(=?)\s*+((?:"[^"]*"|\\.|[^;:"\\]|["\\])*?)(?=[;:]|\Z)'
)
_QUOTED_PARAMETER = re.compile(
    r';\s*+([A-Za-z0-9_-]++)\s*+(=)\s*+((?:"[^"]*+"|\\.|[^;:"\\])++)(?=[;:])'
)
_LINE_END = re.compile(r"\r\n|\n|\r")
_CARET = {"^n": "\n", "^N": "\n", "^^": "^", "^'": '"'}
_ENCODINGS = frozenset(("QUOTED-PRINTABLE", "BASE64", "8BIT", "7BIT", "B"))
_BASE64 = re.compile(r"[A-Za-z0-9+/=]+")
_DEEPEST = 50


@dataclass(frozen=True, slots=True)
class Property:
    """One content line. The value is unfolded and as written; nothing in it is unescaped."""

    line: int  #: 1-based, of the line on which it begins
    group: str
    name: str  #: in upper case
    parameters: tuple[
        tuple[str, str], ...
    ]  #: names in upper case; values unquoted, of one without a name "TYPE"
    value: str

    def parameter(self, name: str) -> str:
        """Give a parameter's value; several are joined by commas, "" where there is none."""
        return ",".join(value for key, value in self.parameters if key == name)


@dataclass(slots=True)
class Component:
    """What stands between a BEGIN and its END. ``unread`` are lines that are no content lines."""

    name: str
    line: int
    properties: list[Property] = field(default_factory=list)
    parts: list["Component"] = field(default_factory=list)
    unread: list[tuple[int, str]] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)  #: its lines, unfolded, its parts' included
    is_closed: bool = False

    def all(self, name: str) -> list[Property]:
        """Give the properties of a name, in order."""
        return [one for one in self.properties if one.name == name]

    def first(self, name: str) -> Property | None:
        """Give the first property of a name."""
        return next((one for one in self.properties if one.name == name), None)

    def value(self, name: str) -> str:
        """Give the first value of a name as written, "" where there is none."""
        found = self.first(name)
        return found.value.strip() if found else ""


def decode_lines(data: bytes, warnings: list[str]) -> str:
    """Decode a file: by its BOM, else as UTF-8; other bytes stand as surrogates, for a CHARSET to read."""
    for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        if data.startswith(mark):
            return decode_text(data, "utf-16", "the file", warnings)
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")


def iter_components(text: str) -> Iterator[Component]:
    """Yield the outermost components; last, in one named "", the lines that stand outside any."""
    outside = Component("", 1)
    stack: list[Component] = []
    for number, line in _unfold(text):
        head = line[:6].upper()
        if head.startswith("BEGIN:"):
            name = line[6:].strip().upper()
            if any(one.name == name for one in stack) and not _holds_cards(stack[-1]):
                yield from _close(stack, name, is_closed=False)
            if len(stack) < _DEEPEST:
                _note(stack, line)
                stack.append(Component(name, number, raw=[line]))
                continue
        if not stack:
            if line.strip():
                outside.unread.append((number, line))
            continue
        _note(stack, line)
        if head.startswith("END:"):
            name = line[4:].strip().upper()
            if any(one.name == name for one in stack):
                yield from _close(stack, name, is_closed=True)
            else:
                stack[-1].unread.append((number, line))
            continue
        found = parse_line(number, line)
        if found:
            stack[-1].properties.append(found)
        elif line.strip():
            stack[-1].unread.append((number, line))
    if stack:
        yield from _close(stack, stack[0].name, is_closed=False)
    if outside.unread:
        yield outside


def _close(stack: list[Component], name: str, *, is_closed: bool) -> Iterator[Component]:
    """Take components off, the innermost of a name and all in it; yield it if it is in no other."""
    while stack:
        done = stack.pop()
        is_it = done.name == name
        done.is_closed = is_it and is_closed
        if stack:
            stack[-1].parts.append(done)
        else:
            yield done
        if is_it:
            return


def _holds_cards(component: Component) -> bool:
    """Say whether a card may begin here in another: after ``AGENT:`` (vCard 2.1)."""
    last = component.properties[-1] if component.properties else None
    return last is not None and last.name == "AGENT" and not last.value.strip()


def parse_line(number: int, line: str) -> Property | None:
    """Parse one unfolded line; ``None`` if it is no content line."""
    head = _NAME.match(line)
    if head is None:
        return None
    at, parameters = head.end(), []
    while at < len(line) and line[at] == ";":
        match = _QUOTED_PARAMETER.match(line, at) or _PARAMETER.match(line, at)
        if match is None:
            return None
        name, sign, value = match.groups()
        parameters.append(_parameter(name.upper(), bool(sign), value))
        at = match.end()
    if line[at : at + 1] != ":":
        return None
    return Property(
        number, head["group"] or "", head["name"].upper(), tuple(parameters), line[at + 1 :]
    )


def unescape(value: str) -> str:
    r"""Undo the escapes of a text value: ``\n``, ``\,``, ``\;``, ``\\``; any other stands for its character."""
    if "\\" not in value:
        return value
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] in "nN" else found[1], value, flags=re.S)


def split_value(value: str, sign: str) -> list[str]:
    """Split a structured value at a sign that is not escaped; the pieces are not unescaped."""
    pieces, start, at = [], 0, 0
    while at < len(value):
        if value[at] == "\\":
            at += 2
            continue
        if value[at] == sign:
            pieces.append(value[start:at])
            start = at + 1
        at += 1
    return [*pieces, value[start:]]


def read_text(one: Property, warnings: list[str]) -> str:
    """Read a text value: quoted-printable and charset (vCard 2.1) undone, then its escapes."""
    return _read(one, one.value, warnings)


def read_pieces(one: Property, sign: str, warnings: list[str]) -> list[str]:
    """Read the pieces of a structured value, each by itself, so that what stands for a sign separates nothing."""
    return [_read(one, piece, warnings).strip() for piece in split_value(one.value, sign)]


def _read(one: Property, value: str, warnings: list[str]) -> str:
    charset = one.parameter("CHARSET")
    is_quoted = "QUOTED-PRINTABLE" in one.parameter("ENCODING").upper()
    if not is_quoted and value.isascii():
        return unescape(value)
    data = value.encode("utf-8", "surrogateescape")
    if is_quoted:
        data = quopri.decodestring(re.sub(rb"=[ \t]*\Z", b"", data))
    what, found = f"line {one.line}, {one.name}", list[str]()
    text = decode_text(data, charset, what, found)
    if not found:
        return unescape(text)
    warnings += found
    # The escapes are undone first, lest one for a byte that no charset reads be taken for one of them.
    data = re.sub(rb"\\(.)", lambda sign: b"\n" if sign[1] in b"nN" else sign[1], data, flags=re.S)
    return decode_text(data, charset, what, [])


def size_of_binary(value: str) -> int | None:
    """Give the size of base64 in bytes, ``None`` if it is none."""
    packed = "".join(value.split())
    try:
        return len(binascii.a2b_base64(packed + "=" * (-len(packed) % 4)))
    except ValueError:
        return None


def _note(stack: list[Component], line: str) -> None:
    # Deeper down, the lines stand in an outer component already.
    for one in stack[:3]:
        if one.name != "VCALENDAR":
            one.raw.append(line)


def _unfold(text: str) -> Iterator[tuple[int, str]]:
    """Yield each logical line with the number of its first physical one."""
    pending, start = "", 0
    parts: list[str] = []
    is_quoted = is_base64 = False
    for number, line in enumerate(_LINE_END.split(text), 1):
        if is_quoted and parts:
            # A soft line break of quoted-printable: the next line goes on, whatever it begins with.
            parts[-1] = parts[-1].rstrip(" \t")[:-1]
            parts.append(line[1:] if line[:1] in (" ", "\t") and line[1:2] == "=" else line)
            is_quoted = line.rstrip(" \t").endswith("=")
            continue
        if not line:
            # Some files are double-spaced: an empty line ends nothing but unfolded base64.
            is_base64 = False
            continue
        if line[:1] in (" ", "\t") and parts:
            parts.append(line.strip() if is_base64 else line[1:])
            continue
        if is_base64 and line and _BASE64.fullmatch(line):
            parts.append(line)
            continue
        if parts:
            yield start, "".join(parts)
        pending, start, parts = line, number, [line]
        head = pending.partition(":")[0].upper() if ":" in pending else ""
        is_base64 = ";" in head and ("BASE64" in head or "ENCODING=B" in head)
        is_quoted = "QUOTED-PRINTABLE" in head and ";" in head and line.rstrip(" \t").endswith("=")
    if parts:
        yield start, "".join(parts)


def _parameter(name: str, has_sign: bool, value: str) -> tuple[str, str]:
    """Read one parameter; a bare word is a type or an encoding (vCard 2.1)."""
    if not has_sign:
        word = name or value.strip().upper()
        return (
            "ENCODING" if word in _ENCODINGS else "CHARSET" if word == "UTF-8" else "TYPE",
            word,
        )
    text = value.strip()
    if '"' in text:
        text = text.replace('"', "")
    if "\\" in text:
        text = unescape(text)
    if "^" in text:
        text = re.sub(r"\^[nN^']", lambda found: _CARET[found.group()], text)
    return name, text
