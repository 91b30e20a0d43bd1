"""A run: an edit that makes many files, one after another, and changes none. ``kb undo`` takes back all of them.

Each file is written down before it is made, so that what a killed run made is known too. A full disk, an interruption or a
kill leaves what was made until then in place; running it again makes the rest.
"""

import contextlib
import errno
import os
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from kb.edits.apply import put_back
from kb.edits.edit import Edit, FileChange
from kb.edits.journal import Journal, JournalEntry, Unknown
from kb.model.digests import sha256
from kb.store.root import with_flags
from kb.store.writes import WriteRefused, create_file

_NEW_LIST = with_flags(os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, "O_BINARY")


class MadeFile(NamedTuple):
    """A file that a run made."""

    path: str
    digest: str  #: SHA-256 of its bytes, in hex


class Run:
    """Makes the files of a run. The lock must be held."""

    def __init__(self, root: str, name: str, now: int) -> None:
        self.root, self.made = root, dict[str, None]()
        self.warnings: list[str] = []
        self._is_begun = self._is_unsure = False
        self._journal = Journal(root)
        self._entry = JournalEntry(
            Edit(name, f"{name} that was not finished"),
            request="",
            idempotency_key="",
            revision="",
            commit="",
            at=now,
            is_run=True,
            is_partial=True,
        )
        self._list: int | None = None  #: an open file, or ``None`` where there is none
        self._size = 0  #: of what stands in it

    def make(self, changes: Sequence[FileChange]) -> None:
        """Make some files, all of them or none. ``WriteRefused`` where one cannot be written."""
        if not self._is_begun:
            self._begin()
        self._note("".join(f"+{_digest(one.after or b'')} {one.path}\n" for one in changes))
        done: list[FileChange] = []
        try:
            for change in changes:
                assert change.before is None, "a run changes no file"
                assert change.after is not None, "a run removes no file"
                create_file(self.root, change.path, change.after, durable=False)
                done.append(change)
        except BaseException as error:
            for change in reversed(done):
                put_back(self.root, change)
            # What was refused is not ours, even if the same bytes are there: another program put them.
            refused = changes[len(done) :] if isinstance(error, WriteRefused) else ()
            self._strike(changes, {change.path for change in refused})
            raise
        self.made.update(dict.fromkeys(change.path for change in changes))

    def close(self) -> None:
        """Let go of the list, whatever ended the run."""
        if self._list is not None:
            os.close(self._list)
            self._list = None

    def finish(self, edit: Edit, request: str, key: str, *, is_whole: bool) -> None:
        """Remember what the run did. ``key``: repeats of the request do nothing; not where only a part was done."""
        entry = self._entry._replace(
            edit=edit,
            request=request,
            idempotency_key=key if is_whole else "",
            is_run=self._entry.is_run and bool(self.made),
            is_barrier=self._entry.is_barrier and bool(self.made),
            is_partial=not is_whole or self._is_unsure,
        )
        if entry.name:
            self._rewrite(entry)
        elif entry.idempotency_key:
            self.warnings += self._journal.add(entry)

    def committed(self, commit: str) -> None:
        """Remember that the run is in a commit, so that its undoing is one too."""
        if self._entry.name:
            self._rewrite(self._entry._replace(commit=commit))

    def _begin(self) -> None:
        self._is_begun = True
        self._entry, warning = self._journal.begin(self._entry)
        if warning:
            self.warnings.append(warning)
            return
        path = self._journal.list_path(self._entry)
        try:
            self._list = os.open(path, _NEW_LIST, 0o600)
        except OSError as error:
            self.warnings.append(f"kb undo will stop at this: {error.strerror or error}")
            self._rewrite(self._entry._replace(is_run=False, is_barrier=True))

    def _note(self, lines: str) -> None:
        """Write lines on the list, all or none. What is written is the system's at once, however the process ends."""
        if self._list is None:
            return
        data = lines.encode()
        try:
            if os.write(self._list, data) < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._list, self._size)
            why = error.strerror or error
            raise WriteRefused(f"nothing is written that kb undo does not know: {why}") from error
        self._size += len(data)

    def _strike(self, changes: Iterable[FileChange], refused: Container[str]) -> None:
        """Take what is not there, or is another's, off the list: what an interruption left stays on it."""
        gone = [
            one.path
            for one in changes
            if one.path in refused or _read(self.root, one.path) != one.after
        ]
        try:
            self._note("".join(f"-{path}\n" for path in gone))
        except WriteRefused:
            self._is_unsure = True

    def _rewrite(self, entry: JournalEntry) -> None:
        self._entry = entry
        why = self._journal.rewrite(entry)
        self.warnings += [f"what was done is not remembered: {why}"] if why else []


def read_made(journal: Journal, entry: JournalEntry) -> tuple[MadeFile, ...]:
    """Give the files of a run in the order of their making. ``Unknown`` where its list is damaged or gone.

    A last line without its end was being written when the process died: no file was made of it.
    """
    made: dict[str, MadeFile] = {}
    try:
        with open(journal.list_path(entry), encoding="utf-8", newline="\n") as file:
            for line in file:
                if not line.endswith("\n"):
                    break
                if line.startswith("-"):
                    made.pop(line[1:-1], None)
                    continue
                digest, sign, path = line[1:-1].partition(" ")
                if not (line.startswith("+") and sign and len(digest) == 64):
                    raise ValueError(line)
                made.pop(path, None)
                made[path] = MadeFile(path, digest)
    except (OSError, ValueError):
        if entry.is_partial and not os.path.lexists(journal.list_path(entry)):
            return ()  # it was stopped before its first file
        raise Unknown(
            f'the record of "{entry.edit.subject}" is damaged; nothing was undone'
        ) from None
    return tuple(made.values())


def changes_back(
    root: str, files: Iterable[MadeFile], *, may_be_missing: bool
) -> tuple[tuple[FileChange, ...], str]:
    """Give the changes that take files back, the last made first, and the path of one that changed since, if any."""
    changes: list[FileChange] = []
    for made in files:
        data = _read(root, made.path)
        if data is None and may_be_missing and not os.path.lexists(os.path.join(root, made.path)):
            continue
        if data is None or _digest(data) != made.digest:
            return (), made.path
        changes.append(FileChange(made.path, data, None))
    return tuple(reversed(changes)), ""


def _read(root: str, path: str) -> bytes | None:
    try:
        with open(os.path.join(root, path), "rb") as file:
            return file.read()
    except OSError:
        return None


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()
