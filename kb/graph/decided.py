"""What is on record of two entities: who said that they are two, and who took that back. Of what stands in no file."""

from collections.abc import Collection, Iterable

from kb.graph.graph import Graph, Observation

#: Decisions that two are two.
PARTING = ("distinct", "reject", "unmerge")
#: Which of several decisions of one moment counts as the last: what is taken back was decided before, what was merged and
#: is not any more was parted later.
_ORDER = {"merge": 0, "distinct": 1, "reject": 1, "correct": 2, "unmerge": 3}


def group_of(graph: Graph, survivor: str) -> tuple[str, ...]:
    """List an entity's id, and those that were merged into it."""
    entity = graph.entities.get(survivor)
    return (survivor, *(entity.merged if entity else ()))


def are_judged_two(graph: Graph, first: str, second: str) -> bool:
    """Say whether somebody said that two survivors are two, in a file or on record, and nobody took it back since."""
    return graph.are_distinct(first, second) or find_parting(graph, first, second) is not None


def find_parting(
    graph: Graph, first: str, second: str, kinds: Collection[str] = PARTING
) -> Observation | None:
    """Find the decision of a kind that parts two survivors, if none about them came after it that takes it back."""
    mine, theirs = group_of(graph, first), group_of(graph, second)
    about_both = [
        one
        for id in sorted(_involving(graph, mine) & _involving(graph, theirs))
        if (one := graph.observations[id]).decision in (*kinds, "merge", "correct")
        and not set(mine).isdisjoint(one.about)
        and not set(theirs).isdisjoint(one.about)
    ]
    if not about_both:
        return None
    last = max(about_both, key=_moment)
    return last if last.decision in kinds else None


def _moment(one: Observation) -> tuple[int, int, str]:
    return (one.happened_at.first if one.happened_at else 0, _ORDER[one.decision], one.id)


def _involving(graph: Graph, ids: Iterable[str]) -> set[str]:
    return {observation for id in ids for observation in graph.involving(id)}
