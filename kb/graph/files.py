"""What the graph file knows of each file besides its rows: how to tell that it changed, and whom a change concerns.

A file *provides* the words under which others may find it (its id, its stem, its names), and *consults* those that its
links, citations and speakers ask for. Resolving a file can come out otherwise only if a word that it consults is
provided otherwise. Citations and derivations are asked for under words of their own.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from kb.graph.file_form import SIGNATURE_BYTES
from kb.model.digests import blake2b
from kb.model.entity import EntityFile
from kb.model.names import fold, stem_of
from kb.model.observation import ObservationFile
from kb.model.statement import LinkForm
from kb.syntax.observation_file import find_links

CONFIGURATION_KIND, ENTITY_KIND, OBSERVATION_KIND = range(3)
#: What begins the words under which citations and derivations ask for an observation; no folded name has a line end.
CITED, DERIVED = "cited\n", "derived\n"


class FileCard(NamedTuple):
    """A file as the graph file lists it."""

    path: str
    kind: int
    digest: bytes  #: of its bytes
    blob: bytes  #: the id that git would store it under
    signature: bytes = bytes(SIGNATURE_BYTES)  #: of all that other files' rows can depend on
    id: str = ""
    names: tuple[str, ...] = ()  #: of an entity: name and aliases
    consults: frozenset[str] = frozenset()
    judges: tuple[
        str, ...
    ] = ()  #: the ids that it is merged into, or says that it is distinct from

    @property
    def is_entity(self) -> bool:
        """It is an entity's file."""
        return self.kind == ENTITY_KIND

    @property
    def is_observation(self) -> bool:
        """It is an observation's file."""
        return self.kind == OBSERVATION_KIND

    @property
    def provides(self) -> frozenset[str]:
        """The words under which others find it."""
        return provided_words(self.path, self.kind, self.id, self.names)


def provided_words(path: str, kind: int, id: str, names: Iterable[str]) -> frozenset[str]:
    """List the words under which a file is found."""
    if kind == CONFIGURATION_KIND:
        return frozenset()
    stem = stem_of(path)
    words = {fold(stem), *map(fold, names)}
    if id != stem:
        words.add(fold(id))
    if kind == OBSERVATION_KIND:
        words |= {CITED + id, DERIVED + id}
    return frozenset(words)


def entity_card(file: EntityFile, digest: bytes, blob: bytes) -> FileCard:
    """Describe an entity's file."""
    names = (file.name, *(alias.text for alias in file.aliases))
    judged = tuple(name.text for name in file.distinct_from)
    target = file.merged_into.text if file.merged_into else None
    consults: set[str] = set()
    for link in file.links:
        consults.update(_link_words(link.form, link.target))
    for line in file.statements:
        if line.link is not None:
            consults.update(_link_words(line.link.form, line.link.target))
        for link in line.mentions:
            consults.update(_link_words(link.form, link.target))
        if line.by:
            consults.add(fold(line.by))
        for citation in line.citations:
            consults.add(CITED + citation.observation)
    return FileCard(
        file.path,
        ENTITY_KIND,
        digest,
        blob,
        _sign((file.id, file.type, names, target, judged)),
        file.id,
        names,
        frozenset(consults),
        (*((target,) if target is not None else ()), *judged),
    )


def observation_card(file: ObservationFile, digest: bytes, blob: bytes) -> FileCard:
    """Describe an observation's file."""
    derived = tuple(name.text for name in file.derived_from)
    consults = {word for link in find_links(file) for word in _link_words(link.form, link.target)}
    consults.update(DERIVED + id for id in derived)
    date = file.happened_at
    return FileCard(
        file.path,
        OBSERVATION_KIND,
        digest,
        blob,
        _sign((file.id, date.text if date else None, file.said_by, derived)),
        file.id,
        (),
        frozenset(consults),
    )


@lru_cache(maxsize=1 << 16)
def _link_words(form: LinkForm, target: str) -> tuple[str, ...]:
    """List the words that resolving a link can ask for: its stem always, a wiki link's text as a name too."""
    parts = target.split("/")
    named = [part for part in parts if part not in ("", ".", "..")]
    # A way that turns back after a name (``a.md/..``) may end at any of them.
    is_plain = parts[-len(named) :] == named
    words = tuple(fold(stem_of(part)) for part in (named[-1:] if is_plain else named))
    return (*words, fold(target)) if form is LinkForm.WIKI else words


def _sign(parts: tuple[object, ...]) -> bytes:
    return blake2b(
        repr(parts).encode("utf-8", "surrogatepass"), digest_size=SIGNATURE_BYTES
    ).digest()
