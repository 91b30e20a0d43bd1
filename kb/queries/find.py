"""``find NAME``: the ranked list of entities that a name, key or id may mean."""

from typing import TYPE_CHECKING, NamedTuple

from kb.queries.answers import Answer, EntityRef, Viewer
from kb.queries.resolve import dominates, find_candidates, guess_spellings, read_candidates
from kb.queries.selection import DEFAULT_LIMIT, read_type

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


class Match(NamedTuple):
    """One candidate."""

    entity: EntityRef
    tier: str
    statements: int
    names: tuple[str, ...]  #: aliases
    keys: tuple[str, ...]


def find(
    knowledge_base: "KnowledgeBase", name: str, type: str | None = None, limit: int = DEFAULT_LIMIT
) -> Answer[tuple[Match, ...]]:
    """Rank what a name, key or id may mean. The best match is ``resolved`` only where it dominates."""
    graph = knowledge_base.graph
    candidates = find_candidates(graph, name, read_type(graph, type))
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
    resolved = (read_candidates(graph, name, candidates),) if dominates(candidates) else ()
    results = tuple(
        Match(
            viewer.entity(c.id),
            c.tier.value,
            c.statements,
            graph.entities[c.id].aliases,
            graph.entities[c.id].keys,
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
