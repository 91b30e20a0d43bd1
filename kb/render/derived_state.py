"""The state of what is derived → text."""

from collections.abc import Iterator

from kb.model.time import civil
from kb.queries.derived_state import DerivedState
from kb.render.counts import format_count
from kb.render.terminal import escape_terminal


def derived_state_lines(state: DerivedState) -> Iterator[str]:
    """Say what is there and what the next search would do with it."""
    index = state.index
    yield escape_terminal(f"full-text index: {index.place}")
    if index.built_at is not None:
        held = format_count(index.documents, "document")
        yield f"  {held}, {index.size:,} bytes, written {civil(int(index.built_at))}"
    yield escape_terminal(f"  {_outlook(state)}")


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
