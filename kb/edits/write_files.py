"""Planned changes of files → disk: compared, and written all or none. Remembers nothing."""

from kb.edits.edit import FileChange
from kb.errors import ConcurrentModification
from kb.store.writes import (
    WriteRefused,
    create_file,
    flush_files,
    read_place,
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
        if read_place(root, change.path) != change.before:
            raise ConcurrentModification(change.path)
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


def _write(root: str, change: FileChange, durable: bool) -> None:
    if change.before is None:
        assert change.after is not None
        create_file(root, change.path, change.after, durable=durable)
    elif change.after is None:
        remove_file(root, change.path, change.before, durable=durable)
    else:
        replace_file(root, change.path, change.after, change.before, durable=durable)
