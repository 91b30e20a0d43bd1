"""Parsed files → the graph, from nothing: the clean rebuild, and the oracle for everything faster."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kb.graph.graph import Entity, Graph, Statement
from kb.graph.identity import Identities, resolve_identities
from kb.graph.keys import normalize_key
from kb.graph.links import LinkResolver
from kb.model.entity import EntityFile
from kb.model.names import fold, mint_statement_id
from kb.model.observation import ObservationFile
from kb.model.statement import Section, StatementLine
from kb.model.time import TimeSpan
from kb.model.vocabulary import Reading, StatementClass, Vocabulary
from kb.syntax.source import Source


@dataclass
class Draft:
    """A statement line with what it resolves to; its id is given last, when the file's others are known."""

    file: EntityFile
    line: StatementLine
    reading: Reading
    object: str | None  #: the id as the link has it
    id: str = ""
    is_provisional: bool = False


@dataclass
class _Tables:
    by_entity: dict[str, list[Statement]] = field(default_factory=dict)
    by_name: dict[str, dict[str, None]] = field(default_factory=dict)
    by_key: dict[str, dict[str, None]] = field(default_factory=dict)
    adjacent: dict[str, set[str]] = field(default_factory=dict)
    citing: dict[str, list[Statement]] = field(default_factory=dict)
    hidden: dict[str, int] = field(default_factory=dict)
    unresolved: dict[str, int] = field(default_factory=dict)


def statement_basis(
    file_id: str, line: StatementLine, reading: Reading, object: str | None
) -> tuple[str, ...]:
    """Give the parts that a statement's id is minted from (FORMAT, "statement id")."""
    direction = "in" if reading.is_inverse else "out"
    goal = object if line.section is Section.RELATIONS else line.value
    start = line.interval.start_text if line.interval else ""
    return (file_id, reading.name, direction, goal or "", start, line.by or "")


def read_predicate(line: StatementLine, vocabulary: Vocabulary) -> Reading:
    """Read a line's predicate as its section means it."""
    if line.section is Section.RELATIONS:
        return vocabulary.read_relation(line.predicate)
    return vocabulary.read_fact(line.predicate)


@dataclass(frozen=True)
class Resolution:
    """Parsed files with everything in them resolved against the others: what the graph and the checks start from."""

    files: tuple[EntityFile, ...]
    observations: Mapping[
        str, ObservationFile
    ]  #: by id; of two files with one id, the first by path
    identities: Identities
    links: LinkResolver
    vocabulary: Vocabulary
    drafts: Mapping[str, tuple[Draft, ...]]  #: each file's statements by its path


def resolve_files(
    entities: Iterable[EntityFile], observations: Iterable[ObservationFile], vocabulary: Vocabulary
) -> Resolution:
    """Resolve parsed files against each other."""
    files = tuple(sorted(entities, key=lambda file: file.path))
    witnesses: dict[str, ObservationFile] = {}
    for observation in sorted(observations, key=lambda file: file.path):
        witnesses.setdefault(observation.id, observation)
    identities = resolve_identities(files, vocabulary)
    links = LinkResolver(
        identities, {id: observation.path for id, observation in witnesses.items()}
    )
    drafts = {file.path: tuple(draft_statements(file, links, vocabulary)) for file in files}
    return Resolution(files, witnesses, identities, links, vocabulary, drafts)


