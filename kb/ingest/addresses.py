"""Address lists of headers → names and addresses (RFC 5322), one mailbox at a time, whatever is wrong with its neighbours.

Python's readers differ between versions, give up on the whole header, or raise. Here a mailbox that has no readable
address is reported and the others are kept. Groups give their members.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kb.graph.keys import find_invisible, find_mixture
from kb.ingest.encoded_words import decode_header
from kb.ingest.texts import clean_line, show
from kb.model.vocabulary import KeyForm

#: A quoted string, a comment's sign, a special, white space, or a run of anything else.
_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*+"|[()<>,;:]|[ \t\r\n]++|(?:[^"()<>,;: \t\r\n\\]|\\.)++|[\\"]', re.S
)
#: What may be a key: no quoted local part, no address literal.
_ADDRESS = re.compile(
    r"[^\s@\"'<>()\[\]\\,;:\x00-\x1f]{1,64}@(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+[^\W\d_][\w-]{0,61}"
)
#: What only the whole grammar reads, and one mailbox without any of it.
_SPECIAL = re.compile(r'["():;\\]')
_PLAIN = re.compile(r"\s*+(?:([^<>@]*+)<([^<>\s]++)>|([^<>\s][^<>\s@]*+@[^<>\s]++))\s*+")
#: What mail programs write where recipients are not to be seen.
_NOBODY = re.compile(r"<?(?:undisclosed|unlisted|hidden)[\s_-]*recipients?\b", re.I)
_MAX_MAILBOXES = 2000
#: Names in a warning.
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A display name and an address; either may be ""."""

    name: str
    address: str  #: folded


def read_addresses(raw: str, header: str, warnings: list[str]) -> list[Mailbox]:
    """Read a header's mailboxes; what has no readable address is reported with the header's name."""
    found: list[Mailbox] = []
    unread: list[str] = []
    for display, inner, comment in _split(raw, header, warnings):
        name = display or comment
        if '"' in name or "=?" in name or not name.isascii() or "\\" in name:
            name = decode_header(name, header, warnings)
        name = clean_line(name, f"name in {header}", warnings)
        address = read_address(inner)
        if mixture := find_mixture(KeyForm.EMAIL, address):
            warnings.append(f"{header}: {mixture}: the address looks like another one")
        name = name.strip("'\"")
        if not address and not _NOBODY.match(inner.strip() or name):
            unread += filter(None, (inner.strip() or name,))
        if name.casefold() == address:
            name = ""
        if name or address:
            found.append(Mailbox(name, address))
        if len(found) == _MAX_MAILBOXES:
            warnings.append(f"{header}: only the first {_MAX_MAILBOXES} addresses are read")
            break
    if unread and (header != "From" or found != [Mailbox(unread[0], "")]):
        warnings.append(_say_unread(header, unread))
    return found


def _say_unread(header: str, unread: list[str]) -> str:
    """Say what has no address: nobody is known by a name. (An author without one is said as that name.)"""
    shown = ", ".join(map(show, unread[:_SHOWN]))
    if len(unread) == 1:
        return f"{header}: {shown} is no address that can be read, and is left out"
    more = " …" if len(unread) > _SHOWN else ""
    return f"{header}: {len(unread)} are no addresses that can be read, and are left out: {shown}{more}"


def read_address(text: str) -> str:
    """Give an address folded as a key has it; "" if it is none."""
    text = text.strip().strip("'")
    if text[:7].lower() == "mailto:":
        text = text[7:].partition("?")[0]
    if not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text):
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if len(text) > 320 or not _ADDRESS.fullmatch(text) or find_invisible(text):
        return ""
    return text.casefold()


def _split(raw: str, header: str, warnings: list[str]) -> Iterable[tuple[str, str, str]]:
    """Give display name, address and comment of each mailbox: at once where nothing is quoted, as in most headers."""
    if _SPECIAL.search(raw) is None:
        found = [_PLAIN.fullmatch(piece) for piece in raw.split(",")]
        if all(found):
            return [(one[1] or "", one[2] or one[3], "") for one in found if one]
    return _iter_mailboxes(raw, header, warnings)


def _iter_mailboxes(raw: str, header: str, warnings: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield display name, address and comment of each mailbox, as written and unquoted."""
    words: list[str] = []
    angle: list[str] | None = None
    route: list[str] = []
    comments: list[str] = []
    depth = cut = 0
    is_quoted = is_group = False

    def close() -> Iterator[tuple[str, str, str]]:
        nonlocal words, angle, route, comments, is_quoted
        text, inner, comment = "".join(words).strip(), "".join(route).strip(), " ".join(comments)
        if angle is not None:
            yield text, inner.rpartition(":")[2] if inner.startswith("@") else inner, comment
        elif "@" in text and not is_quoted:
            *before, last = text.split() if " " in text or "\t" in text else [text]
            yield " ".join(before), last, comment
        elif text:
            yield text, "", comment
        words, angle, route, comments, is_quoted = [], None, [], [], False

    for match in _TOKEN.finditer(raw):
        token = match.group()
        if token == "(":
            depth += 1
        elif depth:
            depth -= token == ")"
            if depth and token != ")" and token.strip():
                comments.append(token.strip())
        elif angle is not None and token == ">":
            words.append(" ")
            angle, cut = [], len(words)
        elif angle == ["<"] and token != "<":
            if token in (",", ";"):
                warnings.append(f'{header}: "<" is never closed')
                yield from close()
            else:
                route.append(token)
        elif token == "<":
            if angle is not None:
                # A comma is missing: what follows the first address names the second.
                following = words[cut:]
                del words[cut:]
                yield from close()
                words.extend(following)
            angle = ["<"]
        elif token in (",", ";"):
            yield from close()
            is_group &= token == ","
        elif token == ":":
            if is_group:
                warnings.append(f"{header}: a group stands inside a group; its addresses are read")
            is_group = True
            words.clear()
            is_quoted = False
        elif len(token) > 1 and token[0] == '"':
            is_quoted = True
            words.append(re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.S))
        elif token == '"':
            warnings.append(f"{header}: a quotation mark is never closed")
        elif token not in (")", ">"):
            words.append(" " if token.isspace() else token)
    if depth:
        warnings.append(f"{header}: a comment is never closed, and what follows is not read")
    yield from close()
