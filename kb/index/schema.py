"""The fields of the index as Whoosh sees them. Its files stay ordinary ones of Whoosh, positions apart, which are packed."""

from typing import Any

from kb.index.postings import (
    BODY,
    EXACT,
    KEY,
    NAME,
    count_positions,
    pack_positions,
    unpack_positions,
)
from kb.index.safe_pickle import guard_whoosh

guard_whoosh()

from whoosh import fields, formats  # noqa: E402  (guarded first)


class PackedPositions(formats.Format):  # type: ignore[misc]
    """Positions as plain numbers."""

    posting_size = -1

    def __init__(self) -> None:
        self.field_boost = 1.0
        self.options: dict[str, Any] = {}

    def decode_positions(self, value: bytes) -> list[int]:
        """Unpack positions."""
        return unpack_positions(value)

    def decode_frequency(self, value: bytes) -> int:
        """Count the positions."""
        return count_positions(value)

    def decode_weight(self, value: bytes) -> float:
        """Weigh by how often it occurs."""
        return float(count_positions(value))

    def combine(self, values: list[bytes]) -> bytes:
        """Join the positions of several."""
        return pack_positions(
            sorted({place for value in values for place in unpack_positions(value)})
        )


class Postings(fields.FieldType):  # type: ignore[misc]
    """A field whose postings are made by ``kb.index.postings``, not by an analyzer of Whoosh."""

    analyzer = None
    vector = None
    scorable = True

    def __init__(self, format: formats.Format) -> None:
        self.format = format
        self.stored = False
        self.unique = False
        self.spelling = False


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
