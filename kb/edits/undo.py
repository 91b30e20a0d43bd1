"""``kb undo``: put back what the last edit changed, as it was to the byte. Refused where a file changed since."""

from kb.edits.apply import commit_message, write_edit
from kb.edits.edit import Edit, FileChange
from kb.edits.journal import Journal, JournalEntry
from kb.errors import ConcurrentModification, KbError
from kb.store.git import commit_files
from kb.store.writes import lock_knowledge_base


class NothingToUndo(KbError):
    """No edit is remembered that could be undone."""


class Undone(KbError):
    """The files are no longer as the edit left them."""


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
        edit = _reversed(entry.edit)
        if dry_run:
            return edit, entry, ""
        try:
            write_edit(root, edit.changes)
        except ConcurrentModification as error:
            raise Undone(
                f"{error.path} changed since; nothing was undone",
                f'what was to be undone: "{entry.edit.subject}"; edit the file, or use git',
            ) from None
        warning = ""
        if entry.commit:
            message = commit_message(edit._replace(observations=()), by)
            _, warning = commit_files(root, edit.paths, message)
        forgotten = journal.mark_undone(entry)
        return edit, entry, "; ".join(filter(None, (warning, forgotten)))


def _reversed(edit: Edit) -> Edit:
    changes = tuple(
        FileChange(change.path, change.after, change.before) for change in reversed(edit.changes)
    )
    return edit._replace(name="undo", subject=f"undo: {edit.subject}", changes=changes, notes=())
