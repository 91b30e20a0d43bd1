"""What is on record of two entities: who said that they are two, and who took that back. Of what stands in no file."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import reduce

from kb.graph.graph import Graph, Observation

#: Decisions that two are two.
PARTING = ("distinct", "reject", "unmerge")
#: Decisions that take one back: a ``correct`` those that it names, where it names any; else all that came before.
_JOINING = ("merge", "correct")
#: Which of several decisions of one moment counts as the last: what is taken back was decided before, what was merged and
#: is not any more was parted later.
_ORDER = {"merge": 0, "distinct": 1, "reject": 1, "correct": 2, "unmerge": 3}


def group_of(graph: Graph, survivor: str) -> tuple[str, ...]:
    """List an entity's id, and those that were merged into it."""
    entity = graph.entities.get(survivor)
    return (survivor, *(entity.merged if entity else ()))


def are_judged_two(graph: Graph, first: str, second: str) -> bool:
    """Say whether somebody said that two survivors are two, in a file or on record, and nobody took it back since."""
    return graph.are_distinct(first, second) or bool(find_partings(graph, first, second))


def find_parting(
    graph: Graph, first: str, second: str, kinds: Collection[str] = PARTING
) -> Observation | None:
    """Find the last decision of some kinds that parts two survivors and was not taken back."""
    found = find_partings(graph, first, second, kinds)
    return last_of(found) if found else None


def find_partings(
    graph: Graph, first: str, second: str, kinds: Collection[str] = PARTING
) -> tuple[Observation, ...]:
    """List the decisions of some kinds that part two survivors and were not taken back, by id."""
    decided = find_decisions(graph, group_of(graph, first), group_of(graph, second))
    parting = [one for one in decided if one.decision in kinds and _stands(graph, one)]
    joining = _joining(graph, decided) if parting else ()
    return tuple(
        one
        for one in parting
        if not any(comes_after(other, one) for other in joining if other.id not in one.about)
    )


def find_joinings(graph: Graph, first: str, second: str) -> tuple[Observation, ...]:
    """List the decisions that take back all that parted two survivors before, by id: what names them came after."""
    return _joining(graph, find_decisions(graph, group_of(graph, first), group_of(graph, second)))


def find_decisions(
    graph: Graph, mine: Sequence[str], theirs: Sequence[str]
) -> tuple[Observation, ...]:
    """List the decisions whether two groups of entities are one, by id: those about some of either."""
    return tuple(
        one
        for id in sorted(_involving(graph, mine) & _involving(graph, theirs))
        if (one := graph.observations[id]).decision in _ORDER
        and not set(mine).isdisjoint(one.about)
        and not set(theirs).isdisjoint(one.about)
    )


def last_of(decisions: Iterable[Observation]) -> Observation:
    """Give the last one of some decisions; ``TypeError`` of none."""
    return reduce(lambda one, other: other if comes_after(other, one) else one, decisions)


def comes_after(one: Observation, other: Observation) -> bool:
    """Say whether a decision was taken after another: by their dates, where these tell. A day tells nothing of its moments."""
    mine, theirs = one.happened_at, other.happened_at
    if mine and theirs and not mine.span.overlaps(theirs.span):
        return mine.first > theirs.first
    return _rank(one) > _rank(other)


def _joining(graph: Graph, decided: Iterable[Observation]) -> tuple[Observation, ...]:
    return tuple(
        one
        for one in decided
        if one.decision in _JOINING and not _names_any(graph, one) and _stands(graph, one)
    )


def _rank(one: Observation) -> tuple[int, int, str]:
    # Of one title and day, ids are numbered as they are filed.
    return _ORDER[one.decision], len(one.id), one.id


def _stands(graph: Graph, one: Observation, asked: tuple[str, ...] = ()) -> bool:
    """Say whether no correction that stands itself names a decision."""
    asked = (*asked, one.id)
    return not any(
        _stands(graph, other, asked)
        for other in _iter_corrections(graph, one.id)
        if other.id not in asked
    )


def _iter_corrections(graph: Graph, decision: str) -> Iterator[Observation]:
    for id in graph.involving(decision):
        one = graph.observations[id]
        if one.decision == "correct" and decision in one.about:
            yield one


def _names_any(graph: Graph, one: Observation) -> bool:
    """Say whether a decision names others."""
    return any(id in graph.observations and graph.observations[id].decision for id in one.about)


def _involving(graph: Graph, ids: Iterable[str]) -> set[str]:
    return {observation for id in ids for observation in graph.involving(id)}
