"""candidates: pairs that may be one, each with its reasons; what was judged does not come back."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.edits.decisions import plan_decide
from kb.edits.judgements import plan_distinct, plan_merge, plan_unmerge
from kb.knowledge_base import KnowledgeBase, open_for_reading
from kb.queries.candidates import list_candidates
from kb.queries.show import show
from kb.render.as_json import answer_as_json
from kb.render.as_text import render_text
from tests.conftest import NOW, entity, observation, write_kb
from tests.edits.editing import WHY, do

Make = Callable[..., KnowledgeBase]


def person(id: str, *lines: str, **fields: str) -> dict[str, str]:
    """Give one person's file."""
    return {f"entities/person/{id}.md": entity(id, *lines, **fields)}


def next_to(*ids: str) -> tuple[str, ...]:
    """Give relations to some."""
    return ("## Relations", "", *(f"- related-to:: [[{id}]]" for id in ids))


def pairs(base: KnowledgeBase, entity: str | None = None) -> dict[str, list[str]]:
    """List the pairs with the kinds of their reasons."""
    return {
        "~".join(sorted((pair.first.id, pair.second.id))): [reason.kind for reason in pair.reasons]
        for pair in list_candidates(base, entity, 0).results
    }


def test_each_reason_offers_a_pair(make_kb: Make) -> None:
    """A shared key, one name and one type, near names and a shared neighbour; nothing else does."""
    hub = {"entities/company/hub.md": entity("hub", type="company", name="Hub")}
    base = make_kb(
        {
            **person("a1", keys="[email:A@x.example]", name="Ann"),
            **person("a2", keys="[email:a@x.example]", name="Someone"),
            **person("b1", name="Bea Lind"),
            **person("b2", name="Beatrice", aliases="[bea  LIND]"),
            "entities/company/b3.md": entity("b3", type="company", name="Bea Lind"),
            **person("c1", *next_to("hub"), name="Katarzyna Nowak"),
            **person("c2", *next_to("hub"), name="Nowak, Katarzina"),
            **person("c3", name="Katarzyna Nowakk"),
            **person("d1", *next_to("hub"), name="D. Reyes"),
            **person("d2", *next_to("hub"), name="Dana Reyes"),
            **person("e1", *next_to("hub"), name="Łukasz Żak"),
            **person("e2", *next_to("hub"), name="Lukasz Zak"),
            **person("f1", *next_to("hub"), name="Unit 12 of the north"),
            **person("f2", *next_to("hub"), name="Unit 13 of the north"),
            **hub,
        }
    )
    found = pairs(base)
    assert found == {
        "a1~a2": ["key"],
        "b1~b2": ["name"],
        "c1~c2": ["near-name", "neighbors"],
        "d1~d2": ["near-name", "neighbors"],
        "e1~e2": ["near-name", "neighbors"],
    }
    assert list(found)[:2] == ["a1~a2", "b1~b2"]
    for id in ("a1", "b2", "c2", "d1", "e2", "f1", "c3"):
        assert pairs(base, id) == {pair: why for pair, why in found.items() if id in pair}


def test_neighbors_of_one_name_are_told_apart(make_kb: Make) -> None:
    """By their ids; a name that says who is meant stands alone."""
    base = make_kb(
        {
            **person("a", *next_to("kim", "kim-2", "lee"), name="Ann"),
            **person("b", *next_to("kim", "kim-2", "lee"), name="Ann"),
            **person("kim", name="Kim Ito"),
            **person("kim-2", name="Kim Ito", distinct_from="[kim]"),
            **person("lee", name="Lee"),
        }
    )
    ((*_, reason),) = (pair.reasons for pair in list_candidates(base).results)
    assert reason.text == "both are next to Kim Ito (kim), Kim Ito (kim-2), Lee"


def test_case_b60_a_shared_key_is_a_reason_and_no_merge(make_kb: Make) -> None:
    """case B60: one address, two names: offered, with the key; a shared mailbox says that it is one."""
    base = make_kb(
        {
            **person("john-smith", name="John Smith", keys="[email:js@example.org]"),
            **person("john", name="John", keys="[email:JS@Example.org]"),
            **person("sales-team", name="Sales Team", keys="[email:info@example.org]"),
            **person("mary-major", name="Mary Major", keys="[email:info@example.org]"),
        }
    )
    answer = list_candidates(base)
    reasons = {pair.first.id: pair.reasons[0].text for pair in answer.results}
    assert reasons == {
        "john": "both bear email:js@example.org",
        "mary-major": "both bear email:info@example.org (a shared mailbox)",
    }
    assert len(base.graph.entities) == 4


