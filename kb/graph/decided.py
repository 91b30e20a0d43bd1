"""What is on record of two entities: who said that they are two, and who took that back. Of what stands in no file.

A decision is an observation of that kind, as ``Observation.decision`` says. It is taken back by one that names it, and by
nothing else: no date, and no order in which decisions were filed, matters to what stands.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from kb.graph.graph import Graph, Observation

#: Decisions that two are two.
PARTING = ("distinct", "reject", "unmerge")
#: Decisions that take back those that they name: a merge what had parted the two, an unmerge such a merge.
_TAKING_BACK = ("correct", "merge", "unmerge")


class Shift(NamedTuple):
    """What it changes that some decisions are taken back, by id."""

    taken: tuple[str, ...]  #: what stood, and does not any more
    again: tuple[str, ...]  #: what stands again, since what took it back is taken back itself


def group_of(graph: Graph, survivor: str) -> tuple[str, ...]:
    """List an entity's id, and those that were merged into it."""
    entity = graph.entities.get(survivor)
    return (survivor, *(entity.merged if entity else ()))


def are_judged_two(graph: Graph, first: str, second: str) -> bool:
    """Say whether somebody said that two survivors are two, in a file or on record, and nobody took it back."""
    return graph.are_distinct(first, second) or bool(find_partings(graph, first, second))


def find_parting(
    graph: Graph, first: str, second: str, kinds: Collection[str] = PARTING
) -> Observation | None:
    """Find the last decision of some kinds that parts two survivors and was not taken back."""
    found = find_partings(graph, first, second, kinds)
    return last_of(found) if found else None


def find_partings(
    graph: Graph,
    first: str,
    second: str,
    kinds: Collection[str] = PARTING,
    without: Collection[str] = (),
) -> tuple[Observation, ...]:
    """List the decisions of some kinds that part two survivors and were not taken back, by id.

    ``without``: as if those were taken back, too.
    """
    decided = find_decisions(graph, group_of(graph, first), group_of(graph, second), kinds)
    standing = find_standing(graph, decided, without)
    return tuple(one for one in decided if one.id in standing)


def find_decisions(
    graph: Graph, mine: Sequence[str], theirs: Sequence[str], kinds: Collection[str]
) -> tuple[Observation, ...]:
    """List the decisions of some kinds about two groups of entities, by id: those about some of either."""
    return tuple(
        one
        for id in sorted(_involving(graph, mine) & _involving(graph, theirs))
        if (one := graph.observations[id]).decision in kinds
        and not set(mine).isdisjoint(one.about)
        and not set(theirs).isdisjoint(one.about)
    )


def named_by(graph: Graph, one: Observation) -> tuple[Observation, ...]:
    """List the decisions that a decision takes back."""
    if one.decision not in _TAKING_BACK:
        return ()
    named = (graph.observations[id] for id in one.about if id in graph.observations)
    return tuple(other for other in named if other.decision)


def is_undone(graph: Graph, merge: Observation) -> bool:
    """Say whether a decision is a merge that an unmerge names."""
    takers = _iter_takers(graph, merge.id) if merge.decision == "merge" else ()
    return any(one.decision == "unmerge" for one in takers)


def foresee_taking_back(graph: Graph, ids: Iterable[str]) -> Shift:
    """Say what would change, were some decisions taken back: of them, and of all that they took back, one through another."""
    without = tuple(dict.fromkeys(ids))
    concerned: dict[str, Observation] = {}
    todo = [graph.observations[id] for id in without]
    while todo:
        one = todo.pop()
        if one.id not in concerned:
            concerned[one.id] = one
            todo += named_by(graph, one)
    before = find_standing(graph, concerned.values())
    after = find_standing(graph, concerned.values(), without)
    return Shift(tuple(sorted(before - after)), tuple(sorted(after - before)))


def last_of(decisions: Iterable[Observation]) -> Observation:
    """Give the last one of some decisions; ``TypeError`` of none."""
    return reduce(lambda one, other: other if _comes_after(other, one) else one, decisions)


def _comes_after(one: Observation, other: Observation) -> bool:
    """Say whether a decision was taken after another: by their dates, where these tell, else by their ids.

    A day tells nothing of its moments; of one title and day, ids are numbered as they are filed.
    """
    mine, theirs = one.happened_at, other.happened_at
    if mine and theirs and not mine.span.overlaps(theirs.span):
        return mine.first > theirs.first
    return (len(one.id), one.id) > (len(other.id), other.id)


def find_standing(
    graph: Graph, decisions: Iterable[Observation], without: Collection[str] = ()
) -> set[str]:
    """Find the ids of those decisions that none takes back that stands itself; decisions ``without`` do not stand.

    A merge that an unmerge names is undone for good: to take the unmerge back merges nothing. Of those that take one
    another back in a circle none stands, but where the decisions behind it tell which of them does.
    """
    asked = tuple(decisions)
    takers: dict[str, tuple[str, ...]] = {}
    known: dict[str, bool] = {}
    todo = list(asked)
    while todo:
        at = todo.pop()
        if at.id not in takers:
            found = tuple(_iter_takers(graph, at.id))
            takers[at.id] = tuple(other.id for other in found)
            todo += found
            if at.id in without or is_undone(graph, at):
                known[at.id] = False
    _judge(takers, known)
    known |= dict.fromkeys(_find_circling(takers, known), False)
    _judge(takers, known)  # what hangs on the circles
    return {one.id for one in asked if known[one.id]}


def _judge(takers: Mapping[str, Collection[str]], known: dict[str, bool]) -> None:
    """Add to what is known of decisions, whether each stands, all that follows from it."""
    while told := {
        id: not any(known.get(other) for other in others)
        for id, others in takers.items()
        if id not in known
        and (all(other in known for other in others) or any(map(known.get, others)))
    }:
        known |= told


def _find_circling(takers: Mapping[str, Iterable[str]], known: Collection[str]) -> list[str]:
    """List those that take themselves back, one through another, of which nothing is known."""
    # Warshall's closure, a bit for each: they may all name one another, and sets would be slow.
    bits = {id: 1 << place for place, id in enumerate(id for id in takers if id not in known)}
    behind = {id: reduce(or_, (bits.get(other, 0) for other in takers[id]), 0) for id in bits}
    for middle, bit in bits.items():
        further = behind[middle]
        for id, others in behind.items():
            if others & bit:
                behind[id] = others | further
    return [id for id, bit in bits.items() if behind[id] & bit]


def _iter_takers(graph: Graph, decision: str) -> Iterator[Observation]:
    """Yield the decisions that take one back, were they to stand."""
    for id in graph.involving(decision):
        one = graph.observations[id]
        if one.decision in _TAKING_BACK and decision in one.about and id != decision:
            yield one


def _involving(graph: Graph, ids: Iterable[str]) -> set[str]:
    return {observation for id in ids for observation in graph.involving(id)}
