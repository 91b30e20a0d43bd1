"""What stands of decisions on record that take one another back, and what is a decision at all."""

import time
from collections.abc import Callable, Collection, Mapping

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.graph.build import build_graph, resolve_files
from kb.graph.decided import find_partings, find_standing, foresee_taking_back
from kb.graph.graph import Graph
from kb.knowledge_base import KnowledgeBase, open_for_reading
from kb.syntax.observation_file import parse_observation_file
from kb.syntax.source import Source
from kb.syntax.vocabulary_file import built_in_vocabulary
from tests.conftest import NOW, entity, observation

#: Each decision by its number: its word, and the numbers that it names.
Decided = Mapping[int, tuple[str, Collection[int]]]


def record(decided: Decided) -> Graph:
    """A graph of nothing but decisions: ``d0``, ``d1`` …"""
    files = []
    for number, (word, named) in decided.items():
        about = ", ".join(("ada", "bob", *(f"d{other}" for other in named)))
        text = observation(f"d{number}", kind="decision", decision=word, about=f"[{about}]")
        files.append(parse_observation_file(Source(f"observations/d{number}.md", text))[0])
    return build_graph(resolve_files((), files, built_in_vocabulary(), {}))


def corrections(named: Mapping[int, Collection[int]]) -> Decided:
    return {number: ("correct", others) for number, others in named.items()}


def standing(decided: Decided, without: Collection[int] = ()) -> set[int]:
    """Which stand, asked for together; each asked for by itself is the same."""
    graph = record(decided)
    gone = [f"d{number}" for number in without]
    found = find_standing(graph, graph.observations.values(), gone)
    for id, one in graph.observations.items():
        assert find_standing(graph, [one], gone) == found & {id}
    return {int(id[1:]) for id in found}


def plainly(decided: Decided, without: Collection[int]) -> set[int]:
    """Which stand, by the rule as it is said: one at a time, and the circles where nothing else is told."""
    takers = {
        number: {
            other
            for other, (word, named) in decided.items()
            if word in ("correct", "merge", "unmerge") and number in named and other != number
        }
        for number in decided
    }
    told = dict.fromkeys(without, False)
    for number, (word, _) in decided.items():
        if word == "merge" and any(decided[other][0] == "unmerge" for other in takers[number]):
            told[number] = False
    while left := [number for number in decided if number not in told]:
        taken = [number for number in left if any(told.get(other) for other in takers[number])]
        kept = [number for number in left if all(told.get(other) is False for other in takers[number])]  # fmt: skip
        if taken:
            told[taken[0]] = False
        elif kept:
            told[kept[0]] = True
        else:
            graph = networkx.DiGraph((one, other) for one in left for other in takers[one] if other in left)  # fmt: skip
            for group in networkx.strongly_connected_components(graph):
                told |= dict.fromkeys(group, False) if len(group) > 1 else {}
    return {number for number, stands in told.items() if stands}


@st.composite
def records(draw: st.DrawFn, words: Collection[str]) -> Decided:
    """Two to seven decisions that name any of one another."""
    count = draw(st.integers(2, 7))
    named = st.sets(st.integers(0, count - 1), max_size=3)
    word = st.sampled_from(sorted(words))
    return {number: (draw(word), sorted(draw(named))) for number in range(count)}


def check_standing(decided: Decided, without: set[int]) -> None:
    gone = without & set(decided)
    assert standing(decided, gone) == plainly(decided, gone)


@given(records({"correct"}), st.sets(st.integers(0, 6), max_size=1))
def test_one_stands_unless_one_that_stands_takes_it_back(
    decided: Decided, without: set[int]
) -> None:
    """However corrections name one another: in chains, in circles, in front of circles and behind them."""
    check_standing(decided, without)


@given(records({"correct", "merge", "unmerge", "reject"}), st.sets(st.integers(0, 6), max_size=2))
def test_decisions_of_all_words_stand_by_the_same_rule(decided: Decided, without: set[int]) -> None:
    """Those that take nothing back, and merges, which an unmerge undoes for good, are in it too."""
    check_standing(decided, without)


@pytest.mark.parametrize(
    "named, stands",
    [
        ({0: [], 1: [0]}, {1}),
        ({0: [1], 1: [0]}, set()),
        ({0: [], 1: [0], 2: [1, 3], 3: [2]}, {1}),
        ({0: [], 1: [0, 2], 2: [1]}, {0}),
        ({0: [1], 1: [0], 2: [0]}, {1, 2}),
        ({0: [1, 2], 1: [0], 2: [3], 3: [2]}, set()),
        ({0: [1], 1: [0, 2], 2: [3], 3: []}, {2}),
        ({0: [0], 1: [0]}, {1}),
        ({0: [0]}, {0}),
    ],
)
def test_in_a_circle_none_stands(named: dict[int, list[int]], stands: set[int]) -> None:
    """What hangs on one goes on from there; one that is taken back from outside is none."""
    assert standing(corrections(named)) == stands


@pytest.mark.parametrize(
    "named",
    [
        {number: [other for other in range(150) if other != number] for number in range(150)},
        {number: range(number) for number in range(150)},
        {number: [max(0, number - 1), *([299] if not number else [])] for number in range(300)},
    ],
)
def test_many_that_name_one_another_are_judged_at_once(
    named: dict[int, Collection[int]],
) -> None:
    """All one another, each all before it, or all in one circle: what would change is foreseen for all of them."""
    graph = record(corrections(named))
    started = time.monotonic()
    foresee_taking_back(graph, graph.observations)
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("kind", ["note", "Decision", "decisions", ""])
def test_only_an_observation_of_that_kind_decides(
    make_kb: Callable[..., KnowledgeBase], kind: str
) -> None:
    """A field ``decision`` elsewhere is the author's own: it parts nobody, and takes nothing back; nor does a file that is broken."""
    decided = {"kind": "decision", "said_by": "ada", "about": "[ada, bob]"}
    other = {**decided, "kind": kind}
    base = make_kb(
        {
            **{f"entities/person/{id}.md": entity(id) for id in ("ada", "bob", "eve")},
            "observations/2026/01/2026-01-01-x.md": observation("2026-01-01-x", **decided, decision="reject"),
            "observations/2026/01/2026-01-02-x.md": observation("2026-01-02-x", **other, decision="distinct"),
            "observations/2026/01/2026-01-03-x.md": observation("2026-01-03-x", **{**other, "about": "[2026-01-01-x]"}, decision="correct"),
            "observations/2026/01/2026-01-04-x.md": observation("2026-01-04-x", **{**decided, "about": "[2026-01-01-x"}, decision="correct"),
        }
    )  # fmt: skip
    for graph in (base.graph, open_for_reading(base.root, NOW).graph):
        assert [one.id for one in graph.observations.values() if one.decision] == ["2026-01-01-x"]
        assert [one.id for one in find_partings(graph, "ada", "bob")] == ["2026-01-01-x"]
