"""The entities of one graph file, each decoded when it is asked for."""

from kb.graph.file_form import BROKEN, DIGEST_BYTES, ENTITY_LISTS, ENTITY_WIDTH, NONE
from kb.graph.graph import Entity
from kb.graph.masked_rows import MaskedRows
from kb.graph.tables import Heap, Lists, Table
from kb.store.sections import Sections


class EntityRows(MaskedRows):
    """The rows of a graph file's entities, in order of their ids."""

    def __init__(self, sections: Sections, heap: Heap, ids: Table, paths: Table) -> None:
        super().__init__(sections, "entity", ENTITY_WIDTH, heap, ids, paths)

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
