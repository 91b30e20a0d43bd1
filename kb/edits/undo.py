"""``kb undo``: put back what the last edit changed, as it was to the byte. Refused where a file changed since."""

from kb.edits.apply import commit_edit, write_edit
from kb.edits.edit import Edit, FileChange
from kb.edits.journal import Journal, JournalEntry
from kb.edits.runs import changes_back, read_made
from kb.errors import ConcurrentModification, ErrorCode, KbError
from kb.store.writes import lock_knowledge_base


class NothingToUndo(KbError):
    """No edit is remembered that could be undone."""


class Undone(KbError):
    """The files are no longer as the edit left them."""

    code = ErrorCode.CONCURRENT_MODIFICATION

    def __init__(self, path: str, subject: str) -> None:
        super().__init__(
            f"{path} changed since; nothing was undone",
            f'what was to be undone: "{subject}"; edit the file, or use git',
        )


def undo_last(root: str, by: str = "", dry_run: bool = False) -> tuple[Edit, JournalEntry, str]:
    """Undo the last edit that was not undone yet; give the edit that does it, what it undoes, and a warning.

    An edit that was committed is undone by a commit of its own.
    """
    with lock_knowledge_base(root):
        journal = Journal(root)
        entry = journal.last()
        if entry is None:
            raise NothingToUndo(
                "there is no edit to undo", "kb undo knows what kb did; for all else there is git"
            )
        edit, paths = _reversed(root, journal, entry)
        if dry_run:
            return edit, entry, ""
        if entry.is_run:  # were this killed midway, the next undo would go on with what is left
            journal.rewrite(entry._replace(is_partial=True))
        try:
            write_edit(root, edit.changes)
        except BaseException as error:
            if entry.is_run:
                journal.rewrite(entry)
            if isinstance(error, ConcurrentModification):
                raise Undone(error.path, entry.edit.subject) from None
            raise
        warning = ""
        if entry.commit:
            _, warning = commit_edit(root, edit._replace(observations=()), paths, by)
        forgotten = journal.mark_undone(entry)
        return edit, entry, "; ".join(filter(None, (warning, forgotten)))


def _reversed(root: str, journal: Journal, entry: JournalEntry) -> tuple[Edit, tuple[str, ...]]:
    """Give the edit that undoes another, and the files that its commit is of."""
    edit = entry.edit
    changes = tuple(
        FileChange(change.path, change.after, change.before) for change in reversed(edit.changes)
    )
    paths = edit.paths
    if entry.is_run:
        files = read_made(journal, entry)
        changes, changed = changes_back(root, files, may_be_missing=entry.is_partial)
        if changed:
            raise Undone(changed, edit.subject)
        paths = tuple(made.path for made in files)
    undo = edit._replace(name="undo", subject=f"undo: {edit.subject}", changes=changes, notes=())
    return undo, paths
