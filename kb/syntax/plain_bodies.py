"""The bodies that hold nothing but paragraphs, then sections of items in one line each, and footnotes in one line each.

Most do. They are read block by block, without the automaton of ``kb.syntax.sections``, which defines what a body is; a test
compares the two. No line of such a block begins with anything but a letter, ``- `` and a letter, ``[^`` or a section's
heading, so that none opens anything else; and what follows it at the margin, a blank line between if need be, does not
continue it.
"""

import re

from kb.model.entity import Footnote
from kb.model.statement import Section
from kb.syntax.body import SECTIONS, Body, Item

_LETTER = r"[^\W\d_]"
#: Ends an item, a footnote or a paragraph: the text's end, a blank line before something at the margin, or its like.
_END = r"(?:\n(?=\n+(?:\S|\Z)|\Z|{})|\Z)"
_END_OF_TEXT = _END.format(r"\Z")
_END_OF_ITEM = _END.format(f"- {_LETTER}")
_END_OF_NOTE = _END.format(r"\[\^[^\]\s\\]+\]:")
_PLAIN_BLOCK = re.compile(
    rf"- (?={_LETTER})([^\n]*+){_END_OF_ITEM}"
    rf"|\[\^([^\]\s\\]+)\]:[ \t]*([^\n]*+){_END_OF_NOTE}"
    rf"|({_LETTER}[^\n]*+(?:\n{_LETTER}[^\n]*+)*+){_END_OF_TEXT}"
    r"|## (Relations|Facts)(?:\n|\Z)"
)
_ITEM_GROUP, _FOOTNOTE_GROUP, _TEXT_GROUP = 1, 3, 4


def read_plain_body(text: str, start: int) -> Body | None:
    """Read a body of nothing but plain blocks, ``None`` where it is none: what ``sections`` makes of it."""
    if "\r" in text:
        return None
    items: list[Item] = []
    footnotes: list[Footnote] = []
    paragraphs: list[tuple[int, int]] = []
    sections: list[tuple[Section, int, int]] = []
    section, section_start = None, 0
    at, size = start, len(text)
    while at < size:
        if text[at] == "\n":
            at += 1
            continue
        match = _PLAIN_BLOCK.match(text, at)
        if match is None:
            return None
        group = match.lastindex
        if group == _ITEM_GROUP:
            if section is None:
                return None
            items.append(Item(section, at, at + 2, match.end(1), ()))
        elif group == _FOOTNOTE_GROUP:
            footnotes.append(Footnote(match[2], at, match.end(3), match[3]))
        elif group == _TEXT_GROUP:
            if section is not None:
                return None
            paragraphs.append((at, match.end(4)))
        else:
            if section is not None:
                sections.append((section, section_start, at))
            section, section_start = SECTIONS[match[5].lower()], at
            if any(other is section for other, _, _ in sections):
                return None
        at = match.end()
    if section is not None:
        sections.append((section, section_start, size))
    prose = tuple(paragraphs)
    return Body(tuple(items), tuple(footnotes), prose, prose, tuple(sections), ())
