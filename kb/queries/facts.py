"""``facts ENTITY``: all that is stated of an entity, by predicate, most recent first."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from kb.graph.graph import Graph, Statement
from kb.model.time import sort_key
from kb.queries.answers import Answer, StatementView, Viewer, label_of, unresolved_notes
from kb.queries.predicates import read_predicates, side_of
from kb.queries.resolve import resolve_entity
from kb.queries.selection import DEFAULT_LIMIT, EVERYTHING, Selection, make_sieve, share_limit

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


class StatementGroup(NamedTuple):
    """The statements under one predicate as read from the entity."""

    predicate: str
    direction: str  #: ``in`` where the entity is the object and the predicate has no inverse
    total: int
    statements: tuple[StatementView, ...]


class Facts(NamedTuple):
    """All statements of an entity that match."""

    statements: int  #: of the entity in all, retired ones included
    matched: int
    is_filtered: bool  #: a filter was given
    groups: tuple[StatementGroup, ...]


def recent_first(statement: Statement) -> tuple[object, ...]:
    """Order statements for lists: most recent start first, undated last, then as the files have them."""
    return (*sort_key(statement.interval), statement.ordinal)


def group_statements(
    graph: Graph, statements: Iterable[tuple[str, Statement]]
) -> list[tuple[tuple[str, str], list[Statement]]]:
    """Group (entity, statement) pairs by predicate as read from the entity, larger groups first."""
    groups: dict[tuple[str, str], list[Statement]] = {}
    for entity, statement in statements:
        groups.setdefault(label_of(graph, statement, entity), []).append(statement)
    return sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))


def list_facts(
    knowledge_base: "KnowledgeBase",
    entity: str,
    predicates: tuple[str, ...] = (),
    selection: Selection = EVERYTHING,
    limit: int = DEFAULT_LIMIT,
) -> Answer[Facts]:
    """List every statement of an entity. Ended ones are always among them; retired ones with ``history``."""
    graph = knowledge_base.graph
    resolved = resolve_entity(graph, entity)
    ids = tuple(ref.id for ref in resolved.entities)
    reading = read_predicates(graph, predicates, ids)
    sieve = make_sieve(knowledge_base, selection, keeps_ended=True)
    about = [(id, statement) for id in ids for statement in graph.about(id)]
    kept = [
        (id, statement)
        for id, statement in about
        if reading.admits(statement.predicate, side_of(statement, id))
        and sieve.admits_type(statement.other_end(id))
        and sieve.keeps(statement)
    ]
    viewer = Viewer(knowledge_base)
    groups = group_statements(graph, kept)
    shares = share_limit([len(statements) for _, statements in groups], limit)
    shown = tuple(
        StatementGroup(
            predicate,
            direction,
            len(statements),
            tuple(
                viewer.statement(s)
                for s in _contest_order(viewer, sorted(statements, key=recent_first))[:share]
            ),
        )
        for ((predicate, direction), statements), share in zip(groups, shares, strict=True)
    )
    return Answer(
        "facts",
        knowledge_base.revision,
        (resolved,),
        Facts(len(about), len(kept), bool(predicates) or selection.narrows, shown),
        len(kept),
        sum(shares) < len(kept),
        (*reading.notes, *sieve.notes(), *unresolved_notes(graph, ids)),
    )


def _contest_order(viewer: Viewer, statements: list[Statement]) -> list[Statement]:
    """Put the latest said of a contest before its rivals."""
    if len(statements) < 2 or not any(statement.is_single for statement in statements):
        return statements
    return sorted(statements, key=lambda s: not viewer.statement(s).is_latest)
