"""What an ingest brought, or would bring → text and JSON."""

from collections.abc import Iterator

from kb.ingest.keep_sources import Ingested
from kb.render.counts import format_count
from kb.render.terminal import escape_terminal

_MOST_SHOWN = 50


def ingested_lines(done: Ingested) -> Iterator[str]:
    """Give a line for each observation, then what was made, asked and lost."""
    yield from map(escape_terminal, _lines(done))


def _lines(done: Ingested) -> Iterator[str]:
    for kept in done.kept[:_MOST_SHOWN]:
        yield f"{kept.observation}  {kept.title}"
        yield from (f"  {kept.where}: {warning}" for warning in kept.warnings)
    left = len(done.kept) - _MOST_SHOWN
    if left > 0:
        yield f"… {left} more (--json lists all)"
    verb = "filed" if done.is_written else "would be filed"
    yield f"{format_count(len(done.kept), 'observation')} {verb}, {done.repeated} there already"
    if done.entities:
        shown = ", ".join(f"{id} ({key})" for id, key in done.entities[:_MOST_SHOWN])
        more = len(done.entities) - _MOST_SHOWN
        yield f"new entities: {shown}{f', … {more} more' if more > 0 else ''}"
    yield from (f"question: {question}" for question in done.questions)
    yield from (f"{problem.where}: {problem.message}" for problem in done.problems)


def ingested_as_json(done: Ingested) -> str:
    """Give all of it as JSON."""
    from json import dumps

    outcome = {
        "written": done.is_written,
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
    }
    return dumps(outcome, ensure_ascii=False, indent=2)
