"""Tables of texts, lists and rows of a graph file, as ``kb.graph.file_form`` lays them out."""

from collections.abc import Iterator

from kb.graph.file_form import NONE
from kb.store.paged import Numbers, find_first
from kb.store.sections import Sections

#: Of how many texts the place in a table is remembered: what was asked about once is asked about again.
KEPT_TEXTS = 1_000


class Heap:
    """Texts by number."""

    def __init__(self, sections: Sections, name: str, at: str = "") -> None:
        self.at = sections.longs(at or f"{name}.at")
        self._sections, self._read = sections, sections.read
        self.start, self.end = sections.place(name)

    def __len__(self) -> int:
        return len(self.at) - 1

    def __getitem__(self, number: int) -> str:
        start = self.start
        text = self._read(start + self.at[number], start + self.at[number + 1])
        return text.decode("utf-8", "surrogatepass")

    def get(self, number: int) -> str | None:
        """Give a text, ``None`` for ``NONE``."""
        return None if number == NONE else self[number]

    def number_at(self, place: int) -> int:
        """Say in which text a place of the file lies."""
        at, place = self.at, place - self.start
        return find_first(len(at) - 1, lambda number: at[number + 1], place + 1)

    def iter_holding(self, part: str) -> Iterator[int]:
        """Yield the numbers of the texts that hold a part."""
        wanted, place = part.encode("utf-8", "surrogatepass"), self.start
        while True:
            place = self._sections.find(wanted, place, self.end)
            if place < 0 or place >= self.end:  # nothing at all is found at the end too
                return
            number = self.number_at(place)
            end = self.start + self.at[number + 1]
            if place + len(wanted) <= end:
                yield number
                place = end
            else:  # it reaches over two texts
                place += 1


class Table:
    """A sorted table of texts, each with a line end."""

    def __init__(self, sections: Sections, name: str) -> None:
        self._heap = Heap(sections, f"{name}.text", f"{name}.at")
        self._read = sections.read
        self._found: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._heap)

    def __getitem__(self, number: int) -> str:
        return self._heap[number][:-1]

    def find(self, text: str) -> int:
        """Find a text's number, -1 where the table has none."""
        found = self._found.get(text)
        if found is None:
            wanted = text.encode("utf-8", "surrogatepass")
            number = self.find_place(wanted)
            found = number if number < len(self) and self._bytes(number) == wanted else -1
            if len(self._found) >= KEPT_TEXTS:
                self._found.clear()
            self._found[text] = found
        return found

    def find_place(self, wanted: bytes) -> int:
        """Find the first number whose text does not come before some bytes."""
        return find_first(len(self), self._bytes, wanted)

    def iter_holding(self, part: str) -> Iterator[int]:
        """Yield the numbers of the texts that hold a part."""
        return self._heap.iter_holding(part)

    def _bytes(self, number: int) -> bytes:
        start, at = self._heap.start, self._heap.at
        return self._read(start + at[number], start + at[number + 1] - 1)


class Lists:
    """Lists of numbers by number."""

    def __init__(self, sections: Sections, name: str) -> None:
        self._at, self._items = sections.ints(f"{name}.at"), sections.ints(name)

    def __getitem__(self, number: int) -> "memoryview[int]":
        return self._items[self._at[number] : self._at[number + 1]]

    def span(self, number: int) -> tuple[int, int]:
        """Give between which of all numbers a list's lie."""
        return self._at[number], self._at[number + 1]

    def count(self, number: int) -> int:
        """Count a list's numbers."""
        return self._at[number + 1] - self._at[number]


def find_row(rows: Numbers, width: int, number: int) -> int:
    """Find the row that begins with a number, -1 where there is none. Rows are sorted by their first number."""
    row = first_row_from(rows, width, number)
    is_there = row * width < len(rows) and rows[row * width] == number
    return row if is_there else -1


def first_row_from(rows: Numbers, width: int, number: int) -> int:
    """Find the first row that begins with a number or a greater one."""
    return find_first(len(rows) // width, lambda row: rows[row * width], number)
