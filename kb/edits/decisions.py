"""Decisions as sealed observations, which a program can read: what was decided, about what, by whom, and why."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from kb.edits.edit import Edit
from kb.edits.new_observation import NewObservation, plan_observation, speaker
from kb.edits.workspace import Workspace
from kb.errors import UsageError
from kb.graph.decided import PARTING, Shift, find_partings, foresee_taking_back
from kb.graph.graph import Graph, Observation
from kb.model.observation import DECISIONS
from kb.model.time import moment

#: Decisions that change no entity's file.
PLAIN_DECISIONS = ("reject", "not-mentioned", "correct")
#: What a decision may be about.
_About = Literal["entity", "observation", "statement"]
#: The field of a merge that names the judgements it was forced against: ``<file's id> <other id>``.
OVERRODE = "overrode"


class Reason(NamedTuple):
    """Why something was decided."""

    why: str
    evidence: tuple[str, ...] = ()  #: observations that it rests on
    by: str = ""  #: who decided: an entity, a key or a name; else git's user
    user: str = ""  #: who is at the keyboard, where git knows nobody
    happened_at: str = ""  #: when it was decided, else now
    notes: tuple[str, ...] = ()  #: what was read into it


def plan_decision(
    workspace: Workspace,
    decision: str,
    about: Sequence[str],
    title: str,
    reason: Reason,
    overrode: Sequence[str] = (),
) -> NewObservation:
    """Plan the observation of a decision. ``overrode``: judgements that it takes back for as long as it stands."""
    if not reason.why.strip():
        raise UsageError("a decision needs its reason", "--why TEXT")
    for id in reason.evidence:
        workspace.observation(id)
    fields: list[tuple[str, str | Sequence[str]]] = [
        ("decision", decision),
        ("about", list(about)),
        ("evidence", list(dict.fromkeys(reason.evidence))),
        (OVERRODE, list(overrode)),
    ]
    return plan_observation(
        workspace,
        reason.why.strip(),
        kind="decision",
        title=title,
        happened_at=reason.happened_at or moment(workspace.now),
        said_by=speaker(workspace, reason.by) or reason.user or "unknown",
        fields=fields,
    )


def plan_decide(
    workspace: Workspace, decision: str, about: Sequence[str], reason: Reason, title: str = ""
) -> Edit:
    """Plan a decision on record: ``about`` are entities, observations, or statements (``entity/^id``)."""
    if decision not in PLAIN_DECISIONS:
        more = "; merges and distinctions are kb merge, kb unmerge, kb distinct"
        known = decision in DECISIONS
        raise UsageError(
            f'"{decision}" is not decided here' if known else f'"{decision}" is no decision',
            f"one of {', '.join(PLAIN_DECISIONS)}{more}",
        )
    read = tuple(dict.fromkeys(_read_about(workspace, one) for one in about))
    _check_about(decision, [kind for kind, _ in read])
    ids = tuple(id for _, id in read)
    named: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    match decision:
        case "correct":
            named, notes = _correct(workspace.graph, read)
        case "reject":
            notes = tuple(_iter_merged(workspace.graph, *ids))
    filed = plan_decision(workspace, decision, (*ids, *named), title, reason)
    return Edit(
        "decide",
        f"{decision}: {filed.title}",
        (filed.change,),
        tuple(id for id in ids if id in workspace.graph.entities),
        filed.change.path,
        observations=(filed.id, *reason.evidence),
        notes=(*reason.notes, *notes),
    )


def say_shift(graph: Graph, shift: Shift) -> tuple[str, ...]:
    """Name each decision that does not stand any more, and each that stands again; no merges, which files make and undo."""
    return tuple(
        f"{what}: {id}"
        for what, ids in (("taken back", shift.taken), ("stands again", shift.again))
        for id in ids
        if graph.observations[id].decision != "merge"
    )


def _correct(
    graph: Graph, about: Sequence[tuple[_About, str]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Find the decisions that a correction takes back besides those it is about, for it to name; and say what it does."""
    given = list(combinations([id for kind, id in about if kind == "entity"], 2))
    seen = [graph.observations[id] for kind, id in about if kind == "observation"]
    decided = [one.id for one in seen if one.decision]
    parting = [one for one in seen if one.decision in PARTING]
    merges = [one for one in seen if one.decision == "merge"]
    found = dict.fromkeys(id for pair in given for id in _partings(graph, pair))
    named = tuple(id for id in found if id not in decided)
    without = (*decided, *named)
    shift = foresee_taking_back(graph, without)
    parted, merged = (list(_pairs_of(graph, ones)) for ones in (parting, merges))
    still = dict.fromkeys(id for pair in parted for id in _partings(graph, pair, without))
    pairs = dict.fromkeys((*given, *parted, *merged))
    notes = [
        *(f"taken back: {one.id}" for one in merges if one.id in shift.taken),
        *say_shift(graph, shift),
        *(f"still parted by {id}: kb decide correct {id}" for id in still if id not in shift.again),
        *(f"{id} was taken back before" for id in decided if id not in shift.taken),
        *(note for pair in pairs for note in _iter_kept(graph, *pair)),
    ]
    if given and not notes:
        notes.append("it takes no judgement back: none that parts them is on record")
    return named, tuple(notes)


