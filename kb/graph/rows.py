"""The rows that a graph is made of, whoever made them.

A *document key* is ``e:<id>`` for an entity and ``o:<id>`` for an observation, whose ids are spaces of their own.
"""

from collections.abc import Mapping
from typing import NamedTuple

from kb.graph.graph import Entity, Observation, Statement
from kb.model.vocabulary import Vocabulary


class Rows(NamedTuple):
    """What a graph is made of, row by row: all of it, or what some files give to it."""

    vocabulary: Vocabulary
    entities: tuple[Entity, ...]  #: by id
    observations: tuple[Observation, ...]  #: by id
    texts: Mapping[str, str]  #: of the entities, by id: what full text reads
    bodies: Mapping[str, str]  #: of the observations, by id
    digests: Mapping[str, bytes]  #: of the files behind each, by document key
    involved: Mapping[
        str, tuple[str, ...]
    ]  #: observation → tokens, as ``Graph.involving`` has them
    statements: tuple[Statement, ...]  #: by path and line
    hidden: tuple[
        tuple[str, str], ...
    ]  #: (path, survivor) of each statement that a merge turned on itself
    unresolved: tuple[
        tuple[str, str], ...
    ]  #: (path, survivor) of each relation that leads to no entity
    broken: tuple[str, ...]
    survivors: Mapping[str, str]
    ambiguous: Mapping[str, tuple[str, ...]]
    distinct: frozenset[tuple[str, str]]
