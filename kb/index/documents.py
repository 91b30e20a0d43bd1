"""What is indexed: one document an entity, with all that was merged into it, and one an observation. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from kb.graph.graph import Graph

ENTITY, OBSERVATION = "e:", "o:"


@dataclass(frozen=True)
class Document:
    """What one entity or observation says, looked up only when it is needed."""

    key: str  #: ``e:<id>`` or ``o:<id>``
    digest: str  #: of the bytes of its files
    _graph: Graph

    @property
    def id(self) -> str:
        """The id of the entity or observation."""
        return self.key[len(ENTITY) :]

    @property
    def is_entity(self) -> bool:
        """It is an entity's, not an observation's."""
        return self.key.startswith(ENTITY)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names, aliases, keys and ids, or the title and the id."""
        if not self.is_entity:
            return (self._graph.observations[self.id].title, self.id)
        entity = self._graph.entities[self.id]
        return tuple(dict.fromkeys((*entity.names, *entity.keys, entity.id, *entity.merged)))

    @property
    def body(self) -> str:
        """The free text and what the statements say, or the observation's text."""
        if self.is_entity:
            return self._graph.text_of(self.id)
        return self._graph.body_of(self.id)


class Documents(Mapping[str, Document]):
    """The documents of a graph by key. Files that claim one id are none; merged ones are their survivor's."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digest of each by its key."""
        return {key: digest.hex() for key, digest in self._graph.iter_digests()}

    def __getitem__(self, key: str) -> Document:
        return Document(key, self.digests[key], self._graph)

    def __iter__(self) -> Iterator[str]:
        return iter(self.digests)

    def __len__(self) -> int:
        return len(self.digests)
