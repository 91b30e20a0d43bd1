"""What edits did, kept beside the derived state: for ``kb undo``, and so that a repeated call does nothing twice."""

import base64
import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

from kb.edits.edit import Edit, FileChange, StatementRef
from kb.errors import ErrorCode, KbError
from kb.store.derived import EDITS, derived_folder, why_distrusted
from kb.store.writes import TEMPORARY_PREFIX, TEMPORARY_SUFFIX

#: Edits that are remembered.
_MOST = 200
#: The form of a record: one of another form is not read.
_FORMAT = 1
#: Beside a record: the list of a run's files; the mark of one whose commit is owed.
_FILES, _OWED = ".files", ".owed"


class Repeated(KbError):
    """An idempotency key that was used for another request."""

    code = ErrorCode.KEY_REUSED

    def __init__(self, key: str, request: str) -> None:
        super().__init__(
            f'the idempotency key "{key}" was used for another request: "{request}"',
            "use a new key for a new request",
        )


class Unknown(KbError):
    """What was done last is not known, so that it cannot be undone."""

    code = ErrorCode.NOT_UNDONE

    def __init__(self, message: str) -> None:
        super().__init__(message, "use git to go back")


class State(Enum):
    """How far an edit, or its undoing, got."""

    BEGUN = "begun"  #: it was stopped midway, or is being written: its files may be as before
    DONE = "done"
    UNDOING = "undoing"  #: its undoing was stopped midway: its files may be as before
    UNDONE = "undone"
    BARRIER = "barrier"  #: something was written, or begun, that is not remembered


class Committing(Enum):
    """What is known of the commit that an edit, or its undoing, is to be."""

    NONE = "none"  #: it is to be none, or is one; or HEAD had its files as they are
    OWED = "owed"  #: git was not asked yet, or has not answered: its process was killed, or interrupted
    REFUSED = "refused"  #: git refused, and the user was told


class Unread(Enum):
    """Why a record cannot be read."""

    DAMAGED = "is damaged"
    OTHER = "is of another version of kb"


class JournalEntry(NamedTuple):
    """An edit that was done, or begun."""

    edit: Edit
    request: str
    idempotency_key: str
    revision: str
    commit: str
    at: int  #: seconds since 1970 UTC
    state: State
    is_run: bool = (
        False  #: it made files, which stand in a list beside it and not in ``edit.changes``
    )
    name: str = ""  #: of its file; empty where it has none
    committing: Committing = Committing.NONE
    by: str = ""  #: who did it, for its commit

    @property
    def is_undone(self) -> bool:
        """Whether it was taken back, were it in part."""
        return self.state in (State.UNDOING, State.UNDONE)


