"""Words into ``kb.yaml``: a line each at the end of their table. Comments, order and every other byte stay."""

from collections.abc import Sequence

from kb.edits.file_texts import format_scalar
from kb.edits.records import MissingWord
from kb.store.root import CONFIGURATION
from kb.syntax.front_matter import Mapping, Node, Scalar
from kb.syntax.front_matter import Sequence as Items
from kb.syntax.source import decode
from kb.syntax.splices import Splice, apply_splices, content_end, line_end, line_start
from kb.syntax.vocabulary_file import read_configuration
from kb.syntax.yaml_block import parse_yaml

_TABLES = ("types", "keys", "relations", "facts")


def add_words(data: bytes, words: Sequence[MissingWord]) -> bytes | None:
    """Give the bytes of ``kb.yaml`` with the words in it; ``None`` where they would not read back."""
    source = decode(CONFIGURATION, data)
    node, faults = parse_yaml(source.text)
    if faults or (node is not None and not isinstance(node, Mapping)) or not source.is_utf8:
        return None
    text, newline = source.text, source.newline
    splices: list[Splice] = []
    for table in _TABLES:
        wanted = [word for word in words if word.table == table]
        if wanted:
            splices.append(_table_edit(text, node, table, wanted, newline))
    edited = ("\ufeff" if source.has_bom else "") + apply_splices(text, splices)
    changed = edited.encode("utf-8")
    return changed if _reads_back(data, changed, words) else None


def _table_edit(
    text: str, node: Mapping | None, table: str, words: Sequence[MissingWord], newline: str
) -> Splice:
    place = node.get(table) if node is not None else None
    entries = [f"{format_scalar(word.name)}: {word.form}" for word in words]
    if isinstance(place, Mapping) and text[place.start : place.start + 1] == "{":
        inside = ", ".join(entries)
        return Splice(place.end - 1, place.end - 1, f", {inside}" if place.entries else inside)
    if isinstance(place, Mapping) and place.entries:
        first = place.entries[0][0].start
        indent = text[line_start(text, first) : first]
        end = line_end(text, _last_character(text, place))
        return Splice(end, end, "".join(f"{newline}{indent}{entry}" for entry in entries))
    lines = "".join(f"{newline}  {entry}" for entry in entries)
    if isinstance(place, Scalar):  # the table is there, and empty
        at = place.start if place.text else line_end(text, place.start)
        return Splice(at, place.end if place.text else at, lines)
    end = content_end(text)
    gap = newline * 2 if text[:end].strip() else ""
    return Splice(end, end, f"{gap}{table}:{lines}" + ("" if text[end:] else newline))


def _last_character(text: str, node: Node) -> int:
    """Where a node's own text ends: block collections claim the blank lines and comments after them too."""
    if isinstance(node, Scalar) or text[node.start : node.start + 1] in ("{", "["):
        return node.end
    inner: list[Node] = (
        list(node.items) if isinstance(node, Items) else [value for _, value in node.entries]
    )
    keys = [key.end for key, _ in node.entries] if isinstance(node, Mapping) else []
    return max([node.start, *keys, *(_last_character(text, one) for one in inner)])


def _reads_back(before: bytes, after: bytes, words: Sequence[MissingWord]) -> bool:
    old, old_faults = read_configuration(before)
    new, new_faults = read_configuration(after)
    tables = {table: getattr(new.vocabulary, table) for table in _TABLES}
    return (
        len(new_faults) <= len(old_faults)
        and old.settings == new.settings
        and all(word.name in tables[word.table] for word in words)
    )
