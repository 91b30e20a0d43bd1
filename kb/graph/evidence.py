"""What the observations that statements cite say of them: how many witnesses, when, and who speaks."""

from collections.abc import Callable
from typing import NamedTuple

from kb.graph.graph import Observation
from kb.model.time import TimeSpan

#: Gives an observation by its id, ``None`` where there is none.
FindObservation = Callable[[str], Observation | None]


class Evidence(NamedTuple):
    """What the observations that a statement cites say of it."""

    witnesses: int  #: those that derive from no other cited one; a missing one is no witness
    witnessed: TimeSpan | None  #: from the earliest to the latest ``happened_at``
    speaker: str  #: the first ``said_by``


class EvidenceBook:
    """The evidence of citations, weighed once for all statements that cite the same."""

    def __init__(self, find_observation: FindObservation) -> None:
        self._find = find_observation
        self._weighed: dict[tuple[str, ...], Evidence] = {}

    def weigh(self, cited: tuple[str, ...]) -> Evidence:
        """Weigh cited observations."""
        found = self._weighed.get(cited)
        if found is None:
            found = self._weighed[cited] = self._weigh(cited)
        return found

    def _weigh(self, cited: tuple[str, ...]) -> Evidence:
        present = [one for id in cited if (one := self._find(id)) is not None]
        among = {one.id for one in present}
        dates = [one.happened_at for one in present if one.happened_at is not None]
        return Evidence(
            sum(not (self._origins(one) & (among - {one.id})) for one in present),
            TimeSpan(min(date.first for date in dates), max(date.after for date in dates))
            if dates
            else None,
            next((one.said_by for one in present if one.said_by), ""),
        )

    def _origins(self, observation: Observation) -> set[str]:
        """Everything that an observation repeats, through any number of steps."""
        found: set[str] = set()
        todo = [*observation.derived_from]
        while todo:
            origin = todo.pop()
            if origin not in found:
                found.add(origin)
                further = self._find(origin)
                todo += further.derived_from if further else ()
        return found
