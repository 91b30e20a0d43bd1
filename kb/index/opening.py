"""Opening the index of a knowledge base, as fresh as its files: from disk, brought up to date, or made in memory.

What lies on disk is used only where its place can be trusted and every byte is as the manifest says. Whatever else is
found is made anew. ``changes_since`` is all that says what is stale, so that a quicker look at the files can feed it.
"""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kb.errors import KbError
from kb.index.documents import Document
from kb.index.lookup import Lookup
from kb.index.manifest import (
    MANIFEST,
    Manifest,
    Unusable,
    read_manifest,
    verify_files,
    write_manifest,
)
from kb.index.safe_pickle import guard_whoosh
from kb.index.schema import FORMAT, SCORED, make_schema
from kb.index.segments import Progress, create_index, write_all, write_changes
from kb.store.derived import PlaceBusy, derived_folder, hold_place, why_distrusted

guard_whoosh()

from whoosh.filedb.filestore import FileStorage, RamStorage  # noqa: E402  (guarded first)
from whoosh.index import FileIndex  # noqa: E402

Answered = TypeVar("Answered")

_WAIT = 5.0
#: When more than one document in so many changed, all are written anew.
_FEW = 4
_FEWEST = 50
#: Segments that lookups go through before all are written anew.
_MOST_SEGMENTS = 8


@dataclass(frozen=True, slots=True)
class Changes:
    """How documents differ from those that an index holds."""

    gone: tuple[str, ...]  #: keys of documents that are no more, or are otherwise now
    new: tuple[str, ...]  #: keys of documents to add

    def __bool__(self) -> bool:
        return bool(self.gone or self.new)


@dataclass(frozen=True)
class OpenIndex:
    """An index that holds just the documents of the moment."""

    lookup: Lookup
    warnings: tuple[str, ...] = ()  #: why it is not kept on disk
    written: int = 0  #: documents that had to be written first


@dataclass(frozen=True, slots=True)
class IndexState:
    """What is on disk, and whether it would be used."""

    place: str
    is_there: bool
    documents: int
    size: int  #: bytes
    built_at: float | None  #: seconds since 1970
    stale: int  #: documents that would be written or dropped first
    why_unusable: str  #: empty where it would be used
    why_distrusted: str  #: empty where the place would be used


def index_place(root: str) -> Path:
    """Say where the index lies."""
    return Path(derived_folder(root), f"index-{FORMAT}")


def changes_since(held: Mapping[str, str], documents: Mapping[str, Document]) -> Changes:
    """Compare the digests that an index holds with those of the documents now."""
    gone = [
        key
        for key, digest in held.items()
        if key not in documents or documents[key].digest != digest
    ]
    new = [key for key, document in documents.items() if held.get(key) != document.digest]
    return Changes(tuple(gone), tuple(new))


def open_index(
    root: str,
    documents: Mapping[str, Document],
    progress: Progress | None = None,
    wait: float = _WAIT,
    is_anew: bool = False,
) -> OpenIndex:
    """Open the index with just these documents in it. ``is_anew`` writes all of them, whatever is there."""
    place = index_place(root)
    distrust = why_distrusted(place)
    if distrust:
        return _in_memory(documents, f"the index is not kept: {distrust}", progress)
    if not is_anew:
        with contextlib.suppress(Exception):  # whatever is wrong with it, it is made anew
            manifest = read_manifest(place)
            if not changes_since(manifest.documents, documents):
                verify_files(place, manifest)
                return OpenIndex(_open_files(place, manifest))
    try:
        with hold_place(place, wait):
            return _bring_up_to_date(place, documents, progress, is_anew)
    except PlaceBusy:
        return _in_memory(documents, "another process is writing the index", progress)
    except OSError as error:
        why = f"the index is not kept: {place} cannot be written ({error.strerror or error})"
        return _in_memory(documents, why, progress)


def ask_index(
    root: str,
    documents: Mapping[str, Document],
    ask: Callable[[Lookup], Answered],
    progress: Progress | None = None,
) -> tuple[Answered, tuple[str, ...]]:
    """Ask the index something; give the answer, and the warnings of the opening.

    Where lookups fail, the index was damaged in a way that its manifest does not show: it is made anew, once.
    """
    index = open_index(root, documents, progress)
    try:
        return ask(index.lookup), index.warnings
    except KbError:
        raise
    except Exception:
        index.lookup.close()
        index = open_index(root, documents, progress, is_anew=True)
        return ask(index.lookup), index.warnings
    finally:
        index.lookup.close()


