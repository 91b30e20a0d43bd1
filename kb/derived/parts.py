"""All files → the sections of a graph file, in two processes where that is worth it: each builds a part of it.

A part parses, resolves and packs its own files. Of the others it must know only who they are, which the processes tell
each other once their own are parsed. Where a process cannot be started, or ends too early, all files are one part.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from multiprocessing import Pipe
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from kb.diagnostics import WHOLE_FILE
from kb.graph.build import Resolution, make_observation, make_rows
from kb.graph.drafts import draft_statements
from kb.graph.files import FileCard
from kb.graph.graph_file import pack_part
from kb.graph.identity import resolve_identities
from kb.graph.links import LinkResolver, LoadedPlaces
from kb.graph.merging import merge_packed
from kb.graph.row_lists import pack_row_lists
from kb.graph.rows import Rows
from kb.model.entity import EntityFile, Name
from kb.model.observation import ObservationFile
from kb.model.time import Date
from kb.model.vocabulary import Vocabulary

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

#: Fewer files are built sooner than a process is started and what it made is merged.
_FEW = 2_000

Paths = tuple[Sequence[str], Sequence[str]]  #: of entities and of observations, each sorted
Progress = Callable[[int], None]


#: Path, id, type, name, aliases, what it is merged into, what it is distinct from.
EntityHead = tuple[str, str, str | None, str, tuple[str, ...], str | None, tuple[str, ...]]
#: Path, id, ``happened_at``, ``said_by``, ``derived_from``.
ObservationHead = tuple[str, str, Date | None, str, tuple[str, ...]]


class Heads(NamedTuple):
    """Who files are: all of them that other files' rows can depend on, in plain values."""

    entities: list[EntityHead]
    observations: list[ObservationHead]


class Part(NamedTuple):
    """Files, packed."""

    sections: Mapping[str, Any]
    blobs: list[tuple[str, str]]  #: path and blob id of each file


class PartBuilder(NamedTuple):
    """What building any part takes."""

    load: Callable[[str], tuple[EntityFile | ObservationFile, FileCard]]
    vocabulary: Vocabulary
    configuration: FileCard | None  #: of ``kb.yaml``, which the first part lists

    def build(self, paths: Paths, progress: Progress | None = None, few: int = _FEW) -> Part:
        """Build all files."""
        if sum(map(len, paths)) >= few and _can_fork():
            entities, observations = paths
            cuts = len(entities) // 2, len(observations) // 2
            mine = entities[: cuts[0]], observations[: cuts[1]]
            theirs = entities[cuts[0] :], observations[cuts[1] :]
            # Where no process can be started, or it is killed, all is built here.
            with contextlib.suppress(OSError, EOFError):
                return self._build_two(mine, theirs, progress)
        part = self.build_part(paths, lambda mine: Heads([], []), progress)
        return part._replace(sections={**part.sections, **pack_row_lists(part.sections)})

    def _build_two(self, mine: Paths, theirs: Paths, progress: Progress | None) -> Part:
        here, there = Pipe()
        child = os.fork()
        if child == 0:
            here.close()
            self._replace(configuration=None)._work(theirs, there)
        try:
            there.close()
            twice = progress and (lambda count: progress(2 * count))
            part = self.build_part(mine, lambda heads: _exchange(here, heads), twice)
            other: Part = here.recv()
        finally:
            _end(child, here)
        merged = merge_packed(part.sections, other.sections, _start_elsewhere)
        return Part(merged, part.blobs + other.blobs)

    def _work(self, paths: Paths, there: "Connection") -> NoReturn:
        """Build a part in a process of its own, which ends with it: whoever started it sees that nothing comes."""
        try:
            part = self.build_part(paths, lambda heads: _exchange(there, heads, is_first=True))
            there.send(part)
        finally:
            os._exit(0)

    def build_part(
        self, paths: Paths, ask: Callable[[Heads], Heads], progress: Progress | None = None
    ) -> Part:
        """Build some files; ``ask`` tells who they are, and gives who the others are."""
        entities: list[EntityFile] = []
        seen: list[ObservationFile] = []
        cards = [] if self.configuration is None else [self.configuration]
        for path in chain(*paths):
            file, card = self.load(path)
            if isinstance(file, EntityFile):
                entities.append(file)
            else:
                seen.append(file)
            cards.append(card)
            if progress:
                progress(len(cards))
        cards.sort(key=lambda card: card.path)
        others = ask(_heads_of(entities, seen))
        digests = {card.path: card.digest for card in cards if any(card.digest)}
        rows = self._make_rows(entities, seen, others, digests)
        entities.clear()  # the rows hold what is needed of them, and packing takes room
        seen.clear()
        return Part(pack_part(rows, cards), [(card.path, card.blob.hex()) for card in cards])

    def _make_rows(
        self,
        entities: list[EntityFile],
        seen: list[ObservationFile],
        others: Heads,
        digests: dict[str, bytes],
    ) -> Rows:
        """Make the rows of files, of the entities that survive in them, and of the observations."""
        everyone = sorted((*entities, *map(_entity_of, others.entities)), key=_path_of)
        witnesses: dict[str, ObservationFile] = {}
        for one in sorted((*seen, *map(_observation_of, others.observations)), key=_path_of):
            witnesses.setdefault(one.id, one)
        identities = resolve_identities(everyone, self.vocabulary)
        own = {file.path for file in entities} | {one.path for one in seen}
        survivors = [
            id
            for id in sorted(identities.files)
            if id not in identities.survivors and identities.files[id].path in own
        ]
        for id in chain.from_iterable(map(identities.merged_of, survivors)):
            path = identities.files[id].path
            if path not in own:  # what it says besides who it is makes part of our entity
                file, card = self.load(path)
                if isinstance(file, EntityFile):
                    identities.files[id], digests[path] = file, card.digest
        links = LinkResolver(
            LoadedPlaces(identities, {id: one.path for id, one in witnesses.items()})
        )
        resolution = Resolution(
            tuple(entities),
            {id: one for id, one in witnesses.items() if one.path in own},
            identities,
            links,
            self.vocabulary,
            {file.path: tuple(draft_statements(file, links, self.vocabulary)) for file in entities},
            digests,
        )
        observations = {id: make_observation(one) for id, one in witnesses.items()}
        return make_rows(resolution, observations.get, survivors)


