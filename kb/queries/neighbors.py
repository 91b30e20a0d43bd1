"""``neighbors ENTITY``: what an entity is linked to in one hop, by predicate."""

from typing import TYPE_CHECKING, NamedTuple

from kb.graph.graph import Statement
from kb.model.names import fold
from kb.queries.answers import Answer, EntityRef, StatementView, Viewer, label_of, unresolved_notes
from kb.queries.predicates import read_predicates, side_of
from kb.queries.resolve import resolve_entity
from kb.queries.selection import DEFAULT_LIMIT, EVERYTHING, Selection, make_sieve, share_limit

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


class Neighbor(NamedTuple):
    """A linked entity and the best-evidenced statement that links it."""

    entity: EntityRef
    statement: StatementView


class NeighborGroup(NamedTuple):
    """The neighbours under one predicate as read from the entity."""

    predicate: str
    direction: str  #: ``in`` where the entity is the object and the predicate has no inverse
    total: int
    neighbors: tuple[Neighbor, ...]


class Neighbors(NamedTuple):
    """All that an entity is linked to."""

    entities: int  #: distinct ones
    groups: tuple[NeighborGroup, ...]


def best_evidenced(statements: list[Statement]) -> Statement:
    """Choose the statement that speaks for several of one pair and predicate.

    The best supported, then one that is no suggestion, then the first by path and line.
    """
    return max(statements, key=lambda s: (*s.support, not s.auto, -s.ordinal))


def list_neighbors(
    knowledge_base: "KnowledgeBase",
    entity: str,
    predicates: tuple[str, ...] = (),
    direction: str | None = None,
    selection: Selection = EVERYTHING,
    limit: int = DEFAULT_LIMIT,
) -> Answer[Neighbors]:
    """List what an entity is linked to now, or ``at`` a time. ``direction`` is meant for the predicate as named."""
    graph = knowledge_base.graph
    resolved = resolve_entity(graph, entity)
    ids = tuple(ref.id for ref in resolved.entities)
    reading = read_predicates(graph, predicates, ids, direction)
    sieve = make_sieve(knowledge_base, selection)
    groups: dict[tuple[str, str], dict[str, list[Statement]]] = {}
    for id in ids:
        for statement in graph.about(id):
            other = statement.other_end(id)
            if other is None or not reading.admits(statement.predicate, side_of(statement, id)):
                continue
            if sieve.admits_type(other) and sieve.keeps(statement):
                groups.setdefault(label_of(graph, statement, id), {}).setdefault(other, []).append(
                    statement
                )
    viewer = Viewer(knowledge_base)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    shares = share_limit([len(others) for _, others in ordered], limit)
    total = sum(len(others) for others in groups.values())
    shown = []
    for ((predicate, way), others), share in zip(ordered, shares, strict=True):
        named = sorted(
            ((viewer.entity(other), found) for other, found in others.items()),
            key=lambda p: _by_name(p[0]),
        )
        neighbors = tuple(
            Neighbor(ref, viewer.statement(best_evidenced(found))) for ref, found in named[:share]
        )
        shown.append(NeighborGroup(predicate, way, len(others), neighbors))
    return Answer(
        "neighbors",
        knowledge_base.revision,
        (resolved,),
        Neighbors(len({other for others in groups.values() for other in others}), tuple(shown)),
        total,
        sum(shares) < total,
        (*reading.notes, *sieve.notes(), *unresolved_notes(graph, ids)),
    )


def _by_name(entity: EntityRef) -> tuple[str, str]:
    return (fold(entity.name), entity.id)
