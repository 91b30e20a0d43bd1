"""What an ingest brought, or would bring → text and JSON."""

from collections.abc import Iterator
from typing import Any

from kb.ingest.keep_sources import Ingested
from kb.render.counts import format_count
from kb.render.errors import error_fields
from kb.render.terminal import escape_terminal

_MOST_SHOWN = 50


def ingested_lines(done: Ingested) -> Iterator[str]:
    """Give a line for each observation, then what was made, asked and lost."""
    yield from map(escape_terminal, _lines(done))


def _lines(done: Ingested) -> Iterator[str]:
    if done.is_done_before:
        yield f"done before: {done.subject}"
        return
    for kept in done.kept[:_MOST_SHOWN]:
        yield f"{kept.observation}  {kept.title}"
        yield from (f"  {kept.where}: {warning}" for warning in kept.warnings)
    left = len(done.kept) - _MOST_SHOWN
    if left > 0:
        yield f"… {left:,} more (--json lists all)"
    verb = "filed" if done.is_written else "would be filed"
    yield f"{format_count(len(done.kept), 'observation')} {verb}, {done.repeated} there already"
    if done.entities:
        shown = ", ".join(f"{id} ({key})" for id, key in done.entities[:_MOST_SHOWN])
        more = len(done.entities) - _MOST_SHOWN
        yield f"new entities: {shown}{f', … {more:,} more' if more > 0 else ''}"
    yield from _cut([f"question: {question}" for question in done.questions])
    problems = sorted(done.problems, key=lambda one: not one.is_lost)
    yield from _cut([f"{one.where}: {one.message}" for one in problems])
    if done.is_interrupted:
        yield "interrupted: what was filed stays; ingest again to add the rest, or kb undo"
    if done.commit:
        yield f"commit {done.commit[:12]}"


def _cut(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST_SHOWN]
    if len(lines) > _MOST_SHOWN:
        yield f"… {len(lines) - _MOST_SHOWN:,} more (--json lists all)"


def ingested_as_json(done: Ingested) -> str:
    """Give all of it as JSON."""
    from json import dumps

    outcome: dict[str, Any] = {
        "edit": "ingest",
        "subject": done.subject,
        "written": done.is_written,
        "done_before": done.is_done_before,
        "interrupted": done.is_interrupted,
        "commit": done.commit or None,
        "observations": [
            {
                "id": kept.observation,
                "title": kept.title,
                "path": kept.path,
                "where": kept.where,
                "participants": list(kept.participants),
                "warnings": list(kept.warnings),
            }
            for kept in done.kept
        ],
        "entities": [{"id": id, "key": key} for id, key in done.entities],
        "attached": done.attached,
        "questions": list(done.questions),
        "repeated": done.repeated,
        "problems": [
            {"where": one.where, "message": one.message, "lost": one.is_lost}
            for one in done.problems
        ],
        "changes": [{"path": path, "change": "made"} for path in done.made],
        "warnings": list(done.warnings),
    }
    if done.uncommitted is not None:
        error = done.uncommitted
        outcome["error"] = error_fields(error.code, error.message, error.hint)
    return dumps(outcome, ensure_ascii=False, indent=2)
