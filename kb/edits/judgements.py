"""``kb merge``, ``unmerge`` and ``distinct``: who is one with whom, as a line in one file and a decision on record.

A merge is a redirect in the other's own file and nothing else, so that taking the line away undoes it exactly. It is
refused where it would not be followed, and of two of whom it is judged, in a file or on record, that they are two. Two
types nothing can force. A merge that is forced against a judgement takes it back in the same edit, and its undoing puts it
in again.
"""

from kb.edits.decisions import OVERRODE, Reason, plan_decision, say_shift
from kb.edits.edit import Edit, FileChange
from kb.edits.entity_fields import change_fields, is_issued_once
from kb.edits.front_matter_splices import Value, has_field, read_field
from kb.edits.workspace import EntityText, Refused, Workspace
from kb.graph.decided import (
    are_judged_two,
    find_decisions,
    find_parting,
    find_partings,
    foresee_taking_back,
    group_of,
    is_undone,
    last_of,
    named_by,
)
from kb.graph.graph import Observation
from kb.graph.identity import resolve_identities
from kb.load import load_file
from kb.model.names import fold
from kb.model.time import Date
from kb.syntax.edtf import parse_date
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.source import Source, decode

_REDIRECT, _DISTINCT = "merged_into", "distinct_from"
#: What two are that a decision parts.
_PARTED = {
    "distinct": "judged distinct",
    "reject": "judged to be two by kb decide reject",
    "unmerge": "parted again by kb unmerge",
}


def plan_merge(
    workspace: Workspace, survivor: str, other: str, reason: Reason, *, force: bool = False
) -> Edit:
    """Plan a redirect from the other to the survivor; ``force`` overrides keys and judgements that say that they are two."""
    kept, gone = workspace.resolve(survivor), workspace.file_id(other)
    graph = workspace.graph
    opened = workspace.open_entity(gone)
    if graph.survivors.get(gone, gone) == kept and gone != kept:
        subject = f"{gone} is merged into {kept} already"
        return Edit("merge", subject, (), (gone, kept), opened.file.path)
    if gone == kept:
        raise Refused(f"{kept} cannot be merged into itself", "name two entities")
    if gone in graph.survivors:
        raise Refused(
            f"{gone} is merged into {graph.survivors[gone]} already", f"kb unmerge {gone} first"
        )
    if not force and are_judged_two(graph, kept, gone):
        raise Refused(
            _judged_apart(workspace, kept, gone),
            "if that was wrong: --force, and say in --why how that is known",
        )
    if opened.file.merged_into is not None:
        raise Refused(
            f"{gone} has a redirect that is not followed", f"kb check says why; kb unmerge {gone}"
        )
    notes = _check_keys(workspace, kept, gone, force)
    parted = _parting(workspace, kept, gone)
    pairs = tuple(f"{id} {other}" for id, others in parted.items() for other in others)
    changes = []
    for id in sorted({gone, *parted}):
        fields = [*_without(workspace, id, parted.get(id, ()))]
        fields += [(_REDIRECT, kept)] if id == gone else []
        change = change_fields(workspace.open_entity(id), fields, keeps_empty=True)
        changes += [change] if change else []
    _check_followed(workspace, kept, gone, changes)
    takes_back = tuple(one.id for one in find_partings(graph, kept, gone))
    title = " is ".join(_name_two(workspace, gone, kept))
    about, files = (gone, kept), tuple(changes)
    done = _judged(workspace, "merge", about, title, reason, opened, files, "", pairs, takes_back)
    overridden = tuple(f"taken back: {pair.replace(' ', ' is not ')}" for pair in pairs)
    overridden += say_shift(graph, foresee_taking_back(graph, takes_back))
    overridden += _joined_too(workspace, kept, gone)
    if survivor in graph.survivors:
        # What hangs on the redirect that was named would stay when that one is taken back.
        through = f"{gone} is merged into {kept}, whatever becomes of {survivor}"
        overridden = (*overridden, through)
    return done._replace(notes=(*done.notes, *notes, *overridden))


