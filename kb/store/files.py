"""Reading the tree of files. Follows no symbolic link, reads nothing outside the root."""

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class EntryKind(Enum):
    """What lies at a path."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
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
    yield from _walk(root, folder)


def _walk(root: str, folder: str) -> Iterator[Entry]:
    try:
        with os.scandir(os.path.join(root, folder)) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError:
        yield Entry(folder, EntryKind.UNREADABLE)
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = f"{folder}/{entry.name}"
        if entry.is_symlink():
            yield Entry(path, EntryKind.LINK)
        elif entry.is_dir(follow_symlinks=False):
            yield Entry(path, EntryKind.FOLDER)
            yield from _walk(root, path)
        elif entry.is_file(follow_symlinks=False):
            yield Entry(path, EntryKind.FILE)


def read_bytes(root: str, path: str, limit: int) -> bytes | None:
    """Read a regular file; ``None`` where it is larger than ``limit`` bytes. ``OSError`` as the system says."""
    descriptor = os.open(os.path.join(root, path), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        if status.st_size > limit:
            return None
        with os.fdopen(os.dup(descriptor), "rb") as file:
            data = file.read(limit + 1)
        return data if len(data) <= limit else None
    finally:
        os.close(descriptor)
