"""What every query answers with: the envelope, and entities and statements as they are shown."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from kb.graph.graph import Graph, Statement
from kb.graph.standing import Status, find_contests, status_of

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

Result = TypeVar("Result", covariant=True)


class EntityRef(NamedTuple):
    """An entity where it is named in an answer."""

    id: str
    name: str
    type: str | None


class Resolved(NamedTuple):
    """What an argument was read as, and what else it matched."""

    argument: str
    entities: tuple[EntityRef, ...]  #: more than one only for a key that several bear
    statements: int  #: how many the first has
    tier: str
    others: tuple["OtherMatch", ...] = ()  #: the best of them
    total_others: int = 0
    merged_from: str | None = None  #: the id asked for, where it was merged into another


class OtherMatch(NamedTuple):
    """Another candidate for an argument."""

    entity: EntityRef
    statements: int
    tier: str


class StatementView(NamedTuple):
    """A statement as it is shown, with how it stands now."""

    statement: Statement
    subject: EntityRef
    object: EntityRef | None
    status: Status
    is_contested: bool
    is_latest: bool  #: the latest said of a contest


class Answer(NamedTuple, Generic[Result]):
    """The envelope of every answer."""

    query: str
    revision: str
    resolved: tuple[Resolved, ...]
    results: Result
    total: int | None = None
    truncated: bool = False
    notes: tuple[str, ...] = ()


def entity_ref(graph: Graph, id: str) -> EntityRef:
    """Name an entity by its id; a broken or ambiguous one by the id alone."""
    entity = graph.entities.get(id)
    return EntityRef(id, entity.name, entity.type) if entity else EntityRef(id, id, None)


class Viewer:
    """Turns the graph's values into shown ones, for one moment."""

    def __init__(self, knowledge_base: "KnowledgeBase") -> None:
        self.graph: Graph = knowledge_base.graph
        self.now = knowledge_base.now
        self._cited = knowledge_base.cited
        self._named: dict[str, EntityRef] = {}
        self._contests: dict[str, dict[int, bool]] = {}

    def entity(self, id: str) -> EntityRef:
        """Name an entity by its id."""
        named = self._named.get(id)
        if named is None:
            entity = self.graph.entities.get(id)
            if entity is not None:
                self._cited.add(entity.path)
            named = self._named[id] = entity_ref(self.graph, id)
        return named

    def statement(self, statement: Statement) -> StatementView:
        """Show a statement."""
        self._cited.add(statement.path)
        contested = (
            self._contested(statement.subject).get(statement.ordinal)
            if statement.is_single
            else None
        )
        return StatementView(
            statement,
            self.entity(statement.subject),
            self.entity(statement.object) if statement.object is not None else None,
            status_of(statement, self.now),
            contested is not None,
            contested or False,
        )

    def _contested(self, subject: str) -> dict[int, bool]:
        if subject not in self._contests:
            groups = find_contests(self.graph.single_valued_of(subject), self.now)
            self._contests[subject] = {
                statement.ordinal: index == 0
                for group in groups
                for index, statement in enumerate(group)
            }
        return self._contests[subject]


def sentence_of(view: StatementView) -> str:
    """Say a statement in words: its note, else a sentence made from the triple."""
    if view.statement.note:
        return view.statement.note
    goal = view.object.name if view.object else view.statement.value
    return f"{view.subject.name} {view.statement.predicate.replace('-', ' ')} {goal}"


def unresolved_notes(graph: Graph, ids: Iterable[str]) -> tuple[str, ...]:
    """Say how many relations of some entities have a link that leads to no entity, so that none is lost in silence."""
    count = sum(graph.unresolved.get(id, 0) for id in ids)
    noun = "relation leads" if count == 1 else "relations lead"
    return (f"{count} {noun} to no entity and cannot be shown (kb check)",) if count else ()


def label_of(graph: Graph, statement: Statement, entity: str) -> tuple[str, str]:
    """Name a relation as read from one of its ends: (predicate, ``out``), or (predicate, ``in``) without an inverse."""
    if statement.subject == entity or not statement.is_relation:
        return statement.predicate, "out"
    inverse = graph.vocabulary.inverse_of(statement.predicate)
    return (inverse, "out") if inverse else (statement.predicate, "in")
