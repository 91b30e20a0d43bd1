"""What a user should know of any edit, whatever it is: whom a merged id meant, and what else a commit will hold."""

from collections.abc import Iterable

from kb.derived.revision import is_same
from kb.edits.apply import Plan, WriteOptions, wants_commit
from kb.edits.edit import Edit, FileChange
from kb.edits.workspace import Workspace
from kb.store.git import tree_blobs
from kb.store.references import find_git_dir, head_commit


def with_common_notes(plan: Plan, options: WriteOptions) -> Plan:
    """Let a plan also give these notes."""

    def plan_with_notes(workspace: Workspace) -> Edit:
        edit = plan(workspace)
        notes = tuple(workspace.redirect_notes)
        if wants_commit(workspace.base.settings, options):
            notes += tuple(_note_uncommitted(workspace.root, edit.changes))
        return edit._replace(notes=(*notes, *edit.notes))

    return plan_with_notes


def _note_uncommitted(root: str, changes: Iterable[FileChange]) -> Iterable[str]:
    """Name the files that somebody changed since the last commit: git commits whole files.

    That is said before anything is written: whether git takes the commit is not known.
    """
    before = {change.path: change.before for change in changes if change.before is not None}
    if not before or find_git_dir(root) is None:
        return
    head = head_commit(root)
    blobs = tree_blobs(root, head, tuple(before)) if head else {}
    if blobs is None:  # git cannot say; what it makes of the commit is a warning
        return
    for path, data in before.items():
        if path not in blobs:
            yield f"{path} was not in git yet: a commit takes all of it"
        elif not is_same(data, blobs[path]):
            yield f"{path} held changes that were not committed: a commit takes them too"
