"""``relations [ENTITY]``: the relations of an entity in both directions, or all of a predicate."""

from typing import TYPE_CHECKING, NamedTuple

from kb.errors import UsageError
from kb.queries.answers import Answer, StatementView, Viewer, unresolved_notes
from kb.queries.facts import recent_first
from kb.queries.predicates import OUT, read_predicates, side_of
from kb.queries.resolve import resolve_entity
from kb.queries.selection import DEFAULT_LIMIT, EVERYTHING, Selection, make_sieve, share_limit

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


class Relations(NamedTuple):
    """Relations by the side at which the entity stands; of the whole graph all stand in ``relations``."""

    relations: tuple[StatementView, ...]
    inverse_relations: tuple[StatementView, ...]


def list_relations(
    knowledge_base: "KnowledgeBase",
    entity: str | None = None,
    predicates: tuple[str, ...] = (),
    selection: Selection = EVERYTHING,
    limit: int = DEFAULT_LIMIT,
) -> Answer[Relations]:
    """List relations. What does not hold now is left out unless ``at`` or ``include_ended`` asks for it."""
    graph = knowledge_base.graph
    if entity is None and not predicates:
        raise UsageError(
            "relations needs an entity or a predicate",
            "kb relations ENTITY, or kb relations -p PREDICATE",
        )
    resolved = resolve_entity(graph, entity) if entity is not None else None
    ids = tuple(ref.id for ref in resolved.entities) if resolved else ()
    reading = read_predicates(graph, predicates, ids)
    sieve = make_sieve(knowledge_base, selection)
    if resolved:
        pairs = [
            (side_of(s, id), s, s.other_end(id))
            for id in ids
            for s in graph.about(id)
            if s.is_relation
        ]
    else:
        pairs = [(OUT, s, s.object) for s in graph.iter_statements() if s.is_relation]
    kept = [
        (side, statement)
        for side, statement, other in pairs
        if reading.admits(statement.predicate, side)
        and sieve.admits_type(other)
        and sieve.keeps(statement)
    ]
    sides = [
        sorted(
            (s for at, s in kept if (at == OUT) is outward),
            key=lambda s: (s.predicate, *recent_first(s)),
        )
        for outward in (True, False)
    ]
    shares = share_limit([len(side) for side in sides], limit)
    viewer = Viewer(knowledge_base)
    outward, inward = (
        tuple(viewer.statement(s) for s in side[:share])
        for side, share in zip(sides, shares, strict=True)
    )
    return Answer(
        "relations",
        knowledge_base.revision,
        (resolved,) if resolved else (),
        Relations(outward, inward),
        len(kept),
        sum(shares) < len(kept),
        (*reading.notes, *sieve.notes(), *unresolved_notes(graph, ids)),
    )
