"""Documents → postings: which words each holds, how often and where. Pure; knows nothing of files or of Whoosh.

There are three kinds of postings. ``name`` and ``body`` hold stems with how often each occurs: plain words are compared
and scored there. ``exact`` holds every word as written (folded), with its positions: phrases, identifiers and beginnings
of words are found there.

A *spot* is a document's number and a position in it, in one number. Texts are read into the spots of their runs, a few
steps a word; words, stems and counts are made of those for all documents at once.
"""

import contextlib
import gc
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kb.index.documents import Document
from kb.index.words import Analyzer, prepare

KEY, NAME, BODY, EXACT = "key", "name", "body", "exact"
SCORED = (NAME, BODY, EXACT)
#: Between a name and the next, and the text: no phrase spans them.
_GAP = 10
_BYTE_LIMIT, _SHORT_LIMIT = 0xFF, 0xFFFF
#: Most words stand once in a text, near its start: one packed position for all of those.
_LONE = tuple(
    b"\x01" + bytes((at,)) if at <= _BYTE_LIMIT else b"\x02" + at.to_bytes(2, "little")
    for at in range(2048)
)

_STEP = 200

Progress = Callable[[int, int], None]
#: Bits of a spot that are the position; what stands further behind counts as standing at the end.
_POSITION_BITS = 28
_POSITION = (1 << _POSITION_BITS) - 1
#: The ascending spots of a word.
Spots: TypeAlias = "array[int]"


def pack_positions(positions: Sequence[int]) -> bytes:
    """Pack ascending positions as numbers of one, two or four bytes; the first byte says which."""
    last = positions[-1]
    if len(positions) == 1 and last < len(_LONE):
        return _LONE[last]
    if last <= _BYTE_LIMIT:
        return b"\x01" + bytes(positions)
    code = "H" if last <= _SHORT_LIMIT else "I"
    packed = array(code, positions)
    if sys.byteorder == "big":
        packed.byteswap()
    return (b"\x02" if code == "H" else b"\x04") + packed.tobytes()


def unpack_positions(value: bytes) -> list[int]:
    """Unpack positions."""
    if value[0] == 1:
        return list(value[1:])
    packed = array("H" if value[0] == 2 else "I")
    packed.frombytes(value[1:])
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tolist()


def count_positions(value: bytes) -> int:
    """Count packed positions."""
    return (len(value) - 1) // value[0]


class Counted(NamedTuple):
    """The postings of a word: documents in ascending order, with how often it occurs in each."""

    numbers: list[int]
    counts: list[int]


