"""Paths: lengths, times, hubs, edges and their order, with networkx as the oracle."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.errors import UsageError
from kb.graph.build import build_graph, resolve_files
from kb.graph.graph import Graph
from kb.knowledge_base import KnowledgeBase
from kb.queries.paths import Path, find_paths
from kb.queries.selection import Selection
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.source import decode
from kb.syntax.vocabulary_file import built_in_vocabulary
from tests.conftest import NOW, entity, observation

MakeKb = Callable[..., KnowledgeBase]
OBSERVED = {"observations/2026/01/2026-01-01-seen.md": observation("2026-01-01-seen")}


def link(id: str) -> str:
    return f"[{id}]({id}.md)"


def chain(*ids: str, predicate: str = "mentors", time: str = "") -> dict[str, str]:
    """Files of people of whom each mentors the next."""
    files = {}
    for index, id in enumerate(ids):
        lines = ["## Relations", ""]
        if index + 1 < len(ids):
            lines.append(f"- {predicate}:: {link(ids[index + 1])}{time} [^2026-01-01-seen]")
        files[f"entities/person/{id}.md"] = entity(id, *lines)
    return {**files, **OBSERVED}


def shape(path: Path) -> tuple[str, ...]:
    return tuple(node.id for node in path.nodes)


def shapes(kb: KnowledgeBase, start: str, end: str, **options: Any) -> list[tuple[str, ...]]:
    return [shape(path) for path in find_paths(kb, start, end, **options).results.paths]


def test_paths_are_cut_at_max_hops(make_kb: MakeKb) -> None:
    """A path longer than ``max_hops`` is not found, one of that length is."""
    kb = make_kb(chain("a", "b", "c", "d", "e"))
    assert shapes(kb, "a", "e", max_hops=3) == []
    assert shapes(kb, "a", "e", max_hops=4) == [("a", "b", "c", "d", "e")]


@pytest.mark.parametrize("hops", [0, 7, -1])
def test_max_hops_has_bounds(make_kb: MakeKb, hops: int) -> None:
    """A length outside 1 to 6 is wrong usage."""
    with pytest.raises(UsageError):
        find_paths(make_kb(chain("a", "b")), "a", "b", max_hops=hops)


def test_both_walking_directions(make_kb: MakeKb) -> None:
    """Undirected paths walk a relation either way and say which; directed ones only as named."""
    kb = make_kb(chain("a", "b", "c"))
    answer = find_paths(kb, "c", "a")
    assert [step.walked for step in answer.results.paths[0].steps] == ["in", "in"]
    assert shapes(kb, "c", "a", directed=True) == []
    assert shapes(kb, "a", "c", directed=True) == [("a", "b", "c")]


def test_a_directed_path_follows_the_word_as_named(make_kb: MakeKb) -> None:
    """An inverse word is walked from the canonical object to its subject."""
    kb = make_kb(chain("a", "b", "c"))
    assert shapes(kb, "c", "a", predicates=("mentored-by",), directed=True) == [("c", "b", "a")]
    assert shapes(kb, "a", "c", predicates=("mentored-by",), directed=True) == []


def test_every_edge_holds_at_the_time_asked_for(make_kb: MakeKb) -> None:
    """Under ``at`` each edge of a path holds then; without it ended edges are walked and say so."""
    kb = make_kb(chain("a", "b", "c", time=" (2020/2021)"))
    assert shapes(kb, "a", "c") == [("a", "b", "c")]
    assert shapes(kb, "a", "c", selection=Selection(at="2020-06")) == [("a", "b", "c")]
    assert shapes(kb, "a", "c", selection=Selection(at="now")) == []
    assert shapes(kb, "a", "c", selection=Selection(at="2019")) == []


def test_an_undated_edge_holds_between_its_witnesses(make_kb: MakeKb) -> None:
    """Undated statements hold from their earliest to their latest observation and are unknown elsewhere."""
    kb = make_kb(chain("a", "b"))
    assert shapes(kb, "a", "b", selection=Selection(at="2026-01-01")) == [("a", "b")]
    answer = find_paths(kb, "a", "b", selection=Selection(at="2025"))
    assert answer.results.paths == ()
    assert any("unknown" in note for note in answer.notes)


def test_a_second_statement_on_an_edge_adds_no_path(make_kb: MakeKb) -> None:
    """Statements of the same pair and predicate are one edge, spoken for by the best-evidenced one."""
    files = chain("a", "b")
    files["observations/2026/02/2026-02-01-again.md"] = observation("2026-02-01-again")
    files["entities/person/a.md"] += (
        f"- mentors:: {link('b')} (2024/..) [^2026-01-01-seen] [^2026-02-01-again] ^twice001\n"
    )
    answer = find_paths(make_kb(files), "a", "b")
    assert [shape(path) for path in answer.results.paths] == [("a", "b")]
    assert answer.results.paths[0].steps[0].statement.statement.id == "twice001"


def test_retired_statements_are_never_walked(make_kb: MakeKb) -> None:
    """A retracted edge connects nothing."""
    kb = make_kb(chain("a", "b", time=" (retracted)"))
    assert shapes(kb, "a", "b") == []


def hub_files(spokes: int) -> dict[str, str]:
    """A hub with many spokes; a and z reach it over one more person each."""
    people = [f"s{number:03}" for number in range(spokes)]
    files = {f"entities/person/{id}.md": entity(id) for id in people}
    lines = [f"- mentors:: {link(id)} [^2026-01-01-seen]" for id in people]
    files["entities/person/hub.md"] = entity("hub", "## Relations", "", *lines)
    for end, spoke in (("a", "s000"), ("z", "s001")):
        files[f"entities/person/{end}.md"] = entity(
            end, "## Relations", "", f"- mentors:: {link(spoke)} [^2026-01-01-seen]"
        )
    return {**files, **OBSERVED}


def test_a_hub_is_not_walked_through(make_kb: MakeKb) -> None:
    """A hub of 300 may be an end or the middle of a two-hop path, and nothing else; it is named."""
    kb = make_kb(hub_files(300))
    answer = find_paths(kb, "a", "z", max_hops=4)
    assert answer.results.paths == ()
    assert [hub.id for hub in answer.results.hubs] == ["hub"]
    assert shapes(kb, "s000", "s001") == [("s000", "hub", "s001")]
    assert shapes(kb, "hub", "z") == [("hub", "s001", "z")]
    assert shapes(kb, "a", "hub", max_hops=2) == [("a", "s000", "hub")]


def test_fewer_neighbours_than_a_hub_has_are_walked_through(make_kb: MakeKb) -> None:
    """The degree that makes a hub can be set."""
    kb = make_kb(hub_files(20))
    assert shapes(kb, "a", "z", max_hops=4) == [("a", "s000", "hub", "s001", "z")]
    assert shapes(kb, "a", "z", max_hops=4, hub_degree=19) == []


def test_a_hub_counts_neighbours_before_filters(make_kb: MakeKb) -> None:
    """What makes a hub is all its current neighbours, whatever the query filters; ended ones do not count."""
    kb = make_kb(hub_files(300))
    assert shapes(kb, "a", "z", max_hops=4, selection=Selection(at="2026-01-01")) == []
    ended = hub_files(300)
    ended["entities/person/hub.md"] = ended["entities/person/hub.md"].replace(
        " [^", " (2020/2021) [^"
    )
    kb = make_kb(ended)
    assert shapes(kb, "a", "z", max_hops=4) == [("a", "s000", "hub", "s001", "z")]


def test_order_among_equal_lengths(make_kb: MakeKb) -> None:
    """The weakest edge decides: uncited last, associations before them, then witnesses, then confidence, then ids."""
    middles = {
        "m1-uncited": f"- mentors:: {link('z')}",
        "m2-association": f"- discussed-with:: {link('z')} [^2026-01-01-seen] [^2026-02-01-again]",
        "m3-unsure": f"- mentors:: {link('z')} (40%) [^2026-01-01-seen]",
        "m4-plain": f"- mentors:: {link('z')} [^2026-01-01-seen]",
        "m5-plain": f"- mentors:: {link('z')} [^2026-01-01-seen]",
        "m6-twice": f"- mentors:: {link('z')} [^2026-01-01-seen] [^2026-02-01-again]",
    }
    files = {
        f"entities/person/{id}.md": entity(id, "## Relations", "", line)
        for id, line in middles.items()
    }
    lines = [f"- mentors:: {link(id)} [^2026-01-01-seen] [^2026-02-01-again]" for id in middles]
    files |= {
        "entities/person/a.md": entity("a", "## Relations", "", *lines),
        "entities/person/z.md": entity("z"),
    }
    files["observations/2026/02/2026-02-01-again.md"] = observation("2026-02-01-again")
    kb = make_kb({**files, **OBSERVED})
    order = [path[1] for path in shapes(kb, "a", "z")]
    assert order == [
        "m6-twice",
        "m4-plain",
        "m5-plain",
        "m3-unsure",
        "m2-association",
        "m1-uncited",
    ]
    assert [path[1] for path in shapes(kb, "a", "z", limit=2)] == order[:2]


def test_the_limit_says_that_there_is_more(make_kb: MakeKb) -> None:
    """An answer that the limit cut says so and gives no total."""
    files = {
        f"entities/person/m{n}.md": entity(f"m{n}", "## Relations", "", f"- mentors:: {link('z')}")
        for n in range(5)
    }
    lines = [f"- mentors:: {link(f'm{n}')}" for n in range(5)]
    files |= {
        "entities/person/a.md": entity("a", "## Relations", "", *lines),
        "entities/person/z.md": entity("z"),
    }
    answer = find_paths(make_kb(files), "a", "z", limit=3)
    assert (len(answer.results.paths), answer.results.more, answer.truncated, answer.total) == (
        3,
        True,
        True,
        None,
    )
    everything = find_paths(make_kb(files), "a", "z", limit=0)
    assert (len(everything.results.paths), everything.results.more, everything.total) == (
        5,
        False,
        5,
    )


def test_both_ends_the_same(make_kb: MakeKb) -> None:
    """An entity has no path to itself, and the answer says why."""
    answer = find_paths(make_kb(chain("a", "b")), "a", "a")
    assert answer.results.paths == ()
    assert "both ends are the same entity" in answer.notes


# -- the oracle ------------------------------------------------------------------------------------------------------

NODES = "abcdefgh"
EDGES = st.lists(
    st.tuples(
        st.sampled_from(NODES),
        st.sampled_from(NODES),
        st.sampled_from(["mentors", "reviews", "discussed-with"]),
        st.booleans(),
    ),
    max_size=24,
)


class InMemory:
    """What ``find_paths`` needs of a knowledge base, over a graph made in memory."""

    revision = ""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.now = graph, NOW
        self.cited: set[str] = set()


def graph_of(edges: list[tuple[str, str, str, bool]]) -> Graph:
    files = []
    for node in NODES:
        lines = [
            f"- {predicate}:: {link(object)}{' [^2026-01-01-seen]' if cited else ''}"
            for subject, object, predicate, cited in edges
            if subject == node
        ]
        source = decode(
            f"entities/person/{node}.md", entity(node, "## Relations", "", *lines).encode()
        )
        files.append(parse_entity_file(source)[0])
    return build_graph(resolve_files(files, [], built_in_vocabulary(), {}))


def expected_paths(
    edges: list[tuple[str, str, str, bool]],
    start: str,
    end: str,
    max_hops: int,
    directed: bool,
    hub_degree: int,
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """All simple paths by networkx, under the rule for hubs, as (nodes, edge keys)."""
    graph = networkx.MultiDiGraph() if directed else networkx.MultiGraph()
    graph.add_nodes_from(NODES)
    degree = {
        node: {b if a == node else a for a, b, *_ in edges if node in (a, b)} - {node}
        for node in NODES
    }
    for subject, object, predicate, _ in {(a, b, p, False) for a, b, p, _ in edges}:
        if subject != object:
            graph.add_edge(subject, object, key=f"{subject}>{predicate}>{object}")
    found = []
    for path in networkx.all_simple_edge_paths(graph, start, end, cutoff=max_hops):
        nodes = [start]
        for one, other, _ in path:
            nodes.append(other if nodes[-1] == one else one)
        middle = nodes[1:-1]
        if len(path) <= 2 or not any(len(degree[node]) > hub_degree for node in middle):
            found.append((tuple(nodes), tuple(key for *_, key in path)))
    return sorted(found)


@settings(max_examples=150, deadline=None)
@given(
    edges=EDGES,
    ends=st.permutations(NODES).map(lambda nodes: nodes[:2]),
    max_hops=st.integers(1, 5),
    directed=st.booleans(),
    hub_degree=st.sampled_from([2, 3, 200]),
    limit=st.integers(1, 6),
)
def test_paths_agree_with_networkx(
    edges: list[tuple[str, str, str, bool]],
    ends: list[str],
    max_hops: int,
    directed: bool,
    hub_degree: int,
    limit: int,
) -> None:
    """On random graphs the paths are networkx's simple paths under the hub rule; a limit takes the first of them."""
    kb: Any = InMemory(graph_of(edges))
    start, end = ends
    options = {"max_hops": max_hops, "directed": directed, "hub_degree": hub_degree}
    answer = find_paths(kb, start, end, limit=0, **options)
    found = sorted(
        (
            shape(path),
            tuple(
                f"{step.statement.statement.subject}>{step.statement.statement.predicate}>{step.statement.statement.object}"
                for step in path.steps
            ),
        )
        for path in answer.results.paths
    )
    assert found == expected_paths(edges, start, end, max_hops, directed, hub_degree)
    assert [path.hops for path in answer.results.paths] == sorted(
        path.hops for path in answer.results.paths
    )
    cut = find_paths(kb, start, end, limit=limit, **options)
    assert cut.results.paths == answer.results.paths[:limit]
    assert cut.results.more == (len(answer.results.paths) > limit)


