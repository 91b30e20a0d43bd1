"""The relations of ``relations`` → text and JSON."""

from collections.abc import Iterator

from kb.queries.answers import Answer
from kb.queries.relations import Relations
from kb.render.counts import format_count
from kb.render.statements import Json, names_shown, statement_as_json, triple


def text_lines(answer: Answer[Relations]) -> Iterator[str]:
    """Give their count, then a line each."""
    count = format_count(answer.total or 0, "relation")
    yield f"{names_shown(answer.resolved[0])}: {count}" if answer.resolved else count
    yield from map(triple, answer.results.relations)
    yield from map(triple, answer.results.inverse_relations)


def json_fields(answer: Answer[Relations]) -> Json:
    """Give the relations by the side at which the entity stands."""
    relations = answer.results
    return {
        "results": {
            "relations": [statement_as_json(view) for view in relations.relations],
            "inverse_relations": [statement_as_json(view) for view in relations.inverse_relations],
        }
    }
