"""Who is next to whom in a stored graph: nodes are the numbers of the base layer's ids, new ones come behind them."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import cast

from kb.graph.adjacency import Adjacency, Kept, Strand
from kb.graph.graph import Statement
from kb.graph.layers import Layer


class StoredAdjacency(Adjacency):
    """Of a graph over one or two layers."""

    def __init__(self, layers: tuple[Layer, ...]) -> None:
        super().__init__()
        self._layers, self._base = layers, layers[0]
        self._newest = layers[1] if len(layers) > 1 else None
        self._size = len(self._base.ids)
        #: By a layer's predicate and by the newest layer's id: the text, and the node.
        self._predicates: Mapping[tuple[int, int], str] = Kept(
            lambda key: self._layers[key[0]].predicates[key[1]]
        )
        self._nodes_of_newest: Mapping[int, int] = Kept(self._find_in_base)
        #: By node: the newest layer's number of it, -1 where it says nothing of it.
        self._in_newest: Mapping[int, int] = Kept(self._find_in_newest)
        self._losing = set(self._iter_losing())

    # -- nodes ---------------------------------------------------------------------------------------------------

    def _node(self, id: str) -> int:
        number = self._base.ids.find(id)
        if number >= 0:
            return number
        number = -1 if self._newest is None else self._newest.ids.find(id)
        if number < 0:
            raise KeyError(id)
        return self._size + number

    def _id(self, node: int) -> str:
        if node < self._size:
            return self._base.ids[node]
        return cast(Layer, self._newest).ids[node - self._size]

    def _find_in_base(self, number: int) -> int:
        found = self._base.ids.find(cast(Layer, self._newest).ids[number])
        return self._size + number if found < 0 else found

    def _find_in_newest(self, node: int) -> int:
        if self._newest is None:
            return -1
        number = node - self._size
        if number < 0:
            number = self._newest.ids.find(self.ids[node])
        return number if number >= 0 and self._newest.about.count(number) else -1

    def _iter_losing(self) -> Iterator[int]:
        """Yield the nodes of which the newest layer masks a relation."""
        base = self._base
        for path in base.masked_paths:
            for number in base.statements_of_path(path):
                row = base.relation(number)
                if row is not None:
                    yield from (row.subject, row.object)

    def _is_as_in_base(self, node: int) -> bool:
        return self._newest is None or (
            node < self._size and node not in self._losing and self._in_newest[node] < 0
        )

    # -- what is next to a node ----------------------------------------------------------------------------------

    def _near(self, node: int) -> frozenset[int]:
        if self._is_as_in_base(node):
            return frozenset(self._base.near[node])
        return frozenset(one.other for one in self.strands(node) if not one.is_retired)

    def degree(self, node: int) -> int:
        if self._is_as_in_base(node):
            return self._base.near.count(node)
        return len(self.near[node])

    @cached_property
    def retiring(self) -> AbstractSet[int]:
        found = set(self._base.sections.ints("id.retiring"))
        if self._newest is not None:
            newest = self._newest.sections.ints("id.retiring")
            found.update(map(self._nodes_of_newest.__getitem__, newest))
        return found

    def retired(self, node: int) -> Iterable[int]:
        if self._is_as_in_base(node):
            return map(self._base.order, self._base.retired[node])
        return [strand.ordinal for strand in self.strands(node) if strand.is_retired]

    def crowded(self, degree: int) -> set[int]:
        found = set(self._base.iter_crowded(degree))
        if self._newest is not None:
            # Those with relations in both layers may be crowded by both together.
            found.update(map(self._nodes_of_newest.__getitem__, self._newest.iter_crowded(0)))
        return found

    def has_more_now(self, node: int, degree: int, now: int) -> bool:
        if self._is_as_in_base(node):
            has_more = self._base.has_more_now(node, degree, now)
            if has_more is not None:
                return has_more
        return super().has_more_now(node, degree, now)

    def iter_related_now(self, node: int, now: int) -> Iterator[int]:
        for index, layer, number in self._places(node):
            for other in layer.iter_related_now(number, now):
                yield other if index == 0 else self._nodes_of_newest[other]

    def strands(self, node: int) -> tuple[Strand, ...]:
        places = self._places(node)
        return tuple(one for place in places for one in self._iter_strands(*place))

    def _places(self, node: int) -> Iterator[tuple[int, Layer, int]]:
        """Yield the layers that say something of a node, with their numbers of it."""
        if node < self._size:
            yield 0, self._base, node
        if self._newest is not None and self._in_newest[node] >= 0:
            yield 1, self._newest, self._in_newest[node]

    def _iter_strands(self, index: int, layer: Layer, number: int) -> Iterator[Strand]:
        for statement in layer.about[number]:
            row = None if layer.is_masked(statement) else layer.relation(statement)
            if row is None:
                continue
            is_out = row.subject == number
            other = row.object if is_out else row.subject
            yield Strand(
                other if index == 0 else self._nodes_of_newest[other],
                is_out,
                self._predicates[index, row.predicate],
                row.strength,
                row.is_suggested,
                row.is_retired,
                layer.order(statement),
                index,
                statement,
            )

    # -- statements ----------------------------------------------------------------------------------------------

    def _statement(self, place: tuple[int, int]) -> Statement:
        layer, number = place
        return self._layers[layer].statement(number)

    def outline(self, strand: Strand, with_sources: bool) -> Statement:
        return self._layers[strand.layer].outline(strand.number, with_sources)

    def standing(self, strand: Strand, with_sources: bool) -> Hashable:
        layer = self._layers[strand.layer]
        times = (strand.layer, *layer.times(strand.number))
        return (times, layer.cited(strand.number)) if with_sources else times
