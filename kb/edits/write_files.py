"""Planned changes of files → disk: compared, and written all or none. Remembers nothing."""

import os
import stat

from kb.edits.edit import FileChange
from kb.errors import ConcurrentModification
from kb.store.writes import (
    WriteRefused,
    create_file,
    flush_files,
    remove_file,
    replace_file,
)

#: From so many files on, they are flushed to disk all at once.
MANY = 20


def write_files(root: str, changes: tuple[FileChange, ...]) -> None:
    """Write files in their order. ``ConcurrentModification`` where one is not as it was planned on.

    All are compared before the first is written. Where a later one fails after all, the earlier ones are put back, unless
    somebody else saved them meanwhile.
    """
    for change in changes:
        _compare(root, change)
    durable = len(changes) < MANY
    done: list[FileChange] = []
    try:
        for change in changes:
            _write(root, change, durable)
            done.append(change)
    except BaseException:
        for change in reversed(done):
            put_back(root, change)
        raise
    if not durable:
        flush_files(root)


def put_back(root: str, change: FileChange) -> None:
    """Take back a change that was written, unless somebody else saved the file meanwhile."""
    back = FileChange(change.path, change.after, change.before)
    try:
        _write(root, back, durable=True)
    except (ConcurrentModification, WriteRefused):
        return  # what is there now is somebody else's, or cannot be written: kb check tells of what it leaves


def _compare(root: str, change: FileChange) -> None:
    try:
        found = _read(root, change.path)
    except OSError as error:
        raise WriteRefused(f"{change.path} is not written: {error.strerror or error}") from error
    if found != change.before:
        raise ConcurrentModification(change.path)


def _read(root: str, path: str) -> bytes | None:
    """Read what stands at a path, ``None`` where nothing does. ``WriteRefused`` where no file could be written there."""
    folders = path.split("/")[:-1]
    for end in range(1, len(folders) + 1):
        if os.path.islink(os.path.join(root, *folders[:end])):
            raise WriteRefused(
                f"{path} is not written: {'/'.join(folders[:end])} is a symbolic link",
                "put the folder itself there",
            )
    place = os.path.join(root, path)
    try:
        if not stat.S_ISREG(os.lstat(place).st_mode):
            raise WriteRefused(
                f"{path} is not written: what stands there is no file, but a link, a folder or a device",
                "put the file itself there, or take away what is there",
            )
        with open(place, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _write(root: str, change: FileChange, durable: bool) -> None:
    if change.before is None:
        assert change.after is not None
        create_file(root, change.path, change.after, durable=durable)
    elif change.after is None:
        remove_file(root, change.path, change.before, durable=durable)
    else:
        replace_file(root, change.path, change.after, change.before, durable=durable)
