"""Namesakes told apart by a question: whose own text answers it best (BM25)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kb.graph.graph import Graph
from kb.index.documents import ENTITY, Documents
from kb.index.lookup import Lookup
from kb.index.opening import ask_index
from kb.index.question import read_question
from kb.index.words import Analyzer
from kb.queries.resolve import Candidate

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


def score_closeness(
    knowledge_base: "KnowledgeBase", ids: Sequence[str], question: str
) -> Mapping[str, float]:
    """Score entities by how much of a question their own texts hold, rare words most. Others have no score."""
    asked = read_question(question, Analyzer())
    keys = [ENTITY + id for id in ids]

    def ask(lookup: Lookup) -> dict[str, float]:
        scores: dict[str, float] = {}
        for unit in asked.units:
            for key, score in lookup.score_of(unit, keys).items():
                id = key[len(ENTITY) :]
                scores[id] = scores.get(id, 0.0) + score
        return scores

    scores, _ = ask_index(knowledge_base.root, Documents(knowledge_base.graph), ask)
    return scores


def order_by_closeness(
    graph: Graph, candidates: tuple[Candidate, ...], closeness: Mapping[str, float]
) -> tuple[Candidate, ...]:
    """Put the closest first among candidates of one tier, typed ones before the others; otherwise keep their order."""
    tiers = list(dict.fromkeys(candidate.tier for candidate in candidates))
    return tuple(
        sorted(
            candidates,
            key=lambda candidate: (
                tiers.index(candidate.tier),
                not graph.entities[candidate.id].is_typed,
                -closeness.get(candidate.id, 0.0),
            ),
        )
    )
