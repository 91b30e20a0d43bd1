"""One field of a file's frontmatter set, filled or taken away by the smallest splices. All else stays to the byte.

Whatever is spliced is parsed again: the field must read as intended and every other one as before, else nothing is
given back but a refusal. A field that is taken away goes with its own lines, comments on them included.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from kb.edits.file_texts import (
    format_list,
    format_scalar,
    is_plain_date,
    is_typed,
    quote_scalar,
)
from kb.edits.workspace import LeftAlone
from kb.syntax.front_matter import (
    FrontMatter,
    Mapping,
    Node,
    Scalar,
    Sequence,
    split_front_matter,
    to_plain,
)
from kb.syntax.source import Source
from kb.syntax.splices import Splice, apply_splices, line_end, line_start

#: One text, or a list of them.
Value = str | tuple[str, ...]

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*([ \t]+#[^\r\n]*)?")
_ITEM_PREFIX = re.compile(r"[ \t]*-[ \t]+")
_COMMA = re.compile(r"[ \t]*,[ \t]*")
_BY_HAND = "edit the file by hand"


class _Entry:
    """A field in a file's text."""

    def __init__(self, text: str, key: Scalar, value: Node) -> None:
        self.text, self.key, self.value = text, key, value

    @property
    def end(self) -> int:
        """Where what it says ends, comments and blank lines after it left out."""
        return max(_content_end(self.text, self.value), self.key.end)

    @property
    def items(self) -> tuple[Scalar, ...]:
        """The texts of a list; one text is a list of one, and what YAML calls nothing is none."""
        match self.value:
            case Scalar():
                return () if _is_null(self.value) else (self.value,)
            case Sequence(items=items):
                if not all(isinstance(item, Scalar) for item in items):
                    raise LeftAlone(f'"{self.key.text}" holds more than texts', _BY_HAND)
                return tuple(
                    item for item in items if isinstance(item, Scalar) and not _is_null(item)
                )
            case _:
                raise LeftAlone(f'"{self.key.text}" is no list of texts', _BY_HAND)


def read_field(source: Source, key: str) -> Value | None:
    """Read a field: a text, a list of texts, ``None`` where it is missing or empty."""
    entry = _find(source.text, _open(source), key)
    if entry is None or _is_null(entry.value):
        return None
    if isinstance(entry.value, Scalar):
        return entry.value.text
    return tuple(item.text for item in entry.items)


def has_field(source: Source, key: str) -> bool:
    """Say whether a field is there, be it empty."""
    return _find(source.text, _open(source), key) is not None


def with_field(
    source: Source, key: str, value: Value | None, *, keeps_empty: bool = False
) -> Source:
    """Give a file with a field set; ``None`` takes it away.

    A list that gets empty goes with its field, unless it ``keeps_empty`` its place.
    """
    front = _open(source)
    entry = _find(source.text, front, key)
    if entry is None:
        splices = [] if value is None or value == () else [_appended(source, front, key, value)]
    elif value is None:
        splices = [_removed(entry)]
    elif isinstance(value, str):
        splices = list(_scalar_splices(entry, value))
    else:
        splices = list(_list_splices(source, entry, value, keeps_empty))
    if not splices:
        return source
    after = Source(source.path, apply_splices(source.text, splices), source.has_bom)
    _prove(source, front, after, key, value)
    return after


def _open(source: Source) -> FrontMatter:
    front = split_front_matter(source.text)
    if front.fields is None:
        raise LeftAlone(
            f"{source.path} is left alone: its frontmatter does not parse",
            "mend it first: kb check",
        )
    twice = next((fault for fault in front.faults if fault.code == "KB104"), None)
    if twice is not None:
        raise LeftAlone(f"{source.path} is left alone: {twice.message}", "keep one of the two")
    return front


def _find(text: str, front: FrontMatter, key: str) -> _Entry | None:
    entries = front.fields.entries if front.fields else ()
    return next((_Entry(text, name, value) for name, value in entries if name.text == key), None)


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.is_plain and node.text in _NULLS


def _is_flow(text: str, node: Sequence | Mapping) -> bool:
    return text[node.start : node.start + 1] in ("[", "{")


def _content_end(text: str, node: Node) -> int:
    """Where a node's own text ends: YAML's marks run on to the next token."""
    match node:
        case Scalar():
            return node.start + len(text[node.start : node.end].rstrip())
        case Sequence(items=items) if items and not _is_flow(text, node):
            return _content_end(text, items[-1])
        case Mapping(entries=entries) if entries and not _is_flow(text, node):
            return max(entries[-1][0].end, _content_end(text, entries[-1][1]))
        case _:
            return node.end


