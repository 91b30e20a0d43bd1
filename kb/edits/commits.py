"""Edits as commits: what a commit says, and whether one was made already. A failure of git loses no file."""

from collections.abc import Iterable, Sequence

from kb.derived.revision import is_same, read_tree
from kb.edits.edit import Edit
from kb.edits.journal import Journal, JournalEntry, State
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


def commit_edit(
    root: str, edit: Edit, paths: Sequence[str], by: str
) -> tuple[str, NotCommitted | None]:
    """Commit the files of an edit, and nothing else; give the commit's id, or why there is none."""
    if find_git_dir(root) is None:
        return "", NotCommitted("there is no git repository here")
    commit, why = commit_files(root, tuple(paths), _commit_message(edit, by))
    return commit, NotCommitted(why) if why else None


def commit_late(
    root: str, entry: JournalEntry, files: Sequence[WrittenFile], by: str
) -> tuple[str, NotCommitted | None]:
    """Commit an edit that was done without, if HEAD does not have it: git refused, or its process was killed."""
    commit = find_commit(root, files)
    if commit:
        return commit, None
    found = look_at(root, files)
    changed = [file for file in files if file.path in {*found.other, *found.before}]
    standing = tuple(change.path for change in found.back)
    # A source that stands may be cited in HEAD by now: it is committed, whatever became of the other files.
    commit, uncommitted = commit_edit(root, entry.edit, standing, by) if standing else ("", None)
    if changed and uncommitted is None and not find_commit(root, changed):
        uncommitted = NotCommitted(f"{changed[0].path} changed since")
    return commit, uncommitted


def commit_stopped(root: str, journal: Journal, *, is_wanted: bool) -> list[str]:
    """Make the commit that the edit before this one was to be, or its undoing, if its process was killed before; say so.

    ``is_wanted``: git may be called; else it is only said. One that was stopped between its files is left as it is: ``undo``
    knows it.
    """
    entry = next((one for one in journal.iter_newest() if one.state is not State.BARRIER), None)
    if entry is None or not _is_due(entry):
        return []
    changes = entry.edit.changes
    files = (read_made(journal, entry) or ()) if entry.is_run else written_files(changes)
    found, is_undone = look_at(root, files), entry.is_undone
    edit = undoing(entry.edit) if is_undone else entry.edit
    paths = found.before if is_undone else tuple(change.path for change in found.back)
    ours = [file for file in files if file.path in {*paths}]
    if not ours:
        return []
    commit = find_commit(root, ours)
    told: list[str] = []
    if not commit:
        stopped = f'an earlier edit was stopped before its commit ("{edit.subject}")'
        if not is_wanted:
            return [f"{stopped}: what it did is in no commit (git status)"]
        commit, uncommitted = commit_edit(root, edit, paths, "")
        if uncommitted is not None:
            return [f"{stopped}: {' '.join(uncommitted.message.split())}"]
        told = [f"{stopped}: it is commit {commit[:12]} now"]
    commit = entry.commit if is_undone else commit
    return [*told, *journal.end(entry._replace(commit=commit, is_settled=False))]


def _is_due(entry: JournalEntry) -> bool:
    """Say whether a process was killed that was to make a commit of an edit, or of its undoing, and may not have."""
    if entry.is_run and entry.state is State.BEGUN:
        return entry.is_to_commit and not entry.commit
    if entry.state is State.UNDONE:
        return entry.is_settled and bool(entry.commit)
    return entry.is_settled and entry.is_to_commit and not entry.commit


def undoing(edit: Edit) -> Edit:
    """Give what the undoing of an edit is called, without what it changes."""
    subject = f"undo: {edit.subject}"
    return edit._replace(name="undo", subject=subject, changes=(), observations=(), notes=())


def find_commit(root: str, files: Iterable[WrittenFile]) -> str:
    """Give the commit that holds files as they are now, if HEAD does: the last one that changed the first; else empty."""
    paths = [file.path for file in files]
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
