"""What changed since the last full build → the rows that take the place of some of its rows.

Changed files are resolved again, and with them every file whose rows could come out otherwise: those that consult a word
that a changed file provided, or provides now (``kb.graph.files``). What a clean build would give is given exactly, or
nothing at all where so much is concerned that a clean build is the better way.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kb.graph.build import Resolution, draft_statements, make_observation, make_rows
from kb.graph.file_form import FILE_DIGEST_BYTES, ORDINAL_SHIFT, SIGNATURE_BYTES, STATEMENT_WIDTH
from kb.graph.files import (
    CITED,
    DERIVED,
    ENTITY_KIND,
    OBSERVATION_KIND,
    FileCard,
)
from kb.graph.graph import Observation
from kb.graph.graph_file import pack_graph
from kb.graph.identity import Identities, resolve_identities
from kb.graph.layers import Layer, Lists, find_row, first_row_from
from kb.graph.links import LinkResolver
from kb.graph.mapped import MappedGraph
from kb.model.entity import EntityFile
from kb.model.names import fold, stem_of
from kb.model.observation import ObservationFile
from kb.store.sections import Sections

#: Room for ordinals before the row that follows.
_GAP = 1 << (ORDINAL_SHIFT - 1)


@dataclass(frozen=True)
class ParsedFile:
    """A file as it is now."""

    file: EntityFile | ObservationFile
    card: FileCard


class TooMuch(Exception):
    """So many files are concerned that all should be built anew."""


class BaseFiles:
    """What a graph file knows of the files that it was made of."""

    def __init__(self, sections: Sections) -> None:
        self.layer = Layer(sections)
        self._files = sections.ints("file")
        self._names = Lists(sections, "file.names")

    def __len__(self) -> int:
        return len(self._files)

    def iter_paths(self) -> Iterator[str]:
        """Yield the paths of all files, sorted."""
        return map(self.layer.paths.__getitem__, self._files)

    def row_of(self, path: str) -> int:
        """Find a file's row, -1 where there is none."""
        number = self.layer.paths.find(path)
        return -1 if number < 0 else find_row(self._files, 1, number)

    def digest(self, row: int) -> bytes:
        """Give the digest of a file's bytes."""
        return self._raw("file.digest", row, FILE_DIGEST_BYTES)

    def blob(self, row: int) -> bytes:
        """Give the id that git would store a file under."""
        raw = self.layer.sections.raw("file.blob")
        return self._raw("file.blob", row, len(raw) // len(self._files))

    def card(self, path: str) -> FileCard | None:
        """Describe a file, what it consults left out."""
        row = self.row_of(path)
        if row < 0:
            return None
        id, *names = (self.layer.heap[text] for text in self._names[row])
        return FileCard(
            path,
            self.layer.sections.raw("file.kind")[row],
            self.digest(row),
            self.blob(row),
            self._raw("file.sign", row, SIGNATURE_BYTES),
            id,
            tuple(names),
        )

    def consulting(self, word: str) -> list[str]:
        """List the files that consult a word."""
        return self._paths_of("word", "consulted", word)

    def providing(self, word: str) -> list[str]:
        """List the files that provide a word."""
        return self._paths_of("own", "provided", word)

    @cached_property
    def judging(self) -> frozenset[str]:
        """The files that redirect, or say that two are distinct."""
        return frozenset(map(self.layer.paths.__getitem__, self.layer.sections.ints("judging")))

    @cached_property
    def judged(self) -> frozenset[str]:
        """The ids that those files name."""
        return frozenset(map(self.layer.heap.__getitem__, self.layer.sections.ints("judged")))

    def _paths_of(self, table: str, what: str, word: str) -> list[str]:
        return [self.layer.paths[path] for path in self.layer.look_up(table, what, word)]

    def _raw(self, section: str, row: int, width: int) -> bytes:
        return bytes(self.layer.sections.raw(section)[row * width : (row + 1) * width])


def pack_changes(
    base: Sections,
    current: Mapping[str, ParsedFile | None],
    load: Callable[[str], ParsedFile],
    most: int,
) -> dict[str, Any]:
    """Lay out what takes the place of a graph file's rows.

    ``current`` has every file that is otherwise than the graph file has it, ``None`` where it is no more; ``load`` reads
    one that is as it was. ``TooMuch`` where more than ``most`` files are concerned.
    """
    return _Changes(base, current, load, most).pack()


@dataclass
class _Concerned:
    """Whom changes concern."""

    words: set[str] = field(default_factory=set)  #: provided otherwise than before
    paths: set[str] = field(default_factory=set)  #: files to resolve again
    entities: set[str] = field(default_factory=set)  #: ids whose rows may be otherwise
    observations: set[str] = field(default_factory=set)


class _Changes:
    def __init__(
        self,
        base: Sections,
        current: Mapping[str, ParsedFile | None],
        load: Callable[[str], ParsedFile],
        most: int,
    ) -> None:
        self.files = BaseFiles(base)
        self.graph = MappedGraph(base)
        self.current, self.most = current, most
        self._load = load
        self._loaded: dict[str, ParsedFile] = {}
        self.old = {path: card for path in current if (card := self.files.card(path))}
        self.concerned = _Concerned()
        self.places = _PatchedPlaces(self)

    # -- files as they are now -----------------------------------------------------------------------------------

    def card(self, path: str) -> FileCard | None:
        """Describe a file as it is now."""
        if path in self.current:
            now = self.current[path]
            return now.card if now else None
        return self.files.card(path)

    def parsed(self, path: str) -> ParsedFile:
        """Give a file as it is now, parsed."""
        now = self.current.get(path)
        if now is not None:
            return now
        if path not in self._loaded:
            if len(self._loaded) >= self.most:
                raise TooMuch
            self._loaded[path] = self._load(path)
        return self._loaded[path]

    def providers(self, word: str, kind: int) -> list[FileCard]:
        """List the files of a kind that provide a word now, by path."""
        found = [
            card
            for path in self.files.providing(word)
            if path not in self.current and (card := self.files.card(path))
        ]
        found += self._new_providers.get(word, ())
        return sorted((card for card in found if card.kind == kind), key=lambda card: card.path)

    @cached_property
    def _new_providers(self) -> dict[str, list[FileCard]]:
        providers: dict[str, list[FileCard]] = {}
        for path in self.current:
            card = self.card(path)
            for word in card.provides if card else ():
                providers.setdefault(word, []).append(card)  # type: ignore[arg-type]
        return providers

    def claimants(self, id: str, kind: int) -> list[FileCard]:
        """List the files of a kind that claim an id now, by path."""
        return [card for card in self.providers(fold(id), kind) if card.id == id]

    # -- whom it concerns ----------------------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        otherwise = self._find_changed_identities()
        self.ambiguous = self._find_ambiguous(otherwise)
        self.survivors, self.distinct = self._judge(otherwise)
        self._follow_words()
        paths = {*self.current, *self.concerned.paths}
        if len(paths) > self.most:
            raise TooMuch
        return self._pack(paths)

    def _find_changed_identities(self) -> list[FileCard]:
        """Give the cards, old and new, of files on whose identity others' rows may rest, where it changed."""
        changed = []
        for path in self.current:
            old, new = self.old.get(path), self.card(path)
            is_same = old and new and (old.kind, old.signature) == (new.kind, new.signature)
            for card in (old, new):
                if card is not None:
                    self._concern(card)
                    if not is_same:
                        changed.append(card)
                        self.concerned.words |= card.provides
        return changed

    def _concern(self, card: FileCard) -> None:
        rows = self.concerned.entities if card.is_entity else self.concerned.observations
        rows.add(card.id)

    def _find_ambiguous(self, otherwise: list[FileCard]) -> dict[str, tuple[str, ...]]:
        """Say which ids several files claim now; the other claimants of a changed file's id are concerned."""
        ambiguous = dict(self.graph.ambiguous)
        for id, kind in {(card.id, card.kind) for card in otherwise if card.id}:
            claimants = self.claimants(id, kind)
            if kind == ENTITY_KIND:
                ambiguous.pop(id, None)
                if len(claimants) > 1:
                    ambiguous[id] = tuple(card.path for card in claimants)
            for card in claimants:
                self.concerned.paths.add(card.path)
                self.concerned.words |= card.provides
        return ambiguous

    def _judge(
        self, otherwise: list[FileCard]
    ) -> tuple[Mapping[str, str], frozenset[tuple[str, str]]]:
        """Follow redirects and judgements again where a changed file takes part in any."""
        before = self.graph.survivors
        judging = {path for path in self.files.judging if path not in self.current}
        judged = set(self.files.judged)
        for card in self._iter_new_cards():
            judged.update(card.judges)
            if card.judges:
                judging.add(card.path)
        ids = judged | {one.id for path in judging if (one := self.card(path))}
        if not any(card.path in self.files.judging or card.id in ids for card in otherwise):
            return before, self.graph.distinct_pairs
        taking_part = {
            card.path for id in ids for card in self.claimants(id, ENTITY_KIND)
        } | judging
        files = [self.parsed(path).file for path in sorted(taking_part)]
        identities = resolve_identities(
            [file for file in files if isinstance(file, EntityFile)], self.graph.vocabulary
        )
        after = identities.survivors
        for id in {*before, *after}:
            if before.get(id, id) != after.get(id, id):
                self.concerned.entities |= {id, before.get(id, id), after.get(id, id)}
                for card in self.claimants(id, ENTITY_KIND):
                    self.concerned.paths.add(card.path)
                    self.concerned.words |= card.provides
        return after, identities.distinct

    def _iter_new_cards(self) -> Iterator[FileCard]:
        for path in self.current:
            card = self.card(path)
            if card is not None:
                yield card

    def _follow_words(self) -> None:
        """Find the files that consult what is provided otherwise, through derivations to any depth."""
        todo, asked = set(self.concerned.words), set()
        while todo:
            word = todo.pop()
            asked.add(word)
            for path in self.files.consulting(word):
                if path in self.concerned.paths and not word.startswith(DERIVED):
                    continue
                self.concerned.paths.add(path)
                if len(self.concerned.paths) > self.most:
                    raise TooMuch
                card = self.card(path)
                if card is not None and card.is_observation and word.startswith(DERIVED):
                    # What rests on it counts its witnesses anew.
                    todo |= {CITED + card.id, DERIVED + card.id} - asked

    # -- rows ----------------------------------------------------------------------------------------------------

    def _pack(self, paths: set[str]) -> dict[str, Any]:
        for path in paths:
            for known in (self.files.card(path), self.card(path)):
                if known is not None:
                    self._concern(known)
        for id in self.concerned.observations:
            chosen_path = self.places.path_of_observation(id)
            if chosen_path is not None:
                paths.add(chosen_path)
        before = self.graph.survivors
        rows = set(self.concerned.entities)
        for id in self.concerned.entities:
            rows |= {before.get(id, id), self.survivors.get(id, id)}
        merged: dict[str, list[str]] = {}
        for id in sorted(self.survivors):
            merged.setdefault(self.survivors[id], []).append(id)
        entities = sorted(
            id for id in rows if id not in self.survivors and self.places.path_of(id) is not None
        )
        groups = {id: (id, *merged.get(id, ())) for id in entities}
        group_files = {
            one: file.file
            for ids in groups.values()
            for one in ids
            if isinstance((file := self.parsed(self.places.path_of(one) or "")).file, EntityFile)
        }
        present = sorted(path for path in paths if self.card(path) is not None)
        files = [self.parsed(path) for path in present]
        identities = Identities(
            group_files,
            self.ambiguous,
            dict(self.survivors),
            self.distinct,
            (),
            {},
            {id: tuple(ids) for id, ids in merged.items()},
        )
        links = LinkResolver(self.places)
        entity_files = tuple(one.file for one in files if isinstance(one.file, EntityFile))
        chosen = {
            one.file.id: one.file
            for one in files
            if isinstance(one.file, ObservationFile)
            and self.places.path_of_observation(one.file.id) == one.file.path
        }
        vocabulary = self.graph.vocabulary
        digests = {
            path: parsed.card.digest
            for path, parsed in (
                *((one.card.path, one) for one in files),
                *((file.path, self.parsed(file.path)) for file in group_files.values()),
            )
        }
        resolution = Resolution(
            entity_files,
            chosen,
            identities,
            links,
            vocabulary,
            {file.path: tuple(draft_statements(file, links, vocabulary)) for file in entity_files},
            digests,
        )
        made = make_rows(
            resolution,
            _PatchedObservations(self, {id: make_observation(one) for id, one in chosen.items()}),
            entities,
        )
        return pack_graph(
            made,
            sorted(self._iter_new_cards(), key=lambda card: card.path),
            self._place_ordinals([statement.path for statement in made.statements]),
            {
                "paths": sorted(paths),
                "entities": sorted(rows),
                "observations": sorted(self.concerned.observations),
                "gone": sorted(path for path in self.current if self.card(path) is None),
            },
        )

    def _place_ordinals(self, paths: Sequence[str]) -> list[int]:
        """Place statements among those of the graph file, which left room for them. ``paths`` are sorted."""
        layer, ordinals = self.files.layer, []
        rows = layer.sections.ints("statement")
        for count, path in enumerate(paths):
            number = layer.paths.find_place(path.encode("utf-8", "surrogatepass"))
            row = first_row_from(rows, STATEMENT_WIDTH, number)
            ordinals.append((row << ORDINAL_SHIFT) - _GAP + count)
        if len(ordinals) >= _GAP:
            raise TooMuch
        return ordinals


class _PatchedPlaces:
    """The places of all files: those of the graph file, but for the changed ones."""

    def __init__(self, changes: _Changes) -> None:
        self._changes = changes
        self._paths: dict[str, str | None] = {}

    def path_of(self, id: str) -> str | None:
        if id not in self._paths:
            claimants = self._changes.claimants(id, ENTITY_KIND)
            self._paths[id] = claimants[0].path if len(claimants) == 1 else None
        return self._paths[id]

    def is_ambiguous(self, id: str) -> bool:
        return id in self._changes.ambiguous

    def bearers(self, name: str) -> tuple[str, ...]:
        folded = fold(name)
        if not folded:
            return ()
        survivors = self._changes.survivors
        found = {
            survivors.get(card.id, card.id)
            for card in self._changes.providers(folded, ENTITY_KIND)
            if self.path_of(card.id) is not None and folded in map(fold, card.names)
        }
        return tuple(sorted(found))

    def ids_at(self, path: str) -> Sequence[str]:
        return _distinct(
            card.id
            for card in self._changes.providers(fold(stem_of(path)), ENTITY_KIND)
            if unicodedata.normalize("NFC", card.path) == path
        )

    def ids_of_stem(self, folded: str) -> Sequence[str]:
        return _distinct(
            card.id
            for card in self._changes.providers(folded, ENTITY_KIND)
            if fold(stem_of(card.path)) == folded
        )

    def observation_at(self, path: str) -> str | None:
        found = [
            card.id
            for card in self._changes.providers(fold(stem_of(path)), OBSERVATION_KIND)
            if unicodedata.normalize("NFC", card.path) == path
            and self.path_of_observation(card.id) == card.path
        ]
        return found[-1] if found else None

    def is_observation(self, id: str) -> bool:
        return self.path_of_observation(id) is not None

    def path_of_observation(self, id: str) -> str | None:
        """Give the path of the observation of an id: of several that claim it, the first."""
        claimants = self._changes.claimants(id, OBSERVATION_KIND)
        return claimants[0].path if claimants else None


class _PatchedObservations(Mapping[str, Observation]):
    """All observations: those of the graph file, but for the changed ones."""

    def __init__(self, changes: _Changes, made: Mapping[str, Observation]) -> None:
        self._changes, self._made = changes, made

    def get(self, id: str, default: Any = None) -> Any:
        if id in self._made:
            return self._made[id]
        if id in self._changes.concerned.observations:
            return default
        return self._changes.graph.observations.get(id, default)

    def __getitem__(self, id: str) -> Observation:
        found = self.get(id)
        if found is None:
            raise KeyError(id)
        return found  # type: ignore[no-any-return]

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self.get(id) is not None

    def __iter__(self) -> Iterator[str]:
        raise NotImplementedError("only looked up")

    def __len__(self) -> int:
        raise NotImplementedError("only looked up")


def _distinct(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))
