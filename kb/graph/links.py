"""What a link leads to. The stem decides; a stale folder is forgiven, a way out of the root is not."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from kb.graph.identity import Identities
from kb.model.names import fold, stem_of
from kb.model.statement import Link, LinkForm
from kb.store.layout import resolve_path


class Landing(Enum):
    """Where a link ends up."""

    ENTITY = "entity"
    STALE = "stale"  #: an entity, but its file lies elsewhere
    BY_NAME = "by name"  #: an entity, by the one name that fits
    OBSERVATION = "observation"
    DANGLING = "dangling"
    AMBIGUOUS = "ambiguous"
    OUTSIDE = "outside"
    ELSEWHERE = "elsewhere"  #: a web address, a folder, a file of another kind


class Target(NamedTuple):
    """The end of a link: an id as its file has it (redirects not followed)."""

    landing: Landing
    id: str | None = None  #: of an entity
    candidates: tuple[str, ...] = ()
    observation: str | None = None  #: an observation's id, which is a space of its own

    @property
    def is_entity(self) -> bool:
        """The link leads to one entity."""
        return self.landing in (Landing.ENTITY, Landing.STALE, Landing.BY_NAME)


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_OUTSIDE_SCHEME = re.compile(r"file:|[A-Za-z]:[\\/]|~", re.I)


class Places(Protocol):
    """What resolving a link asks of all files. Folded texts are as ``fold`` gives them, paths in Unicode's form C."""

    def path_of(self, id: str) -> str | None:
        """Give the path of the one file that claims an entity id."""

    def is_ambiguous(self, id: str) -> bool:
        """Say whether several files claim an entity id."""

    def bearers(self, name: str) -> tuple[str, ...]:
        """List the survivors that bear a name or alias, sorted."""

    def ids_at(self, path: str) -> Sequence[str]:
        """List the entity ids that the files at a path claim: several only where paths are twins."""

    def ids_of_stem(self, folded: str) -> Sequence[str]:
        """List the entity ids of the files whose stem, folded, is this."""

    def observation_at(self, path: str) -> str | None:
        """Give the id of the observation at a path."""

    def is_observation(self, id: str) -> bool:
        """Say whether there is an observation of this id."""


class LoadedPlaces:
    """The places of files that are all loaded."""

    def __init__(self, identities: Identities, observation_paths: Mapping[str, str]) -> None:
        self._identities, self._observations = identities, observation_paths
        self._observations_by_path = {
            unicodedata.normalize("NFC", path): id for id, path in observation_paths.items()
        }
        self._by_path: dict[str, list[str]] = {}
        self._by_stem: dict[str, list[str]] = {}
        for file in identities.files.values():
            self._index(file.path, file.id)
        for id, paths in identities.ambiguous.items():
            for path in paths:
                self._index(path, id)

    def _index(self, path: str, id: str) -> None:
        path = unicodedata.normalize("NFC", path)
        for table, key in ((self._by_path, path), (self._by_stem, fold(stem_of(path)))):
            ids = table.setdefault(key, [])
            if id not in ids:
                ids.append(id)

    def path_of(self, id: str) -> str | None:
        file = self._identities.files.get(id)
        return file.path if file else None

    def is_ambiguous(self, id: str) -> bool:
        return id in self._identities.ambiguous

    def bearers(self, name: str) -> tuple[str, ...]:
        return self._identities.bearers(name)

    def ids_at(self, path: str) -> Sequence[str]:
        return self._by_path.get(path, ())

    def ids_of_stem(self, folded: str) -> Sequence[str]:
        return self._by_stem.get(folded, ())

    def observation_at(self, path: str) -> str | None:
        return self._observations_by_path.get(path)

    def is_observation(self, id: str) -> bool:
        return id in self._observations


