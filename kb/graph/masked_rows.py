"""Rows of one graph file that each have an id, without those that another layer takes the place of."""

from collections.abc import Iterator

from kb.graph.tables import Heap, Table, find_row
from kb.store.sections import Sections


class MaskedRows:
    """The rows of a section, in order of their ids' numbers, which come first in each."""

    def __init__(
        self, sections: Sections, section: str, width: int, heap: Heap, ids: Table, paths: Table
    ) -> None:
        self._sections, self._heap, self._ids, self._paths = sections, heap, ids, paths
        self._rows, self._width = sections.ints(section), width
        #: What another layer takes the place of: numbers of ids.
        self.masked: set[int] = set()

    def find(self, id: str) -> int:
        """Find the row of an id, -1 where there is none or another layer has it."""
        number = self._ids.find(id)
        if number < 0 or number in self.masked:
            return -1
        return find_row(self._rows, self._width, number)

    def iter_rows(self) -> Iterator[tuple[str, int]]:
        """Yield (id, row) of those that no other layer has."""
        for number, row in self._iter_numbers():
            yield self._ids[number], row

    def count(self) -> int:
        """Count those that no other layer has."""
        return sum(1 for _ in self._iter_numbers())

    def _iter_numbers(self) -> Iterator[tuple[int, int]]:
        for row, number in enumerate(self._rows.iter_every(self._width)):
            if number not in self.masked:
                yield number, row
