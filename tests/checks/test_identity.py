"""Ids, keys, names and judgements: who is who, and what contradicts itself about it."""

import pytest

from kb.checks import check_knowledge_base
from kb.graph.identity import follow_redirects
from kb.knowledge_base import KnowledgeBase
from tests.checks.found import found, said
from tests.conftest import entity, observation


def test_duplicate_id_names_both_files(make_kb) -> None:
    """Two files with one id are one error that names both places."""
    kb = make_kb(
        {"entities/person/a/ada.md": entity("ada"), "entities/person/b/ada.md": entity("ada")}
    )
    (finding,) = check_knowledge_base(kb)
    assert (finding.code, finding.path) == ("KB306", "entities/person/b/ada.md")
    assert [path for path, _ in finding.related] == ["entities/person/a/ada.md"]


def test_an_id_is_an_entitys_or_an_observations(make_kb) -> None:
    """An observation with an entity's id is told, with both places, each of several; two observations may not share one."""
    seen = observation("offsite", happened_at="2025-01-15")
    files = {
        "entities/event/offsite.md": entity("offsite", type="event"),
        "observations/2025/01/offsite.md": seen,
    }
    assert found(make_kb(files)) == ["offsite.md:2:5 KB320"]
    (finding,) = (one for one in check_knowledge_base(make_kb(files)) if one.code == "KB320")
    assert finding.path == "observations/2025/01/offsite.md"
    assert [path for path, _ in finding.related] == ["entities/event/offsite.md"]
    again = {"observations/2026/01/offsite.md": seen}
    both = ["offsite.md:2:5 KB306", "offsite.md:2:5 KB320"]
    assert sorted(found(make_kb({**files, **again}))) == [*both, "offsite.md:2:5 KB320"]
    twice = {"entities/x/offsite.md": entity("offsite", type="event"), **files}
    assert {one.rpartition(" ")[2] for one in found(make_kb(twice))} == {"KB306", "KB320"}


def test_duplicate_id_is_no_dangling_link_on_top(make_kb) -> None:
    """A link to an id that two files claim is not reported besides the two claims."""
    kb = make_kb(
        {
            "entities/person/a/ada.md": entity("ada"),
            "entities/person/b/ada.md": entity("ada"),
            "entities/person/bob.md": entity(
                "bob",
                "## Relations",
                "",
                "- related-to:: [Ada](a/ada.md) (by ada)",
                merged_into="ada",
            ),
        }
    )
    assert found(kb) == ["ada.md:2:5 KB306"]


def test_shared_key_is_one_finding_for_all_bearers(make_kb) -> None:
    """Keys are compared as their kind is normalized; the last bearer's place is told, the others with it."""
    kb = make_kb(
        {
            f"entities/person/{id}.md": entity(id, keys=f'["email:{mail}"]')
            for id, mail in (
                ("a", "Dana@X.example"),
                ("b", "dana@x.example"),
                ("c", "DANA@x.example"),
            )
        }
    )
    (finding,) = check_knowledge_base(kb)
    assert (finding.path, finding.message) == (
        "entities/person/c.md",
        'email:dana@x.example is a key of "a" and "b" too',
    )
    assert [path for path, _ in finding.related] == ["entities/person/a.md", "entities/person/b.md"]


def test_merged_entities_share_their_keys_and_names(make_kb) -> None:
    """What a redirect joins is one entity: it shares nothing with itself."""
    kb = make_kb(
        {
            "entities/person/a.md": entity(
                "a", name="Dana", keys='["github:dana"]', merged_into="b"
            ),
            "entities/person/b.md": entity("b", name="Dana", keys='["github:dana"]', aliases="[a]"),
        }
    )
    assert found(kb) == []


def test_merge_is_suggested_where_it_is_possible(make_kb) -> None:
    """Entities of two types, or judged distinct, cannot be one: then the key has to go."""
    key = '["crm:C-1"]'
    kb = make_kb({"entities/a.md": entity("a", keys=key), "entities/b.md": entity("b", keys=key)})
    assert "kb merge a b --why" in said(kb, "KB307")[0][1]
    kb = make_kb({"entities/b.md": entity("b", keys=key, type="company")})
    hint = "they are not the same: take the key from one of them: kb set ID keys crm:C-1 --remove"
    assert said(kb, "KB307")[0][1] == hint
    kb = make_kb({"entities/b.md": entity("b", keys=key, distinct_from="[a]")})
    assert said(kb, "KB307")[0][1] == hint


