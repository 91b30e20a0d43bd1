"""A predicate argument → the predicates and directions that it means for an entity."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kb.errors import UsageError
from kb.graph.graph import Graph, Statement
from kb.model.names import normalize_predicate

OUT, IN = "out", "in"


class PredicateReading(NamedTuple):
    """What the predicate arguments of a query mean: pairs of a canonical predicate and the side of the entity.

    ``None`` as pairs: no predicate was asked for, so every one is meant.
    """

    pairs: frozenset[tuple[str, str]] | None = None
    notes: tuple[str, ...] = ()

    def admits(self, predicate: str, side: str) -> bool:
        """Say whether a statement of the predicate, with the entity at that side, is meant."""
        return self.pairs is None or (predicate, side) in self.pairs


def side_of(statement: Statement, entity: str) -> str:
    """At which side of a statement an entity stands."""
    return OUT if statement.subject == entity else IN


def read_predicates(
    graph: Graph,
    arguments: Iterable[str],
    entities: tuple[str, ...],
    direction: str | None = None,
) -> PredicateReading:
    """Read predicate arguments for some entities (none: for the whole graph).

    ``direction`` is meant for the predicate as named: ``out`` where the entity is its subject. Without one, a word
    that names a direction is read in it; where the entity has it only the other way round, that is read and noted.
    """
    written = tuple(dict.fromkeys(arguments))
    if not all(word.strip() for word in written):
        raise UsageError("a predicate cannot be empty", "leave -p out for all predicates")
    if not written:
        if direction is None:
            return PredicateReading()
        return PredicateReading(frozenset(_pairs_towards(graph, entities, direction)))
    present = _present(graph, entities)
    pairs: set[tuple[str, str]] = set()
    notes: list[str] = []
    for word in written:
        found = _read_word(graph, word, direction, present, notes, bool(entities))
        pairs |= found
        if not found & set(present):
            where = "on this entity" if entities else "in use"
            notes.append(f'nothing under "{word}"; Predicates {where}: {describe(graph, present)}')
    return PredicateReading(frozenset(pairs), tuple(notes))


def _pairs_towards(
    graph: Graph, entities: tuple[str, ...], direction: str
) -> Iterator[tuple[str, str]]:
    for predicate, side in _present(graph, entities):
        if side == direction or graph.vocabulary.is_symmetric(predicate):
            yield predicate, side


def _present(graph: Graph, entities: tuple[str, ...]) -> Counter[tuple[str, str]]:
    """Count what the entities have; for the whole graph every statement is counted from its subject."""
    if not entities:
        return Counter(
            {(predicate, OUT): count for predicate, count in graph.count_predicates().items()}
        )
    return Counter(
        (statement.predicate, side_of(statement, entity))
        for entity in entities
        for statement in graph.about(entity)
    )


def _read_word(
    graph: Graph,
    word: str,
    direction: str | None,
    present: Counter[tuple[str, str]],
    notes: list[str],
    has_entity: bool,
) -> set[tuple[str, str]]:
    normalized = normalize_predicate(word.strip())
    reading = graph.vocabulary.read_predicate(normalized)
    in_use = {predicate for predicate, _ in present}
    if not reading.is_known and normalized not in in_use:
        return _read_part(graph, word, normalized, direction, present, notes)
    if reading.name != normalized and not reading.is_inverse:
        notes.append(f'predicate "{word}" read as {reading.name}')
    if not has_entity:
        return {(reading.name, OUT)}
    named = IN if reading.is_inverse else OUT
    other = OUT if named == IN else IN
    if graph.vocabulary.is_symmetric(reading.name):
        return {(reading.name, OUT), (reading.name, IN)}
    if direction is not None:
        return {(reading.name, named if direction == OUT else other)}
    if graph.vocabulary.inverse_of(reading.name) is None:
        return {(reading.name, OUT), (reading.name, IN)}
    if (reading.name, named) not in present and (reading.name, other) in present:
        notes.append(
            f'predicate "{word}" read as {_label(graph, reading.name, other)}: this entity is at its other end'
        )
        return {(reading.name, other)}
    return {(reading.name, named)}


def _read_part(
    graph: Graph,
    word: str,
    normalized: str,
    direction: str | None,
    present: Counter[tuple[str, str]],
    notes: list[str],
) -> set[tuple[str, str]]:
    """Read a word that is no predicate as a part or stem of those that the entity has."""
    labels = {pair: _label(graph, *pair) for pair in present}
    found = {pair for pair, label in labels.items() if normalized in label}
    if not found:
        stem = _stem(normalized)
        found = {
            pair
            for pair, label in labels.items()
            if any(_stem(part) == stem for part in label.split("-"))
        }
    if found:
        notes.append(
            f'predicate "{word}" read as {", ".join(sorted({labels[pair] for pair in found}))}'
        )
    if direction is None:
        return found
    # The direction is meant for the words that were found: an inverse's subject is the canonical object.
    return {pair for pair in found if direction in _directions(graph, pair, labels[pair])}


def _directions(graph: Graph, pair: tuple[str, str], label: str) -> tuple[str, ...]:
    """In which directions an entity at a side has a predicate under its label."""
    predicate, side = pair
    if graph.vocabulary.is_symmetric(predicate):
        return (OUT, IN)
    return (OUT,) if label != predicate else (side,)


def _stem(word: str) -> str:
    return re.sub(r"(?:ations?|ation|ings?|ers?|ors?|ed|es|s|e)$", "", word)


def _label(graph: Graph, predicate: str, side: str) -> str:
    if side == OUT:
        return predicate
    return graph.vocabulary.inverse_of(predicate) or predicate


def describe(graph: Graph, present: Counter[tuple[str, str]]) -> str:
    """List predicates with their counts: ``comprised → (4), ← resignation (3)``."""
    counts: Counter[str] = Counter()
    for (predicate, side), count in present.items():
        inverse = graph.vocabulary.inverse_of(predicate)
        counts[
            f"← {predicate}"
            if side == IN and inverse is None
            else f"{_label(graph, predicate, side)} →"
        ] += count
    listed = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{label} ({count})" for label, count in listed) or "none"
