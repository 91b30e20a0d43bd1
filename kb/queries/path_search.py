"""The search behind ``paths``: the best-evidenced simple paths between two nodes, length by length.

Both ends grow rings of nodes by their distance, through no hub. Where the rings of a length meet, a node can be on a path
of that length: these few make its *stages*, one per step. From the far end back it is worked out how strong the rest of
a path can be, and paths are then made best first. So no more of them are made than are wanted, and no node is
expanded more than once per end and stage, however many paths there are.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from heapq import heappop, heappush
from itertools import islice
from typing import NamedTuple

from kb.graph.adjacency import IN, OUT, Adjacency, Edge, Kept, Link, Strand, gather_links
from kb.model.vocabulary import Vocabulary
from kb.queries.predicates import PredicateReading
from kb.queries.selection import Sieve

#: Stronger than any edge.
_UNBROKEN = 1 << 62

#: What paths of one strength are ordered by: of each step the id that it leads to, the predicate, the direction.
Trail = tuple[tuple[str, str, str], ...]

#: What one step of a path can do: by node, where it leads, and how strong the rest of a path from there can be.
Steps = Mapping[int, Mapping[int, int]]


class FoundPath(NamedTuple):
    """A path as it was found."""

    weakest: int  #: the strength of its weakest edge
    trail: Trail
    nodes: tuple[int, ...]  #: one more than edges
    edges: tuple[Edge, ...]


class Terrain:
    """A graph as a search may walk it: what the filters keep of its edges, and which nodes are hubs."""

    def __init__(
        self,
        adjacency: Adjacency,
        vocabulary: Vocabulary,
        sieve: Sieve,
        reading: PredicateReading,
        directed: bool,
        hub_degree: int,
    ) -> None:
        self.adjacency, self._vocabulary, self._sieve = adjacency, vocabulary, sieve
        self._pairs, self._directed = reading.pairs, directed
        self.hubs = adjacency.hubs(hub_degree, sieve.now)
        self._verdicts: dict[object, tuple[bool, set[int] | None]] = {}
        #: Where edges lead from a node, and from where they lead to it.
        self.after: Mapping[int, frozenset[int]]
        self.before: Mapping[int, frozenset[int]]
        self._links: Mapping[int, Mapping[int, Link]]
        self._links_to: Mapping[int, Mapping[int, Link]]
        self.keeps_all = self._pairs is None and not directed and not _narrows(sieve)
        if self.keeps_all:
            self.after = self.before = adjacency.near
            self._links, self._links_to = adjacency.links, adjacency.links_to
        else:
            self._links = Kept(lambda node: gather_links(self._iter_kept(node, True), True))
            self._links_to = Kept(lambda node: gather_links(self._iter_kept(node, False), False))
            self.after = Kept(lambda node: self._others(node, True))
            # Undirected, both ways lead to the same nodes: they are looked at once.
            self.before = Kept(lambda node: self._others(node, False)) if directed else self.after

    def link(self, node: int, other: int, from_other: bool) -> Link:
        """Give the edges from a node to one next to it, as read off the one or off the other."""
        if self.keeps_all:
            # Either will do: not a hub, since all that is next to it would be looked at.
            is_hub, other_is_hub = self.hubs.may_be(node), self.hubs.may_be(other)
            from_other = is_hub or (from_other and not other_is_hub)
        return self._links_to[other][node] if from_other else self._links[node][other]

    def tally(self, nodes: AbstractSet[int], forward: bool) -> None:
        """Have the sieve count what it leaves out of the edges of nodes that were come upon."""
        if self._sieve.at is not None:
            steps = self.after if forward else self.before
            for node in nodes:
                steps[node]
        else:  # whatever the time, only retired ones are counted
            for node in self.adjacency.retiring & nodes:
                self._others(node, forward)

    def tally_within(self, radius: int, end: int) -> None:
        """Have the sieve count the same of all that is come upon up to a distance, where no filter is given."""
        self._sieve.retired.update(self.hubs.retired_within[end, radius])

    def _others(self, node: int, forward: bool) -> frozenset[int]:
        return frozenset(strand.other for strand in self._iter_kept(node, forward))

    def _iter_kept(self, node: int, forward: bool) -> Iterator[Strand]:
        for strand in self.adjacency.strands(node):
            if self._admits(strand, forward) and self._keeps(strand):
                yield strand

    def _admits(self, strand: Strand, forward: bool) -> bool:
        predicate, walked = strand.predicate, OUT if strand.is_out is forward else IN
        if self._directed and not self._vocabulary.is_symmetric(predicate):
            return walked == OUT if self._pairs is None else (predicate, walked) in self._pairs
        pairs = self._pairs
        return pairs is None or (predicate, OUT) in pairs or (predicate, IN) in pairs

    def _keeps(self, strand: Strand) -> bool:
        """Ask the sieve, once for all statements that it cannot tell apart."""
        sieve, ordinal = self._sieve, strand.ordinal
        with_sources = sieve.source is not None
        standing = self.adjacency.standing(strand, with_sources)
        key = (strand.is_retired, standing)
        verdict = self._verdicts.get(key)
        if verdict is None:
            keeps = sieve.keeps(self.adjacency.outline(strand, with_sources))
            counts = (sieve.retired, sieve.ended, sieve.unknown)
            counted = next((count for count in counts if ordinal in count), None)
            verdict = self._verdicts[key] = (keeps, counted)
        keeps, counted = verdict
        if counted is not None:
            counted.add(ordinal)
        return keeps


def _narrows(sieve: Sieve) -> bool:
    """Whether a sieve leaves out, or lets through, anything else than retired statements."""
    times = (sieve.at, sieve.since, sieve.until)
    return any(time is not None for time in (*times, sieve.source)) or sieve.keeps_retired


class _Rings:
    """The nodes around one end by their distance from it. Hubs, and the other end, are come upon and not walked through."""

    def __init__(self, terrain: Terrain, end: int, other_end: int, forward: bool) -> None:
        self._terrain, self._forward = terrain, forward
        self._end, self._other_end = end, other_end
        self._steps = terrain.after if forward else terrain.before
        #: By distance: the nodes at it, its hubs (an end is none here), and what is walked through.
        self._rings: list[AbstractSet[int]] = [{end}]
        self._hubs: list[AbstractSet[int]] = [set()]
        self._walked: list[AbstractSet[int]] = [{end}]
        self._within: list[AbstractSet[int]] = [{end}]

    def _grow(self, radius: int) -> None:
        while len(self._rings) <= radius:
            distance = len(self._rings) - 1
            if distance == 0:
                ring: AbstractSet[int] = self._steps[self._end]
            else:
                ring = _all_next(self._steps, self._walked[distance]) - self.within(distance)
            hubs = self._terrain.hubs.among(ring)
            hubs.discard(self._other_end)
            self._rings.append(ring)
            self._hubs.append(hubs)
            self._walked.append(ring - hubs - {self._other_end})

    def within(self, radius: int) -> AbstractSet[int]:
        """Give the nodes up to a distance."""
        self._grow(radius)
        while len(self._within) <= radius:
            self._within.append(self._within[-1] | self._rings[len(self._within)])
        return self._within[radius]

    def hubs(self, distance: int) -> AbstractSet[int]:
        """Give the hubs at a distance."""
        self._grow(distance)
        return self._hubs[distance]

    def walked(self, distance: int) -> AbstractSet[int]:
        """Give the nodes at a distance that are walked through."""
        self._grow(distance)
        return self._walked[distance]

    def reached(self, hubs: AbstractSet[int], radius: int) -> AbstractSet[int]:
        """Give those of some hubs that are within a distance, without the ring at it where that can be."""
        if not hubs or not self._terrain.keeps_all:
            return hubs & self.within(radius) if hubs else hubs
        near, border = self._terrain.after, self.walked(radius - 1)
        beyond = {hub for hub in hubs if not near[hub].isdisjoint(border)}
        return beyond | (hubs & self.within(radius - 1))

    def tally(self, radius: int) -> None:
        """Have it counted what was left out next to all that is walked through up to a distance."""
        if self._terrain.keeps_all:
            # Walking through the other end as well finds nothing more: what lies behind it is nearer to it.
            self._terrain.tally_within(radius, self._end)
            return
        for distance in range(radius + 1):
            self._terrain.tally(self.walked(distance), self._forward)


class PathSearch:
    """A search between two nodes."""

    def __init__(self, terrain: Terrain, first: int, last: int) -> None:
        self._terrain, self._first, self._last = terrain, first, last
        self._ends = {first, last}
        self._from_first = _Rings(terrain, first, last, forward=True)
        self._from_last = _Rings(terrain, last, first, forward=False)
        self.refused: set[int] = set()  #: hubs that a path of a length tried could have led through

    def run(self, max_hops: int, wanted: int) -> list[FoundPath]:
        """List paths, shortest first, then best first; at most ``wanted`` where it is not 0."""
        found: list[FoundPath] = []
        hops = 0
        while hops < max_hops and (not wanted or len(found) < wanted):
            hops += 1
            room = wanted - len(found) if wanted else None
            steps = self._steps(self._stages(hops))
            if steps[0]:
                found += islice(self._iter_best(steps), room)
        self._note(hops)
        return found

    def _stages(self, hops: int) -> list[AbstractSet[int]]:
        """List for each step of a path of a length the nodes that it can lead to; the last step leads to the last node."""
        first, last = self._from_first, self._from_last
        if hops == 1:
            return []
        if hops == 2:
            middles = self._terrain.after[self._first] & self._terrain.before[self._last]
            return [middles - {self._first, self._last}]
        # The stages next to the ends are whole, so that no ring must be grown for them; the next ones sift them.
        inner = [
            first.within(step) & last.within(hops - step) - self._ends
            for step in range(2, hops - 1)
        ]
        sifted = [stage - self._terrain.hubs.among(stage) for stage in inner]
        return [first.walked(1), *sifted, last.walked(1)]

    def _steps(self, stages: list[AbstractSet[int]]) -> list[Steps]:
        """Say for each step where it can lead from a node, and how strong the rest of a path from there can be.

        Worked out from the far end back: what does not lead to it is left out.
        """
        if not stages:
            is_next = self._last in self._terrain.after[self._first]
            return [{self._first: {self._last: _UNBROKEN}} if is_next else {}]
        terrain = self._terrain
        final = stages[-1]
        if len(stages) > 1 and len(final) > len(stages[-2]):
            final = final & _all_next(terrain.after, stages[-2])
        steps: list[Steps] = [{node: {self._last: _UNBROKEN} for node in final}]
        for stage in reversed(stages[:-1]):
            promises = self._promises(steps[-1])
            if len(stage) > len(promises):
                stage = stage & _all_next(terrain.before, promises)
            goals = promises.keys()
            steps.append(
                {
                    node: {other: promises[other] for other in reached}
                    for node in stage
                    if (reached := terrain.after[node] & goals)
                }
            )
        promises = self._promises(steps[-1])
        steps.append({self._first: promises} if promises else {})
        return steps[::-1]

    def _promises(self, step: Steps) -> dict[int, int]:
        """Say for each node of a step how strong the rest of a path from it can be."""
        link = self._link
        return {
            node: max([min(link(node, other).strength, rest) for other, rest in reached.items()])
            for node, reached in step.items()
        }

    def _iter_best(self, steps: list[Steps]) -> Iterator[FoundPath]:
        """Yield the simple paths over some steps, best first.

        Of the beginnings of paths the one is gone on with whose best end is best. Its strength is known beforehand but
        for paths that come upon a node again; equally strong ones are in order of their trails.
        """
        ids = self._terrain.adjacency.ids
        begun: list[tuple[int, Trail, int, tuple[int, ...], tuple[Edge, ...]]] = []
        heappush(begun, (-_UNBROKEN, (), _UNBROKEN, (self._first,), ()))
        while begun:
            _, trail, weakest, nodes, edges = heappop(begun)
            if len(edges) == len(steps):
                yield FoundPath(weakest, trail, nodes, edges)
                continue
            node = nodes[-1]
            for other, rest in steps[len(edges)][node].items():
                if other in nodes:
                    continue
                id = ids[other]
                for edge in self._link(node, other).edges:
                    so_far = min(weakest, edge.strength)
                    onward = (*trail, (id, edge.predicate, edge.walked))
                    entry = (-min(so_far, rest), onward, so_far, (*nodes, other), (*edges, edge))
                    heappush(begun, entry)

    def _link(self, node: int, other: int) -> Link:
        # A hub in the middle of two hops is not come upon otherwise, and what is left out next to it does not count.
        return self._terrain.link(node, other, other == self._last and node != self._first)

    def _note(self, hops: int) -> None:
        """Note the hubs that a path of up to a length could have led through, and what was left out within reach."""
        first, last = self._from_first, self._from_last
        for step in range(1, hops if hops > 2 else 0):
            if step < hops - 1:
                self.refused |= last.reached(first.hubs(step), hops - step)
            else:
                self.refused |= first.reached(last.hubs(1), step)
        first.tally(hops - 1 if hops > 2 else 0)
        if hops > 1:
            last.tally(hops - 1 if hops > 2 else 0)


def _all_next(steps: Mapping[int, frozenset[int]], nodes: Iterable[int]) -> frozenset[int]:
    return frozenset().union(*map(steps.__getitem__, nodes))
