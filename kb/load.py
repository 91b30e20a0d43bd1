"""Disk → parsed files. Never raises on a bad file: whatever is wrong is among the diagnostics."""

import contextlib
import errno
import gc
import os
import unicodedata
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from kb.catalogue import CATALOGUE
from kb.diagnostics import WHOLE_FILE, Diagnostic, Span
from kb.model.entity import EntityFile
from kb.model.names import stem_of
from kb.model.observation import ObservationFile
from kb.store.files import Entry, EntryKind, digest, iter_entries, read_bytes
from kb.store.layout import collision_key, why_unportable
from kb.store.root import CONFIGURATION, ENTITIES, OBSERVATIONS
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.observation_file import parse_observation_file
from kb.syntax.source import MAX_FILE_BYTES, Source, decode

if TYPE_CHECKING:
    from kb.syntax.vocabulary_file import Configuration

#: Findings about a file's name say all that an id that differs from its stem would say.
_NAME_CODES = frozenset(("KB203",))
#: Findings after which what ``kb.yaml`` says does not hold, or not all of it.
_UNREAD_CONFIGURATION = frozenset(("KB114", "KB115", "KB117", "KB316", "KB901", "KB902"))
#: What the root holds: a folder or file that differs from one of these only in case is not read.
_TOP = (CONFIGURATION, ENTITIES, OBSERVATIONS)


class LoadedConfiguration(NamedTuple):
    """``kb.yaml`` as it was read once."""

    configuration: "Configuration"
    data: bytes | None  #: ``None`` where it is not there, or cannot be read
    diagnostics: tuple[Diagnostic, ...]  #: what is wrong in it by itself

    @property
    def damage(self) -> str:
        """Why what it says does not hold, or not all of it; empty where it does."""
        unread = (one for one in self.diagnostics if one.code in _UNREAD_CONFIGURATION)
        return next((f"{CONFIGURATION}: {one.message}" for one in unread), "")

    @property
    def warning(self) -> str:
        """The same, for who reads; empty where it holds."""
        damage = self.damage
        return damage and f"{damage}; its words and settings may not hold (kb check)"


class Corpus(NamedTuple):
    """All files of a knowledge base as parsed, and what is wrong with each by itself."""

    root: str
    configuration: "Configuration"
    entities: tuple[EntityFile, ...]
    observations: tuple[ObservationFile, ...]
    sources: dict[str, Source]  #: each parsed file's text by its path
    contents: dict[str, bytes]  #: each read file's bytes by its path, ``kb.yaml`` included
    diagnostics: tuple[Diagnostic, ...]

    @property
    def digests(self) -> dict[str, bytes]:
        """The digest of each read file's bytes by its path."""
        return {path: digest(data) for path, data in self.contents.items()}

    @property
    def texts(self) -> dict[str, Source]:
        """Every text that a finding can be about: the parsed files and ``kb.yaml``."""
        source = self.configuration.source
        return {**self.sources, CONFIGURATION: source} if source else self.sources


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Spare the collector the millions of values of all files, of which none is garbage yet."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def load_corpus(root: str, progress: Callable[[int], None] | None = None) -> Corpus:
    """Load every file under a root; ``progress`` is called with the number of files read so far."""
    with without_collection():
        return _Loader(root, progress).load()


def load_configuration(root: str) -> LoadedConfiguration:
    """Load ``kb.yaml`` alone."""
    loader = _Loader(root, None)
    configuration = loader.configuration()
    data = loader.contents.get(CONFIGURATION)
    return LoadedConfiguration(configuration, data, tuple(loader.diagnostics))


def list_files(root: str) -> tuple[list[str], list[str]]:
    """List the paths of the entities' and of the observations' files, in the order in which they are loaded."""
    entities, observations = (
        [entry.path for entry in iter_entries(root, folder) if _is_read(entry)]
        for folder in (ENTITIES, OBSERVATIONS)
    )
    return entities, observations


def load_file(root: str, path: str) -> tuple[EntityFile | ObservationFile, bytes | None]:
    """Load one file that is known to be there, with its bytes; ``None`` where they cannot be read."""
    loader = _Loader(root, None)
    file = loader.entity(path) if path.startswith(f"{ENTITIES}/") else loader.observation(path)
    return file, loader.contents.get(path)


def _is_read(entry: Entry) -> bool:
    """Say whether a file is read, whether or not it can be."""
    is_file = entry.kind in (EntryKind.FILE, EntryKind.SPECIAL)
    return is_file and entry.path.lower().endswith(".md")


