"""The connections that ``paths`` found → text and JSON."""

from collections.abc import Iterator

from kb.queries.answers import Answer, EntityRef
from kb.queries.paths import Path, Paths, Step
from kb.render.counts import format_count
from kb.render.statements import Json, entity_as_json, statement_as_json, statement_tail


def text_lines(answer: Answer[Paths]) -> Iterator[str]:
    """Give a numbered line for each path."""
    paths = answer.results
    first, last = (resolved.entities[0].name for resolved in answer.resolved)
    reach = f"up to {format_count(paths.max_hops, 'hop')}"
    if not paths.paths:
        yield f"no path between {first} and {last} ({reach})"
    else:
        order = ", shortest first" if len(paths.paths) > 1 else ""
        more = "; there are more (--limit 0 for all)" if paths.more else ""
        yield f"{format_count(len(paths.paths), 'path')} between {first} and {last} ({reach}{order}{more})"
    for number, path in enumerate(paths.paths, 1):
        yield f"{number}. {_walk(path)}"
    if paths.hubs:
        names = ", ".join(f"{hub.name} ({hub.id})" for hub in paths.hubs)
        yield f"(not walked through, since they are hubs: {names}; see --hub-degree)"


def _walk(path: Path) -> str:
    return "; ".join(
        _step_line(step, path.nodes[index], path.nodes[index + 1])
        for index, step in enumerate(path.steps)
    )


def _step_line(step: Step, here: EntityRef, there: EntityRef) -> str:
    predicate = step.statement.statement.predicate
    arrow = f"—{predicate}→" if step.walked == "out" else f"←{predicate}—"
    return f"{here.name} {arrow} {there.name} {statement_tail(step.statement)}"


def json_fields(answer: Answer[Paths]) -> Json:
    """Give each path's nodes and edges."""
    paths = answer.results
    return {
        "results": [_path_as_json(path) for path in paths.paths],
        "max_hops": paths.max_hops,
        "hubs": [entity_as_json(hub) for hub in paths.hubs],
        "more": paths.more,
    }


def _path_as_json(path: Path) -> Json:
    return {
        "hops": path.hops,
        "nodes": [entity_as_json(node) for node in path.nodes],
        "edges": [
            {**statement_as_json(step.statement), "walked": step.walked} for step in path.steps
        ],
    }
