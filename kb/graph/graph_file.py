"""Rows → the sections of a graph file, in the form that ``kb.graph.file_form`` describes."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from kb.graph.file_form import (
    BOUNDS,
    BROKEN,
    CLASSES,
    NO_CONFIDENCE,
    NONE,
    OPEN,
    PROVISIONAL,
    RETRACTED,
    SEALED,
    SINGLE,
)
from kb.graph.files import FileCard
from kb.graph.graph import Statement
from kb.graph.rows import Rows
from kb.graph.words import pack_vocabulary
from kb.model.names import fold
from kb.model.time import Date, Interval

_CLASS_FLAGS = {klass: number << 3 for number, klass in enumerate(CLASSES)}


def pack_graph(
    rows: Rows,
    files: Sequence[FileCard],
    ordinals: Sequence[int] | None = None,
    masks: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Lay out a graph's rows and what is known of its files, which are in order of their paths.

    ``ordinals`` are those of the statements where they are not simply their rows'. ``masks`` (``paths``, ``entities``,
    ``observations``) name what of an older graph file these rows take the place of.
    """
    return _Packer(rows, files).pack(ordinals, masks or {})


class _Numbers(dict[Any, int]):
    """Gives each new key the next number, and ``None`` the one that stands for none."""

    def __init__(self) -> None:
        super().__init__({None: NONE})

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self) - 1
        return number

    def keys_in_order(self) -> Iterator[Any]:
        """Yield the keys by their numbers."""
        keys = iter(self)
        next(keys)
        return keys


