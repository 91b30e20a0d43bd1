"""``find NAME``: the ranked list of entities that a name, key or id may mean."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from kb.queries.answers import Answer, EntityRef, Viewer
from kb.queries.resolve import dominates, find_candidates, guess_spellings, read_candidates
from kb.queries.selection import DEFAULT_LIMIT, read_type

if TYPE_CHECKING:
    from kb.graph.graph import Entity
    from kb.knowledge_base import KnowledgeBase


class Match(NamedTuple):
    """One candidate."""

    entity: EntityRef
    tier: str
    statements: int
    names: tuple[str, ...]  #: aliases
    keys: tuple[str, ...]
    closeness: float | None = (
        None  #: how well its own text answers the question, where one was asked
    )


def find(
    knowledge_base: "KnowledgeBase",
    name: str,
    type: str | None = None,
    limit: int = DEFAULT_LIMIT,
    question: str | None = None,
) -> Answer[tuple[Match, ...]]:
    """Rank what a name, key or id may mean. The best match is ``resolved`` only where it dominates.

    A question puts those whose own text answers it first among those that match equally well; it decides nothing.
    """
    graph = knowledge_base.graph
    candidates = find_candidates(graph, name, read_type(graph, type))
    closeness: Mapping[str, float] = {}
    if question is not None:
        from kb.queries.closeness import order_by_closeness, score_closeness

        closeness = score_closeness(knowledge_base, [c.id for c in candidates], question)
        candidates = order_by_closeness(graph, candidates, closeness)
    viewer = Viewer(knowledge_base)
    shown = candidates[:limit] if limit > 0 else candidates
    notes: tuple[str, ...] = ()
    if not candidates:
        guesses = guess_spellings(graph, name)
        notes = (f'nothing matches "{name}"',)
        if guesses:
            notes = (*notes, "nearest spellings (guesses): " + ", ".join(guesses))
    elif not dominates(candidates):
        tied = [c for c in candidates if c.tier is candidates[0].tier]
        notes = (f"{len(tied)} match equally well ({tied[0].tier.value}); pass an id to choose",)
        if question is not None:
            notes = (*notes, _closest(graph.entities[tied[0].id], closeness))
    resolved = (read_candidates(graph, name, candidates),) if dominates(candidates) else ()
    results = tuple(
        Match(
            viewer.entity(c.id),
            c.tier.value,
            c.statements,
            graph.entities[c.id].aliases,
            graph.entities[c.id].keys,
            None if question is None else closeness.get(c.id, 0.0),
        )
        for c in shown
    )
    return Answer(
        "find",
        knowledge_base.revision,
        resolved,
        results,
        len(candidates),
        len(shown) < len(candidates),
        notes,
    )


def _closest(first: "Entity", closeness: Mapping[str, float]) -> str:
    if not closeness.get(first.id):
        return "none of their texts answers the question"
    return f"closest to the question: {first.name} ({first.id})"
