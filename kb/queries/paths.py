"""``paths FROM TO``: how two entities are connected, shortest and best-evidenced first.

A path is a sequence of edges; statements of one subject, object and predicate are one edge. Hubs are ends, or the
middle of a two-hop path, and nothing else. Equal lengths are ordered by their weakest edge, then by ids.
"""

from typing import TYPE_CHECKING, NamedTuple

from kb.errors import UsageError
from kb.graph.graph import Graph
from kb.queries.answers import Answer, EntityRef, StatementView, Viewer
from kb.queries.path_search import FoundPath, PathSearch, Terrain
from kb.queries.predicates import IN, OUT, PredicateReading, read_predicates
from kb.queries.resolve import resolve_entity
from kb.queries.selection import EVERYTHING, Selection, make_sieve

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

PATH_LIMIT = 10
DEFAULT_HOPS = 3
MOST_HOPS = 6
HUB_DEGREE = 200


class Step(NamedTuple):
    """One edge of a path as it is walked."""

    statement: StatementView
    walked: str  #: ``out`` from subject to object, ``in`` the other way


class Path(NamedTuple):
    """One connection."""

    hops: int
    nodes: tuple[EntityRef, ...]
    steps: tuple[Step, ...]


class Paths(NamedTuple):
    """The connections found."""

    max_hops: int
    paths: tuple[Path, ...]
    hubs: tuple[EntityRef, ...]  #: within reach, and not walked through
    more: bool  #: the limit cut the list


def find_paths(
    knowledge_base: "KnowledgeBase",
    start: str,
    end: str,
    max_hops: int = DEFAULT_HOPS,
    predicates: tuple[str, ...] = (),
    directed: bool = False,
    selection: Selection = EVERYTHING,
    hub_degree: int = HUB_DEGREE,
    limit: int = PATH_LIMIT,
) -> Answer[Paths]:
    """Find paths. Ended statements are walked unless ``at`` is given, retired ones never."""
    if not 1 <= max_hops <= MOST_HOPS:
        raise UsageError(f"--max-hops must be from 1 to {MOST_HOPS}, not {max_hops}")
    graph = knowledge_base.graph
    resolved = (resolve_entity(graph, start), resolve_entity(graph, end))
    pairs = [(a.id, b.id) for a in resolved[0].entities for b in resolved[1].entities]
    reading = _read_predicates(graph, predicates)
    sieve = make_sieve(knowledge_base, selection, keeps_ended=True, offers_history=False)
    notes: tuple[str, ...] = reading.notes
    if all(first == last for first, last in pairs):
        notes = (*notes, "both ends are the same entity")
    adjacency = graph.adjacency
    terrain = Terrain(adjacency, graph.vocabulary, sieve, reading, directed, hub_degree)
    found: list[FoundPath] = []
    refused: set[int] = set()
    for first, last in pairs:
        nodes = adjacency.nodes[first], adjacency.nodes[last]
        if first != last:
            search = PathSearch(terrain, *nodes)
            found += search.run(max_hops, limit + 1 if limit > 0 else 0)
            refused |= search.refused
    if len(pairs) > 1:
        found.sort(key=lambda path: _order_of_all(graph, path))
    more = limit > 0 and len(found) > limit
    viewer = Viewer(knowledge_base)
    shown = tuple(_show(viewer, path) for path in (found[:limit] if limit > 0 else found))
    hubs = tuple(viewer.entity(id) for id in sorted(adjacency.ids[node] for node in refused))
    return Answer(
        "paths",
        knowledge_base.revision,
        resolved,
        Paths(max_hops, shown, hubs, more),
        None if more else len(found),
        more,
        (*notes, *sieve.notes()),
    )


def _read_predicates(graph: Graph, predicates: tuple[str, ...]) -> PredicateReading:
    """Read predicates for walking: a word that names an inverse is walked from the canonical object."""
    if not predicates:
        return PredicateReading()
    pairs: set[tuple[str, str]] = set()
    notes: list[str] = []
    for word in predicates:
        reading = read_predicates(graph, (word,), ())
        notes += reading.notes
        inverse = graph.vocabulary.read_predicate(word).is_inverse
        pairs |= {(predicate, IN if inverse else OUT) for predicate, _ in reading.pairs or ()}
    return PredicateReading(frozenset(pairs), tuple(notes))


def _order_of_all(graph: Graph, path: FoundPath) -> tuple[object, ...]:
    """Order paths that lead from or to several entities: as those of one pair, the statements' ids decide before later steps."""
    adjacency = graph.adjacency
    ids = (adjacency.statement(edge.strand).id for edge in path.edges)
    steps = tuple((*step, id) for step, id in zip(path.trail, ids, strict=True))
    return (len(path.edges), -path.weakest, steps, adjacency.ids[path.nodes[0]])


def _show(viewer: Viewer, path: FoundPath) -> Path:
    adjacency = viewer.graph.adjacency
    nodes = tuple(viewer.entity(adjacency.ids[node]) for node in path.nodes)
    steps = tuple(
        Step(viewer.statement(adjacency.statement(edge.strand)), edge.walked) for edge in path.edges
    )
    return Path(len(path.edges), nodes, steps)
