"""Parts of an index, read where they lie: segments on disk, and documents that were gathered in memory.

A segment's files are ordinary ones of Whoosh's codec ``whoosh3``; the little of them that a lookup needs is read here, so
that a search need not import Whoosh. Beside them lies what Whoosh does not tell quickly: keys, digests and lengths.
"""

from abc import ABC, abstractmethod
from array import array
from binascii import crc32
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from struct import Struct
from typing import Any, NamedTuple

from kb.graph.file_form import DIGEST_BYTES
from kb.graph.tables import Table
from kb.index.plain_pickle import load_plain
from kb.index.postings import BODY, EXACT, KEY, NAME, SCORED, Gathering
from kb.store.paged import Paged, find_first
from kb.store.sections import Damaged, Sections

#: The numbers of the fields in our segments: they are written in this order.
FIELDS = (BODY, EXACT, KEY, NAME)

#: The first bytes of a table of words: what it is, and how its keys are hashed.
HASHING = 1
HEADER = b"HSH3" + bytes((HASHING,))

_PREFIX = {field: number.to_bytes(2, "big") for number, field in enumerate(FIELDS)}
_DIRECTORY_ENTRY, _POINTER, _LENGTHS = Struct("!qi"), Struct("!Iq"), Struct("!ii")
_TERM = Struct("!BfIBBfIIqi")
_INT, _LONG = Struct("!i"), Struct("!q")
_TABLES = 256
_BLOCK_HEAD = 4 + 120  #: bytes in which a block's length and description surely lie


class Block(NamedTuple):
    """Some postings of a word: documents in ascending order, what each weighs, and the values as they lie."""

    numbers: Sequence[int]
    weights: Sequence[float]
    values: Sequence[bytes]


class Leaf(ABC):
    """Some documents, numbered. Those that are gone are still in its postings; whoever reads passes them over."""

    count: int  #: with those that are gone
    gone: frozenset[int]

    @abstractmethod
    def key(self, number: int) -> str:
        """Give a document's key."""

    @abstractmethod
    def find(self, key: str) -> int:
        """Give the number of a document, -1 where it has none."""

    @abstractmethod
    def digest(self, number: int) -> bytes:
        """Give a document's digest."""

    @abstractmethod
    def lengths(self, field: str) -> Sequence[int]:
        """Give how many words each document has in a field."""

    @abstractmethod
    def total(self, field: str) -> int:
        """Count the words of a field, those of documents that are gone included."""

    @abstractmethod
    def count_holding(self, field: str, word: str) -> int:
        """Count the documents that hold a word, those that are gone included."""

    @abstractmethod
    def iter_blocks(
        self, field: str, word: str, only: Sequence[int] | None = None
    ) -> Iterator[Block]:
        """Yield the postings of a word; ``only`` some documents', in ascending order: other blocks may be left out."""

    @abstractmethod
    def iter_words(self, field: str, beginning: str) -> Iterator[str]:
        """Yield the words with a beginning, sorted by their UTF-8."""


