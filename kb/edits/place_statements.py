"""New statements into an existing file, each at the place that (predicate, start, id) gives. Moves no line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kb.graph.drafts import Draft
from kb.model.statement import Section, StatementLine
from kb.syntax.body import Body, Item
from kb.syntax.front_matter import split_front_matter
from kb.syntax.sections import scan_body
from kb.syntax.source import Source
from kb.syntax.splices import (
    Splice,
    apply_splices,
    content_end,
    insert_below,
    line_end,
    line_start,
)


@dataclass(frozen=True, slots=True)
class NewStatement:
    """A statement with its id, and its line as it is to be written."""

    line: StatementLine
    text: str

    @property
    def place(self) -> tuple[str, str, str]:
        """What orders the lines of a section."""
        return place_of(self.line, self.line.id or "")


def place_of(line: StatementLine, id: str) -> tuple[str, str, str]:
    """Give what orders the lines of a section: predicate, start, id."""
    return (line.predicate, line.interval.start_text if line.interval else "", id)


def place_statements(source: Source, drafts: Sequence[Draft], new: Sequence[NewStatement]) -> str:
    """Insert statements into a text whose statements are ``drafts``."""
    text = source.text
    body = scan_body(text, split_front_matter(text).body_start)
    places = {draft.line.start: place_of(draft.line, draft.id) for draft in drafts}
    splices: list[Splice] = []
    for section in (Section.RELATIONS, Section.FACTS):
        wanted = sorted(
            (one for one in new if one.line.section is section), key=lambda one: one.place
        )
        if wanted:
            splices += _insertions(text, body, section, wanted, places, source.newline)
    return apply_splices(text, splices)


def _insertions(
    text: str,
    body: Body,
    section: Section,
    wanted: Sequence[NewStatement],
    places: Mapping[int, tuple[str, str, str]],
    newline: str,
) -> list[Splice]:
    items = [item for item in body.items if item.section is section]
    if items:
        return [_beside(text, items, one, places, newline) for one in wanted]
    lines = newline.join(one.text for one in wanted)
    heading = next((start for kind, start, _ in body.sections if kind is section), None)
    if heading is not None:
        end = line_end(text, heading)
        return [insert_below(text, end, f"{newline}{lines}", newline)]
    return [
        _new_section(text, body, f"## {section.title}{newline}{newline}{lines}", section, newline)
    ]


def _beside(
    text: str,
    items: Sequence[Item],
    new: NewStatement,
    places: Mapping[int, tuple[str, str, str]],
    newline: str,
) -> Splice:
    following = next(
        (item for item in items if item.start in places and places[item.start] > new.place), None
    )
    if following is not None:
        at = line_start(text, following.start)
        return Splice(at, at, f"{_like(text, following, new.text)}{newline}")
    last = items[-1]
    end = max([last.end, *(sub_end for _, _, sub_end in last.sub_items)])
    return insert_below(text, end, _like(text, last, new.text), newline)


def _like(text: str, item: Item, line: str) -> str:
    """Write a line with the indentation and the bullet of its neighbour, so that neither becomes part of the other."""
    return text[line_start(text, item.start) : item.start + 1] + line[1:]


def _new_section(text: str, body: Body, lines: str, section: Section, newline: str) -> Splice:
    """Begin a section: Relations above Facts, both above the definitions at the file's end."""
    facts = next((start for kind, start, _ in body.sections if kind is Section.FACTS), None)
    before = (
        facts
        if section is Section.RELATIONS and facts is not None
        else _closing_definitions(text, body)
    )
    if before is not None:
        at = line_start(text, before)
        return Splice(at, at, f"{lines}{newline}{newline}")
    end = content_end(text)
    return insert_below(text, end, f"{newline}{lines}", newline)


def _closing_definitions(text: str, body: Body) -> int | None:
    """Find where the definitions begin that end a file; ``None`` where something else ends it."""
    begin, after = None, len(text)
    for footnote in reversed(body.footnotes):
        if text[footnote.end : after].strip():
            break
        begin = after = footnote.start
    return begin
