"""The entities of one graph file, each decoded when it is asked for."""

from collections.abc import Iterator

from kb.graph.file_form import BROKEN, DIGEST_BYTES, ENTITY_LISTS, ENTITY_WIDTH, NONE
from kb.graph.graph import Entity
from kb.graph.tables import Heap, Lists, Table, find_row
from kb.store.sections import Sections


class EntityRows:
    """The rows of a graph file's entities, in order of their ids."""

    def __init__(self, sections: Sections, heap: Heap, ids: Table, paths: Table) -> None:
        self._sections, self._heap, self._ids, self._paths = sections, heap, ids, paths
        self._rows = sections.ints("entity")
        #: What another layer takes the place of: numbers of ids.
        self.masked: set[int] = set()

    def find(self, id: str) -> int:
        """Find an entity's row, -1 where there is none or another layer has it."""
        number = self._ids.find(id)
        if number < 0 or number in self.masked:
            return -1
        return find_row(self._rows, ENTITY_WIDTH, number)

    def iter_rows(self) -> Iterator[tuple[str, int]]:
        """Yield (id, row) of the entities that no other layer has."""
        for number, row in self._iter_numbers():
            yield self._ids[number], row

    def count(self) -> int:
        """Count the entities that no other layer has."""
        return sum(1 for _ in self._iter_numbers())

    def _iter_numbers(self) -> Iterator[tuple[int, int]]:
        for row, number in enumerate(self._rows.iter_every(ENTITY_WIDTH)):
            if number not in self.masked:
                yield number, row

    def types(self) -> set[str]:
        """List the types of the entities that no other layer has."""
        types = {self._rows[row * ENTITY_WIDTH + 1] for _, row in self._iter_numbers()}
        return {self._heap[type] for type in types if type != NONE} - {""}

    def decode(self, row: int) -> Entity:
        """Decode an entity."""
        id, type, name, path, summary, flags = self._rows[
            row * ENTITY_WIDTH : (row + 1) * ENTITY_WIDTH
        ]
        heap, ids, lists = self._heap, self._ids, Lists(self._sections, "entity.lists")
        first = row * ENTITY_LISTS
        return Entity(
            id=ids[id],
            type=heap.get(type),
            name=heap[name],
            aliases=tuple(heap[text] for text in lists[first]),
            keys=tuple(heap[text] for text in lists[first + 1]),
            normalized_keys=tuple(heap[text] for text in lists[first + 2]),
            path=self._paths[path],
            merged=tuple(ids[other] for other in lists[first + 3]),
            summary=heap[summary],
            is_broken=bool(flags & BROKEN),
            links=tuple(ids[other] for other in lists[first + 4]),
        )

    def text(self, row: int) -> str:
        """Give what an entity's files say in words."""
        return Heap(self._sections, "entity.text", "entity.text.at")[row]

    def digest(self, row: int) -> bytes:
        """Give the digest of an entity's files."""
        return self._sections.row("entity.digest", row, DIGEST_BYTES)
