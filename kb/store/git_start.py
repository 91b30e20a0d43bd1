"""Starting a repository: the one thing that writes git's own files for a new knowledge base."""

from kb.store.git import find_git_dir


def start_repository(root: str) -> bool:
    """Make a git repository at a root unless one holds it already; say whether one was made."""
    if find_git_dir(root) is not None:
        return False
    try:
        from git import Git
    except ImportError:  # GitPython refuses to be imported where there is no git program
        return False
    Git(root).execute(["git", "init", "--quiet"])
    return find_git_dir(root) is not None
