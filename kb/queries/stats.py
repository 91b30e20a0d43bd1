"""``stats``: how much there is of what, and how much of it is undated, uncited, contested or unresolved."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from kb.graph.standing import Status, find_contests, status_of
from kb.queries.answers import Answer

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


class Stats(NamedTuple):
    """Counts over the whole knowledge base."""

    name: str
    entities: int
    relations: int
    facts: int
    observations: int
    types: tuple[tuple[str, int], ...]  #: entities by type, most first; ``untyped`` without one
    predicates: tuple[tuple[str, int], ...]  #: statements by predicate
    kinds: tuple[tuple[str, int], ...]  #: observations by kind
    statuses: tuple[tuple[str, int], ...]  #: statements by how they stand now
    merged: int  #: redirects
    undated: int
    uncited: int
    contested: int  #: contests, each of two or more statements
    unresolved: int  #: relations whose link leads to no entity
    suggestions: int  #: statements that nobody confirmed yet
    broken: int  #: files that do not parse


def count_stats(knowledge_base: "KnowledgeBase") -> Answer[Stats]:
    """Count everything."""
    graph = knowledge_base.graph
    statements = tuple(graph.iter_statements())
    standing = Counter(status_of(statement, knowledge_base.now) for statement in statements)
    results = Stats(
        name=knowledge_base.settings.name,
        entities=len(graph.entities),
        relations=sum(statement.is_relation for statement in statements),
        facts=sum(not statement.is_relation for statement in statements),
        observations=len(graph.observations),
        types=_ranked(entity.type or "untyped" for entity in graph.entities.values()),
        predicates=_ranked(statement.predicate for statement in statements),
        kinds=_ranked(observation.kind or "none" for observation in graph.observations.values()),
        statuses=tuple((status.value, standing[status]) for status in Status if standing[status]),
        merged=len(graph.survivors),
        undated=sum(statement.interval is None for statement in statements),
        uncited=sum(not statement.observations for statement in statements),
        contested=len(find_contests(statements, knowledge_base.now)),
        unresolved=sum(graph.unresolved.values()),
        suggestions=sum(
            statement.auto is not None and not statement.is_retired for statement in statements
        ),
        broken=len(graph.broken),
    )
    return Answer("stats", knowledge_base.revision, (), results)


def _ranked(words: Iterable[str]) -> tuple[tuple[str, int], ...]:
    counts = Counter(words)
    return tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
