"""What is indexed: one document an entity, with all that was merged into it, and one an observation. Pure."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from kb.graph.graph import Graph

ENTITY, OBSERVATION = "e:", "o:"


class Document:
    """What one entity or observation says, looked up only when it is needed."""

    def __init__(self, key: str, graph: Graph) -> None:
        self.key = key  #: ``e:<id>`` or ``o:<id>``
        self._graph = graph

    @property
    def id(self) -> str:
        """The id of the entity or observation."""
        return self.key[len(ENTITY) :]

    @property
    def is_entity(self) -> bool:
        """It is an entity's, not an observation's."""
        return self.key.startswith(ENTITY)

    @cached_property
    def digest(self) -> bytes:
        """The digest of the bytes of its files."""
        return self._graph.digest_of(self.key) or b""

    @property
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

    @property
    def stamp(self) -> tuple[bytes, bytes]:
        """What tells the files behind them from all others: of the last full build, and of what changed since."""
        return self._graph.stamp

    @cached_property
    def changed(self) -> frozenset[str]:
        """The keys of those that may be otherwise than in the last full build of the graph."""
        return self._graph.changed_documents()

    def digest_of(self, key: str) -> bytes | None:
        """Give a document's digest, ``None`` where there is none."""
        return self._graph.digest_of(key)

    def iter_digests(self) -> Iterator[tuple[str, bytes]]:
        """Yield the digest of each with its key."""
        return self._graph.iter_digests()

    def __getitem__(self, key: str) -> Document:
        if self._graph.digest_of(key) is None:
            raise KeyError(key)
        return Document(key, self._graph)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._graph.digest_of(key) is not None

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self._graph.iter_digests())

    def __len__(self) -> int:
        return sum(1 for _ in self._graph.iter_digests())
