"""What a link leads to. The stem decides; a stale folder is forgiven, a way out of the root is not."""

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum

from kb.graph.identity import Identities
from kb.model.names import fold
from kb.model.statement import Link, LinkForm


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
    id: str | None = None
    candidates: tuple[str, ...] = ()

    @property
    def is_entity(self) -> bool:
        """The link leads to one entity."""
        return self.landing in (Landing.ENTITY, Landing.STALE, Landing.BY_NAME)


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_OUTSIDE_SCHEME = re.compile(r"file:|[A-Za-z]:[\\/]|~", re.I)


class LinkResolver:
    """Resolves links against a set of identities and paths."""

    def __init__(self, identities: Identities, observation_paths: dict[str, str]) -> None:
        self.identities = identities
        self.observation_paths = observation_paths  #: id → path
        self._observations_by_path = {path: id for id, path in observation_paths.items()}
        self._by_path = {
            unicodedata.normalize("NFC", file.path): file.id for file in identities.files.values()
        }
        self._by_stem: dict[str, list[str]] = {}
        for path, id in self._by_path.items():
            self._by_stem.setdefault(fold(path.rsplit("/", 1)[-1].removesuffix(".md")), []).append(id)

    def resolve(self, link: Link, from_path: str) -> Target:
        """Say where a link that stands in a file leads."""
        if link.form is LinkForm.WIKI:
            return self._wiki(link.target)
        return self._markdown(link.target, from_path)

    def _markdown(self, target: str, from_path: str) -> Target:
        if not target:
            return Target(Landing.ELSEWHERE)
        if _OUTSIDE_SCHEME.match(target) or target.startswith("/") or "\\" in target or "\0" in target:
            return Target(Landing.OUTSIDE)
        if _SCHEME.match(target):
            return Target(Landing.ELSEWHERE)
        path = _join(from_path, target)
        if path is None:
            return Target(Landing.OUTSIDE)
        path = unicodedata.normalize("NFC", path)
        if not path.endswith(".md"):
            return Target(Landing.ELSEWHERE)
        if path in self._by_path:
            return Target(Landing.ENTITY, self._by_path[path])
        stem = path.rsplit("/", 1)[-1].removesuffix(".md")
        if path in self._observations_by_path:
            return Target(Landing.OBSERVATION, self._observations_by_path[path])
        return self._stem(stem, Landing.STALE)

    def _wiki(self, target: str) -> Target:
        if "\\" in target or target.startswith(("/", "~")) or ".." in target.split("/"):
            return Target(Landing.OUTSIDE)
        word = target.rsplit("/", 1)[-1].removesuffix(".md").strip()
        if not word:
            return Target(Landing.ELSEWHERE)
        by_stem = self._stem(word, Landing.ENTITY)
        if by_stem.landing is not Landing.DANGLING:
            return by_stem
        bearers = self.identities.bearers(target) or self.identities.bearers(word)
        if len(bearers) == 1:
            return Target(Landing.BY_NAME, bearers[0])
        if bearers:
            return Target(Landing.AMBIGUOUS, None, bearers)
        if word in self.observation_paths:
            return Target(Landing.OBSERVATION, word)
        return by_stem

    def _stem(self, stem: str, landing: Landing) -> Target:
        if stem in self.identities.files:
            return Target(landing, stem)
        if stem in self.identities.ambiguous:
            return Target(Landing.AMBIGUOUS, None, (stem,))
        # A file whose id is not its stem is an error of its own; a link to the file still finds it.
        by_stem = self._by_stem.get(fold(stem), [])
        if len(by_stem) == 1:
            return Target(landing, by_stem[0])
        if stem in self.observation_paths and landing is Landing.STALE:
            return Target(Landing.OBSERVATION, stem)
        return Target(Landing.DANGLING)


def _join(from_path: str, target: str) -> str | None:
    """Resolve a relative path from a file's folder; ``None`` where it leaves the root."""
    parts = from_path.split("/")[:-1]
    for part in target.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) + ("/" if target.endswith("/") else "")
