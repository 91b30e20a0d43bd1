"""The graph as queries see it: entities, statements and observations, with adjacency. Immutable."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kb.model.names import fold
from kb.model.observation import ObservationFile
from kb.model.statement import SubItem
from kb.model.time import Interval, TimeSpan
from kb.model.vocabulary import StatementClass, Vocabulary


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity with all that was merged into it."""

    id: str
    type: str | None
    name: str
    aliases: tuple[str, ...]  #: own ones, then the names and aliases of what was merged into it
    keys: tuple[str, ...]  #: as written
    normalized_keys: tuple[str, ...]
    path: str
    merged: tuple[str, ...]  #: ids that read as this one
    summary: str
    is_broken: bool
    links: tuple[str, ...]  #: entity ids that its free text links

    @property
    def names(self) -> tuple[str, ...]:
        """Its name and aliases."""
        return (self.name, *self.aliases)

    @property
    def is_typed(self) -> bool:
        """It has a type that says something."""
        return self.type is not None and self.type != "other"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, resolved: in its canonical direction, redirects followed."""

    file_id: str  #: the id of the file that it stands in: with ``id``, its identity
    id: str
    is_provisional: bool  #: the id is its digest, not written down yet
    subject: str
    predicate: str
    object: str | None  #: an entity id, in a relation
    value: str | None  #: in a fact
    interval: Interval | None
    confidence: int | None
    by: str | None
    auto: str | None
    retracted: bool
    superseded_by: str | None
    note: str | None
    sub_items: tuple[SubItem, ...]
    klass: StatementClass
    is_single: bool  #: the predicate has one value at a time
    observations: tuple[str, ...]  #: cited ids
    witnesses: int  #: distinct cited observations that derive from no other cited one
    witnessed: TimeSpan | None  #: from the earliest to the latest ``happened_at`` that it cites
    said_by: str
    path: str
    line: int
    ordinal: int  #: its place among all statements, by path and line

    @property
    def is_retired(self) -> bool:
        """Retracted or superseded."""
        return self.retracted or self.superseded_by is not None

    @property
    def is_relation(self) -> bool:
        """Its object is an entity."""
        return self.object is not None

    def other_end(self, entity: str) -> str | None:
        """The entity at the other end of a relation."""
        return self.object if self.subject == entity else self.subject

    @property
    def support(self) -> tuple[bool, bool, int, int]:
        """How well evidenced it is, best greatest: cited, no association, witnesses, confidence."""
        return (
            bool(self.observations),
            self.klass is not StatementClass.ASSOCIATION,
            self.witnesses,
            100 if self.confidence is None else self.confidence,
        )


@dataclass(frozen=True)
class Graph:
    """Entities (survivors only) and what is stated of them."""

    vocabulary: Vocabulary
    entities: Mapping[str, Entity]
    observations: Mapping[str, ObservationFile]
    statements: tuple[Statement, ...]  #: by path and line
    survivors: Mapping[str, str]  #: merged id → survivor
    ambiguous: Mapping[str, tuple[str, ...]]  #: id → the paths that claim it
    distinct: frozenset[tuple[str, str]]
    hidden: Mapping[str, int]  #: survivor → statements that a merge turned on itself
    unresolved: Mapping[str, int]  #: survivor → its relations whose link leads to no entity
    broken: tuple[str, ...]  #: paths of files that do not parse
    key_kinds: frozenset[str]  #: in use
    _by_entity: Mapping[str, tuple[Statement, ...]] = field(repr=False)
    _by_name: Mapping[str, tuple[str, ...]] = field(repr=False)
    _by_key: Mapping[str, tuple[str, ...]] = field(repr=False)
    _adjacent: Mapping[str, tuple[str, ...]] = field(repr=False)
    _citing: Mapping[str, tuple[Statement, ...]] = field(repr=False)

    def about(self, id: str) -> tuple[Statement, ...]:
        """List the statements with the entity at either end, by path and line."""
        return self._by_entity.get(id, ())

    def citing(self, observation: str) -> tuple[Statement, ...]:
        """List the statements that cite an observation."""
        return self._citing.get(observation, ())

    def bearers_of_name(self, name: str) -> tuple[str, ...]:
        """List the entities that bear a name or alias, folded."""
        return self._by_name.get(fold(name), ())

    def bearers_of_key(self, normalized: str) -> tuple[str, ...]:
        """List the entities that bear a normalized key."""
        return self._by_key.get(normalized, ())

    def iter_names(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each folded name with its bearers."""
        yield from self._by_name.items()

    def neighbors(self, id: str) -> tuple[str, ...]:
        """List the distinct entities related to one by any statement that is not retired, sorted."""
        return self._adjacent.get(id, ())