class Journal:
    """The edits that were done last. Losing it loses no more than what ``undo`` and keys could do.

    An edit is written down before its files are, and once more when it is done: what a killed process did is known too.
    """

    def __init__(self, root: str, place: str = "") -> None:
        """Read and write the record of a knowledge base; ``place``: its folder, where it is not where it belongs."""
        self._place = place or os.path.join(derived_folder(root), EDITS)

    def begin(self, entry: JournalEntry) -> JournalEntry:
        """Remember an edit before its first file; give the entry with its name, which is empty where that cannot be done."""
        name, why = self.reserve()
        named = entry._replace(name=name)
        return entry if why or self.rewrite(named) else named

    def end(self, entry: JournalEntry) -> list[str]:
        """Remember an edit that is done; give a warning where that cannot be done. One that was not begun is added."""
        if entry.name:
            why = self.rewrite(entry)
            return [f"the edit is done, but not remembered as it is now: {why}"] if why else []
        name, why = self.reserve()
        why = why or self.rewrite(entry._replace(name=name))
        if not why:
            return []
        return [f"the edit is done, but not remembered, so that kb undo does not know it: {why}"]

    def reserve(self) -> tuple[str, str]:
        """Give the name of the next entry, and why none can be written; forget the oldest entries."""
        why = why_distrusted(self._place)
        if why:
            return "", why
        try:
            os.makedirs(self._place, mode=0o700, exist_ok=True)
        except OSError as error:
            return "", error.strerror or str(error)
        names = self._names()
        for old in names[: max(0, len(names) + 1 - _MOST)]:
            self._remove(old)
        number = int(names[-1].split(".")[0]) + 1 if names else 1
        return f"{number:012}.json", ""

    def rewrite(self, entry: JournalEntry) -> str:
        """Remember an entry as it is now; give a reason where that cannot be done."""
        try:
            self._write(entry.name, entry)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def forget(self, entry: JournalEntry) -> None:
        """Forget an entry of which nothing was done. One that cannot be removed is told by its files."""
        if entry.name:
            self._remove(entry.name)

    def list_path(self, entry: JournalEntry) -> str:
        """Say where the list of a run's files lies."""
        return os.path.join(self._place, _beside(entry.name, _FILES))

    def find(self, key: str) -> JournalEntry | None:
        """Find the edit that was done, or begun, under an idempotency key."""
        return next((one for one in self.iter_newest() if one.idempotency_key == key), None)

    def last(self) -> JournalEntry | None:
        """Give the last edit that changed something and was not undone.

        ``Unknown`` where that is not known: its record cannot be read, or what was done last is none that is remembered.
        """
        for name in reversed(self._names()) if not why_distrusted(self._place) else ():
            entry = self._read(name)
            if isinstance(entry, Unread):
                raise Unknown(f"the record of the last edit {entry.value}; nothing was undone")
            if entry.state is State.BARRIER:
                raise Unknown(f"the last write was: {entry.edit.subject}; nothing was undone")
            if (entry.edit.changes or entry.is_run) and entry.state is not State.UNDONE:
                return entry
        return None

    def owing(self) -> tuple[JournalEntry, ...]:
        """Give the edits whose commit is owed, the oldest first."""
        if why_distrusted(self._place):
            return ()
        marked = [
            name.removesuffix(_OWED) + ".json" for name in self._list() if name.endswith(_OWED)
        ]
        entries = [self._read(name) for name in sorted(marked)]
        return tuple(
            one
            for one in entries
            if not isinstance(one, Unread) and one.committing is Committing.OWED
        )

    def why_unread(self) -> str:
        """Say why a record cannot be read; empty where all can."""
        found = (self._read(name) for name in self._names())
        return next((one.value for one in found if isinstance(one, Unread)), "")

    def iter_newest(self) -> Iterator[JournalEntry]:
        """Yield the edits, the newest first; what cannot be read is passed over."""
        if not why_distrusted(self._place):
            for name in reversed(self._names()):
                entry = self._read(name)
                if not isinstance(entry, Unread):
                    yield entry

    def _remove(self, name: str) -> None:
        for each in (name, _beside(name, _FILES), _beside(name, _OWED)):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(self._place, each))

    def _read(self, name: str) -> JournalEntry | Unread:
        try:
            with open(os.path.join(self._place, name), encoding="utf-8") as file:
                stored = json.load(file)
        except (OSError, ValueError):
            return Unread.DAMAGED
        if not isinstance(stored, dict):
            return Unread.DAMAGED
        if stored.pop("format", None) != _FORMAT:
            return Unread.OTHER
        try:
            return _read_entry(stored, name)
        except (ValueError, KeyError, TypeError):
            return Unread.DAMAGED

    def _names(self) -> list[str]:
        return sorted(
            name for name in self._list() if name.endswith(".json") and name[:-5].isdigit()
        )

    def _list(self) -> list[str]:
        try:
            return os.listdir(self._place)
        except OSError:
            return []

    def _write(self, name: str, entry: JournalEntry) -> None:
        # The mark is there before and after the record says so: it tells which records are to be read.
        mark = os.path.join(self._place, _beside(name, _OWED))
        if entry.committing is Committing.OWED:
            with open(mark, "a"):
                pass
        descriptor, temporary = tempfile.mkstemp(TEMPORARY_SUFFIX, TEMPORARY_PREFIX, self._place)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(_pack_entry(entry), file)
            os.replace(temporary, os.path.join(self._place, name))
            if entry.committing is not Committing.OWED:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(mark)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


def _beside(name: str, ending: str) -> str:
    return name.removesuffix(".json") + ending


def _pack_entry(entry: JournalEntry) -> dict[str, Any]:
    edit = entry.edit
    return {
        "format": _FORMAT,
        **entry._asdict(),
        "state": entry.state.value,
        "committing": entry.committing.value,
        "edit": {
            **edit._asdict(),
            "changes": [
                [change.path, _encode(change.before), _encode(change.after)]
                for change in edit.changes
            ],
        },
    }


def _read_entry(stored: dict[str, Any], name: str) -> JournalEntry:
    edit = dict(stored["edit"])
    edit["changes"] = tuple(
        FileChange(path, _decode(before), _decode(after)) for path, before, after in edit["changes"]
    )
    edit["statements"] = tuple(StatementRef(*pair) for pair in edit["statements"])
    for field in ("entities", "observations", "notes"):
        edit[field] = tuple(edit[field])
    read = {
        "edit": Edit(**edit),
        "state": State(stored["state"]),
        "committing": Committing(stored["committing"]),
        "name": name,
    }
    return JournalEntry(**{**stored, **read})


def _encode(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _decode(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
