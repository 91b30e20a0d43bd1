"""Opening the index of a knowledge base, as fresh as its files: from disk, brought up to date, or made in memory.

What lies on disk is used only where its place can be trusted and every byte that is read is as the manifest says.
Whatever else is found is made anew. ``changes_since`` is all that says what is stale. A few changed documents are read
beside the index, each time; only when there are more of them is the index written again. The common case, that nothing
or little changed, does not import Whoosh.
"""

import contextlib
import os
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from kb.errors import KbError
from kb.index.documents import Documents
from kb.index.held import Changes, Held, changes_since, open_held
from kb.index.leaves import Leaf, MemoryLeaf
from kb.index.lookup import Lookup
from kb.index.manifest import (
    FORMAT,
    MANIFEST,
    MOST_SUSPECTS,
    Manifest,
    Unusable,
    read_manifest,
    verify_all,
    write_manifest,
)
from kb.index.postings import Progress, gather
from kb.store.derived import PlaceBusy, derived_folder, hold_place, why_distrusted

Answered = TypeVar("Answered")

_WAIT = 5.0
#: More changed documents than these, or longer ones, are written rather than read each time.
_MOST_WAITING, _LONGEST_WAITING = 40, 200_000
#: When more than one document in so many changed, all are written anew.
_FEW = 4
_FEWEST = 50
#: Segments that lookups go through before all are written anew.
_MOST_SEGMENTS = 10


class OpenIndex(NamedTuple):
    """An index that holds just the documents of the moment."""

    lookup: Lookup
    warnings: tuple[str, ...] = ()  #: why it is not kept on disk
    written: int = 0  #: documents that had to be written first
    waiting: int = 0  #: changed documents that were read beside the index


class IndexState(NamedTuple):
    """What is on disk, and whether it would be used."""

    place: str
    is_there: bool
    documents: int
    size: int  #: bytes
    built_at: float | None  #: seconds since 1970
    stale: int  #: documents that would be read or written first
    why_unusable: str  #: empty where it would be used
    why_distrusted: str  #: empty where the place would be used


def index_place(root: str) -> str:
    """Say where the index lies."""
    return os.path.join(derived_folder(root), f"index-{FORMAT}")


# -- opening ---------------------------------------------------------------------------------------------------------


def open_index(
    root: str,
    documents: Documents,
    progress: Progress | None = None,
    wait: float = _WAIT,
    is_anew: bool = False,
    is_complete: bool = False,
) -> OpenIndex:
    """Open the index with just these documents in it.

    ``is_complete`` leaves no changed document beside it; ``is_anew`` writes all of them, whatever is there.
    """
    place = index_place(root)
    distrust = why_distrusted(place)
    if distrust:
        return _in_memory(documents, f"the index is not kept: {distrust}", progress)
    if not is_anew:
        with contextlib.suppress(Exception):  # whatever is wrong with it, it is made anew
            opened = _open_as_it_is(place, documents, is_complete)
            if opened is not None:
                return opened
    try:
        with hold_place(place, wait):
            return _bring_up_to_date(place, documents, progress, is_anew, is_complete)
    except PlaceBusy:
        return _in_memory(documents, "another process is writing the index", progress)
    except OSError as error:
        why = f"the index is not kept: {place} cannot be written ({error.strerror or error})"
        return _in_memory(documents, why, progress)


def ask_index(
    root: str,
    documents: Documents,
    ask: Callable[[Lookup], Answered],
    progress: Progress | None = None,
) -> tuple[Answered, tuple[str, ...]]:
    """Ask the index something; give the answer, and the warnings of the opening.

    Where lookups fail, the index was damaged in a way that its manifest does not show: it is made anew, once.
    """
    index = open_index(root, documents, progress)
    try:
        return ask(index.lookup), index.warnings
    except KbError:
        raise
    except Exception:
        index.lookup.close()
        index = open_index(root, documents, progress, is_anew=True)
        return ask(index.lookup), index.warnings
    finally:
        index.lookup.close()


