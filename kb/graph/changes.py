"""What changed since the last full build → the rows that take the place of some of its rows.

Changed files are resolved again, and with them every file whose rows could come out otherwise: those that consult a word
that a changed file provided, or provides now (``kb.graph.files``). What a clean build would give is given exactly, or
nothing at all where so much is concerned that a clean build is the better way.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kb.graph.build import Resolution, make_observation, make_rows
from kb.graph.drafts import draft_statements
from kb.graph.evidence import FindObservation
from kb.graph.file_form import ORDINAL_SHIFT, STATEMENT_WIDTH
from kb.graph.files import (
    CITED,
    DERIVED,
    ENTITY_KIND,
    FileCard,
)
from kb.graph.graph import Observation
from kb.graph.graph_file import pack_graph
from kb.graph.identity import Identities, resolve_identities
from kb.graph.known_files import BaseFiles, KnownFiles, KnownPlaces
from kb.graph.links import LinkResolver
from kb.graph.stored import StoredGraph
from kb.graph.tables import first_row_from
from kb.model.entity import EntityFile
from kb.model.observation import ObservationFile
from kb.store.sections import Sections

#: Room for ordinals before the row that follows.
_GAP = 1 << (ORDINAL_SHIFT - 1)


class ParsedFile(NamedTuple):
    """A file as it is now."""

    file: EntityFile | ObservationFile
    card: FileCard


class TooMuch(Exception):
    """So many files are concerned that all should be built anew."""


def pack_changes(
    base: Sections,
    current: Mapping[str, ParsedFile | None],
    load: Callable[[str], ParsedFile],
    most: int,
    besides: Sequence[FileCard] = (),
) -> dict[str, Any]:
    """Lay out what takes the place of a graph file's rows.

    ``current`` has every file that is otherwise than the graph file has it, ``None`` where it is no more; ``load`` reads
    one that is as it was; ``besides`` are changed files that give no rows. ``TooMuch`` where more than ``most`` files are concerned.
    """
    return _Changes(base, current, load, most, besides).pack()


class _Concerned:
    """Whom changes concern."""

    def __init__(self) -> None:
        self.words: set[str] = set()  #: provided otherwise than before
        self.paths: set[str] = set()  #: files to resolve again
        self.entities: set[str] = set()  #: ids whose rows may be otherwise
        self.observations: set[str] = set()


class _Changes:
    def __init__(
        self,
        base: Sections,
        current: Mapping[str, ParsedFile | None],
        load: Callable[[str], ParsedFile],
        most: int,
        besides: Sequence[FileCard],
    ) -> None:
        self.files = BaseFiles(base)
        self.graph = StoredGraph(base)
        self.current, self.most, self.besides = current, most, besides
        self._load = load
        self._loaded: dict[str, ParsedFile] = {}
        self.old = {path: card for path in current if (card := self.files.card(path))}
        self.concerned = _Concerned()
        self.known = KnownFiles(
            self.files, {path: now.card if now else None for path, now in current.items()}
        )

    # -- files as they are now -----------------------------------------------------------------------------------

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

    # -- whom it concerns ----------------------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        otherwise = self._find_changed_identities()
        self.ambiguous = self._find_ambiguous(otherwise)
        self.survivors, self.distinct = self._judge(otherwise)
        self.places = KnownPlaces(self.known, self.survivors, self.ambiguous)
        self._follow_words()
        paths = {*self.current, *self.concerned.paths}
        if len(paths) > self.most:
            raise TooMuch
        return self._pack(paths)

    def _find_changed_identities(self) -> list[FileCard]:
        """Give the cards, old and new, of files on whose identity others' rows may rest, where it changed."""
        changed = []
        for path in self.current:
            old, new = self.old.get(path), self.known.card(path)
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
            claimants = self.known.claimants(id, kind)
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
        ids = judged | {one.id for path in judging if (one := self.known.card(path))}
        if not any(card.path in self.files.judging or card.id in ids for card in otherwise):
            return before, self.graph.distinct_pairs
        taking_part = {
            card.path for id in ids for card in self.known.claimants(id, ENTITY_KIND)
        } | judging
        files = [self.parsed(path).file for path in sorted(taking_part)]
        identities = resolve_identities(
            [file for file in files if isinstance(file, EntityFile)], self.graph.vocabulary
        )
        after = identities.survivors
        for id in {*before, *after}:
            if before.get(id, id) != after.get(id, id):
                self.concerned.entities |= {id, before.get(id, id), after.get(id, id)}
                for card in self.known.claimants(id, ENTITY_KIND):
                    self.concerned.paths.add(card.path)
                    self.concerned.words |= card.provides
        return after, identities.distinct

    def _iter_new_cards(self) -> Iterator[FileCard]:
        for path in self.current:
            card = self.known.card(path)
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
                card = self.known.card(path)
                if card is not None and card.is_observation and word.startswith(DERIVED):
                    # What rests on it counts its witnesses anew.
                    todo |= {CITED + card.id, DERIVED + card.id} - asked

    # -- rows ----------------------------------------------------------------------------------------------------

    def _pack(self, paths: set[str]) -> dict[str, Any]:
        for path in paths:
            for known in (self.files.card(path), self.known.card(path)):
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
        present = sorted(path for path in paths if self.known.card(path) is not None)
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
            self._observations_with(chosen),
            entities,
        )
        return pack_graph(
            made,
            sorted((*self._iter_new_cards(), *self.besides), key=lambda card: card.path),
            self._place_ordinals([statement.path for statement in made.statements]),
            {
                "paths": sorted(paths),
                "entities": sorted(rows),
                "observations": sorted(self.concerned.observations),
                "gone": sorted(path for path in self.current if self.known.card(path) is None),
            },
        )

    def _observations_with(self, chosen: Mapping[str, ObservationFile]) -> FindObservation:
        """Look observations up as they are now: those of the graph file, but for the changed ones."""
        made = {id: make_observation(one) for id, one in chosen.items()}

        def find(id: str) -> Observation | None:
            if id in made or id in self.concerned.observations:
                return made.get(id)
            return self.graph.observations.get(id)

        return find

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