def _pairs_of(graph: Graph, decisions: Iterable[Observation]) -> Iterator[tuple[str, str]]:
    """Yield the two entities that each decision parts or joins, where they are there."""
    for one in decisions:
        ids = dict.fromkeys(id for id in one.about if id in graph.entities or id in graph.survivors)
        if len(ids) > 1:
            first, second, *_ = ids
            yield first, second


def _partings(
    graph: Graph, pair: tuple[str, str], without: Collection[str] = ()
) -> tuple[str, ...]:
    one, other = (graph.survivors.get(id, id) for id in pair)
    if one == other:
        return ()
    return tuple(found.id for found in find_partings(graph, one, other, without=without))


def _iter_merged(graph: Graph, *ids: str) -> Iterator[str]:
    """Say of two that they are merged, which no such decision changes."""
    if len(ids) == 2 and len({graph.survivors.get(id, id) for id in ids}) == 1:
        merged = next(id for id in ids if id in graph.survivors)
        yield f"{' and '.join(ids)} are merged, and stay so: kb unmerge {merged}"


def _iter_kept(graph: Graph, first: str, second: str) -> Iterator[str]:
    """Say what files say of two, which no correction changes."""
    yield from _iter_merged(graph, first, second)
    one, other = (graph.survivors.get(id, id) for id in (first, second))
    if graph.are_distinct(one, other):
        yield f"{first} and {second} are judged distinct in a file, and stay so: kb distinct {first} {second} --withdraw"


def _check_about(decision: str, kinds: Sequence[_About]) -> None:
    """Refuse a decision about other things, or another number of them, than it can be about."""
    entities, observations = kinds.count("entity"), kinds.count("observation")
    match decision:
        case "reject":
            is_fit = (entities, observations) == (2, 0) or set(kinds) == {"statement"}
            wanted = "two entities, or statements (entity/^id)"
        case "not-mentioned":
            is_fit = (entities, observations, len(kinds)) == (1, 1, 2)
            wanted = "one entity and one observation"
        case _:
            is_fit = bool(kinds)
            wanted = "entities, observations or statements (entity/^id)"
    if not is_fit:
        given = ", ".join(kinds) or "nothing"
        raise UsageError(f'"{decision}" is about {wanted}', f"given: {given}")


def _read_about(workspace: Workspace, text: str) -> tuple[_About, str]:
    text = text.strip()
    if "^" in text:
        found = workspace.statement(text)
        return "statement", f"{found.file_id}/^{found.id}"
    if text in workspace.graph.observations and workspace.places.path_of(text) is None:
        return "observation", text
    return "entity", workspace.file_id(text)
