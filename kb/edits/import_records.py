"""Records of a source → entity and observation files. Adds only what is new; what cannot be kept is reported.

One story in four steps: give every ref an id, read every statement record, plan the files, write them
(observations first, then the words, then the statements that cite them).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kb.edits.add_words import add_words
from kb.edits.file_texts import format_entity, format_observation
from kb.edits.footnotes import CitedSource, cited_source, written_day
from kb.edits.format_files import replace_text, with_footnotes
from kb.edits.import_refs import Refs, assign_refs
from kb.edits.import_statements import ReadStatement, read_statements
from kb.edits.import_words import missing_words
from kb.edits.journal import Journal
from kb.edits.place_statements import NewStatement, place_statements
from kb.edits.records import EntityRecord, Import, ObservationRecord, Problem, Records, Tally
from kb.errors import KbError
from kb.graph.build import statement_basis
from kb.knowledge_base import KnowledgeBase
from kb.model.entity import EntityFile
from kb.model.names import mint_statement_id
from kb.model.statement import Section
from kb.store.root import CONFIGURATION
from kb.store.writes import create_file, flush_files, lock_knowledge_base, replace_file
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.source import MAX_FILE_BYTES
from kb.syntax.statement_lines import format_statement

Progress = Callable[[int, int], None]


@dataclass
class _Plan:
    """The files to write, by path, and what is found on the way."""

    problems: list[Problem]
    observations: dict[str, bytes] = field(default_factory=dict)
    entities: dict[str, bytes] = field(default_factory=dict)
    changes: dict[str, bytes] = field(default_factory=dict)
    statements: dict[str, Counter[Section]] = field(default_factory=dict)  #: new ones, by path

    def drop(self, path: str) -> None:
        """Leave out a file that cannot be written, with all that it would say."""
        for files in (self.observations, self.entities, self.changes):
            files.pop(path, None)
        self.statements.pop(path, None)


def import_records(
    base: KnowledgeBase,
    records: Records,
    *,
    with_words: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Import:
    """Import records. ``with_words`` writes the words that the vocabulary lacks into ``kb.yaml``.

    ``progress`` is called with the number of files written so far, and of all.
    """
    plan = _Plan(list(records.problems))
    refs = assign_refs(base, records, plan.problems)
    sources = _plan_observations(refs, plan)
    read = read_statements(base, refs, records.statements, plan.problems)
    words = missing_words(base.vocabulary, records, refs, read.all)
    _plan_entities(base, refs, read.new, sources, plan)
    if with_words and words:
        before = base.corpus.contents.get(CONFIGURATION)
        after = add_words(before, words) if before is not None else None
        if after is None:
            plan.problems.append(
                Problem(
                    0,
                    "kb.yaml cannot take the words that are lacking: add them by hand",
                    is_lost=True,
                )
            )
        else:
            plan.changes = {CONFIGURATION: after, **plan.changes}
    if not dry_run:
        _write(base, plan, progress)
    made = sum(plan.statements.values(), Counter[Section]())
    relations, facts = (
        Tally(made[section], read.there[section]) for section in (Section.RELATIONS, Section.FACTS)
    )
    return Import(
        entities=Tally(len(plan.entities), len(refs.known_entities)),
        observations=Tally(len(plan.observations), refs.known_observations),
        relations=relations,
        facts=facts,
        identical=read.identical,
        unresolved=read.unresolved,
        problems=tuple(sorted(plan.problems, key=lambda problem: problem.line)),
        lost=sum(problem.is_lost for problem in plan.problems),
        words=words,
        words_added=CONFIGURATION in plan.changes,
        made=(*plan.observations, *plan.entities),
        changed=tuple(plan.changes),
        is_written=not dry_run,
    )


# -- observations ------------------------------------------------------------------------------------------------


def _plan_observations(refs: Refs, plan: _Plan) -> dict[str, CitedSource]:
    """Plan the new observations, and give all that can be cited by id."""
    sources = {id: cited_source(seen) for id, seen in refs.base.resolution.observations.items()}
    for new in refs.new_observations:
        data = _observation_text(refs, new.record, new.id).encode("utf-8")
        if len(data) > MAX_FILE_BYTES:
            message = f"{new.record.ref} is larger than {MAX_FILE_BYTES // 1024 // 1024} MiB and is not kept"
            plan.problems.append(Problem(new.record.line, message, is_lost=True))
            refs.drop_observation(new.record.ref)
            continue
        plan.observations[new.path] = data
        day = written_day(new.date) if new.date else ""
        sources[new.id] = CitedSource(new.id, new.record.title, day, new.path)
    return sources


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
    base: KnowledgeBase,
    refs: Refs,
    new: Sequence[ReadStatement],
    sources: dict[str, CitedSource],
    plan: _Plan,
) -> None:
    by_subject: dict[str, list[ReadStatement]] = {}
    for statement in new:
        by_subject.setdefault(statement.subject, []).append(statement)
    for entity in refs.new_entities:
        statements = _with_ids(by_subject.pop(entity.id, []), set())
        lines = [(one.line, one.link) for one in statements]
        text = format_entity(
            entity.path, _entity_fields(entity.record, entity.id), "", lines, sources
        )
        plan.entities[entity.path] = text.encode("utf-8")
        plan.statements[entity.path] = Counter(one.line.section for one in statements)
    for id, statements in by_subject.items():
        _plan_change(base, base.resolution.identities.files[id], statements, sources, plan)


def _entity_fields(record: EntityRecord, id: str) -> tuple[tuple[str, str | Sequence[str]], ...]:
    return (
        ("id", id),
        ("type", record.type),
        ("name", record.name),
        ("aliases", record.aliases),
        ("keys", [f"{kind}:{value}" for kind, value in record.keys]),
        ("import_ref", record.ref),
    )


def _with_ids(statements: Sequence[ReadStatement], taken: set[str]) -> list[ReadStatement]:
    """Mint the ids of a file's new statements, and order them by predicate, start and id."""
    minted = []
    for one in sorted(statements, key=lambda one: one.order):
        basis = statement_basis(one.subject, one.line, one.reading, one.object)
        id = mint_statement_id(basis, taken)
        taken.add(id)
        minted.append(one.with_id(id))
    return sorted(minted, key=lambda one: NewStatement(one.line, "").place)