def build_graph(resolution: Resolution) -> Graph:
    """Build the graph of resolved files."""
    identities, resolver, vocabulary = (
        resolution.identities,
        resolution.links,
        resolution.vocabulary,
    )
    witnesses = resolution.observations
    tables = _Tables()
    statements: list[Statement] = []
    for file in resolution.files:
        if file.id in identities.ambiguous:
            continue
        source = Source(file.path, file.text)
        for draft in resolution.drafts[file.path]:
            place = (source.span(draft.line.start).line, len(statements))
            statement = _statement(draft, identities, witnesses, *place)
            if statement is None:
                here = identities.survivors.get(file.id, file.id)
                tables.unresolved[here] = tables.unresolved.get(here, 0) + 1
            elif (
                statement.object is not None
                and statement.subject == statement.object
                and draft.object != draft.file.id
            ):
                tables.hidden[statement.subject] = tables.hidden.get(statement.subject, 0) + 1
            else:
                statements.append(statement)
                _index(statement, tables)
    built = {
        id: _entity(id, identities, resolver, vocabulary)
        for id in sorted(identities.files)
        if id not in identities.survivors
    }
    for entity in built.values():
        for name in entity.names:
            tables.by_name.setdefault(fold(name), {})[entity.id] = None
        for key in entity.normalized_keys:
            tables.by_key.setdefault(key, {})[entity.id] = None
    broken = [file.path for file in resolution.files if file.is_broken]
    broken += [observation.path for observation in witnesses.values() if observation.is_broken]
    return Graph(
        vocabulary=vocabulary,
        entities=built,
        observations=witnesses,
        statements=tuple(statements),
        survivors=identities.survivors,
        ambiguous=identities.ambiguous,
        distinct=identities.distinct,
        hidden=tables.hidden,
        unresolved=tables.unresolved,
        broken=tuple(broken),
        key_kinds=frozenset(key.partition(":")[0] for key in tables.by_key),
        _by_entity={id: tuple(about) for id, about in tables.by_entity.items()},
        _by_name={name: tuple(sorted(ids)) for name, ids in tables.by_name.items() if name},
        _by_key={key: tuple(sorted(ids)) for key, ids in tables.by_key.items()},
        _adjacent={id: tuple(sorted(others)) for id, others in tables.adjacent.items()},
        _citing={id: tuple(citing) for id, citing in tables.citing.items()},
    )


def draft_statements(
    file: EntityFile, resolver: LinkResolver, vocabulary: Vocabulary
) -> list[Draft]:
    """Resolve a file's lines and give each its id: written ones stay, the others are read under their digests."""
    drafts = []
    for line in file.statements:
        object = resolver.resolve(line.link, file.path).id if line.link is not None else None
        drafts.append(Draft(file, line, read_predicate(line, vocabulary), object))
    taken: set[str] = set()
    keepers = _keepers(file.id, drafts)
    for index, draft in enumerate(drafts):
        if draft.line.id is not None and keepers[draft.line.id] == index:
            draft.id = draft.line.id
            taken.add(draft.id)
    for draft in drafts:
        if not draft.id:
            basis = statement_basis(file.id, draft.line, draft.reading, draft.object)
            draft.id = mint_statement_id(basis, taken)
            draft.is_provisional = True
            taken.add(draft.id)
    return drafts


def _keepers(file_id: str, drafts: list[Draft]) -> dict[str, int]:
    """Which line keeps each written id: the one that still digests to it, else the first."""
    keepers: dict[str, int] = {}
    for index, draft in enumerate(drafts):
        id = draft.line.id
        if id is None:
            continue
        rival = drafts[keepers[id]] if id in keepers else None
        if rival is None or (
            _digests_to(file_id, draft, id) and not _digests_to(file_id, rival, id)
        ):
            keepers[id] = index
    return keepers


def _digests_to(file_id: str, draft: Draft, id: str) -> bool:
    return (
        mint_statement_id(statement_basis(file_id, draft.line, draft.reading, draft.object)) == id
    )


def _statement(
    draft: Draft,
    identities: Identities,
    witnesses: Mapping[str, ObservationFile],
    line_number: int,
    ordinal: int,
) -> Statement | None:
    line, reading = draft.line, draft.reading
    here = identities.survivors.get(draft.file.id, draft.file.id)
    there = None
    if line.link is not None:
        if draft.object is None:
            return None
        there = identities.survivors.get(draft.object, draft.object)
    subject, object = (there, here) if reading.is_inverse and there is not None else (here, there)
    relation, fact = reading.relation, reading.fact
    if relation is not None and relation.symmetric and object is not None and object < subject:
        subject, object = object, subject
    cited = tuple(dict.fromkeys(citation.observation for citation in line.citations))
    return Statement(
        file_id=draft.file.id,
        id=draft.id,
        is_provisional=draft.is_provisional,
        subject=subject,
        predicate=reading.name,
        object=object,
        value=line.value,
        interval=line.interval,
        confidence=line.confidence,
        by=identities.survivors.get(line.by, line.by) if line.by else None,
        auto=line.auto,
        retracted=line.retracted,
        superseded_by=line.superseded_by,
        note=line.note,
        sub_items=line.sub_items,
        klass=relation.klass if relation else StatementClass.PLAIN,
        is_single=bool((relation and relation.single) or (fact and fact.single)),
        observations=cited,
        witnesses=count_witnesses(cited, witnesses),
        witnessed=witnessed_span(cited, witnesses),
        said_by=_said_by(line, cited, witnesses),
        path=draft.file.path,
        line=line_number,
        ordinal=ordinal,
    )