def test_what_was_judged_does_not_come_back(tmp_path: Path) -> None:
    """distinct_from, a merge, its undoing, a rejection; what was taken back is offered again."""
    root = write_kb(tmp_path, {**person("a", name="X"), **person("b", name="X"), **person("c")})

    def found() -> list[str]:
        return list(pairs(open_for_reading(str(root), NOW)))

    later = WHY._replace(happened_at="2026-11-30")
    assert found() == ["a~b"]
    do(root, plan_distinct, "a", "b", WHY)
    assert found() == []
    do(root, plan_distinct, "a", "b", later, withdraw=True)
    assert found() == ["a~b"]
    do(root, plan_merge, "a", "b", later)
    assert found() == []
    do(root, plan_unmerge, "b", later)
    assert found() == []
    do(root, plan_merge, "c", "b", later)
    assert found() == []  # the survivor has the name now, and is whom a is not
    do(root, plan_decide, "correct", ("a", "b"), WHY._replace(happened_at="2026-12-01"))
    assert found() == ["a~c"]
    do(root, plan_decide, "reject", ("a", "b"), WHY._replace(happened_at="2026-12-02"))
    assert found() == []


def test_an_undone_merge_and_a_later_one(tmp_path: Path) -> None:
    """What was parted is not offered, by candidates or on the page, until a merge that came later is gone from the file."""
    root = write_kb(tmp_path, {**person("a", name="X"), **person("b", name="X")})
    do(root, plan_merge, "a", "b", WHY)
    do(root, plan_unmerge, "b", WHY._replace(happened_at="2026-12-01"))
    base = open_for_reading(str(root), NOW)
    assert pairs(base) == {}
    assert show(base, "a").results[0].candidates == ()
    do(root, plan_merge, "a", "b", WHY._replace(happened_at="2026-12-02"), force=True)
    path = root / "entities/person/b.md"
    path.write_text(path.read_text().replace("merged_into: a\n", ""))
    assert list(pairs(open_for_reading(str(root), NOW))) == ["a~b"]


def test_decisions_about_others_judge_nothing(make_kb: Make) -> None:
    """Only one that is about both, and says that they are two."""
    decided = {"kind": "decision", "said_by": "a"}
    base = make_kb(
        {
            **person("a", name="X"),
            **person("b", name="X"),
            "observations/2026/01/2026-01-01-o.md": observation("2026-01-01-o", **decided, decision="reject", about="[a, c]"),
            "observations/2026/01/2026-01-02-o.md": observation("2026-01-02-o", **decided, decision="not-mentioned", about="[a, b]"),
        }
    )  # fmt: skip
    assert list(pairs(base)) == ["a~b"]


def test_an_answer_has_the_envelope(make_kb: Make) -> None:
    """Text and JSON; the limit is kept and said; the one of which more is stated comes first."""
    base = make_kb(
        {
            **person("a", name="X"),
            **person("b", "## Facts", "", "- title:: T", name="X"),
            **person("c", name="Y"),
            **person("d", name="Y"),
            **person("e", name="Z"),
        }
    )
    answer = list_candidates(base, limit=1)
    fields = answer_as_json(answer)
    assert list(fields) == [
        "query",
        "revision",
        "resolved",
        "results",
        "total",
        "truncated",
        "notes",
    ]
    assert (fields["total"], fields["truncated"]) == (2, True)
    (pair,) = fields["results"]
    assert pair == {
        "first": {"id": "b", "name": "X", "type": "person"},
        "second": {"id": "a", "name": "X", "type": "person"},
        "reasons": [{"kind": "name", "text": 'both are called "X"'}],
    }
    assert render_text(answer).startswith(
        'X (person, b) ~ X (person, a)\n  both are called "X"\n(cut of 2'
    )
    assert render_text(list_candidates(base, "a")).count("~") == 1
    assert "nothing that could be one" in render_text(list_candidates(base, "e"))


def test_what_everybody_bears_says_nothing(make_kb: Make) -> None:
    """A name of a hundred makes no five thousand pairs; it is left out, and that is said."""
    files: dict[str, str] = {}
    for number in range(60):
        files |= person(f"p{number}", name="Admin")
    answer = list_candidates(make_kb(files))
    assert answer.total == 0
    assert any("60" not in note and "say nothing" in note for note in answer.notes)


def test_files_and_graph_file_give_the_same(make_kb: Make, tmp_path: Path) -> None:
    """The contract of the graph is all that is asked."""
    files = {
        **person("c1", *next_to("hub"), name="Ann Lee"),
        **person("c2", *next_to("hub"), name="Anne Lee"),
        "entities/company/hub.md": entity("hub", type="company"),
        "entities/person/broken.md": "---\nid: [\n---\n",
    }
    base = make_kb(files)
    assert (
        pairs(base)
        == pairs(open_for_reading(base.root, NOW))
        == {"c1~c2": ["near-name", "neighbors"]}
    )


@pytest.mark.parametrize("size", [1000])
def test_many_are_looked_through_in_seconds(tmp_path: Path, size: int) -> None:
    """Only those that share a neighbour are compared: no square of the whole."""
    files: dict[str, str] = {}
    for number in range(size):
        near = (f"p{(number * 7 + step) % size}" for step in (1, 2, 3))
        files |= person(
            f"p{number}", *next_to(*near), name=f"{'abcdefghij'[number % 10] * 5} Person{number}"
        )
    base = open_for_reading(str(write_kb(tmp_path, files)), NOW)
    started = time.perf_counter()
    list_candidates(base)
    assert time.perf_counter() - started < 10
