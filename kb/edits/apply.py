"""An edit → disk: locked, compared, written whole or not at all, remembered, committed if asked.

The order is that of the contract: observations before what cites them, files before git. An edit is planned inside the
lock on the files as they are then. A file that somebody else saves meanwhile is never overwritten: the edit is planned
again on what is there, a few times, then refused.
"""

import os
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kb.edits.edit import Edit, FileChange, file_revision
from kb.edits.journal import Journal, JournalEntry, Repeated, State
from kb.edits.settle import settle, settle_newest, what_stands
from kb.edits.workspace import Refused, Workspace
from kb.errors import ConcurrentModification, ErrorCode, KbError
from kb.knowledge_base import open_for_reading
from kb.load import load_configuration
from kb.store.git import commit_files
from kb.store.references import find_git_dir
from kb.store.writes import (
    WriteRefused,
    create_file,
    flush_files,
    lock_knowledge_base,
    remove_file,
    replace_file,
)

Plan = Callable[[Workspace], Edit]

#: How often an edit is planned again because a file changed under it.
_TRIES = 5
#: From so many files on, they are flushed to disk all at once.
_MANY = 20
#: Observations that a commit names.
_MOST_TRAILERS = 50
#: What a repeated call is told where it matters.
UNDONE_SINCE = "it was undone since"


class OtherRevision(ConcurrentModification):
    """A file is no longer at the revision that an edit was made for."""

    def __init__(self, path: str, found: str, wanted: str) -> None:
        super().__init__(path)
        now = f"has the revision {found}" if found else "is not there"
        self.message = f"concurrent modification: {path} {now}, not {wanted}; nothing was written"
        self.hint = "read it again, and decide anew"
        self.args = (self.message,)


class NotCommitted(KbError):
    """An edit that stands, and that git did not commit. It is part of an answer, and never raised."""

    code = ErrorCode.NOT_COMMITTED

    def __init__(self, why: str) -> None:
        super().__init__(
            f"written, but not committed: {why}",
            "commit it yourself once that is mended, or take it back: kb undo",
        )


class WriteOptions(NamedTuple):
    """How an edit is done, whatever it is."""

    dry_run: bool = False
    commit: bool | None = None  #: ``None``: as ``kb.yaml`` says
    by: str = ""  #: who edits, for the record
    if_revision: str = ""  #: the revision that the first entity's file must have
    idempotency_key: str = ""  #: repeats of a call with the same key do nothing
    request: str = ""  #: what was asked, in one line: a key is good for one request only


class Applied(NamedTuple):
    """What an edit did, or would do."""

    edit: Edit
    is_written: bool
    revision: str  #: of the first entity's file, afterwards
    commit: str = ""  #: the id of the commit made; empty where none was
    is_repeated: bool = False  #: the same call was done before; nothing was done now
    uncommitted: NotCommitted | None = None  #: where it was to be
    warnings: tuple[str, ...] = ()


def apply_edit(root: str, now: int, plan: Plan, options: WriteOptions) -> Applied:
    """Plan an edit on the files as they are, and write it."""
    if options.dry_run:
        edit = plan(Workspace(open_for_reading(root, now, may_trust=False)))
        _check_revision(root, edit, options.if_revision)
        return Applied(edit, False, _revision_after(root, edit))
    for attempt in range(_TRIES):
        try:
            with lock_knowledge_base(root):
                return _apply_once(root, now, plan, options)
        except ConcurrentModification:
            if attempt == _TRIES - 1 or options.if_revision:
                raise
            time.sleep(0.01 * (attempt + 1))
    raise AssertionError("the last try returns or raises")


def _apply_once(root: str, now: int, plan: Plan, options: WriteOptions) -> Applied:
    journal = Journal(root)
    settle_newest(root, journal)
    done = find_done(root, journal, options)
    if done is not None:
        undone = (UNDONE_SINCE,) if done.is_undone else ()
        did_write = bool(done.edit.changes)
        return Applied(done.edit, did_write, done.revision, done.commit, True, warnings=undone)
    check_configuration(root)
    workspace = Workspace(open_for_reading(root, now, may_trust=False))
    edit = plan(workspace)
    _check_revision(root, edit, options.if_revision)
    revision = _revision_after(root, edit)
    warnings = warn_of_damage(journal, options)
    entry = JournalEntry(
        edit, options.request, options.idempotency_key, revision, "", now, State.BEGUN
    )
    commit, uncommitted = "", None
    if edit.changes:
        entry = journal.begin(entry)
        try:
            write_edit(root, edit.changes)
        except BaseException:
            if not what_stands(root, entry):  # all was put back
                journal.forget(entry)
            raise
        if wants_commit(workspace, options):
            commit, uncommitted = commit_edit(root, edit, edit.paths, options.by)
    if edit.changes or options.idempotency_key:
        warnings += journal.end(entry._replace(state=State.DONE, commit=commit))
    return Applied(edit, bool(edit.changes), revision, commit, False, uncommitted, tuple(warnings))


