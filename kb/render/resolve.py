"""What ``resolve`` decided → text and JSON."""

from collections.abc import Iterator

from kb.queries.answers import Answer
from kb.queries.mention_resolution import MentionResolution
from kb.render.statements import INDENT, Json, entity_as_json, type_shown


def text_lines(answer: Answer[MentionResolution]) -> Iterator[str]:
    """Give the verdict, then who it may be, and why."""
    found = answer.results
    yield (
        f"{found.verdict}: {found.entity.name} ({found.entity.id})"
        if found.entity
        else found.verdict
    )
    for candidate in found.candidates:
        entity = candidate.entity
        yield f"{INDENT}{entity.name} ({type_shown(entity)}, {entity.id}): {candidate.reason}"
    yield from (f"{INDENT}{reason}" for reason in found.reasons)


def json_fields(answer: Answer[MentionResolution]) -> Json:
    """Give the verdict, who it may be, and why."""
    found = answer.results
    return {
        "results": {
            "verdict": found.verdict,
            "entity": entity_as_json(found.entity) if found.entity else None,
            "by_key": found.by_key or None,
            "candidates": [
                {"entity": entity_as_json(one.entity), "reason": one.reason}
                for one in found.candidates
            ],
            "reasons": list(found.reasons),
            "keys": list(found.usable_keys),
        }
    }
