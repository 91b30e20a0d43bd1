"""What tests ask of records."""

from kb.ingest.records import SourceRecord


def keys_of(record: SourceRecord) -> tuple[str, ...]:
    """Each key of its participants once, in order; all parts."""
    return tuple(dict.fromkeys(key for one in record.participants for key in one.keys))
