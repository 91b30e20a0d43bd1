"""The moments of ``timeline`` → text and JSON."""

from collections.abc import Iterator

from kb.queries.answers import Answer
from kb.queries.timeline import Moment, Timeline
from kb.render.counts import format_count
from kb.render.statements import Json, entity_as_json, statement_as_json, statement_tail


def text_lines(answer: Answer[Timeline]) -> Iterator[str]:
    """Give what is shown of what there is, then a line for each moment."""
    timeline = answer.results
    moments = timeline.moments
    header = f"{format_count(timeline.dated, 'dated statement')}"
    if moments:
        header += f", {format_count(len(moments), 'moment')} shown from {moments[0].date.text} to {moments[-1].date.text}"
    if answer.truncated:
        header += f" of {answer.total} (pass --since/--until or --limit 0 for the rest)"
    if timeline.undated:
        header += f"; {format_count(timeline.undated, 'undated one')} omitted (facts has them)"
    yield header
    for moment in moments:
        view = moment.statement
        goal = view.object.name if view.object else view.statement.value
        said = f"{view.subject.name} —{view.statement.predicate}→ {goal}"
        yield f"{moment.date.text}  {moment.event}  {said} {statement_tail(view)}"


def json_fields(answer: Answer[Timeline]) -> Json:
    """Give the moments in order."""
    timeline = answer.results
    return {
        "results": [_moment_as_json(moment) for moment in timeline.moments],
        "dated": timeline.dated,
        "undated": timeline.undated,
    }


def _moment_as_json(moment: Moment) -> Json:
    return {
        "date": moment.date.text,
        "event": moment.event,
        "entity": entity_as_json(moment.entity) if moment.entity else None,
        "value": moment.statement.statement.value,
        "statement": statement_as_json(moment.statement),
    }
