"""What a link leads to. The stem decides; a stale folder is forgiven, a way out of the root is not."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

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


@dataclass(frozen=True, slots=True)
class Target:
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


class LinkResolver:
    """Resolves links against a set of identities and paths."""

    def __init__(self, identities: Identities, observation_paths: Mapping[str, str]) -> None:
        self.identities = identities
        self.observation_paths = observation_paths  #: id → path
        self._observations_by_path = {
            unicodedata.normalize("NFC", path): id for id, path in observation_paths.items()
        }
        self._by_path: dict[str, list[str]] = {}  # more than one id where two paths are twins
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

    def resolve(self, link: Link, from_path: str) -> Target:
        """Say where a link that stands in a file leads."""
        if link.form is LinkForm.WIKI:
            return self._wiki(link.target)
        return self._markdown(link.target, from_path)

    def _markdown(self, target: str, from_path: str) -> Target:
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
        stem = stem_of(path)
        if path.endswith("/") or stem == path.rsplit("/", 1)[-1]:
            return Target(Landing.ELSEWHERE)
        if path in self._by_path:
            return self._one_of(self._by_path[path], Landing.ENTITY)
        if path in self._observations_by_path:
            return Target(Landing.OBSERVATION, observation=self._observations_by_path[path])
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
        bearers = self.identities.bearers(target)
        if "/" not in target or not bearers:
            by_stem = self._stem(word, Landing.ENTITY)
            if by_stem.landing is not Landing.DANGLING:
                return self._with_folder(by_stem, target)
        bearers = bearers or self.identities.bearers(word)
        if len(bearers) == 1:
            return Target(Landing.BY_NAME, bearers[0])
        if bearers:
            return Target(Landing.AMBIGUOUS, None, bearers)
        if word in self.observation_paths:
            return Target(Landing.OBSERVATION, observation=word)
        return Target(Landing.DANGLING)

    def _with_folder(self, found: Target, target: str) -> Target:
        """Compare the folders that a wiki link names, if any, with those of the file that its stem found."""
        if found.id is None or "/" not in target:
            return found
        path, wanted = (
            unicodedata.normalize("NFC", text).removeprefix("./")
            for text in (self.identities.files[found.id].path, target)
        )
        folder, wanted_folder = (text.rpartition("/")[0] for text in (path, wanted))
        if stem_of(path) == stem_of(wanted) and f"/{folder}".endswith(f"/{wanted_folder}"):
            return found
        return Target(Landing.STALE, found.id)

    def _stem(self, stem: str, landing: Landing) -> Target:
        if stem in self.identities.files:
            return Target(landing, stem)
        if stem in self.identities.ambiguous:
            return Target(Landing.AMBIGUOUS, None, (stem,))
        # A file whose id is not its stem is an error of its own; a link to the file still finds it.
        by_stem = self._by_stem.get(fold(stem), [])
        if len(by_stem) == 1:
            return self._one_of(by_stem, landing)
        if stem in self.observation_paths and landing is Landing.STALE:
            return Target(Landing.OBSERVATION, observation=stem)
        return Target(Landing.DANGLING)

    def _one_of(self, ids: list[str], landing: Landing) -> Target:
        """Land on the one id that a path has; a path has several only where two files' paths are twins."""
        if len(ids) == 1 and ids[0] in self.identities.files:
            return Target(landing, ids[0])
        return Target(Landing.AMBIGUOUS, None, tuple(ids))


def _leads_out(target: str) -> bool:
    return _OUTSIDE_SCHEME.match(target) is not None or "\\" in target
