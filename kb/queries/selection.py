"""Which statements a query keeps: by time, predicate, type and source. Says what it left out."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from kb.errors import UsageError
from kb.graph.graph import Graph, Statement
from kb.graph.standing import is_current
from kb.model.time import Date, Holds, TimeSpan, holds_at, overlaps_window

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

DEFAULT_LIMIT = 50


class Selection(NamedTuple):
    """The filters that queries share. ``at`` and ``since``/``until`` are as typed."""

    at: str | None = None
    since: str | None = None
    until: str | None = None
    type: str | None = None
    source: str | None = None
    include_ended: bool = False
    history: bool = False  #: retired ones too

    @property
    def narrows(self) -> bool:
        """Some filter was given that keeps less than everything."""
        return any((self.at, self.since, self.until, self.type, self.source))


#: No filter.
EVERYTHING = Selection()


class Sieve:
    """A selection made ready for one knowledge base; counts what it leaves out."""

    def __init__(
        self,
        graph: Graph,
        now: int,
        at: TimeSpan | None,
        since: Date | None,
        until: Date | None,
        type: str | None,
        source: str | None,
        keeps_ended: bool,
        keeps_retired: bool,
        offers_history: bool,  #: the query can show retired ones when asked
    ) -> None:
        self.graph, self.now = graph, now
        self.at, self.since, self.until = at, since, until
        self.type, self.source = type, source
        self.keeps_ended, self.keeps_retired = keeps_ended, keeps_retired
        self.offers_history = offers_history
        self.retired: set[int] = set()
        self.ended: set[int] = set()
        self.unknown: set[int] = set()

    def keeps(self, statement: Statement) -> bool:
        """Say whether a statement passes; what is left out by time is counted once."""
        return (
            self._rests_on_source(statement)
            and self._is_in_window(statement)
            and self._stands(statement)
        )

    def _stands(self, statement: Statement) -> bool:
        if statement.is_retired:
            if self.keeps_retired and self.at is None:
                return True
            self.retired.add(statement.ordinal)
            return False
        if self.at is not None:
            holds = holds_at(statement.interval, self.at, self.now, statement.witnessed)
            if holds is Holds.UNKNOWN:
                self.unknown.add(statement.ordinal)
            return holds is Holds.YES
        if self.keeps_ended or is_current(statement, self.now):
            return True
        self.ended.add(statement.ordinal)
        return False

    def _is_in_window(self, statement: Statement) -> bool:
        if self.since is None and self.until is None:
            return True
        return overlaps_window(statement.interval, self.since, self.until, statement.witnessed)

    def _rests_on_source(self, statement: Statement) -> bool:
        if self.source is None:
            return True
        if self.source in statement.observations:
            return True
        observations = self.graph.observations
        return any(
            id in observations and observations[id].kind == self.source
            for id in statement.observations
        )

    def admits_type(self, entity: str | None) -> bool:
        """Say whether the other end is of the type asked for; a fact's value is of none."""
        if self.type is None:
            return True
        if entity is None:
            return False
        found = self.graph.entities.get(entity)
        return found is not None and self.graph.vocabulary.is_kind_of(found.type, self.type)

    def notes(self) -> tuple[str, ...]:
        """Say what was left out, and how to see it."""
        notes = []
        if self.ended:
            count = len(self.ended)
            notes.append(
                f"{count} that {_verb(count, 'does', 'do')} not hold now left out (--include-ended)"
            )
        if self.retired:
            count = len(self.retired)
            hint = " (--history)" if self.offers_history else ""
            notes.append(f"{count} retired left out{hint}")
        if self.unknown:
            count = len(self.unknown)
            notes.append(
                f"{count} of which it is unknown whether {_verb(count, 'it holds', 'they hold')} then left out"
            )
        return tuple(notes)


def _verb(count: int, one: str, many: str) -> str:
    return one if count == 1 else many


def make_sieve(
    knowledge_base: "KnowledgeBase",
    selection: Selection,
    keeps_ended: bool = False,
    offers_history: bool = True,
) -> Sieve:
    """Read a selection's arguments; ``keeps_ended`` and ``offers_history`` are the query's own habits."""
    since, until = read_window(selection.since, selection.until)
    return Sieve(
        knowledge_base.graph,
        knowledge_base.now,
        read_at(selection.at, knowledge_base.now),
        since,
        until,
        read_type(knowledge_base.graph, selection.type),
        read_source(knowledge_base.graph, selection.source),
        keeps_ended or selection.include_ended or selection.history,
        selection.history,
        offers_history and selection.at is None,
    )


def read_at(text: str | None, now: int) -> TimeSpan | None:
    """Read ``--at``: ``now``, ``today``, a date as its whole unit, or an interval."""
    if text is None:
        return None
    from kb.syntax.edtf import TimeFault, parse_at

    parsed = parse_at(text.strip(), now)
    if isinstance(parsed, TimeFault):
        raise UsageError(f'--at: "{text}": {parsed.message}', parsed.hint)
    return parsed


def read_window(since: str | None, until: str | None) -> tuple[Date | None, Date | None]:
    """Read ``--since`` and ``--until``; a window that ends before it begins keeps nothing and is refused."""
    first, last = read_bound(since, "--since"), read_bound(until, "--until")
    if first is not None and last is not None:
        from kb.syntax.edtf import TimeFault, parse_interval

        window = parse_interval(f"{first.text}/{last.text}")
        if isinstance(window, TimeFault):
            raise UsageError(
                f"--until {last.text} is before --since {first.text}", "exchange the two"
            )
    return first, last


def read_bound(text: str | None, option: str) -> Date | None:
    """Read a date of ``--since`` or ``--until``."""
    if text is None:
        return None
    from kb.syntax.edtf import TimeFault, parse_date

    parsed = parse_date(text.strip())
    if isinstance(parsed, TimeFault):
        raise UsageError(f'{option}: "{text}": {parsed.message}', parsed.hint)
    return parsed


def read_type(graph: Graph, text: str | None) -> str | None:
    """Read ``--type``: a type of the vocabulary or one in use."""
    if text is None:
        return None
    known = graph.vocabulary.type_name(text)
    if known is not None:
        return known
    if text not in graph.types:
        names = ", ".join(sorted({*graph.vocabulary.types, *graph.types}))
        raise UsageError(f'--type: there is no type "{text}"', f"types: {names}")
    return text


def read_source(graph: Graph, text: str | None) -> str | None:
    """Read ``--source``: an observation's id or a kind of observation."""
    if text is None or text in graph.observations:
        return text
    if text not in graph.kinds:
        names = ", ".join(sorted(graph.kinds)) or "none"
        raise UsageError(
            f'--source: "{text}" is no observation and no kind of one', f"kinds in use: {names}"
        )
    return text


def share_limit(sizes: Iterable[int], limit: int) -> tuple[int, ...]:
    """Share a limit (0: none) among groups so that small ones are whole and large ones are cut alike."""
    wanted = list(sizes)
    if limit <= 0 or sum(wanted) <= limit:
        return tuple(wanted)
    shares = [0] * len(wanted)
    left = limit
    while left > 0:
        open_groups = [index for index, size in enumerate(wanted) if shares[index] < size]
        step = max(left // len(open_groups), 1)
        for index in open_groups:
            take = min(step, wanted[index] - shares[index], left)
            shares[index] += take
            left -= take
    return tuple(shares)
