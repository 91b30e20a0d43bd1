"""The state of what is derived → text and JSON."""

from collections.abc import Iterator
from datetime import UTC, datetime

from kb.derived.look import GraphState
from kb.queries.answers import Answer
from kb.queries.derived_state import DerivedState
from kb.render.counts import format_count
from kb.render.statements import Json

_MEMORY = "every command reads all files into memory"


def text_lines(answer: Answer[DerivedState]) -> Iterator[str]:
    """Say what is there and what the next command would do with it."""
    state = answer.results
    graph, index = state.graph, state.full_text
    yield f"graph: {graph.place}"
    if graph.built_at is not None:
        built = f"{graph.size:,} bytes, built {_age(state.now - graph.built_at)} ago"
        yield f"  {built}, {format_count(graph.changes, 'file')} changed since"
        if graph.commit:
            yield f"  git commit read: {graph.commit[:12]}"
    yield f"  {_graph_outlook(graph)}"
    yield f"full text: {index.place}"
    if index.built_at is not None:
        held = format_count(index.documents, "document")
        yield f"  {held}, {index.size:,} bytes, written {_age(state.now - index.built_at)} ago"
    yield f"  {_index_outlook(state)}"


def _age(seconds: float) -> str:
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            return format_count(int(seconds // length), unit)
    return format_count(max(int(seconds), 0), "second")


def _graph_outlook(graph: GraphState) -> str:
    if graph.why_distrusted:
        return f"not used: {graph.why_distrusted}; {_MEMORY}"
    if graph.why_unusable:
        return f"the next command builds it from all files: {graph.why_unusable}"
    if graph.needs_full_build:
        return "the next command builds it from all files: too much changed to be built on it"
    if graph.stale:
        return f"the next command reads {format_count(graph.stale, 'changed file')}"
    return "fresh"


def _index_outlook(state: DerivedState) -> str:
    index = state.full_text
    if index.why_distrusted:
        return f"not used: {index.why_distrusted}; searches index in memory"
    if index.why_unusable:
        count = format_count(state.documents, "document")
        return f"the next search writes {count}: {index.why_unusable}"
    if index.stale:
        return f"the next search reads or writes {format_count(index.stale, 'changed document')}"
    return "fresh"


def json_fields(answer: Answer[DerivedState]) -> Json:
    """Give the state of each."""
    state = answer.results
    graph, index = state.graph, state.full_text
    return {
        "graph": {
            "place": graph.place,
            "exists": graph.is_there,
            "fresh": not (
                graph.stale or graph.needs_full_build or graph.why_unusable or graph.why_distrusted
            ),
            "bytes": graph.size,
            "built": _moment(graph.built_at),
            "changes": graph.changes,
            "stale": graph.stale,
            "full_build": graph.needs_full_build or bool(graph.why_unusable),
            "commit": graph.commit or None,
            "unusable": graph.why_unusable or None,
            "distrusted": graph.why_distrusted or None,
        },
        "full_text": {
            "place": index.place,
            "exists": index.is_there,
            "fresh": not (index.stale or index.why_unusable or index.why_distrusted),
            "bytes": index.size,
            "written": _moment(index.built_at),
            "documents": index.documents,
            "stale": index.stale,
            "unusable": index.why_unusable or None,
            "distrusted": index.why_distrusted or None,
        },
        "documents": state.documents,
    }


def _moment(seconds: float | None) -> str | None:
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
