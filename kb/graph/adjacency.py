"""Who is next to whom, in numbers: what a search walks that passes many nodes and shows few of them.

Nodes are numbers, entities' or not, and mean nothing outside of one graph. Texts are decoded for what is shown only.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple, TypeVar

from kb.graph.graph import Statement, strength_of
from kb.graph.standing import is_current

OUT, IN = "out", "in"

#: Of how many nodes, statements and areas around nodes what was read is kept: a long-lived process is quick where it was before,
#: and does not come to hold the whole graph a second time.
KEPT_NODES, KEPT_STATEMENTS, KEPT_AREAS = 50_000, 5_000, 100

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Strand(NamedTuple):
    """One statement that links a node to another, as seen from the node."""

    other: int
    is_out: bool  #: the node is its subject
    predicate: str
    strength: int  #: its support in one number
    is_suggested: bool
    is_retired: bool
    ordinal: int
    layer: int
    number: int  #: in its layer


class Edge(NamedTuple):
    """All statements of one subject, object and predicate, spoken for by the best-evidenced one."""

    strength: int
    predicate: str
    walked: str  #: ``out`` from subject to object, ``in`` the other way
    strand: Strand


class Link(NamedTuple):
    """The edges from one node to another, in order of predicate and direction."""

    strength: int  #: of the strongest
    edges: tuple[Edge, ...]


class Kept(dict[Key, Value]):
    """What was worked out for keys, and works it out where it is missing. Forgets all when it has grown large."""

    def __init__(self, make: Callable[[Key], Value], most: int = KEPT_NODES) -> None:
        super().__init__()
        self._make, self._most = make, most

    def __missing__(self, key: Key) -> Value:
        if len(self) >= self._most:
            self.clear()
        value = self[key] = self._make(key)
        return value


class Adjacency(ABC):
    """The relations of a graph by node. The mappings make their values when they are asked for them."""

    def __init__(self) -> None:
        #: The distinct nodes that one is related to by what is not retired.
        self.near: Mapping[int, frozenset[int]] = Kept(self._near)
        #: Where the statements that are not retired lead from a node.
        self.links: Mapping[int, Mapping[int, Link]] = Kept(
            lambda node: gather_links((s for s in self.strands(node) if not s.is_retired), True)
        )
        #: Which statements lead to a node: the same links, walked towards it.
        self.links_to: Mapping[int, Mapping[int, Link]] = Kept(
            lambda node: gather_links((s for s in self.strands(node) if not s.is_retired), False)
        )
        self.ids: Mapping[int, str] = Kept(self._id)
        #: By an entity's id, its node.
        self.nodes: Mapping[str, int] = Kept(self._node)
        #: By a strand's layer and number.
        self._statements: Mapping[tuple[int, int], Statement] = Kept(
            self._statement, KEPT_STATEMENTS
        )
        self._hubs: tuple[tuple[int, int], Hubs] | None = None

    @abstractmethod
    def strands(self, node: int) -> tuple[Strand, ...]:
        """List the statements that link a node to others, retired ones too."""

    @property
    @abstractmethod
    def retiring(self) -> AbstractSet[int]:
        """All nodes with retired relations; some without may be among them."""

    @abstractmethod
    def retired(self, node: int) -> Iterable[int]:
        """Give the ordinals of the retired relations of a node."""

    @abstractmethod
    def degree(self, node: int) -> int:
        """Count the nodes that one is near."""

    @abstractmethod
    def crowded(self, degree: int) -> set[int]:
        """List all nodes that are near more than so many others; nodes that are not may be among them."""

    def statement(self, strand: Strand) -> Statement:
        """Give a strand's statement."""
        return self._statements[strand.layer, strand.number]

    @abstractmethod
    def iter_related_now(self, node: int, now: int) -> Iterator[int]:
        """Yield the nodes that a current statement relates to one; some of them again."""

    def has_more_now(self, node: int, degree: int, now: int) -> bool:
        """Say whether current statements relate a node to more than so many others."""
        others: set[int] = set()
        for other in self.iter_related_now(node, now):
            others.add(other)
            if len(others) > degree:
                return True  # there may be many more: that there are enough is all that counts
        return False

    @abstractmethod
    def outline(self, strand: Strand, with_sources: bool) -> Statement:
        """Give a strand's statement with what a filter by time, or by source, looks at; the rest may be missing."""

    @abstractmethod
    def standing(self, strand: Strand, with_sources: bool) -> Hashable:
        """Give what is equal for statements that hold at the same times, and rest on the same observations."""

    @abstractmethod
    def _near(self, node: int) -> frozenset[int]: ...

    @abstractmethod
    def _id(self, node: int) -> str: ...

    @abstractmethod
    def _node(self, id: str) -> int: ...

    @abstractmethod
    def _statement(self, place: tuple[int, int]) -> Statement: ...

    def hubs(self, degree: int, now: int) -> "Hubs":
        """Give the hubs of a degree at a moment; those last asked for are kept."""
        if self._hubs is None or self._hubs[0] != (degree, now):
            self._hubs = (degree, now), Hubs(self, degree, now)
        return self._hubs[1]


