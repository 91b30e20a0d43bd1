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
from kb.graph.masked_rows import MaskedRows
from kb.graph.tables import Heap, Lists, Table
from kb.model.time import Date
from kb.store.sections import Sections


class ObservationRows(MaskedRows):
    """The rows of a graph file's observations, in order of their ids."""

    def __init__(self, sections: Sections, heap: Heap, ids: Table, paths: Table) -> None:
        super().__init__(sections, "observation", OBSERVATION_WIDTH, heap, ids, paths)

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
