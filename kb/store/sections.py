"""A file of named sections that is read where it lies, a block at a time, without decoding what is not asked for.

Bytes and columns of integers only, so that reading a damaged or foreign one runs nothing. The last bytes digest all
that is before them.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from kb.model.digests import blake2b
from kb.store.paged import InMemory, Numbers, Paged

MAGIC = b"kb-sect1"
_NAME, _HEADER = 32, 32
DIGEST_BYTES = 32
#: Of one entry of the table of contents: from where to where, and the name.
_ENTRY = 16 + _NAME


class Damaged(Exception):
    """The bytes are no file of sections; the text says why."""


class Sections:
    """The sections of a file, or of bytes in memory. Integers come as columns that are read where they are asked for."""

    def __init__(self, data: "Paged | InMemory") -> None:
        self._data = data
        size = len(data)
        if size < _HEADER + DIGEST_BYTES:
            raise Damaged("it is no file of ours")
        header = data.read(0, _HEADER)
        order, count, length = (
            int.from_bytes(header[at : at + 8], sys.byteorder) for at in (8, 16, 24)
        )
        if header[: len(MAGIC)] != MAGIC:
            raise Damaged("it is no file of ours")
        if order != 1 or length != size or _HEADER + _ENTRY * count > size:
            raise Damaged("it is cut short, or another machine's")
        entries = data.read(_HEADER, _HEADER + _ENTRY * count)
        numbers = memoryview(entries[: 16 * count]).cast("Q").tolist()
        if numbers != sorted(numbers) or max(numbers, default=0) > size - DIGEST_BYTES:
            raise Damaged("its sections do not lie in it")
        names = entries[16 * count :].decode("ascii")
        self._places = {
            names[_NAME * i : _NAME * (i + 1)].rstrip("\0"): (numbers[2 * i], numbers[2 * i + 1])
            for i in range(count)
        }

    def place(self, name: str) -> tuple[int, int]:
        """Say where a section starts and ends."""
        try:
            return self._places[name]
        except KeyError:
            raise Damaged(f"it has no section {name}") from None

    def read(self, start: int, end: int) -> bytes:
        """Give the bytes between two places of the file."""
        return self._data.read(start, end)

    def raw(self, name: str) -> bytes:
        """Give all of a section's bytes."""
        return self._data.read(*self.place(name))

    def row(self, name: str, number: int, width: int) -> bytes:
        """Give one of a section's rows of so many bytes."""
        start, end = self.place(name)
        start += number * width
        return self._data.read(start, min(start + width, end))

    def size(self, name: str) -> int:
        """Count a section's bytes."""
        start, end = self.place(name)
        return end - start

    def ints(self, name: str) -> Numbers:
        """Give a section as unsigned numbers of 32 bits."""
        return Numbers(self._data, *self.place(name), "I")

    def longs(self, name: str) -> Numbers:
        """Give a section as signed numbers of 64 bits."""
        return Numbers(self._data, *self.place(name), "q")

    def find(self, part: bytes, start: int, end: int) -> int:
        """Find some bytes between two places of the file; -1 where they are not."""
        return self._data.find(part, start, end)

    def is_whole(self) -> bool:
        """Say whether every byte is as it was written."""
        before = len(self._data) - DIGEST_BYTES
        return digest_of(self._data.iter_stretches(0, before)) == self.digest

    @property
    def digest(self) -> bytes:
        """What tells this file from every other: its digest, as it is written in it."""
        return self._data.read(len(self._data) - DIGEST_BYTES, len(self._data))


def digest_of(blocks: Iterable[Any]) -> bytes:
    """Digest bytes that come in blocks."""
    whole = blake2b(digest_size=DIGEST_BYTES)
    for block in blocks:
        whole.update(block)
    return whole.digest()


def pack_sections(sections: Mapping[str, Any]) -> Iterator[bytes | memoryview]:
    """Lay sections (bytes, or arrays of integers) out as a file, piece by piece, the digest last."""
    views = {name: memoryview(content).cast("B") for name, content in sections.items()}
    at = _HEADER + _ENTRY * len(views)
    numbers = bytearray()
    names = bytearray()
    for name, view in views.items():
        numbers += at.to_bytes(8, sys.byteorder) + (at + len(view)).to_bytes(8, sys.byteorder)
        names += name.encode("ascii").ljust(_NAME, b"\0")
        at += len(view) + -len(view) % 8
    header = MAGIC + b"".join(
        number.to_bytes(8, sys.byteorder) for number in (1, len(views), at + DIGEST_BYTES)
    )

    def pieces() -> Iterator[bytes | memoryview]:
        yield bytes(header + numbers + names)
        for view in views.values():
            yield view
            yield b"\0" * (-len(view) % 8)

    whole = blake2b(digest_size=DIGEST_BYTES)
    for piece in pieces():
        whole.update(piece)
        yield piece
    yield whole.digest()
