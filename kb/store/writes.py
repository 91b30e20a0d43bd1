"""Guarded, atomic writes (FORMAT, rule 2) and the lock. Never writes outside the root or through a symbolic link.

A file is compared with the bytes that the change was planned on, written anew beside itself, flushed, and renamed;
a reader sees the old text or the new one and nothing between.
"""

import contextlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from kb.errors import ConcurrentModification, ErrorCode, KbError
from kb.store.derived import EDITS, LOCK, derived_folder, read_holder, wait_for_lock
from kb.store.layout import collision_key
from kb.store.root import ENTITIES, OBSERVATIONS, with_flags

#: How a file's new text is named until it takes the file's place; hidden, so that no reader looks at it.
TEMPORARY_PREFIX, TEMPORARY_SUFFIX = ".kb-", ".tmp"
_LOCK_WAIT = 10.0
_NEW_FILE_MODE = 0o666
#: The variable with which a call of git, and what its hooks call, is told the process that holds the lock meanwhile.
HELD_BY = "KB_HELD_BY"
#: Added to the lock's note where a temporary file could not be removed.
_LEFT = "left"


class WriteRefused(KbError):
    """A path that is not written: outside the root, through a symbolic link, or taken."""

    code = ErrorCode.NOT_WRITTEN


class KnowledgeBaseLocked(KbError):
    """Another process is writing."""

    code = ErrorCode.LOCKED

    def __init__(self, path: str, owner: str = "") -> None:
        pid, _, since = owner.partition(" ")
        who = f" (process {pid}" if pid.isdigit() else ""
        if who:
            age = int(time.time()) - int(since) if since.isdigit() else -1
            who += f", for {age} s)" if age >= 0 else ")"
        super().__init__(
            f"another kb process{who} is writing this knowledge base",
            f"try again; the lock is {path}, and ends with its process",
        )


class CalledMeanwhile(KnowledgeBaseLocked):
    """The process that is writing waits for us: it runs git, and git a hook that has called us."""

    def __init__(self, path: str, owner: str) -> None:
        super().__init__(path, owner)
        self.message += ", and it is that one's git hook that calls"
        self.hint = "a hook may read; let it write once that process has ended"
        self.args = (self.message,)


def read_place(root: str, path: str) -> bytes | None:
    """Read what stands where a file is to be written, ``None`` where nothing does; refuse a place where none can be written."""
    with _refusing(path):
        try:
            target = _guard(root, path)
            return None if _mode_of_file(target, path) is None else target.read_bytes()
        except (ConcurrentModification, FileNotFoundError):  # its folder lacks, or it went just now
            return None


def replace_file(
    root: str, path: str, data: bytes, expected: bytes, *, durable: bool = True
) -> None:
    """Replace a file's bytes if they are still those that the change was planned on; equal bytes write nothing."""
    with _refusing(path):
        target = _guard(root, path)
        mode = _mode_of_file(target, path)
        if mode is None or _read(target) != expected:
            raise ConcurrentModification(path)
        if data == expected:
            return
        temporary = _write_temporary(root, target, data, mode, durable)
        try:
            if _read(target) != expected:
                raise ConcurrentModification(path)
            temporary.replace(target)
        except BaseException:
            _discard(root, temporary)
            raise
        if durable:
            flush_folder(target.parent)


def create_file(root: str, path: str, data: bytes, *, durable: bool = True) -> None:
    """Create a file and the folders above it. One that exists is refused, never overwritten."""
    with _refusing(path):
        target = _guard(root, path, make_folders=True)
        temporary = _write_temporary(root, target, data, _NEW_FILE_MODE & ~_umask(), durable)
        try:
            _link_exclusively(temporary, target)
        except FileExistsError:
            raise WriteRefused(
                f"{path} exists already; nothing was written", "choose another id"
            ) from None
        finally:
            _discard(root, temporary)
        if durable:
            flush_folder(target.parent)


def remove_file(root: str, path: str, expected: bytes, *, durable: bool = True) -> None:
    """Remove a file if its bytes are still those that the change was planned on."""
    with _refusing(path):
        target = _guard(root, path)
        if _read(target) != expected:
            raise ConcurrentModification(path)
        target.unlink()
        if durable:
            flush_folder(target.parent)


def make_folder(root: str, path: str) -> bool:
    """Make a folder and those above it; say whether it was missing."""
    is_new = not Path(root, path).is_dir()
    _guard(root, f"{path}/x", make_folders=True)
    return is_new


def flush_files(root: str) -> None:
    """Flush what was written with ``durable=False`` to disk, all at once."""
    if hasattr(os, "sync"):
        os.sync()


@contextlib.contextmanager
def _refusing(path: str) -> Iterator[None]:
    """Take what the system does not let us write (a read-only folder, a full disk) for a refusal, no fault of ours."""
    try:
        yield
    except OSError as error:
        raise WriteRefused(f"{path} is not written: {error.strerror or error}") from error


# -- paths -------------------------------------------------------------------------------------------------------


def _guard(root: str, path: str, make_folders: bool = False) -> Path:
    """Check a path part by part and give the place on disk. Folders are made if asked."""
    parts = path.split("/")
    if any(
        part in ("", ".", "..") or "\\" in part or "\0" in part or ":" in part for part in parts
    ):
        raise WriteRefused(f"{path} is not written: it is no path inside the knowledge base")
    folder = Path(root)
    for end, part in enumerate(parts[:-1], 1):
        inner = folder / part
        try:
            mode = inner.lstat().st_mode
        except FileNotFoundError:
            if not make_folders:
                raise ConcurrentModification(path) from None
            _make_folder(folder, part, path)
        else:
            if not stat.S_ISDIR(mode):
                raise WriteRefused(
                    f"{path} is not written: {'/'.join(parts[:end])} is a symbolic link or no folder",
                    "put the folder itself there",
                )
        folder = inner
    return folder / parts[-1]