def _after_line(text: str, at: int) -> int:
    """The offset after the end of the line that a place lies in."""
    end = line_end(text, at)
    return min(end + (2 if text.startswith("\r\n", end) else 1), len(text))


# -- whole fields ------------------------------------------------------------------------------------------------


def _appended(source: Source, front: FrontMatter, key: str, value: Value) -> Splice:
    """A new field, after those that are there."""
    text, fields = source.text, front.fields
    indent = ""
    if fields is not None and fields.entries:
        if _is_flow(text, fields):
            raise LeftAlone(f"{source.path}: the frontmatter is written in one {{…}}", _BY_HAND)
        first = fields.entries[0][0].start
        indent = text[line_start(text, first) : first]
        indent = indent if not indent.strip() else ""
    written = _new_scalar(value) if isinstance(value, str) else format_list(value)
    gap = " " if isinstance(value, str) else ""
    line = f"{indent}{format_scalar(key)}:{gap}{written}\n".replace("\n  - ", f"\n{indent}  - ")
    return Splice(front.block_end, front.block_end, line.replace("\n", source.newline))


def _removed(entry: _Entry) -> Splice:
    text, start = entry.text, line_start(entry.text, entry.key.start)
    if text[start : entry.key.start].strip():
        raise LeftAlone(f'"{entry.key.text}" does not stand on a line of its own', _BY_HAND)
    return Splice(start, _after_line(text, entry.end), "")


# -- one text ----------------------------------------------------------------------------------------------------


def _scalar_splices(entry: _Entry, value: str) -> Iterator[Splice]:
    node = entry.value
    if not isinstance(node, Scalar):
        raise LeftAlone(f'"{entry.key.text}" is no single text', f"unset it first, or {_BY_HAND}")
    if node.text == value and not _is_null(node):
        return
    yield _rewritten(entry.text, node, value)


def _rewritten(text: str, node: Scalar, value: str) -> Splice:
    """Replace a scalar, in the quotes that it had; a comment behind ``|`` or ``>`` stays."""
    raw = text[node.start : node.end]
    header = _BLOCK_HEADER.match(raw) if not node.is_plain else None
    comment = header[1] or "" if header else ""
    gap = " " if text[node.start - 1 : node.start] in (":", "-") else ""
    end = max(_content_end(text, node), node.start)
    return Splice(node.start, end, gap + _styled(value, text, node) + comment)


def _styled(value: str, text: str, like: Scalar) -> str:
    """Write a value as its neighbour is written, where that reads as text all the same."""
    sign = text[like.start : like.start + 1] if not like.is_plain else ""
    if sign == '"':
        return quote_scalar(value)
    if sign == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if like.is_plain and not _is_null(like) and is_typed(like.text) and is_typed(value):
        return value if value not in _NULLS else quote_scalar(value)
    return _new_scalar(value)


def _new_scalar(value: str) -> str:
    return value if is_plain_date(value) else format_scalar(value)


# -- lists -------------------------------------------------------------------------------------------------------


def _list_splices(
    source: Source, entry: _Entry, new: tuple[str, ...], keeps_empty: bool
) -> Iterator[Splice]:
    text, node, items = entry.text, entry.value, entry.items
    old = tuple(item.text for item in items)
    if old == new:
        return
    raw = text[line_start(text, entry.key.start) : line_end(text, entry.end)]
    if not new and "#" not in raw and not keeps_empty:
        yield _removed(entry)
    elif isinstance(node, Scalar):
        yield _listed(text, node, old, new)
    elif isinstance(node, Sequence) and _is_flow(text, node):
        yield from _flow_splices(text, node, items, new)
    else:
        yield from _block_splices(text, items, new, source.newline)


def _listed(text: str, node: Scalar, old: tuple[str, ...], new: tuple[str, ...]) -> Splice:
    """One text, or nothing, becomes a list."""
    end = max(_content_end(text, node), node.start)
    raw = text[node.start : end]
    is_quoted = not node.is_plain and raw[:1] in ("'", '"') and not re.search(r"[\r\n]", raw)
    kept = {old[0]: raw} if old and is_quoted else {}
    written = ", ".join(kept.get(item) or format_scalar(item) for item in new)
    gap = " " if text[node.start - 1 : node.start] == ":" else ""
    return Splice(node.start, end, f"{gap}[{written}]")


