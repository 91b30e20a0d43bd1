"""The state of what is derived → text."""

from collections.abc import Iterator

from kb.queries.derived_state import DerivedState
from kb.render.counts import format_count
from kb.render.terminal import escape_terminal


def derived_state_lines(state: DerivedState) -> Iterator[str]:
    """Say what is there and what the next search would do with it."""
    index = state.index
    yield escape_terminal(f"full-text index: {index.place}")
    if index.built_at is not None:
        held = format_count(index.documents, "document")
        yield f"  {held}, {index.size:,} bytes, written {_age(state.now - index.built_at)} ago"
    yield escape_terminal(f"  {_outlook(state)}")


def _age(seconds: float) -> str:
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return format_count(int(seconds // length), unit)
    return format_count(max(int(seconds), 0), "second")


def _outlook(state: DerivedState) -> str:
    index = state.index
    if index.why_distrusted:
        return f"not used: {index.why_distrusted}; searches index in memory"
    if index.why_unusable:
        count = format_count(state.documents, "document")
        return f"the next search writes {count}: {index.why_unusable}"
    if index.stale:
        return f"the next search brings {format_count(index.stale, 'document')} up to date"
    return "fresh"