def test_a_key_of_two_is_walked_from_both(make_kb: MakeKb) -> None:
    """An end that is a key of two entities is searched from each of them, shortest paths first."""
    files = chain("ada", "m", "cid") | {
        "entities/person/bob.md": entity("bob", "## Relations", "", f"- mentors:: {link('cid')}")
    }
    for id in ("ada", "bob"):
        path = f"entities/person/{id}.md"
        files[path] = files[path].replace("type: person", "type: person\nkeys: [github:shared]")
    kb = make_kb(files)
    assert shapes(kb, "github:shared", "cid") == [("bob", "cid"), ("ada", "m", "cid")]
    assert shapes(kb, "github:shared", "cid", limit=1) == [("bob", "cid")]


# -- how much is touched ---------------------------------------------------------------------------------------------


class Counting(Mapping[int, Any]):
    """A mapping that counts how often it is asked, and how much it answered."""

    def __init__(self, answers: Mapping[int, Any]) -> None:
        self.answers, self.asked, self.answered = answers, 0, 0

    def __getitem__(self, key: int) -> Any:
        answer = self.answers[key]
        self.asked += 1
        self.answered += len(answer)
        return answer

    def __iter__(self) -> Iterator[int]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)


def power_law_pairs(nodes: int, each: int) -> set[tuple[int, int]]:
    """Who knows whom where a few are known by many."""
    chance = Random(7)
    weights = [1 / (rank + 5) for rank in range(nodes)]
    return {
        (node, other)
        for node in range(nodes)
        for other in chance.choices(range(nodes), weights, k=each)
        if node != other
    }


