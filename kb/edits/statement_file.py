"""An entity's file under an edit of its statements: each step is spliced, read again, and refused unless it says
exactly what is meant and all else reads as before. Writes nothing.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from kb.edits.edit import FileChange
from kb.edits.footnotes import CitedSource, plan_footnotes
from kb.edits.lost_links import check_links
from kb.edits.place_statements import NewStatement, place_statements
from kb.edits.statement_splices import UnclearLine, splice_statement
from kb.edits.workspace import EntityText, LeftAlone, Workspace
from kb.errors import ConcurrentModification
from kb.graph.drafts import Draft, draft_statements, statement_basis
from kb.model.entity import EntityFile
from kb.model.names import mint_statement_id
from kb.model.statement import Citation, Link, StatementLine
from kb.model.vocabulary import Reading
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.front_matter import split_front_matter
from kb.syntax.sections import scan_body
from kb.syntax.source import Source
from kb.syntax.splices import Splice, apply_splices, line_end, line_start
from kb.syntax.statement_texts import format_statement


class StatementFile:
    """One entity's file; each method is a step of an edit."""

    def __init__(self, workspace: Workspace, id: str) -> None:
        self._workspace = workspace
        self._opened: EntityText = workspace.open_entity(id)
        self._source = self._opened.source
        self._file, found = parse_entity_file(self._source)
        self._findings = Counter(finding.code for finding in found)
        self._drafts: Sequence[Draft] = self._opened.drafts
        self._cited: list[CitedSource] = []
        self._uncited: set[str] = set()

    @property
    def path(self) -> str:
        """Its path, relative to the root."""
        return self._file.path

    def draft(self, id: str) -> Draft:
        """Give the statement of an id. ``ConcurrentModification`` where the file was saved without it since the graph was read."""
        found = next((draft for draft in self._drafts if draft.id == id), None)
        if found is None:
            raise ConcurrentModification(self.path)
        return found

    # -- steps -------------------------------------------------------------------------------------------------------

    def change(self, id: str, cited: Sequence[CitedSource] = (), **fields: Any) -> bool:
        """Make a statement say other things; say whether that changes it. Sources are cited besides those it cites."""
        draft = self.draft(id)
        line = draft.line
        known = {citation.observation for citation in line.citations}
        lacking = [source for source in cited if source.id not in known]
        wanted = line._replace(**fields)
        wanted = wanted._replace(citations=(*line.citations, *map(_citation, lacking)))
        if wanted == line:
            return False
        self._check_id(line, id)
        wanted = wanted._replace(id=id)
        try:
            splices = splice_statement(self._source.text, line, wanted)
        except UnclearLine as error:
            raise self._refusal(line, str(error)) from None
        index = list(self._drafts).index(draft)
        said = [_said(one) for one in self._file.statements]
        said[index] = _said(wanted)
        self._step(apply_splices(self._source.text, splices), said, line)
        self._check_mentions(self._drafts[index].line, line)
        self._cited += lacking
        return True

    def add(
        self,
        line: StatementLine,
        reading: Reading,
        object: str | None,
        cited: Sequence[CitedSource],
    ) -> str:
        """Add a statement at its place; give its id. ``object`` is the entity that a relation leads to."""
        line = line._replace(citations=tuple(map(_citation, cited)))
        basis = statement_basis(self._file.id, line, reading, object)
        taken = {id for draft in self._drafts for id in (draft.id, draft.line.id) if id}
        id = mint_statement_id(basis, taken)
        line = line._replace(id=id)
        link = None if object is None else self._workspace.link_text(self.path, object)
        new = NewStatement(line, format_statement(line, link))
        text = place_statements(self._source, self._drafts, [new])
        read, _ = parse_entity_file(Source(self.path, text))
        index = next((i for i, one in enumerate(read.statements) if one.id == id), -1)
        if index < 0:
            raise self._refusal(line, "what is written at its end would not be read as a statement")
        said = [_said(one) for one in self._file.statements]
        said.insert(index, _said(line._replace(link=read.statements[index].link)))
        self._step(text, said, line)
        if self._drafts[index].object != object:
            raise self._refusal(line, f'its link to "{object}" would lead elsewhere')
        self._check_mentions(self._drafts[index].line)
        self._cited += cited
        return id

    def remove(self, id: str) -> None:
        """Remove a statement's line, with its sub-items."""
        draft = self.draft(id)
        text, line = self._source.text, draft.line
        self._check_id(line, id)
        body = scan_body(text, split_front_matter(text).body_start)
        item = next(item for item in body.items if item.start == line.start)
        end = line_end(text, max([item.end, *(sub_end for _, _, sub_end in item.sub_items)]))
        end += 2 if text.startswith("\r\n", end) else text.startswith(("\n", "\r"), end)
        index = list(self._drafts).index(draft)
        said = [_said(one) for one in self._file.statements]
        del said[index]
        splice = Splice(line_start(text, line.start), end, "")
        self._step(apply_splices(text, [splice]), said, line)
        self._uncited |= {citation.observation for citation in line.citations}

    # -- the outcome -------------------------------------------------------------------------------------------------

    def changes(self) -> tuple[FileChange, ...]:
        """Give the change of the file, none where it says all that already; definitions follow the citations."""
        if self._source.text == self._opened.source.text:
            return ()
        text = self._source.text
        unused = self._workspace.cited_sources(self._uncited)
        removed = plan_footnotes(self._file, self._source, unused).removed
        text = self._with_definitions(apply_splices(text, removed))
        return (self._opened.change(text),)

    def _with_definitions(self, text: str) -> str:
        """Add the definitions of what is newly cited, unless the text's end would swallow them."""
        goals = {source.id: source for source in self._cited}
        source = Source(self.path, text)
        read, _ = parse_entity_file(source)
        defined = apply_splices(text, plan_footnotes(read, source, goals).added)
        after, _ = parse_entity_file(Source(self.path, defined))
        labels = {footnote.label for footnote in after.footnotes}
        return defined if goals.keys() <= labels and _whole(after) == _whole(read) else text

    def _check_id(self, line: StatementLine, id: str) -> None:
        """Refuse a line whose id another one bears too: which of them keeps it may depend on what they say."""
        if line.id is not None and (line.id != id or self._written_ids.count(id) > 1):
            raise LeftAlone(
                f"^{line.id} stands twice in {self.path}, so line {self._line_number(line)} is left alone",
                "give the statements ids of their own first: kb fmt",
            )

    @property
    def _written_ids(self) -> list[str | None]:
        return [line.id for line in self._file.statements]

    def _step(self, text: str, said: list[object], line: StatementLine) -> None:
        """Take a text for the file's, if it says what is wanted and nothing else differs."""
        source = Source(self.path, text, self._source.has_bom)
        read, findings = parse_entity_file(source)
        found = Counter(finding.code for finding in findings)
        is_meant = [_said(one) for one in read.statements] == said
        is_meant = is_meant and _rest(read) == _rest(self._file) and not found - self._findings
        if not is_meant or _labels(read) != _labels(self._file):
            raise self._refusal(line, "the statement would not be read as it is meant")
        self._source, self._file = source, read
        workspace = self._workspace
        self._drafts = tuple(draft_statements(read, workspace.links, workspace.vocabulary))

    def _check_mentions(self, line: StatementLine, before: StatementLine | None = None) -> None:
        """Refuse links in a value or note that lead nowhere or to several, unless they stood there before."""
        old = Counter(map(_link, before.mentions if before else ()))
        new = []
        for link in line.mentions:
            if old[_link(link)]:
                old[_link(link)] -= 1
            else:
                new.append(link)
        check_links(self._workspace, new, self.path)

    def _refusal(self, line: StatementLine, why: str) -> LeftAlone:
        place = f"{self.path}:{self._line_number(line)}" if line.end else self.path
        return LeftAlone(
            f"{place} is left alone: {why}", "kb check says what is unclear in the file"
        )

    def _line_number(self, line: StatementLine) -> int:
        return self._source.span(line.start).line


