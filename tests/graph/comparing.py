"""Everything that a graph can be asked, as one value, to compare two graphs with. No test logic."""

from itertools import product
from typing import Any

from kb.graph.build import Resolution
from kb.graph.files import FileCard, entity_card, observation_card
from kb.graph.graph import Graph, Statement
from kb.graph.graph_file import pack_graph
from kb.graph.rows import Rows
from kb.store.paged import InMemory
from kb.store.sections import Sections, pack_sections
from tests.conftest import NOW


def said(statements: Any) -> list[Statement]:
    """Statements without their ordinals, which order them and mean nothing else."""
    return [statement._replace(ordinal=0) for statement in statements]


def everything(graph: Graph) -> dict[str, Any]:
    """What a graph says, for comparison."""
    names = dict(graph.iter_names())
    keys = {key for entity in graph.entities.values() for key in entity.normalized_keys}
    observations = sorted(graph.observations)
    words = {word for id in observations[:20] for word in graph.body_of(id).split()[:3]}
    tokens = {*graph.entities, *keys, *(one.said_by for one in graph.observations.values())}
    statements = list(graph.iter_statements())
    cited = {id for one in statements for id in one.observations} | set(observations)
    ends = {one.subject for one in statements} | set(graph.entities)
    return {
        "entities": [graph.entities[id] for id in sorted(graph.entities)],
        "observations": [graph.observations[id] for id in observations],
        "statements": said(statements),
        "superseded": said(graph.superseded()),
        "of id": {one.id: said(graph.of_id(one.id)) for one in statements[:40]},
        "order": [one.ordinal for one in statements] == sorted(one.ordinal for one in statements),
        "about": {id: said(graph.about(id)) for id in sorted(ends)},
        "single-valued": {id: said(graph.single_valued_of(id)) for id in sorted(ends)},
        "adjacency": {id: adjacent(graph, id) for id in sorted(ends)},
        "counts": {id: graph.count_about(id) for id in sorted(ends)},
        "near": {id: graph.neighbors(id) for id in sorted(ends)},
        "citing": {id: said(graph.citing(id)) for id in sorted(cited)},
        "predicates": dict(graph.count_predicates()),
        "names": names,
        "folded": {name: graph.bearers_of_folded(name) for name in names},
        "parts": {
            name[1:4]: sorted(graph.iter_names(name[1:4]))
            for name in sorted(names)[:50]
            if name[1:4]
        },
        "keys": {key: graph.bearers_of_key(key) for key in sorted(keys)},
        "key kinds": graph.key_kinds,
        "types": graph.types,
        "kinds": graph.kinds,
        "survivors": dict(graph.survivors),
        "ambiguous": dict(graph.ambiguous),
        "hidden": dict(graph.hidden),
        "unresolved": dict(graph.unresolved),
        "broken": sorted(graph.broken),
        "distinct": {
            pair
            for pair in product(sorted(graph.entities)[:60], repeat=2)
            if graph.are_distinct(*pair)
        },
        "lengths": (len(graph.entities), len(graph.observations)),
        "involving": {token: graph.involving(token) for token in sorted(tokens)},
        "bodies": {id: graph.body_of(id) for id in observations},
        "texts": {id: graph.text_of(id) for id in sorted(graph.entities)},
        "holding": {word: sorted(graph.iter_texts(word)) for word in sorted(words)},
        "digests": dict(graph.iter_digests()),
        "vocabulary": [
            dict(table)
            for table in (
                graph.vocabulary.types,
                graph.vocabulary.keys,
                graph.vocabulary.relations,
                graph.vocabulary.facts,
            )
        ],
    }


def adjacent(graph: Graph, id: str) -> dict[str, Any]:
    """What is next to an entity as a search walks it, with ids for nodes."""
    adjacency = graph.adjacency
    node, ids = adjacency.nodes[id], adjacency.ids
    strands = adjacency.strands(node)
    seen = [
        (
            ids[one.other],
            *one[1:6],
            said([adjacency.statement(one)])[0],
        )
        for one in strands
    ]
    return {
        "id": ids[node],
        "near": sorted(ids[other] for other in adjacency.near[node]),
        "degree": adjacency.degree(node),
        "now": {ids[other] for other in adjacency.iter_related_now(node, NOW)},
        "strands": sorted(seen, key=repr),
        "retired": sorted(adjacency.retired(node))
        == sorted(one.ordinal for one in strands if one.is_retired),
        "retiring": node in adjacency.retiring or not list(adjacency.retired(node)),
        "hub": [bool(adjacency.hubs(degree, NOW).among({node})) for degree in range(3)],
    }


def cards(resolution: Resolution) -> list[FileCard]:
    """The cards of all files, without their digests."""
    blank = bytes(16), bytes(20)
    made = [entity_card(file, *blank) for file in resolution.files]
    made += [observation_card(file, *blank) for file in resolution.observations.values()]
    return sorted(made, key=lambda card: card.path)


def packed(rows: Rows, files: list[FileCard]) -> Sections:
    """The graph file of some rows."""
    return Sections(InMemory(b"".join(map(bytes, pack_sections(pack_graph(rows, files))))))
