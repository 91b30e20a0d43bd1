"""Parsed files → the graph, from nothing: the clean rebuild, and the oracle for everything faster."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kb.graph.drafts import Draft, draft_statements
from kb.graph.evidence import EvidenceBook, FindObservation
from kb.graph.file_form import DIGEST_BYTES
from kb.graph.graph import Entity, Graph, Observation, Statement
from kb.graph.identity import Identities, resolve_identities
from kb.graph.keys import normalize_key
from kb.graph.links import LinkResolver, LoadedPlaces
from kb.graph.memory import MemoryGraph
from kb.graph.rows import Rows
from kb.graph.texts import text_of
from kb.model.digests import blake2b
from kb.model.entity import EntityFile
from kb.model.observation import ObservationFile
from kb.model.vocabulary import StatementClass, Vocabulary
from kb.syntax.observation_file import find_links
from kb.syntax.source import Source


class Resolution(NamedTuple):
    """Parsed files with everything in them resolved against the others: what the graph and the checks start from."""

    files: tuple[EntityFile, ...]
    observations: Mapping[
        str, ObservationFile
    ]  #: by id; of two files with one id, the first by path
    identities: Identities
    links: LinkResolver
    vocabulary: Vocabulary
    drafts: Mapping[str, tuple[Draft, ...]]  #: each file's statements by its path
    digests: Mapping[
        str, bytes
    ]  #: of each file's bytes, by path; of one that could not be read, none


def resolve_files(
    entities: Iterable[EntityFile],
    observations: Iterable[ObservationFile],
    vocabulary: Vocabulary,
    digests: Mapping[str, bytes],
) -> Resolution:
    """Resolve parsed files against each other."""
    files = tuple(sorted(entities, key=lambda file: file.path))
    witnesses: dict[str, ObservationFile] = {}
    for observation in sorted(observations, key=lambda file: file.path):
        witnesses.setdefault(observation.id, observation)
    identities = resolve_identities(files, vocabulary)
    links = LinkResolver(
        LoadedPlaces(identities, {id: observation.path for id, observation in witnesses.items()})
    )
    drafts = {file.path: tuple(draft_statements(file, links, vocabulary)) for file in files}
    return Resolution(files, witnesses, identities, links, vocabulary, drafts, digests)


def build_graph(resolution: Resolution) -> Graph:
    """Build the graph of resolved files."""
    return MemoryGraph(build_rows(resolution))


def build_rows(resolution: Resolution) -> Rows:
    """Make the rows of all resolved files."""
    identities = resolution.identities
    return make_rows(
        resolution,
        {id: make_observation(file) for id, file in resolution.observations.items()}.get,
        tuple(id for id in sorted(identities.files) if id not in identities.survivors),
    )


def make_rows(
    resolution: Resolution, find_observation: FindObservation, entities: Iterable[str]
) -> Rows:
    """Make the rows of some files and of some entities, given all observations there are."""
    identities, vocabulary = resolution.identities, resolution.vocabulary
    book = EvidenceBook(find_observation)
    statements: list[Statement] = []
    hidden: list[tuple[str, str]] = []
    unresolved: list[tuple[str, str]] = []
    for file in resolution.files:
        if file.id in identities.ambiguous:
            continue
        drafts = resolution.drafts[file.path]
        lines = _line_numbers(file.text, [draft.line.start for draft in drafts])
        for draft, number in zip(drafts, lines, strict=True):
            statement = make_statement(draft, identities, book, number, len(statements))
            if statement is None:
                unresolved.append((file.path, identities.survivors.get(file.id, file.id)))
            elif is_hidden(draft, statement):
                hidden.append((file.path, statement.subject))
            else:
                statements.append(statement)
    groups = {
        id: tuple(identities.files[one] for one in (id, *identities.merged_of(id)))
        for id in entities
    }
    digests = {
        f"e:{id}": digest_files([file.path for file in group], resolution.digests)
        for id, group in groups.items()
    }
    digests |= {
        f"o:{id}": digest_files([file.path], resolution.digests)
        for id, file in resolution.observations.items()
    }
    broken = [file.path for file in resolution.files if file.is_broken or file.has_unread_keys]
    broken += [file.path for file in resolution.observations.values() if file.is_broken]
    return Rows(
        vocabulary=vocabulary,
        entities=tuple(make_entity(id, identities, resolution.links, vocabulary) for id in groups),
        texts={id: join_texts(group) for id, group in groups.items()},
        observations=tuple(
            found
            for id in sorted(resolution.observations)
            if (found := find_observation(id)) is not None
        ),
        bodies={id: file.body for id, file in resolution.observations.items()},
        digests=digests,
        involved={
            id: list_involved(file, resolution.links, vocabulary)
            for id, file in resolution.observations.items()
        },
        statements=tuple(statements),
        hidden=tuple(hidden),
        unresolved=tuple(unresolved),
        broken=tuple(broken),
        survivors=identities.survivors,
        ambiguous=identities.ambiguous,
        distinct=identities.distinct,
    )


def _line_numbers(text: str, places: list[int]) -> list[int]:
    """Give the lines in which places stand, which are in order."""
    if "\r" in text:
        source = Source("", text)
        return [source.span(place).line for place in places]
    numbers, line, at = [], 1, 0
    for place in places:
        line += text.count("\n", at, place)
        at = place
        numbers.append(line)
    return numbers


def join_texts(group: Iterable[EntityFile]) -> str:
    """Join what the files of one entity say in words."""
    return "\n\n".join(filter(None, (text_of(file) for file in group)))


def digest_files(paths: Iterable[str], digests: Mapping[str, bytes]) -> bytes:
    """Digest files by their bytes and their paths, since a file's id and title may be its name's."""
    whole = blake2b(digest_size=DIGEST_BYTES)
    for path in paths:
        whole.update(path.encode("utf-8", "surrogateescape") + b"\0" + digests.get(path, b""))
    return whole.digest()


def make_statement(
    draft: Draft,
    identities: Identities,
    book: EvidenceBook,
    line_number: int,
    ordinal: int,
) -> Statement | None:
    """Resolve a statement; ``None`` where its link leads to no entity."""
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
    citations = line.citations
    cited = (
        tuple(dict.fromkeys(citation.observation for citation in citations))
        if len(citations) > 1
        else (citations[0].observation,)
        if citations
        else ()
    )
    evidence = book.weigh(cited)
    file = draft.file
    # By position, in the order of the fields: of all values these are made most often.
    return Statement(
        file.id,
        draft.id,
        draft.is_provisional,
        subject,
        reading.name,
        object,
        line.value,
        line.interval,
        line.confidence,
        identities.survivors.get(line.by, line.by) if line.by else None,
        line.auto,
        line.retracted,
        line.superseded_by,
        line.note,
        line.sub_items,
        relation.klass if relation else StatementClass.PLAIN,
        bool((relation and relation.single) or (fact and fact.single)),
        cited,
        evidence.witnesses,
        evidence.witnessed,
        line.by or evidence.speaker,
        file.path,
        line_number,
        ordinal,
    )


def is_hidden(draft: Draft, statement: Statement) -> bool:
    """Say whether a merge turned a relation on its own entity."""
    return statement.subject == statement.object and draft.object != draft.file.id


def make_observation(file: ObservationFile) -> Observation:
    """Give an observation as the graph has it."""
    return Observation(
        id=file.id,
        path=file.path,
        kind=file.kind,
        title=file.title,
        happened_at=file.happened_at,
        said_by=file.said_by,
        participants=tuple(name.text for name in file.participants),
        source=file.source,
        derived_from=tuple(name.text for name in file.derived_from),
        decision=file.decision.text if file.is_decision and file.decision else "",
        about=tuple(name.text for name in file.about),
        digest=file.digest,
        is_sealed=file.is_sealed,
        is_broken=file.is_broken,
    )


def list_involved(
    file: ObservationFile, resolver: LinkResolver, vocabulary: Vocabulary
) -> tuple[str, ...]:
    """List the ids and normalized keys that an observation's fields name, and the ids that its text links."""
    tokens: dict[str, None] = {}
    for person in (file.said_by, *(name.text for name in file.participants)):
        if person:
            tokens[person] = None
            kind, _, value = person.partition(":")
            if value:
                tokens[normalize_key(kind, value, vocabulary)] = None
    for name in file.about:
        tokens[name.text] = None
    for link in find_links(file):
        id = resolver.resolve(link, file.path).id
        if id is not None:
            tokens[id] = None
    return tuple(tokens)


def make_entity(
    id: str, identities: Identities, resolver: LinkResolver, vocabulary: Vocabulary
) -> Entity:
    """Join an entity with all that was merged into it."""
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
