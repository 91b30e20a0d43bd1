"""A statement's line and what it is to say → the splices that change it. The author's spacing, order and bullet stay.

Only what differs is touched: time, confidence, ``auto-``, ``retracted``, ``superseded by``, the note, further citations,
the id. Proves nothing; ``kb.edits.statement_file`` reads the outcome again.
"""

from collections.abc import Iterator
from typing import NamedTuple

from kb.model.statement import StatementLine
from kb.syntax.inline import mask
from kb.syntax.qualifiers import iter_qualifiers, qualifier_kind
from kb.syntax.splices import Splice
from kb.syntax.statement_lines import closing_parenthesis
from kb.syntax.statement_texts import format_note

#: The kinds of qualifiers in their canonical order.
_ORDER = ("interval", "confidence", "by", "auto", "retracted", "superseded_by")


class UnclearLine(ValueError):
    """The line is written in a way that no splice can be told for."""


class _Item(NamedTuple):
    """One item of a parenthesis, without the blanks around it, and the comma before it."""

    kind: str  #: empty: no qualifier
    start: int
    end: int
    comma: int  #: -1: the first


def splice_statement(text: str, line: StatementLine, wanted: StatementLine) -> list[Splice]:
    """Plan what makes a line of a text say what is wanted. Citations are only added, and stay in their order."""
    after = _after_object(text, line)
    splices = _qualifier_splices(text, line, wanted, after)
    if wanted.note and wanted.note != line.note:
        splices.append(_note_splice(text, line, wanted, wanted.note, after))
    cited = "".join(
        f" [^{citation.observation}]" for citation in wanted.citations[len(line.citations) :]
    )
    if cited:
        at = line.citations[-1].end if line.citations else _before_id(text, line)
        splices.append(Splice(at, at, cited))
    if wanted.id != line.id and line.id is None:
        splices.append(Splice(line.end, line.end, f" ^{wanted.id}"))
    return splices


def _after_object(text: str, line: StatementLine) -> int:
    """Give the end of the object or of the parenthesis that follows it."""
    if not line.qualifiers_start:
        return line.object_end
    masked = mask(text[line.start : line.end])
    closing = closing_parenthesis(
        masked, line.qualifiers_start - 1 - line.start, line.end - line.start
    )
    if closing is None:
        raise UnclearLine("its parenthesis is not closed")
    return line.start + closing + 1


def _before_id(text: str, line: StatementLine) -> int:
    """Give the end of what stands before the id."""
    end = line.end if line.id is None else line.end - len(line.id) - 1
    return line.start + len(text[line.start : end].rstrip())


# -- qualifiers --------------------------------------------------------------------------------------------------


def _qualifier_splices(
    text: str, line: StatementLine, wanted: StatementLine, after: int
) -> list[Splice]:
    old, new = _qualifiers(line), _qualifiers(wanted)
    if old == new:
        return []
    written = ", ".join(new[kind] for kind in _ORDER if kind in new)
    if not line.qualifiers_start:
        return [Splice(after, after, f" ({written})")]
    start, end = line.qualifiers_start, after - 1
    items = list(_iter_items(text, start, end))
    if not any(item.start < item.end for item in items):
        return [Splice(start, end, written)]
    kept = [item for item in items if item.kind not in old or item.kind in new]
    if not kept and not new:
        before = line.object_start + len(text[line.object_start : start - 1].rstrip())
        return [Splice(before, after, "")]
    if not kept:
        return [Splice(items[0].start, items[-1].end, written)]
    splices = [
        Splice(item.start, item.end, new[item.kind])
        for item in items
        if item.kind in old and item.kind in new and old[item.kind] != new[item.kind]
    ]
    splices += [_without(items, item) for item in items if item not in kept]
    added = [kind for kind in _ORDER if kind in new and kind not in old]
    return [*splices, *_added(kept, [(kind, new[kind]) for kind in added])]


def _qualifiers(line: StatementLine) -> dict[str, str]:
    present = [
        kind for kind in _ORDER if getattr(line, kind) is not None and getattr(line, kind) != 0
    ]
    if line.confidence == 0:
        present.insert("interval" in present, "confidence")
    return dict(zip(present, iter_qualifiers(line), strict=True))


def _iter_items(text: str, start: int, end: int) -> Iterator[_Item]:
    """Take a parenthesis apart. Of two items of one kind the first is the one that is read."""
    comma, seen = -1, set()
    for piece in text[start:end].split(","):
        item = piece.strip()
        at = start + len(piece) - len(piece.lstrip())
        kind = qualifier_kind(item)
        yield _Item("" if kind in seen else kind, at, at + len(item), comma)
        seen.add(kind)
        comma = start + len(piece)
        start = comma + 1


def _without(items: list[_Item], item: _Item) -> Splice:
    """Remove an item with the comma that goes with it."""
    if item.comma >= 0:
        return Splice(item.comma, item.end, "")
    return Splice(item.start, items[1].start, "")


def _added(kept: list[_Item], added: list[tuple[str, str]]) -> list[Splice]:
    """Insert qualifiers, each behind the last that goes before it in the canonical order."""
    splices = []
    for kind, written in added:
        rank = _ORDER.index(kind)
        earlier = [item for item in kept if not item.kind or _ORDER.index(item.kind) < rank]
        if earlier:
            splices.append(Splice(earlier[-1].end, earlier[-1].end, f", {written}"))
        else:
            splices.append(Splice(kept[0].start, kept[0].start, f"{written}, "))
    return splices


# -- the note ----------------------------------------------------------------------------------------------------


def _note_splice(
    text: str, line: StatementLine, wanted: StatementLine, note: str, after: int
) -> Splice:
    written = format_note(note, line.section, is_qualified=bool(_qualifiers(wanted)))
    if not line.note_start:
        return Splice(after, after, f" — {written}")
    stop = line.citations[0].start if line.citations else _before_id(text, line)
    end = line.note_start + len(text[line.note_start : stop].rstrip())
    return Splice(line.note_start, end, written)
