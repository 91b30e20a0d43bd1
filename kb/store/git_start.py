"""Starting a repository: the one thing that writes git's own files for a new knowledge base."""

from kb.errors import KbError
from kb.store.git import find_git_dir


def start_repository(root: str) -> bool:
    """Make a git repository at a root unless one holds it already; say whether one was made."""
    if find_git_dir(root) is not None:
        return False
    try:
        from git import Git
        from git.exc import GitCommandError
    except ImportError:  # GitPython refuses to be imported where there is no git program
        return False
    try:
        Git(root).execute(["git", "init", "--quiet"])
    except GitCommandError as error:
        why = str(error.stderr).strip().splitlines()
        raise KbError("git cannot make a repository here", why[-1] if why else "") from error
    return find_git_dir(root) is not None