def _mode_of_file(target: Path, path: str) -> int | None:
    """Give the permissions of the file in a place, ``None`` where nothing is; refuse what is no file."""
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        raise WriteRefused(
            f"{path} is not written: what stands there is no file, but a link, a folder or a device",
            "put the file itself there, or take away what is there",
        )
    return stat.S_IMODE(mode)


def _make_folder(folder: Path, name: str, path: str) -> None:
    wanted = collision_key(name)
    twin = next(
        (other.name for other in folder.iterdir() if collision_key(other.name) == wanted), None
    )
    if twin is not None and twin != name:
        raise WriteRefused(
            f"{path} is not written: the folder {twin} differs only in case", f"use {twin}"
        )
    with contextlib.suppress(FileExistsError):
        (folder / name).mkdir()


# -- bytes -------------------------------------------------------------------------------------------------------


def _read(target: Path) -> bytes | None:
    try:
        descriptor = os.open(target, with_flags(os.O_RDONLY, "O_NOFOLLOW", "O_BINARY"))
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def _write_temporary(root: str, target: Path, data: bytes, mode: int, durable: bool) -> Path:
    descriptor, name = tempfile.mkstemp(TEMPORARY_SUFFIX, TEMPORARY_PREFIX, target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), mode)
            if durable:
                os.fsync(file.fileno())
    except BaseException:
        _discard(root, Path(name))
        raise
    return Path(name)


def _discard(root: str, temporary: Path) -> None:
    """Remove a temporary file. One that cannot be removed changes nothing of the edit: the next writer sweeps it."""
    try:
        temporary.unlink(missing_ok=True)
    except OSError:
        note_leftovers(root)


def note_leftovers(root: str) -> None:
    """Let the next writer look for temporary files: one could not be removed, or whoever was to do it was interrupted."""
    with contextlib.suppress(OSError), lock_path(root).open("a") as note:
        note.write(f" {_LEFT}")


def _link_exclusively(temporary: Path, target: Path) -> None:
    """Give a finished file its name unless that is taken; ``FileExistsError`` if so."""
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: claim the name, then fill it by renaming
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        temporary.replace(target)


def flush_folder(folder: Path | str) -> None:
    """Make a rename durable. Some systems cannot open folders; they need no flush."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


# -- the lock ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def lock_knowledge_base(root: str, wait: float = _LOCK_WAIT) -> Iterator[None]:
    """Hold the knowledge base's one write lock; the system lets it go if the process dies.

    Whoever holds it writes down who and since when, for those who wait; what is still there when the lock is free was
    left by one that was killed or interrupted, or could not remove a temporary file: such files are then removed.
    ``CalledMeanwhile`` where the holder waits for us.
    """
    path = lock_path(root)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, with_flags(os.O_RDWR | os.O_CREAT, "O_CLOEXEC"), 0o600)
    except OSError as error:
        raise WriteRefused(
            f"the lock {path} cannot be made: {error.strerror or error}",
            f"{path.parent} must be a folder that you may write to; what is in it may be moved away, but for {EDITS}/, the record of edits",
        ) from error
    try:
        _wait(descriptor, path, wait)
        if read_holder(descriptor):
            _remove_leftovers(root)
        _write_owner(descriptor, f"{os.getpid()} {int(time.time())}")
        try:
            yield
        except KbError:
            _let_go(descriptor)  # the process is well: it has put back what it began
            raise
        _let_go(descriptor)
    finally:
        os.close(descriptor)


def _wait(descriptor: int, path: Path, wait: float) -> None:
    caller = os.environ.get(HELD_BY, "")
    is_waited_for = bool(caller) and read_holder(descriptor).split(" ")[0] == caller
    if not wait_for_lock(descriptor, 0 if is_waited_for else wait):
        kind = CalledMeanwhile if is_waited_for else KnowledgeBaseLocked
        raise kind(str(path), read_holder(descriptor))


def _let_go(descriptor: int) -> None:
    """Take back who holds the lock, unless something was left to sweep."""
    if not read_holder(descriptor).endswith(_LEFT):
        _write_owner(descriptor, "")


def _write_owner(descriptor: int, text: str) -> None:
    # A full disk must not stop an edit that fits: the note is for people.
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        if text:
            os.write(descriptor, text.encode("ascii"))
        os.lseek(descriptor, 0, os.SEEK_SET)


def _remove_leftovers(root: str) -> None:
    """Remove the temporary files of a writer that was killed. Without a lock, another's may be alive: none is removed."""
    if sys.platform == "win32":
        return
    inside = (os.path.join(root, folder) for folder in (ENTITIES, OBSERVATIONS))
    derived = derived_folder(root)
    for top in (root, *inside, os.path.join(derived, EDITS)):
        if os.path.islink(top) and top != root:
            continue
        for folder, inner, names in os.walk(top):
            if top == root:
                inner.clear()
            for name in filter(_is_temporary, names):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(folder, name))
    for name in filter(_is_temporary, os.listdir(derived)):  # folders of commits
        shutil.rmtree(os.path.join(derived, name), ignore_errors=True)


def _is_temporary(name: str) -> bool:
    return name.startswith(TEMPORARY_PREFIX) and name.endswith(TEMPORARY_SUFFIX)


def lock_path(root: str) -> Path:
    """Say where the lock lies: beside what is derived."""
    return Path(derived_folder(root), LOCK)
