"""Which words of a source the vocabulary lacks, and how ``kb.yaml`` would have them. Guesses no meaning."""

from collections.abc import Iterable

from kb.edits.file_texts import format_scalar
from kb.edits.import_refs import Refs
from kb.edits.import_statements import ReadStatement
from kb.edits.records import MissingWord, Records
from kb.model.names import normalize_predicate
from kb.model.statement import Section
from kb.model.vocabulary import Vocabulary


def missing_words(
    vocabulary: Vocabulary, records: Records, refs: Refs, statements: Iterable[ReadStatement]
) -> tuple[MissingWord, ...]:
    """List the types, key kinds, relations and facts that are used and unknown."""
    return (
        *_types(vocabulary, records),
        *_keys(vocabulary, records),
        *_predicates(vocabulary, refs, statements),
    )


def _types(vocabulary: Vocabulary, records: Records) -> list[MissingWord]:
    """A type whose refs all begin with one known type is a kind of that: ``team/wg-x`` of type working-group."""
    unknown: dict[str, set[str | None]] = {}
    for record in records.entities:
        if record.type and vocabulary.type_name(record.type) is None:
            first = vocabulary.type_name(record.ref.partition("/")[0])
            unknown.setdefault(normalize_predicate(record.type), set()).add(first)
    words = []
    for name, wider in unknown.items():
        only = next(iter(wider)) if len(wider) == 1 else None
        words.append(MissingWord("types", name, f"{{is: {only}}}" if only else "{}"))
    return words


def _keys(vocabulary: Vocabulary, records: Records) -> list[MissingWord]:
    unknown: dict[str, dict[str, None]] = {}
    for record in records.entities:
        for kind, _ in record.keys:
            if kind not in vocabulary.keys:
                unknown.setdefault(kind, {})[_read_type(vocabulary, record.type)] = None
    return [MissingWord("keys", kind, _form(types=types)) for kind, types in unknown.items()]


def _predicates(
    vocabulary: Vocabulary, refs: Refs, statements: Iterable[ReadStatement]
) -> list[MissingWord]:
    ends: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    facts: dict[str, None] = {}
    for one in statements:
        if one.reading.is_known:
            continue
        if one.line.section is Section.FACTS or one.object is None:
            facts[one.reading.name] = None
            continue
        sides = ends.setdefault(one.reading.name, ({}, {}))
        for side, id in zip(sides, (one.subject, one.object), strict=True):
            side[_read_type(vocabulary, refs.types.get(id))] = None
    relations = [
        MissingWord("relations", name, _form(**{"from": sides[0], "to": sides[1]}))
        for name, sides in ends.items()
    ]
    return [*relations, *(MissingWord("facts", name, "{}") for name in facts)]


def _read_type(vocabulary: Vocabulary, written: str | None) -> str:
    """Give a type in the one spelling that ``kb.yaml`` would have; "" where there is none."""
    return vocabulary.read_type(normalize_predicate(written or "")) or ""


def _form(**lists: Iterable[str]) -> str:
    """Write a word's limits; an untyped end leaves its side open."""
    shown = []
    for key, types in lists.items():
        names = sorted(types)
        if names and "" not in names:
            shown.append(f"{key}: [{', '.join(format_scalar(name) for name in names)}]")
    return f"{{{', '.join(shown)}}}"
