"""Edits as commits: what a commit says, and whether one was made already. A failure of git loses no file."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from kb.derived.revision import is_same, read_tree
from kb.edits.edit import Edit
from kb.edits.journal import Committing, Journal, JournalEntry
from kb.edits.runs import read_made
from kb.edits.written_files import WrittenFile, look_at, read_file, written_files
from kb.errors import ErrorCode, KbError
from kb.model.names import stem_of
from kb.store.git import last_commit_of
from kb.store.git_commit import commit_files
from kb.store.references import find_git_dir, head_commit
from kb.store.root import OBSERVATIONS

_UNDO = "undo"
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

    def __init__(self, edit: Edit, *, is_earlier: bool = False) -> None:
        what = "the commit; what was written stands"
        if is_earlier:
            what = "the commit of an earlier edit, and nothing else was done"
        is_ours = (
            not is_earlier and edit.name != _UNDO
        )  # else undo would take back what is another's
        super().__init__(
            f'interrupted while git made {what}: "{edit.subject}"',
            "the next edit with --commit commits it, if git did not"
            + ("; kb undo takes it back" if is_ours else ""),
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
        raise CommitInterrupted(edit) from None
    if why and (made := find_commit(root, paths)):  # by git, whose caller was killed before
        return made, None
    return commit, NotCommitted(why) if why else None


class LateCommit(NamedTuple):
    """What came of the commit of an edit, or of an undoing, that was done without."""

    entry: JournalEntry  #: as it is remembered now
    uncommitted: NotCommitted | None = None  #: of all of it, or of what is left out
    is_made: bool = False  #: now; else HEAD had it, or nothing of it stands
    left_out: str = ""  #: a file of it that changed since, and of which HEAD has neither text
    warnings: tuple[str, ...] = ()


def commit_late(root: str, journal: Journal, entry: JournalEntry) -> LateCommit:
    """Commit what stands of an edit that was done without, or of its undoing, if HEAD does not have it.

    Git had refused, or its process was killed. A source that stands may be cited in HEAD by now: it is committed, whatever
    became of the other files.
    """
    edit = undoing(entry.edit) if entry.is_undone else entry.edit
    standing, changed = _part_by_standing(root, journal, entry)
    if entry.is_run:
        edit = edit._replace(observations=tuple(_observations_of(standing)))
    left_out = next(_iter_lacking(root, entry, changed), "")
    why = NotCommitted(f"{left_out} changed since") if left_out else None
    if not standing:
        return LateCommit(entry, why, left_out=left_out)
    commit, uncommitted, is_made = find_commit(root, standing), None, False
    if not commit:
        if entry.committing is not Committing.OWED:  # git may be killed, or we
            entry = entry._replace(committing=Committing.OWED)
            journal.rewrite(entry)
        commit, uncommitted = commit_edit(root, edit, standing, entry.by)
        is_made = bool(commit)
    uncommitted = uncommitted or why
    known = entry.commit if entry.is_undone else commit
    entry = entry._replace(commit=known, committing=committing_after(uncommitted))
    return LateCommit(entry, uncommitted, is_made, left_out, tuple(journal.end(entry)))


def _iter_lacking(root: str, entry: JournalEntry, paths: Iterable[str]) -> Iterator[str]:
    """Yield files that are otherwise than an edit, or its undoing, left them, and of which HEAD has neither text."""
    head = head_commit(root)
    tree = (read_tree(root, head) if head else None) or {}
    left = {
        change.path: change.before if entry.is_undone else change.after
        for change in entry.edit.changes
    }
    for path in paths:
        is_left = path in left and _is_in(tree, path, left[path])
        if not is_left and not _is_in(tree, path, read_file(root, path)):
            yield path


def _is_in(tree: Mapping[str, str], path: str, data: bytes | None) -> bool:
    """Say whether a tree has a file with some bytes, or has none where they are ``None``."""
    blob = tree.get(path)
    if data is None or blob is None:
        return data is None and blob is None
    return is_same(data, blob)


def _observations_of(paths: Iterable[str]) -> Iterator[str]:
    return (stem_of(path) for path in paths if path.startswith(f"{OBSERVATIONS}/"))


def commit_owed(root: str, journal: Journal, *, is_wanted: bool, but: str = "") -> list[str]:
    """Make the commits that earlier edits were to be, or their undoings, whose processes were killed before; say so.

    The oldest first. ``is_wanted``: git may be called; else it is only said. ``but``: the name of an edit that is seen to
    by the caller.
    """
    told: list[str] = []
    for entry in journal.owing():
        standing, _ = _part_by_standing(root, journal, entry)
        if entry.name == but or not standing:
            continue
        edit = undoing(entry.edit) if entry.is_undone else entry.edit
        stopped = f'an earlier edit was stopped before its commit ("{edit.subject}")'
        if not is_wanted and not find_commit(root, standing):
            told.append(f"{stopped}: what it did is in no commit (git status)")
            continue
        try:
            late = commit_late(root, journal, entry)
        except CommitInterrupted:
            raise CommitInterrupted(edit, is_earlier=True) from None
        if late.is_made:
            left = f"; {late.left_out} changed since, and is left to that" if late.left_out else ""
            told.append(
                f"{stopped}: what stands of it is commit {head_commit(root)[:12]} now{left}"
            )
        elif late.uncommitted is not None and not late.left_out:
            told.append(f"{stopped}: {' '.join(late.uncommitted.message.split())}")
        told += late.warnings
    return told


def _part_by_standing(
    root: str, journal: Journal, entry: JournalEntry
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the files of an edit that are as it wrote them, or of its undoing as that put them back; and the others."""
    found = look_at(root, files_of(journal, entry) or ())
    written = tuple(change.path for change in found.back)
    if entry.is_undone:
        return found.before, (*found.other, *written)
    return written, (*found.other, *found.before)


