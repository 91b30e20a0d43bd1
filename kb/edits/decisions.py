"""Decisions as sealed observations, which a program can read: what was decided, about what, by whom, and why."""

from collections.abc import Sequence
from typing import NamedTuple

from kb.edits.edit import Edit
from kb.edits.new_observation import NewObservation, plan_observation, speaker
from kb.edits.workspace import Refused, Workspace
from kb.model.observation import DECISIONS
from kb.model.time import moment

#: Decisions that change no entity's file.
PLAIN_DECISIONS = ("reject", "not-mentioned", "correct")
#: The field of a merge that names the judgements it was forced against: ``<file's id> <other id>``.
OVERRODE = "overrode"


class Reason(NamedTuple):
    """Why something was decided."""

    why: str
    evidence: tuple[str, ...] = ()  #: observations that it rests on
    by: str = ""  #: who decided: an entity, a key or a name; else git's user
    user: str = ""  #: who is at the keyboard, where git knows nobody
    happened_at: str = ""  #: when it was decided, else now


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
        raise Refused("a decision needs its reason", "--why TEXT")
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
        raise Refused(
            f'"{decision}" is not decided here' if known else f'"{decision}" is no decision',
            f"one of {', '.join(PLAIN_DECISIONS)}{more}",
        )
    ids = tuple(dict.fromkeys(_read_about(workspace, one) for one in about))
    if not ids:
        raise Refused("a decision is about something", "name entities, observations or statements")
    filed = plan_decision(workspace, decision, ids, title, reason)
    return Edit(
        "decide",
        f"{decision}: {filed.title}",
        (filed.change,),
        tuple(id for id in ids if id in workspace.graph.entities),
        filed.change.path,
        observations=(filed.id, *reason.evidence),
    )


def _read_about(workspace: Workspace, text: str) -> str:
    text = text.strip()
    if "^" in text:
        found = workspace.statement(text)
        return f"{found.file_id}/^{found.id}"
    if text in workspace.graph.observations and workspace.places.path_of(text) is None:
        return text
    return workspace.file_id(text)