def _judged_apart(workspace: Workspace, kept: str, gone: str) -> str:
    """Say by what two groups are kept apart: the pair, where it is another one, and the decision."""
    graph = workspace.graph
    judged = _parting(workspace, kept, gone)
    decision = find_parting(graph, kept, gone)
    if decision and not judged:
        pair = _pair_of(workspace, decision, kept, gone)
        said = _PARTED[decision.decision]
    else:
        pair = next(((id, others[0]) for id, others in judged.items()), (kept, gone))
        decision = find_parting(graph, kept, gone, ("distinct",)) or decision
        said = _PARTED["distinct"]
    through = "" if {*pair} == {kept, gone} else f", and would be joined through {kept} and {gone}"
    by = f" ({decision.id})" if decision else ""
    return f"{' and '.join(pair)} are {said}{by}{through}"


def _pair_of(workspace: Workspace, decision: Observation, kept: str, gone: str) -> tuple[str, str]:
    """Name those two of two groups that a decision is about."""
    groups = (group_of(workspace.graph, survivor) for survivor in (kept, gone))
    one, other = (next(id for id in decision.about if id in group) for group in groups)
    return one, other


def _joined_too(workspace: Workspace, kept: str, gone: str) -> tuple[str, ...]:
    """Name those whom a merge joins through others: what was merged into either before."""
    others = [
        f"{id}, which was merged into {target.text}"
        for survivor in (kept, gone)
        for id in group_of(workspace.graph, survivor)
        if id != survivor and (target := workspace.open_entity(id).file.merged_into)
    ]
    return (f"joined too: {'; '.join(others)}",) if others else ()


def plan_unmerge(workspace: Workspace, other: str, reason: Reason) -> Edit:
    """Plan that a redirect goes: the file is as it was before the merge, to the byte."""
    gone = workspace.file_id(other)
    opened = workspace.open_entity(gone)
    target = opened.file.merged_into
    if target is None and not has_field(opened.source, _REDIRECT):
        entity = workspace.graph.entities.get(gone)
        merged = entity.merged if entity else ()
        hint = f"merged into it: {', '.join(merged)}" if merged else ""
        raise Refused(f"{gone} is not merged into another", hint)
    kept = target.text if target else ""
    is_there = workspace.places.path_of(kept) is not None and kept != gone
    names = _name_two(workspace, gone, kept) if is_there else (opened.file.name, "itself")
    title = (" is not " if is_there else " is ").join(names)
    # A redirect to nothing, or to itself, was no merge: there is only one to speak of.
    about = (gone, kept) if is_there else (gone,)
    decision = "unmerge" if is_there else "correct"
    changes = []
    merge = _last_merge(workspace, gone, kept)
    _check_follows(reason, merge)
    again = _overridden(workspace, merge)
    # What the merge took back stands again only where the merge is taken back by name.
    takes_back = (merge.id,) if merge and (again or named_by(workspace.graph, merge)) else ()
    for id in sorted({gone, *again}):
        fields = [*_with(workspace, id, again.get(id, ()))]
        fields += [(_REDIRECT, None)] if id == gone else []
        change = change_fields(workspace.open_entity(id), fields)
        changes += [change] if change else []
    files = tuple(changes)
    done = _judged(
        workspace, decision, about, title, reason, opened, files, "unmerge", takes_back=takes_back
    )
    notes = [f"judged again: {id} is not {other}" for id, ids in again.items() for other in ids]
    shift = foresee_taking_back(workspace.graph, takes_back)
    notes += say_shift(workspace.graph, shift._replace(taken=()))
    return done._replace(notes=(*done.notes, *notes))


