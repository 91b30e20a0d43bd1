"""Reading the tree of files. Follows no symbolic link, reads nothing outside the root."""

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from kb.model.digests import blake2b
from kb.store.root import with_flags

#: Follows no link, and does not wait for whoever writes into a pipe.
_READ_ONLY = with_flags(os.O_RDONLY, "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
#: Read beyond a file's size, so that one that grew is read to its end.
_MORE = 1 << 12


class EntryKind(Enum):
    """What lies at a path."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    SPECIAL = "special"  #: a pipe, a socket, a device
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something under the root; ``path`` is relative to it, with ``/``."""

    path: str
    kind: EntryKind


def iter_entries(root: str, folder: str) -> Iterator[Entry]:
    """Yield what lies under a folder, sorted by name at each level, hidden names left out."""
    if os.path.islink(os.path.join(root, folder)):
        yield Entry(folder, EntryKind.LINK)
        return
    todo = [Entry(folder, EntryKind.FOLDER)]  # a stack, since folders may lie deeper than calls can
    while todo:
        entry = todo.pop()
        if entry.path != folder:
            yield entry
        if entry.kind is EntryKind.FOLDER:
            found = _list_folder(root, entry.path)
            if found is None:
                yield Entry(entry.path, EntryKind.UNREADABLE)
            else:
                todo += reversed(found)


def iter_beside_files(root: str, folder: str) -> Iterator[Entry]:
    """Yield what lies under a folder and is no regular file, hidden names left out: folders, links, pipes, what cannot be listed.

    In no order, and faster than ``iter_entries``, since of files nothing is asked.
    """
    if os.path.islink(os.path.join(root, folder)):
        yield Entry(folder, EntryKind.LINK)
        return
    todo = [folder]
    while todo:
        path = todo.pop()
        try:
            with os.scandir(os.path.join(root, path)) as listing:
                found = [entry for entry in listing if not entry.is_file(follow_symlinks=False)]
        except FileNotFoundError:
            continue
        except OSError:
            yield Entry(path, EntryKind.UNREADABLE)
            continue
        for entry in found:
            if not entry.name.startswith("."):
                inner = Entry(f"{path}/{entry.name}", _kind(entry))
                todo += [inner.path] if inner.kind is EntryKind.FOLDER else []
                yield inner


def _list_folder(root: str, folder: str) -> list[Entry] | None:
    """List a folder by name; ``None`` where the system does not let it be read."""
    try:
        with os.scandir(os.path.join(root, folder)) as listing:
            names = sorted(listing, key=lambda entry: entry.name)
            return [
                Entry(f"{folder}/{entry.name}", _kind(entry))
                for entry in names
                if not entry.name.startswith(".")
            ]
    except FileNotFoundError:
        return []
    except OSError:
        return None


def _kind(entry: os.DirEntry[str]) -> EntryKind:
    if entry.is_symlink():
        return EntryKind.LINK
    if entry.is_dir(follow_symlinks=False):
        return EntryKind.FOLDER
    return EntryKind.FILE if entry.is_file(follow_symlinks=False) else EntryKind.SPECIAL


def read_bytes(root: str, path: str, limit: int) -> bytes | None:
    """Read a regular file; ``None`` where it is larger than ``limit`` bytes. ``OSError`` as the system says."""
    descriptor = os.open(os.path.join(root, path), _READ_ONLY)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        if status.st_size > limit:
            return None
        # Mostly one read gives all; the one behind it says that there is no more.
        pieces, size = [], 0
        while size <= limit and (piece := os.read(descriptor, status.st_size + _MORE)):
            pieces.append(piece)
            size += len(piece)
        return b"".join(pieces) if size <= limit else None
    finally:
        os.close(descriptor)


def digest(data: bytes) -> bytes:
    """Digest a file's bytes: what tells whether it is the one that was read before."""
    return blake2b(data, digest_size=16).digest()