def test_shared_alias(make_kb) -> None:
    """B22: a name that several entities bear is told, once, whatever its case and normal form."""
    kb = make_kb(
        {
            "entities/aloha.md": entity("aloha", aliases="[Zoë]"),
            "entities/hello.md": entity("hello", aliases="[ZOE\u0308]"),
        }
    )
    assert found(kb) == ["hello.md:4:11 KB308"]


def test_names_shared_by_the_same_entities_are_one_finding(make_kb) -> None:
    """Two entities with two names in common are one pair to decide on."""
    kb = make_kb(
        {
            "entities/a.md": entity("a", name="Dana", aliases="[Dana Reyes]"),
            "entities/b.md": entity("b", name="Dana", aliases="[Dana Reyes]"),
        }
    )
    assert found(kb) == ["b.md:4:7 KB308"]


def test_distinct_entities_may_share_a_name(make_kb) -> None:
    """Nothing is left to say once entities are judged distinct; of three, all pairs must be."""
    files = {
        "entities/a.md": entity("a", name="Dana", distinct_from="[b]"),
        "entities/b.md": entity("b", name="Dana"),
    }
    assert found(make_kb(files)) == []
    third = {"entities/c.md": entity("c", name="Dana", distinct_from="[a]")}
    assert found(make_kb({**files, **third})) == ["c.md:4:7 KB308"]


@pytest.mark.parametrize("judged", ["distinct", "reject", "unmerge"])
def test_what_is_judged_on_record_may_share_names_and_keys(make_kb, judged: str) -> None:
    """A pair that any decision parts is not asked about again, and no merge of it suggested; taken back, it is."""
    same = {"name": "Dana", "keys": "[crm:C-1]", "type": "company"}
    files = {f"entities/{id}.md": entity(id, **same) for id in "ab"}

    def decision(id: str, decision: str, about: str) -> dict[str, str]:
        fields = {"kind": "decision", "decision": decision, "about": about, "said_by": "Ada"}
        return {f"observations/2026/01/{id}.md": observation(id, **fields)}

    def asked(kb: KnowledgeBase) -> set[tuple[str, bool]]:
        findings = check_knowledge_base(kb)
        return {
            (one.code, "kb merge a b" in one.hint)
            for one in findings
            if one.code in ("KB307", "KB308")
        }

    assert asked(make_kb(files)) == {("KB307", True), ("KB308", True)}
    part = decision("2026-01-01-two", judged, "[b, a]")
    assert asked(make_kb({**files, **part})) == {("KB307", False)}
    back = decision("2026-01-02-one", "correct", "[2026-01-01-two]")
    assert asked(make_kb({**files, **part, **back})) == {("KB307", True), ("KB308", True)}


def test_the_hint_of_a_shared_name_is_of_two_that_nobody_judged(make_kb) -> None:
    """Of several bearers the first pair that is open, in the order of their files."""
    files = {
        "entities/a.md": entity("a", name="Dana", distinct_from="[b, c]"),
        "entities/b.md": entity("b", name="Dana"),
        "entities/c.md": entity("c", name="Dana"),
        "entities/d.md": entity("d", name="Dana", distinct_from="[b, c]"),
    }
    assert "kb merge a d --why" in said(make_kb(files), "KB308")[0][1]


def test_alias_that_is_an_id_is_one_finding(make_kb) -> None:
    """An alias that is another's id is told as that, not as a shared name on top."""
    kb = make_kb({"entities/a.md": entity("a", aliases="[B]"), "entities/b.md": entity("b")})
    assert found(kb) == ["a.md:4:11 KB309"]