def look_at_index(root: str, documents: Documents) -> IndexState:
    """Say what is on disk, without changing it."""
    place = index_place(root)
    manifest_path = os.path.join(place, MANIFEST)
    why, count, stale = "", 0, len(documents)
    size, built_at = 0, None
    try:
        manifest = read_manifest(place)
        folder = os.path.join(place, manifest.folder)
        statuses = [entry.stat() for entry in os.scandir(folder) if entry.is_file()]
        size = sum(status.st_size for status in statuses)
        built_at = max((status.st_mtime for status in statuses), default=None)
        verify_all(place, manifest)
        held = open_held(place, manifest)
        count = held.size
        stale = len(changes_since(held, documents).keys)
    except (Unusable, OSError) as error:
        why = str(error)
    return IndexState(
        place,
        os.path.isfile(manifest_path),
        count,
        size,
        built_at,
        stale,
        why,
        why_distrusted(place),
    )


def _open_as_it_is(place: str, documents: Documents, is_complete: bool) -> OpenIndex | None:
    """Open the index as it lies, with the documents that changed beside it; ``None`` where it must be written."""
    manifest = read_manifest(place)
    held = open_held(place, manifest)
    changes = changes_since(held, documents)
    if changes and (is_complete or not _may_wait(documents, changes)):
        return None
    _keep(place, manifest, _compared(held.manifest, documents, changes))
    return OpenIndex(_look_up(held, documents, changes), waiting=len(changes.keys))


def _may_wait(documents: Documents, changes: Changes) -> bool:
    return (
        len(changes.keys) <= _MOST_WAITING
        and sum(len(documents[key].body) for key in changes.new) <= _LONGEST_WAITING
    )


def _look_up(held: Held, documents: Documents, changes: Changes) -> Lookup:
    gone: list[set[int]] = [set(leaf.gone) for leaf in held.leaves]
    for key in changes.gone:
        if (at := held.find(key)) is not None:
            gone[at[0]].add(at[1])
    for leaf, numbers in zip(held.leaves, gone, strict=True):
        leaf.gone = frozenset(numbers)
    leaves: list[Leaf] = list(held.leaves)
    if changes.new:
        leaves.append(MemoryLeaf(gather(documents[key] for key in changes.new)))
    return Lookup(leaves)


def _compared(manifest: Manifest, documents: Documents, changes: Changes) -> Manifest:
    """Say that an index was compared with the graph of the moment, where the next one can make use of that."""
    stamp = documents.stamp
    if not stamp[0] or stamp[0] == manifest.stamp[0]:
        return manifest
    suspects = changes.keys | documents.changed
    if len(suspects) > MOST_SUSPECTS:
        return manifest
    return manifest._replace(stamp=stamp, suspects=suspects)


def _keep(place: str, written: Manifest, manifest: Manifest) -> None:
    """Write what was found out, if it is new and nobody else is writing. The answer stands without."""
    if manifest == written:
        return
    with contextlib.suppress(OSError, PlaceBusy, Unusable), hold_place(place, 0):
        if read_manifest(place) == written:
            write_manifest(place, manifest)


# -- writing ---------------------------------------------------------------------------------------------------------


def _bring_up_to_date(
    place: str,
    documents: Documents,
    progress: Progress | None,
    is_anew: bool,
    is_complete: bool,
) -> OpenIndex:
    """Write what differs, or all of it. Only one process does."""
    from kb.index.renewal import renew_all, renew_parts

    if not is_anew:
        try:
            opened = _open_as_it_is(place, documents, is_complete)
            if opened is not None:  # another process was quicker
                return opened
            manifest = read_manifest(place)
            held = open_held(place, manifest)
            changes = changes_since(held, documents)
            if _is_worth_keeping(held, changes):
                verify_all(place, manifest)
                renew_parts(place, held, changes, documents, progress)
                return _written(place, len(changes.new))
        except OSError:
            if not _is_writable(place):
                raise
        except Exception:  # whatever is wrong with it: it is made anew
            pass
    return _written(place, renew_all(place, documents, progress))


def _written(place: str, count: int) -> OpenIndex:
    held = open_held(place, read_manifest(place))
    return OpenIndex(Lookup(held.leaves), written=count)


def _is_worth_keeping(held: Held, changes: Changes) -> bool:
    few = len(changes.keys) <= max(_FEWEST, held.size // _FEW)
    return few and 0 < len(held.leaves) <= _MOST_SEGMENTS


# -- in memory -------------------------------------------------------------------------------------------------------


def _in_memory(documents: Documents, why: str, progress: Progress | None) -> OpenIndex:
    gathering = gather(documents.values(), progress, len(documents))
    return OpenIndex(
        Lookup([MemoryLeaf(gathering)]), (f"{why}; searching in memory",), len(gathering)
    )


def _is_writable(place: str) -> bool:
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False