def plan_distinct(
    workspace: Workspace, first: str, second: str, reason: Reason, *, withdraw: bool = False
) -> Edit:
    """Plan that two are judged not the same, or that this judgement is taken back; it stands in the lesser id's file."""
    ids = workspace.resolve(first), workspace.resolve(second)
    low, high = min(ids), max(ids)
    if low == high:
        merged = [one for one in (first, second) if one in workspace.graph.survivors]
        raise Refused(
            f"both are {low}", f"kb unmerge {merged[0]} first" if merged else "name two entities"
        )
    if withdraw:
        return _plan_withdrawal(workspace, low, high, reason)
    opened = workspace.open_entity(low)
    if workspace.graph.are_distinct(low, high):
        subject = f"{low} and {high} are judged distinct already"
        return Edit("distinct", subject, (), (low, high), opened.file.path)
    names = (*(name.text for name in opened.file.distinct_from), high)
    change = change_fields(opened, ((_DISTINCT, tuple(dict.fromkeys(names))),))
    if change is None:
        raise Refused(f"{low} says so already, and it is not followed", "kb check says why")
    title = f"{' and '.join(_name_two(workspace, low, high))} are two"
    return _judged(workspace, "distinct", (low, high), title, reason, opened, (change,))


def _plan_withdrawal(workspace: Workspace, low: str, high: str, reason: Reason) -> Edit:
    opened = workspace.open_entity(low)
    changes = []
    for id, others in _parting(workspace, low, high).items():
        change = change_fields(workspace.open_entity(id), _without(workspace, id, others))
        changes += [change] if change else []
    parted = tuple(one.id for one in find_partings(workspace.graph, low, high))
    if not changes and not parted:
        subject = f"{low} and {high} are not judged distinct"
        return Edit("distinct", subject, (), (low, high), opened.file.path)
    title = f"{' and '.join(_name_two(workspace, low, high))} may be one after all"
    about, files = (low, high), tuple(changes)
    done = _judged(
        workspace, "correct", about, title, reason, opened, files, "distinct", takes_back=parted
    )
    shift = foresee_taking_back(workspace.graph, parted)
    return done._replace(notes=(*done.notes, *say_shift(workspace.graph, shift)))


def _name_two(workspace: Workspace, first: str, second: str) -> tuple[str, str]:
    """Name two as a title does: by their ids, where their names would not tell them apart."""
    one, other = (
        entity.name
        if (entity := workspace.graph.entities.get(id))
        else workspace.open_entity(id).file.name
        for id in (first, second)
    )
    return (one, other) if fold(one) != fold(other) else (first, second)


Fields = list[tuple[str, Value | None]]


def _parting(workspace: Workspace, first: str, second: str) -> dict[str, tuple[str, ...]]:
    """Find the judgements that part two groups: each file's id, and the ids that it says it is not."""
    mine, theirs = group_of(workspace.graph, first), group_of(workspace.graph, second)
    found: dict[str, tuple[str, ...]] = {}
    for ids, others in ((mine, theirs), (theirs, mine)):
        for id in ids:
            judged = (name.text for name in workspace.open_entity(id).file.distinct_from)
            parted = tuple(name for name in judged if name in others)
            found.update({id: parted} if parted else {})
    return found


def _without(workspace: Workspace, id: str, others: tuple[str, ...]) -> Fields:
    judged = (name.text for name in workspace.open_entity(id).file.distinct_from)
    return [(_DISTINCT, tuple(name for name in judged if name not in others))] if others else []


def _with(workspace: Workspace, id: str, others: tuple[str, ...]) -> Fields:
    judged = (name.text for name in workspace.open_entity(id).file.distinct_from)
    return [(_DISTINCT, tuple(dict.fromkeys((*judged, *others))))] if others else []


def _last_merge(workspace: Workspace, gone: str, kept: str) -> Observation | None:
    """Find the merge on record that a redirect comes from."""
    graph = workspace.graph
    merges = [
        one
        for one in find_decisions(graph, (gone,), (kept,), ("merge",))
        if not is_undone(graph, one)
    ]
    return last_of(merges) if merges else None