def graph_of_pairs(pairs: set[tuple[int, int]]) -> Graph:
    """A graph in memory of people of whom one mentors the other."""
    lines: dict[int, list[str]] = {node: [] for pair in pairs for node in pair}
    for node, other in sorted(pairs):
        lines[node].append(f"- mentors:: {link(f'p{other}')}")
    files = []
    for node, said in lines.items():
        text = entity(f"p{node}", "## Relations", "", *said)
        files.append(parse_entity_file(decode(f"entities/p{node}.md", text.encode()))[0])
    return build_graph(resolve_files(files, [], built_in_vocabulary(), {}))


@pytest.mark.parametrize("hub_degree", [50, 200])
def test_six_hops_touch_each_relation_a_few_times(hub_degree: int) -> None:
    """However many paths there are, no node is gone on from more than once per end and step: rings, then the steps back."""
    pairs = power_law_pairs(1500, 5)
    graph = graph_of_pairs(pairs)
    kb: Any = InMemory(graph)
    near = graph.adjacency.near = Counting(graph.adjacency.near)
    ends = [f"p{node}" for node in (1400, 1499)]
    # So many are wanted that all six hops are tried; with few hubs there are millions of them.
    answer = find_paths(kb, *ends, max_hops=6, hub_degree=hub_degree, limit=2000)
    assert answer.results.paths
    rings, steps_back = 2, 1 + 2 + 3 + 4
    assert near.asked <= (rings + steps_back) * 1500
    assert near.answered <= (rings + steps_back) * 2 * len(pairs)


def test_many_paths_over_few_nodes_are_not_all_walked(make_kb: MakeKb) -> None:
    """Where every node of a layer leads to all of the next, only as many paths are made as are wanted."""
    layers = [["a"], *([f"{layer}{n:02}" for n in range(20)] for layer in "bcdef"), ["z"]]
    files = dict(OBSERVED)
    for layer, following in zip(layers, [*layers[1:], []], strict=True):
        for id in layer:
            lines = [f"- mentors:: {link(other)}" for other in following]
            files[f"entities/person/{id}.md"] = entity(id, "## Relations", "", *lines)
    kb = make_kb(files)
    links = kb.graph.adjacency.links = Counting(kb.graph.adjacency.links)
    # Of 20 ** 5 = 3.2 million paths.
    found = shapes(kb, "a", "z", max_hops=6)
    assert found == [("a", "b00", "c00", "d00", "e00", f"f{n:02}", "z") for n in range(10)]
    assert links.asked < 5000
