"""What git's own files say: where its folder is, and which commit is checked out. Imports next to nothing."""

import os
from typing import NamedTuple

_NO_COMMIT = ""
_IN_TABLES = "ref: refs/heads/.invalid"
SHA1_LENGTH, SHA256_LENGTH = 40, 64


class WorkTree(NamedTuple):
    """A work tree that holds a root."""

    git_dir: str
    inside: str  #: the root's path in it; ``.`` where it is its top


def find_work_tree(root: str) -> WorkTree | None:
    """Find the work tree that holds the root, ``None`` where there is none. Symbolic links are followed, as git does."""
    start = folder = os.path.realpath(root)
    while True:
        candidate = os.path.join(folder, ".git")
        git_dir = candidate if os.path.isdir(candidate) else None
        if git_dir is None and os.path.isfile(candidate):
            git_dir = _pointed_at(candidate)
            if git_dir is None:
                return None
        if git_dir is not None:
            return WorkTree(git_dir, os.path.relpath(start, folder))
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def find_git_dir(root: str) -> str | None:
    """Find the git folder of the work tree that holds the root, ``None`` where there is none."""
    tree = find_work_tree(root)
    return tree.git_dir if tree else None


def _pointed_at(pointer: str) -> str | None:
    """Read a ``.git`` file, as worktrees and submodules have."""
    try:
        with open(pointer, encoding="utf-8") as file:
            line = file.readline().strip()
    except (OSError, UnicodeDecodeError):
        return None
    if not line.startswith("gitdir: "):
        return None
    return os.path.normpath(os.path.join(os.path.dirname(pointer), line[len("gitdir: ") :]))


def head_commit(root: str) -> str:
    """Give the id of the commit checked out; empty where there is none. Reads the references as files.

    Git is asked only where they lie in tables ("reftable"), which leave this sign in the place of HEAD.
    """
    git_dir = find_git_dir(root)
    if git_dir is None:
        return _NO_COMMIT
    head = _first_line(os.path.join(git_dir, "HEAD"))
    if not head.startswith("ref: "):
        return head if is_object_id(head) else _NO_COMMIT
    if head == _IN_TABLES:
        from kb.store.git import ask_head

        return ask_head(root)
    return _resolve_reference(git_dir, head[len("ref: ") :])


def _resolve_reference(git_dir: str, name: str) -> str:
    common = _first_line(os.path.join(git_dir, "commondir"))
    shared = os.path.normpath(os.path.join(git_dir, common)) if common else git_dir
    if ".." in name.split("/"):
        return _NO_COMMIT
    for folder in (git_dir, shared):
        line = _first_line(os.path.join(folder, name))
        if is_object_id(line):
            return line
    try:
        with open(os.path.join(shared, "packed-refs"), encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.rstrip("\n").endswith(f" {name}") and is_object_id(line[:40]):
                    return line.split(" ", 1)[0]
    except OSError:
        pass
    return _NO_COMMIT


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""


def is_object_id(text: str) -> bool:
    """Say whether a text may be the id of a commit, tree or blob."""
    return len(text) in (SHA1_LENGTH, SHA256_LENGTH) and all(
        char in "0123456789abcdef" for char in text
    )


def index_stamp(root: str) -> tuple[int, ...]:
    """Say what tells whether git's index changed: its size, times and file number; empty without one."""
    git_dir = find_git_dir(root)
    try:
        status = os.stat(os.path.join(git_dir or "", "index"))
    except OSError:
        return ()
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def configured_email(root: str) -> str | None:
    """Read the user's mail address off git's configuration files; ``None`` where only git itself can say.

    The repository's own file is asked first, then the user's. One that includes others is left to git.
    """
    home = os.path.expanduser("~")
    xdg = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    git_dir = find_git_dir(root)
    if "GIT_CONFIG_GLOBAL" in os.environ or "GIT_CONFIG_COUNT" in os.environ:
        return None
    places = [os.path.join(home, ".gitconfig"), os.path.join(xdg, "git", "config")]
    if git_dir is not None:
        common = _first_line(os.path.join(git_dir, "commondir"))
        places.insert(0, os.path.join(os.path.normpath(os.path.join(git_dir, common)), "config"))
    for place in places:
        try:
            with open(place, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except FileNotFoundError:
            continue
        except (OSError, UnicodeDecodeError):
            return None
        found = _email_in(lines)
        if found is None or found:
            return found
    return None


def _email_in(lines: list[str]) -> str | None:
    """Find ``user.email`` in plain lines; empty where it is not there, ``None`` where the lines are not plain."""
    section, email = "", ""
    for line in lines:
        text = line.strip()
        if text.startswith("["):
            section = text.lower()
            if section.startswith(("[include", "[user ")) or not section.endswith("]"):
                return None
        elif section == "[user]" and text.lower().startswith("email"):
            name, _, value = text.partition("=")
            value = value.strip()
            if name.strip().lower() != "email":
                continue
            if not value or any(char in value for char in '"\\#;'):
                return None
            email = value
    return email
