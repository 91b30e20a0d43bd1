"""Opening the graph of a knowledge base, as fresh as its files.

What lies on disk is used where its place can be trusted and its bytes are as they were written; what changed since is
built on it, and all of it anew where that is better. Whatever cannot be kept is answered from memory, with a warning.
The common case, that nothing changed, imports neither the parser nor git.
"""

import contextlib
import time
from collections.abc import Callable
from typing import NamedTuple

from kb.derived.state import (
    Record,
    State,
    Unusable,
    graph_place,
    names_of,
    read_record,
    read_state,
    write_record,
)
from kb.store.derived import PlaceBusy, hold_place, why_distrusted
from kb.store.kept import Kept, open_sections, remove_others, write_pieces, write_sections
from kb.store.paged import InMemory
from kb.store.references import head_commit, index_stamp
from kb.store.sections import Damaged, Sections
from kb.store.sweep import Sweep, changed_paths, pack_sweep, sweep

Progress = Callable[[int], None]

#: Seconds to wait for another process that builds all.
_WAIT = 120.0
_NANOSECONDS = 1_000_000_000


class OpenGraph(NamedTuple):
    """The sections of a graph that is as fresh as the files."""

    base: Sections
    changes: Sections | None
    revision: str  #: the commit read, ``+`` where files differ from it; empty without git
    is_swept: bool  #: every file was looked at just now
    started: int  #: when the sweep began that it is as fresh as, nanoseconds since 1970
    is_built: bool = False  #: all of it was built just now
    warnings: tuple[str, ...] = ()


class NotKept(Exception):
    """The graph cannot be kept on disk; the text says why."""


def open_graph(
    root: str, progress: Progress | None = None, may_trust: bool = True, is_anew: bool = False
) -> OpenGraph:
    """Open the graph as the files are now. ``NotKept`` where they must be read into memory instead.

    ``may_trust`` allows what ``freshness`` in ``kb.yaml`` allows; ``is_anew`` builds all of it, whatever is there.
    """
    place = graph_place(root)
    distrust = why_distrusted(place)
    if distrust:
        raise NotKept(distrust)
    if not is_anew:
        with contextlib.suppress(Unusable):
            state = read_state(place)
            if may_trust and _is_vouched_for(root, state):
                if state.record != state.written:
                    # Else each command until the next sweep digests what this one found whole.
                    _keep(place, state, state.record)
                return _opened(state, is_swept=False)
            fresh = _refresh(root, place, state)
            if fresh is not None:
                return fresh
    return _build_anew(root, place, progress, is_anew)


def _opened(state: State, is_swept: bool = True) -> OpenGraph:
    record = state.record
    return OpenGraph(
        state.base,
        state.changes,
        _revision(record),
        is_swept,
        record.started,
        warnings=_warnings(record),
    )


def _warnings(record: Record) -> tuple[str, ...]:
    return (record.warning,) if record.warning else ()


def _revision(record: Record) -> str:
    if not record.commit:
        return ""
    return record.commit + ("+" if record.differing or record.is_many else "")


# -- nothing changed, or little ------------------------------------------------------------------------------------


def _is_vouched_for(root: str, state: State) -> bool:
    """Say whether the last sweep is young enough, and a look at the folders and at git shows nothing new."""
    record = state.record
    age = time.time_ns() - record.started
    return (
        0 <= age < record.freshness * _NANOSECONDS
        and not record.racy
        and head_commit(root) == record.commit
        and index_stamp(root) == record.git_index
        and state.folders.are_as_they_were(root, record.started)
    )


def _refresh(root: str, place: str, state: State) -> OpenGraph | None:
    """Look at every file and build what changed. ``None`` where all should be built anew."""
    index = index_stamp(root)
    taken = sweep(root)
    changed = changed_paths(state.folders, taken.folders) | state.record.racy
    record = state.record._replace(started=taken.started, racy=frozenset(), git_index=index)
    sections, packed = state.changes, None
    edited: dict[str, bytes | None] = {}
    if changed:
        from kb.derived.build import NeedsFullBuild, build_changes

        try:
            changes = build_changes(root, state, taken.folders, taken.started, changed)
        except NeedsFullBuild:
            return None
        record = record._replace(
            racy=changes.racy, freshness=changes.freshness, warning=changes.warning
        )
        edited, packed = changes.changed, changes.packed
        if packed is not None:
            sections = Sections(InMemory(packed))
    record, tree = _compare_with_head(root, place, state, sections, record, edited)
    _keep(place, state, record, taken if changed else None, packed, tree)
    return OpenGraph(
        state.base, sections, _revision(record), True, taken.started, warnings=_warnings(record)
    )


