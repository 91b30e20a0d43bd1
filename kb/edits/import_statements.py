"""Statement records → statements in their canonical direction, each once, against what is there. Writes nothing."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from kb.edits.import_refs import Refs
from kb.edits.import_times import record_interval
from kb.edits.records import Problem, StatementRecord
from kb.graph.graph import Statement
from kb.knowledge_base import KnowledgeBase
from kb.model.names import normalize_predicate
from kb.model.statement import Citation, Link, LinkForm, Section, StatementLine
from kb.model.vocabulary import Reading
from kb.store.layout import relative_link
from kb.syntax.inline import code_span, format_link
from kb.syntax.quotes import QuotedText
from kb.syntax.statement_lines import parse_statement
from kb.syntax.statement_texts import format_statement

#: (subject, predicate, object, value), then what may differ between statements of one basis.
_Core = tuple[str, str, str | None, str | None, str, str | None]
_Whole = tuple[_Core, str, int | None, str | None]


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A statement of the source, resolved: in its canonical direction, at the entity that it is written to."""

    record_line: int
    subject: str
    object: str | None
    line: StatementLine
    reading: Reading
    link: str | None  #: the object's text in a relation

    @property
    def core(self) -> _Core:
        """What its id is minted from, so that a record of it can be told from a new one."""
        return _core(self.subject, self.reading.name, self.object, self.line)

    @property
    def whole(self) -> _Whole:
        """All that it says, sources apart."""
        time = self.line.interval.text if self.line.interval else ""
        return (self.core, time, self.line.confidence, self.line.note)

    @property
    def order(self) -> tuple[str, str, str, str]:
        """An order that does not depend on the source's."""
        time = self.line.interval.text if self.line.interval else ""
        return (
            self.line.predicate,
            time,
            self.object or self.line.value or "",
            self.line.note or "",
        )

    def with_id(self, id: str) -> "ReadStatement":
        """Give it its id."""
        return replace(self, line=self.line._replace(id=id))


@dataclass
class ReadStatements:
    """What became of the records."""

    all: list[ReadStatement] = field(default_factory=list)
    new: list[ReadStatement] = field(default_factory=list)
    there: Counter[Section] = field(default_factory=Counter)
    identical: int = 0
    unresolved: int = 0


def read_statements(
    base: KnowledgeBase,
    refs: Refs,
    records: Iterable[StatementRecord],
    problems: list[Problem],
) -> ReadStatements:
    """Read statement records: each once, those that are there already left out."""
    result = ReadStatements()
    reader = _Reader(base, refs, problems)
    by_whole: dict[_Whole, int] = {}
    for record in records:
        statement = reader.read(record)
        if statement is None:
            result.unresolved += reader.is_unresolved
            continue
        first = by_whole.setdefault(statement.whole, len(result.all))
        if first < len(result.all):
            result.all[first] = _joined(result.all[first], statement, result, problems)
        else:
            result.all.append(statement)
    _leave_out_known(base, result, problems)
    result.new = [kept for one in result.new if (kept := reader.proved(one)) is not None]
    return result


def _joined(
    first: ReadStatement, again: ReadStatement, result: ReadStatements, problems: list[Problem]
) -> ReadStatement:
    """Take two records that say the same for one statement, which cites the sources of both."""
    cited = {
        citation.observation: citation
        for citation in (*first.line.citations, *again.line.citations)
    }
    result.identical += 1
    more = len(cited) > len(first.line.citations)
    what = "says the same, by another source: the statement cites both" if more else "is identical"
    problems.append(
        Problem(again.record_line, f"line {first.record_line} {what}: one statement is kept")
    )
    return replace(first, line=first.line._replace(citations=tuple(cited.values())))


def _core(
    subject: str, predicate: str, object: str | None, line: StatementLine | Statement
) -> _Core:
    start = line.interval.start_text if line.interval else ""
    return (subject, predicate, object, line.value, start, line.by)


def _leave_out_known(base: KnowledgeBase, result: ReadStatements, problems: list[Problem]) -> None:
    """Sort out what is there: to the letter, or changed since, by the source or by hand."""
    known: dict[_Core, list[Statement]] = {}
    for statement in base.graph.iter_statements():
        core = _core(statement.subject, statement.predicate, statement.object, statement)
        known.setdefault(core, []).append(statement)
    unmatched = []
    for one in result.all:
        candidates = known.get(one.core, [])
        match = next((other for other in candidates if _says(one, other)), None)
        if match is None:
            unmatched.append(one)
            continue
        candidates.remove(match)
        result.there[one.line.section] += 1
        lacking = [
            c.observation for c in one.line.citations if c.observation not in match.observations
        ]
        if lacking:
            place = f"{match.path}:{match.line}"
            problems.append(
                Problem(
                    one.record_line, f"{place} does not cite {', '.join(lacking)}: add it by hand"
                )
            )
    for one in unmatched:
        candidates = known.get(one.core, [])
        if candidates:
            other = candidates.pop(0)
            result.there[one.line.section] += 1
            message = f"{other.path}:{other.line} says it with another end, confidence or note: it is kept as it is"
            problems.append(Problem(one.record_line, message))
        else:
            result.new.append(one)


def _says(one: ReadStatement, other: Statement) -> bool:
    time = other.interval.text if other.interval else ""
    return one.whole[1:] == (time, other.confidence, other.note)


