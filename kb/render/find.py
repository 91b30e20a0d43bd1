"""The candidates of ``find`` → text and JSON."""

from collections.abc import Iterator

from kb.queries.answers import Answer
from kb.queries.find import Match
from kb.render.counts import format_count
from kb.render.statements import Json, entity_as_json, type_shown


def text_lines(answer: Answer[tuple[Match, ...]]) -> Iterator[str]:
    """Give the best match where one dominates, then a line each."""
    for resolved in answer.resolved:
        yield f"best match: {resolved.entities[0].name} ({resolved.entities[0].id})"
    yield from map(_match_line, answer.results)


def _match_line(match: Match) -> str:
    entity = match.entity
    names = f" · also {', '.join(match.names)}" if match.names else ""
    keys = f" · {', '.join(match.keys)}" if match.keys else ""
    return f"{entity.id}  {entity.name} ({type_shown(entity)}, {format_count(match.statements, 'statement')}) by {match.tier}{names}{keys}"


def json_fields(answer: Answer[tuple[Match, ...]]) -> Json:
    """Give the candidates, best first."""
    return {"results": [_match_as_json(match) for match in answer.results]}


def _match_as_json(match: Match) -> Json:
    return {
        "entity": entity_as_json(match.entity),
        "tier": match.tier,
        "statements": match.statements,
        "aliases": list(match.names),
        "keys": list(match.keys),
        **({} if match.closeness is None else {"closeness": round(match.closeness, 3)}),
    }
