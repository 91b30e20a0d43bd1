"""Opening the index of a knowledge base, as fresh as its files: from disk, brought up to date, or made in memory.

What lies on disk is used only where its place can be trusted and every byte that is read is as the manifest says.
Whatever else is found is made anew. ``changes_since`` is all that says what is stale. A few changed documents are read
beside the index, each time; only when there are more of them is the index written again. The common case, that nothing
or little changed, does not import Whoosh.
"""

import contextlib
import os
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from kb.errors import KbError
from kb.index.documents import Document, Documents
from kb.index.leaves import DiskLeaf, Leaf, MemoryLeaf
from kb.index.lookup import Lookup
from kb.index.manifest import (
    DOCUMENTS,
    FORMAT,
    MANIFEST,
    POSTINGS,
    TERMS,
    Manifest,
    Segment,
    Unusable,
    describe_files,
    open_kept,
    read_manifest,
    verify_all,
    write_manifest,
)
from kb.index.postings import Progress, gather
from kb.store.derived import LOCK, PlaceBusy, derived_folder, hold_place, why_distrusted
from kb.store.kept import Kept
from kb.store.sections import Damaged, Sections

Answered = TypeVar("Answered")

_WAIT = 5.0
#: More changed documents than these, or longer ones, are written rather than read each time.
_MOST_WAITING, _LONGEST_WAITING = 40, 200_000
#: When more than one document in so many changed, all are written anew.
_FEW = 4
_FEWEST = 50
#: A segment so many times as large as what is added to it is written again with it.
_SMALL = 4
#: Segments that lookups go through before all are written anew.
_MOST_SEGMENTS = 10
#: More suspects than these are not listed in a manifest.
_MOST_SUSPECTS = 5000


class Changes(NamedTuple):
    """How documents differ from those that an index holds."""

    gone: tuple[str, ...]  #: keys of documents that are no more, or are otherwise now
    new: tuple[str, ...]  #: keys of documents to add

    def __bool__(self) -> bool:
        return bool(self.gone or self.new)

    @property
    def keys(self) -> frozenset[str]:
        """All that differ."""
        return frozenset((*self.gone, *self.new))


class Held(NamedTuple):
    """An index on disk, opened: all of it that a lookup reads was found to be what was written."""

    manifest: Manifest  #: with the stamps under which the files were found whole just now
    leaves: tuple[DiskLeaf, ...]

    @property
    def size(self) -> int:
        """How many documents it holds."""
        return sum(leaf.count - len(leaf.gone) for leaf in self.leaves)

    def find(self, key: str) -> tuple[int, int] | None:
        """Say which leaf holds a document, and under which number."""
        for index, leaf in enumerate(self.leaves):
            number = leaf.find(key)
            if number >= 0 and number not in leaf.gone:
                return index, number
        return None

    def digests(self) -> dict[str, bytes]:
        """Give the digest of each document by its key."""
        return {
            leaf.key(number): leaf.digest(number)
            for leaf in self.leaves
            for number in range(leaf.count)
            if number not in leaf.gone
        }


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


# -- what differs ----------------------------------------------------------------------------------------------------


def changes_since(held: Held, documents: Documents) -> Changes:
    """Compare the digests that an index holds with those of the documents now.

    Where both are of one full build of the graph, only what either of them names as changed since can differ.
    """
    manifest, stamp = held.manifest, documents.stamp
    if stamp[0] and stamp[0] == manifest.stamp[0]:
        suspects = manifest.suspects
        if stamp != manifest.stamp:
            suspects |= documents.changed
        return _compare(held, documents, suspects)
    digests = held.digests()
    gone, new = [], []
    for key, digest in documents.iter_digests():
        before = digests.pop(key, None)
        if before != digest:
            new.append(key)
            if before is not None:
                gone.append(key)
    return Changes((*gone, *digests), tuple(new))


def _compare(held: Held, documents: Documents, keys: Iterable[str]) -> Changes:
    gone, new = [], []
    for key in sorted(keys):
        place, digest = held.find(key), documents.digest_of(key)
        before = held.leaves[place[0]].digest(place[1]) if place else None
        if before != digest:
            if before is not None:
                gone.append(key)
            if digest is not None:
                new.append(key)
    return Changes(tuple(gone), tuple(new))


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


