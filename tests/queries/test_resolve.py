"""Arguments: which entities a name, key or id may mean, and in which order."""

from collections.abc import Callable

import pytest

from kb.errors import AmbiguousId, UnknownEntity
from kb.knowledge_base import KnowledgeBase
from kb.queries.find import find
from kb.queries.resolve import find_candidates, resolve_entity
from tests.conftest import entity

MakeKb = Callable[..., KnowledgeBase]


def candidates(kb: KnowledgeBase, argument: str) -> list[tuple[str, str]]:
    return [
        (candidate.id, candidate.tier.value) for candidate in find_candidates(kb.graph, argument)
    ]


def people(**aliases: str) -> dict[str, str]:
    return {f"entities/person/{id}.md": entity(id, name=name) for id, name in aliases.items()}


def test_the_tiers_in_order(make_kb: MakeKb) -> None:
    """An id beats a key, a key a name, a name a part of a name."""
    kb = make_kb(
        {
            "entities/person/ada.md": entity("ada", name="Countess"),
            "entities/person/b.md": entity("b", name="Ada"),
            "entities/person/c.md": entity("c", name="Ada Byron"),
            "entities/person/d.md": entity("d", name="D", keys="[github:ada]"),
        }
    )
    assert candidates(kb, "ada") == [("ada", "id"), ("b", "name"), ("c", "part")]
    assert candidates(kb, "github:ADA") == [("d", "key")]


def test_names_compare_folded(make_kb: MakeKb) -> None:
    """Names compare by NFKC and case folding: composed or not, wide or not, with any white space."""
    kb = make_kb(
        {"entities/person/jm.md": entity("jm", name="Ju\u0308rgen  Müller"), **people(s="STRASSE")}
    )
    assert candidates(kb, "jürgen müller") == [("jm", "name")]
    assert candidates(kb, "ＪÜRGEN Mu\u0308ller") == [("jm", "name")]
    assert candidates(kb, "Straße") == [("s", "name")]


def test_a_name_in_running_text_without_spaces(make_kb: MakeKb) -> None:
    """In scripts without spaces a part of a name matches as such."""
    kb = make_kb(people(t="測試中心"))
    assert candidates(kb, "測試") == [("t", "part")]


def test_all_words_but_one_only_if_nothing_else_matched(make_kb: MakeKb) -> None:
    """A long form with one word too many still finds, marked as such; never beside a better match."""
    kb = make_kb(people(a="Seth Larson", b="Guido van Rossum"))
    assert candidates(kb, "Seth Michael Larson") == [("a", "words")]
    assert candidates(kb, "Seth") == [("a", "part")]
    assert candidates(kb, "Seth Michael Miller") == []


def test_untyped_ones_come_last_and_are_left_out(make_kb: MakeKb) -> None:
    """Untyped entities are left out when anything typed matched, unless asked for by id or key."""
    kb = make_kb(
        {
            "entities/person/a.md": entity("a", name="Mercury"),
            "entities/other/b.md": entity("b", name="Mercury", type=None),
            "entities/other/c.md": entity("c", name="Mercury", type="other"),
        }
    )
    assert candidates(kb, "Mercury") == [("a", "name")]
    assert candidates(kb, "b") == [("b", "id")]


def test_more_statements_come_first_inside_a_tier(make_kb: MakeKb) -> None:
    """Among equals the one that more is known of comes first."""
    kb = make_kb(
        {
            "entities/person/a.md": entity("a", name="Sam"),
            "entities/person/b.md": entity("b", "## Facts", "", "- title:: CTO", name="Sam"),
        }
    )
    assert candidates(kb, "Sam") == [("b", "name"), ("a", "name")]


def test_two_pages_with_one_alias_are_both_reported(make_kb: MakeKb) -> None:
    """A shared alias answers with both; the best is read, the other named (case B22)."""
    kb = make_kb(
        {
            "entities/other/hello.md": entity("hello", aliases="[hi]"),
            "entities/other/aloha.md": entity("aloha", aliases="[hi]"),
        }
    )
    assert candidates(kb, "hi") == [("aloha", "name"), ("hello", "name")]
    answer = find(kb, "hi")
    assert answer.resolved == ()
    assert any("2 match equally well" in note for note in answer.notes)
    resolved = resolve_entity(kb.graph, "hi")
    assert [other.entity.id for other in resolved.others] == ["hello"]


