"""Where derived state lies, and whether a place can be trusted. Derived state may be deleted at any time."""

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from kb.store.git import is_tracked
from kb.store.writes import lock_path

_PAUSE = 0.02


class PlaceBusy(Exception):
    """Another process holds the place."""


def derived_folder(root: str) -> Path:
    """Say where the derived state of a knowledge base lies: ``<git dir>/kb``, without git in the user's cache folder.

    Each work tree has a git dir of its own, so that two of one repository never share what is derived.
    """
    return lock_path(root).parent


def why_distrusted(folder: Path) -> str:
    """Say why a folder of ours cannot be trusted; empty where it can, or where nothing is there yet."""
    for place in (folder.parent, folder):
        try:
            status = place.lstat()
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
    if is_tracked(folder):
        return f"git tracks {folder}"
    return ""


@contextlib.contextmanager
def hold_place(folder: Path, wait: float) -> Iterator[None]:
    """Be the one process that writes into a folder; ``OSError`` where it cannot be written, ``PlaceBusy`` after a while."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(
        folder / "lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600
    )
    try:
        deadline = time.monotonic() + wait
        while not _try_lock(descriptor):
            if time.monotonic() >= deadline:
                raise PlaceBusy(str(folder))
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows: the manifest still tells a mixture from an index
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
