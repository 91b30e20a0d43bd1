"""Records of a source → entity and observation files. Adds only what is new; what cannot be kept is reported.

One story in four steps: give every ref an id, read every statement record, plan the files, write them. What a file refers to
is written before it, and what could not be written is referred to by nothing: so wherever an import is stopped, no statement
leads nowhere, and the same import adds the rest, each statement once.
"""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from kb.edits.add_words import add_words
from kb.edits.file_texts import format_entity, format_observation
from kb.edits.footnotes import CitedSource, cited_source, written_day
from kb.edits.format_files import replace_text, with_footnotes
from kb.edits.import_refs import NewEntity, Refs, assign_refs
from kb.edits.import_statements import ReadStatement, read_statements
from kb.edits.import_words import missing_words
from kb.edits.import_writes import Progress, Writer, iter_writing_order
from kb.edits.place_statements import NewStatement, place_statements
from kb.edits.records import (
    Import,
    MissingWord,
    ObservationRecord,
    Problem,
    Records,
    Tally,
)
from kb.edits.writing import check_configuration
from kb.graph.drafts import statement_basis
from kb.knowledge_base import KnowledgeBase
from kb.model.entity import EntityFile
from kb.model.names import mint_statement_id
from kb.model.statement import Section
from kb.store.root import CONFIGURATION
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.source import MAX_FILE_BYTES
from kb.syntax.statement_texts import format_statement


class _Source(NamedTuple):
    """An observation to be filed."""

    line: int  #: of its record
    id: str
    path: str
    data: bytes


@dataclass
class _Plan:
    """What is to be written, and what is found on the way."""

    base: KnowledgeBase
    problems: list[Problem]
    sources: dict[str, CitedSource] = field(default_factory=dict)  #: what can be cited, by id
    observations: list[_Source] = field(default_factory=list)
    entities: list[NewEntity] = field(default_factory=list)
    statements: dict[str, tuple[ReadStatement, ...]] = field(
        default_factory=dict
    )  #: new ones by subject, each with its id, in the order to write
    words: bytes | None = None  #: ``kb.yaml`` with the words that it lacks

    @property
    def changed(self) -> Iterator[tuple[EntityFile, tuple[ReadStatement, ...]]]:
        """The files that are there, with what each takes up."""
        new = {entity.id for entity in self.entities}
        for id, statements in self.statements.items():
            if id not in new:
                yield self.base.resolution.identities.files[id], statements