def _changes(
    old: tuple[str, ...], new: tuple[str, ...]
) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield what differs: (from, to) of the old items, and what takes their place."""
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield i1, i2, new[j1:j2]


def _flow_splices(
    text: str, node: Sequence, items: tuple[Scalar, ...], new: tuple[str, ...]
) -> Iterator[Splice]:
    old = tuple(item.text for item in items)
    for start, end, put in _changes(old, new):
        kept = min(end - start, len(put))
        for item, value in zip(items[start : start + kept], put, strict=False):
            yield Splice(item.start, item.end, _styled_in_flow(value, text, item))
        if start + kept < end:
            yield from _flow_cut(text, items, start + kept, end)
        added = [
            _styled_in_flow(value, text, items[-1]) if items else format_scalar(value)
            for value in put[kept:]
        ]
        if not added:
            continue
        at = start + kept
        if at > 0:
            place = items[at - 1].end
            yield Splice(place, place, "".join(f", {value}" for value in added))
        elif items:
            yield Splice(items[0].start, items[0].start, "".join(f"{value}, " for value in added))
        else:
            yield Splice(node.start + 1, node.start + 1, ", ".join(added))


def _styled_in_flow(value: str, text: str, like: Scalar) -> str:
    styled = _styled(value, text, like)
    return styled if styled != value or not is_plain_date(value) else format_scalar(value)


def _flow_cut(text: str, items: tuple[Scalar, ...], start: int, end: int) -> Iterator[Splice]:
    """Take items out of ``[…]`` with the commas that part them; comments between them stay."""
    if start > 0:
        span = (items[start - 1].end, items[end - 1].end)
    elif end < len(items):
        span = (items[0].start, items[end].start)
    else:
        span = (0, 0)
    cut = text[span[0] : span[1]]
    if cut and "#" not in cut:
        yield Splice(*span, "")
        return
    for item in items[start:end]:
        comma = _COMMA.match(text, item.end)
        yield Splice(item.start, comma.end() if comma else item.end, "")


def _block_splices(
    text: str, items: tuple[Scalar, ...], new: tuple[str, ...], newline: str
) -> Iterator[Splice]:
    if not items:
        raise LeftAlone("the list holds nothing but empty items", _BY_HAND)
    old = tuple(item.text for item in items)
    for start, end, put in _changes(old, new):
        kept = min(end - start, len(put))
        for item, value in zip(items[start : start + kept], put, strict=False):
            yield _rewritten(text, item, value)
        for item in items[start + kept : end]:
            _prefix_of(text, item)
            after = _after_line(text, max(_content_end(text, item), item.start))
            yield Splice(line_start(text, item.start), after, "")
        added = [_styled(value, text, items[-1]) for value in put[kept:]]
        at = start + kept
        if added and at > 0:
            item = items[at - 1]
            place = line_end(text, max(_content_end(text, item), item.start))
            prefix = _prefix_of(text, item)
            yield Splice(place, place, "".join(f"{newline}{prefix}{value}" for value in added))
        elif added:
            place, prefix = line_start(text, items[0].start), _prefix_of(text, items[0])
            yield Splice(place, place, "".join(f"{prefix}{value}{newline}" for value in added))


def _prefix_of(text: str, item: Scalar) -> str:
    prefix = text[line_start(text, item.start) : item.start]
    if not _ITEM_PREFIX.fullmatch(prefix):
        raise LeftAlone("the list is written in an unusual form", _BY_HAND)
    return prefix


# -- the proof ---------------------------------------------------------------------------------------------------


def _prove(
    before: Source, front: FrontMatter, after: Source, key: str, value: Value | None
) -> None:
    """Refuse what would not read as intended, or would change how anything else reads."""
    read = split_front_matter(after.text)
    is_proven = (
        read.fields is not None
        and front.fields is not None
        and {fault.code for fault in read.faults} <= {fault.code for fault in front.faults}
        and after.text[read.body_start :] == before.text[front.body_start :]
        and _others(read.fields, key) == _others(front.fields, key)
        and _says(after.text, read, key, value)
    )
    if not is_proven:
        what = "taken away" if value is None else "written"
        raise LeftAlone(
            f'{before.path} is left alone: "{key}" cannot be {what} there without changing more',
            _BY_HAND,
        )


def _others(fields: Mapping, key: str) -> list[tuple[str, object]]:
    return [(name.text, to_plain(node)) for name, node in fields.entries if name.text != key]


def _says(text: str, front: FrontMatter, key: str, value: Value | None) -> bool:
    entry = _find(text, front, key)
    if entry is None:
        return value is None or value == ()
    if isinstance(value, str):
        node = entry.value
        return isinstance(node, Scalar) and node.text == value and not _is_null(node)
    return value is not None and tuple(item.text for item in entry.items) == value