def test_chain_of_redirects(make_kb) -> None:
    """Chains are followed to their end; a circle redirects nothing, and is told once."""
    kb = make_kb(
        {
            "entities/a.md": entity("a", merged_into="b"),
            "entities/b.md": entity("b", merged_into="c"),
            "entities/c.md": entity("c"),
            "entities/x.md": entity("x", merged_into="y"),
            "entities/y.md": entity("y", merged_into="x"),
            "entities/z.md": entity("z", merged_into="x"),
        }
    )
    assert found(kb) == ["x.md:4:14 KB310"]
    assert kb.graph.survivors == {"a": "c", "b": "c", "z": "x"}


def test_redirect_to_itself(make_kb) -> None:
    """A file that redirects to itself is at fault."""
    assert found(make_kb({"entities/a.md": entity("a", merged_into="a")})) == ["a.md:4:14 KB310"]


def test_types_differ_through_an_untyped_entity(make_kb) -> None:
    """Two types are an error however many redirects lie between them; the rest is still followed."""
    kb = make_kb(
        {
            "entities/p.md": entity("p", type="person", merged_into="u"),
            "entities/u.md": entity("u", type=None, merged_into="c"),
            "entities/c.md": entity("c", type="company"),
        }
    )
    assert found(kb) == ["p.md:4:14 KB311"]
    assert kb.graph.survivors == {"u": "c"}


def test_two_types_in_one_untyped_survivor(make_kb) -> None:
    """An untyped survivor cannot take in entities of two types: neither redirect is followed."""
    kb = make_kb(
        {
            "entities/c.md": entity("c", type="company", merged_into="u"),
            "entities/p.md": entity("p", type="person", merged_into="u"),
            "entities/u.md": entity("u", type=None),
        }
    )
    assert found(kb) == ["c.md:4:14 KB311", "p.md:4:14 KB311"]
    assert kb.graph.survivors == {}


def test_type_aliases_are_one_type(make_kb) -> None:
    """An organization is a company."""
    kb = make_kb(
        {
            "entities/a.md": entity("a", type="organization", merged_into="b"),
            "entities/b.md": entity("b", type="company"),
        }
    )
    assert found(kb) == []


def test_distinct_beats_the_merges_between_the_two(make_kb) -> None:
    """Only the redirects that join a judged pair are not followed; others into the same survivor are."""
    kb = make_kb(
        {
            "entities/a.md": entity("a", merged_into="s", distinct_from="[b]"),
            "entities/b.md": entity("b", merged_into="s"),
            "entities/c.md": entity("c", merged_into="s"),
            "entities/s.md": entity("s"),
        }
    )
    assert found(kb) == ["a.md:5:17 KB312"]
    assert kb.graph.survivors == {"c": "s"}


def test_distinct_binds_both_sides_and_whole_groups(make_kb) -> None:
    """What is judged of a merged entity holds for its survivor."""
    kb = make_kb(
        {
            "entities/a.md": entity("a", name="Dana", merged_into="s", distinct_from="[b]"),
            "entities/b.md": entity("b", name="Dana"),
            "entities/s.md": entity("s"),
        }
    )
    assert found(kb) == []
    assert kb.graph.are_distinct("s", "b")
    assert kb.graph.are_distinct("b", "s")


def test_unknown_ids_get_a_guess(make_kb) -> None:
    """A misspelt id in a judgement is answered with the nearest one."""
    kb = make_kb(
        {
            "entities/a.md": entity("a", distinct_from="[dana-reys]", merged_into="dana-rayes"),
            "entities/dana-reyes.md": entity("dana-reyes"),
        }
    )
    assert said(kb, "KB313") == [
        ('"distinct_from" names no entity: "dana-reys"', 'did you mean "dana-reyes"?')
    ]
    assert said(kb, "KB310")[0][1] == 'did you mean "dana-reyes"?'


def test_long_chains_end_at_once() -> None:
    """A chain of many redirects is followed in time that grows with its length, however it is begun."""
    targets = {f"e{n}": f"e{n + 1}" for n in range(50_000)}
    assert set(follow_redirects(targets).values()) == {"e50000"}
    backwards = dict(reversed(targets.items()))
    assert set(follow_redirects(backwards).values()) == {"e50000"}
