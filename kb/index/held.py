"""An index on disk, opened, and how the documents of the moment differ from those that it holds."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from kb.index.documents import Documents
from kb.index.leaves import DiskLeaf
from kb.index.manifest import DOCUMENTS, POSTINGS, TERMS, Manifest, Unusable, open_kept
from kb.store.sections import Damaged, Sections


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
