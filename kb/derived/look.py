"""The state of the graph file, told without making or mending it."""

import os
from typing import TYPE_CHECKING, NamedTuple

from kb.derived.state import STATE, State, Unusable, graph_place, read_state
from kb.store.derived import why_distrusted

if TYPE_CHECKING:
    from kb.graph.graph import Graph


class GraphState(NamedTuple):
    """What is on disk of the graph, and whether it would be used."""

    place: str
    is_there: bool
    size: int = 0  #: bytes
    built_at: float | None = None  #: the last full build, seconds since 1970
    changes: int = 0  #: files that changed since then and are built on it
    stale: int = 0  #: files that the next command would read again
    needs_full_build: bool = False  #: it would read all of them
    commit: str = ""  #: HEAD as it was last read
    why_unusable: str = ""  #: empty where it would be used
    why_distrusted: str = ""  #: empty where the place would be used


def look_at_graph(root: str) -> tuple[GraphState, "Graph | None"]:
    """Say what is on disk; give also the graph as the files are now, ``None`` where all of them must be read for it."""
    place = graph_place(root)
    distrust = why_distrusted(place)
    try:
        state = read_state(place)
    except Unusable as error:
        is_there = os.path.isfile(os.path.join(place, STATE))
        return GraphState(
            place, is_there, _size(place), why_unusable=str(error), why_distrusted=distrust
        ), None
    from kb.graph.known_files import newer_cards

    looked_at = GraphState(
        place,
        True,
        _size(place),
        os.stat(os.path.join(place, state.record.base.name)).st_mtime,
        len(newer_cards(state.changes)),
        commit=state.record.commit,
        why_distrusted=distrust,
    )
    return _compare_with_files(root, state, looked_at)


def _compare_with_files(
    root: str, state: State, looked_at: GraphState
) -> tuple[GraphState, "Graph | None"]:
    from kb.derived.build import NeedsFullBuild, build_changes
    from kb.graph.stored import StoredGraph
    from kb.store.paged import InMemory
    from kb.store.sections import Sections
    from kb.store.sweep import changed_paths, sweep

    taken = sweep(root)
    changed = changed_paths(state.folders, taken.folders)
    sections = state.changes
    if changed or state.record.racy:
        try:
            changes = build_changes(
                root, state, taken.folders, taken.started, changed | state.record.racy
            )
        except NeedsFullBuild:
            return looked_at._replace(stale=len(changed), needs_full_build=True), None
        looked_at = looked_at._replace(stale=len(changes.changed))
        if changes.packed is not None:
            sections = Sections(InMemory(changes.packed))
    return looked_at, StoredGraph(state.base, sections)


def _size(place: str) -> int:
    try:
        with os.scandir(place) as listing:
            return sum(entry.stat().st_size for entry in listing if entry.is_file())
    except OSError:
        return 0
