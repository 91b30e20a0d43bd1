"""The fields of the index, and how a document becomes their postings. Files stay ordinary Whoosh ones.

``name`` and ``body`` hold stems with how often each occurs: plain words are compared and scored there. ``exact`` holds
every word as written (folded), with its positions: phrases, identifiers and beginnings of words are found there.
"""

import sys
from array import array
from collections.abc import Iterator
from typing import Any

from kb.index.documents import Document
from kb.index.safe_pickle import guard_whoosh
from kb.index.words import Analyzer

guard_whoosh()

from whoosh import fields, formats, versionstring  # noqa: E402  (guarded first)

KEY, NAME, BODY, EXACT = "key", "name", "body", "exact"
SCORED = (NAME, BODY, EXACT)
#: Raised whenever words are read otherwise or postings are laid out otherwise: older indexes are then rebuilt.
FORMAT = 1
WHOOSH_VERSION: str = versionstring()
#: Between a name and the next, and the text: no phrase spans them.
_GAP = 10
_BYTE_LIMIT, _SHORT_LIMIT = 0xFF, 0xFFFF

Posting = tuple[bytes, int, float, bytes]


class PackedPositions(formats.Format):  # type: ignore[misc]
    """Positions as plain numbers of one, two or four bytes, whichever holds them; the first byte says which."""

    posting_size = -1

    def __init__(self) -> None:
        self.field_boost = 1.0
        self.options: dict[str, Any] = {}

    @staticmethod
    def encode(positions: list[int]) -> bytes:
        """Pack ascending positions."""
        last = positions[-1]
        if last <= _BYTE_LIMIT:
            return b"\x01" + bytes(positions)
        code = "H" if last <= _SHORT_LIMIT else "I"
        packed = array(code, positions)
        if sys.byteorder == "big":
            packed.byteswap()
        return (b"\x02" if code == "H" else b"\x04") + packed.tobytes()

    def decode_positions(self, value: bytes) -> list[int]:
        """Unpack positions."""
        if value[0] == 1:
            return list(value[1:])
        packed = array("H" if value[0] == 2 else "I")
        packed.frombytes(value[1:])
        if sys.byteorder == "big":
            packed.byteswap()
        return packed.tolist()

    def decode_frequency(self, value: bytes) -> int:
        """Count the positions."""
        return (len(value) - 1) // value[0]

    def decode_weight(self, value: bytes) -> float:
        """Weigh by how often it occurs."""
        return float(self.decode_frequency(value))

    def combine(self, values: list[bytes]) -> bytes:
        """Join the positions of several."""
        return self.encode(
            sorted({place for value in values for place in self.decode_positions(value)})
        )


class Postings(fields.FieldType):  # type: ignore[misc]
    """A field whose postings are made by ``postings_of``, not by an analyzer of Whoosh."""

    analyzer = None
    vector = None
    scorable = True

    def __init__(self, format: formats.Format) -> None:
        self.format = format
        self.stored = False
        self.unique = False
        self.spelling = False

    def index(self, value: list[Posting], **_: Any) -> list[Posting]:
        """Take postings as they are."""
        return value


def make_schema() -> Any:
    """Make the schema."""
    return fields.Schema(
        **{
            KEY: fields.ID(stored=True, unique=True),
            NAME: Postings(formats.Frequency()),
            BODY: Postings(formats.Frequency()),
            EXACT: Postings(PackedPositions()),
        }
    )


def postings_of(document: Document, analyzer: Analyzer) -> dict[str, Any]:
    """Give a document's value for each field."""
    places: dict[str, list[int]] = {}
    at = 0
    for text in document.names:
        at = analyzer.places(text, at, places) + _GAP
    names = _count_stems(places, analyzer)
    inner: dict[str, list[int]] = {}
    analyzer.places(document.body, at, inner)
    stems = _count_stems(inner, analyzer)
    for word, found in inner.items():
        places[word] = places[word] + found if word in places else found
    values: dict[str, Any] = {KEY: document.key}
    for field, counts in ((NAME, names), (BODY, stems)):
        if counts:
            values[field] = list(_counted(counts))
    if places:
        values[EXACT] = [_packed(word, found) for word, found in places.items()]
    return values


def _count_stems(places: dict[str, list[int]], analyzer: Analyzer) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word, found in places.items():
        stem = analyzer.stem(word)
        counts[stem] = counts.get(stem, 0) + len(found)
    return counts


def _packed(word: str, found: list[int]) -> Posting:
    if len(found) > 1:
        found = sorted(set(found))  # runs of one word may be written in several ways
    return word.encode(), len(found), float(len(found)), PackedPositions.encode(found)


def _counted(counts: dict[str, int]) -> Iterator[Posting]:
    for stem, count in counts.items():
        yield stem.encode(), count, float(count), formats.pack_uint(count)
