"""The pairs of ``candidates`` → text and JSON."""

from collections.abc import Iterator

from kb.queries.answers import Answer
from kb.queries.candidates import CandidatePair
from kb.render.statements import Json, entity_as_json, type_shown


def text_lines(answer: Answer[tuple[CandidatePair, ...]]) -> Iterator[str]:
    """Give two lines a pair: who, and why."""
    for pair in answer.results:
        named = (
            f"{entity.name} ({type_shown(entity)}, {entity.id})"
            for entity in (pair.first, pair.second)
        )
        yield " ~ ".join(named)
        yield f"  {'; '.join(reason.text for reason in pair.reasons)}"


def json_fields(answer: Answer[tuple[CandidatePair, ...]]) -> Json:
    """Give the pairs, the likeliest first."""
    return {"results": [_pair_as_json(pair) for pair in answer.results]}


def _pair_as_json(pair: CandidatePair) -> Json:
    return {
        "first": entity_as_json(pair.first),
        "second": entity_as_json(pair.second),
        "reasons": [{"kind": reason.kind, "text": reason.text} for reason in pair.reasons],
    }
