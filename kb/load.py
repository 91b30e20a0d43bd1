"""Disk → parsed files. Never raises on a bad file: whatever is wrong is among the diagnostics."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from kb.catalogue import CATALOGUE
from kb.diagnostics import WHOLE_FILE, Diagnostic
from kb.model.entity import EntityFile
from kb.model.observation import ObservationFile
from kb.store.files import Entry, EntryKind, iter_entries, read_bytes
from kb.store.layout import CONFIGURATION, ENTITIES, OBSERVATIONS, collision_key, why_unportable
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.observation_file import parse_observation_file
from kb.syntax.source import MAX_FILE_BYTES, Source, decode
from kb.syntax.vocabulary_file import Configuration, read_configuration

#: Findings about a file's name say all that an id that differs from its stem would say.
_NAME_CODES = frozenset(("KB203",))


@dataclass(frozen=True)
class Corpus:
    """All files of a knowledge base as parsed, and what is wrong with each by itself."""

    root: str
    configuration: Configuration
    entities: tuple[EntityFile, ...]
    observations: tuple[ObservationFile, ...]
    sources: dict[str, Source] = field(repr=False)  #: each parsed file's text by its path
    contents: dict[str, bytes] = field(repr=False)  #: each read file's bytes by its path, ``kb.yaml`` included
    diagnostics: tuple[Diagnostic, ...]


def load_corpus(root: str, progress: Callable[[int], None] | None = None) -> Corpus:
    """Load every file under a root; ``progress`` is called with the number of files read so far."""
    return _Loader(root, progress).load()


class _Loader:
    def __init__(self, root: str, progress: Callable[[int], None] | None) -> None:
        self.root, self.progress = root, progress
        self.diagnostics: list[Diagnostic] = []
        self.sources: dict[str, Source] = {}
        self.contents: dict[str, bytes] = {}
        self.unportable: set[str] = set()

    def load(self) -> Corpus:
        data = self._read(CONFIGURATION)
        if data is not None:
            self.contents[CONFIGURATION] = data
        configuration, found = read_configuration(data or b"", CONFIGURATION)
        self.diagnostics += found if data is not None else ()
        entities = [parsed for source in self._files(ENTITIES) if (parsed := self._entity(source))]
        observations = [parsed for source in self._files(OBSERVATIONS) if (parsed := self._observation(source))]
        return Corpus(
            self.root,
            configuration,
            tuple(entities),
            tuple(observations),
            self.sources,
            self.contents,
            tuple(self.diagnostics),
        )

    def _entity(self, source: Source) -> EntityFile:
        parsed, found = parse_entity_file(source)
        self._keep(source, found)
        return parsed

    def _observation(self, source: Source) -> ObservationFile:
        parsed, found = parse_observation_file(source)
        self._keep(source, found)
        return parsed

    def _keep(self, source: Source, found: tuple[Diagnostic, ...]) -> None:
        if source.path in self.unportable:
            found = tuple(finding for finding in found if finding.code not in _NAME_CODES)
        self.diagnostics += found

    def _files(self, folder: str) -> list[Source]:
        entries = list(iter_entries(self.root, folder))
        self._check_names(entries)
        sources = []
        for entry in entries:
            if entry.kind is EntryKind.FILE and entry.path.lower().endswith(".md"):
                source = self._source(entry.path)
                if source is not None:
                    sources.append(source)
                    if self.progress:
                        self.progress(len(self.sources))
        return sources

    def _source(self, path: str) -> Source | None:
        data = self._read(path)
        if data is None:
            return None
        self.contents[path] = data
        source = self.sources[path] = decode(path, data)
        return source

    def _read(self, path: str) -> bytes | None:
        try:
            data = read_bytes(self.root, path, MAX_FILE_BYTES)
        except OSError as error:
            self._report("KB117", path, f"the file cannot be read: {error.strerror or error}")
            return None
        if data is None:
            self._report("KB114", path, f"the file is larger than {MAX_FILE_BYTES // 1024 // 1024} MiB")
        return data

    def _check_names(self, entries: list[Entry]) -> None:
        seen: dict[str, str] = {}
        for entry in entries:
            name = PurePosixPath(entry.path).name
            if entry.kind is EntryKind.LINK:
                self._report("KB316", entry.path, "a symbolic link is not followed")
                continue
            if entry.kind is EntryKind.UNREADABLE:
                self._report("KB117", entry.path, "the folder cannot be read")
                continue
            if entry.kind is EntryKind.FILE and not name.lower().endswith(".md"):
                continue
            why = why_unportable(name)
            if why:
                self.unportable.add(entry.path)
                self._report("KB315", entry.path, f"the name {why}")
            key = collision_key(entry.path)
            if key in seen:
                self._report_collision(seen[key], entry.path)
            seen.setdefault(key, entry.path)

    def _report_collision(self, first: str, second: str) -> None:
        parents = (str(PurePosixPath(first).parent), str(PurePosixPath(second).parent))
        if parents[0] != parents[1]:
            return  # the folders collide, which is reported once, of them
        same = unicodedata.normalize("NFC", first) == unicodedata.normalize("NFC", second)
        how = "Unicode normal form" if same else "case"
        self._report(
            "KB314", second, f"the path differs from {first} only in {how}", related=((first, WHOLE_FILE),)
        )

    def _report(self, code: str, path: str, message: str, related: tuple = ()) -> None:  # type: ignore[type-arg]
        entry = CATALOGUE[code]
        self.diagnostics.append(
            Diagnostic(code, entry.severity, path, WHOLE_FILE, message, entry.remedy, related)
        )
