"""The statements of ``facts`` → text and JSON."""

from collections.abc import Iterator

from kb.queries.answers import Answer, StatementView
from kb.queries.facts import Facts
from kb.render.counts import format_count
from kb.render.statements import (
    INDENT,
    Json,
    group_as_json,
    names_shown,
    note_shown,
    statement_as_json,
    statement_tail,
    way_shown,
)


def text_lines(answer: Answer[Facts]) -> Iterator[str]:
    """Give a heading for each predicate and a line for each statement."""
    facts, resolved = answer.results, answer.resolved[0]
    matched = f", {facts.matched} match the filter" if facts.is_filtered else ""
    yield f"{names_shown(resolved)} · {format_count(facts.statements, 'statement')}{matched}"
    ids = tuple(entity.id for entity in resolved.entities)
    for group in facts.groups:
        yield ""
        yield f"## {way_shown(group)} ({group.total})"
        for view in group.statements:
            yield f"- {_far_end(view, ids)} {statement_tail(view)}{note_shown(view)}"
            yield from (f"{INDENT}{sub.name}: {sub.text}" for sub in view.statement.sub_items)


def _far_end(view: StatementView, entity_ids: tuple[str, ...]) -> str:
    statement = view.statement
    if view.object is None:
        return statement.value or ""
    return view.object.name if statement.subject in entity_ids else view.subject.name


def json_fields(answer: Answer[Facts]) -> Json:
    """Give the statements by predicate."""
    groups = [
        group_as_json(group, statements=map(statement_as_json, group.statements))
        for group in answer.results.groups
    ]
    return {"results": groups, "statements": answer.results.statements}