def committing_after(uncommitted: NotCommitted | None) -> Committing:
    """Say what is known of a commit, once git was asked for it."""
    return Committing.NONE if uncommitted is None else Committing.REFUSED


def files_of(journal: Journal, entry: JournalEntry) -> tuple[WrittenFile, ...] | None:
    """Give the files that an edit wrote; ``None`` where the list of a run is damaged or gone."""
    return read_made(journal, entry) if entry.is_run else written_files(entry.edit.changes)


def undoing(edit: Edit) -> Edit:
    """Give what the undoing of an edit is called, without what it changes."""
    subject = f"undo: {edit.subject}"
    return edit._replace(name=_UNDO, subject=subject, changes=(), observations=(), notes=())


def find_commit(root: str, paths: Sequence[str]) -> str:
    """Give the commit that holds files as they are now, if HEAD does: the last one that changed the first; else empty."""
    head = head_commit(root)
    tree = read_tree(root, head) if head and paths else None
    if tree is None:
        return ""
    if all(_is_in(tree, path, read_file(root, path)) for path in paths):
        return last_commit_of(root, paths[0])
    return ""


@contextlib.contextmanager
def left_unsaid(told: Iterable[str]) -> Iterator[None]:
    """Let what was done besides be a note of an error, where the answer that would say it does not come."""
    try:
        yield
    except KbError as error:
        for line in told:
            error.add_note(line)
        raise


def _commit_message(edit: Edit, by: str) -> str:
    """Write what a commit says of an edit: its subject, and trailers that name the edit, its observations and who did it."""
    left = len(edit.observations) - _MOST_TRAILERS
    body = [f"Of the observations the first {_MOST_TRAILERS} are named.", ""] if left > 0 else []
    trailers = [f"Kb-Edit: {edit.name}"]
    trailers += [f"Kb-Observation: {id}" for id in edit.observations[:_MOST_TRAILERS]]
    trailers += [f"Kb-By: {by}"] if by else []
    # A title may hold what no argument of a program can: its files are written by now.
    return "\n".join((edit.subject, "", *body, *trailers, "")).replace("\0", "")