class Hubs:
    """Nodes with more neighbours over all current statements than a hub may have; filters do not count."""

    def __init__(self, adjacency: Adjacency, degree: int, now: int) -> None:
        self._adjacency, self._degree, self._now = adjacency, degree, now
        #: The few nodes that have to be looked at: current neighbours are neighbours.
        self._crowded = adjacency.crowded(degree)
        self._is_hub: Mapping[int, bool] = Kept(self._judge)
        #: By a node and a distance: the ordinals of the retired relations of all that lies so far around it. No hub is
        #: among that, nor walked through.
        self.retired_within: Mapping[tuple[int, int], frozenset[int]] = Kept(
            self._find_retired_within, KEPT_AREAS
        )

    def may_be(self, node: int) -> bool:
        """Whether a node has enough neighbours to be one."""
        return node in self._crowded

    def among(self, nodes: AbstractSet[int]) -> set[int]:
        """List the hubs among some nodes."""
        return {node for node in nodes & self._crowded if self._is_hub[node]}

    def _judge(self, node: int) -> bool:
        adjacency = self._adjacency
        if adjacency.degree(node) <= self._degree:
            return False
        return adjacency.has_more_now(node, self._degree, self._now)

    def _find_retired_within(self, area: tuple[int, int]) -> frozenset[int]:
        node, radius = area
        adjacency = self._adjacency
        ring, seen = {node}, {node}
        for _ in range(radius):
            ring = set().union(*map(adjacency.near.__getitem__, ring)) - seen
            ring -= self.among(ring)
            seen |= ring
        retiring = seen & adjacency.retiring
        return frozenset().union(*map(adjacency.retired, retiring))


class MemoryAdjacency(Adjacency):
    """Of a graph in memory."""

    def __init__(
        self,
        ids: Iterable[str],
        adjacent: Mapping[str, tuple[str, ...]],
        about: Mapping[str, tuple[Statement, ...]],
    ) -> None:
        super().__init__()
        self._adjacent, self._about = adjacent, about
        self._all_ids = sorted({*ids, *about})
        self._numbers = {id: number for number, id in enumerate(self._all_ids)}
        self._by_ordinal: dict[int, Statement] = {}  # of the strands made so far

    def _node(self, id: str) -> int:
        return self._numbers[id]

    def _id(self, node: int) -> str:
        return self._all_ids[node]

    def strands(self, node: int) -> tuple[Strand, ...]:
        id = self._all_ids[node]
        found = []
        for one in self._about.get(id, ()):
            other = one.other_end(id)
            if other is not None and other != id:
                self._by_ordinal[one.ordinal] = one
                found.append(self._strand(one, self._numbers[other], one.subject == id))
        return tuple(found)

    def _strand(self, one: Statement, other: int, is_out: bool) -> Strand:
        return Strand(
            other,
            is_out,
            one.predicate,
            strength_of(*one.support),
            bool(one.auto),
            one.is_retired,
            one.ordinal,
            0,
            one.ordinal,
        )

    def _near(self, node: int) -> frozenset[int]:
        return frozenset(
            map(self._numbers.__getitem__, self._adjacent.get(self._all_ids[node], ()))
        )

    @cached_property
    def retiring(self) -> AbstractSet[int]:
        return {
            self._numbers[id]
            for id, about in self._about.items()
            if any(one.is_retired for one in about)
        }

    def retired(self, node: int) -> Iterable[int]:
        id = self._all_ids[node]
        return [
            one.ordinal
            for one in self._about.get(id, ())
            if one.is_retired and one.other_end(id) not in (None, id)
        ]

    def degree(self, node: int) -> int:
        return len(self._adjacent.get(self._all_ids[node], ()))

    def crowded(self, degree: int) -> set[int]:
        return {node for node in range(len(self._all_ids)) if self.degree(node) > degree}

    def _statement(self, place: tuple[int, int]) -> Statement:
        return self._by_ordinal[place[1]]

    def iter_related_now(self, node: int, now: int) -> Iterator[int]:
        for strand in self.strands(node):
            if is_current(self._by_ordinal[strand.ordinal], now):
                yield strand.other

    def outline(self, strand: Strand, with_sources: bool) -> Statement:
        return self._by_ordinal[strand.number]

    def standing(self, strand: Strand, with_sources: bool) -> Hashable:
        return strand.number


def gather_links(strands: Iterable[Strand], forward: bool) -> dict[int, Link]:
    """Gather strands as edges, by the node that they lead to (or, backward, come from)."""
    best: dict[tuple[int, str, bool], Strand] = {}
    for strand in strands:
        key = (strand.other, strand.predicate, strand.is_out is forward)
        rival = best.get(key)
        if rival is None or _evidence(strand) > _evidence(rival):
            best[key] = strand
    edges: dict[int, list[Edge]] = {}
    for (other, predicate, is_out), strand in best.items():
        edge = Edge(strand.strength, predicate, OUT if is_out else IN, strand)
        edges.setdefault(other, []).append(edge)
    return {
        other: Link(max(edge.strength for edge in found), tuple(sorted(found, key=_edge_order)))
        for other, found in edges.items()
    }


def _evidence(strand: Strand) -> tuple[int, bool, int]:
    """Order statements of one edge as ``kb.queries.neighbors.best_evidenced`` does."""
    return (strand.strength, not strand.is_suggested, -strand.ordinal)


def _edge_order(edge: Edge) -> tuple[str, str]:
    return (edge.predicate, edge.walked)