def _compare_with_head(
    root: str,
    place: str,
    state: State,
    changes: Sections | None,
    record: Record,
    edited: dict[str, bytes | None],
) -> tuple[Record, dict[str, str] | None]:
    """Say which files differ from HEAD; give also its files where HEAD moved."""
    commit = head_commit(root)
    if not commit:
        return record._replace(commit="", head=None, differing=frozenset(), is_many=False), None
    if commit == record.commit and not edited:
        return record, None
    from kb.derived.build import iter_blobs
    from kb.derived.revision import compare_all, is_same, read_tree
    from kb.store.head_tree import HeadTree

    if commit == record.commit and record.head and not record.is_many:
        with contextlib.suppress(Damaged, OSError):
            tree = HeadTree(open_sections(place, record.head)[0])
            differing = set(record.differing)
            for path, data in edited.items():
                wanted = tree.blob_of(path)
                is_as_there = (
                    (data is None) if not wanted else data is not None and is_same(data, wanted)
                )
                (differing.discard if is_as_there else differing.add)(path)
            return record._replace(differing=frozenset(differing)), None
    blobs = read_tree(root, commit)
    if blobs is None:
        return record._replace(commit=commit, head=None, differing=frozenset(), is_many=False), None
    found = compare_all(root, iter_blobs(state.base, changes), blobs)
    record = record._replace(commit=commit, differing=found.paths, is_many=found.is_many)
    return record, blobs


def _keep(
    place: str,
    state: State,
    record: Record,
    taken: Sweep | None = None,
    changes: bytes | None = None,
    tree: dict[str, str] | None = None,
) -> None:
    """Write what was found, if it says anything new and nobody else is writing. The answer stands without."""
    is_new = record._replace(started=0, git_index=()) != state.written._replace(
        started=0, git_index=()
    )
    if not (taken or changes or tree or is_new or record.freshness):
        return
    with contextlib.suppress(OSError, PlaceBusy, Damaged, ValueError), hold_place(place, 0):
        if read_record(place) != state.written:
            return  # another process was quicker
        if taken is not None:
            record = record._replace(folders=write_sections(place, "folders", pack_sweep(taken)))
        if changes is not None:
            record = record._replace(changes=write_pieces(place, "changes", [changes]))
        if tree is not None:
            record = record._replace(head=_write_tree(place, tree))
        write_record(place, record)
        remove_others(place, names_of(record))


def _write_tree(place: str, tree: dict[str, str]) -> Kept:
    from kb.store.head_tree import pack_tree

    return write_sections(place, "head", pack_tree(tree))


# -- all of it anew ------------------------------------------------------------------------------------------------


def _build_anew(root: str, place: str, progress: Progress | None, is_anew: bool) -> OpenGraph:
    try:
        with hold_place(place, _WAIT):
            if not is_anew:
                with contextlib.suppress(
                    Unusable
                ):  # another process may have built it while we waited
                    fresh = _refresh(root, place, read_state(place))
                    if fresh is not None:
                        return fresh
            return _write_anew(root, place, progress)
    except PlaceBusy:
        raise NotKept("another process is building it") from None
    except OSError as error:
        why = error.strerror or str(error)
        raise NotKept(f"{place} cannot be written ({why})") from None
    except (Damaged, ValueError) as error:  # what was written just now is another file by now
        raise NotKept(str(error)) from None


def _write_anew(root: str, place: str, progress: Progress | None) -> OpenGraph:
    from kb.derived.build import build_all
    from kb.derived.revision import Differing, compare_all, read_tree

    commit, index = head_commit(root), index_stamp(root)
    taken = sweep(root)  # before anything is read: what changes meanwhile has another stamp
    full = build_all(root, commit, progress)
    blobs = read_tree(root, commit) if commit else None
    found = compare_all(root, full.blobs, blobs) if blobs is not None else Differing(frozenset())
    record = Record(
        base=write_sections(place, "base", full.sections),
        changes=None,
        folders=write_sections(place, "folders", pack_sweep(taken)),
        head=_write_tree(place, blobs) if blobs is not None else None,
        started=taken.started,
        freshness=full.freshness,
        commit=commit,
        git_index=index,
        racy=taken.racy_paths(),
        differing=found.paths,
        is_many=found.is_many,
        warning=full.warning,
    )
    write_record(place, record)
    remove_others(place, names_of(record))
    return _opened(State(place, record))._replace(is_built=True)
