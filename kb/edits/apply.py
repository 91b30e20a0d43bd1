"""An edit, from its plan to its record: locked, compared, written whole or not at all, remembered, committed if asked.

The order is that of the contract: the record before the files, observations before what cites them, files before git.
An edit is planned inside the lock on the files as they are then. A file that somebody else saves meanwhile is never
overwritten: the edit is planned again on what is there, a few times, then refused.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from kb.edits.commits import (
    NotCommitted,
    commit_edit,
    commit_late,
    commit_owed,
    committing_after,
    left_unsaid,
)
from kb.edits.edit import Edit, file_revision
from kb.edits.journal import Committing, Journal, JournalEntry, Repeated, State
from kb.edits.settle import settle
from kb.edits.workspace import Workspace
from kb.edits.write_files import write_files
from kb.edits.writing import check_configuration, writing
from kb.edits.written_files import look_at, read_file, written_files
from kb.errors import ConcurrentModification, ErrorCode, KbError
from kb.knowledge_base import open_for_reading
from kb.load import load_configuration
from kb.model.settings import Settings

Plan = Callable[[Workspace], Edit]

#: How often an edit is planned again because a file changed under it.
_TRIES = 5
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


class Unsettled(KbError):
    """What a killed process left of a call cannot be told from what was done since."""

    code = ErrorCode.CONCURRENT_MODIFICATION

    def __init__(self, path: str, subject: str) -> None:
        super().__init__(
            f"a call with this idempotency key was stopped midway, and {path} changed since; nothing was written",
            f'what it was to do: "{subject}"; look at the files (git diff), then call with another key',
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
        check_configuration(root)
        edit = plan(Workspace(open_for_reading(root, now, may_trust=False)))
        _check_revision(root, edit, options.if_revision)
        return Applied(edit, False, _revision_after(root, edit))
    told: list[str] = []  #: of what was owed, and is done once, however often the edit is tried
    for attempt in range(_TRIES):
        try:
            with left_unsaid(told), writing(root) as journal:
                return _apply_once(root, journal, now, plan, options, told)
        except ConcurrentModification:
            if attempt == _TRIES - 1 or options.if_revision:
                raise
            time.sleep(0.01 * (attempt + 1))
    raise AssertionError("the last try returns or raises")


def _apply_once(
    root: str, journal: Journal, now: int, plan: Plan, options: WriteOptions, told: list[str]
) -> Applied:
    done = find_done(root, journal, options)
    if done is not None:
        return _done_before(root, journal, done, options)
    check_configuration(root)
    workspace = Workspace(open_for_reading(root, now, may_trust=False))
    edit = plan(workspace)
    _check_revision(root, edit, options.if_revision)
    revision = _revision_after(root, edit)
    is_wanted = wants_commit(workspace.base.settings, options)
    told += commit_owed(root, journal, is_wanted=is_wanted)
    warnings = [*told, *warn_of_damage(journal, options)]
    is_to_commit = bool(edit.changes) and is_wanted
    entry = JournalEntry(
        edit,
        options.request,
        options.idempotency_key,
        revision,
        "",
        now,
        State.BEGUN,
        committing=Committing.OWED if is_to_commit else Committing.NONE,
        by=options.by,
    )
    commit, uncommitted = "", None
    if edit.changes:
        entry = journal.begin(entry)
        try:
            write_files(root, edit.changes)
        except BaseException:
            if not look_at(root, written_files(edit.changes)).back:  # all was put back
                journal.forget(entry)
            raise
        if is_to_commit:
            commit, uncommitted = commit_edit(root, edit, edit.paths, options.by)
            entry = entry._replace(commit=commit, committing=committing_after(uncommitted))
    if edit.changes or options.idempotency_key:
        warnings += journal.end(entry._replace(state=State.DONE))
    return Applied(edit, bool(edit.changes), revision, commit, False, uncommitted, tuple(warnings))


def find_done(root: str, journal: Journal, options: WriteOptions) -> JournalEntry | None:
    """Find what was done under an idempotency key; ``Repeated`` where that was another request.

    What a killed process left of it is put back, so that it can be done as a whole; ``Unsettled`` where that cannot be.
    """
    found = journal.find(options.idempotency_key) if options.idempotency_key else None
    done = settle(root, journal, found) if found is not None else None
    if done is None:
        return None
    if done.request != options.request:
        raise Repeated(options.idempotency_key, done.edit.subject)
    if done.state is State.BEGUN:
        left = look_at(root, written_files(done.edit.changes))
        if left.back and left.other:
            raise Unsettled(left.other[0], done.edit.subject)
        write_files(root, left.back)
        journal.forget(done)
        return None
    return done


def _done_before(root: str, journal: Journal, done: JournalEntry, options: WriteOptions) -> Applied:
    """Say what was done; where that was to be committed and is not, it is now."""
    commit, uncommitted, warnings = commit_if_wanted(root, journal, done, options)
    warnings += [UNDONE_SINCE] if done.is_undone else []
    is_written = bool(done.edit.changes)
    return Applied(done.edit, is_written, done.revision, commit, True, uncommitted, tuple(warnings))


def commit_if_wanted(
    root: str, journal: Journal, done: JournalEntry, options: WriteOptions
) -> tuple[str, NotCommitted | None, list[str]]:
    """Commit what was done before, where it is to be and is not; give the commit's id, or why there is none, and warnings."""
    settings = load_configuration(root).configuration.settings
    is_empty = not (done.edit.changes or done.is_run)
    is_known = bool(done.commit) and done.committing is Committing.NONE
    if is_known or done.is_undone or is_empty or not wants_commit(settings, options):
        return done.commit, None, []
    told = commit_owed(root, journal, is_wanted=True, but=done.name)
    with left_unsaid(told):
        late = commit_late(root, journal, done)
    return late.entry.commit, late.uncommitted, [*told, *late.warnings]


def warn_of_damage(journal: Journal, options: WriteOptions) -> list[str]:
    """Warn where an idempotency key may have been used already, in a record that cannot be read."""
    why = journal.why_unread() if options.idempotency_key else ""
    return [f"a record of earlier edits {why}: a repeated call may go unnoticed"] if why else []


def wants_commit(settings: Settings, options: WriteOptions) -> bool:
    """Say whether an edit is committed by itself: as asked, else as ``kb.yaml`` says."""
    return settings.commit if options.commit is None else options.commit


def _check_revision(root: str, edit: Edit, wanted: str) -> None:
    if not wanted:
        return
    path = _first_path(edit)
    before = next((c.before for c in edit.changes if c.path == path), None)
    if before is None and path:  # it is moved there, or not changed
        before = next((c.before for c in edit.changes if c.after is None), None)
    if before is None and path:
        before = read_file(root, path)
    if file_revision(before) != wanted:
        raise OtherRevision(path or "the file", file_revision(before), wanted)


def _revision_after(root: str, edit: Edit) -> str:
    path = _first_path(edit)
    for change in edit.changes:
        if change.path == path:
            return file_revision(change.after)
    return file_revision(read_file(root, path))


def _first_path(edit: Edit) -> str:
    """Give the path of the file that stands for an edit: its first entity's, else its first file."""
    if edit.entity_path:
        return edit.entity_path
    return edit.changes[0].path if edit.changes else ""
