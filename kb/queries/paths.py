"""``paths FROM TO``: how two entities are connected, shortest and best-evidenced first.

A path is a sequence of edges; statements of one subject, object and predicate are one edge. Hubs are ends, or the
middle of a two-hop path, and nothing else. Equal lengths are ordered by their weakest edge, then by ids.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.errors import UsageError
from kb.graph.graph import Graph, Statement
from kb.graph.standing import is_current
from kb.knowledge_base import KnowledgeBase
from kb.queries.answers import Answer, EntityRef, StatementView, Viewer
from kb.queries.neighbors import best_evidenced
from kb.queries.predicates import IN, OUT, PredicateReading, read_predicates
from kb.queries.resolve import resolve_entity
from kb.queries.selection import EVERYTHING, Selection, Sieve, make_sieve

PATH_LIMIT = 10
DEFAULT_HOPS = 3
MOST_HOPS = 6
HUB_DEGREE = 200

Support = tuple[bool, bool, int, int]


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path as it is walked."""

    statement: StatementView
    walked: str  #: ``out`` from subject to object, ``in`` the other way


@dataclass(frozen=True, slots=True)
class Path:
    """One connection."""

    hops: int
    nodes: tuple[EntityRef, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Paths:
    """The connections found."""

    max_hops: int
    paths: tuple[Path, ...]
    hubs: tuple[EntityRef, ...]  #: within reach, and not walked through
    more: bool  #: the limit cut the list


@dataclass(frozen=True, slots=True)
class _Edge:
    """An edge as seen from the node that it leaves."""

    to: str
    statement: Statement
    walked: str

    @property
    def order(self) -> tuple[str, str, str, str]:
        return (self.to, self.statement.predicate, self.walked, self.statement.id)


def find_paths(
    knowledge_base: KnowledgeBase,
    start: str,
    end: str,
    max_hops: int = DEFAULT_HOPS,
    predicates: tuple[str, ...] = (),
    directed: bool = False,
    selection: Selection = EVERYTHING,
    hub_degree: int = HUB_DEGREE,
    limit: int = PATH_LIMIT,
) -> Answer[Paths]:
    """Find paths. Ended statements are walked unless ``at`` is given, retired ones never."""
    if not 1 <= max_hops <= MOST_HOPS:
        raise UsageError(f"--max-hops must be from 1 to {MOST_HOPS}, not {max_hops}")
    graph = knowledge_base.graph
    resolved = (resolve_entity(graph, start), resolve_entity(graph, end))
    pairs = [(a.id, b.id) for a in resolved[0].entities for b in resolved[1].entities]
    reading = _read_predicates(graph, predicates)
    sieve = make_sieve(knowledge_base, selection, keeps_ended=True, offers_history=False)
    notes: tuple[str, ...] = reading.notes
    if all(first == last for first, last in pairs):
        notes = (*notes, "both ends are the same entity")
    found: list[tuple[str, tuple[_Edge, ...]]] = []
    refused: set[str] = set()
    for first, last in pairs:
        if first != last:
            search = _Search(graph, sieve, reading, directed, hub_degree, {first, last})
            wanted = limit + 1 if limit > 0 else 0
            found += [(first, edges) for edges in search.run(first, last, max_hops, wanted)]
            refused |= search.refused
    if len(pairs) > 1:
        found.sort(key=lambda path: (len(path[1]), _rank(path[1]), path[0]))
    more = limit > 0 and len(found) > limit
    viewer = Viewer(knowledge_base)
    shown = tuple(
        _show(viewer, first, edges) for first, edges in (found[:limit] if limit > 0 else found)
    )
    hubs = tuple(viewer.entity(id) for id in sorted(refused))
    return Answer(
        "paths",
        knowledge_base.revision,
        resolved,
        Paths(max_hops, shown, hubs, more),
        None if more else len(found),
        more,
        (*notes, *sieve.notes()),
    )


def _read_predicates(graph: Graph, predicates: tuple[str, ...]) -> PredicateReading:
    """Read predicates for walking: a word that names an inverse is walked from the canonical object."""
    if not predicates:
        return PredicateReading()
    pairs: set[tuple[str, str]] = set()
    notes: list[str] = []
    for word in predicates:
        reading = read_predicates(graph, (word,), ())
        notes += reading.notes
        inverse = graph.vocabulary.read_predicate(word).is_inverse
        pairs |= {(predicate, IN if inverse else OUT) for predicate, _ in reading.pairs or ()}
    return PredicateReading(frozenset(pairs), tuple(notes))


def _show(viewer: Viewer, start: str, edges: tuple[_Edge, ...]) -> Path:
    nodes = (start, *(edge.to for edge in edges))
    steps = tuple(Step(viewer.statement(edge.statement), edge.walked) for edge in edges)
    return Path(len(edges), tuple(viewer.entity(node) for node in nodes), steps)


@dataclass
class _Search:
    """A search from both ends over the edges that the filters keep."""

    graph: Graph
    sieve: Sieve
    reading: PredicateReading
    directed: bool
    hub_degree: int
    ends: set[str]
    refused: set[str] = field(default_factory=set)
    _edges: dict[tuple[str, bool], tuple[_Edge, ...]] = field(default_factory=dict)
    _hubs: dict[str, bool] = field(default_factory=dict)

    def run(self, first: str, last: str, max_hops: int, wanted: int) -> list[tuple[_Edge, ...]]:
        """List paths, shortest first; at most ``wanted`` where it is not 0."""
        found: list[tuple[_Edge, ...]] = []
        for hops in range(1, max_hops + 1):
            if wanted and len(found) >= wanted:
                break
            room = wanted - len(found) if wanted else 0
            if hops <= 2:
                paths = sorted(self._short(first, last, hops), key=_rank)
                found += paths[:room] if room else paths
            else:
                found += self._long(first, last, hops, room)
                self._note_hubs(first, last, hops)
        return found

    # -- edges and hubs ------------------------------------------------------------------------------------------

    def edges(self, node: str, forward: bool = True) -> tuple[_Edge, ...]:
        """The edges that leave a node (or, backward, that lead to it), in order of their other ends."""
        key = (node, forward)
        if key not in self._edges:
            self._edges[key] = tuple(
                sorted(self._iter_edges(node, forward), key=lambda edge: edge.order)
            )
        return self._edges[key]

    def _iter_edges(self, node: str, forward: bool) -> Iterator[_Edge]:
        groups: dict[tuple[str, str, str], list[Statement]] = {}
        for statement in self.graph.about(node):
            other = statement.other_end(node)
            if other is None or other == node:
                continue
            walked = OUT if (statement.subject == node) is forward else IN
            if self._admits(statement.predicate, walked) and self.sieve.keeps(statement):
                groups.setdefault((other, statement.predicate, walked), []).append(statement)
        for (other, _, walked), statements in groups.items():
            yield _Edge(other, best_evidenced(statements), walked)

    def _admits(self, predicate: str, walked: str) -> bool:
        pairs = self.reading.pairs
        if pairs is None:
            return (
                not self.directed or walked == OUT or self.graph.vocabulary.is_symmetric(predicate)
            )
        if not self.directed or self.graph.vocabulary.is_symmetric(predicate):
            return (predicate, OUT) in pairs or (predicate, IN) in pairs
        return (predicate, walked) in pairs

    def is_hub(self, node: str) -> bool:
        """More neighbours over all current statements than a hub may have; filters do not count."""
        if node not in self._hubs:
            is_hub = len(self.graph.neighbors(node)) > self.hub_degree
            if is_hub:
                current = (s for s in self.graph.about(node) if is_current(s, self.sieve.now))
                others = {s.other_end(node) for s in current if s.is_relation} - {node}
                is_hub = len(others) > self.hub_degree
            self._hubs[node] = is_hub
        return self._hubs[node]

    # -- one and two hops ----------------------------------------------------------------------------------------

    def _short(self, first: str, last: str, hops: int) -> Iterator[tuple[_Edge, ...]]:
        if hops == 1:
            yield from ((edge,) for edge in self.edges(first) if edge.to == last)
            return
        into: dict[str, list[_Edge]] = {}
        for edge in self.edges(last, forward=False):
            into.setdefault(edge.to, []).append(_Edge(last, edge.statement, edge.walked))
        for edge in self.edges(first):
            if edge.to not in self.ends:
                yield from ((edge, final) for final in into.get(edge.to, ()))

    # -- three and more ------------------------------------------------------------------------------------------

    def _long(self, first: str, last: str, hops: int, room: int) -> list[tuple[_Edge, ...]]:
        """Paths of one length, best first, without walking through hubs.

        By levels of support: those whose weakest edge is of the best level in order of ids, then of the next.
        So no more paths are made than are wanted.
        """
        found: list[tuple[_Edge, ...]] = []
        for level in self._levels(first, last, hops):
            left = room - len(found) if room else 0
            if room and left <= 0:
                break
            distances = self._distances(last, hops, level)
            for path in self._walk(first, last, hops, level, distances):
                if min(edge.statement.support for edge in path) == level:
                    found.append(path)
                    if room and len(found) >= room:
                        break
        return found

    def _levels(self, first: str, last: str, hops: int) -> list[Support]:
        """The supports of all edges within reach, best first."""
        forward = self._distances(first, hops, None, forward=True)
        backward = self._distances(last, hops, None)
        levels: set[Support] = set()
        for node, distance in forward.items():
            if (
                distance < hops
                and node in backward
                and distance + backward[node] <= hops
                and self._may_pass(node, first)
            ):
                levels |= {edge.statement.support for edge in self.edges(node)}
        return sorted(levels, reverse=True)

    def _may_pass(self, node: str, *ends: str) -> bool:
        return node in ends or (node not in self.ends and not self.is_hub(node))

    def _distances(
        self, from_: str, hops: int, level: Support | None, forward: bool = False
    ) -> dict[str, int]:
        """How far each node is from an end, over edges of at least a level, through no hub."""
        distances = {from_: 0}
        ring = [from_]
        for distance in range(1, hops + 1):
            following = []
            for node in ring:
                if not self._may_pass(node, from_):
                    continue
                for edge in self.edges(node, forward):
                    if edge.to not in distances and (
                        level is None or edge.statement.support >= level
                    ):
                        distances[edge.to] = distance
                        following.append(edge.to)
            ring = following
        return distances

    def _walk(
        self, first: str, last: str, hops: int, level: Support, distances: dict[str, int]
    ) -> Iterator[tuple[_Edge, ...]]:
        """Walk simple paths of exactly ``hops`` edges of at least a level, in order of ids."""
        trail: list[_Edge] = []
        on_trail = {first}

        def extend(node: str) -> Iterator[tuple[_Edge, ...]]:
            left = hops - len(trail)
            for edge in self.edges(node):
                if edge.statement.support < level or edge.to in on_trail:
                    continue
                if left == 1:
                    if edge.to == last:
                        yield (*trail, edge)
                    continue
                if (
                    edge.to == last
                    or distances.get(edge.to, hops + 1) > left - 1
                    or not self._may_pass(edge.to)
                ):
                    continue
                trail.append(edge)
                on_trail.add(edge.to)
                yield from extend(edge.to)
                trail.pop()
                on_trail.discard(edge.to)

        yield from extend(first)

    def _note_hubs(self, first: str, last: str, hops: int) -> None:
        """Remember the hubs that a path of this length could have led through."""
        forward = self._distances(first, hops - 1, None, forward=True)
        backward = self._distances(last, hops - 1, None)
        for node, distance in forward.items():
            if (
                node not in self.ends
                and node in backward
                and distance + backward[node] <= hops
                and self.is_hub(node)
            ):
                self.refused.add(node)


def _rank(path: tuple[_Edge, ...]) -> tuple[object, ...]:
    weakest = min(edge.statement.support for edge in path)
    return (*(-int(part) for part in weakest), tuple(edge.order for edge in path))
