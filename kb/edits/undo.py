"""``kb undo``: put back what the last edit changed, as it was to the byte. Refused where a file changed since."""

from kb.edits.apply import Applied
from kb.edits.commits import (
    commit_edit,
    commit_owed,
    committing_after,
    files_of,
    find_commit,
    left_unsaid,
    undoing,
)
from kb.edits.edit import Edit
from kb.edits.journal import Committing, Journal, JournalEntry, State, Unknown
from kb.edits.write_files import write_files
from kb.edits.writing import writing
from kb.edits.written_files import WrittenFile, look_at, written_files
from kb.errors import ConcurrentModification, ErrorCode, KbError
from kb.store.git_commit import unstage_files


class NothingToUndo(KbError):
    """No edit is remembered that could be undone."""

    code = ErrorCode.NOT_UNDONE


class Undone(KbError):
    """The files are no longer as the edit left them."""

    code = ErrorCode.CONCURRENT_MODIFICATION

    def __init__(self, path: str, subject: str) -> None:
        super().__init__(
            f"{path} changed since; nothing was undone",
            f'what was to be undone: "{subject}"; edit the file, or use git',
        )


def undo_last(root: str, by: str = "", dry_run: bool = False) -> Applied:
    """Undo the last edit that was not undone yet; give the edit that does it.

    An edit that was committed is undone by a commit of its own. Of one that was stopped midway, as of an undoing, what
    stands is taken back.
    """
    with writing(root) as journal:
        entry = journal.last()
        if entry is None:
            raise NothingToUndo(
                "there is no edit to undo", "kb undo knows what kb did; for all else there is git"
            )
        files = _files_of(journal, entry)
        undo = _reversed(root, entry, files)
        if dry_run:
            return Applied(undo, False, "")
        paths = tuple(file.path for file in files)
        if entry.committing is not Committing.NONE and not entry.commit:
            entry = entry._replace(commit=find_commit(root, paths))
        was_asked = entry.committing is not Committing.NONE
        warnings = commit_owed(root, journal, is_wanted=bool(entry.commit), but=entry.name)
        committing = Committing.OWED if entry.commit else Committing.NONE
        entry = entry._replace(committing=committing, by=by)
        with left_unsaid(warnings):
            _write(root, journal, entry, undo)
        uncommitted = None
        if entry.commit:
            with left_unsaid(warnings):
                _, uncommitted = commit_edit(root, undoing(entry.edit), paths, by)
        elif was_asked:  # a commit that was killed leaves its files staged
            unstage_files(root, {change.path: change.before for change in undo.changes})
        done = entry._replace(state=State.UNDONE, committing=committing_after(uncommitted))
        why = journal.rewrite(done)
        warnings += [f"undone, but not remembered as undone: {why}"] if why else []
        return Applied(undo, True, "", uncommitted=uncommitted, warnings=tuple(warnings))


def _files_of(journal: Journal, entry: JournalEntry) -> tuple[WrittenFile, ...]:
    files = files_of(journal, entry)
    if files is None:
        raise Unknown(f'the record of "{entry.edit.subject}" is damaged; nothing was undone')
    return files


def _reversed(root: str, entry: JournalEntry, files: tuple[WrittenFile, ...]) -> Edit:
    """Give the edit that undoes another."""
    edit, found = entry.edit, look_at(root, files)
    changed = found.other if entry.state is not State.DONE else (*found.other, *found.before)
    if changed:
        raise Undone(changed[0], edit.subject)
    return undoing(edit)._replace(changes=found.back, observations=edit.observations)


def _write(root: str, journal: Journal, entry: JournalEntry, undo: Edit) -> None:
    """Put the files back. Were this killed midway, the next undo would go on with what is left."""
    journal.rewrite(entry._replace(state=State.UNDOING))
    try:
        write_files(root, undo.changes)
    except BaseException as error:
        if not look_at(root, written_files(undo.changes)).back:  # all was put back
            journal.rewrite(entry)
        if isinstance(error, ConcurrentModification):
            raise Undone(error.path, entry.edit.subject) from None
        raise
