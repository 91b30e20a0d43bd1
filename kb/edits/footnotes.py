"""The footnote definitions at an entity file's end, which lead each citation to its observation. Plans splices only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.model.entity import EntityFile, Footnote
from kb.model.names import stem_of
from kb.model.observation import ObservationFile
from kb.model.statement import Link, LinkForm
from kb.model.time import Date
from kb.store.layout import relative_link, resolve_path
from kb.syntax.inline import format_link, iter_links
from kb.syntax.source import Source
from kb.syntax.splices import Splice, content_end, insert_below, line_start, retarget_link


@dataclass(frozen=True, slots=True)
class CitedSource:
    """What a definition says of an observation."""

    id: str
    title: str
    day: str  #: as written where it is less than a day; empty if it has none
    path: str


@dataclass(frozen=True, slots=True)
class FootnoteEdits:
    """What one file's definitions need: each kind apart, so that each can be counted and left out."""

    mended: tuple[Splice, ...] = ()
    removed: tuple[Splice, ...] = ()
    added: tuple[Splice, ...] = ()  #: one insertion, or none
    labels: tuple[str, ...] = ()  #: of the definitions that are added

    @property
    def splices(self) -> tuple[Splice, ...]:
        """All of them."""
        return (*self.mended, *self.removed, *self.added)


def cited_source(observation: ObservationFile) -> CitedSource:
    """Read what a definition says off an observation."""
    date = observation.happened_at
    return CitedSource(
        observation.id, observation.title, written_day(date) if date else "", observation.path
    )


def written_day(date: Date) -> str:
    """Give the day of a date or date-time (UTC); a year, a month or a doubtful date as written."""
    return date.day if len(date.text) > len("yyyy-mm-dd") else date.text


def format_definition(source: CitedSource, from_path: str) -> str:
    """Write a definition: ``[^id]: [Title, day](relative/path.md)``."""
    title = " ".join(source.title.split()) or source.id
    label = f"{title}, {source.day}" if source.day else title
    return f"[^{source.id}]: {format_link(label, relative_link(from_path, source.path))}"


def plan_footnotes(
    file: EntityFile, source: Source, sources: Mapping[str, CitedSource]
) -> FootnoteEdits:
    """Say what the definitions of a file need, by offsets in its text.

    A definition whose path is right stays as it is, whatever its title; the author's own footnotes stay.
    """
    text = source.text
    cited = tuple(
        dict.fromkeys(
            citation.observation for line in file.statements for citation in line.citations
        )
    )
    mended, removed = [], []
    for footnote in file.footnotes:
        goal = sources.get(footnote.label)
        if goal is None:
            continue
        link = _link_to(footnote, text, goal)
        if link is None:
            continue
        if footnote.label not in cited and not _is_used(text, footnote):
            removed.append(_removal(text, footnote))
        elif resolve_path(file.path, link.target) != goal.path:
            splice = retarget_link(text, link, relative_link(file.path, goal.path))
            mended += [splice] if splice else []
    defined = {footnote.label for footnote in file.footnotes}
    missing = [sources[label] for label in cited if label not in defined and label in sources]
    added = [_addition(text, file.path, source.newline, missing)] if missing else []
    return FootnoteEdits(
        tuple(mended), tuple(removed), tuple(added), tuple(goal.id for goal in missing)
    )


def without_added(edits: FootnoteEdits) -> FootnoteEdits:
    """Leave the insertion out, for a text whose end swallows it."""
    return FootnoteEdits(edits.mended, edits.removed)


def _link_to(footnote: Footnote, text: str, goal: CitedSource) -> Link | None:
    """Find the definition's link to its observation, wherever it says that the file lies."""
    for link in iter_links(text[footnote.start : footnote.end], footnote.start):
        if link.form is LinkForm.MARKDOWN and stem_of(link.target) == goal.id:
            return link
    return None


def _is_used(text: str, footnote: Footnote) -> bool:
    """Whether the free text refers to the label too, definitions apart."""
    mark = f"[^{footnote.label}]"
    return text.count(mark) > 1


def _removal(text: str, footnote: Footnote) -> Splice:
    """Remove a definition with the blank line above it."""
    previous = line_start(text, footnote.start)
    bare = len(text[:previous].rstrip(" \t\r\n"))
    gap = text[bare:previous]
    lines = gap.count("\n") or gap.count("\r")
    start = bare if lines == 2 else _line_break_before(text, previous)
    return Splice(start, footnote.end, "")


def _line_break_before(text: str, at: int) -> int:
    if text.endswith("\r\n", 0, at):
        return at - 2
    return max(at - 1, 0)


def _addition(text: str, path: str, newline: str, missing: Iterable[CitedSource]) -> Splice:
    lines = (newline * 2).join(format_definition(goal, path) for goal in missing)
    return insert_below(text, content_end(text), f"{newline}{lines}", newline)