def _start_elsewhere(make: Callable[[], dict[str, Any]]) -> Callable[[], dict[str, Any]]:
    """Begin to make sections in another process; give what waits for them. Where that fails, they are made here."""
    here, there = Pipe(duplex=False)
    try:
        child = os.fork()
    except OSError:
        return make
    if child == 0:
        try:
            here.close()
            there.send(make())
        finally:
            os._exit(0)
    there.close()

    def wait() -> dict[str, Any]:
        try:
            made: dict[str, Any] = here.recv()
        except (OSError, EOFError):
            made = make()
        finally:
            _end(child, here)
        return made

    return wait


def _end(child: int, here: "Connection") -> None:
    """End a process, whatever it does, and the connection with it."""
    here.close()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _can_fork() -> bool:
    """Say whether a process can be started that goes on with what is here: threads would not come along."""
    return hasattr(os, "fork") and threading.active_count() == 1 and (os.cpu_count() or 1) > 1


def _exchange(other: "Connection", mine: Heads, is_first: bool = False) -> Heads:
    """Tell another process who the files of a part are, and hear who its are. One of the two speaks first."""
    if is_first:
        other.send(mine)
    theirs: Heads = other.recv()
    if not is_first:
        other.send(mine)
    return theirs


def _path_of(file: EntityFile | ObservationFile) -> str:
    return file.path


def _heads_of(entities: list[EntityFile], seen: list[ObservationFile]) -> Heads:
    return Heads(
        [
            (
                file.path,
                file.id,
                file.type,
                file.name,
                tuple(alias.text for alias in file.aliases),
                file.merged_into.text if file.merged_into else None,
                tuple(name.text for name in file.distinct_from),
            )
            for file in entities
        ],
        [
            (
                one.path,
                one.id,
                one.happened_at,
                one.said_by,
                tuple(name.text for name in one.derived_from),
            )
            for one in seen
        ],
    )


def _entity_of(head: EntityHead) -> EntityFile:
    path, id, type, name, aliases, target, distinct = head
    return EntityFile(
        path,
        id,
        WHOLE_FILE,
        type,
        name=name,
        aliases=_names(aliases),
        merged_into=None if target is None else Name(target, WHOLE_FILE),
        distinct_from=_names(distinct),
    )


def _observation_of(head: ObservationHead) -> ObservationFile:
    path, id, happened_at, said_by, origins = head
    return ObservationFile(
        path,
        id,
        WHOLE_FILE,
        happened_at=happened_at,
        said_by=said_by,
        derived_from=_names(origins),
    )


def _names(texts: tuple[str, ...]) -> tuple[Name, ...]:
    return tuple(Name(text, WHOLE_FILE) for text in texts)
