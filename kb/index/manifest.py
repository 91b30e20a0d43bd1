"""What an index on disk says of itself: which files it is made of, byte for byte, and which documents it holds.

It is written last, by rename: an index without one, or one that differs from it, was not finished, or is not ours.
"""

import contextlib
import hashlib
import json
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from kb import __version__
from kb.index.schema import FORMAT, WHOOSH_VERSION

MANIFEST = "manifest.json"
_GENERATION = re.compile(r"g-[A-Za-z0-9_]+")
_SEGMENT_FILE = re.compile(r"_?MAIN_[A-Za-z0-9_.]+")
_TOC = re.compile(r"_MAIN_([0-9]+)\.toc")
_BLOCK = 1 << 20
_DIGEST_BYTES = 20


class Unusable(Exception):
    """What lies on disk is no index of ours that could be used; the text says why."""


@dataclass(frozen=True)
class Manifest:
    """An index on disk."""

    folder: str  #: inside the place: where its files lie
    files: dict[str, str]  #: size and digest of each
    documents: dict[str, str]  #: digest of each document by key

    @property
    def generation(self) -> int:
        """The number of its table of contents."""
        numbers = [int(match.group(1)) for name in self.files if (match := _TOC.fullmatch(name))]
        if len(numbers) != 1:
            raise Unusable("it has no single table of contents")
        return numbers[0]


def read_manifest(place: Path) -> Manifest:
    """Read what should be there. ``Unusable`` where it is missing, damaged or of another version."""
    try:
        stored: Any = json.loads((place / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise Unusable("there is none yet") from None
    except (OSError, ValueError, RecursionError):
        raise Unusable("its manifest cannot be read") from None
    if not isinstance(stored, dict) or stored.get("version") != _version():
        raise Unusable("it was made by another version")
    folder, files, documents = stored.get("folder"), stored.get("files"), stored.get("documents")
    if (
        not isinstance(folder, str)
        or not _GENERATION.fullmatch(folder)
        or not _is_text_map(files)
        or not _is_text_map(documents)
        or not all(_SEGMENT_FILE.fullmatch(name) for name in files)
    ):
        raise Unusable("its manifest is damaged")
    return Manifest(folder, files, documents)


def verify_files(place: Path, manifest: Manifest) -> None:
    """Compare every file with the manifest, byte for byte; ``Unusable`` where one differs or is too many."""
    folder = place / manifest.folder
    if folder.is_symlink():
        raise Unusable("its folder is a symbolic link")
    for name, wanted in manifest.files.items():
        if describe_file(folder / name) != wanted:
            raise Unusable(f"{name} is not as it was written")
    try:
        tables = [name for name in os.listdir(folder) if name.endswith(".toc")]
    except OSError:
        raise Unusable("its folder cannot be read") from None
    if any(name not in manifest.files for name in tables):
        raise Unusable("it has a table of contents that is not its own")


def write_manifest(place: Path, folder: str, documents: dict[str, str]) -> None:
    """Say what an index is made of, once it is finished."""
    inside = place / folder
    files = {
        name: described
        for name in sorted(os.listdir(inside))
        if _SEGMENT_FILE.fullmatch(name)
        and not name.endswith("LOCK")
        and (described := describe_file(inside / name))
    }
    stored = {"version": _version(), "folder": folder, "files": files, "documents": documents}
    descriptor, temporary = tempfile.mkstemp(".tmp", "manifest-", place)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(stored, file)
        os.replace(temporary, place / MANIFEST)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def describe_file(path: Path) -> str:
    """Give a regular file's size and digest; empty where there is none."""
    try:
        descriptor = os.open(
            path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
    except OSError:
        return ""
    digest, size = hashlib.blake2b(digest_size=_DIGEST_BYTES), 0
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return f"{size} {digest.hexdigest()}"


def _version() -> str:
    return f"{FORMAT} kb {__version__} whoosh {WHOOSH_VERSION}"


def _is_text_map(value: object) -> TypeGuard[dict[str, str]]:
    return isinstance(value, dict) and all(
        isinstance(key, str) and isinstance(item, str) for key, item in value.items()
    )