def look_at_index(root: str, documents: Mapping[str, Document]) -> IndexState:
    """Say what is on disk, without changing it."""
    place = index_place(root)
    why, held, stale = "", 0, len(documents)
    size, built_at = 0, None
    try:
        manifest = read_manifest(place)
        held = len(manifest.documents)
        built_at = (place / MANIFEST).stat().st_mtime
        size = sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
        verify_files(place, manifest)
        changes = changes_since(manifest.documents, documents)
        stale = len({*changes.gone, *changes.new})
    except (Unusable, OSError) as error:
        why = str(error)
    return IndexState(
        str(place),
        (place / MANIFEST).is_file(),
        held,
        size,
        built_at,
        stale,
        why,
        why_distrusted(place),
    )


def _bring_up_to_date(
    place: Path, documents: Mapping[str, Document], progress: Progress | None, is_anew: bool
) -> OpenIndex:
    """Write what differs, or all of it. Only one process does."""
    if not is_anew:
        try:
            manifest = read_manifest(place)
            verify_files(place, manifest)
            changes = changes_since(manifest.documents, documents)
            if not changes:  # another process was quicker
                return OpenIndex(_open_files(place, manifest))
            if _is_worth_keeping(manifest, changes):
                _write_changes(place, manifest, changes, documents, progress)
                return OpenIndex(_open_files(place, read_manifest(place)), (), len(changes.new))
        except OSError:
            if not _is_writable(place):
                raise
        except Exception:  # whatever is wrong with it: it is made anew
            pass
    _write_anew(place, documents, progress)
    return OpenIndex(_open_files(place, read_manifest(place)), (), len(documents))


def _is_worth_keeping(manifest: Manifest, changes: Changes) -> bool:
    segments = sum(name.endswith(".trm") for name in manifest.files)
    touched = len({*changes.gone, *changes.new})
    few = touched <= max(_FEWEST, len(manifest.documents) // _FEW)
    return few and 0 < segments <= _MOST_SEGMENTS


def _write_changes(
    place: Path,
    manifest: Manifest,
    changes: Changes,
    documents: Mapping[str, Document],
    progress: Progress | None,
) -> None:
    index = FileIndex(FileStorage(str(place / manifest.folder)), schema=make_schema())
    write_changes(index, changes.gone, [documents[key] for key in changes.new], progress)
    write_manifest(place, manifest.folder, _digests(documents))


def _write_anew(place: Path, documents: Mapping[str, Document], progress: Progress | None) -> None:
    """Write an index beside whatever is there, and take its place once it is whole."""
    folder = Path(tempfile.mkdtemp("", "g-", place))
    try:
        index = create_index(FileStorage(str(folder)), make_schema())
        write_all(index, list(documents.values()), progress)
        write_manifest(place, folder.name, _digests(documents))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    for other in place.iterdir():
        if other.name in ("lock", MANIFEST, folder.name):
            continue
        if other.is_dir() and not other.is_symlink():
            shutil.rmtree(other, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                other.unlink()


def _open_files(place: Path, manifest: Manifest) -> Lookup:
    """Open an index that was verified; every file is opened now, since a writer may remove it later."""
    index = FileIndex(FileStorage(str(place / manifest.folder)), schema=make_schema())
    reader = index.reader()
    if manifest.documents and reader.generation() != manifest.generation:
        raise Unusable("it was written anew meanwhile")
    for leaf, _ in reader.leaf_readers():
        if leaf.doc_count_all():
            leaf.stored_fields(0)
            for field in SCORED:
                leaf.doc_field_length(0, field)
    if reader.doc_count() != len(manifest.documents):
        raise Unusable("it does not hold the documents that it should")
    return Lookup(reader, index)


def _in_memory(documents: Mapping[str, Document], why: str, progress: Progress | None) -> OpenIndex:
    index = create_index(_Memory(), make_schema())
    write_all(index, list(documents.values()), progress)
    return OpenIndex(
        Lookup(index.reader(), index), (f"{why}; searching in memory",), len(documents)
    )


class _Memory(RamStorage):  # type: ignore[misc]
    """Files in memory, those included that a writer needs for a while: Whoosh's own would go to a shared folder."""

    def temp_storage(self, name: str | None = None) -> RamStorage:
        return RamStorage()


def _digests(documents: Mapping[str, Document]) -> dict[str, str]:
    return {key: document.digest for key, document in documents.items()}


def _is_writable(place: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False
