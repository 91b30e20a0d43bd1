"""Rows → the sections of a graph file, in the form that ``kb.graph.file_form`` describes."""

from array import array
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import attrgetter
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
from kb.graph.packing import Numbering, PackedTable, pack_numbers, pack_pairs, pack_texts
from kb.graph.row_lists import pack_lists, pack_row_lists
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
    sections = pack_part(rows, files, ordinals, masks)
    return {**sections, **pack_row_lists(sections)}


def pack_part(
    rows: Rows,
    files: Sequence[FileCard],
    ordinals: Sequence[int] | None = None,
    masks: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, Any]:
    """Lay out the same without what follows from the rows of statements (``kb.graph.row_lists``)."""
    return _Packer(rows, files).pack(ordinals, masks or {})


class _Packer:
    def __init__(self, rows: Rows, files: Sequence[FileCard]) -> None:
        self.rows, self.files = rows, files
        self.heap = Numbering()
        self.intervals = Numbering()
        self.spans = Numbering()
        statements = rows.statements
        ids = {
            *(entity.id for entity in rows.entities),
            *(id for entity in rows.entities for id in (*entity.merged, *entity.links)),
            *(file.id for file in files if file.is_entity),
            *rows.survivors,
            *rows.survivors.values(),
            *rows.ambiguous,
            *(id for pair in rows.distinct for id in pair),
            *(survivor for _, survivor in (*rows.hidden, *rows.unresolved)),
        }
        ids.update(map(attrgetter("file_id"), statements))
        ids.update(map(attrgetter("subject"), statements))
        ids.update(filter(None, map(attrgetter("object"), statements)))
        self.ids = PackedTable(ids)
        self.seen = PackedTable(
            (
                *(one.id for one in rows.observations),
                *(file.id for file in files if file.is_observation),
                *chain.from_iterable(set(map(attrgetter("observations"), statements))),
            )
        )
        self.paths = PackedTable(
            (
                *(file.path for file in files),
                *(entity.path for entity in rows.entities),
                *(one.path for one in rows.observations),
                *(path for paths in rows.ambiguous.values() for path in paths),
                *map(attrgetter("path"), statements),
                *(path for path, _ in (*rows.hidden, *rows.unresolved)),
                *rows.broken,
            )
        )
        self.predicates = PackedTable(map(attrgetter("predicate"), statements))

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
            "vocabulary": pack_numbers(map(self.text, pack_vocabulary(self.rows.vocabulary))),
            "statement.order": array("q", ordinals or ()),
            **{
                f"mask.{what}": pack_numbers(map(self.text, texts))
                for what, texts in sorted(masks.items())
            },
            **self.ids.pack("id"),
            **self.seen.pack("seen"),
            **self.paths.pack("path"),
            **self.predicates.pack("predicate"),
        }
        at, heap = pack_texts(self.heap.keys_in_order())
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
        at, heap = pack_texts(self.rows.texts[entity.id] for entity in entities)
        return {
            "entity": rows,
            **pack_lists("entity.lists", lists),
            "entity.digest": b"".join(self.rows.digests[f"e:{entity.id}"] for entity in entities),
            "entity.text.at": at,
            "entity.text": heap,
            **pack_pairs("name", "bearers", names),
            **pack_pairs("key", "bearers", keys),
        }

    def pack_identities(self) -> dict[str, Any]:
        rows, paths = self.rows, self.paths.numbers
        ambiguous = sorted(rows.ambiguous)
        return {
            "survivor": pack_numbers(
                number for pair in sorted(rows.survivors.items()) for number in map(self.id, pair)
            ),
            "ambiguous": pack_numbers(map(self.id, ambiguous)),
            **pack_lists(
                "ambiguous.paths",
                [[paths[path] for path in rows.ambiguous[id]] for id in ambiguous],
            ),
            "distinct": pack_numbers(
                number for pair in sorted(rows.distinct) for number in map(self.id, pair)
            ),
            "hidden": pack_numbers(
                number for path, id in rows.hidden for number in (paths[path], self.id(id))
            ),
            "unresolved": pack_numbers(
                number for path, id in rows.unresolved for number in (paths[path], self.id(id))
            ),
            "broken": pack_numbers(paths[path] for path in rows.broken),
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
        at, heap = pack_texts(f"{one.title}\n{self.rows.bodies[one.id]}" for one in observations)
        return {
            "observation": rows,
            "observation.time": times,
            **pack_lists("observation.lists", lists),
            "observation.digest": b"".join(
                self.rows.digests[f"o:{one.id}"] for one in observations
            ),
            "body.at": at,
            "body.text": heap,
            **pack_pairs("token", "involved", tokens),
        }

    # -- statements ----------------------------------------------------------------------------------------------

    def pack_statements(self) -> dict[str, Any]:
        #: The number of each interval. By identity: most are made once for a text, and slow to hash.
        times: dict[int, int] = {id(None): NONE}
        rows, cited, items = array("I"), [], []
        heap, intervals, spans = self.heap, self.intervals, self.spans
        new_text = heap.setdefault
        ids, paths, predicates = self.ids.numbers, self.paths.numbers, self.predicates.numbers
        seen, add_row = self.seen.numbers, rows.extend
        #: Many statements cite the same, and nothing changes these lists.
        cited_by_ids: dict[tuple[str, ...], list[int]] = {(): []}
        last_path, path_number, file_number = "", 0, 0
        # One pass without calls of ours: of all rows these are by far the most. In the order of the fields.
        for (
            file_id,
            statement_id,
            is_provisional,
            subject_id,
            word,
            object_id,
            value,
            interval,
            confidence,
            by,
            auto,
            is_retracted,
            superseded_by,
            note,
            sub_items,
            klass,
            is_single,
            observations,
            witnesses,
            witnessed,
            said_by,
            path,
            line,
            _,
        ) in self.rows.statements:
            if path is not last_path:
                last_path, path_number, file_number = path, paths[path], ids[file_id]
            time = times.get(id(interval))
            if time is None:
                time = times[id(interval)] = intervals[interval]
            cites = cited_by_ids.get(observations)
            if cites is None:
                cites = cited_by_ids[observations] = [seen[one] for one in observations]
            cited.append(cites)
            items.append(
                [heap[text] for item in sub_items for text in (item.name, item.text)]
                if sub_items
                else ()
            )
            add_row(
                (
                    path_number,
                    file_number,
                    new_text(statement_id, len(heap) - 1),  # mostly it is new
                    ids[subject_id],
                    predicates[word],
                    NONE if object_id is None else ids[object_id],
                    new_text(value, len(heap) - 1),
                    time,
                    heap[by],
                    heap[auto],
                    heap[superseded_by],
                    heap[note],
                    heap[said_by],
                    line,
                    _CLASS_FLAGS[klass]
                    | (PROVISIONAL if is_provisional else 0)
                    | (RETRACTED if is_retracted else 0)
                    | (SINGLE if is_single else 0)
                    | (NO_CONFIDENCE if confidence is None else confidence) << 8,
                    witnesses,
                    spans[witnessed],
                    len(observations),
                    len(sub_items),
                )
            )
        sides = array("q")
        for one in intervals.keys_in_order():
            sides.extend(self._interval(one))
        seconds = array("q")
        for span in spans.keys_in_order():
            seconds.extend(OPEN if side is None else side for side in span)
        return {
            "statement": rows,
            **pack_lists("statement.cited", cited),
            **pack_lists("statement.items", items),
            "interval": sides,
            "span": seconds,
        }

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
            "file": pack_numbers(numbers),
            "file.kind": bytes(file.kind for file in self.files),
            "file.digest": b"".join(file.digest for file in self.files),
            "file.blob": b"".join(file.blob for file in self.files),
            "file.sign": b"".join(file.signature for file in self.files),
            **pack_lists(
                "file.names",
                [[self.text(text) for text in (file.id, *file.names)] for file in self.files],
            ),
            "judging": pack_numbers(
                number for number, file in zip(numbers, self.files, strict=True) if file.judges
            ),
            "judged": pack_numbers(
                sorted({self.text(id) for file in self.files for id in file.judges})
            ),
            **pack_pairs(
                "word",
                "consulted",
                [
                    (token, number)
                    for number, file in zip(numbers, self.files, strict=True)
                    for token in file.consults
                ],
            ),
            **pack_pairs(
                "own",
                "provided",
                [
                    (token, number)
                    for number, file in zip(numbers, self.files, strict=True)
                    for token in file.provides
                ],
            ),
        }
