"""The graph as queries see it: entities, statements and observations, with adjacency. Immutable.

``Graph`` is the contract. ``kb.graph.memory`` answers it from rows in memory, ``kb.graph.stored`` from a graph file; both
give the same to the byte, ``iter_texts`` and ``iter_digests`` in any order. The values are named tuples because a cold command must make them fast, and their classes.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from kb.model.names import fold
from kb.model.time import Date, Interval, TimeSpan
from kb.model.vocabulary import StatementClass, Vocabulary

if TYPE_CHECKING:
    from kb.graph.adjacency import Adjacency
    from kb.model.statement import SubItem


class Entity(NamedTuple):
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


class Observation(NamedTuple):
    """An observation without its text."""

    id: str
    path: str
    kind: str
    title: str
    happened_at: Date | None
    said_by: str  #: an entity id, a key or plain text
    participants: tuple[str, ...]
    source: str
    derived_from: tuple[str, ...]
    decision: str  #: empty where the kind is another one, whatever the file says
    about: tuple[str, ...]
    digest: str  #: SHA-256 of the sealed part as it is now, in hex
    is_sealed: bool
    is_broken: bool


class Statement(NamedTuple):
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
    sub_items: tuple["SubItem", ...]
    klass: StatementClass
    is_single: bool  #: the predicate has one value at a time
    observations: tuple[str, ...]  #: cited ids
    witnesses: int  #: distinct cited observations that derive from no other cited one
    witnessed: TimeSpan | None  #: from the earliest to the latest ``happened_at`` that it cites
    said_by: str
    path: str
    line: int
    ordinal: int  #: orders all statements by path and line; no count

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


def strength_of(is_cited: bool, is_solid: bool, witnesses: int, confidence: int) -> int:
    """Put a support into one number, in the same order: a search compares many."""
    return (2 * is_cited + is_solid) << 40 | witnesses << 8 | confidence


class Graph(ABC):
    """Entities (survivors only), what is stated of them, and the observations that say so."""

    vocabulary: Vocabulary
    entities: Mapping[str, Entity]
    observations: Mapping[str, Observation]  #: by id; of two files with one id, the first by path
    survivors: Mapping[str, str]  #: merged id → the id that it reads as
    ambiguous: Mapping[str, tuple[str, ...]]  #: id → the paths that claim it
    hidden: Mapping[str, int]  #: survivor → statements that a merge turned on itself
    unresolved: Mapping[str, int]  #: survivor → its relations whose link leads to no entity
    broken: tuple[str, ...]  #: paths of files that do not parse, or of which a key does not
    key_kinds: frozenset[str]  #: in use
    types: frozenset[str]  #: of entities, in use
    kinds: frozenset[str]  #: of observations, in use
    adjacency: "Adjacency"  #: who is next to whom, for searches that pass many

    @abstractmethod
    def iter_statements(self) -> Iterator[Statement]:
        """Yield all statements, by path and line."""

    @abstractmethod
    def of_id(self, statement_id: str) -> tuple[Statement, ...]:
        """List the statements of an id, which is one file's own: several files may have it."""

    @abstractmethod
    def superseded(self) -> tuple[Statement, ...]:
        """List the statements that name a successor, by path and line."""

    @abstractmethod
    def about(self, id: str) -> tuple[Statement, ...]:
        """List the statements with the entity at either end, by path and line."""

    @abstractmethod
    def single_valued_of(self, id: str) -> tuple[Statement, ...]:
        """List what is stated of an entity by predicates that have one value at a time, by path and line."""

    @abstractmethod
    def count_about(self, id: str) -> int:
        """Count the statements with the entity at either end."""

    @abstractmethod
    def citing(self, observation: str) -> tuple[Statement, ...]:
        """List the statements that cite an observation, be there one or not."""

    @abstractmethod
    def count_predicates(self) -> Mapping[str, int]:
        """Count all statements by predicate."""

    @abstractmethod
    def bearers_of_folded(self, name: str) -> tuple[str, ...]:
        """List the entities that bear a folded name or alias, sorted."""

    @abstractmethod
    def bearers_of_key(self, normalized: str) -> tuple[str, ...]:
        """List the entities that bear a normalized key, sorted."""

    @abstractmethod
    def iter_names(self, part: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each folded name that holds a part, with its bearers; names sorted."""

    @abstractmethod
    def neighbors(self, id: str) -> tuple[str, ...]:
        """List the distinct entities related to one by any statement that is not retired, sorted."""

    @abstractmethod
    def are_distinct(self, first: str, second: str) -> bool:
        """Say whether two survivors were judged not the same."""

    @abstractmethod
    def involving(self, token: str) -> tuple[str, ...]:
        """List the observations that name an entity in their fields or links.

        ``token`` is an entity id, as a field has it or as a link leads to it, or a normalized key of a person.
        """

    @abstractmethod
    def iter_texts(self, part: str) -> Iterator[tuple[str, str, str]]:
        """Yield (id, title, body) of each observation whose title or body holds a part."""

    @abstractmethod
    def body_of(self, observation: str) -> str:
        """Give an observation's text."""

    @abstractmethod
    def text_of(self, id: str) -> str:
        """Give what an entity's files say in words: free text, values and notes."""

    @abstractmethod
    def iter_digests(self) -> Iterator[tuple[str, bytes]]:
        """Yield the digest of the files behind each document by its key: ``e:<id>`` or ``o:<id>``."""

    @abstractmethod
    def digest_of(self, key: str) -> bytes | None:
        """Give the digest of the files behind a document, ``None`` where there is no such document."""

    @property
    def stamp(self) -> tuple[bytes, bytes]:
        """What tells the files behind this graph from all others: of the last full build, and of what changed since.

        Both are empty where nothing does.
        """
        return b"", b""

    def changed_documents(self) -> frozenset[str]:
        """List the keys of documents that may be otherwise than in the last full build."""
        return frozenset()

    def bearers_of_name(self, name: str) -> tuple[str, ...]:
        """List the entities that bear a name or alias, sorted."""
        return self.bearers_of_folded(fold(name))