class Gathering:
    """Postings by field and word, of documents that are added one by one; ``finish`` makes them of what was read."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.digests: list[bytes] = []
        #: How many words each document has in each field.
        self.lengths = {field: array("I") for field in SCORED}
        self._runs = _Runs()
        self._in_names, self._in_bodies = _by_text(), _by_text()
        self._spots: dict[str, Mapping[str, Spots]] = {}

    def __len__(self) -> int:
        return len(self.keys)

    def add(self, document: Document) -> None:
        """Add a document."""
        spot = len(self.keys) << _POSITION_BITS
        last = spot | _POSITION
        at, names = spot, 0
        for text in document.names:
            at, words = self._runs.place(text, at, self._in_names)
            at, names = min(at + _GAP, last), names + words
        at, bodies = self._runs.place(document.body, at, self._in_bodies)
        if at > last:
            raise ValueError("a text is too long to be indexed")
        self.keys.append(document.key)
        self.digests.append(document.digest)
        for field, length in ((NAME, names), (BODY, bodies), (EXACT, names + bodies)):
            self.lengths[field].append(length)

    def finish(self) -> None:
        """Make words and stems of all that was read."""
        names, bodies = self._runs.words_of(self._in_names), self._runs.words_of(self._in_bodies)
        self._in_names, self._in_bodies = _by_text(), _by_text()
        stem = self._runs.analyzer.stem
        self._spots = {
            NAME: _joined((stem(word), spots) for word, spots in names.items()),
            BODY: _joined((stem(word), spots) for word, spots in bodies.items()),
            EXACT: _joined((*names.items(), *bodies.items())),
        }

    def words(self, field: str) -> Collection[str]:
        """List the words of a field."""
        return self._spots[field].keys()

    def count_in(self, field: str, word: str) -> Counted:
        """Give the postings of a word."""
        numbers = [spot >> _POSITION_BITS for spot in self._spots[field].get(word, ())]
        alone = dict.fromkeys(numbers, 1)
        if len(alone) == len(numbers):
            return Counted(numbers, [1] * len(numbers))
        counts = Counter(numbers)
        return Counted([*counts.keys()], [*counts.values()])

    def positions_in(self, word: str, counts: list[int]) -> list[bytes]:
        """Give the packed positions of a word in each document that holds it."""
        spots = self._spots[EXACT][word]
        if len(spots) == len(counts):
            try:
                return [_LONE[spot & _POSITION] for spot in spots]
            except IndexError:
                return [pack_positions((spot & _POSITION,)) for spot in spots]
        places = [spot & _POSITION for spot in spots]
        packed, start = [], 0
        for count in counts:
            packed.append(pack_positions(places[start : start + count]))
            start += count
        return packed


def _by_text() -> defaultdict[str, Spots]:
    return defaultdict(lambda: array("q"))


def _joined(words: Iterable[tuple[str, Spots]]) -> dict[str, Spots]:
    """Join the spots of what is one."""
    joined: dict[str, Spots] = {}
    mixed = set()
    for word, spots in words:
        if word not in joined:
            joined[word] = spots
        else:
            if word not in mixed:
                joined[word] = joined[word][:]
                mixed.add(word)
            joined[word].extend(spots)
    for word in mixed:
        joined[word] = array("q", sorted(joined[word]))
    return joined


def gather(
    documents: Iterable[Document], progress: Progress | None = None, total: int = 0
) -> Gathering:
    """Gather the postings of documents; of ``total``, where another process gathers the others at the same pace."""
    gathering = Gathering()
    with without_collection():
        for seen, document in enumerate(documents, 1):
            gathering.add(document)
            if progress and seen % _STEP == 0:
                progress(seen, total)
        gathering.finish()
    return gathering


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Spare the collector what is gathered: it holds no cycles, and counting it takes a third of the time."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_collecting:
            gc.enable()


class _Runs:
    """What each run holds, read once: how many positions and words, and which words."""

    def __init__(self) -> None:
        self.analyzer = Analyzer()
        self._lengths, self._sizes = _Read(self._read), _Read(self._read)
        self._words: dict[str, tuple[tuple[str, int], ...]] = {}

    def _read(self, written: str) -> None:
        length, words = self.analyzer.words_of(written)
        self._lengths[written], self._sizes[written] = length, len(words)
        if words != ((written, 0),):
            self._words[written] = words

    def place(self, text: str, at: int, found: defaultdict[str, Spots]) -> tuple[int, int]:
        """Add the spots of a text's runs, from ``at``; give the spot after its last word, and how many words it has."""
        pattern, text = prepare(text)
        if text.isascii():
            text = text.lower()  # so that a run is read once, however it is written
        runs = pattern.findall(text)
        size = sum(map(self._sizes.__getitem__, runs))
        if size == len(runs):  # each is a word
            for written in runs:
                found[written].append(at)
                at += 1
            return at, size
        for written, length in zip(runs, map(self._lengths.__getitem__, runs), strict=True):
            found[written].append(at)
            at += length
        return at, size

    def words_of(self, found: Mapping[str, Spots]) -> dict[str, Spots]:
        """Make the spots of words of those of runs."""
        return _joined(
            (word, array("q", [spot + shift for spot in spots]) if shift else spots)
            for written, spots in found.items()
            for word, shift in self._words.get(written, ((written, 0),))
        )


class _Read(dict[str, int]):
    """Numbers of runs, which are read when they are first asked for."""

    def __init__(self, read: Callable[[str], None]) -> None:
        self._read_run = read

    def __missing__(self, written: str) -> int:
        self._read_run(written)
        return self[written]
