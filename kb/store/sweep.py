"""A sweep of the tree of files: what lies where, by name and stamp, so that the next one can tell what changed.

Nothing is read but folders and what the system says of each entry. A folder's entries are kept as bytes, in the order in
which the system lists them, so that a folder where nothing changed is compared at once.
"""

import os
import stat
import time
from array import array
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from kb.store.root import CONFIGURATION, ENTITIES, OBSERVATIONS, with_flags
from kb.store.sections import Sections
from kb.store.stamps import pack_stamps

#: Numbers of an entry: kind and rights, size, last change of content, last change of any sort (both nanoseconds), file number.
_WIDTH = 5
_MODE, _CONTENT, _CHANGE = 0, 2, 3
#: Clocks of file systems tick: what changed so shortly before a sweep may change again under the same stamp.
_TICK, _COARSE_TICK, _SECOND = 20_000_000, 2_000_000_000, 1_000_000_000
_TAKES_FOLDERS = os.listdir in os.supports_fd and os.stat in os.supports_dir_fd
_FOLDER_ONLY = with_flags(os.O_RDONLY, "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
#: Stands for a folder that cannot be listed.
_UNREADABLE = b"\0unreadable"
#: Numbers of a folder's stamp: last change of its list of entries, last change of any sort, file number.
_STAMP_WIDTH = 3
_NO_STAMP = bytes(8 * _STAMP_WIDTH)
#: The root itself, of which only our three entries count.
ROOT = ""


class Folder(NamedTuple):
    """A folder as it was found."""

    stamp: bytes  #: of the folder itself: changes when an entry is added, removed or renamed
    entries: bytes


class Sweep(NamedTuple):
    """The tree at one moment."""

    started: int  #: nanoseconds since 1970
    folders: Mapping[str, Folder]  #: by path relative to the root

    def racy_paths(self) -> frozenset[str]:
        """List the files that may have changed since under the stamp that was found (git's rule for racy entries)."""
        return frozenset(
            f"{path}/{name}" if path else name
            for path, folder in self.folders.items()
            for name in _racy_names(folder.entries, self.started)
        )


def sweep(root: str) -> Sweep:
    """Look at every folder of a knowledge base."""
    started = time.time_ns()
    folders = {ROOT: _look_at_root(root)}
    todo = [OBSERVATIONS, ENTITIES]
    todo = [top for top in todo if _is_folder(os.path.join(root, top))]
    while todo:
        path = todo.pop()
        folder, inner = _list_folder(os.path.join(root, path))
        folders[path] = folder
        todo += [f"{path}/{name}" for name in inner]
    return Sweep(started, folders)


def _look_at_root(root: str) -> Folder:
    names: list[str] = []
    numbers: list[int] = []
    for name in (CONFIGURATION, ENTITIES, OBSERVATIONS):
        try:
            status = os.lstat(os.path.join(root, name))
        except OSError:
            continue
        names.append(name)
        is_file = name == CONFIGURATION
        times = (status.st_mtime_ns, status.st_ctime_ns) if is_file else (0, 0)
        size = status.st_size if is_file else 0
        numbers += (status.st_mode, size, *times, status.st_ino)
    entries = _pack(names, pack_stamps(numbers))
    return Folder(_NO_STAMP, entries)


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _list_folder(path: str) -> tuple[Folder, list[str]]:
    """List a folder: what it holds, and the names of the folders in it."""
    stamp = _folder_stamp(path)
    names: list[str] = []
    numbers: list[int] = []
    inner: list[str] = []
    try:
        # Through the open folder, so that the system need not find its way to each entry anew.
        descriptor = os.open(path, _FOLDER_ONLY) if _TAKES_FOLDERS else None
        try:
            for name in os.listdir(path if descriptor is None else descriptor):
                if name[0] == ".":
                    continue
                place = name if descriptor is not None else os.path.join(path, name)
                try:
                    status = os.stat(place, dir_fd=descriptor, follow_symlinks=False)
                except FileNotFoundError:
                    continue  # its going changed the folder's stamp: the next sweep looks again
                mode = status.st_mode
                names.append(name)
                if mode & 0o170000 == stat.S_IFDIR:
                    inner.append(name)
                    numbers += (mode, 0, 0, 0, status.st_ino)
                else:
                    numbers += (
                        mode,
                        status.st_size,
                        status.st_mtime_ns,
                        status.st_ctime_ns,
                        status.st_ino,
                    )
        finally:
            if descriptor is not None:
                os.close(descriptor)
    except OSError:
        return Folder(_NO_STAMP, _UNREADABLE), []
    return Folder(stamp, _pack(names, pack_stamps(numbers))), inner


def _folder_stamp(path: str) -> bytes:
    """Say what tells whether a folder's entries are the same."""
    try:
        status = os.lstat(path)
    except OSError:
        return _NO_STAMP
    return pack_stamps((status.st_mtime_ns, status.st_ctime_ns, status.st_ino)).tobytes()


# -- what changed ----------------------------------------------------------------------------------------------------


def changed_paths(before: Mapping[str, Folder], after: Mapping[str, Folder]) -> set[str]:
    """List the files that were added, removed or stamped otherwise between two sweeps: those that are read, by path."""
    changed = set()
    for path in before.keys() | after.keys():
        old, new = before.get(path), after.get(path)
        if old is not None and new is not None and old.entries == new.entries:
            continue
        was, now = (dict(_iter_files(folder, path)) if folder else {} for folder in (old, new))
        changed |= {
            f"{path}/{name}" if path else name
            for name in was.keys() | now.keys()
            if was.get(name) != now.get(name)
        }
    return changed


def find_file(taken: Mapping[str, Folder], path: str) -> tuple[int, ...] | None:
    """Give the numbers of a file that is read, ``None`` where a sweep found none."""
    parent, _, name = path.rpartition("/")
    folder = taken.get(parent)
    if folder is None or folder.entries == _UNREADABLE or not _is_ours(parent, name):
        return None
    # Of a large folder many files may be asked for: the numbers of no other are taken apart.
    names, numbers = _unpack(folder.entries)
    try:
        at = names.index(name) * _WIDTH
    except ValueError:
        return None
    found = tuple(numbers[at : at + _WIDTH])
    return found if _is_read(found[_MODE]) else None


def is_racy(numbers: tuple[int, ...], started: int) -> bool:
    """Say whether a file may have changed since under the stamp that a sweep found."""
    return _is_racy(numbers[_CONTENT], started) or _is_racy(numbers[_CHANGE], started)


def was_written_since(path: str, started: int) -> bool:
    """Say whether a file may have been written, replaced or removed since a sweep began."""
    try:
        status = os.lstat(path)
    except OSError:
        return True
    return _is_racy(status.st_mtime_ns, started) or _is_racy(status.st_ctime_ns, started)


def _iter_files(folder: Folder, path: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    for name, numbers in iter_entries_of(folder.entries):
        if _is_ours(path, name) and _is_read(numbers[_MODE]):
            yield name, numbers


def _is_ours(folder: str, name: str) -> bool:
    return name == CONFIGURATION if folder == ROOT else name.lower().endswith(".md")


def _is_read(mode: int) -> bool:
    return not (stat.S_ISDIR(mode) or stat.S_ISLNK(mode))


def iter_entries_of(entries: bytes) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Take packed entries apart: each name with its numbers."""
    if entries == _UNREADABLE or not entries:
        return
    names, numbers = _unpack(entries)
    for index, name in enumerate(names):
        yield name, tuple(numbers[index * _WIDTH : (index + 1) * _WIDTH])


def _racy_names(entries: bytes, started: int) -> Iterator[str]:
    if entries == _UNREADABLE or not entries:
        return
    names, numbers = _unpack(entries)
    latest = max((*numbers[_CONTENT::_WIDTH], *numbers[_CHANGE::_WIDTH]), default=0)
    if not _is_racy(latest, started) and latest < started - _COARSE_TICK:
        return
    for index, name in enumerate(names):
        times = numbers[index * _WIDTH + _CONTENT], numbers[index * _WIDTH + _CHANGE]
        if any(_is_racy(time, started) for time in times):
            yield name


def _is_racy(time: int, started: int) -> bool:
    # A stamp of whole seconds comes from a file system whose clock ticks every one or two.
    tick = _COARSE_TICK if time and time % _SECOND == 0 else _TICK
    return time > started - tick


def _pack(names: list[str], numbers: "array[int]") -> bytes:
    packed = numbers.tobytes()
    head = len(names).to_bytes(8, "little")
    return head + packed + "/".join(names).encode("utf-8", "surrogateescape")


def _unpack(entries: bytes) -> tuple[list[str], "array[int]"]:
    count = int.from_bytes(entries[:8], "little")
    end = 8 + 8 * _WIDTH * count
    numbers = array("q", entries[8:end])
    names = entries[end:].decode("utf-8", "surrogateescape").split("/") if count else []
    return names, numbers


# -- kept in a file --------------------------------------------------------------------------------------------------


def pack_sweep(taken: Sweep) -> dict[str, Any]:
    """Lay a sweep out as sections."""
    at, heap, stamps = array("q", (0,)), bytearray(), bytearray()
    for folder in taken.folders.values():
        heap += folder.entries
        at.append(len(heap))
        stamps += folder.stamp
    return {
        "root": taken.folders[ROOT].entries,
        "path": "\0".join(taken.folders).encode("utf-8", "surrogateescape"),
        "stamp": stamps,
        "entries.at": at,
        "entries": heap,
    }


class KeptFolders(Mapping[str, Folder]):
    """The folders of a sweep in a file, each read when it is asked for."""

    def __init__(self, sections: Sections) -> None:
        self._sections, self._entries_at = sections, sections.longs("entries.at")
        self.paths = str(sections.raw("path"), "utf-8", "surrogateescape").split("\0")

    def are_as_they_were(self, root: str, started: int) -> bool:
        """Say whether no folder changed: nothing was added, removed, renamed, or saved by renaming.

        ``started`` is when the last sweep began that found them so. Costs a look at each folder; a file that was written
        in place stays unseen.
        """
        if _look_at_root(root).entries != self._sections.raw("root"):
            return False
        stamps, look = self._sections.longs("stamp").tolist(), os.lstat
        latest = started - _TICK
        at = 0
        for path in self.paths:
            if path != ROOT:
                try:
                    status = look(f"{root}/{path}")
                except OSError:
                    return False
                time = status.st_mtime_ns
                if (
                    time != stamps[at]
                    or status.st_ctime_ns != stamps[at + 1]
                    or status.st_ino != stamps[at + 2]
                    or time > latest
                ):
                    return False
            at += _STAMP_WIDTH
        return True

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {path: row for row, path in enumerate(self.paths)}

    def __getitem__(self, path: str) -> Folder:
        row = self._rows[path]
        at, start = self._entries_at, self._sections.place("entries")[0]
        return Folder(
            self._sections.row("stamp", row, 8 * _STAMP_WIDTH),
            self._sections.read(start + at[row], start + at[row + 1]),
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)
