"""Files → the sections of graph files: all of them, or what changed since. Only what must parse imports this."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from kb.derived.state import State
from kb.graph.changes import ParsedFile, TooMuch, pack_changes
from kb.graph.file_form import FILE_DIGEST_BYTES
from kb.graph.files import CONFIGURATION_KIND, FileCard, entity_card, observation_card
from kb.graph.known_files import BaseFiles, newer_cards
from kb.graph.words import pack_vocabulary
from kb.load import (
    LoadedConfiguration,
    list_files,
    load_configuration,
    load_file,
    without_collection,
)
from kb.model.entity import EntityFile
from kb.model.observation import ObservationFile
from kb.store.files import digest, read_bytes
from kb.store.git import blob_id
from kb.store.root import CONFIGURATION
from kb.store.sections import Sections, pack_sections
from kb.store.sweep import Folder, find_file, is_racy
from kb.syntax.source import MAX_FILE_BYTES

#: A change that concerns more files than these, and than one in so many, is left to a full build.
_FEW, _ONE_IN = 200, 20


class NeedsFullBuild(Exception):
    """The changes are such that all is better built anew."""


class FullBuild(NamedTuple):
    """All files, built."""

    sections: Mapping[str, Any]
    freshness: int  #: seconds, from ``kb.yaml``
    blobs: list[tuple[str, str]]  #: path and blob id of each file
    warning: str  #: why ``kb.yaml`` does not hold


class Changes(NamedTuple):
    """What changed since the last full build."""

    packed: bytes | None  #: the graph file of the changes; ``None`` where it stays as it was
    #: Files that are otherwise than at the last look, with their bytes.
    changed: dict[str, bytes | None]
    racy: frozenset[str]  #: files to be read again
    freshness: int  #: seconds, from ``kb.yaml``
    warning: str  #: why ``kb.yaml`` does not hold


def build_all(root: str, commit: str, progress: Callable[[int], None] | None = None) -> FullBuild:
    """Parse and resolve every file."""
    # What changed a little needs no second process, and mostly not the words.
    from kb.derived.parts import PartBuilder

    loaded = load_configuration(root)
    builder = PartBuilder(
        lambda path: _load(root, path, commit),
        loaded.configuration.vocabulary,
        None if loaded.data is None else _configuration_card(loaded.data, commit),
    )
    with without_collection():
        part = builder.build(list_files(root), progress)
    freshness = loaded.configuration.settings.freshness
    return FullBuild(part.sections, freshness, part.blobs, loaded.warning)


def build_changes(
    root: str, state: State, taken: Mapping[str, Folder], started: int, changed: set[str]
) -> Changes:
    """Build what changed since the last full build, given the files whose stamps changed since the last look.

    ``NeedsFullBuild`` where that is the better way.
    """
    base, commit = BaseFiles(state.base), state.record.commit
    before = {
        path: card.digest if card else None for path, card in newer_cards(state.changes).items()
    }
    most = max(_FEW, len(base) // _ONE_IN)
    loaded = load_configuration(root) if CONFIGURATION in {*changed, *before} else None
    contents: dict[str, bytes | None] = {}
    racy, otherwise_than_base = set(), []
    for path in changed | before.keys():
        numbers, row = find_file(taken, path), base.row_of(path)
        if numbers is not None and is_racy(numbers, started):
            racy.add(path)
        data = None
        if numbers is not None:
            data = loaded.data if loaded and path == CONFIGURATION else _read(root, path)
        contents[path] = data
        is_there, was_there = numbers is not None, row >= 0
        if is_there is was_there and (not is_there or base.digest(row) == _digest(data)):
            continue  # as at the last full build
        otherwise_than_base.append(path)
        if len(otherwise_than_base) > most:
            raise NeedsFullBuild
    current: dict[str, ParsedFile | None] = {}
    now: dict[str, bytes | None] = {}
    settings, freshness, warning = [], state.record.freshness, state.record.warning
    if loaded is not None:
        freshness, warning = loaded.configuration.settings.freshness, loaded.warning
    for path in otherwise_than_base:
        if path == CONFIGURATION:
            card = _settings_card(loaded, base, commit)
            settings, now[path] = [card], card.digest
            continue
        is_gone = find_file(taken, path) is None
        parsed = None if is_gone else _parse(root, path, commit)
        current[path], now[path] = parsed, parsed.card.digest if parsed else None
    otherwise = {
        path: contents[path] for path in contents if before.get(path, b"") != now.get(path, b"")
    }
    if not otherwise:
        return Changes(None, {}, frozenset(racy), freshness, warning)
    try:
        sections = pack_changes(
            state.base, current, lambda path: _parse(root, path, commit), most, settings
        )
    except TooMuch:
        raise NeedsFullBuild from None
    packed = b"".join(map(bytes, pack_sections(sections)))
    return Changes(packed, otherwise, frozenset(racy), freshness, warning)


def _settings_card(loaded: LoadedConfiguration | None, base: BaseFiles, commit: str) -> FileCard:
    """Describe a ``kb.yaml`` that differs in its settings only. Other words read all files otherwise: a full build."""
    if loaded is None or loaded.data is None:
        raise NeedsFullBuild
    layer = base.layer
    built_with = [layer.heap[text] for text in layer.sections.ints("vocabulary")]
    if pack_vocabulary(loaded.configuration.vocabulary) != built_with:
        raise NeedsFullBuild
    return _configuration_card(loaded.data, commit)


def iter_blobs(base: Sections, changes: Sections | None) -> Iterator[tuple[str, str]]:
    """Yield the path and blob id of every file as graph files have it."""
    replaced = newer_cards(changes)
    for files in (BaseFiles(base), *((BaseFiles(changes),) if changes else ())):
        for row, path in enumerate(files.iter_paths()):
            if path not in replaced or files.layer.sections is changes:
                yield path, files.blob(row).hex()


def _parse(root: str, path: str, commit: str) -> ParsedFile:
    return ParsedFile(*_load(root, path, commit))


def _load(root: str, path: str, commit: str) -> tuple[EntityFile | ObservationFile, FileCard]:
    file, data = load_file(root, path)
    return file, _card(file, data, commit)


def _card(file: EntityFile | ObservationFile, data: bytes | None, commit: str) -> FileCard:
    marks = _marks(data, commit)
    if isinstance(file, EntityFile):
        return entity_card(file, *marks)
    return observation_card(file, *marks)


def _configuration_card(data: bytes, commit: str) -> FileCard:
    return FileCard(CONFIGURATION, CONFIGURATION_KIND, *_marks(data, commit))


def _marks(data: bytes | None, commit: str) -> tuple[bytes, bytes]:
    """Digest a file's bytes twice, as we do and as git does; zeros for one that cannot be read."""
    if data is None:
        return _digest(data), bytes(len(blob_id(b"", commit)) // 2)
    return _digest(data), bytes.fromhex(blob_id(data, commit))


def _read(root: str, path: str) -> bytes | None:
    """Read a file's bytes; ``None`` where they cannot be had."""
    try:
        return read_bytes(root, path, MAX_FILE_BYTES)
    except OSError:
        return None


def _digest(data: bytes | None) -> bytes:
    return bytes(FILE_DIGEST_BYTES) if data is None else digest(data)
