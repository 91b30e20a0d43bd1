"""Files → the sections of graph files: all of them, or what changed since. Only what must parse imports this."""

import contextlib
import gc
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from kb.derived.state import State
from kb.graph.build import build_rows, resolve_files
from kb.graph.changes import ParsedFile, pack_changes
from kb.graph.file_form import FILE_DIGEST_BYTES
from kb.graph.files import CONFIGURATION_KIND, FileCard, entity_card, observation_card
from kb.graph.graph_file import pack_graph
from kb.graph.known_files import BaseFiles, newer_cards
from kb.load import load_corpus, load_file
from kb.model.entity import EntityFile
from kb.model.observation import ObservationFile
from kb.store.files import digest
from kb.store.git import blob_id
from kb.store.root import CONFIGURATION
from kb.store.sections import Sections
from kb.store.sweep import Folder, find_file, is_racy

#: A change that concerns more files than these, and than one in so many, is left to a full build.
_FEW, _ONE_IN = 200, 20


class NeedsFullBuild(Exception):
    """The changes are such that all is better built anew."""


class FullBuild(NamedTuple):
    """All files, built."""

    sections: dict[str, Any]
    freshness: int  #: seconds, from ``kb.yaml``
    blobs: list[tuple[str, str]]  #: path and blob id of each file


class Changes(NamedTuple):
    """What changed since the last full build."""

    sections: dict[str, Any] | None  #: ``None`` where it is nothing
    changed: dict[
        str, bytes | None
    ]  #: files that are otherwise than at the last look, with their bytes
    racy: frozenset[str]  #: files to be read again


def build_all(root: str, commit: str, progress: Callable[[int], None] | None = None) -> FullBuild:
    """Parse and resolve every file."""
    with _without_collection():
        corpus = load_corpus(root, progress)
        resolution = resolve_files(
            corpus.entities,
            corpus.observations,
            corpus.configuration.vocabulary,
            corpus.digests,
        )
        files: tuple[EntityFile | ObservationFile, ...] = (*corpus.entities, *corpus.observations)
        cards = [_card(file, corpus.contents.get(file.path), commit) for file in files]
        configuration = corpus.contents.get(CONFIGURATION)
        if configuration is not None:
            cards.append(_configuration_card(configuration, commit))
        cards.sort(key=lambda card: card.path)
        sections = pack_graph(build_rows(resolution), cards)
    blobs = [(card.path, card.blob.hex()) for card in cards]
    return FullBuild(sections, corpus.configuration.settings.freshness, blobs)


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
    if CONFIGURATION in changed and _is_otherwise(root, base, CONFIGURATION):
        raise NeedsFullBuild
    touched = (changed | before.keys()) - {CONFIGURATION}
    most = max(_FEW, len(base) // _ONE_IN)
    if len(touched) > most:
        raise NeedsFullBuild
    current: dict[str, ParsedFile | None] = {}
    contents: dict[str, bytes | None] = {}
    racy = set()
    for path in touched:
        numbers = find_file(taken, path)
        row = base.row_of(path)
        if numbers is None:
            if row >= 0:
                current[path] = None
            contents[path] = None
            continue
        if is_racy(numbers, started):
            racy.add(path)
        parsed, contents[path] = _parse(root, path, commit)
        if row < 0 or base.digest(row) != parsed.card.digest:
            current[path] = parsed
    now = {path: parsed.card.digest if parsed else None for path, parsed in current.items()}
    otherwise = {
        path: contents[path] for path in touched if before.get(path, b"") != now.get(path, b"")
    }
    if not otherwise:
        return Changes(None, {}, frozenset(racy))
    sections = pack_changes(state.base, current, lambda path: _parse(root, path, commit)[0], most)
    return Changes(sections, otherwise, frozenset(racy))


def iter_blobs(base: Sections, changes: Sections | None) -> Iterator[tuple[str, str]]:
    """Yield the path and blob id of every file as graph files have it."""
    replaced = newer_cards(changes)
    for files in (BaseFiles(base), *((BaseFiles(changes),) if changes else ())):
        for row, path in enumerate(files.iter_paths()):
            if path not in replaced or files.layer.sections is changes:
                yield path, files.blob(row).hex()


def _parse(root: str, path: str, commit: str) -> tuple[ParsedFile, bytes | None]:
    file, data = load_file(root, path)
    return ParsedFile(file, _card(file, data, commit)), data


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
        return bytes(FILE_DIGEST_BYTES), bytes(len(blob_id(b"", commit)) // 2)
    return digest(data), bytes.fromhex(blob_id(data, commit))


def _is_otherwise(root: str, base: BaseFiles, path: str) -> bool:
    row = base.row_of(path)
    data = _read_configuration(root)
    if data is None or row < 0:
        return data is not None or row >= 0
    return base.digest(row) != digest(data)


def _read_configuration(root: str) -> bytes | None:
    from kb.store.files import read_bytes
    from kb.syntax.source import MAX_FILE_BYTES

    try:
        return read_bytes(root, CONFIGURATION, MAX_FILE_BYTES)
    except OSError:
        return None


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Spare the collector the millions of values of a full build, of which none is garbage yet."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
