"""Which statements stand now: current, ended, retired, contested. The one place that decides it."""

from collections.abc import Iterable
from enum import Enum

from kb.graph.graph import Statement
from kb.model.time import Bound, Date, clash, is_ended


class Status(Enum):
    """How a statement stands at a moment."""

    CURRENT = "current"
    UPCOMING = "upcoming"  #: its start lies ahead, so it is known not to hold yet
    ENDED = "ended"
    RETRACTED = "retracted"
    SUPERSEDED = "superseded"


def status_of(statement: Statement, now: int) -> Status:
    """Say how a statement stands now."""
    if statement.retracted:
        return Status.RETRACTED
    if statement.superseded_by is not None:
        return Status.SUPERSEDED
    if not is_ended(statement.interval, now):
        return Status.CURRENT
    start = statement.interval.start if statement.interval else Bound.UNKNOWN
    return Status.UPCOMING if isinstance(start, Date) and start.first > now else Status.ENDED


def is_current(statement: Statement, now: int) -> bool:
    """Not retired and not known to be over: undated statements and past events are current."""
    return not statement.is_retired and not is_ended(statement.interval, now)


def find_contests(statements: Iterable[Statement], now: int) -> tuple[tuple[Statement, ...], ...]:
    """Group current statements that give one single-valued predicate several values at overlapping times.

    Each group has one subject and predicate, and the latest said first. QUERIES, "Contested".
    """
    rivals: dict[tuple[str, str], list[Statement]] = {}
    for statement in statements:
        if statement.is_single and is_current(statement, now):
            rivals.setdefault((statement.subject, statement.predicate), []).append(statement)
    groups = []
    for key in sorted(rivals):
        group = [
            one for one in rivals[key] if any(_contradicts(one, other) for other in rivals[key])
        ]
        if group:
            groups.append(tuple(sorted(group, key=_latest_said_first)))
    return tuple(groups)


def _contradicts(one: Statement, other: Statement) -> bool:
    same = one.object == other.object if one.is_relation else one.value == other.value
    return not same and clash(one.interval, other.interval)


def _latest_said_first(statement: Statement) -> tuple[bool, int, int]:
    said = statement.witnessed.end if statement.witnessed else None
    return (said is None, -(said or 0), statement.ordinal)