class LinkResolver:
    """Resolves links against the places of all files."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self._at: dict[str, Target] = {}  #: what lies at a path, once it was asked for
        #: Of the file whose links were resolved last: its path, and its folders from the inmost to the root.
        self._from, self._above = "", [""]

    def resolve(self, link: Link, from_path: str) -> Target:
        """Say where a link that stands in a file leads."""
        if link.form is LinkForm.WIKI:
            return self._wiki(link.target)
        return self._markdown(link.target, from_path)

    def _markdown(self, target: str, from_path: str) -> Target:
        if target.startswith("../"):
            found = self._known_at(target, from_path)
            if found is not None:
                return found
        if not target:
            return Target(Landing.ELSEWHERE)
        if _leads_out(target) or target.startswith("/") or "\0" in target:
            return Target(Landing.OUTSIDE)
        if _SCHEME.match(target):
            return Target(Landing.ELSEWHERE)
        path = resolve_path(from_path, target)
        if path is None:
            return Target(Landing.OUTSIDE)
        path = unicodedata.normalize("NFC", path)
        return self._target_at(path)

    def _known_at(self, target: str, from_path: str) -> Target | None:
        """Give what lies where a path leads, if that was asked for before: most links lead where others do.

        Only for paths that begin with ``..``: of those nothing is a scheme. Paths that were asked for hold no ``\\``, no
        ``..`` and no null, so that a target with one of these is not found here.
        """
        if self._from != from_path:
            folders = from_path.split("/")[:-1]
            above = ("/".join(folders[:count]) for count in range(len(folders), 0, -1))
            self._from, self._above = from_path, [*(f"{folder}/" for folder in above), ""]
        up = 0
        while target.startswith("../"):
            target, up = target[3:], up + 1
        return self._at.get(self._above[up] + target) if up < len(self._above) else None

    def _target_at(self, path: str) -> Target:
        found = self._at.get(path)
        if found is None:
            found = self._at[path] = self._find_at(path)
        return found

    def _find_at(self, path: str) -> Target:
        stem = stem_of(path)
        if path.endswith("/") or stem == path.rsplit("/", 1)[-1]:
            return Target(Landing.ELSEWHERE)
        ids = self.places.ids_at(path)
        if ids:
            return self._one_of(ids, Landing.ENTITY)
        observation = self.places.observation_at(path)
        if observation is not None:
            return Target(Landing.OBSERVATION, observation=observation)
        return self._stem(stem, Landing.STALE)

    def _wiki(self, target: str) -> Target:
        if _leads_out(target) or target.startswith("/") or ".." in target.split("/"):
            return Target(Landing.OUTSIDE)
        if _ADDRESS.match(target):
            return Target(Landing.ELSEWHERE)
        word = stem_of(target).strip()
        if not word:
            return Target(Landing.ELSEWHERE)
        # A name may hold a slash: AC/DC is no file "DC".
        bearers = self.places.bearers(target)
        if "/" not in target or not bearers:
            by_stem = self._stem(word, Landing.ENTITY)
            if by_stem.landing is not Landing.DANGLING:
                return self._with_folder(by_stem, target)
        bearers = bearers or self.places.bearers(word)
        if len(bearers) == 1:
            return Target(Landing.BY_NAME, bearers[0])
        if bearers:
            return Target(Landing.AMBIGUOUS, None, bearers)
        if self.places.is_observation(word):
            return Target(Landing.OBSERVATION, observation=word)
        return Target(Landing.DANGLING)

    def _with_folder(self, found: Target, target: str) -> Target:
        """Compare the folders that a wiki link names, if any, with those of the file that its stem found."""
        if found.id is None or "/" not in target:
            return found
        path, wanted = (
            unicodedata.normalize("NFC", text).removeprefix("./")
            for text in (self.places.path_of(found.id) or "", target)
        )
        folder, wanted_folder = (text.rpartition("/")[0] for text in (path, wanted))
        if stem_of(path) == stem_of(wanted) and f"/{folder}".endswith(f"/{wanted_folder}"):
            return found
        return Target(Landing.STALE, found.id)

    def _stem(self, stem: str, landing: Landing) -> Target:
        if self.places.path_of(stem) is not None:
            return Target(landing, stem)
        if self.places.is_ambiguous(stem):
            return Target(Landing.AMBIGUOUS, None, (stem,))
        # A file whose id is not its stem is an error of its own; a link to the file still finds it.
        by_stem = self.places.ids_of_stem(fold(stem))
        if len(by_stem) == 1:
            return self._one_of(by_stem, landing)
        if self.places.is_observation(stem) and landing is Landing.STALE:
            return Target(Landing.OBSERVATION, observation=stem)
        return Target(Landing.DANGLING)

    def _one_of(self, ids: Sequence[str], landing: Landing) -> Target:
        """Land on the one id that a path has; a path has several only where two files' paths are twins."""
        if len(ids) == 1 and self.places.path_of(ids[0]) is not None:
            return Target(landing, ids[0])
        return Target(Landing.AMBIGUOUS, None, tuple(ids))


def _leads_out(target: str) -> bool:
    return _OUTSIDE_SCHEME.match(target) is not None or "\\" in target
