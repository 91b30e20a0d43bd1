"""``neighbors ENTITY``: what an entity is linked to in one hop, by predicate."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kb.graph.graph import Graph, Statement
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


#: What links an entity to others: by predicate as read from it, then by the entity at the other end.
Links = dict[tuple[str, str], dict[str, list[Statement]]]


def group_links(graph: Graph, statements: Iterable[tuple[str, Statement]]) -> Links:
    """Group (entity, statement) pairs by predicate as read from the entity, and by who is at the other end."""
    links: Links = {}
    for entity, statement in statements:
        other = statement.other_end(entity)
        if other is not None:
            label = label_of(graph, statement, entity)
            links.setdefault(label, {}).setdefault(other, []).append(statement)
    return links


def show_groups(
    viewer: Viewer,
    groups: Sequence[tuple[tuple[str, str], dict[str, list[Statement]]]],
    limit: int,
    order: Callable[[str, Statement], Any],
) -> tuple[NeighborGroup, ...]:
    """Show groups in their order, each other end with the statement that speaks for it; ``order`` ranks both in a group."""
    shares = share_limit([len(others) for _, others in groups], limit)
    shown = []
    for ((predicate, way), others), share in zip(groups, shares, strict=True):
        spoken_for = [(other, best_evidenced(found)) for other, found in others.items()]
        spoken_for.sort(key=lambda pair: order(*pair))
        neighbors = tuple(
            Neighbor(viewer.entity(other), viewer.statement(best))
            for other, best in spoken_for[:share]
        )
        shown.append(NeighborGroup(predicate, way, len(others), neighbors))
    return tuple(shown)


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
    links = group_links(
        graph,
        (
            (id, statement)
            for id in ids
            for statement in graph.about(id)
            if (other := statement.other_end(id)) is not None
            and reading.admits(statement.predicate, side_of(statement, id))
            and sieve.admits_type(other)
            and sieve.keeps(statement)
        ),
    )
    viewer = Viewer(knowledge_base)
    ordered = sorted(links.items(), key=lambda item: (-len(item[1]), item[0]))
    shown = show_groups(viewer, ordered, limit, lambda other, _: _by_name(viewer.entity(other)))
    return Answer(
        "neighbors",
        knowledge_base.revision,
        (resolved,),
        Neighbors(len({other for others in links.values() for other in others}), shown),
        sum(group.total for group in shown),
        any(group.total > len(group.neighbors) for group in shown),
        (*reading.notes, *sieve.notes(), *unresolved_notes(graph, ids)),
    )


def _by_name(entity: EntityRef) -> tuple[str, str]:
    return (fold(entity.name), entity.id)
