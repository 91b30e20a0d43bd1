"""Entities and statements, as all answers show them → text and JSON."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from kb.model.time import Bound, Date, Interval, render_time
from kb.model.vocabulary import StatementClass
from kb.queries.answers import EntityRef, Resolved, StatementView, sentence_of

if TYPE_CHECKING:
    from kb.queries.facts import StatementGroup
    from kb.queries.neighbors import NeighborGroup

Json = dict[str, Any]

INDENT = "  "

# -- text ------------------------------------------------------------------------------------------------------------


def type_shown(entity: EntityRef) -> str:
    """Name an entity's type; one without a type is ``untyped``."""
    return entity.type or "untyped"


def names_shown(resolved: Resolved) -> str:
    """Name what an argument was read as."""
    return " and ".join(f"{entity.name} ({type_shown(entity)})" for entity in resolved.entities)


def triple(view: StatementView) -> str:
    """Say a whole statement: both ends, the predicate, its tail and its note."""
    goal = view.object.name if view.object else view.statement.value
    return f"{view.subject.name} —{view.statement.predicate}→ {goal} {statement_tail(view)}{note_shown(view)}"


def statement_tail(view: StatementView) -> str:
    """Say when, how sure, what kind of knowledge, and where it stands: ``(2015 → now) 90% ^id src: …``."""
    statement = view.statement
    pieces = [f"({render_time(statement.interval)})"]
    if statement.confidence is not None:
        pieces.append(f"{statement.confidence}%")
    pieces += [f"[{mark}]" for mark in _marks(view)]
    pieces.append(f"^{statement.id}")
    pieces.append(
        "src: " + (", ".join(statement.observations) if statement.observations else "none")
    )
    return " ".join(pieces)


def _marks(view: StatementView) -> Iterator[str]:
    statement = view.statement
    if statement.klass not in (StatementClass.PLAIN, StatementClass.ESTABLISHED):
        yield statement.klass.value
    if statement.auto:
        yield f"auto-{statement.auto}"
    if view.is_contested:
        yield "contested, latest" if view.is_latest else "contested"
    if statement.retracted:
        yield "retracted"
    if statement.superseded_by:
        yield f"superseded by ^{statement.superseded_by}"
    if statement.by:
        yield f"by {statement.by}"


def note_shown(view: StatementView) -> str:
    """Give a statement's note as the end of its line."""
    return f" — {view.statement.note}" if view.statement.note else ""


def way_shown(group: "NeighborGroup | StatementGroup") -> str:
    """Name a group's predicate as read from the entity: ``employs →``, or ``← authored`` where it has no inverse."""
    return f"{group.predicate} →" if group.direction == "out" else f"← {group.predicate}"


# -- JSON ------------------------------------------------------------------------------------------------------------


def entity_as_json(entity: EntityRef) -> Json:
    """An entity is always its id, name and type."""
    return {"id": entity.id, "name": entity.name, "type": entity.type}


def statement_as_json(view: StatementView) -> Json:
    """Give a statement. ``when`` is the time as written (EDTF), ``since`` and ``until`` its dated ends."""
    statement = view.statement
    since, until = _ends(statement.interval)
    end: Json = (
        {"object": entity_as_json(view.object)} if view.object else {"value": statement.value}
    )
    subs = (
        {"details": {sub.name: sub.text for sub in statement.sub_items}}
        if statement.sub_items
        else {}
    )
    return {
        "id": statement.id,
        "file": statement.file_id,
        "subject": entity_as_json(view.subject),
        "predicate": statement.predicate,
        **end,
        "when": statement.interval.text if statement.interval else None,
        "since": since,
        "until": until,
        "confidence": statement.confidence,
        "text": sentence_of(view),
        "class": statement.klass.value,
        "auto": statement.auto,
        "status": view.status.value,
        "superseded_by": statement.superseded_by,
        "contested": view.is_contested,
        "latest": view.is_latest,
        "provisional": statement.is_provisional,
        "said_by": statement.said_by or None,
        "observations": list(statement.observations),
        "witnesses": statement.witnesses,
        "reinforcements": len(statement.observations),
        **subs,
    }


def group_as_json(group: "NeighborGroup | StatementGroup", **members: Iterable[Json]) -> Json:
    """Give a group: its predicate, how many it has, and those of them that are shown, under their name."""
    return {
        "predicate": group.predicate,
        "direction": group.direction,
        "total": group.total,
        **{name: list(shown) for name, shown in members.items()},
    }


def _ends(interval: Interval | None) -> tuple[str | None, str | None]:
    if interval is None:
        return None, None
    return _date(interval.start), _date(interval.end)


def _date(end: Date | Bound) -> str | None:
    return end.text if isinstance(end, Date) else None
