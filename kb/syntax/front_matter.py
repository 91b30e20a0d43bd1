"""Frontmatter as text with positions: every scalar stays what was typed.

Blocks of the plainest lines are read here; all others by ``kb.syntax.yaml_block``, which is imported for them only.
"""

import re
from typing import NamedTuple

from kb.diagnostics import Fault

#: Frontmatter larger than this is not parsed (FORMAT, "flat YAML").
MAX_FRONT_MATTER = 64 * 1024

_FENCE = re.compile(r"---[ \t]*(?:\r\n|\n|\r|\Z)")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.M)
_SECOND = re.compile(r"\s*(---)[ \t]*(?:\r\n|\n|\r)[^\r\n:]*:")

# A block of the plainest lines, which most are, is read without YAML's parser: ``key: value`` with the value in one
# line, plain or in double quotes, or a flow list of such values. What is not of this form goes to the parser, which
# defines what all of it means; a test compares the two.
#
# A plain value begins with a letter, a digit or ``_``, so with no sign of YAML's; a ``:`` in it has no blank after it and
# a ``#`` none before it. In double quotes nothing is escaped. A key at the margin ends what stands above it.

#: Inside a character class: what YAML refuses or takes for a line end, and all white space but " ".
_NOT_PLAIN = r"\x00-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff\ufeff\ufffe\uffff"
_PLAIN = rf"(?=\w)(?:[^:#{_NOT_PLAIN}]++|:(?=[^ \n])|(?<! )#)++(?<! )"
_LISTED = rf"(?=\w)(?:[^:#,?\[\]{{}}{_NOT_PLAIN}]++|:(?=[^ \n,?\[\]{{}}])|(?<! )#)++(?<! )"
_QUOTED = rf"\"[^\"\\{_NOT_PLAIN}]*\""
_LIST_ITEM = rf"(?:{_LISTED}|{_QUOTED})"
_PLAIN_LINE = re.compile(
    rf"([A-Za-z_][A-Za-z0-9_-]{{,63}}): ({_PLAIN}|{_QUOTED}|(\[(?:{_LIST_ITEM}(?:, *{_LIST_ITEM})*)?\]))\n"
)
_PLAIN_ITEM = re.compile(_LIST_ITEM)
_MAX_PLAIN = 8 * 1024


class Scalar(NamedTuple):
    """A scalar as text, by its character offsets in the file."""

    text: str
    start: int
    end: int
    is_plain: bool = True


class Sequence(NamedTuple):
    """A sequence of nodes."""

    items: tuple["Node", ...]
    start: int
    end: int


class Mapping(NamedTuple):
    """A mapping; of a duplicate key the first entry counts, and the second is a fault."""

    entries: tuple[tuple[Scalar, "Node"], ...]
    start: int
    end: int

    def get(self, key: str) -> "Node | None":
        """The value of a key."""
        for name, value in self.entries:
            if name.text == key:
                return value
        return None


Node = Scalar | Sequence | Mapping


class FrontMatter(NamedTuple):
    """A file's frontmatter and where its body begins. ``fields`` is ``None`` where it does not parse."""

    fields: Mapping | None
    block_end: int  #: offset of the closing fence
    body_start: int  #: after the closing fence's line end
    faults: tuple[Fault, ...] = ()


# -- the block -------------------------------------------------------------------------------------


def find_start(text: str) -> int | None:
    """Say where the block begins, behind its fence; ``None`` where a text does not begin with one."""
    opening = _FENCE.match(text)
    return opening.end() if opening else None


def split_block(text: str) -> tuple[str, str] | None:
    """Split a text into the block and the body; ``None`` where there is no closed block."""
    start = find_start(text)
    lines = text.replace("\r", "\n") if "\r" in text else text
    closing = None if start is None else _CLOSE.search(lines, start)
    if closing is None:
        return None
    after = closing.end()
    after += 2 if text.startswith("\r\n", after) else 1
    return text[start : closing.start()], text[after:]


def to_plain(node: Node) -> object:
    """Give a node as text, list or dict."""
    match node:
        case Scalar():
            return node.text
        case Sequence():
            return [to_plain(item) for item in node.items]
        case Mapping():
            return {key.text: to_plain(value) for key, value in node.entries}


def split_front_matter(text: str) -> FrontMatter:
    """Find and parse a file's frontmatter. Never raises: what is wrong is among the faults."""
    plain = _read_plain_block(text)
    if plain is not None:
        return plain
    from kb.syntax.yaml_block import read_block

    return read_block(text)


def _read_plain_block(text: str) -> FrontMatter | None:
    """Read a block of nothing but plain lines, ``None`` where it is none: what ``kb.syntax.yaml_block.read_block`` makes of it."""
    start = at = 4
    if not text.startswith("---\n"):
        return None
    entries: dict[str, tuple[Scalar, Node]] = {}
    while at <= _MAX_PLAIN and (match := _PLAIN_LINE.match(text, at)):
        key = match[1]
        if key in entries:
            return None
        begin, end = match.span(2)
        if match[3] is None:
            value: Node = _plain_scalar(match[2], begin, end)
        else:
            items = _PLAIN_ITEM.finditer(text, begin + 1, end - 1)
            value = Sequence(
                tuple(_plain_scalar(item[0], *item.span()) for item in items), begin, end
            )
        entries[key] = (Scalar(key, at, at + len(key)), value)
        at = match.end()
    if not entries or at > _MAX_PLAIN or not text.startswith("---\n", at):
        return None
    body_start = at + 4
    fields = Mapping(tuple(entries.values()), start, at)
    return FrontMatter(fields, at, body_start, find_second_block(text, body_start))


def _plain_scalar(text: str, start: int, end: int) -> Scalar:
    if text[0] == '"':
        return Scalar(text[1:-1], start, end, False)
    return Scalar(text, start, end)


def find_second_block(text: str, body_start: int) -> tuple[Fault, ...]:
    """Report a block that follows the frontmatter."""
    second = _SECOND.match(text, body_start)
    if second is None:
        return ()
    message = "a second block follows the frontmatter; it is read as text"
    hint = "move its fields into the first block"
    return (Fault("KB110", second.start(1), second.end(1), message, hint),)


def is_larger(text: str, limit: int) -> bool:
    """Say whether a text has more bytes than a limit."""
    return 4 * len(text) > limit and len(text.encode("utf-8", "surrogatepass")) > limit
