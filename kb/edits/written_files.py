"""Files as an edit wrote them, beside what is on disk now: what of the edit stands, and what would take it back. Writes nothing."""

import os
import sys
from collections.abc import Iterable
from typing import NamedTuple

from kb.edits.edit import FileChange
from kb.model.digests import sha256
from kb.store.files import read_bytes


class WrittenFile(NamedTuple):
    """A file that an edit wrote, or was about to write."""

    path: str
    digest: str  #: SHA-256 of its bytes afterwards, in hex; empty where it was removed
    before: bytes | None = None  #: ``None``: there was no such file


class Standing(NamedTuple):
    """What became of the files of an edit."""

    back: tuple[
        FileChange, ...
    ]  #: of those that are as they were written: what takes them back, the last one first
    before: tuple[str, ...]  #: paths of those that are as they were before
    other: tuple[str, ...]  #: paths of those that are neither


def written_files(changes: Iterable[FileChange]) -> tuple[WrittenFile, ...]:
    """Give the files of planned changes."""
    return tuple(
        WrittenFile(change.path, digest_of(change.after), change.before) for change in changes
    )


def look_at(root: str, files: Iterable[WrittenFile]) -> Standing:
    """Compare files with what is on disk. One that was to stay as it was counts as written."""
    back: list[FileChange] = []
    before: list[str] = []
    other: list[str] = []
    for file in files:
        data = read_file(root, file.path)
        if data is None and os.path.lexists(os.path.join(root, file.path)):
            other.append(file.path)
        elif digest_of(data) == file.digest:
            back.append(FileChange(file.path, data, file.before))
        elif data == file.before:
            before.append(file.path)
        else:
            other.append(file.path)
    return Standing(tuple(reversed(back)), tuple(before), tuple(other))


def read_file(root: str, path: str) -> bytes | None:
    """Read a file; ``None`` where there is none that can be read, as where a link or a pipe has its place."""
    try:
        return read_bytes(root, path, sys.maxsize)
    except OSError:
        return None


def digest_of(data: bytes | None) -> str:
    """Digest a file's bytes; empty where there is no file."""
    return "" if data is None else sha256(data).hexdigest()
