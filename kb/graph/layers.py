"""One graph file, read where it lies: tables, lists and rows, each decoded when it is asked for."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kb.graph.entity_rows import EntityRows
from kb.graph.file_form import (
    BOUNDS,
    CLASSES,
    FLAGS,
    INTERVAL,
    INTERVAL_WIDTH,
    NO_CONFIDENCE,
    NONE,
    OBJECT,
    OPEN,
    ORDINAL_SHIFT,
    PATH,
    PREDICATE,
    PROVISIONAL,
    RETRACTED,
    SINGLE,
    SPAN,
    STATEMENT_WIDTH,
    SUBJECT,
    SUPERSEDED_BY,
)
from kb.graph.graph import Statement, strength_of
from kb.graph.observation_rows import ObservationRows
from kb.graph.spells import count_spells
from kb.graph.tables import Heap, Lists, Table, first_row_from
from kb.model.time import Bound, Date, Interval, TimeSpan, is_ended
from kb.model.vocabulary import StatementClass
from kb.store.sections import Sections

if TYPE_CHECKING:
    from kb.model.statement import SubItem


#: A statement that says nothing.
_BLANK = Statement(
    file_id="",
    id="",
    is_provisional=False,
    subject="",
    predicate="",
    object=None,
    value=None,
    interval=None,
    confidence=None,
    by=None,
    auto=None,
    retracted=False,
    superseded_by=None,
    note=None,
    sub_items=(),
    klass=StatementClass.PLAIN,
    is_single=False,
    observations=(),
    witnesses=0,
    witnessed=None,
    said_by="",
    path="",
    line=0,
    ordinal=0,
)


class RelationRow(NamedTuple):
    """What a search over the graph needs of a relation, in numbers of its layer."""

    subject: int
    predicate: int
    object: int
    is_suggested: bool
    is_retired: bool
    strength: int  #: as ``kb.graph.graph.strength_of`` its support


class Layer:
    """A graph file."""

    def __init__(self, sections: Sections) -> None:
        self.sections = sections
        self.heap = Heap(sections, "heap.text", "heap.at")
        self.ids, self.seen = Table(sections, "id"), Table(sections, "seen")
        self.paths, self.predicates = Table(sections, "path"), Table(sections, "predicate")
        self.about, self.near = Lists(sections, "id.about"), Lists(sections, "id.near")
        self.retired = Lists(sections, "id.retired")
        self.citing = Lists(sections, "seen.citing")
        self._statements = sections.ints("statement")
        self._cited = Lists(sections, "statement.cited")
        self._order = sections.longs("statement.order")
        self._spells = sections.longs("near.spell")
        self.entities = EntityRows(sections, self.heap, self.ids, self.paths)
        self.observations = ObservationRows(sections, self.heap, self.seen, self.paths)
        self._intervals: dict[int, Interval] = {}
        #: What another layer takes the place of: numbers of paths.
        self.masked_paths: set[int] = set()

    # -- statements ----------------------------------------------------------------------------------------------

    @property
    def statements(self) -> int:
        """How many rows of statements there are, masked ones included."""
        return len(self._statements) // STATEMENT_WIDTH

    def count_predicates(self) -> dict[str, int]:
        """Count the statements that no other layer has by predicate."""
        counts = self.sections.ints("predicate.count").tolist()
        for path in self.masked_paths:
            for number in self.statements_of_path(path):
                counts[self._statements[number * STATEMENT_WIDTH + PREDICATE]] -= 1
        return {self.predicates[number]: count for number, count in enumerate(counts) if count}

    def statements_of_id(self, id: str) -> list[int]:
        """Find the statements of an id. Nothing is sorted by these ids, so that all rows are looked at."""
        texts = {text for text in self.heap.iter_holding(id) if self.heap[text] == id}
        if not texts:
            return []
        return [
            number
            for number, text in enumerate(self._statements.iter_every(STATEMENT_WIDTH, 2))
            if text in texts
        ]

    def superseded(self) -> list[int]:
        """Find the statements that name a successor."""
        successors = self._statements[SUPERSEDED_BY::STATEMENT_WIDTH]
        return [number for number, text in enumerate(successors) if text != NONE]

    def statements_of_path(self, path: int) -> range:
        """Give the statements of a file: rows are in order of their paths."""
        first = end = first_row_from(self._statements, STATEMENT_WIDTH, path)
        while end < self.statements and self._statements[end * STATEMENT_WIDTH] == path:
            end += 1
        return range(first, end)

    def is_masked(self, number: int) -> bool:
        """Say whether another layer has what a statement's file says."""
        return self._statements[number * STATEMENT_WIDTH] in self.masked_paths

    def order(self, number: int) -> int:
        """Give a statement's ordinal."""
        return self._order[number] if len(self._order) else number << ORDINAL_SHIFT

    def statement(self, number: int) -> Statement:
        """Decode a statement."""
        (
            path,
            file_id,
            id,
            subject,
            predicate,
            object,
            value,
            interval,
            by,
            auto,
            superseded_by,
            note,
            said_by,
            line,
            flags,
            witnesses,
            span,
            cited,
            items,
        ) = self._statements[number * STATEMENT_WIDTH : (number + 1) * STATEMENT_WIDTH].tolist()
        heap, ids = self.heap, self.ids
        confidence = flags >> 8
        return Statement(
            file_id=ids[file_id],
            id=heap[id],
            is_provisional=bool(flags & PROVISIONAL),
            subject=ids[subject],
            predicate=self.predicates[predicate],
            object=None if object == NONE else ids[object],
            value=heap.get(value),
            interval=None if interval == NONE else self._interval(interval),
            confidence=None if confidence == NO_CONFIDENCE else confidence,
            by=heap.get(by),
            auto=heap.get(auto),
            retracted=bool(flags & RETRACTED),
            superseded_by=heap.get(superseded_by),
            note=heap.get(note),
            sub_items=self._sub_items(number) if items else (),
            klass=CLASSES[flags >> 3 & 3],
            is_single=bool(flags & SINGLE),
            observations=tuple(map(self.seen.__getitem__, self._cited[number])) if cited else (),
            witnesses=witnesses,
            witnessed=None if span == NONE else self._span(span),
            said_by=heap[said_by],
            path=self.paths[path],
            line=line,
            ordinal=self.order(number),
        )

    def relation(self, number: int) -> RelationRow | None:
        """Read what a search needs of a statement; ``None`` where it links no two entities."""
        row = self._statements[number * STATEMENT_WIDTH : (number + 1) * STATEMENT_WIDTH].tolist()
        _, _, _, subject, predicate, object, _, _, _, auto, superseded_by = row[:11]
        flags, witnesses, _, cited, _ = row[14:]
        if object in (NONE, subject):
            return None
        confidence = flags >> 8
        return RelationRow(
            subject,
            predicate,
            object,
            auto != NONE and bool(self.heap[auto]),
            bool(flags & RETRACTED) or superseded_by != NONE,
            strength_of(
                cited > 0,
                CLASSES[flags >> 3 & 3] is not StatementClass.ASSOCIATION,
                witnesses,
                100 if confidence == NO_CONFIDENCE else confidence,
            ),
        )

    def single_valued_of(self, id: int) -> Iterator[int]:
        """Yield the statements of an id by predicates that have one value at a time."""
        rows = self._statements
        for number in self.about[id]:
            row = number * STATEMENT_WIDTH
            if rows[row + FLAGS] & SINGLE and rows[row + SUBJECT] == id:
                yield number

    def iter_related_now(self, id: int, now: int) -> Iterator[int]:
        """Yield the ids that a current statement of this layer relates to one; some of them again."""
        rows = self._statements
        for number in self.about[id]:
            row = number * STATEMENT_WIDTH
            subject, object = rows[row + SUBJECT], rows[row + OBJECT]
            if (
                object not in (NONE, subject)
                and not rows[row + FLAGS] & RETRACTED
                and rows[row + SUPERSEDED_BY] == NONE
                and rows[row + PATH] not in self.masked_paths
                and not is_ended(self.time_of(number), now)
            ):
                yield object if subject == id else subject

    def has_more_now(self, id: int, count: int, now: int) -> bool | None:
        """Say whether current statements of this layer relate an id to more than so many others; ``None`` if spells do not tell."""
        (start, end), certain, possible = self.near.span(id), 0, 0
        step = 2 * count + 64  # of a hub, whose list may be long, this is mostly enough
        for at in range(start, end, step):
            spells = self._spells[2 * at : 2 * min(at + step, end)].tolist()
            more, several = count_spells(spells, now)
            certain, possible = certain + more, possible + more + several
            if certain > count:
                return True
        return False if possible <= count else None

    def times(self, number: int) -> tuple[int, int]:
        """Give what of a statement decides when it holds: the number of its interval or, undated, its witnesses' span."""
        row = number * STATEMENT_WIDTH
        interval = self._statements[row + INTERVAL]
        return interval, self._statements[row + SPAN] if interval == NONE else NONE

    def time_of(self, number: int) -> Interval | None:
        """Give a statement's interval."""
        interval = self._statements[number * STATEMENT_WIDTH + INTERVAL]
        return None if interval == NONE else self._interval(interval)

    def outline(self, number: int, with_sources: bool) -> Statement:
        """Give what of a statement decides when it holds and, where wanted, what it rests on; all else is left empty."""
        row = number * STATEMENT_WIDTH
        span = self._statements[row + SPAN]
        return _BLANK._replace(
            interval=self.time_of(number),
            witnessed=None if span == NONE else self._span(span),
            retracted=bool(self._statements[row + FLAGS] & RETRACTED)
            or self._statements[row + SUPERSEDED_BY] != NONE,
            observations=tuple(self.seen[one] for one in self._cited[number])
            if with_sources
            else (),
            ordinal=self.order(number),
        )

    def cited(self, number: int) -> tuple[int, ...]:
        """Give the numbers of the observations that a statement cites."""
        return tuple(self._cited[number])

    def iter_crowded(self, more_than: int) -> Iterator[int]:
        """Yield the ids that are near more than so many others, masked statements included."""
        for id in self.sections.ints("id.crowded"):
            if self.near.count(id) <= more_than:
                return
            yield id

    def _sub_items(self, number: int) -> "tuple[SubItem, ...]":
        from kb.model.statement import SubItem

        texts = [self.heap[text] for text in Lists(self.sections, "statement.items")[number]]
        return tuple(SubItem(*pair) for pair in zip(texts[::2], texts[1::2], strict=True))

    def _interval(self, number: int) -> Interval:
        found = self._intervals.get(number)
        if found is None:
            rows = self.sections.longs("interval")
            text, *sides, is_event = rows[
                number * INTERVAL_WIDTH : (number + 1) * INTERVAL_WIDTH
            ].tolist()
            found = self._intervals[number] = Interval(
                self.heap[text], self._side(*sides[:3]), self._side(*sides[3:]), bool(is_event)
            )
        return found

    def _side(self, text: int, first: int, after: int) -> Date | Bound:
        return BOUNDS[-1 - text] if text < 0 else Date(self.heap[text], first, after)

    def _span(self, number: int) -> TimeSpan:
        start, end = self.sections.longs("span")[2 * number : 2 * number + 2]
        return TimeSpan(None if start == OPEN else start, None if end == OPEN else end)

    # -- tables --------------------------------------------------------------------------------------------------

    def look_up(self, table: str, what: str, text: str) -> "memoryview[int] | tuple[int, ...]":
        """Give the numbers that a table lists under a text."""
        number = Table(self.sections, table).find(text)
        return () if number < 0 else Lists(self.sections, f"{table}.{what}")[number]
