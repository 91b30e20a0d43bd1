"""Files of derived state on disk: written aside and renamed, believed only where every byte is as it was written.

Hashing a large file costs more than a cold query may. So whoever has found one whole remembers its stamp (size, times,
file number), which the system changes with whatever is written into it: while the stamp is the same, the bytes are.
"""

import contextlib
import os
import stat
import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kb.store.paged import Paged
from kb.store.root import with_flags
from kb.store.sections import DIGEST_BYTES, Damaged, Sections, pack_sections
from kb.store.stamps import pack_stamps

#: A stamp is remembered only once it is so old that a later write cannot have the same.
_OLD = 100_000_000
_UNKNOWN = (0, 0, 0, 0)
_TEMPORARY = ".tmp"
_READ_ONLY, _WRITE_NEW = (
    with_flags(flags, "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY")
    for flags in (os.O_RDONLY, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
)


class Kept(NamedTuple):
    """A file of sections: its name, what its bytes digest to, and the stamp under which it was found whole."""

    name: str
    digest: bytes
    stamp: tuple[int, ...] = (
        _UNKNOWN  #: size, content's and entry's last change in nanoseconds, file number
    )


def write_sections(place: str, kind: str, sections: Mapping[str, Any]) -> Kept:
    """Write a new file of sections; give what it is known by. ``OSError`` as the system says."""
    return write_pieces(place, kind, pack_sections(sections))


def write_pieces(place: str, kind: str, pieces: Iterable[bytes | memoryview]) -> Kept:
    """Write a new file of packed sections; give what it is known by. ``OSError`` as the system says."""
    # By a name that no other process chooses: what ``tempfile`` does, which takes as long to import as the writing.
    temporary = os.path.join(place, f"{kind}-{os.getpid()}-{os.urandom(6).hex()}{_TEMPORARY}")
    descriptor = os.open(temporary, _WRITE_NEW, 0o600)
    digest = b""
    try:
        with os.fdopen(descriptor, "wb", buffering=1 << 20) as file:
            for piece in pieces:
                file.write(piece)
                digest = bytes(piece[-DIGEST_BYTES:])
        name = f"{kind}-{digest[:8].hex()}"
        os.replace(temporary, os.path.join(place, name))
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return Kept(name, digest)


def replace_sections(place: str, name: str, sections: Mapping[str, Any]) -> None:
    """Write a file of sections in place of the one that bears its name. ``OSError`` as the system says."""
    kept = write_sections(place, "new", sections)
    os.replace(os.path.join(place, kept.name), os.path.join(place, name))


def open_sections(place: str, kept: Kept) -> tuple[Sections, Kept]:
    """Open a file of sections if it is the one that was written; give also under which stamp it was found whole now.

    ``Damaged`` where it is any other, ``OSError`` where it cannot be read.
    """
    data, stamp = open_file(os.path.join(place, kept.name))
    sections = Sections(data)
    if sections.digest != kept.digest:
        raise Damaged(f"{kept.name} is another file")
    if stamp != kept.stamp:
        if not sections.is_whole():
            raise Damaged(f"{kept.name} is not as it was written")
        kept = found_whole(kept, stamp)
    return sections, kept


def found_whole(kept: Kept, stamp: tuple[int, ...]) -> Kept:
    """Remember the stamp under which a file was found whole, where it is old enough to be believed."""
    is_old = max(stamp[1:3]) < time.time_ns() - _OLD
    return kept._replace(stamp=stamp if is_old else _UNKNOWN)


def open_whole(place: str, name: str) -> Sections:
    """Open a small file of sections, checking every byte."""
    sections = Sections(open_file(os.path.join(place, name))[0])
    if not sections.is_whole():
        raise Damaged(f"{name} is not as it was written")
    return sections


def open_file(path: str) -> tuple[Paged, tuple[int, ...]]:
    """Open a regular file to be read block by block; give also its stamp. Follows no link."""
    descriptor = os.open(path, _READ_ONLY)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Damaged(f"{os.path.basename(path)} is no file of ours")
    except BaseException:
        os.close(descriptor)
        raise
    return Paged(descriptor, status.st_size, path), (
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
    )


def remove_others(place: str, names: set[str]) -> None:
    """Remove what no longer belongs to the state: older files, and those of a process that was killed."""
    for name in os.listdir(place):
        if name not in names:
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(place, name))


def pack_kept(files: list["Kept | None"]) -> dict[str, Any]:
    """Lay out what several files are known by."""
    numbers = [number for kept in files for number in (kept.stamp if kept else _UNKNOWN)]
    return {
        "kept.names": "\n".join(kept.name if kept else "" for kept in files).encode("ascii"),
        "kept.digests": "\n".join(kept.digest.hex() if kept else "" for kept in files).encode(),
        "kept.stamps": pack_stamps(numbers),
    }


def unpack_kept(sections: Sections) -> list["Kept | None"]:
    """Read what ``pack_kept`` laid out. ``ValueError`` where a name could lead out of the place."""
    names = str(sections.raw("kept.names"), "ascii").split("\n")
    digests = str(sections.raw("kept.digests"), "ascii").split("\n")
    stamps = sections.longs("kept.stamps")
    files: list[Kept | None] = []
    for index, (name, digest) in enumerate(zip(names, digests, strict=True)):
        if "/" in name or "\\" in name or name.startswith("."):
            raise ValueError(name)
        stamp = tuple(stamps[4 * index : 4 * index + 4])
        files.append(Kept(name, bytes.fromhex(digest), stamp) if name else None)
    return files
