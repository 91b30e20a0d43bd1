"""The record of edits goes along when a knowledge base comes into a repository: keys are known, and edits undone, as before.

Wherever it is stopped, the record is whole in one of the two places, and only the new one is read.
"""

import contextlib
import errno
import os
import shutil

from kb.edits.commits import files_of
from kb.edits.journal import Journal
from kb.edits.written_files import look_at
from kb.store.derived import (
    EDITS,
    LOCK,
    PlaceBusy,
    derived_folder,
    earlier_folders,
    hold_place,
    why_distrusted,
)
from kb.store.writes import (
    TEMPORARY_PREFIX,
    TEMPORARY_SUFFIX,
    KnowledgeBaseLocked,
    WriteRefused,
    flush_folder,
    note_leftovers,
)

#: Who wrote before there was a repository may still be at it, under the lock of that place.
_WAIT = 10.0


def carry_record(root: str) -> None:
    """Move the record that was kept without this repository to where it is kept now, unless there is one.

    Of these files, that is: what was kept for others that lay at this path before stays where it is. The lock must be held.
    ``WriteRefused`` where it cannot be moved: what was done would be forgotten, and done twice.
    """
    target = os.path.join(derived_folder(root), EDITS)
    if _is_any_in(target):
        return
    for old in earlier_folders(root):
        source = os.path.join(old, EDITS)
        if _is_any_in(source) and not why_distrusted(source) and _is_of_these(root, source):
            _carry(root, old, source, target)
            return


def _is_of_these(root: str, source: str) -> bool:
    """Say whether some file is as an edit of a record wrote it, or found it: it is the record of these files then."""
    journal = Journal(root, source)
    for entry in journal.iter_newest():
        found = look_at(root, files_of(journal, entry) or ())
        known = (*(change.path for change in found.back), *found.before)
        if any(os.path.lexists(os.path.join(root, path)) for path in known):
            return True
    return False


def _carry(root: str, old: str, source: str, target: str) -> None:
    try:
        with hold_place(old, _WAIT):
            _move(source, target)
    except PlaceBusy:
        raise KnowledgeBaseLocked(os.path.join(old, LOCK)) from None
    except OSError as error:
        raise WriteRefused(
            f"the record of earlier edits cannot be moved into the repository: {error.strerror or error}",
            f"move {source} to {target} by hand; or remove it, and what it remembers is forgotten",
        ) from error
    note_leftovers(root)  # whoever was killed before is noted in the lock of the old place


def _is_any_in(folder: str) -> bool:
    try:
        return bool(os.listdir(folder))
    except OSError:
        return False


def _move(source: str, target: str) -> None:
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _move_across(source, target)


def _move_across(source: str, target: str) -> None:
    """Move a folder to another file system: copied beside its place, flushed, and renamed before the first is removed."""
    place, name = os.path.split(target)
    copy = os.path.join(place, f"{TEMPORARY_PREFIX}{name}{TEMPORARY_SUFFIX}")
    shutil.rmtree(copy, ignore_errors=True)  # a killed process left it
    os.mkdir(copy, 0o700)
    for one in os.listdir(source):
        shutil.copyfile(os.path.join(source, one), os.path.join(copy, one))
        with open(os.path.join(copy, one), "rb") as file, contextlib.suppress(OSError):
            os.fsync(file.fileno())
    flush_folder(copy)
    os.rename(copy, target)
    flush_folder(place)
    shutil.rmtree(source, ignore_errors=True)