def import_records(
    base: KnowledgeBase,
    records: Records,
    *,
    with_words: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Import:
    """Import records. ``with_words`` writes the words that the vocabulary lacks into ``kb.yaml``.

    ``progress`` is called with the number of files written so far, and of all. ``Refused`` where ``kb.yaml`` is damaged.
    """
    check_configuration(base.root)  # words are read, and links written, as it says
    plan = _Plan(base, list(records.problems))
    refs = assign_refs(base, records, plan.problems)
    _plan_observations(refs, plan)
    read = read_statements(base, refs, records.statements, plan.problems)
    words = missing_words(base.vocabulary, records, refs, read.all)
    _plan_entities(base, refs, read.new, plan)
    if with_words and words:
        _plan_words(base, words, plan)
    writer = Writer(base, plan.problems, progress, is_dry=dry_run)
    with writer.writing(_count_files(plan)):
        made = _write(plan, writer)
    relations, facts = (
        Tally(made[section], read.there[section]) for section in (Section.RELATIONS, Section.FACTS)
    )
    observations = [one.path for one in plan.observations if one.path in writer.written]
    entities = [one.path for one in plan.entities if one.path in writer.written]
    new = {*observations, *entities}
    return Import(
        entities=Tally(len(entities), len(refs.known_entities)),
        observations=Tally(len(observations), refs.known_observations),
        relations=relations,
        facts=facts,
        identical=read.identical,
        unresolved=read.unresolved,
        problems=tuple(sorted(plan.problems, key=lambda problem: problem.line)),
        lost=sum(problem.is_lost for problem in plan.problems),
        words=words,
        words_added=CONFIGURATION in writer.written,
        made=(*observations, *entities),
        changed=tuple(path for path in writer.written if path not in new),
        is_written=not dry_run,
    )


def _plan_words(base: KnowledgeBase, words: tuple[MissingWord, ...], plan: _Plan) -> None:
    before = base.corpus.contents.get(CONFIGURATION)
    plan.words = add_words(before, words) if before is not None else None
    if plan.words is None:
        message = "kb.yaml cannot take the words that are lacking: add them by hand"
        plan.problems.append(Problem(0, message, is_lost=True))


# -- observations ------------------------------------------------------------------------------------------------


def _plan_observations(refs: Refs, plan: _Plan) -> None:
    """Plan the new observations, and note all that can be cited."""
    seen = plan.base.resolution.observations.items()
    plan.sources = {id: cited_source(one) for id, one in seen}
    for new in refs.new_observations:
        data = _observation_text(refs, new.record, new.id).encode("utf-8")
        if len(data) > MAX_FILE_BYTES:
            message = f"{new.record.ref} is larger than {MAX_FILE_BYTES // 1024 // 1024} MiB and is not kept"
            plan.problems.append(Problem(new.record.line, message, is_lost=True))
            refs.drop_observation(new.record.ref)
            continue
        plan.observations.append(_Source(new.record.line, new.id, new.path, data))
        day = written_day(new.date) if new.date else ""
        plan.sources[new.id] = CitedSource(new.id, new.record.title, day, new.path)


def _observation_text(refs: Refs, record: ObservationRecord, id: str) -> str:
    date = refs.observation_dates.get(record.ref)
    speaker = refs.entity_id(record.said_by)
    fields = (
        ("id", id),
        ("kind", "import"),
        ("title", record.title),
        ("happened_at", date.text if date else ""),
        ("said_by", speaker or record.said_by),
        ("import_ref", record.ref),
    )
    return format_observation(fields, record.text)


# -- entities and their statements -------------------------------------------------------------------------------


def _plan_entities(
    base: KnowledgeBase, refs: Refs, new: Sequence[ReadStatement], plan: _Plan
) -> None:
    by_subject: dict[str, list[ReadStatement]] = {}
    for statement in new:
        by_subject.setdefault(statement.subject, []).append(statement)
    plan.entities += refs.new_entities
    files = base.resolution.identities.files
    for id, statements in by_subject.items():
        drafts = base.resolution.drafts[files[id].path] if id in files else ()
        taken = {known for draft in drafts for known in (draft.id, draft.line.id) if known}
        plan.statements[id] = _with_ids(statements, taken)


def _with_ids(statements: Sequence[ReadStatement], taken: set[str]) -> tuple[ReadStatement, ...]:
    """Mint the ids of a file's new statements, and order them by predicate, start and id."""
    minted = []
    for one in sorted(statements, key=lambda one: one.order):
        basis = statement_basis(one.subject, one.line, one.reading, one.object)
        id = mint_statement_id(basis, taken)
        taken.add(id)
        minted.append(one.with_id(id))
    return tuple(sorted(minted, key=lambda one: NewStatement(one.line, "").place))


def _format_new(
    new: NewEntity, statements: Sequence[ReadStatement], sources: dict[str, CitedSource]
) -> bytes:
    record = new.record
    fields = (
        ("id", new.id),
        ("type", record.type),
        ("name", record.name),
        ("aliases", record.aliases),
        ("keys", [f"{kind}:{value}" for kind, value in record.keys]),
        ("import_ref", record.ref),
    )
    lines = [(one.line, one.link) for one in statements]
    return format_entity(new.path, fields, "", lines, sources).encode("utf-8")


def _format_changed(
    file: EntityFile, statements: Sequence[ReadStatement], plan: _Plan
) -> bytes | None:
    """Give a file that is there with new statements; ``None`` where it takes none, which is reported."""
    source, drafts = (
        plan.base.corpus.sources[file.path],
        plan.base.resolution.drafts[file.path],
    )
    new = [NewStatement(one.line, format_statement(one.line, one.link)) for one in statements]
    placed = (
        replace_text(source, place_statements(source, drafts, new)) if source.is_utf8 else source
    )
    read, _ = parse_entity_file(placed)
    if len(read.statements) != len(file.statements) + len(new):
        reason = f"{file.path} takes no new statements: its sections or its end are not as they should be"
        plan.problems += [Problem(one.record_line, reason, is_lost=True) for one in statements]
        return None
    text, _ = with_footnotes(read, placed, plan.sources)
    return replace_text(source, text).encode()


# -- writing -----------------------------------------------------------------------------------------------------


def _count_files(plan: _Plan) -> int:
    changed = sum(1 for _ in plan.changed)
    return len(plan.observations) + (plan.words is not None) + len(plan.entities) + changed


def _write(plan: _Plan, writer: Writer) -> Counter[Section]:
    """Write the files; give how many statements of each section were written."""
    contents, made = plan.base.corpus.contents, Counter[Section]()
    lacking = {
        one.id for one in plan.observations if not writer.write(one.path, None, one.data, one.line)
    }
    if plan.words is not None:
        writer.write(CONFIGURATION, contents[CONFIGURATION], plan.words)
    by_id = {one.id: one for one in plan.entities}
    needs = {id: [_needs(one) for one in plan.statements.get(id, ())] for id in by_id}
    bare: dict[str, bytes] = {}
    for id, is_bare in iter_writing_order({id: set().union(*all) for id, all in needs.items()}):
        new, record = by_id[id], by_id[id].record
        if id in lacking:
            continue
        kept = () if is_bare else _without_lacking(plan, id, lacking)
        data = _format_new(new, kept, plan.sources)
        if is_bare:
            bare[id] = data
        if writer.write(new.path, None if is_bare else bare.get(id), data, record.line):
            made.update(one.line.section for one in kept)
        elif id not in bare or is_bare:
            lacking.add(id)
    for file, _ in plan.changed:
        kept = _without_lacking(plan, file.id, lacking)
        changed = _format_changed(file, kept, plan) if kept else None
        if changed is not None and writer.write(file.path, contents[file.path], changed):
            made.update(one.line.section for one in kept)
    return made


def _needs(one: ReadStatement) -> Set[str]:
    """Give the ids that must be there before a statement is."""
    cited = (citation.observation for citation in one.line.citations)
    return {id for id in (one.object, one.line.by, *cited) if id} - {one.subject}


def _without_lacking(plan: _Plan, id: str, lacking: Set[str]) -> tuple[ReadStatement, ...]:
    """Give the new statements of an entity, those left out, and reported, that name what could not be written."""
    kept = []
    for one in plan.statements.get(id, ()):
        gone = sorted(_needs(one) & lacking)
        if gone:
            message = f"{', '.join(gone)} could not be written, so the statement is not kept"
            plan.problems.append(Problem(one.record_line, message, is_lost=True))
        else:
            kept.append(one)
    return tuple(kept)