def _plan_change(
    base: KnowledgeBase,
    file: EntityFile,
    statements: Sequence[ReadStatement],
    sources: dict[str, CitedSource],
    plan: _Plan,
) -> None:
    """Plan new statements of a file that is there already."""
    source, drafts = base.corpus.sources[file.path], base.resolution.drafts[file.path]
    taken = {id for draft in drafts for id in (draft.id, draft.line.id) if id}
    minted = _with_ids(statements, taken)
    new = [NewStatement(one.line, format_statement(one.line, one.link)) for one in minted]
    placed = (
        replace_text(source, place_statements(source, drafts, new)) if source.is_utf8 else source
    )
    read, _ = parse_entity_file(placed)
    if len(read.statements) != len(file.statements) + len(new):
        reason = f"{file.path} takes no new statements: its sections or its end are not as they should be"
        plan.problems += [Problem(one.record_line, reason, is_lost=True) for one in minted]
        return
    text, _ = with_footnotes(read, placed, sources)
    plan.changes[file.path] = replace_text(source, text).encode()
    plan.statements[file.path] = Counter(one.line.section for one in minted)


# -- writing -----------------------------------------------------------------------------------------------------


def _write(base: KnowledgeBase, plan: _Plan, progress: Progress | None) -> None:
    total = len(plan.observations) + len(plan.entities) + len(plan.changes)
    if not total:
        return
    with lock_knowledge_base(base.root):
        files = (*plan.observations.items(), *plan.changes.items(), *plan.entities.items())
        for done, (path, data) in enumerate(files, 1):
            try:
                if path in plan.changes:
                    replace_file(base.root, path, data, base.corpus.contents[path], durable=False)
                else:
                    create_file(base.root, path, data, durable=False)
            except KbError as error:  # one file that is in the way does not stop the others
                plan.problems.append(Problem(0, error.message, is_lost=True))
                plan.drop(path)
            if progress:
                progress(done, total)
        flush_files(base.root)
        Journal(base.root).add_barrier("import", "kb import", base.now)
