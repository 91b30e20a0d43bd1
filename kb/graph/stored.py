"""The graph as graph files have it. Nothing is decoded that is not asked for.

One file holds the last full build; a second, small one what changed since: rows that take the place of the first's.
Everything is asked of both *layers*, and what the second takes the place of is passed over in the first.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from kb.graph.graph import Entity, Graph, Observation, Statement
from kb.graph.layers import Layer
from kb.graph.lazy_mapping import LazyMapping
from kb.graph.tables import KEPT_TEXTS, Lists, Table
from kb.graph.words import unpack_vocabulary
from kb.model.vocabulary import Vocabulary
from kb.store.sections import Sections

if TYPE_CHECKING:
    from kb.graph.stored_adjacency import StoredAdjacency


class StoredGraph(Graph):
    """A graph over the file of the last full build and, where files changed since, the file of the changes."""

    def __init__(self, base: Sections, changes: Sections | None = None) -> None:
        self._base = Layer(base)
        self._layers: tuple[Layer, ...] = (self._base,)
        if changes is not None:
            newest = Layer(changes)
            self._mask(newest)
            self._layers = (self._base, newest)
        self._newest = self._layers[-1]
        self._single_valued: dict[str, tuple[Statement, ...]] = {}
        self.entities = LazyMapping(
            self._find_entity,
            self._iter_entity_ids,
            lambda: sum(layer.entities.count() for layer in self._layers),
        )
        self.observations = LazyMapping(
            self._find_observation,
            self._iter_observation_ids,
            lambda: sum(layer.observations.count() for layer in self._layers),
        )

    def _mask(self, changes: Layer) -> None:
        base = self._base
        for masked, table, name in (
            (base.masked_paths, base.paths, "mask.paths"),
            (base.entities.masked, base.ids, "mask.entities"),
            (base.observations.masked, base.seen, "mask.observations"),
        ):
            texts = (changes.heap[text] for text in changes.sections.ints(name))
            masked.update(number for text in texts if (number := table.find(text)) >= 0)

    # -- entities ------------------------------------------------------------------------------------------------

    def _find_entity(self, id: str) -> Entity | None:
        for layer in self._layers:
            row = layer.entities.find(id)
            if row >= 0:
                return layer.entities.decode(row)
        return None

    def _iter_entity_ids(self) -> Iterator[str]:
        ids = [id for layer in self._layers for id, _ in layer.entities.iter_rows()]
        yield from ids if len(self._layers) == 1 else sorted(ids)

    def bearers_of_folded(self, name: str) -> tuple[str, ...]:
        return self._bearers("name", name)

    def bearers_of_key(self, normalized: str) -> tuple[str, ...]:
        return self._bearers("key", normalized)

    def _bearers(self, table: str, text: str) -> tuple[str, ...]:
        found = [
            layer.ids[number]
            for layer in self._layers
            for number in layer.look_up(table, "bearers", text)
            if number not in layer.entities.masked
        ]
        return tuple(found) if len(self._layers) == 1 else tuple(sorted(found))

    def iter_names(self, part: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
        if len(self._layers) == 1:
            yield from self._iter_names(self._base, part)
            return
        names: dict[str, list[str]] = {}
        for layer in self._layers:
            for name, ids in self._iter_names(layer, part):
                names.setdefault(name, []).extend(ids)
        for name in sorted(names):
            yield name, tuple(sorted(names[name]))

    def _iter_names(self, layer: Layer, part: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        table, bearers = Table(layer.sections, "name"), Lists(layer.sections, "name.bearers")
        for number in table.iter_holding(part) if part else range(len(table)):
            ids = tuple(layer.ids[id] for id in bearers[number] if id not in layer.entities.masked)
            if ids:
                yield table[number], ids

    @cached_property
    def key_kinds(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset(kind for layer in self._layers for kind in self._iter_key_kinds(layer))

    def _iter_key_kinds(self, layer: Layer) -> Iterator[str]:
        """Yield the kinds of a layer's keys: from each, a step to the first key behind its kind."""
        table, bearers = Table(layer.sections, "key"), Lists(layer.sections, "key.bearers")
        number = 0
        while number < len(table):
            kind = table[number].partition(":")[0]
            if any(id not in layer.entities.masked for id in bearers[number]):
                yield kind
                number = table.find_place(kind.encode("utf-8", "surrogatepass") + b";")
            else:
                number += 1

    @cached_property
    def types(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset().union(*(layer.entities.types() for layer in self._layers))

    # -- identities ----------------------------------------------------------------------------------------------
    # The newest layer has all of them: they are few, and hang together.

    @cached_property
    def survivors(self) -> Mapping[str, str]:  # type: ignore[override]
        ids, numbers = self._newest.ids, self._newest.sections.ints("survivor")
        return {ids[numbers[at]]: ids[numbers[at + 1]] for at in range(0, len(numbers), 2)}

    @cached_property
    def ambiguous(self) -> Mapping[str, tuple[str, ...]]:  # type: ignore[override]
        layer = self._newest
        lists = Lists(layer.sections, "ambiguous.paths")
        return {
            layer.ids[id]: tuple(layer.paths[path] for path in lists[index])
            for index, id in enumerate(layer.sections.ints("ambiguous"))
        }

    @cached_property
    def distinct_pairs(self) -> frozenset[tuple[str, str]]:
        """The judged pairs of survivors, both ways round."""
        ids, numbers = self._newest.ids, self._newest.sections.ints("distinct")
        return frozenset(
            (ids[numbers[at]], ids[numbers[at + 1]]) for at in range(0, len(numbers), 2)
        )

    def are_distinct(self, first: str, second: str) -> bool:
        return (first, second) in self.distinct_pairs

    @cached_property
    def vocabulary(self) -> Vocabulary:  # type: ignore[override]
        heap = self._base.heap
        return unpack_vocabulary(heap[text] for text in self._base.sections.ints("vocabulary"))

    # -- statements ----------------------------------------------------------------------------------------------

    def iter_statements(self) -> Iterator[Statement]:
        if len(self._layers) == 1:
            yield from map(self._base.statement, range(self._base.statements))
            return
        places = [
            (layer.order(number), number, layer)
            for layer in self._layers
            for number in range(layer.statements)
            if not layer.is_masked(number)
        ]
        places.sort(key=lambda place: place[0])
        for _, number, layer in places:
            yield layer.statement(number)

    def of_id(self, statement_id: str) -> tuple[Statement, ...]:
        return self._found(lambda layer: layer.statements_of_id(statement_id))

    def superseded(self) -> tuple[Statement, ...]:
        return self._found(Layer.superseded)

    def _found(self, find: Callable[[Layer], list[int]]) -> tuple[Statement, ...]:
        found = [
            layer.statement(number)
            for layer in self._layers
            for number in find(layer)
            if not layer.is_masked(number)
        ]
        return tuple(sorted(found, key=lambda statement: statement.ordinal))

    def about(self, id: str) -> tuple[Statement, ...]:
        return self._listed(id, lambda layer: (layer.ids, layer.about))

    def single_valued_of(self, id: str) -> tuple[Statement, ...]:
        found = self._single_valued.get(id)
        if found is None:
            if len(self._single_valued) >= KEPT_TEXTS:
                self._single_valued.clear()
            found = self._single_valued[id] = self._decoded(
                (layer, layer.single_valued_of(number))
                for layer in self._layers
                if (number := layer.ids.find(id)) >= 0
            )
        return found

    def citing(self, observation: str) -> tuple[Statement, ...]:
        return self._listed(observation, lambda layer: (layer.seen, layer.citing))

    def _listed(
        self, text: str, where: Callable[[Layer], tuple[Table, Lists]]
    ) -> tuple[Statement, ...]:
        places: list[tuple[Layer, Iterable[int]]] = []
        for layer in self._layers:
            table, lists = where(layer)
            number = table.find(text)
            if number >= 0:
                places.append((layer, lists[number]))
        return self._decoded(places)

    def _decoded(self, places: Iterable[tuple[Layer, Iterable[int]]]) -> tuple[Statement, ...]:
        found: list[Statement] = []
        for layer, numbers in places:
            found += [layer.statement(one) for one in numbers if not layer.is_masked(one)]
        if len(self._layers) > 1:
            found.sort(key=lambda statement: statement.ordinal)
        return tuple(found)

    def count_about(self, id: str) -> int:
        count = 0
        for layer in self._layers:
            number = layer.ids.find(id)
            if number >= 0:
                count += (
                    sum(not layer.is_masked(one) for one in layer.about[number])
                    if layer.masked_paths
                    else layer.about.count(number)
                )
        return count

    def count_predicates(self) -> Mapping[str, int]:
        counts: dict[str, int] = {}
        for layer in self._layers:
            for name, count in layer.count_predicates().items():
                counts[name] = counts.get(name, 0) + count
        return counts

    def neighbors(self, id: str) -> tuple[str, ...]:
        if len(self._layers) == 1:
            number = self._base.ids.find(id)
            return (
                ()
                if number < 0
                else tuple(map(self._base.ids.__getitem__, self._base.near[number]))
            )
        others = {
            statement.other_end(id) for statement in self.about(id) if not statement.is_retired
        }
        return tuple(sorted(other for other in others if other is not None and other != id))

    @cached_property
    def adjacency(self) -> "StoredAdjacency":  # type: ignore[override]
        from kb.graph.stored_adjacency import StoredAdjacency  # only paths need it

        return StoredAdjacency(self._layers)

    def _count_by_survivor(self, section: str) -> Mapping[str, int]:
        counts: dict[str, int] = {}
        for layer in self._layers:
            numbers = layer.sections.ints(section)
            for at in range(0, len(numbers), 2):
                if numbers[at] not in layer.masked_paths:
                    id = layer.ids[numbers[at + 1]]
                    counts[id] = counts.get(id, 0) + 1
        return counts

    @cached_property
    def hidden(self) -> Mapping[str, int]:  # type: ignore[override]
        return self._count_by_survivor("hidden")

    @cached_property
    def unresolved(self) -> Mapping[str, int]:  # type: ignore[override]
        return self._count_by_survivor("unresolved")

    @cached_property
    def broken(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(
            layer.paths[path]
            for layer in self._layers
            for path in layer.sections.ints("broken")
            if path not in layer.masked_paths
        )

    # -- observations --------------------------------------------------------------------------------------------

    def _find_observation(self, id: str) -> Observation | None:
        for layer in self._layers:
            row = layer.observations.find(id)
            if row >= 0:
                return layer.observations.decode(row)
        return None

    def _iter_observation_ids(self) -> Iterator[str]:
        ids = [id for layer in self._layers for id, _ in layer.observations.iter_rows()]
        yield from ids if len(self._layers) == 1 else sorted(ids)

    @cached_property
    def kinds(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset().union(*(layer.observations.kinds() for layer in self._layers))

    def involving(self, token: str) -> tuple[str, ...]:
        found = [
            layer.seen[number]
            for layer in self._layers
            for number in layer.look_up("token", "involved", token)
            if number not in layer.observations.masked
        ]
        return tuple(found) if len(self._layers) == 1 else tuple(sorted(found))

    def iter_texts(self, part: str) -> Iterator[tuple[str, str, str]]:
        for layer in self._layers:
            for row in layer.observations.iter_bodies_holding(part):
                id = layer.observations.id(row)
                if id is not None:
                    yield id, *layer.observations.body(row)

    def body_of(self, observation: str) -> str:
        for layer in self._layers:
            row = layer.observations.find(observation)
            if row >= 0:
                return layer.observations.body(row)[1]
        raise KeyError(observation)

    def text_of(self, id: str) -> str:
        for layer in self._layers:
            row = layer.entities.find(id)
            if row >= 0:
                return layer.entities.text(row)
        raise KeyError(id)

    def iter_digests(self) -> Iterator[tuple[str, bytes]]:
        for layer in self._layers:
            for id, row in layer.entities.iter_rows():
                yield f"e:{id}", layer.entities.digest(row)
            for id, row in layer.observations.iter_rows():
                yield f"o:{id}", layer.observations.digest(row)

    def digest_of(self, key: str) -> bytes | None:
        kind, id = key[:2], key[2:]
        for layer in self._layers:
            row = layer.entities.find(id) if kind == "e:" else layer.observations.find(id)
            if row >= 0:
                return (
                    layer.entities.digest(row) if kind == "e:" else layer.observations.digest(row)
                )
        return None

    @property
    def stamp(self) -> tuple[bytes, bytes]:
        return self._base.sections.digest, self._newest.sections.digest if len(
            self._layers
        ) > 1 else b""

    def changed_documents(self) -> frozenset[str]:
        if len(self._layers) == 1:
            return frozenset()
        changes = self._newest
        masks = (("e:", "mask.entities"), ("o:", "mask.observations"))
        return frozenset(
            (
                *(
                    f"{kind}{changes.heap[text]}"
                    for kind, mask in masks
                    for text in changes.sections.ints(mask)
                ),
                *(f"e:{id}" for id, _ in changes.entities.iter_rows()),
                *(f"o:{id}" for id, _ in changes.observations.iter_rows()),
            )
        )
