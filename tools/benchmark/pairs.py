"""Pairs of entities that are connected, for questions about paths: one drawn at random would mostly have none."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

Adjacency = Mapping[str, set[str]]


def read_adjacency(edges: Path) -> Adjacency:
    """Read who is next to whom from ``edges.jsonl``."""
    adjacent: defaultdict[str, set[str]] = defaultdict(set)
    with open(edges, encoding="utf-8") as lines:
        for line in lines:
            one, other, *_ = json.loads(line)
            if one != other:
                adjacent[one].add(other)
                adjacent[other].add(one)
    return adjacent


def connected_pairs(
    adjacent: Adjacency, starts: Sequence[str], hops: int, hub_degree: int
) -> list[tuple[str, str]]:
    """Pair each start with an entity of each distance from two hops on, where there is one; no hub on the way or at the end."""
    return [
        (start, sorted(ring)[len(ring) // 2])
        for start in starts
        for ring in _rings(adjacent, start, hops, hub_degree)
        if ring
    ]


def _rings(adjacent: Adjacency, start: str, hops: int, hub_degree: int) -> Iterator[set[str]]:
    """Yield the entities that are two, three … hops away."""
    seen, ring = {start}, {start}
    for distance in range(1, hops + 1):
        ring = {
            other
            for node in ring
            for other in adjacent[node]
            if other not in seen and len(adjacent[other]) <= hub_degree
        }
        seen |= ring
        if distance > 1:
            yield ring
