"""Minimal edits of a text: stretches replaced by others, all the rest kept. Never decides what to write."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from kb.model.statement import Link
from kb.syntax.inline import quote_target

#: A Markdown link up to its target, as ``kb.syntax.inline`` reads it.
_UP_TO_TARGET = re.compile(
    r"\[(?:\\.|\[(?:\\.|[^\[\]\\])*\]|[^\[\]\\])*\]\(\s*(?:<(?P<angled>(?:\\.|[^<>\\\r\n])*)>|(?P<plain>(?:\\.|\((?:\\.|[^()\\\s])*\)|[^()\\\s])*))"
)


@dataclass(frozen=True, slots=True)
class Splice:
    """The characters from ``start`` to ``end`` become ``text``; equal offsets insert."""

    start: int
    end: int
    text: str


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """Apply splices that do not overlap; insertions at one place keep the order in which they are given."""
    pieces, at = [], 0
    for splice in sorted(splices, key=lambda splice: (splice.start, splice.end)):
        if splice.start < at or splice.end < splice.start or splice.end > len(text):
            raise ValueError(f"splices overlap or leave the text at {splice.start}")
        pieces += [text[at : splice.start], splice.text]
        at = splice.end
    return "".join((*pieces, text[at:]))


def retarget_link(text: str, link: Link, target: str) -> Splice | None:
    """Lead a Markdown link to another path; label, anchor, title and the kind of brackets stay.

    ``None`` where its target does not stand in the text as it was read.
    """
    match = _UP_TO_TARGET.match(text, link.start, link.end)
    if match is None:
        return None
    group = "plain" if match["angled"] is None else "angled"
    raw = match[group]
    path_end = min((at for at in (raw.find("#"), raw.find("?")) if at >= 0), default=len(raw))
    start = match.start(group)
    return Splice(start, start + path_end, quote_target(target))


def line_start(text: str, at: int) -> int:
    """Give the offset of the first character of the line that a place lies in."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def line_end(text: str, at: int) -> int:
    """Give the offset of the end of the line that a place lies in, its line end excluded."""
    ends = [end for end in (text.find("\n", at), text.find("\r", at)) if end >= 0]
    return min(ends, default=len(text))


def content_end(text: str) -> int:
    """Give the end of the last line that is not blank, so that what follows it are blank lines only."""
    bare = len(text.rstrip())
    return line_end(text, bare)


def insert_below(text: str, end: int, lines: str, newline: str) -> Splice:
    """Insert lines below the line that ends at a place; it keeps its own line end."""
    after = end + (2 if text.startswith("\r\n", end) else text.startswith(("\n", "\r"), end))
    if after == end:
        return Splice(end, end, f"{newline}{lines}")
    return Splice(after, after, f"{lines}{newline}")
