"""Writing the index again: a segment of what changed, or all of it. Imported by those who write, for it needs Whoosh."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable

from kb.index import segments as whoosh_segments
from kb.index.documents import Document, Documents
from kb.index.held import Changes, Held
from kb.index.manifest import (
    MANIFEST,
    MOST_SUSPECTS,
    Manifest,
    Segment,
    describe_files,
    write_manifest,
)
from kb.index.postings import Progress
from kb.store.derived import LOCK
from kb.store.kept import Kept

#: A segment so many times as large as what is added to it is written again with it.
_SMALL = 4


def renew_parts(
    place: str,
    held: Held,
    changes: Changes,
    documents: Documents,
    progress: Progress | None,
) -> None:
    """Write a segment, together with the documents of those that are small beside it: so there are never many."""
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
    segments = whoosh_segments.write_changes(
        folder, gone, frozenset(absorbed), _sorted(documents, keys), progress
    )
    _finish(place, manifest.folder, segments, documents, manifest.files)


def renew_all(place: str, documents: Documents, progress: Progress | None) -> int:
    """Write an index beside whatever is there, and take its place once it is whole."""
    folder = tempfile.mkdtemp("", "g-", place)
    name = os.path.basename(folder)
    try:
        all_documents = _sorted(documents, documents)
        segments = whoosh_segments.write_all(folder, all_documents, progress)
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
    if len(suspects) > MOST_SUSPECTS:
        suspects, stamp = frozenset(), (b"", b"")
    write_manifest(place, Manifest(folder, files, segments, stamp, suspects))
