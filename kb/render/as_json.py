"""Answers → JSON: the contract of QUERIES.md. Field order is fixed, so that equal answers are equal bytes.

What a query's results look like says the module of its name beside this one; only that one is imported.
"""

from importlib import import_module

from kb.queries.answers import Answer, OtherMatch, Resolved
from kb.render.statements import Json, entity_as_json


def render_json(answer: Answer[object]) -> str:
    """Render an answer as one indented JSON object."""
    from json import dumps

    text = dumps(answer_as_json(answer), ensure_ascii=False, indent=2)
    return text if _is_utf8(text) else _without_surrogates(text)


def answer_as_json(answer: Answer[object]) -> Json:
    """Give an answer's envelope; what does not fit the common fields stands beside them."""
    return {
        "query": answer.query,
        "revision": answer.revision or None,
        "resolved": [_resolved(one) for one in answer.resolved],
        **import_module(f"kb.render.{answer.query}").json_fields(answer),
        "total": answer.total,
        "truncated": answer.truncated,
        "notes": list(answer.notes),
    }


def _resolved(resolved: Resolved) -> Json:
    first = resolved.entities[0]
    extra: Json = {}
    if len(resolved.entities) > 1:
        extra["bearers"] = [entity_as_json(entity) for entity in resolved.entities]
    if resolved.merged_from:
        extra["merged_from"] = resolved.merged_from
    return {
        "argument": resolved.argument,
        **entity_as_json(first),
        "tier": resolved.tier,
        "others": [_other(other) for other in resolved.others],
        "total_others": resolved.total_others,
        **extra,
    }


def _other(other: OtherMatch) -> Json:
    return {**entity_as_json(other.entity), "tier": other.tier, "statements": other.statements}


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _without_surrogates(text: str) -> str:
    """Turn a byte of a path that is no UTF-8 into a text that says which, as in the findings of ``check``."""
    return "".join(
        f"\\\\u{ord(char):04x}" if "\ud800" <= char <= "\udfff" else char for char in text
    )
