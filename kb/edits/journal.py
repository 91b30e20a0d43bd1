"""What edits did, kept beside the derived state: for ``kb undo``, and so that a repeated call does nothing twice."""

import base64
import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

from kb.edits.edit import Edit, FileChange, StatementRef
from kb.errors import KbError
from kb.store.derived import derived_folder, why_distrusted

_FOLDER = "edits"
#: Edits that are remembered.
_MOST = 200


class Repeated(KbError):
    """An idempotency key that was used for another request."""

    def __init__(self, key: str, request: str) -> None:
        super().__init__(
            f'the idempotency key "{key}" was used for another request: "{request}"',
            "use a new key for a new request",
        )


class Unknown(KbError):
    """What was done last is not known, so that it cannot be undone."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "use git to go back")


class JournalEntry(NamedTuple):
    """An edit that was done."""

    edit: Edit
    request: str
    idempotency_key: str
    revision: str
    commit: str
    at: int  #: seconds since 1970 UTC
    is_undone: bool = False
    is_barrier: bool = False  #: something was written that is not remembered
    is_run: bool = (
        False  #: it made files, which stand in a list beside it and not in ``edit.changes``
    )
    is_partial: bool = (
        False  #: a run, or its undoing, was stopped midway: files of it may be missing
    )
    name: str = ""  #: of its file


class Journal:
    """The edits that were done last. Losing it loses no more than what ``undo`` and keys could do."""

    def __init__(self, root: str) -> None:
        self._place = os.path.join(derived_folder(root), _FOLDER)

    def add(self, entry: JournalEntry) -> list[str]:
        """Remember an edit; give a warning where that cannot be done."""
        _, why = self._append(entry)
        if not why:
            return []
        return [f"the edit is done, but not remembered, so that kb undo does not know it: {why}"]

    def begin(self, entry: JournalEntry) -> tuple[JournalEntry, str]:
        """Remember a run before its first file; give the entry with its name, and a warning where that cannot be done."""
        name, why = self._append(entry)
        warning = f"this will not be remembered, so that kb undo does not know it: {why}"
        return entry._replace(name=name), warning if why else ""

    def rewrite(self, entry: JournalEntry) -> str:
        """Remember an entry as it is now; give a reason where that cannot be done."""
        try:
            self._write(entry.name, entry)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def list_path(self, entry: JournalEntry) -> str:
        """Say where the list of a run's files lies."""
        return os.path.join(self._place, _list_name(entry.name))

    def find(self, key: str) -> JournalEntry | None:
        """Find the edit that was done under an idempotency key."""
        return next((one for one in self.iter_newest() if one.idempotency_key == key), None)

    def last(self) -> JournalEntry | None:
        """Give the last edit that changed something and was not undone.

        ``Unknown`` where that is not known: its record is damaged, or what was done last is none that is remembered.
        """
        for name in reversed(self._names()) if not why_distrusted(self._place) else ():
            entry = self._read(name)
            if entry is None:
                raise Unknown("the record of the last edit is damaged; nothing was undone")
            if entry.is_barrier and not entry.is_undone:
                raise Unknown(f"the last write was: {entry.edit.subject}; nothing was undone")
            if (entry.edit.changes or entry.is_run) and not entry.is_undone:
                return entry
        return None

    def add_barrier(self, name: str, subject: str, now: int) -> list[str]:
        """Remember that something was written that ``undo`` cannot take back, nor what was before it."""
        entry = JournalEntry(Edit(name, subject), "", "", "", "", now, is_barrier=True)
        return self.add(entry)

    def is_damaged(self) -> bool:
        """Say whether a record cannot be read."""
        return any(self._read(name) is None for name in self._names())

    def mark_undone(self, entry: JournalEntry) -> str:
        """Remember that an edit was undone; give a warning where that cannot be done."""
        why = self.rewrite(entry._replace(is_undone=True))
        return f"undone, but not remembered as undone: {why}" if why else ""

    def iter_newest(self) -> Iterator[JournalEntry]:
        """Yield the edits, the newest first; what cannot be read is passed over."""
        if not why_distrusted(self._place):
            for name in reversed(self._names()):
                entry = self._read(name)
                if entry is not None:
                    yield entry

    def _append(self, entry: JournalEntry) -> tuple[str, str]:
        """Write an entry after the last, and forget the oldest; give its name, and why that cannot be done."""
        why = why_distrusted(self._place)
        if why:
            return "", why
        try:
            os.makedirs(self._place, mode=0o700, exist_ok=True)
            names = self._names()
            number = int(names[-1].split(".")[0]) + 1 if names else 1
            name = f"{number:012}.json"
            self._write(name, entry)
            for old in names[: max(0, len(names) + 1 - _MOST)]:
                for each in (old, _list_name(old)):
                    with contextlib.suppress(OSError):
                        os.unlink(os.path.join(self._place, each))
        except OSError as error:
            return "", error.strerror or str(error)
        return name, ""

    def _read(self, name: str) -> JournalEntry | None:
        try:
            with open(os.path.join(self._place, name), encoding="utf-8") as file:
                return _read_entry(json.load(file), name)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _names(self) -> list[str]:
        try:
            names = os.listdir(self._place)
        except OSError:
            return []
        return sorted(name for name in names if name.endswith(".json") and name[:-5].isdigit())

    def _write(self, name: str, entry: JournalEntry) -> None:
        descriptor, temporary = tempfile.mkstemp(".tmp", "", self._place)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(_pack_entry(entry), file)
            os.replace(temporary, os.path.join(self._place, name))
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


def _list_name(name: str) -> str:
    return f"{name.removesuffix('.json')}.files"


def _pack_entry(entry: JournalEntry) -> dict[str, Any]:
    edit = entry.edit
    return {
        **entry._asdict(),
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
    return JournalEntry(**{**stored, "edit": Edit(**edit), "name": name})


def _encode(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _decode(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
