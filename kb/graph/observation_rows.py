"""The observations of one graph file, each decoded when it is asked for."""

from collections.abc import Iterator

from kb.graph.file_form import (
    BROKEN,
    DIGEST_BYTES,
    NONE,
    OBSERVATION_LISTS,
    OBSERVATION_WIDTH,
    SEALED,
)
from kb.graph.graph import Observation
from kb.graph.tables import Heap, Lists, Table, find_row
from kb.model.time import Date
from kb.store.sections import Sections


class ObservationRows:
    """The rows of a graph file's observations, in order of their ids."""

    def __init__(self, sections: Sections, heap: Heap, ids: Table, paths: Table) -> None:
        self._sections, self._heap, self._ids, self._paths = sections, heap, ids, paths
        self._rows = sections.ints("observation")
        #: What another layer takes the place of: numbers of ids.
        self.masked: set[int] = set()

    def find(self, id: str) -> int:
        """Find an observation's row, -1 where there is none or another layer has it."""
        number = self._ids.find(id)
        if number < 0 or number in self.masked:
            return -1
        return find_row(self._rows, OBSERVATION_WIDTH, number)

    def iter_rows(self) -> Iterator[tuple[str, int]]:
        """Yield (id, row) of the observations that no other layer has."""
        for number, row in self._iter_numbers():
            yield self._ids[number], row

    def count(self) -> int:
        """Count the observations that no other layer has."""
        return sum(1 for _ in self._iter_numbers())

    def _iter_numbers(self) -> Iterator[tuple[int, int]]:
        for row, number in enumerate(self._rows.iter_every(OBSERVATION_WIDTH)):
            if number not in self.masked:
                yield number, row

    def decode(self, row: int) -> Observation:
        """Decode an observation."""
        id, path, kind, title, date, said_by, source, decision, digest, flags = self._rows[
            row * OBSERVATION_WIDTH : (row + 1) * OBSERVATION_WIDTH
        ]
        heap, lists = self._heap, Lists(self._sections, "observation.lists")
        first, after = self._sections.longs("observation.time")[2 * row : 2 * row + 2]
        participants, derived_from, about = (
            tuple(heap[text] for text in lists[row * OBSERVATION_LISTS + index])
            for index in range(OBSERVATION_LISTS)
        )
        return Observation(
            id=self._ids[id],
            path=self._paths[path],
            kind=heap[kind],
            title=heap[title],
            happened_at=None if date == NONE else Date(heap[date], first, after),
            said_by=heap[said_by],
            participants=participants,
            source=heap[source],
            derived_from=derived_from,
            decision=heap[decision],
            about=about,
            digest=heap[digest],
            is_sealed=bool(flags & SEALED),
            is_broken=bool(flags & BROKEN),
        )

    def body(self, row: int) -> tuple[str, str]:
        """Give an observation's title and text, which stand behind each other."""
        title = self._heap[self._rows[row * OBSERVATION_WIDTH + 3]]
        return title, self._bodies[row][len(title) + 1 :]

    def id(self, row: int) -> str | None:
        """Give an observation's id, ``None`` where another layer has it."""
        number = self._rows[row * OBSERVATION_WIDTH]
        return None if number in self.masked else self._ids[number]

    def kinds(self) -> set[str]:
        """List the kinds of the observations that no other layer has."""
        kinds = {self._rows[row * OBSERVATION_WIDTH + 2] for _, row in self._iter_numbers()}
        return {self._heap[kind] for kind in kinds} - {""}

    def iter_bodies_holding(self, part: str) -> Iterator[int]:
        """Yield the rows of observations whose title or text holds a part, those masked included."""
        return self._bodies.iter_holding(part)

    @property
    def _bodies(self) -> Heap:
        return Heap(self._sections, "body.text", "body.at")

    def digest(self, row: int) -> bytes:
        """Give the digest of an observation's file."""
        return self._sections.row("observation.digest", row, DIGEST_BYTES)
