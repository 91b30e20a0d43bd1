"""What an index on disk says of itself: which files it is made of, which documents it holds, and of which graph.

It is written last, by rename: an index without one, or one that differs from it, was not finished, or is not ours.
"""

import os
import re
from array import array
from typing import NamedTuple

from kb import __version__
from kb.store.kept import (
    Kept,
    found_whole,
    open_file,
    open_whole,
    pack_kept,
    replace_sections,
    unpack_kept,
)
from kb.store.paged import Paged
from kb.store.root import with_flags
from kb.store.sections import Damaged, digest_of

MANIFEST = "manifest"
#: Raised whenever words are read otherwise or postings are laid out otherwise: older indexes are then rebuilt.
FORMAT = 3
#: The endings of a segment's files that a lookup reads; the others only a writer does.
DOCUMENTS, TERMS, POSTINGS = ".docs", ".trm", ".pst"
_GENERATION = re.compile(r"g-[A-Za-z0-9_]+")
_SEGMENT = re.compile(r"MAIN_[A-Za-z0-9]+")
_FILE = re.compile(r"_?MAIN_[A-Za-z0-9_.]+")
_BLOCK = 1 << 20
#: More suspects than these are not listed.
MOST_SUSPECTS = 5000
_SEPARATOR = "\0"


class Unusable(Exception):
    """What lies on disk is no index of ours that could be used; the text says why."""


class Segment(NamedTuple):
    """One of the parts of an index."""

    name: str
    gone: tuple[int, ...] = ()  #: the numbers of documents that are no more, or otherwise now


class Manifest(NamedTuple):
    """An index on disk."""

    folder: str  #: inside the place: where its files lie
    files: dict[str, Kept]
    segments: tuple[Segment, ...]
    stamp: tuple[bytes, bytes]  #: of the graph when it was last compared with the index
    suspects: frozenset[
        str
    ]  #: keys of documents that differed from it then, or from the base of that graph


def read_manifest(place: str) -> Manifest:
    """Read what should be there. ``Unusable`` where it is missing, damaged or of another version."""
    try:
        sections = open_whole(place, MANIFEST)
        if sections.raw("version") != version():
            raise Unusable("it was made by another version")
        files = {one.name: one for one in unpack_kept(sections) if one}
        names = str(sections.raw("segments"), "ascii").split()
        at, gone = sections.ints("gone.at"), sections.ints("gone")
        segments = tuple(
            Segment(name, tuple(gone[at[index] : at[index + 1]]))
            for index, name in enumerate(names)
        )
        folder = str(sections.raw("folder"), "ascii")
        stamp = bytes(sections.raw("stamp"))
        base = sections.longs("stamp.base")[0]
        suspects = str(sections.raw("suspects"), "utf-8", "surrogatepass")
    except FileNotFoundError:
        raise Unusable("there is none yet") from None
    except (Damaged, OSError, ValueError, IndexError, TypeError):
        raise Unusable("its manifest is damaged") from None
    if (
        not _GENERATION.fullmatch(folder)
        or not all(_FILE.fullmatch(name) for name in files)
        or not all(_SEGMENT.fullmatch(segment.name) for segment in segments)
    ):
        raise Unusable("its manifest is damaged")
    return Manifest(
        folder,
        files,
        segments,
        (stamp[:base], stamp[base:]),
        frozenset(suspects.split(_SEPARATOR)) if suspects else frozenset(),
    )


def write_manifest(place: str, manifest: Manifest) -> None:
    """Say what an index is made of, once it is finished. ``OSError`` as the system says."""
    at = array("I", (0,))
    gone = array("I")
    for segment in manifest.segments:
        gone.extend(segment.gone)
        at.append(len(gone))
    replace_sections(
        place,
        MANIFEST,
        {
            "version": version(),
            **pack_kept(list(manifest.files.values())),
            "folder": manifest.folder.encode("ascii"),
            "segments": " ".join(segment.name for segment in manifest.segments).encode("ascii"),
            "gone.at": at,
            "gone": gone,
            "stamp": b"".join(manifest.stamp),
            "stamp.base": array("q", (len(manifest.stamp[0]),)),
            "suspects": _SEPARATOR.join(sorted(manifest.suspects)).encode("utf-8", "surrogatepass"),
        },
    )


def describe_files(folder: str, known: dict[str, Kept]) -> dict[str, Kept]:
    """Digest the files of an index, those apart that are known: a segment's files are never written again."""
    return {
        name: known.get(name) or Kept(name, digest_file(os.path.join(folder, name)))
        for name in sorted(os.listdir(folder))
        if _FILE.fullmatch(name) and not name.endswith("LOCK")
    }


def verify_all(place: str, manifest: Manifest) -> None:
    """Compare every file with the manifest, byte for byte; ``Unusable`` where one differs or is too many."""
    folder = os.path.join(place, manifest.folder)
    if os.path.islink(folder):
        raise Unusable("its folder is a symbolic link")
    for name, kept in manifest.files.items():
        if digest_file(os.path.join(folder, name)) != kept.digest:
            raise Unusable(f"{name} is not as it was written")
    try:
        tables = [name for name in os.listdir(folder) if name.endswith(".toc")]
    except OSError:
        raise Unusable("its folder cannot be read") from None
    if len(tables) != 1 or tables[0] not in manifest.files:
        raise Unusable("it has no single table of contents")


def open_kept(folder: str, kept: Kept) -> tuple[Paged, Kept]:
    """Open a file if it is the one that was written; give also under which stamp it was found whole now.

    One whose stamp is known is believed; any other is digested.
    """
    path = os.path.join(folder, kept.name)
    try:
        data, stamp = open_file(path)
        if stamp != kept.stamp:
            if digest_of(data.iter_stretches(0, len(data))) != kept.digest:
                raise Damaged
            kept = found_whole(kept, stamp)
    except (Damaged, OSError, ValueError):
        raise Unusable(f"{kept.name} is not as it was written") from None
    return data, kept


def digest_file(path: str) -> bytes:
    """Digest a regular file; empty where there is none."""
    flags = with_flags(os.O_RDONLY, "O_NOFOLLOW", "O_BINARY")
    try:
        descriptor = os.open(path, flags)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            return digest_of(iter(lambda: file.read(_BLOCK), b""))
    except OSError:
        return b""


def version() -> bytes:
    """Say which code indexes."""
    return f"{FORMAT} kb {__version__} whoosh {_whoosh_version()}".encode()


def _whoosh_version() -> str:
    """Say which Whoosh is installed: a lookup imports no more of it than this."""
    import whoosh

    return ".".join(map(str, whoosh.__version__))