def find_done(root: str, journal: Journal, options: WriteOptions) -> JournalEntry | None:
    """Find what was done under an idempotency key; ``Repeated`` where that was another request.

    What a killed process left of it is put back, so that it can be done as a whole.
    """
    found = journal.find(options.idempotency_key) if options.idempotency_key else None
    done = settle(root, journal, found) if found is not None else None
    if done is None:
        return None
    if done.request != options.request:
        raise Repeated(options.idempotency_key, done.edit.subject)
    if done.state is State.BEGUN:
        write_edit(root, what_stands(root, done))
        journal.forget(done)
        return None
    return done


def warn_of_damage(journal: Journal, options: WriteOptions) -> list[str]:
    """Warn where an idempotency key may have been used already, in a record that cannot be read."""
    if options.idempotency_key and journal.is_damaged():
        return ["a record of earlier edits is damaged: a repeated call may go unnoticed"]
    return []


def wants_commit(workspace: Workspace, options: WriteOptions) -> bool:
    """Say whether an edit is committed by itself: as asked, else as ``kb.yaml`` says."""
    return workspace.base.settings.commit if options.commit is None else options.commit


def check_configuration(root: str) -> None:
    """Refuse to write under a ``kb.yaml`` that cannot be read whole: its words and settings would not hold."""
    damage = load_configuration(root).damage
    if damage:
        raise Refused(f"{damage}; nothing was written", "mend it: kb check")


def write_edit(root: str, changes: tuple[FileChange, ...]) -> None:
    """Write the files of an edit in their order. ``ConcurrentModification`` where one is not as it was planned on.

    All are compared before the first is written. Where a later one fails after all, the earlier ones are put back, unless
    somebody else saved them meanwhile.
    """
    for change in changes:
        _compare(root, change)
    durable = len(changes) < _MANY
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


def _compare(root: str, change: FileChange) -> None:
    try:
        with open(os.path.join(root, change.path), "rb") as file:
            found: bytes | None = file.read()
    except FileNotFoundError:
        found = None
    except OSError as error:
        raise WriteRefused(f"{change.path} is not written: {error.strerror or error}") from error
    if found != change.before:
        raise ConcurrentModification(change.path)


def _write(root: str, change: FileChange, durable: bool) -> None:
    if change.before is None:
        assert change.after is not None
        create_file(root, change.path, change.after, durable=durable)
    elif change.after is None:
        remove_file(root, change.path, change.before, durable=durable)
    else:
        replace_file(root, change.path, change.after, change.before, durable=durable)


def put_back(root: str, change: FileChange) -> None:
    """Take back a change that was written, unless somebody else saved the file meanwhile."""
    back = FileChange(change.path, change.after, change.before)
    try:
        _write(root, back, durable=True)
    except (ConcurrentModification, WriteRefused):
        return  # what is there now is somebody else's, or cannot be written: kb check tells of what it leaves


def _check_revision(root: str, edit: Edit, wanted: str) -> None:
    if not wanted:
        return
    path = _first_path(edit)
    before = next((c.before for c in edit.changes if c.path == path), None)
    if before is None and path:  # it is moved there, or not changed
        before = next((c.before for c in edit.changes if c.after is None), None)
    if before is None and path:
        try:
            with open(os.path.join(root, path), "rb") as file:
                before = file.read()
        except OSError:
            before = None
    if file_revision(before) != wanted:
        raise OtherRevision(path or "the file", file_revision(before), wanted)


def _revision_after(root: str, edit: Edit) -> str:
    path = _first_path(edit)
    for change in edit.changes:
        if change.path == path:
            return file_revision(change.after)
    try:
        with open(os.path.join(root, path), "rb") as file:
            return file_revision(file.read())
    except OSError:
        return ""


def _first_path(edit: Edit) -> str:
    """Give the path of the file that stands for an edit: its first entity's, else its first file."""
    if edit.entity_path:
        return edit.entity_path
    return edit.changes[0].path if edit.changes else ""


def commit_edit(
    root: str, edit: Edit, paths: Sequence[str], by: str
) -> tuple[str, NotCommitted | None]:
    """Commit the files of an edit, and nothing else; give the commit's id, or why there is none. No file is lost by it."""
    if find_git_dir(root) is None:
        return "", NotCommitted("there is no git repository here")
    commit, why = commit_files(root, tuple(paths), _commit_message(edit, by))
    return commit, NotCommitted(why) if why else None


def _commit_message(edit: Edit, by: str) -> str:
    """Write what a commit says of an edit: its subject, and trailers that name the edit, its observations and who did it."""
    left = len(edit.observations) - _MOST_TRAILERS
    body = [f"Of the observations the first {_MOST_TRAILERS} are named.", ""] if left > 0 else []
    trailers = [f"Kb-Edit: {edit.name}"]
    trailers += [f"Kb-Observation: {id}" for id in edit.observations[:_MOST_TRAILERS]]
    trailers += [f"Kb-By: {by}"] if by else []
    # A title may hold what no argument of a program can: its files are written by now.
    return "\n".join((edit.subject, "", *body, *trailers, "")).replace("\0", "")