def count_witnesses(cited: tuple[str, ...], observations: Mapping[str, ObservationFile]) -> int:
    """Count the cited observations that derive from no other cited one; a missing one is no witness."""
    present = [id for id in cited if id in observations]
    among = set(present)
    return sum(not (_origins(id, observations) & (among - {id})) for id in present)


def _origins(id: str, observations: Mapping[str, ObservationFile]) -> set[str]:
    """Everything that an observation repeats, through any number of steps."""
    found: set[str] = set()
    todo = [id]
    while todo:
        observation = observations.get(todo.pop())
        for origin in observation.derived_from if observation else ():
            if origin.text not in found:
                found.add(origin.text)
                todo.append(origin.text)
    return found


def witnessed_span(
    cited: tuple[str, ...], observations: Mapping[str, ObservationFile]
) -> TimeSpan | None:
    """Span from the earliest to the latest ``happened_at`` of the cited observations."""
    dates = [
        date
        for id in cited
        if id in observations and (date := observations[id].happened_at) is not None
    ]
    if not dates:
        return None
    return TimeSpan(min(date.first for date in dates), max(date.after for date in dates))


def _said_by(
    line: StatementLine, cited: tuple[str, ...], observations: Mapping[str, ObservationFile]
) -> str:
    if line.by:
        return line.by
    speakers = (observations[id].said_by for id in cited if id in observations)
    return next((speaker for speaker in speakers if speaker), "")


def _index(statement: Statement, tables: _Tables) -> None:
    tables.by_entity.setdefault(statement.subject, []).append(statement)
    if statement.object is not None and statement.object != statement.subject:
        tables.by_entity.setdefault(statement.object, []).append(statement)
        if not statement.is_retired:
            tables.adjacent.setdefault(statement.subject, set()).add(statement.object)
            tables.adjacent.setdefault(statement.object, set()).add(statement.subject)
    for observation in statement.observations:
        tables.citing.setdefault(observation, []).append(statement)


def _entity(
    id: str, identities: Identities, resolver: LinkResolver, vocabulary: Vocabulary
) -> Entity:
    file = identities.files[id]
    merged = identities.merged_of(id)
    group = (file, *(identities.files[other] for other in merged))
    names: dict[str, None] = {}
    for member in group:
        for text in (member.name, *(alias.text for alias in member.aliases)):
            if text != file.name:
                names[text] = None
    keys = tuple(dict.fromkeys(key.text for member in group for key in member.keys))
    normalized = tuple(
        dict.fromkeys(
            normalize_key(key.kind, key.value, vocabulary)
            for member in group
            for key in member.keys
        )
    )
    return Entity(
        id=id,
        type=vocabulary.read_type(file.type),
        name=file.name,
        aliases=tuple(names),
        keys=keys,
        normalized_keys=normalized,
        path=file.path,
        merged=merged,
        summary=file.summary,
        is_broken=file.is_broken,
        links=_linked(group, resolver, identities),
    )


def _linked(
    group: tuple[EntityFile, ...], resolver: LinkResolver, identities: Identities
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for file in group:
        for link in (
            *file.links,
            *(mention for line in file.statements for mention in line.mentions),
        ):
            id = resolver.resolve(link, file.path)
            if id.is_entity and id.id is not None:
                found[identities.survivors.get(id.id, id.id)] = None
    return tuple(found)