def _check_follows(reason: Reason, merge: Observation | None) -> None:
    """Refuse a record by which a merge was undone before it was made."""
    date = parse_date(reason.happened_at) if reason.happened_at else None
    made = merge.happened_at if merge else None
    if isinstance(date, Date) and merge and made and date.after <= made.first:
        raise Refused(
            f"{date.text} is before the merge that is undone ({merge.id}, {made.text})",
            "give a later --happened-at, or none: it is decided now",
        )


def _overridden(workspace: Workspace, merge: Observation | None) -> dict[str, tuple[str, ...]]:
    """Find the judgements that the merge which is undone was forced against, as its decision names them."""
    if merge is None:
        return {}
    file, _ = load_file(workspace.root, merge.path)
    pairs = read_field(Source(file.path, file.text), OVERRODE) or ()
    found: dict[str, tuple[str, ...]] = {}
    for pair in (pairs,) if isinstance(pairs, str) else pairs:
        id, _, other = pair.partition(" ")
        if all(workspace.places.path_of(one) is not None for one in (id, other)):
            found[id] = (*found.get(id, ()), other)
    return found


def _judged(
    workspace: Workspace,
    decision: str,
    about: tuple[str, ...],
    title: str,
    reason: Reason,
    opened: EntityText,
    changes: tuple[FileChange, ...],
    command: str = "",
    overrode: tuple[str, ...] = (),
    takes_back: tuple[str, ...] = (),
) -> Edit:
    """Give the edit of a judgement: the decision is filed before the files that follow from it change."""
    filed = plan_decision(workspace, decision, (*about, *takes_back), title, reason, overrode)
    return Edit(
        command or decision,
        f"{command or decision} {' and '.join(about)}: {title}",
        (filed.change, *changes),
        about,
        opened.file.path,
        observations=(filed.id, *reason.evidence),
        notes=reason.notes,
    )


# -- what speaks against a merge ---------------------------------------------------------------------------------


def _check_followed(workspace: Workspace, kept: str, gone: str, changes: list[FileChange]) -> None:
    """Refuse a redirect that would not be followed, or would undo another one: two types, a circle, a judgement."""
    changed = {
        file.id: file
        for change in changes
        if change.after is not None
        for file, _ in (parse_entity_file(decode(change.path, change.after)),)
    }
    ids = (*group_of(workspace.graph, kept), *group_of(workspace.graph, gone))
    files = [changed.get(id) or workspace.open_entity(id).file for id in ids]
    found = resolve_identities(files, workspace.vocabulary)
    if all(found.survivors.get(id, id) == kept for id in ids):
        return
    faults = [fault for fault in found.faults if not fault.unknown]
    message = faults[0].message if faults else f"{gone} cannot be merged into {kept}"
    hint = faults[0].hint if faults else "kb check says what stands in the way"
    raise Refused(f"{message}: nothing was merged", hint)


def _check_keys(workspace: Workspace, kept: str, gone: str, force: bool) -> tuple[str, ...]:
    """Refuse two that bear different keys of a kind that one has one of."""
    mine, theirs = (_keys_by_kind(workspace, id) for id in (kept, gone))
    clashes = [
        f"{kind}:{next(iter(mine[kind]))} and {kind}:{next(iter(theirs[kind]))}"
        for kind in sorted(set(mine) & set(theirs))
        if is_issued_once(workspace.vocabulary, kind)
        and len(mine[kind]) == len(theirs[kind]) == 1
        and mine[kind] != theirs[kind]
    ]
    if not clashes:
        return ()
    if not force:
        raise Refused(
            f"{kept} and {gone} bear keys of which one has one: {'; '.join(clashes)}",
            "if they are one all the same: --force, and say in --why how that is known",
        )
    return (f"merged in spite of {'; '.join(clashes)}",)


def _keys_by_kind(workspace: Workspace, id: str) -> dict[str, set[str]]:
    kinds: dict[str, set[str]] = {}
    for key in workspace.graph.entities[id].normalized_keys:
        kind, _, value = key.partition(":")
        kinds.setdefault(kind, set()).add(value)
    return kinds
