"""The observations that a statement is to cite: those named, and one filed on the spot for what somebody says."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from kb.edits.edit import FileChange
from kb.edits.footnotes import CitedSource, written_day
from kb.edits.new_observation import plan_observation, speaker
from kb.edits.workspace import Workspace
from kb.errors import UsageError
from kb.graph.graph import Observation
from kb.model.time import Date, moment


class Sources(NamedTuple):
    """What is cited, and what it says of itself."""

    cited: tuple[CitedSource, ...] = ()
    dates: tuple[Date | None, ...] = ()  #: relative dates count from them
    speakers: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    changes: tuple[FileChange, ...] = ()  #: the observation that is filed

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of observations."""
        return tuple(source.id for source in self.cited)


def read_sources(
    workspace: Workspace, observations: Sequence[str], said: str | None, by: str = ""
) -> Sources:
    """Read ``--observation`` and ``--said``; one of them must be given."""
    if not observations and said is None:
        raise UsageError(
            "a statement cites its source",
            'name the observation: --observation ID; or say it here: --said "…"',
        )
    sources = named_sources(workspace, observations)
    if said is not None:
        sources = _joined(sources, _said_here(workspace, said, by))
    return sources


def named_sources(workspace: Workspace, ids: Sequence[str]) -> Sources:
    """Give observations that are there."""
    sources = Sources()
    for id in dict.fromkeys(ids):
        sources = _joined(sources, _existing(workspace, workspace.observation(id)))
    return sources


def _joined(one: Sources, two: Sources) -> Sources:
    return Sources(
        one.cited + two.cited,
        one.dates + two.dates,
        one.speakers + two.speakers,
        one.bodies + two.bodies,
        one.changes + two.changes,
    )


def _existing(workspace: Workspace, seen: Observation) -> Sources:
    day = written_day(seen.happened_at) if seen.happened_at else ""
    return Sources(
        (CitedSource(seen.id, seen.title, day, seen.path),),
        (seen.happened_at,),
        (seen.said_by,),
        (workspace.graph.body_of(seen.id),),
    )


def _said_here(workspace: Workspace, text: str, by: str) -> Sources:
    """File what somebody says now. The same words of the same speaker on the same day are one observation."""
    said_by = speaker(workspace, by)
    new = plan_observation(workspace, text, happened_at=moment(workspace.now), said_by=said_by)
    graph, stem, number = workspace.graph, re.sub(r"-\d+\Z", "", new.id), 1
    id = stem
    while id == stem or id in graph.observations:
        seen = graph.observations.get(id)
        is_same = seen is not None and seen.said_by == said_by
        if seen is not None and is_same and graph.body_of(id).strip() == text.strip():
            return _existing(workspace, seen)
        number += 1
        id = f"{stem}-{number}"
    return Sources((new.cited,), (new.date,), (said_by,), (text,), (new.change,))