def _citation(source: CitedSource) -> Citation:
    return Citation(source.id, 0, 0)


def _said(line: StatementLine) -> object:
    """All that a statement says, places apart."""
    cited = tuple(citation.observation for citation in line.citations)
    plain = line._replace(link=None, citations=(), mentions=(), **_NO_PLACES)
    return (plain, _link(line.link) if line.link else None, cited)


#: What a line's place says; it is of no account for what it says.
_NO_PLACES: dict[str, Any] = dict.fromkeys(
    (
        "start",
        "end",
        "predicate_end",
        "object_start",
        "object_end",
        "qualifiers_start",
        "note_start",
    ),
    0,
)


def _link(link: Link) -> tuple[object, ...]:
    return (link.form, link.label, link.target)


def _labels(file: EntityFile) -> list[tuple[str, str]]:
    return [(footnote.label, footnote.text) for footnote in file.footnotes]


def _rest(file: EntityFile) -> tuple[object, ...]:
    """All that a file says besides statements and footnotes."""
    names = tuple(name.text for name in (*file.aliases, *file.distinct_from))
    head = (file.id, file.type, file.name, names, tuple(key.text for key in file.keys))
    merged = file.merged_into.text if file.merged_into else None
    links = tuple(map(_link, file.links))
    return (*head, merged, file.fields, links, file.summary, file.is_broken)


def _whole(file: EntityFile) -> tuple[object, ...]:
    return (_rest(file), tuple(_said(line) for line in file.statements))
