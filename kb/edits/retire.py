"""Statements that stand: ended, retracted, superseded, removed, cited further, confirmed. Each one line's change."""

from collections.abc import Callable, Sequence
from typing import Any

from kb.edits.edit import Edit, StatementRef
from kb.edits.statement_file import StatementFile
from kb.edits.statement_sources import named_sources
from kb.edits.statement_times import ended, read_end_from_now, with_end
from kb.edits.statement_words import (
    check_founded,
    check_same_subject,
    check_stands,
    check_successor,
    find_replaced,
    is_over,
    subjects_of,
)
from kb.edits.workspace import Ambiguous, InUse, NotFound, Refused, Workspace
from kb.errors import UsageError
from kb.graph.graph import Statement
from kb.graph.standing import is_current
from kb.model.names import normalize_predicate
from kb.model.time import Date, render_time
from kb.model.vocabulary import StatementClass


def plan_unrelate(
    workspace: Workspace, subject: str, predicate: str, object: str, until: str, delete: bool
) -> Edit:
    """Plan that a relation ends, or was never so (``until`` is empty), or is removed from its file."""
    if until and delete:
        raise UsageError("--until ends a relation and --delete removes it", "give one of them")
    start, end = workspace.resolve(subject), workspace.resolve(object)
    reading = workspace.vocabulary.read_relation(normalize_predicate("-".join(predicate.split())))
    both = {(start, end), (end, start)}
    pairs = {(end, start) if reading.is_inverse else (start, end)}
    if reading.relation is not None and reading.relation.symmetric:
        pairs = both
    all_of_pair = [
        one
        for one in workspace.graph.about(start)
        if one.object is not None and (one.subject, one.object) in both
    ]
    found = [
        one
        for one in all_of_pair
        if one.predicate == reading.name and (one.subject, one.object) in pairs
    ]
    if not found:
        for id in (start, end):
            workspace.open_entity(id)  # one that does not parse is refused, since it may say so
        words = sorted({one.predicate for one in all_of_pair})
        raise NotFound(
            f'"{predicate}" does not relate {workspace.name_of(start)} to {workspace.name_of(end)}',
            f"what does: {', '.join(words)}" if words else "nothing relates them",
        )
    if delete:
        return _delete(workspace, _only(found))
    standing = [one for one in found if not one.is_retired]
    if not standing:
        return _edit(workspace, "unrelate", found[0], "is retired already", lambda _: None)
    current = [one for one in standing if is_current(one, workspace.now)]
    if until and not current:
        standing = _ended_so(standing, until, workspace.now)
    one = _only(current or standing)
    if until:
        return _end(workspace, "unrelate", one, until)
    return _change(workspace, "unrelate", one, "retracted", retracted=True)


def _ended_so(standing: list[Statement], until: str, now: int) -> list[Statement]:
    """Give those that have that end already, else those that are not over. Whoever ends what has ended means another one."""
    end = read_end_from_now("--until", until, now, [])
    found = [
        one
        for one in standing
        if one.interval and isinstance(one.interval.end, Date) and one.interval.end.text == end.text
    ] or [one for one in standing if not is_over(one.interval, now)]
    if not found:
        listed = ", ".join(f"^{one.id} ({render_time(one.interval)})" for one in standing)
        raise Refused(
            f"that has ended already: {listed}", "to mend its end: kb retire ^ID --until DATE"
        )
    return found


def _only(found: Sequence[Statement]) -> Statement:
    """Give the one statement that is meant."""
    if len(found) > 1:
        listed = ", ".join(
            f"^{one.id} ({one.interval.text if one.interval else 'undated'})" for one in found
        )
        raise Ambiguous(f"{len(found)} statements say that: {listed}", "name one: kb retire ^ID")
    return found[0]


def _delete(workspace: Workspace, one: Statement) -> Edit:
    replaced = find_replaced(workspace, one.file_id, (one.id,))
    if replaced:
        listed = ", ".join(f"{other.file_id}/^{other.id}" for other in replaced)
        raise InUse(
            f"^{one.id} supersedes {listed}, which would have no successor",
            f"retract it instead: kb retire ^{one.id} --retract",
        )
    return _edit(workspace, "unrelate", one, "deleted", lambda file: file.remove(one.id))


