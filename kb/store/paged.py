"""The bytes of a file, read a block at a time when they are asked for.

Not through a memory map: a system that caches files in large pages maps megabytes around each byte that is touched, and
all of that counts as the process's memory. And where a file is cut short under its reader, a map ends the process.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar, overload

#: Bytes of a block.
_SHIFT = 12
_BLOCK = 1 << _SHIFT
#: Bytes of a step of what reads all.
_STRETCH = 1 << 20
#: Of so many blocks of a file at most what was read is kept.
_MOST_BLOCKS = 4_096
#: Unsigned numbers of 32 bits, and signed ones of 64.
Code = Literal["I", "q"]
#: Blocks by their numbers, as columns read them.
_Views = dict[Code, "dict[int, memoryview[int]]"]
#: By the type of a number: how far to shift from a place in bytes to one in numbers.
_WIDTH_SHIFTS = {"I": 2, "q": 3}


class InMemory:
    """Bytes in memory, read as a file is."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.views: _Views = {"I": {}, "q": {}}

    def __len__(self) -> int:
        return len(self._data)

    def read(self, start: int, end: int) -> bytes:
        """Give the bytes between two places."""
        return self._data[start:end]

    def iter_stretches(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes between two places, all at once."""
        yield self._data[start:end]

    def find(self, part: bytes, start: int, end: int) -> int:
        """Find some bytes between two places; -1 where they are not."""
        return self._data.find(part, start, end)


class Paged:
    """An open file that nobody writes to. It is closed with its last use."""

    def __init__(self, descriptor: int, size: int, name: str = "") -> None:
        self._descriptor, self._size, self._name = descriptor, size, name
        self._blocks: dict[int, bytes] = {}
        #: The same for all columns: where one ends in a block, the next begins.
        self.views: _Views = {"I": {}, "q": {}}
        #: Where a search was last, and the bytes there.
        self._stretch = (0, b"")

    def __len__(self) -> int:
        return self._size

    def __del__(self) -> None:
        os.close(self._descriptor)

    def read(self, start: int, end: int) -> bytes:
        """Give the bytes between two places. ``OSError`` where the file has become shorter."""
        number = start >> _SHIFT
        first = number << _SHIFT
        if end - first > _BLOCK:
            return self._read(start, end)
        block = self._blocks.get(number)
        if block is None:
            if len(self._blocks) >= _MOST_BLOCKS:
                self._blocks.clear()
            block = self._blocks[number] = self._read(first, min(first + _BLOCK, self._size))
        return block[start - first : end - first]

    def iter_stretches(self, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes between two places piece by piece, keeping none."""
        for at in range(start, end, _STRETCH):
            yield self._read(at, min(at + _STRETCH, end))

    def find(self, part: bytes, start: int, end: int) -> int:
        """Find some bytes between two places; -1 where they are not."""
        while start + len(part) <= end:
            first, data = self._stretch
            if not first <= start <= first + len(data) - len(part):
                first = start
                data = self._read(first, min(first + max(_STRETCH, len(part)), self._size))
                self._stretch = (first, data)
            found = data.find(part, start - first, end - first)
            if found >= 0:
                return first + found
            start = first + len(data) - len(part) + 1
        return -1

    def _read(self, start: int, end: int) -> bytes:
        data = _read_at(self._descriptor, end - start, start)
        while len(data) < end - start:  # a system may give less than was asked for
            more = _read_at(self._descriptor, end - start - len(data), start + len(data))
            if not more:
                raise OSError(errno.EIO, "it was cut short while it was read", self._name)
            data += more
        return data


class Numbers(Sequence[int]):
    """A column of integers in a file, or in memory. Slices are read at once, into memory."""

    def __init__(self, data: Paged | InMemory, start: int, end: int, code: Code) -> None:
        self._data, self._start, self._end, self._code = data, start, end, code
        self._width = _WIDTH_SHIFTS[code]
        self._count = (end - start) >> self._width
        #: Of the places in the file, in numbers: the first one's, and those that tell the block and the place in it.
        self._first = start >> self._width
        self._shift = _SHIFT - self._width
        self._mask = (1 << self._shift) - 1
        self._blocks = data.views[code]

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> "memoryview[int]": ...
    def __getitem__(self, index: int | slice) -> "int | memoryview[int]":
        if isinstance(index, slice):
            start, stop, step = index.indices(self._count)
            return self._part(start, max(start, stop))[::step]
        if not 0 <= index < self._count:
            raise IndexError(index)
        place = self._first + index
        number = place >> self._shift
        block = self._blocks.get(number)
        if block is None:
            block = self._block(number)
        return block[place & self._mask]

    def __iter__(self) -> Iterator[int]:
        return self.iter_every(1)

    def iter_every(self, step: int, first: int = 0) -> Iterator[int]:
        """Yield every so many-th number, from the one of an index on."""
        stretch = step * max(1, (_STRETCH >> self._width) // step)
        for start in range(0, self._count, stretch):
            yield from self._part(start, min(start + stretch, self._count))[first::step]

    def tolist(self) -> list[int]:
        """Give all of them."""
        return self._part(0, self._count).tolist()

    def _part(self, start: int, stop: int) -> "memoryview[int]":
        data = self._data.read(
            self._start + (start << self._width), self._start + (stop << self._width)
        )
        return memoryview(data).cast(self._code)

    def _block(self, number: int) -> "memoryview[int]":
        if len(self._blocks) >= _MOST_BLOCKS:
            self._blocks.clear()
        start = number << _SHIFT
        data = self._data.read(start, min(start + _BLOCK, len(self._data)))
        block = self._blocks[number] = memoryview(data[: len(data) & -8]).cast(self._code)
        return block


Sorted = TypeVar("Sorted", bytes, int)


def find_first(count: int, at: Callable[[int], Sorted], wanted: Sorted) -> int:
    """Find the first of so many sorted values, each read by its number, that does not come before one; ``count`` if all do.

    As ``bisect_left`` with a key, which Python would have to load for it.
    """
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if at(middle) < wanted:
            low = middle + 1
        else:
            high = middle
    return low


def _read_at(descriptor: int, count: int, start: int) -> bytes:
    return os.pread(descriptor, count, start)


if not hasattr(os, "pread"):  # Windows: one place in the file, which is moved
    from threading import Lock

    _MOVING = Lock()

    def _read_at(descriptor: int, count: int, start: int) -> bytes:
        with _MOVING:
            os.lseek(descriptor, start, os.SEEK_SET)
            return os.read(descriptor, count)