def open_held(place: str, manifest: Manifest) -> Held:
    """Open what a lookup reads of an index. ``Unusable`` where it is not as it was written."""
    folder = os.path.join(place, manifest.folder)
    if os.path.islink(folder):
        raise Unusable("its folder is a symbolic link")
    files = dict(manifest.files)
    leaves = []
    for segment in manifest.segments:
        opened = []
        for ending in (DOCUMENTS, TERMS, POSTINGS):
            name = segment.name + ending
            if name not in files:
                raise Unusable(f"{name} is missing")
            data, files[name] = open_kept(folder, files[name])
            opened.append(data)
        try:
            documents, terms, postings = opened
            leaves.append(DiskLeaf(Sections(documents), terms, postings, frozenset(segment.gone)))
        except (Damaged, ValueError) as error:
            raise Unusable(str(error)) from None
    return Held(manifest._replace(files=files), tuple(leaves))


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
    if len(suspects) > _MOST_SUSPECTS:
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
                _write_changes(place, held, changes, documents, progress)
                return _written(place, len(changes.new))
        except OSError:
            if not _is_writable(place):
                raise
        except Exception:  # whatever is wrong with it: it is made anew
            pass
    return _written(place, _write_anew(place, documents, progress))


def _written(place: str, count: int) -> OpenIndex:
    held = open_held(place, read_manifest(place))
    return OpenIndex(Lookup(held.leaves), written=count)


def _is_worth_keeping(held: Held, changes: Changes) -> bool:
    few = len(changes.keys) <= max(_FEWEST, held.size // _FEW)
    return few and 0 < len(held.leaves) <= _MOST_SEGMENTS


def _write_changes(
    place: str,
    held: Held,
    changes: Changes,
    documents: Documents,
    progress: Progress | None,
) -> None:
    """Write a segment, together with the documents of those that are small beside it: so there are never many."""
    from kb.index.segments import write_changes

    manifest = held.manifest
    gone: dict[str, list[int]] = {}
    for key in changes.gone:
        if (at := held.find(key)) is not None:
            gone.setdefault(manifest.segments[at[0]].name, []).append(at[1])
    keys = set(changes.new)
    absorbed = set()
    sizes = sorted((leaf.count, index) for index, leaf in enumerate(held.leaves))
    for size, index in sizes:
        if size > _SMALL * len(keys):
            break
        leaf, name = held.leaves[index], manifest.segments[index].name
        absorbed.add(name)
        out = leaf.gone.union(gone.get(name, ()))
        keys |= {leaf.key(number) for number in range(leaf.count) if number not in out}
    folder = os.path.join(place, manifest.folder)
    segments = write_changes(folder, gone, frozenset(absorbed), _sorted(documents, keys), progress)
    _finish(place, manifest.folder, segments, documents, manifest.files)


def _write_anew(place: str, documents: Documents, progress: Progress | None) -> int:
    """Write an index beside whatever is there, and take its place once it is whole."""
    import shutil
    import tempfile

    from kb.index.segments import write_all

    folder = tempfile.mkdtemp("", "g-", place)
    name = os.path.basename(folder)
    try:
        all_documents = _sorted(documents, documents)
        segments = write_all(folder, all_documents, progress)
        _finish(place, name, segments, documents, {})
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    for other in os.scandir(place):
        if other.name in (LOCK, MANIFEST, name):
            continue
        if other.is_dir(follow_symlinks=False):
            shutil.rmtree(other.path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                os.unlink(other.path)
    return len(all_documents)


def _sorted(documents: Documents, keys: Iterable[str]) -> list[Document]:
    """Give documents in the order of their keys' UTF-8, in which a segment has them."""
    return [
        documents[key] for key in sorted(keys, key=lambda key: key.encode("utf-8", "surrogatepass"))
    ]


def _finish(
    place: str,
    folder: str,
    segments: tuple[Segment, ...],
    documents: Documents,
    known: dict[str, Kept],
) -> None:
    files = describe_files(os.path.join(place, folder), known)
    suspects, stamp = documents.changed, documents.stamp
    if len(suspects) > _MOST_SUSPECTS:
        suspects, stamp = frozenset(), (b"", b"")
    write_manifest(place, Manifest(folder, files, segments, stamp, suspects))


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
