"""Where derived state lies, and whether a place can be trusted. Derived state may be deleted at any time.

The record of edits (``edits/``) lies beside it and is not derived: no file says again what it says.
"""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Iterator

from kb.store.references import find_work_tree
from kb.store.root import with_flags

_PAUSE = 0.02
_LONGEST_WAIT = 120.0
#: The file in a folder that whoever writes there holds.
LOCK = "lock"
#: The folder, beside what is derived, of the records of edits.
EDITS = "edits"


class PlaceBusy(Exception):
    """Another process holds the place."""


def derived_folder(root: str) -> str:
    """Say where the derived state of a knowledge base lies: ``<git dir>/kb``, without git in the user's cache folder.

    Each work tree has a git dir of its own, so that two of one repository never share what is derived. Nor do two
    knowledge bases of one work tree: a root below its top has ``<git dir>/kb-<digest of the path>``.
    """
    tree = find_work_tree(root)
    if tree is not None and os.path.isfile(os.path.join(tree.git_dir, "HEAD")):
        return _in_git(tree.git_dir, tree.inside)
    return folder_without_git(root)


def earlier_folders(root: str) -> tuple[str, ...]:
    """Say where this knowledge base's derived state may lie from before its repository was made: in those of folders above, or
    in none.
    """
    start = folder = os.path.realpath(root)
    found: list[str] = []
    while (tree := find_work_tree(folder)) is not None:
        top = os.path.normpath(os.path.join(folder, os.path.relpath(os.curdir, tree.inside)))
        found.append(_in_git(tree.git_dir, os.path.relpath(start, top)))
        if top == os.path.dirname(top):
            break
        folder = os.path.dirname(top)
    now = derived_folder(root)
    return tuple(one for one in (*found, folder_without_git(root)) if one != now)


def _in_git(git_dir: str, inside: str) -> str:
    return os.path.join(git_dir, "kb" if inside == os.curdir else f"kb-{_digest(inside)}")


def folder_without_git(root: str) -> str:
    """Say where the derived state of a knowledge base lies that is in no work tree: in the user's cache folder."""
    cache = (
        os.environ.get("XDG_CACHE_HOME")
        or os.environ.get("LOCALAPPDATA")
        or os.path.expanduser("~/.cache")
    )
    return os.path.join(cache, "kb", _digest(os.path.realpath(root)))


def _digest(path: str) -> str:
    from kb.model.digests import sha256

    return sha256(os.fsencode(path)).hexdigest()[:16]


def why_distrusted(folder: "str | os.PathLike[str]") -> str:
    """Say why a folder of ours cannot be trusted; empty where it can, or where nothing is there yet."""
    folder = os.fspath(folder)
    for place in (os.path.dirname(folder), folder):
        try:
            status = os.lstat(place)
        except FileNotFoundError:
            continue
        except OSError as error:
            return f"{place} cannot be looked at: {error.strerror or error}"
        if not stat.S_ISDIR(status.st_mode):
            return f"{place} is a symbolic link or no folder"
        if hasattr(os, "getuid") and status.st_uid != os.getuid():
            return f"{place} belongs to another user"
        if place == folder and os.name == "posix" and stat.S_IMODE(status.st_mode) & 0o022:
            return f"others may write into {place}"
    # What lies in a git dir is in no work tree, and git need not be asked.
    if ".git" not in os.path.realpath(folder).split(os.sep):
        from kb.store.git import is_tracked

        if is_tracked(folder):
            return f"git tracks {folder}"
    return ""


@contextlib.contextmanager
def hold_place(folder: "str | os.PathLike[str]", wait: float) -> Iterator[None]:
    """Be the one process that writes into a folder; ``OSError`` where it cannot be written, ``PlaceBusy`` after a while."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    descriptor = os.open(
        os.path.join(folder, LOCK), with_flags(os.O_RDWR | os.O_CREAT, "O_CLOEXEC"), 0o600
    )
    try:
        if not wait_for_lock(descriptor, wait):
            raise PlaceBusy(str(folder))
        yield
    finally:
        os.close(descriptor)


def wait_for_lock(
    descriptor: int,
    wait: float,
    now: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> bool:
    """Lock an open file; the system lets it go when the file is closed or the process dies.

    It is given up where one holder keeps it for ``wait`` seconds, or after some minutes in all: a lock that passes from one
    to the next is worth waiting for. Holders are told apart by what they write into the file; one that writes nothing is one.
    """
    began = since = now()
    holder = read_holder(descriptor)
    while not _try_lock(descriptor):
        found = read_holder(descriptor)
        if found != holder:
            holder, since = found, now()
        if now() - since >= wait or now() - began >= _LONGEST_WAIT:
            return False
        pause(_PAUSE)
    return True


def read_holder(descriptor: int) -> str:
    """Give what the holder of a lock wrote into its open file; empty where that cannot be read."""
    try:
        return os.pread(descriptor, 100, 0).decode("ascii", "replace").strip()
    except (OSError, AttributeError):
        return ""


def _try_lock(descriptor: int) -> bool:
    try:
        import fcntl
    except (
        ImportError
    ):  # Windows: the guard of each write, and the digests of what is derived, still hold
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
