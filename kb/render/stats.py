"""The counts of ``stats`` → text and JSON."""

from collections.abc import Iterator

from kb.queries.answers import Answer
from kb.queries.stats import Stats
from kb.render.counts import format_count
from kb.render.statements import INDENT, Json


def text_lines(answer: Answer[Stats]) -> Iterator[str]:
    """Give a line for each kind of thing counted."""
    stats = answer.results
    if stats.name:
        yield stats.name
    yield f"{format_count(stats.entities, 'entity')}: {_listed(stats.types)}"
    statements = format_count(stats.relations + stats.facts, "statement")
    yield f"{statements}: {format_count(stats.relations, 'relation')}, {format_count(stats.facts, 'fact')}"
    yield f"{INDENT}by predicate: {_listed(stats.predicates)}"
    yield f"{INDENT}by standing: {_listed(stats.statuses)}"
    yield f"{format_count(stats.observations, 'observation')}: {_listed(stats.kinds)}"
    yield (
        f"{stats.undated} undated, {stats.uncited} uncited, {stats.contested} contested, "
        f"{stats.unresolved} unresolved, {stats.suggestions} unconfirmed, {stats.merged} merged, {stats.broken} broken"
    )


def _listed(counts: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counts) or "none"


def json_fields(answer: Answer[Stats]) -> Json:
    """Give all counts."""
    stats = answer.results
    return {
        "results": {
            "name": stats.name or None,
            "entities": stats.entities,
            "statements": stats.relations + stats.facts,
            "relations": stats.relations,
            "facts": stats.facts,
            "observations": stats.observations,
            "types": dict(stats.types),
            "predicates": dict(stats.predicates),
            "kinds": dict(stats.kinds),
            "statuses": dict(stats.statuses),
            "merged": stats.merged,
            "undated": stats.undated,
            "uncited": stats.uncited,
            "contested": stats.contested,
            "unresolved": stats.unresolved,
            "suggestions": stats.suggestions,
            "broken": stats.broken,
        }
    }