class _Loader:
    def __init__(self, root: str, progress: Callable[[int], None] | None) -> None:
        self.root, self.progress = root, progress
        self.diagnostics: list[Diagnostic] = []
        self.sources: dict[str, Source] = {}
        self.contents: dict[str, bytes] = {}
        self.unportable: set[str] = set()

    def load(self) -> Corpus:
        self._check_top()
        return Corpus(
            self.root,
            self.configuration(),
            tuple(self.entity(path) for path in self._paths(ENTITIES)),
            tuple(self.observation(path) for path in self._paths(OBSERVATIONS)),
            self.sources,
            self.contents,
            tuple(self.diagnostics),
        )

    def configuration(self) -> "Configuration":
        data = self._read(CONFIGURATION)
        if data is not None:
            self.contents[CONFIGURATION] = data
        from kb.syntax.vocabulary_file import read_configuration  # an edited file is read without

        configuration, found = read_configuration(data or b"", CONFIGURATION)
        self.diagnostics += found if data is not None else ()
        return configuration

    def entity(self, path: str) -> EntityFile:
        source = self._source(path)
        if source is None:
            stem = stem_of(path)
            return EntityFile(path, stem, WHOLE_FILE, name=stem, is_broken=True)
        parsed, found = parse_entity_file(source)
        self._keep(source, found)
        return parsed

    def observation(self, path: str) -> ObservationFile:
        source = self._source(path)
        if source is None:
            stem = stem_of(path)
            return ObservationFile(path, stem, WHOLE_FILE, title=stem, is_broken=True)
        parsed, found = parse_observation_file(source)
        self._keep(source, found)
        return parsed

    def _keep(self, source: Source, found: tuple[Diagnostic, ...]) -> None:
        if source.path in self.unportable:
            found = tuple(finding for finding in found if finding.code not in _NAME_CODES)
        self.diagnostics += found
        if self.progress:
            self.progress(len(self.sources))

    def _paths(self, folder: str) -> list[str]:
        """List the files of a folder that are read, whether or not they can be."""
        entries = list(iter_entries(self.root, folder))
        self._check_names(entries)
        return [entry.path for entry in entries if _is_read(entry)]

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
            if error.errno == errno.ELOOP:
                self._report("KB316", path, "a symbolic link is not followed")
                return None
            # ``read_bytes`` says so of a pipe, a socket or a device, which no permission makes a file.
            hint = "put a file there" if error.errno == errno.EINVAL else ""
            message = f"the file cannot be read: {error.strerror or error}"
            self._report("KB117", path, message, hint=hint)
            return None
        if data is None:
            limit = MAX_FILE_BYTES // 1024 // 1024
            self._report("KB114", path, f"the file is larger than {limit} MiB")
        return data

    def _check_top(self) -> None:
        """Find case twins of our own folders: on some systems they are ours, on others nobody reads them."""
        try:
            names = sorted(os.listdir(self.root))
        except OSError:
            return
        for name in names:
            ours = next((top for top in _TOP if collision_key(top) == collision_key(name)), name)
            if ours != name:
                message = f"the path differs from {ours} only in case; what lies here is not read"
                self._report("KB314", name, message, ((ours, WHOLE_FILE),))

    def _check_names(self, entries: list[Entry]) -> None:
        seen: dict[str, str] = {}
        for entry in entries:
            name = entry.path.rpartition("/")[2]
            if entry.kind is EntryKind.LINK:
                self._report("KB316", entry.path, "a symbolic link is not followed")
                continue
            if entry.kind is EntryKind.UNREADABLE:
                self._report("KB117", entry.path, "the folder cannot be read")
                continue
            # Some systems drop the dots and blanks at a name's end: 'a.md.' may be meant as a.md.
            is_ours = name.rstrip(". ").lower().endswith(".md")
            if entry.kind is not EntryKind.FOLDER and not is_ours:
                continue
            why = why_unportable(name)
            if why:
                is_read = entry.kind is EntryKind.FOLDER or name.lower().endswith(".md")
                self.unportable.add(entry.path)
                self._report(
                    "KB315", entry.path, f"the name {why}{'' if is_read else ', so it is not read'}"
                )
            key = collision_key(entry.path)
            if key in seen:
                self._report_collision(seen[key], entry.path)
            seen.setdefault(key, entry.path)

    def _report_collision(self, first: str, second: str) -> None:
        if first.rpartition("/")[0] != second.rpartition("/")[0]:
            return  # the folders collide, which is reported once, of them
        same = unicodedata.normalize("NFC", first) == unicodedata.normalize("NFC", second)
        how = "Unicode normal form" if same else "case"
        message = f"the path differs from {first} only in {how}"
        self._report("KB314", second, message, ((first, WHOLE_FILE),))

    def _report(
        self,
        code: str,
        path: str,
        message: str,
        related: tuple[tuple[str, Span], ...] = (),
        hint: str = "",
    ) -> None:
        entry = CATALOGUE[code]
        self.diagnostics.append(
            Diagnostic(code, entry.severity, path, WHOLE_FILE, message, hint or entry.hint, related)
        )
