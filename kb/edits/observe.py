"""``kb observe``: file a text as a sealed observation."""

from collections.abc import Sequence

from kb.edits.edit import Edit
from kb.edits.new_observation import named_person, plan_observation, speaker
from kb.edits.one_line import check_one_line
from kb.edits.statement_times import read_happened_at
from kb.edits.workspace import Workspace
from kb.errors import UsageError
from kb.model.time import moment


def plan_observe(
    workspace: Workspace,
    text: str,
    *,
    kind: str = "note",
    title: str = "",
    happened_at: str = "",
    said_by: str = "",
    participants: Sequence[str] = (),
    source: str = "",
    derived_from: Sequence[str] = (),
    is_typed: bool = False,
) -> Edit:
    """Plan an observation. What is typed here and now is said now, by whoever types it; of a file that is not known.

    A ``source`` that an observation has already adds nothing where the text is the same too.
    """
    check_one_line("a title", title)
    if kind == "decision":
        raise UsageError(
            "a decision says what it decides", "kb decide, kb merge, kb unmerge or kb distinct"
        )
    known = [
        one for one in workspace.graph.observations.values() if source and one.source == source
    ]
    for one in known:
        if workspace.graph.body_of(one.id).strip() == text.strip():
            return Edit("observe", f"{one.id} has this source already", observations=(one.id,))
    notes: list[str] = []
    new = plan_observation(
        workspace,
        text,
        kind=kind,
        title=title,
        happened_at=read_happened_at(happened_at, workspace.now, notes)
        or (moment(workspace.now) if is_typed else ""),
        said_by=speaker(workspace, said_by) if said_by or is_typed else "",
        participants=[named_person(workspace, one) for one in participants],
        source=source,
        derived_from=derived_from,
    )
    notes += [f"{one.id} has the same source, and another text" for one in known]
    return Edit(
        "observe",
        f"observe: {new.title}",
        (new.change,),
        observations=(new.id,),
        notes=tuple(notes),
    )
