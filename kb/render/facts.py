"""The statements of ``facts`` → text and JSON."""

from collections.abc import Iterator

from kb.queries.answers import Answer, StatementView
from kb.queries.facts import Facts, StatementGroup
from kb.render.counts import format_count
from kb.render.statements import (
    INDENT,
    Json,
    names_shown,
    note_shown,
    statement_as_json,
    statement_tail,
)


def text_lines(answer: Answer[Facts]) -> Iterator[str]:
    """Give a heading for each predicate and a line for each statement."""
    facts, resolved = answer.results, answer.resolved[0]
    matched = f", {facts.matched} match the filter" if facts.is_filtered else ""
    yield f"{names_shown(resolved)} · {format_count(facts.statements, 'statement')}{matched}"
    ids = tuple(entity.id for entity in resolved.entities)
    for group in facts.groups:
        yield ""
        yield f"## {_heading(group)}"
        for view in group.statements:
            yield f"- {_far_end(view, ids)} {statement_tail(view)}{note_shown(view)}"
            yield from (f"{INDENT}{sub.name}: {sub.text}" for sub in view.statement.sub_items)


def _heading(group: StatementGroup) -> str:
    way = f"{group.predicate} →" if group.direction == "out" else f"← {group.predicate}"
    return f"{way} ({group.total})"


def _far_end(view: StatementView, entity_ids: tuple[str, ...]) -> str:
    statement = view.statement
    if view.object is None:
        return statement.value or ""
    return view.object.name if statement.subject in entity_ids else view.subject.name


def json_fields(answer: Answer[Facts]) -> Json:
    """Give the statements by predicate."""
    groups = [
        {
            "predicate": group.predicate,
            "direction": group.direction,
            "total": group.total,
            "statements": [statement_as_json(view) for view in group.statements],
        }
        for group in answer.results.groups
    ]
    return {"results": groups, "statements": answer.results.statements}
