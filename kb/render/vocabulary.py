"""The words of ``vocabulary`` → text and JSON."""

from collections.abc import Iterator

from kb.model.vocabulary import RelationWord, StatementClass, Vocabulary
from kb.queries.answers import Answer
from kb.render.statements import INDENT, Json


def text_lines(answer: Answer[Vocabulary]) -> Iterator[str]:
    """Give a line for each word."""
    words = answer.results
    yield "Types:"
    for type in words.types.values():
        wider = f" (is a {type.is_a})" if type.is_a else ""
        yield f"{INDENT}{', '.join((type.name, *type.aliases))}{wider}"
    yield "Keys:"
    for key in words.keys.values():
        bearers = f" of {', '.join(key.types)}" if key.types else ""
        yield f"{INDENT}{key.name}:{bearers}{f', like {key.pattern}' if key.pattern else ''}"
    yield "Relations:"
    yield from (f"{INDENT}{_relation_line(relation)}" for relation in words.relations.values())
    yield "Facts:"
    for fact in words.facts.values():
        single = ", one at a time" if fact.single else ""
        yield f"{INDENT}{', '.join((fact.name, *fact.aliases))}: {fact.value}{single}"


def _relation_line(word: RelationWord) -> str:
    inverse = " (symmetric)" if word.symmetric else f" / {word.inverse}" if word.inverse else ""
    ends = f": {', '.join(word.from_types) or 'any'} → {', '.join(word.to_types) or 'any'}"
    marks = [word.klass.value] if word.klass is not StatementClass.PLAIN else []
    marks += ["one at a time"] if word.single else []
    marks += ["a hierarchy"] if word.acyclic else []
    marks += ["needs a note"] if word.needs_note else []
    marks += [f"replaced by {word.replaced_by}"] if word.replaced_by else []
    return f"{', '.join((word.name, *word.aliases))}{inverse}{ends}{''.join(f', {mark}' for mark in marks)}"


def json_fields(answer: Answer[Vocabulary]) -> Json:
    """Give the words by name, each with all that ``kb.yaml`` may say of it."""
    words = answer.results
    return {
        "results": {
            "types": {
                word.name: {"is": word.is_a, "aliases": list(word.aliases)}
                for word in words.types.values()
            },
            "keys": {
                word.name: {
                    "types": list(word.types),
                    "pattern": word.pattern,
                    "normalize": word.normalize.value,
                }
                for word in words.keys.values()
            },
            "relations": {word.name: _relation_as_json(word) for word in words.relations.values()},
            "facts": {
                word.name: {
                    "value": word.value,
                    "single": word.single,
                    "aliases": list(word.aliases),
                    "replaced_by": word.replaced_by,
                }
                for word in words.facts.values()
            },
        }
    }


def _relation_as_json(word: RelationWord) -> Json:
    return {
        "inverse": word.name if word.symmetric else word.inverse,
        "symmetric": word.symmetric,
        "single": word.single,
        "from": list(word.from_types),
        "to": list(word.to_types),
        "acyclic": word.acyclic,
        "class": word.klass.value,
        "note": "required" if word.needs_note else None,
        "expand": word.expand,
        "expand_inverse": word.expand_inverse,
        "aliases": list(word.aliases),
        "replaced_by": word.replaced_by,
        "hints": list(word.hints),
    }
