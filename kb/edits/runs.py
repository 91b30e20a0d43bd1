"""A run: an edit that makes many files, one after another, and changes none. ``kb undo`` takes back all of them.

Each file is written down before it is made, so that what a killed run made is known too. A full disk, an interruption or a
kill leaves what was made until then in place; running it again makes the rest.
"""

import contextlib
import errno
import os
from collections.abc import Iterable, Sequence

from kb.edits.edit import Edit, FileChange
from kb.edits.journal import Committing, Journal, JournalEntry, State
from kb.edits.write_files import put_back
from kb.edits.written_files import WrittenFile, digest_of, read_file
from kb.store.root import with_flags
from kb.store.writes import WriteRefused, create_file, note_leftovers

_DIGEST_LENGTH = 64
#: A list without an entry was left by a run that was killed before its first file.
_NEW_LIST = with_flags(
    os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, "O_BINARY", "O_NOFOLLOW"
)


class Run:
    """Makes the files of a run. The lock must be held."""

    def __init__(
        self, root: str, name: str, now: int, by: str = "", *, is_to_commit: bool = False
    ) -> None:
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
            state=State.BARRIER,  # as long as there is no list
            committing=Committing.OWED if is_to_commit else Committing.NONE,
            by=by,
        )
        self._why = ""  #: there is none
        self._list: int | None = None  #: an open file, or ``None`` where there is none
        self._size = 0  #: of what stands in it
        self._begun: list[
            FileChange
        ] = []  #: files of the last record, but for one that was refused

    def make(self, changes: Sequence[FileChange]) -> None:
        """Make some files, all of them or none. ``WriteRefused`` where one cannot be written."""
        if not self._is_begun:
            self._begin()
        self._note("".join(f"+{digest_of(one.after)} {one.path}\n" for one in changes))
        self._begun = []
        try:
            for change in changes:
                assert change.before is None, "a run changes no file"
                assert change.after is not None, "a run removes no file"
                self._begun.append(change)
                create_file(self.root, change.path, change.after, durable=False)
        except BaseException as error:
            # What was refused is not ours, even if the same bytes are there: another program put them. Where we were
            # interrupted, the last one may be there, and an observation must not be without those whom it names.
            if isinstance(error, WriteRefused):
                self._begun.pop()
            else:
                note_leftovers(self.root)  # whoever watches over the run may end it in peace
            try:
                for change in reversed(self._begun):
                    put_back(self.root, change)
                self._strike(changes)
            finally:
                self._count_standing()
            raise
        self.made.update(dict.fromkeys(change.path for change in changes))

    def close(self) -> None:
        """Let go of the list, whatever ended the run."""
        if self._list is not None:
            os.close(self._list)
            self._list = None

    def finish(
        self,
        edit: Edit,
        request: str,
        key: str,
        *,
        is_whole: bool,
        commit: str = "",
        committing: Committing = Committing.NONE,
    ) -> None:
        """Remember what the run did. ``key``: repeats of the request do nothing; not where only a part was done."""
        self._count_standing()
        is_known = not self.made or self._entry.is_run
        is_done = is_whole and not self._is_unsure
        entry = self._entry._replace(
            edit=edit,
            request=request,
            idempotency_key=key if is_done else "",
            state=State.BARRIER if not is_known else State.DONE if is_done else State.BEGUN,
            is_run=bool(self.made) and is_known,
            commit=commit,
            committing=committing if self.made else Committing.NONE,
        )
        if self.made or entry.idempotency_key:
            failed = self._journal.end(entry)
            is_barrier = entry.state is State.BARRIER and not failed
            self.warnings += [f"kb undo will stop at this: {self._why}"] if is_barrier else failed
        else:
            self._journal.forget(entry)
        self._entry = entry

    def _begin(self) -> None:
        """Make the list, then the entry: one that says that there is a list is never without it."""
        self._is_begun = True
        name, self._why = self._journal.reserve()
        if self._why:
            return
        entry = self._entry._replace(name=name)
        try:
            self._list = os.open(self._journal.list_path(entry), _NEW_LIST, 0o600)
            entry = entry._replace(state=State.BEGUN, is_run=True)
        except OSError as error:
            self._why = error.strerror or str(error)
        nameless, self._entry = self._entry, entry  # first, so that an interrupted run forgets it
        why = self._journal.rewrite(entry)
        if why:
            self._entry, self._why = nameless, why
            self.close()

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

    def _count_standing(self) -> None:
        """Count what stands of the last record as made, were it not made as a whole: it is on the list."""
        standing = (one.path for one in self._begun if _stands(self.root, one))
        self.made.update(dict.fromkeys(standing))

    def _strike(self, changes: Iterable[FileChange]) -> None:
        """Take what is not there, or is another's, off the list: what an interruption left stays on it."""
        gone = [
            one.path for one in changes if one not in self._begun or not _stands(self.root, one)
        ]
        try:
            self._note("".join(f"-{path}\n" for path in gone))
        except WriteRefused:
            self._is_unsure = True


def _stands(root: str, change: FileChange) -> bool:
    return read_file(root, change.path) == change.after


def read_made(journal: Journal, entry: JournalEntry) -> tuple[WrittenFile, ...] | None:
    """Give the files of a run in the order of their making; ``None`` where its list is damaged or gone.

    A last line without its end was being written when the process died: no file was made of it.
    """
    made: dict[str, WrittenFile] = {}
    try:
        with open(journal.list_path(entry), encoding="utf-8", newline="\n") as file:
            for line in file:
                if not line.endswith("\n"):
                    break
                if line.startswith("-"):
                    made.pop(line[1:-1], None)
                    continue
                digest, sign, path = line[1:-1].partition(" ")
                if not (line.startswith("+") and sign and len(digest) == _DIGEST_LENGTH):
                    return None
                made.pop(path, None)
                made[path] = WrittenFile(path, digest)
    except (OSError, ValueError):
        return None
    return tuple(made.values())