class _Reader:
    def __init__(self, base: KnowledgeBase, refs: Refs, problems: list[Problem]) -> None:
        self.base, self.refs, self.problems = base, refs, problems
        self.vocabulary = base.vocabulary
        self.texts = {
            id: QuotedText(seen.body) for id, seen in base.resolution.observations.items()
        }
        self.texts.update((new.id, QuotedText(new.record.text)) for new in refs.new_observations)
        self.predicates: dict[str, str] = {}
        self.is_unresolved = False

    def read(self, record: StatementRecord) -> ReadStatement | None:
        """Read one record; ``None`` where it cannot be kept, which is reported."""

        def report(message: str) -> None:
            self.problems.append(Problem(record.line, message))

        self.is_unresolved = False
        is_relation = record.section is Section.RELATIONS
        ends: list[str | None] = []
        for ref in (record.subject, record.object) if is_relation else (record.subject,):
            ends.append(self._resolve(ref, record, is_first=None not in ends))
        if None in ends:
            self.is_unresolved = True
            return None
        word = self._predicate(record.predicate)
        if not word:
            message = f'"{record.predicate}" is no predicate'
            self.problems.append(Problem(record.line, message, is_lost=True))
            return None
        reading = (
            self.vocabulary.read_relation(word) if is_relation else self.vocabulary.read_fact(word)
        )
        subject, object = ends[0] or "", ends[1] if is_relation else None
        is_symmetric = reading.relation is not None and reading.relation.symmetric
        if object is not None and (reading.is_inverse or (is_symmetric and object < subject)):
            subject, object = object, subject
        line = StatementLine(
            section=record.section,
            predicate=reading.name,
            link=Link(LinkForm.MARKDOWN, "", "", 0, 0) if is_relation else None,
            value=None if is_relation else record.object,
            interval=record_interval(record.since, record.until, record.at, report),
            confidence=record.confidence,
            by=self._speaker(record),
            note=record.text or None,
            citations=self._citations(record),
        )
        forward = reading._replace(is_inverse=False)
        return ReadStatement(record.line, subject, object, line, forward, None)

    def proved(self, one: ReadStatement) -> ReadStatement | None:
        """Give a statement its link, and make sure that its line reads back as what it says."""
        link = self._link(one.subject, one.object) if one.object is not None else None
        for line in (one.line, one.line._replace(note=_unquoted(one.line.note))):
            text = format_statement(line, link)
            read, faults = parse_statement(text[2:], line.section)
            is_whole = read is not None and not faults and _said(read) == _said(line)
            if is_whole and self._quote_holds(line):
                if line.note != one.line.note:
                    message = "its text stands in quotes and in no source: kept without them"
                    self.problems.append(Problem(one.record_line, message))
                return replace(one, line=line, link=link)
        self.problems.append(
            Problem(
                one.record_line,
                f"it cannot be written as one line: {code_span(one.line.value or '')}",
                is_lost=True,
            )
        )
        return None

    def _quote_holds(self, line: StatementLine) -> bool:
        """Whether a note in double quotes, which counts as verbatim, occurs in a source that it cites."""
        if line.quote is None:
            return True
        cited = (self.texts.get(citation.observation) for citation in line.citations)
        return any(text is not None and text.holds(line.quote) for text in cited)

    def _resolve(self, ref: str, record: StatementRecord, is_first: bool) -> str | None:
        """Give the id that an end stands for; of a record that lacks both, the first one says that it is lost."""
        id = self.refs.entity_id(ref)
        if id is None:
            why = (
                "its file does not parse"
                if ref in self.refs.unwritable
                else "no entity has that ref"
            )
            message = f"{ref}: {why}, so the statement is not kept"
            self.problems.append(Problem(record.line, message, is_lost=is_first))
        return id

    def _predicate(self, written: str) -> str:
        word = self.predicates.get(written)
        if word is None:
            word = normalize_predicate("-".join(written.split()))
            read, faults = parse_statement(f"{word}:: x", Section.FACTS)
            word = self.predicates[written] = word if read is not None and not faults else ""
        return word

    def _speaker(self, record: StatementRecord) -> str | None:
        if not record.said_by:
            return None
        id = self.refs.entity_id(record.said_by)
        if id is None:
            message = f'said_by "{record.said_by}" is no entity and is not kept'
            self.problems.append(Problem(record.line, message))
        return id

    def _citations(self, record: StatementRecord) -> tuple[Citation, ...]:
        cited: dict[str, None] = {}
        for ref in record.sources:
            id = self.refs.observation_ids.get(ref)
            if id is None:
                self.problems.append(
                    Problem(
                        record.line,
                        f"source {ref}: no observation has that ref, so it is not cited",
                    )
                )
            else:
                cited[id] = None
        return tuple(Citation(id, 0, 0) for id in cited)

    def _link(self, subject: str, object: str) -> str:
        name = self.refs.names[object]
        if self.base.settings.links is LinkForm.WIKI:
            return format_link(name, object, LinkForm.WIKI)
        return format_link(name, relative_link(self.refs.paths[subject], self.refs.paths[object]))


def _unquoted(note: str | None) -> str | None:
    return (
        note[1:-1].strip() or None
        if note and len(note) > 2 and note[0] in '"“' and note[-1] in '"”'
        else note
    )


def _said(line: StatementLine) -> tuple[object, ...]:
    cited = [citation.observation for citation in line.citations]
    return (line.predicate, line.value, line.interval, line.confidence, line.by, line.note, cited)