class _Table:
    """A sorted table of texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = sorted(set(texts))
        self.numbers = {text: number for number, text in enumerate(self.texts)}

    def pack(self, name: str) -> dict[str, Any]:
        at, heap = _pack_texts(f"{text}\n" for text in self.texts)
        return {f"{name}.at": at, f"{name}.text": heap}


class _Packer:
    def __init__(self, rows: Rows, files: Sequence[FileCard]) -> None:
        self.rows, self.files = rows, files
        self.heap = _Numbers()
        self.intervals = _Numbers()
        self.spans = _Numbers()
        statements = rows.statements
        self.ids = _Table(
            (
                *(entity.id for entity in rows.entities),
                *(id for entity in rows.entities for id in (*entity.merged, *entity.links)),
                *(file.id for file in files if file.is_entity),
                *rows.survivors,
                *rows.survivors.values(),
                *rows.ambiguous,
                *(id for pair in rows.distinct for id in pair),
                *(statement.file_id for statement in statements),
                *(statement.subject for statement in statements),
                *(one.object for one in statements if one.object is not None),
                *(survivor for _, survivor in (*rows.hidden, *rows.unresolved)),
            )
        )
        self.seen = _Table(
            (
                *(one.id for one in rows.observations),
                *(file.id for file in files if file.is_observation),
                *(id for statement in statements for id in statement.observations),
            )
        )
        self.paths = _Table(
            (
                *(file.path for file in files),
                *(entity.path for entity in rows.entities),
                *(one.path for one in rows.observations),
                *(path for paths in rows.ambiguous.values() for path in paths),
                *(statement.path for statement in statements),
                *(path for path, _ in (*rows.hidden, *rows.unresolved)),
                *rows.broken,
            )
        )
        self.predicates = _Table(statement.predicate for statement in statements)

    def text(self, text: str | None) -> int:
        """Give a text's number in the heap."""
        return self.heap[text]

    def id(self, id: str | None) -> int:
        return NONE if id is None else self.ids.numbers[id]

    def pack(
        self, ordinals: Sequence[int] | None, masks: Mapping[str, Sequence[str]]
    ) -> dict[str, Any]:
        sections = {
            **self.pack_entities(),
            **self.pack_observations(),
            **self.pack_statements(),
            **self.pack_identities(),
            **self.pack_files(),
            **_packed_list("vocabulary", map(self.text, pack_vocabulary(self.rows.vocabulary))),
            "statement.order": array("q", ordinals or ()),
            **{
                f"mask.{what}": _numbers(map(self.text, texts))
                for what, texts in sorted(masks.items())
            },
            **self.ids.pack("id"),
            **self.seen.pack("seen"),
            **self.paths.pack("path"),
            **self.predicates.pack("predicate"),
        }
        at, heap = _pack_texts(self.heap.keys_in_order())
        return {**sections, "heap.at": at, "heap.text": heap}

    # -- entities ------------------------------------------------------------------------------------------------

    def pack_entities(self) -> dict[str, Any]:
        entities, paths = self.rows.entities, self.paths.numbers
        rows, lists = array("I"), []
        for entity in entities:
            rows.extend(
                (
                    self.id(entity.id),
                    self.text(entity.type),
                    self.text(entity.name),
                    paths[entity.path],
                    self.text(entity.summary),
                    BROKEN if entity.is_broken else 0,
                )
            )
            lists += [
                [self.text(alias) for alias in entity.aliases],
                [self.text(key) for key in entity.keys],
                [self.text(key) for key in entity.normalized_keys],
                [self.id(id) for id in entity.merged],
                [self.id(id) for id in entity.links],
            ]
        names = [
            (folded, self.id(entity.id))
            for entity in entities
            for name in entity.names
            if (folded := fold(name))
        ]
        keys = [(key, self.id(entity.id)) for entity in entities for key in entity.normalized_keys]
        at, heap = _pack_texts(self.rows.texts[entity.id] for entity in entities)
        return {
            "entity": rows,
            **_packed_lists("entity.lists", lists),
            "entity.digest": b"".join(self.rows.digests[f"e:{entity.id}"] for entity in entities),
            "entity.text.at": at,
            "entity.text": heap,
            **_packed_pairs("name", "bearers", names),
            **_packed_pairs("key", "bearers", keys),
        }

    def pack_identities(self) -> dict[str, Any]:
        rows, paths = self.rows, self.paths.numbers
        ambiguous = sorted(rows.ambiguous)
        return {
            "survivor": _numbers(
                number for pair in sorted(rows.survivors.items()) for number in map(self.id, pair)
            ),
            "ambiguous": _numbers(map(self.id, ambiguous)),
            **_packed_lists(
                "ambiguous.paths",
                [[paths[path] for path in rows.ambiguous[id]] for id in ambiguous],
            ),
            "distinct": _numbers(
                number for pair in sorted(rows.distinct) for number in map(self.id, pair)
            ),
            "hidden": _numbers(
                number for path, id in rows.hidden for number in (paths[path], self.id(id))
            ),
            "unresolved": _numbers(
                number for path, id in rows.unresolved for number in (paths[path], self.id(id))
            ),
            "broken": _numbers(paths[path] for path in rows.broken),
        }

    # -- observations --------------------------------------------------------------------------------------------

    def pack_observations(self) -> dict[str, Any]:
        seen, observations = self.seen.numbers, self.rows.observations
        rows, lists, times = array("I"), [], array("q")
        for one in observations:
            date = one.happened_at
            rows.extend(
                (
                    seen[one.id],
                    self.paths.numbers[one.path],
                    self.text(one.kind),
                    self.text(one.title),
                    self.text(date.text if date else None),
                    self.text(one.said_by),
                    self.text(one.source),
                    self.text(one.decision),
                    self.text(one.digest),
                    (SEALED if one.is_sealed else 0) | (BROKEN if one.is_broken else 0),
                )
            )
            times.extend((date.first, date.after) if date else (0, 0))
            lists += [
                [self.text(text) for text in texts]
                for texts in (one.participants, one.derived_from, one.about)
            ]
        tokens = [(token, seen[id]) for id, found in self.rows.involved.items() for token in found]
        at, heap = _pack_texts(f"{one.title}\n{self.rows.bodies[one.id]}" for one in observations)
        return {
            "observation": rows,
            "observation.time": times,
            **_packed_lists("observation.lists", lists),
            "observation.digest": b"".join(
                self.rows.digests[f"o:{one.id}"] for one in observations
            ),
            "body.at": at,
            "body.text": heap,
            **_packed_pairs("token", "involved", tokens),
        }

    # -- statements ----------------------------------------------------------------------------------------------

    def pack_statements(self) -> dict[str, Any]:
        about: list[list[int]] = [[] for _ in self.ids.texts]
        near: list[set[int]] = [set() for _ in self.ids.texts]
        retired: list[list[int]] = [[] for _ in self.ids.texts]
        citing: list[list[int]] = [[] for _ in self.seen.texts]
        counts = array("I", bytes(4 * len(self.predicates.texts)))
        rows, cited, items = array("I"), [], []
        for number, one in enumerate(self.rows.statements):
            subject, object = self.id(one.subject), self.id(one.object)
            predicate = self.predicates.numbers[one.predicate]
            counts[predicate] += 1
            about[subject].append(number)
            if object != NONE and object != subject:
                about[object].append(number)
                if one.is_retired:
                    retired[subject].append(number)
                    retired[object].append(number)
                else:
                    near[subject].add(object)
                    near[object].add(subject)
            observations = [self.seen.numbers[id] for id in one.observations]
            for observation in observations:
                citing[observation].append(number)
            cited.append(observations)
            items.append(
                [self.text(text) for item in one.sub_items for text in (item.name, item.text)]
            )
            rows.extend(self._statement(one, subject, predicate, object))
        intervals = array("q")
        for interval in self.intervals.keys_in_order():
            intervals.extend(self._interval(interval))
        spans = array("q")
        for span in self.spans.keys_in_order():
            spans.extend(OPEN if side is None else side for side in span)
        return {
            "statement": rows,
            **_packed_lists("statement.cited", cited),
            **_packed_lists("statement.items", items),
            **_packed_lists("id.about", about),
            **_packed_lists("id.near", [sorted(ids) for ids in near]),
            **_packed_lists("id.retired", retired),
            "id.retiring": _numbers(id for id, numbers in enumerate(retired) if numbers),
            "id.crowded": _numbers(sorted(range(len(near)), key=lambda id: (-len(near[id]), id))),
            **_packed_lists("seen.citing", citing),
            "predicate.count": counts,
            "interval": intervals,
            "span": spans,
        }

    def _statement(
        self, one: Statement, subject: int, predicate: int, object: int
    ) -> tuple[int, ...]:
        heap = self.heap
        confidence = one.confidence
        return (
            self.paths.numbers[one.path],
            self.ids.numbers[one.file_id],
            heap[one.id],
            subject,
            predicate,
            object,
            heap[one.value],
            self.intervals[one.interval],
            heap[one.by],
            heap[one.auto],
            heap[one.superseded_by],
            heap[one.note],
            heap[one.said_by],
            one.line,
            _CLASS_FLAGS[one.klass]
            | (PROVISIONAL if one.is_provisional else 0)
            | (RETRACTED if one.retracted else 0)
            | (SINGLE if one.is_single else 0)
            | (NO_CONFIDENCE if confidence is None else confidence) << 8,
            one.witnesses,
            self.spans[one.witnessed],
            len(one.observations),
            len(one.sub_items),
        )

    def _interval(self, interval: Interval) -> tuple[int, ...]:
        sides = []
        for side in (interval.start, interval.end):
            if isinstance(side, Date):
                sides += [self.text(side.text), side.first, side.after]
            else:
                sides += [-1 - BOUNDS.index(side), 0, 0]
        return (self.text(interval.text), *sides, int(interval.is_event))

    # -- files ---------------------------------------------------------------------------------------------------

    def pack_files(self) -> dict[str, Any]:
        numbers = [self.paths.numbers[file.path] for file in self.files]
        return {
            "file": _numbers(numbers),
            "file.kind": bytes(file.kind for file in self.files),
            "file.digest": b"".join(file.digest for file in self.files),
            "file.blob": b"".join(file.blob for file in self.files),
            "file.sign": b"".join(file.signature for file in self.files),
            **_packed_lists(
                "file.names",
                [[self.text(text) for text in (file.id, *file.names)] for file in self.files],
            ),
            "judging": _numbers(
                number for number, file in zip(numbers, self.files, strict=True) if file.judges
            ),
            "judged": _numbers(
                sorted({self.text(id) for file in self.files for id in file.judges})
            ),
            **_packed_pairs(
                "word",
                "consulted",
                [
                    (token, number)
                    for number, file in zip(numbers, self.files, strict=True)
                    for token in file.consults
                ],
            ),
            **_packed_pairs(
                "own",
                "provided",
                [
                    (token, number)
                    for number, file in zip(numbers, self.files, strict=True)
                    for token in file.provides
                ],
            ),
        }


def _numbers(numbers: Iterable[int]) -> "array[int]":
    return array("I", numbers)


def _pack_texts(texts: Iterable[str]) -> tuple["array[int]", bytearray]:
    at, heap = array("q", (0,)), bytearray()
    for text in texts:
        heap += text.encode("utf-8", "surrogatepass")
        at.append(len(heap))
    return at, heap


def _packed_list(name: str, numbers: Iterable[int]) -> dict[str, Any]:
    return {name: array("I", numbers)}


def _packed_lists(name: str, lists: Iterable[Sequence[int]]) -> dict[str, Any]:
    at, flat = array("I", (0,)), array("I")
    for numbers in lists:
        flat.extend(numbers)
        at.append(len(flat))
    return {f"{name}.at": at, name: flat}


def _packed_pairs(table: str, what: str, pairs: Iterable[tuple[str, int]]) -> dict[str, Any]:
    """Make a table of the first of each pair, with the second ones of each, sorted, each once."""
    gathered: dict[str, set[int]] = {}
    for text, number in pairs:
        gathered.setdefault(text, set()).add(number)
    made = _Table(gathered)
    lists = _packed_lists(f"{table}.{what}", (sorted(gathered[text]) for text in made.texts))
    return {**made.pack(table), **lists}
