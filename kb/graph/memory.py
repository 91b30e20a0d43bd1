"""A graph in memory, made of rows: what edits and checks use, and the oracle for the graph file."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from kb.graph.adjacency import MemoryAdjacency
from kb.graph.graph import Graph, Statement
from kb.graph.rows import Rows
from kb.model.names import fold


class MemoryGraph(Graph):
    """Rows with their tables."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self.vocabulary = rows.vocabulary
        self.entities = {entity.id: entity for entity in rows.entities}
        self.observations = {one.id: one for one in rows.observations}
        self.survivors, self.ambiguous = rows.survivors, rows.ambiguous
        self.hidden = Counter(survivor for _, survivor in rows.hidden)
        self.unresolved = Counter(survivor for _, survivor in rows.unresolved)
        self.broken = rows.broken
        self.types = frozenset(entity.type for entity in rows.entities if entity.type)
        self.kinds = frozenset(one.kind for one in rows.observations if one.kind)
        self._index_entities()
        self._index_statements()
        self._involving = _invert(
            (token, id) for id, tokens in rows.involved.items() for token in tokens
        )

    def _index_entities(self) -> None:
        entities = self._rows.entities
        self._by_name = _invert(
            (fold(name), entity.id) for entity in entities for name in entity.names
        )
        self._by_name.pop("", None)
        self._by_key = _invert(
            (key, entity.id) for entity in entities for key in entity.normalized_keys
        )
        self.key_kinds = frozenset(key.partition(":")[0] for key in self._by_key)

    def _index_statements(self) -> None:
        by_entity: dict[str, list[Statement]] = {}
        adjacent: list[tuple[str, str]] = []
        citing: dict[str, list[Statement]] = {}
        for statement in self._rows.statements:
            by_entity.setdefault(statement.subject, []).append(statement)
            if statement.object is not None and statement.object != statement.subject:
                by_entity.setdefault(statement.object, []).append(statement)
                if not statement.is_retired:
                    adjacent.append((statement.subject, statement.object))
                    adjacent.append((statement.object, statement.subject))
            for observation in statement.observations:
                citing.setdefault(observation, []).append(statement)
        self._by_entity = {id: tuple(about) for id, about in by_entity.items()}
        self._adjacent = _invert(adjacent)
        self._citing = {id: tuple(statements) for id, statements in citing.items()}

    @cached_property
    def adjacency(self) -> MemoryAdjacency:  # type: ignore[override]
        return MemoryAdjacency(self.entities, self._adjacent, self._by_entity)

    def iter_statements(self) -> Iterator[Statement]:
        yield from self._rows.statements

    def of_id(self, statement_id: str) -> tuple[Statement, ...]:
        return tuple(one for one in self._rows.statements if one.id == statement_id)

    def superseded(self) -> tuple[Statement, ...]:
        return tuple(one for one in self._rows.statements if one.superseded_by is not None)

    def about(self, id: str) -> tuple[Statement, ...]:
        return self._by_entity.get(id, ())

    def single_valued_of(self, id: str) -> tuple[Statement, ...]:
        return tuple(one for one in self.about(id) if one.is_single and one.subject == id)

    def count_about(self, id: str) -> int:
        return len(self.about(id))

    def citing(self, observation: str) -> tuple[Statement, ...]:
        return self._citing.get(observation, ())

    def count_predicates(self) -> Mapping[str, int]:
        return Counter(statement.predicate for statement in self._rows.statements)

    def bearers_of_folded(self, name: str) -> tuple[str, ...]:
        return self._by_name.get(name, ())

    def bearers_of_key(self, normalized: str) -> tuple[str, ...]:
        return self._by_key.get(normalized, ())

    def iter_names(self, part: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
        for name in sorted(self._by_name):
            if part in name:
                yield name, self._by_name[name]

    def neighbors(self, id: str) -> tuple[str, ...]:
        return self._adjacent.get(id, ())

    def are_distinct(self, first: str, second: str) -> bool:
        return (first, second) in self._rows.distinct

    def involving(self, token: str) -> tuple[str, ...]:
        return self._involving.get(token, ())

    def iter_texts(self, part: str) -> Iterator[tuple[str, str, str]]:
        for observation in self._rows.observations:
            body = self._rows.bodies[observation.id]
            if part in observation.title or part in body:
                yield observation.id, observation.title, body

    def body_of(self, observation: str) -> str:
        return self._rows.bodies[observation]

    def text_of(self, id: str) -> str:
        return self._rows.texts[id]

    def iter_digests(self) -> Iterator[tuple[str, bytes]]:
        yield from self._rows.digests.items()

    def digest_of(self, key: str) -> bytes | None:
        return self._rows.digests.get(key)


def _invert(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Gather the second of each pair by the first: each once, sorted."""
    gathered: dict[str, set[str]] = {}
    for key, value in pairs:
        gathered.setdefault(key, set()).add(value)
    return {key: tuple(sorted(values)) for key, values in gathered.items()}
