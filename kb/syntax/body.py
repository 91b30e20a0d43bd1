"""What the body of an entity's file consists of, by character offsets in the file's text."""

from typing import NamedTuple

from kb.diagnostics import Fault
from kb.model.entity import Footnote
from kb.model.statement import Section

#: By its heading, folded.
SECTIONS = {"relations": Section.RELATIONS, "facts": Section.FACTS}


class Item(NamedTuple):
    """One list item of a statement section, by character offsets in the file's text."""

    section: Section
    start: int  #: of the bullet
    text_start: int  #: after the bullet
    end: int  #: of the item's own text, sub-items excluded, last line end excluded
    sub_items: tuple[tuple[int, int, int], ...]  #: (start of the bullet, start of the text, end)


class Body(NamedTuple):
    """What a body consists of."""

    items: tuple[Item, ...]
    footnotes: tuple[Footnote, ...]
    prose: tuple[tuple[int, int], ...]  #: paragraphs and headings that are in no statement section
    paragraphs: tuple[tuple[int, int], ...]  #: those of them that stand in no list and no quote
    sections: tuple[tuple[Section, int, int], ...]  #: (section, start of its heading, end)
    faults: tuple[Fault, ...]
