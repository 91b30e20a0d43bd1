"""What became of an edit that a killed process began, or began to undo: its files tell. Changes no file."""

from kb.edits.journal import Journal, JournalEntry, State
from kb.edits.written_files import look_at, written_files


def settle(root: str, journal: Journal, entry: JournalEntry) -> JournalEntry | None:
    """Say how far an edit got, and remember it; ``None`` where it was never done, which is forgotten.

    All its files as it wrote them: it was done, and not undone. All as before: the reverse. Else it stays as it is. A run
    that was begun made what stands in its list.
    """
    if entry.is_run or entry.state not in (State.BEGUN, State.UNDOING):
        return entry
    found = look_at(root, written_files(entry.edit.changes))
    if found.other or (found.back and found.before):
        return entry
    if not found.before:
        entry = entry._replace(state=State.DONE)
    elif entry.state is State.UNDOING:
        entry = entry._replace(state=State.UNDONE)
    else:
        journal.forget(entry)
        return None
    journal.rewrite(entry)  # where that cannot be done, its files tell it again
    return entry