def plan_retire(
    workspace: Workspace,
    statement: str,
    *,
    until: str = "",
    is_ended: bool = False,
    retract: bool = False,
    superseded_by: str = "",
) -> Edit:
    """Plan the end of a statement: the world changed (``until``, ``is_ended``), or the record was wrong."""
    if bool(until) + is_ended + retract + bool(superseded_by) != 1:
        raise UsageError(
            "say how it is retired, in one way",
            "--until DATE or --ended where the world changed; --retract or --superseded-by ^ID where the record was wrong",
        )
    one = workspace.statement(statement)
    if until or is_ended:
        _check_was_so(one)
    if until:
        return _end(workspace, "retire", one, until)
    if is_ended:
        return _change(workspace, "retire", one, "ended", interval=ended(one.interval))
    if retract:
        return _change(workspace, "retire", one, "retracted", retracted=True)
    return _supersede(workspace, one, superseded_by)


def _check_was_so(one: Statement) -> None:
    """Refuse to say more of what was retracted or replaced: it was never so."""
    if one.superseded_by is not None:
        raise Refused(
            f"^{one.id} is superseded by ^{one.superseded_by}", "that one is what can be changed"
        )
    if one.retracted:
        raise Refused(f"^{one.id} is retracted: it was never so", "say anew what is so")


def _end(workspace: Workspace, name: str, one: Statement, until: str) -> Edit:
    notes: list[str] = []
    end = read_end_from_now("--until", until, workspace.now, notes)
    before = one.interval.end if one.interval and not one.interval.is_event else None
    if isinstance(before, Date) and before.text != end.text:
        notes.append(f"it ended {before.text} so far")
    interval = with_end(one.interval, end)
    return _change(workspace, name, one, f"ended {end.text}", tuple(notes), interval=interval)


def _supersede(workspace: Workspace, one: Statement, id: str) -> Edit:
    of_id = workspace.graph.of_id(id.removeprefix("^"))
    own = [other for other in of_id if other.file_id == one.file_id]
    new = own[0] if len(own) == 1 else workspace.statement(id)
    check_successor(workspace, one, new.file_id, new.id)
    chain = _successors(workspace, new)
    if one in chain:
        way = " → ".join(f"^{other.id}" for other in (one, *chain[: chain.index(one) + 1]))
        raise Refused(f"superseding would lead in a circle: {way}", "name a statement that stands")
    if one.superseded_by != new.id:
        check_same_subject(one, subjects_of(workspace, new.predicate, new.subject, new.object))
        check_stands(new)
    return _change(workspace, "retire", one, f"superseded by ^{new.id}", superseded_by=new.id)


def _successors(workspace: Workspace, one: Statement) -> list[Statement]:
    """List a statement and all that supersede it, as far as that goes."""
    found = [one]
    while wanted := found[-1].superseded_by:
        named = workspace.graph.of_id(wanted)
        own = [other for other in named if other.file_id == found[-1].file_id]
        if not (own or named) or (own or named)[0] in found:
            break
        found.append((own or list(named))[0])
    return found


def plan_cite(workspace: Workspace, statement: str, observations: Sequence[str]) -> Edit:
    """Plan further citations."""
    one = workspace.statement(statement)
    sources = named_sources(workspace, observations)
    among = {*one.observations, *sources.ids}
    seen = workspace.graph.observations
    notes = tuple(
        f"{id} repeats {origin}, so it is no second witness"
        for id in sources.ids
        for origin in seen[id].derived_from
        if origin in among and id not in one.observations
    )
    edit = _edit(
        workspace,
        "cite",
        one,
        f"cites {', '.join(sources.ids)}",
        lambda file: file.change(one.id, sources.cited),
        notes,
    )
    return edit._replace(observations=sources.ids)


def plan_confirm(workspace: Workspace, statement: str) -> Edit:
    """Plan that a suggestion becomes a plain statement."""
    one = workspace.statement(statement)
    _check_was_so(one)
    if one.auto and one.klass is StatementClass.ESTABLISHED:
        observations = workspace.graph.observations
        check_founded(
            workspace, [observations[id].said_by for id in one.observations if id in observations]
        )
    return _change(workspace, "confirm", one, "confirmed", auto=None)


def _change(
    workspace: Workspace,
    name: str,
    one: Statement,
    what: str,
    notes: tuple[str, ...] = (),
    **fields: Any,
) -> Edit:
    return _edit(workspace, name, one, what, lambda file: file.change(one.id, **fields), notes)


def _edit(
    workspace: Workspace,
    name: str,
    one: Statement,
    what: str,
    step: Callable[[StatementFile], object],
    notes: tuple[str, ...] = (),
) -> Edit:
    """Plan one step on the file of a statement."""
    file = StatementFile(workspace, one.file_id)
    step(file)
    goal = workspace.name_of(one.object) if one.object else one.value
    subject = f"{name}: {workspace.name_of(one.subject)} {one.predicate} {goal}: {what}"
    entities = (one.subject, *([one.object] if one.object else []))
    ref = StatementRef(one.file_id, one.id)
    return Edit(name, subject, file.changes(), entities, file.path, (ref,), (), notes)
