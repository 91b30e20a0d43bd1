"""An entity as its file says it."""

from typing import NamedTuple

from kb.diagnostics import WHOLE_FILE, Span
from kb.model.statement import Link, StatementLine


class Key(NamedTuple):
    """A ``kind:value`` key as written."""

    kind: str
    value: str
    span: Span

    @property
    def text(self) -> str:
        """The key as written."""
        return f"{self.kind}:{self.value}"


class Name(NamedTuple):
    """A name, alias or id in the frontmatter, with its place."""

    text: str
    span: Span


class Footnote(NamedTuple):
    """A footnote definition ``[^label]: text`` by its character offsets, to the end of its last line."""

    label: str
    start: int
    end: int
    text: str


class EntityFile(NamedTuple):
    """What one file under ``entities/`` says. A broken file has only an id (its stem) and its text."""

    path: str
    id: str
    id_span: Span
    type: str | None = None
    type_span: Span = WHOLE_FILE
    name: str = ""
    name_span: Span = WHOLE_FILE
    aliases: tuple[Name, ...] = ()
    keys: tuple[Key, ...] = ()
    merged_into: Name | None = None
    distinct_from: tuple[Name, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()  #: the author's own top-level text fields
    statements: tuple[StatementLine, ...] = ()
    links: tuple[Link, ...] = ()  #: links in the free text
    footnotes: tuple[Footnote, ...] = ()
    summary: str = ""  #: the first sentence of the free text
    is_broken: bool = False
    text: str = ""  #: the whole file, without a BOM
    has_unread_keys: bool = (
        False  #: something in ``keys`` is no key, or holds bytes that are no UTF-8
    )
