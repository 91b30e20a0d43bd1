"""The files that a graph file was made of, with newer ones over them: who claims an id, who provides a word."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from kb.graph.file_form import FILE_DIGEST_BYTES, SIGNATURE_BYTES
from kb.graph.files import ENTITY_KIND, OBSERVATION_KIND, FileCard
from kb.graph.layers import Layer
from kb.graph.tables import Lists, find_row
from kb.model.names import fold, stem_of
from kb.store.sections import Sections


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
        return self.layer.sections.row("file.digest", row, FILE_DIGEST_BYTES)

    def blob(self, row: int) -> bytes:
        """Give the id that git would store a file under."""
        width = self.layer.sections.size("file.blob") // len(self._files)
        return self.layer.sections.row("file.blob", row, width)

    def card(self, path: str) -> FileCard | None:
        """Describe a file, what it consults left out."""
        row = self.row_of(path)
        if row < 0:
            return None
        id, *names = (self.layer.heap[text] for text in self._names[row])
        return FileCard(
            path,
            self.layer.sections.row("file.kind", row, 1)[0],
            self.digest(row),
            self.blob(row),
            self.layer.sections.row("file.sign", row, SIGNATURE_BYTES),
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


class KnownFiles:
    """All files: those of a graph file, but for newer ones (``None``: gone)."""

    def __init__(self, base: BaseFiles, newer: Mapping[str, FileCard | None]) -> None:
        self._base, self._newer = base, newer

    def card(self, path: str) -> FileCard | None:
        """Describe a file as it is now."""
        return self._newer[path] if path in self._newer else self._base.card(path)

    def providers(self, word: str, kind: int) -> list[FileCard]:
        """List the files of a kind that provide a word, by path."""
        found = [
            card
            for path in self._base.providing(word)
            if path not in self._newer and (card := self._base.card(path))
        ]
        found += self._newer_by_word.get(word, ())
        return sorted((card for card in found if card.kind == kind), key=lambda card: card.path)

    def claimants(self, id: str, kind: int) -> list[FileCard]:
        """List the files of a kind that claim an id, by path."""
        return [card for card in self.providers(fold(id), kind) if card.id == id]

    @cached_property
    def _newer_by_word(self) -> dict[str, list[FileCard]]:
        providers: dict[str, list[FileCard]] = {}
        for card in self._newer.values():
            if card is not None:
                for word in card.provides:
                    providers.setdefault(word, []).append(card)
        return providers


def known_files(base: Sections, changes: Sections | None) -> KnownFiles:
    """Give all files of a graph file, with those of the file of changes over it."""
    return KnownFiles(BaseFiles(base), newer_cards(changes))


class KnownPlaces:
    """What links ask, of known files."""

    def __init__(
        self,
        files: KnownFiles,
        survivors: Mapping[str, str],
        ambiguous: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._files, self._survivors, self._ambiguous = files, survivors, ambiguous
        self._paths: dict[str, str | None] = {}

    def path_of(self, id: str) -> str | None:
        if id not in self._paths:
            claimants = self._files.claimants(id, ENTITY_KIND)
            self._paths[id] = claimants[0].path if len(claimants) == 1 else None
        return self._paths[id]

    def is_ambiguous(self, id: str) -> bool:
        return id in self._ambiguous

    def bearers(self, name: str) -> tuple[str, ...]:
        folded = fold(name)
        if not folded:
            return ()
        found = {
            self._survivors.get(card.id, card.id)
            for card in self._files.providers(folded, ENTITY_KIND)
            if self.path_of(card.id) is not None and folded in map(fold, card.names)
        }
        return tuple(sorted(found))

    def ids_at(self, path: str) -> Sequence[str]:
        return _distinct(
            card.id
            for card in self._files.providers(fold(stem_of(path)), ENTITY_KIND)
            if unicodedata.normalize("NFC", card.path) == path
        )

    def ids_of_stem(self, folded: str) -> Sequence[str]:
        return _distinct(
            card.id
            for card in self._files.providers(folded, ENTITY_KIND)
            if fold(stem_of(card.path)) == folded
        )

    def observation_at(self, path: str) -> str | None:
        found = [
            card.id
            for card in self._files.providers(fold(stem_of(path)), OBSERVATION_KIND)
            if unicodedata.normalize("NFC", card.path) == path
            and self.path_of_observation(card.id) == card.path
        ]
        return found[-1] if found else None

    def is_observation(self, id: str) -> bool:
        return self.path_of_observation(id) is not None

    def path_of_observation(self, id: str) -> str | None:
        """Give the path of the observation of an id: of several that claim it, the first."""
        claimants = self._files.claimants(id, OBSERVATION_KIND)
        return claimants[0].path if claimants else None


def newer_cards(changes: Sections | None) -> dict[str, FileCard | None]:
    """Give the cards of the files that a file of changes knows, ``None`` for those that are gone."""
    if changes is None:
        return {}
    files = BaseFiles(changes)
    cards: dict[str, FileCard | None] = {path: files.card(path) for path in files.iter_paths()}
    cards.update((files.layer.heap[text], None) for text in changes.ints("mask.gone"))
    return cards


def _distinct(ids: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(ids))
