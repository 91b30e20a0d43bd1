"""Asks git. Reads object by object; never runs what a repository's configuration names."""

import os
from typing import TYPE_CHECKING

from kb.errors import ErrorCode, KbError
from kb.model.digests import sha1, sha256
from kb.store.references import (
    SHA256_LENGTH,
    configured_email,
    find_git_dir,
    is_object_id,
)

if TYPE_CHECKING:
    from git import Git

#: Off, whatever the repository says: a reader runs no program of the repository's choice.
_SAFE = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", os.devnull),
    ("core.pager", "cat"),
    ("diff.external", ""),
    ("log.showSignature", "false"),
)
#: Git fetches nothing on its own: what a "promisor" remote is to deliver may be fetched by running a program that the
#: repository names (``ext::``, ``uploadpack``). A git too old for the first variable finds that no transport is allowed.
_SAFE_ENVIRONMENT = {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_TERMINAL_PROMPT": "0"}


class NoRepository(KbError):
    """Git cannot make a repository."""

    code = ErrorCode.NOT_WRITTEN

    def __init__(self, why: str) -> None:
        super().__init__("git cannot make a repository here", why)


def blob_id(data: bytes, like: str = "") -> str:
    """Give the id that git would store some bytes under: in a repository with ids ``like`` one, else by SHA-1."""
    stored = b"blob %d\0" % len(data) + data
    if len(like) == SHA256_LENGTH:
        return sha256(stored).hexdigest()
    return sha1(stored, usedforsecurity=False).hexdigest()


def ask_head(root: str) -> str:
    """Give the id of the commit checked out; empty where there is none, or git cannot say."""
    said = (ask_git(root, "rev-parse", "--quiet", "--verify", "HEAD") or "").strip()
    return said if is_object_id(said) else ""


def last_commit_of(root: str, path: str) -> str:
    """Give the id of the last commit, up to HEAD, that changed a file; empty where git cannot say."""
    said = (ask_git(root, "rev-list", "-1", "HEAD", "--", path) or "").strip()
    return said if is_object_id(said) else ""


def tree_blobs(root: str, commit: str, paths: tuple[str, ...]) -> dict[str, str] | None:
    """Map each file of a commit under some paths (relative to the root) to its blob id; ``None`` if git cannot say."""
    listing = ask_git(root, "ls-tree", "-r", "-z", commit, "--", *paths)
    if listing is None:
        return None
    blobs = {}
    for line in listing.split("\0"):
        meta, _, path = line.partition("\t")
        if path:
            blobs[path] = meta.split(" ")[2]
    return blobs


def read_blobs(root: str, ids: tuple[str, ...]) -> dict[str, bytes]:
    """Read several blobs with one process; those that git does not have are left out."""
    wanted = [id for id in dict.fromkeys(ids) if is_object_id(id)]
    command = _git(root) if wanted else None
    if command is None:
        return {}
    import tempfile  # heavy, and few commands read old versions

    with tempfile.TemporaryFile() as file:
        file.write("".join(f"{id}\n" for id in wanted).encode("ascii"))
        file.seek(0)
        try:
            data = command.execute(
                [*_command(root), "cat-file", "--batch"],
                istream=file,
                env=_SAFE_ENVIRONMENT,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        except Exception:  # any failure of git means that it cannot say
            return {}
    return _split_batch(data) if isinstance(data, bytes) else {}


def _split_batch(data: bytes) -> dict[str, bytes]:
    """Take apart what ``cat-file --batch`` prints: ``<id> <type> <size>``, the bytes, a line end."""
    blobs, at = {}, 0
    while at < len(data):
        end = data.index(b"\n", at)
        header = data[at:end].decode("ascii", "replace").split(" ")
        at = end + 1
        if len(header) == 3 and header[2].isdigit():
            size = int(header[2])
            blobs[header[0]] = data[at : at + size]
            at += size + 1
    return blobs


def is_tracked(folder: "str | os.PathLike[str]") -> bool:
    """Say whether a work tree may hold a folder's files: a clone could then have brought them.

    Where git cannot say, it is taken for tracked.
    """
    work_tree = place = os.path.realpath(folder)
    while not os.path.exists(os.path.join(work_tree, ".git")):
        parent = os.path.dirname(work_tree)
        if parent == work_tree:
            return False
        work_tree = parent
    listing = ask_git(work_tree, "ls-files", "-z", "--", os.path.relpath(place, work_tree))
    return listing is None or bool(listing)


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
        raise NoRepository(why[-1] if why else "") from error
    return find_git_dir(root) is not None


def _git(root: str) -> "Git | None":
    if find_git_dir(root) is None:
        return None
    try:
        from git import Git
    except ImportError:  # GitPython refuses to be imported where there is no git program
        return None
    return Git(root)


def _command(root: str) -> list[str]:
    options = [part for key, value in _SAFE for part in ("-c", f"{key}={value}")]
    return ["git", "--no-optional-locks", "--literal-pathspecs", "-C", root, *options]


def ask_git(root: str, *arguments: str) -> str | None:
    """Give what git says to a question; ``None`` if it cannot say."""
    command = _git(root)
    if command is None:
        return None
    try:
        output = command.execute(
            [*_command(root), *arguments],
            env=_SAFE_ENVIRONMENT,
            stdout_as_string=False,
            strip_newline_in_stdout=False,
        )
    except Exception:  # any failure of git means that it cannot say; the files still answer
        return None
    return output.decode("utf-8", "surrogateescape") if isinstance(output, bytes) else None


def user_email(root: str) -> str:
    """Give the mail address that git would commit with here; empty where it has none."""
    configured = configured_email(root)
    if configured is not None:
        return configured
    try:
        from git import Git
        from git.exc import GitCommandError
    except ImportError:  # GitPython refuses to be imported where there is no git program
        return ""
    try:
        return str(Git(root).execute(["git", "-C", root, "config", "user.email"])).strip()
    except GitCommandError:
        return ""
