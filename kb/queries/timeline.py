"""``timeline ENTITY``: when what is stated of an entity began and ended, in order."""

from typing import TYPE_CHECKING, NamedTuple

from kb.model.time import Date
from kb.queries.answers import Answer, EntityRef, StatementView, Viewer
from kb.queries.predicates import read_predicates, side_of
from kb.queries.resolve import resolve_entity
from kb.queries.selection import EVERYTHING, Selection, make_sieve, read_bound

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

TIMELINE_LIMIT = 60


class Moment(NamedTuple):
    """A start, an end or an event."""

    date: Date
    event: str  #: ``since``, ``until``, or ``event`` for a single date
    entity: EntityRef | None  #: the other end, of a relation
    statement: StatementView


class Timeline(NamedTuple):
    """The moments shown, and what could not be placed."""

    dated: int  #: statements with a date
    undated: int
    moments: tuple[Moment, ...]


def list_timeline(
    knowledge_base: "KnowledgeBase",
    entity: str,
    predicates: tuple[str, ...] = (),
    direction: str | None = None,
    selection: Selection = EVERYTHING,
    limit: int = TIMELINE_LIMIT,
) -> Answer[Timeline]:
    """List starts and ends, earliest first; a date counts as its first day."""
    graph = knowledge_base.graph
    resolved = resolve_entity(graph, entity)
    ids = tuple(ref.id for ref in resolved.entities)
    reading = read_predicates(graph, predicates, ids, direction)
    # The window is one of moments here, not of statements.
    since, until = read_bound(selection.since, "--since"), read_bound(selection.until, "--until")
    whole = selection._replace(since=None, until=None)
    sieve = make_sieve(knowledge_base, whole, keeps_ended=True)
    viewer = Viewer(knowledge_base)
    moments: list[Moment] = []
    dated = undated = 0
    for id in ids:
        for statement in graph.about(id):
            other = statement.other_end(id)
            if not reading.admits(statement.predicate, side_of(statement, id)):
                continue
            if not (sieve.admits_type(other) and sieve.keeps(statement)):
                continue
            interval = statement.interval
            placed = (
                [
                    (date, event)
                    for date, event in (
                        [(interval.start, "event")]
                        if interval.is_event
                        else [(interval.start, "since"), (interval.end, "until")]
                    )
                    if isinstance(date, Date)
                ]
                if interval
                else []
            )
            if not placed:
                undated += 1
                continue
            dated += 1
            shown = viewer.statement(statement)
            named = viewer.entity(other) if other is not None else None
            moments += [
                Moment(date, event, named, shown)
                for date, event in placed
                if isinstance(date, Date) and _is_within(date, since, until)
            ]
    moments.sort(key=_in_order)
    shown_moments = moments[:limit] if limit > 0 else moments
    return Answer(
        "timeline",
        knowledge_base.revision,
        (resolved,),
        Timeline(dated, undated, tuple(shown_moments)),
        len(moments),
        len(shown_moments) < len(moments),
        (*reading.notes, *sieve.notes()),
    )


def _is_within(date: Date, since: Date | None, until: Date | None) -> bool:
    return (since is None or date.after > since.first) and (
        until is None or date.first < until.after
    )


def _in_order(moment: Moment) -> tuple[object, ...]:
    # What ended on a day ended before what began on it.
    return (
        moment.date.first,
        moment.event != "until",
        moment.date.after,
        moment.statement.statement.ordinal,
    )
