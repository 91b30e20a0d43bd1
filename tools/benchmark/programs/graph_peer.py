"""``graph_peer.py rustworkx|networkx EDGES HOPS HUB_DEGREE``: as ``kb_warm_paths.py``, by a library for graphs.

The same rule: shortest first, then the best evidenced, then by ids, ten of them; no walking through hubs but at the ends or
in the middle of two hops. Making the graph is not timed, nor is linking a hub that is an end.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise, product
from typing import Any

LIMIT = 10

#: How well evidenced an edge is, best greatest.
Support = tuple[int, ...]
#: The edges between two nodes: predicate and subject, and the support.
Between = dict[tuple[str, str], Support]
#: A path: number of edges, weakest support turned round, nodes, edges.
Found = tuple[int, list[int], list[str], list[tuple[str, str]]]


class Graph:
    """All edges, and a library's graph of who is next to whom, without hubs."""

    def __init__(self, library: str, edges: str, hops: int, hub_degree: int) -> None:
        self.hops = hops
        #: By both ends: the support of each edge between them, by subject and predicate.
        self.edges: dict[str, dict[str, Between]] = defaultdict(lambda: defaultdict(dict))
        current: dict[str, set[str]] = defaultdict(set)
        with open(edges, encoding="utf-8") as lines:
            for line in lines:
                subject, object, predicate, support, is_current = json.loads(line)
                if subject == object:
                    continue
                between = self.edges[subject][object]
                self.edges[object][subject] = between
                key = (predicate, subject)
                between[key] = max(tuple(support), between.get(key, ()))
                if is_current:
                    current[subject].add(object)
                    current[object].add(subject)
        self.hubs = {node for node, others in current.items() if len(others) > hub_degree}
        self.library = LIBRARIES[library](self.edges, self.hubs)

    def find(self, start: str, end: str) -> list[Found]:
        """Find the paths of one pair."""
        nodes = self.library.paths(start, end, self.hops)
        through = self.edges[start].keys() & self.edges[end].keys() & self.hubs
        nodes += [[start, hub, end] for hub in through - {start, end}]
        nodes.sort(key=len)
        found: list[Found] = []
        for path in nodes:
            if len(found) >= LIMIT and len(path) > found[-1][0] + 1:
                break  # longer than what there is enough of
            found += self._edges_along(path)
        found.sort()
        return found[:LIMIT]

    def _edges_along(self, path: list[str]) -> Iterator[Found]:
        """Yield each choice of edges along some nodes."""
        steps = [self.edges[a][b].items() for a, b in pairwise(path)]
        for choice in product(*steps):
            weakest = min(support for _, support in choice)
            yield len(choice), [-part for part in weakest], path, [key for key, _ in choice]


class Rustworkx:
    """The graph without its hubs in rustworkx."""

    def __init__(self, edges: Mapping[str, Mapping[str, Between]], hubs: set[str]) -> None:
        import rustworkx

        self._module, self._edges = rustworkx, edges
        self._graph = rustworkx.PyGraph(multigraph=False)
        self._names = list(edges)
        self._numbers = dict(zip(self._names, self._graph.add_nodes_from(self._names), strict=True))
        self._graph.add_edges_from_no_data(
            [
                (self._numbers[one], self._numbers[other])
                for one, others in edges.items()
                if one not in hubs
                for other in others
                if one < other and other not in hubs
            ]
        )

    def link(self, hub: str) -> None:
        """Add the edges of a hub that is an end."""
        own = self._numbers[hub]
        ends = [(own, self._numbers[other]) for other in self._edges[hub]]
        self._graph.add_edges_from_no_data(ends)

    def unlink(self, hub: str) -> None:
        """Take them away again."""
        own = self._numbers[hub]
        self._graph.remove_edges_from([(own, other) for other in list(self._graph.neighbors(own))])

    def paths(self, start: str, end: str, hops: int) -> list[list[str]]:
        """Give all simple paths."""
        ends = self._numbers[start], self._numbers[end]
        found = self._module.all_simple_paths(self._graph, *ends, cutoff=hops + 1)
        return [[self._names[node] for node in path] for path in found]


class Networkx:
    """The graph without its hubs in networkx."""

    def __init__(self, edges: Mapping[str, Mapping[str, Between]], hubs: set[str]) -> None:
        import networkx

        self._module, self._edges = networkx, edges
        self._graph = networkx.Graph()
        self._graph.add_nodes_from(edges)
        self._graph.add_edges_from(
            (one, other)
            for one, others in edges.items()
            if one not in hubs
            for other in others
            if other not in hubs
        )

    def link(self, hub: str) -> None:
        """Add the edges of a hub that is an end."""
        self._graph.add_edges_from((hub, other) for other in self._edges[hub])

    def unlink(self, hub: str) -> None:
        """Take them away again."""
        self._graph.remove_edges_from(list(self._graph.edges(hub)))

    def paths(self, start: str, end: str, hops: int) -> list[list[str]]:
        """Give all simple paths."""
        return [*self._module.all_simple_paths(self._graph, start, end, cutoff=hops)]


LIBRARIES: dict[str, Any] = {"rustworkx": Rustworkx, "networkx": Networkx}


def main() -> None:
    """Answer each pair twice and time the second answer."""
    library, edges, hops, hub_degree = sys.argv[1:]
    graph = Graph(library, edges, int(hops), int(hub_degree))
    times, counts = [], []
    for start, end in json.load(sys.stdin):
        linked = {start, end} & graph.hubs
        for hub in linked:
            graph.library.link(hub)
        graph.find(start, end)
        begun = time.perf_counter()
        found = graph.find(start, end)
        times.append(time.perf_counter() - begun)
        counts.append([path for _, _, path, _ in found])
        for hub in linked:
            graph.library.unlink(hub)
    json.dump({"seconds": times, "paths": counts}, sys.stdout)


if __name__ == "__main__":
    main()
