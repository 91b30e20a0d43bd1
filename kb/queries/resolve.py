"""An argument → the entities that it may mean, ranked. One resolver for every command; it guesses nothing."""

from enum import Enum
from typing import NamedTuple

from kb.errors import AmbiguousId, UnknownEntity
from kb.graph.graph import Graph
from kb.model.names import fold
from kb.queries.answers import OtherMatch, Resolved, entity_ref

_MAX_GUESSES = 3
#: Other matches that an answer carries; ``find`` lists all.
_MOST_OTHERS = 20
_GUESS_SCORE = 75


class Tier(Enum):
    """How an argument matched, best first."""

    ID = "id"
    KEY = "key"
    NAME = "name"
    PART = "part"  #: a prefix or another part of a name
    WORDS = "words"  #: all words of the argument but one


_RANK = {tier: rank for rank, tier in enumerate(Tier)}


class Candidate(NamedTuple):
    """An entity that an argument may mean."""

    id: str
    tier: Tier
    statements: int


def find_candidates(graph: Graph, argument: str, type: str | None = None) -> tuple[Candidate, ...]:
    """Rank the entities that an argument may mean.

    By id, key, name or alias, part of a name; if nothing matched so far, by all words but one. Untyped entities
    are left out when a typed one matched, ids and keys apart; inside a tier, more statements come first.
    """
    from kb.graph.keys import read_key_argument

    text = argument.strip()
    if text in graph.ambiguous:
        raise AmbiguousId(text, graph.ambiguous[text])
    found: dict[str, Tier] = {}
    if text in graph.survivors or text in graph.entities:
        found[graph.survivors.get(text, text)] = Tier.ID
    for key in read_key_argument(text, graph.vocabulary, graph.key_kinds):
        for id in graph.bearers_of_key(key):
            found.setdefault(id, Tier.KEY)
    for id in graph.bearers_of_name(text):
        found.setdefault(id, Tier.NAME)
    folded = fold(text)
    if folded:
        for _, ids in graph.iter_names(folded):
            for id in ids:
                found.setdefault(id, Tier.PART)
    if not found:
        found = dict.fromkeys(_all_words_but_one(graph, folded), Tier.WORDS)
    if type is not None:
        found = {
            id: tier
            for id, tier in found.items()
            if graph.vocabulary.is_kind_of(graph.entities[id].type, type)
        }
    if any(graph.entities[id].is_typed for id in found):
        found = {
            id: tier
            for id, tier in found.items()
            if graph.entities[id].is_typed or tier in (Tier.ID, Tier.KEY)
        }
    candidates = [Candidate(id, tier, graph.count_about(id)) for id, tier in found.items()]
    candidates.sort(
        key=lambda c: (_RANK[c.tier], not graph.entities[c.id].is_typed, -c.statements, c.id)
    )
    return tuple(candidates)


def _all_words_but_one(graph: Graph, folded: str) -> list[str]:
    words = set(folded.split())
    if len(words) < 2:
        return []
    return [
        id for name, ids in graph.iter_names() if len(words - set(name.split())) <= 1 for id in ids
    ]


def dominates(candidates: tuple[Candidate, ...]) -> bool:
    """Say whether the first candidate is alone in the best tier."""
    return bool(candidates) and (
        len(candidates) == 1 or candidates[1].tier is not candidates[0].tier
    )


def guess_spellings(graph: Graph, argument: str) -> tuple[str, ...]:
    """Offer the nearest spellings among ids and names; they are never taken."""
    from rapidfuzz import fuzz, process

    spellings = {fold(id.replace("-", " ")): id for id in graph.entities}
    spellings.update({name: graph.entities[ids[0]].name for name, ids in graph.iter_names()})
    wanted = fold(argument.replace("-", " "))
    close = process.extract(
        wanted, list(spellings), scorer=fuzz.ratio, limit=8, score_cutoff=_GUESS_SCORE
    )
    return tuple(dict.fromkeys(spellings[name] for name, _, _ in close))[:_MAX_GUESSES]


def resolve_entity(graph: Graph, argument: str) -> Resolved:
    """Read an argument as its best candidate; a key that several bear as all of them.

    An id names one entity, so that nothing else is looked for.
    """
    id = graph.survivors.get(argument, argument)
    if id in graph.entities:
        candidate = Candidate(id, Tier.ID, graph.count_about(id))
        return read_candidates(graph, argument, (candidate,))
    candidates = find_candidates(graph, argument)
    if not candidates:
        raise UnknownEntity(argument, guess_spellings(graph, argument))
    return read_candidates(graph, argument, candidates)


def read_candidates(graph: Graph, argument: str, candidates: tuple[Candidate, ...]) -> Resolved:
    """Choose among ranked candidates."""
    best = candidates[0]
    chosen = [c for c in candidates if c.tier is Tier.KEY] if best.tier is Tier.KEY else [best]
    others = candidates[len(chosen) :]
    return Resolved(
        argument,
        tuple(entity_ref(graph, c.id) for c in chosen),
        best.statements,
        best.tier.value,
        tuple(
            OtherMatch(entity_ref(graph, c.id), c.statements, c.tier.value)
            for c in others[:_MOST_OTHERS]
        ),
        len(others),
        argument if argument in graph.survivors else None,
    )
