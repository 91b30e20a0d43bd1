"""Edits as commits: what a commit says, and whether one was made already. A failure of git loses no file."""

from collections.abc import Sequence

from kb.derived.revision import is_same, read_tree
from kb.edits.edit import Edit
from kb.edits.journal import Committing, Journal, JournalEntry
from kb.edits.runs import read_made
from kb.edits.written_files import WrittenFile, look_at, read_file, written_files
from kb.errors import ErrorCode, KbError
from kb.store.git import last_commit_of
from kb.store.git_commit import commit_files
from kb.store.references import find_git_dir, head_commit

#: Observations that a commit names.
_MOST_TRAILERS = 50


class NotCommitted(KbError):
    """An edit that stands, and that git did not commit. It is part of an answer, and never raised."""

    code = ErrorCode.NOT_COMMITTED

    def __init__(self, why: str) -> None:
        super().__init__(
            f"written, but not committed: {why}",
            "commit it yourself once that is mended, or take it back: kb undo",
        )


class CommitInterrupted(KbError):
    """An edit that stands, and of whose commit it is not known whether git made it."""

    code = ErrorCode.INTERRUPTED

    def __init__(self, subject: str) -> None:
        super().__init__(
            f'interrupted while git made the commit; what was written stands: "{subject}"',
            "the next edit with --commit commits it, if git did not; kb undo takes it back",
        )


def commit_edit(
    root: str, edit: Edit, paths: Sequence[str], by: str
) -> tuple[str, NotCommitted | None]:
    """Commit the files of an edit, and nothing else; give the commit's id, or why there is none."""
    if find_git_dir(root) is None:
        return "", NotCommitted("there is no git repository here")
    try:
        commit, why = commit_files(root, tuple(paths), _commit_message(edit, by))
    except KeyboardInterrupt:
        raise CommitInterrupted(edit.subject) from None
    if why and (made := find_commit(root, paths)):  # by git, whose caller was killed before
        return made, None
    return commit, NotCommitted(why) if why else None


def commit_late(
    root: str, edit: Edit, files: Sequence[WrittenFile], by: str
) -> tuple[str, NotCommitted | None]:
    """Commit what stands of an edit that was done without, if HEAD does not have it.

    Git had refused, or its process was killed. A source that stands may be cited in HEAD by now: it is committed, whatever
    became of the other files.
    """
    standing = tuple(change.path for change in look_at(root, files).back)
    commit = find_commit(root, standing)
    return (commit, None) if commit or not standing else commit_edit(root, edit, standing, by)


def commit_owed(root: str, journal: Journal, *, is_wanted: bool) -> list[str]:
    """Make the commits that earlier edits were to be, or their undoings, whose processes were killed before; say so.

    The oldest first. ``is_wanted``: git may be called; else it is only said.
    """
    return [
        line for entry in journal.owing() for line in _commit_one(root, journal, entry, is_wanted)
    ]


def _commit_one(root: str, journal: Journal, entry: JournalEntry, is_wanted: bool) -> list[str]:
    found = look_at(root, files_of(journal, entry) or ())
    edit, paths, told = entry.edit, tuple(change.path for change in found.back), list[str]()
    if entry.is_undone:
        edit, paths = undoing(edit), found.before
    commit, uncommitted = find_commit(root, paths), None
    if paths and not commit:
        stopped = f'an earlier edit was stopped before its commit ("{edit.subject}")'
        if not is_wanted:
            return [f"{stopped}: what it did is in no commit (git status)"]
        commit, uncommitted = commit_edit(root, edit, paths, "")
        if uncommitted is not None:
            told = [f"{stopped}: {' '.join(uncommitted.message.split())}"]
        elif commit:
            told = [f"{stopped}: it is commit {commit[:12]} now"]
    known = entry.commit if entry.is_undone else commit
    return told + journal.end(
        entry._replace(commit=known, committing=committing_after(uncommitted))
    )


def committing_after(uncommitted: NotCommitted | None) -> Committing:
    """Say what is known of a commit, once git was asked for it."""
    return Committing.NONE if uncommitted is None else Committing.REFUSED


def files_of(journal: Journal, entry: JournalEntry) -> tuple[WrittenFile, ...] | None:
    """Give the files that an edit wrote; ``None`` where the list of a run is damaged or gone."""
    return read_made(journal, entry) if entry.is_run else written_files(entry.edit.changes)


def undoing(edit: Edit) -> Edit:
    """Give what the undoing of an edit is called, without what it changes."""
    subject = f"undo: {edit.subject}"
    return edit._replace(name="undo", subject=subject, changes=(), observations=(), notes=())


def find_commit(root: str, paths: Sequence[str]) -> str:
    """Give the commit that holds files as they are now, if HEAD does: the last one that changed the first; else empty."""
    head = head_commit(root)
    tree = read_tree(root, head) if head and paths else None
    if tree is None:
        return ""
    for path in paths:
        data, blob = read_file(root, path), tree.get(path)
        if (data is None) is not (blob is None) or (data and blob and not is_same(data, blob)):
            return ""
    return last_commit_of(root, paths[0])


def _commit_message(edit: Edit, by: str) -> str:
    """Write what a commit says of an edit: its subject, and trailers that name the edit, its observations and who did it."""
    left = len(edit.observations) - _MOST_TRAILERS
    body = [f"Of the observations the first {_MOST_TRAILERS} are named.", ""] if left > 0 else []
    trailers = [f"Kb-Edit: {edit.name}"]
    trailers += [f"Kb-Observation: {id}" for id in edit.observations[:_MOST_TRAILERS]]
    trailers += [f"Kb-By: {by}"] if by else []
    # A title may hold what no argument of a program can: its files are written by now.
    return "\n".join((edit.subject, "", *body, *trailers, "")).replace("\0", "")
