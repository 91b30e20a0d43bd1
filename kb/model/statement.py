"""A statement as one list item of a file says it: located, not yet resolved against anything else."""

from enum import Enum
from typing import NamedTuple

from kb.model.time import Interval


class Section(Enum):
    """The two level-2 sections that statements live in."""

    RELATIONS = "relations"
    FACTS = "facts"

    @property
    def title(self) -> str:
        """Its heading's text as tools write it."""
        return self.value.capitalize()


class LinkForm(Enum):
    """How a link is written."""

    MARKDOWN = "markdown"
    WIKI = "wiki"


class Link(NamedTuple):
    """A link as written. Its target decides; its label is free."""

    form: LinkForm
    label: str
    target: str  #: Markdown: the decoded path without anchor; wiki: the name, id or path before ``#`` and ``|``
    start: int  #: character offsets in the file's text
    end: int


class Citation(NamedTuple):
    """One ``[^observation-id]``."""

    observation: str
    start: int
    end: int


class SubItem(NamedTuple):
    """An indented ``name:: text`` under a statement."""

    name: str
    text: str


class StatementLine(NamedTuple):
    """One statement as written: a relation has a link, a fact a value, never both."""

    section: Section
    predicate: str  #: normalized, not yet mapped by the vocabulary
    link: Link | None = None
    value: str | None = None  #: Markdown unescaped
    interval: Interval | None = None  #: ``None``: undated
    confidence: int | None = None  #: per cent
    by: str | None = (
        None  #: entity id: who said it, where that is not the observation's ``said_by``
    )
    auto: str | None = None  #: ``high``, ``medium``, ``low``: a suggestion that nobody confirmed
    retracted: bool = False
    superseded_by: str | None = None  #: a statement id
    note: str | None = None  #: Markdown unescaped
    citations: tuple[Citation, ...] = ()
    id: str | None = None
    sub_items: tuple[SubItem, ...] = ()
    mentions: tuple[Link, ...] = ()  #: links in the value or the note
    start: int = 0  #: character offsets in the file's text: of the item without its sub-items
    end: int = 0
    predicate_end: int = 0
    object_start: int = 0
    object_end: int = 0
    qualifiers_start: int = 0  #: of the parenthesis' content; 0 where there is none
    note_start: int = 0

    @property
    def is_retired(self) -> bool:
        """Retracted or superseded: it holds at no time."""
        return self.retracted or self.superseded_by is not None

    @property
    def quote(self) -> str | None:
        """The words of a note in double quotes, which must occur in a cited observation."""
        note = self.note
        if note is not None and len(note) > 2 and note[0] in '"“' and note[-1] in '"”':
            return note[1:-1]
        return None