class DiskLeaf(Leaf):
    """A segment."""

    def __init__(
        self, documents: Sections, terms: Paged, postings: Paged, gone: frozenset[int]
    ) -> None:
        self.gone = gone
        self._documents, self._terms, self._postings = documents, terms, postings
        self._keys = Table(documents, "key")
        self.count = len(self._keys)
        size = len(terms)
        extras = _unpack(_INT, terms, size - _INT.size)[0]
        self._directory = size - _INT.size - extras - _TABLES * _DIRECTORY_ENTRY.size
        #: Where each key of the table of words begins, eight bytes each, at the end of the file.
        self._words = documents.longs("words")[0]
        self._order = size - _INT.size - self._words * _LONG.size
        if not 0 <= self._directory < self._order or terms.read(0, len(HEADER)) != HEADER:
            raise Damaged("its table of words is no such table")

    def key(self, number: int) -> str:
        return self._keys[number]

    def find(self, key: str) -> int:
        return self._keys.find(key)

    def digest(self, number: int) -> bytes:
        return self._documents.row("digest", number, DIGEST_BYTES)

    def lengths(self, field: str) -> Sequence[int]:
        return self._documents.ints(f"length.{field}")

    def total(self, field: str) -> int:
        return self._documents.longs("totals")[SCORED.index(field)]

    def count_holding(self, field: str, word: str) -> int:
        place = self._find(field, word)
        return int(_unpack(_TERM, self._terms, place)[2]) if place else 0

    def iter_blocks(
        self, field: str, word: str, only: Sequence[int] | None = None
    ) -> Iterator[Block]:
        place = self._find(field, word)
        if not place:
            return
        *_, at, length = _unpack(_TERM, self._terms, place)
        end = at + length
        at += 4  # a mark
        postings, wanted, waiting = self._postings, only or (), 0
        while at < end:
            size = abs(_unpack(_INT, postings, at)[0])
            block_end = at + _INT.size + size
            head = postings.read(at + _INT.size, min(at + _BLOCK_HEAD, len(postings)))
            described, taken = load_plain(head)
            count, last, _, compression, _, _ = described
            if only is not None:
                if waiting == len(wanted):
                    return
                if last < wanted[waiting]:
                    at = block_end
                    continue
                waiting = bisect_left(wanted, last + 1, waiting)
            data = postings.read(at + _INT.size + taken, block_end)
            if compression:
                raise Damaged("a block is compressed")
            yield _unpack_block(field, count, load_plain(data)[0])
            at = block_end

    def iter_words(self, field: str, beginning: str) -> Iterator[str]:
        prefix = _PREFIX[field] + beginning.encode("utf-8", "surrogatepass")
        first = find_first(self._words, self._word_at, prefix)
        for number in range(first, self._words):
            word = self._word_at(number)
            if not word.startswith(prefix):
                return
            yield word[2:].decode("utf-8", "surrogatepass")

    def _word_at(self, number: int) -> bytes:
        place = _unpack(_LONG, self._terms, self._order + number * _LONG.size)[0]
        length = _unpack(_LENGTHS, self._terms, place)[0]
        place += _LENGTHS.size
        return self._terms.read(place, place + length)

    def _find(self, field: str, word: str) -> int:
        """Find where a word's entry lies, 0 where it has none."""
        terms = self._terms
        key = _PREFIX[field] + word.encode("utf-8", "surrogatepass")
        hashed = hash_word(key)
        start, slots = _unpack(
            _DIRECTORY_ENTRY, terms, self._directory + (hashed & 255) * _DIRECTORY_ENTRY.size
        )
        for step in range(slots):
            slot = ((hashed >> 8) + step) % slots
            found, place = _unpack(_POINTER, terms, start + slot * _POINTER.size)
            if not place:
                return 0
            if found == hashed:
                length, _ = _unpack(_LENGTHS, terms, place)
                place += _LENGTHS.size
                if terms.read(place, place + length) == key:
                    return int(place + length)
        return 0


def _unpack(form: Struct, data: Paged, place: int) -> tuple[Any, ...]:
    return form.unpack(data.read(place, place + form.size))


def hash_word(key: bytes) -> int:
    """Hash a key of a table of words: of the ways that Whoosh knows, the quickest."""
    return crc32(key)


def _unpack_block(field: str, count: int, data: tuple[Any, Any, Any]) -> Block:
    """Undo what makes blocks small: numbers are differences, and weights that are all the same stand once."""
    differences, weights, values = data
    numbers, last = [], 0
    for difference in differences:
        last += difference
        numbers.append(last)
    if weights is None:
        weights = (1.0,) * count
    elif isinstance(weights, float):
        weights = (weights,) * count
    return Block(numbers, weights, values if field == EXACT else ())


class MemoryLeaf(Leaf):
    """Documents that were gathered just now."""

    def __init__(self, gathering: Gathering) -> None:
        self.count, self.gone = len(gathering), frozenset()
        self._gathering = gathering

    def key(self, number: int) -> str:
        return self._gathering.keys[number]

    def find(self, key: str) -> int:
        return self._numbers.get(key, -1)

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {key: number for number, key in enumerate(self._gathering.keys)}

    def digest(self, number: int) -> bytes:
        return self._gathering.digests[number]

    def lengths(self, field: str) -> "array[int]":
        return self._gathering.lengths[field]

    def total(self, field: str) -> int:
        return sum(self._gathering.lengths[field])

    def count_holding(self, field: str, word: str) -> int:
        return len(self._gathering.count_in(field, word).numbers)

    def iter_blocks(
        self, field: str, word: str, only: Sequence[int] | None = None
    ) -> Iterator[Block]:
        numbers, counts = self._gathering.count_in(field, word)
        if numbers:
            values = self._gathering.positions_in(word, counts) if field == EXACT else ()
            yield Block(numbers, [float(count) for count in counts], values)

    def iter_words(self, field: str, beginning: str) -> Iterator[str]:
        words = [word for word in self._gathering.words(field) if word.startswith(beginning)]
        yield from sorted(words, key=lambda word: word.encode("utf-8", "surrogatepass"))