def test_a_moved_alias_finds_only_its_new_owner(make_kb: MakeKb) -> None:
    """After an edit by hand an alias finds whoever bears it now (case B24)."""
    before = {
        "entities/person/p1.md": entity("p1", name="P1", aliases="[x, y]"),
        "entities/person/p2.md": entity("p2", name="P2", aliases="[]"),
    }
    assert candidates(make_kb(before), "x") == [("p1", "name")]
    after = {
        "entities/person/p1.md": entity("p1", name="P1", aliases="[y]"),
        "entities/person/p2.md": entity("p2", name="P2", aliases="[x]"),
    }
    assert candidates(make_kb(after), "x") == [("p2", "name")]


@pytest.mark.parametrize(
    ("key", "argument"),
    [
        ("email:Ada@Northpeak.Example", "ada@northpeak.example"),
        ("email:ada@northpeak.example", "email:ADA@northpeak.example"),
        ("domain:northpeak.example", "Northpeak.example"),
        ("url:https://Northpeak.example/about/", "https://northpeak.example/about"),
        ("orcid:0000-0002-1825-0097", "orcid:0000-0002-1825-0097"),
        ("pep:484", "pep:484"),
    ],
)
def test_keys_are_normalized_by_kind(make_kb: MakeKb, key: str, argument: str) -> None:
    """Each kind of key compares by its own rule; bare addresses and domains are keys; unknown kinds are exact."""
    kb = make_kb({"entities/other/n.md": entity("n", type=None, keys=f'["{key}"]')})
    assert candidates(kb, argument) == [("n", "key")]


def test_a_key_of_two_answers_with_both(make_kb: MakeKb) -> None:
    """A key that two entities bear is read as both."""
    kb = make_kb(
        {
            "entities/person/seth.md": entity("seth", keys='["email:s@x.example"]'),
            "entities/person/seth-m.md": entity("seth-m", keys='["email:S@x.example"]'),
        }
    )
    resolved = resolve_entity(kb.graph, "s@x.example")
    assert [one.id for one in resolved.entities] == ["seth", "seth-m"]
    assert [match.entity.id for match in find(kb, "email:s@x.example").results] == [
        "seth",
        "seth-m",
    ]


def test_a_redirect_reads_as_the_survivor(make_kb: MakeKb) -> None:
    """An id, name or key of a merged entity reads as the one that it was merged into, and says so."""
    kb = make_kb(
        {
            "entities/person/ada.md": entity("ada", name="Ada Lovelace"),
            "entities/person/ada-king.md": entity(
                "ada-king", name="Ada King", keys="[github:ada]", merged_into="ada"
            ),
        }
    )
    for argument in ("ada-king", "Ada King", "github:ada"):
        assert resolve_entity(kb.graph, argument).entities[0].id == "ada"
    assert resolve_entity(kb.graph, "ada-king").merged_from == "ada-king"


def test_two_files_with_one_id_are_ambiguous(make_kb: MakeKb) -> None:
    """An id that two files claim answers with an error that names both; the rest of the graph works."""
    kb = make_kb(
        {
            "entities/person/ada.md": entity("ada"),
            "entities/company/ada.md": entity("ada", type="company"),
            "entities/person/bob.md": entity("bob"),
        }
    )
    with pytest.raises(AmbiguousId, match=r"entities/company/ada\.md and entities/person/ada\.md"):
        resolve_entity(kb.graph, "ada")
    assert candidates(kb, "bob") == [("bob", "id")]


def test_nothing_found_offers_spellings_and_takes_none(make_kb: MakeKb) -> None:
    """A misspelt name is refused with guesses; ``find`` answers with nothing and the guesses."""
    kb = make_kb(people(a="Charles Babbage"))
    with pytest.raises(UnknownEntity) as caught:
        resolve_entity(kb.graph, "Charls Babage")
    assert caught.value.guesses == ("Charles Babbage",)
    answer = find(kb, "Charls Babage")
    assert (answer.results, answer.total) == ((), 0)
    assert "Charles Babbage" in answer.notes[1]


@pytest.mark.parametrize(
    "argument", ["", " ", "\n", "\0", "𝕏", "a" * 10_000, "email:", ":x", "[[", "^id"]
)
def test_odd_arguments_never_crash(make_kb: MakeKb, argument: str) -> None:
    """Whatever is typed is answered."""
    find_candidates(make_kb(people(a="Ada")).graph, argument)
