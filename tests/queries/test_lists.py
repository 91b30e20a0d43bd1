"""neighbors, facts, relations: what is current, which predicates are meant, what is cut."""

from collections.abc import Callable
from typing import Any

import pytest

from kb.errors import UsageError
from kb.knowledge_base import KnowledgeBase
from kb.queries.facts import list_facts
from kb.queries.neighbors import list_neighbors
from kb.queries.selection import Selection
from tests.conftest import entity, observation

MakeKb = Callable[..., KnowledgeBase]

OFFICE = {
    "entities/person/ada.md": entity(
        "ada",
        "## Relations",
        "",
        "- works-for:: [Acme](../company/acme.md) (2020/..) [^2026-01-01-seen]",
        "- reports-to:: [Bob](bob.md) (2020/2022-06)",
        "- reports-to:: [Cid](cid.md) (2022-06/..)",
        "- authored:: [Notes](../document/notes.md) (2024-05) [^2026-01-01-seen]",
        "- mentors:: [Bob](bob.md) (2030/..)",
        "- meets-with:: [Bob](bob.md) (retracted)",
        "",
        "## Facts",
        "",
        "- title:: Engineer (2020/2022)",
        "- title:: CTO (2022/..) [^2026-01-01-seen]",
    ),
    "entities/person/bob.md": entity(
        "bob", "## Relations", "", "- works-for:: [Acme](../company/acme.md)", name="Bob"
    ),
    "entities/person/cid.md": entity("cid", name="Cid"),
    "entities/company/acme.md": entity("acme", type="company", name="Acme"),
    "entities/document/notes.md": entity("notes", type="document", name="Notes"),
    "observations/2026/01/2026-01-01-seen.md": observation("2026-01-01-seen", kind="email"),
}


def linked(kb: KnowledgeBase, entity: str, **options: Any) -> dict[str, list[str]]:
    answer = list_neighbors(kb, entity, **options)
    return {
        (group.predicate if group.direction == "out" else f"← {group.predicate}"): [
            n.entity.id for n in group.neighbors
        ]
        for group in answer.results.groups
    }


def test_neighbors_shows_what_holds_now(make_kb: MakeKb) -> None:
    """Ended, future and retracted relations are left out and counted; past events and undated ones stay."""
    kb = make_kb(OFFICE)
    answer = list_neighbors(kb, "ada")
    assert linked(kb, "ada") == {
        "authored": ["notes"],
        "reports-to": ["cid"],
        "works-for": ["acme"],
    }
    assert answer.results.entities == 3
    assert "2 that do not hold now left out (--include-ended)" in answer.notes
    assert "1 retired left out (--history)" in answer.notes


def test_neighbors_with_all(make_kb: MakeKb) -> None:
    """``include_ended`` adds what does not hold now, ``history`` what was retired."""
    kb = make_kb(OFFICE)
    assert linked(kb, "ada", selection=Selection(include_ended=True))["reports-to"] == [
        "bob",
        "cid",
    ]
    assert "meets-with" not in linked(kb, "ada", selection=Selection(include_ended=True))
    assert linked(kb, "ada", selection=Selection(history=True))["meets-with"] == ["bob"]


def test_neighbors_at_a_time(make_kb: MakeKb) -> None:
    """``at`` decides by what held then, both sides of a boundary included; unknown ones are left out and counted."""
    kb = make_kb(OFFICE)
    at = {
        when: linked(kb, "ada", predicates=("reports-to",), selection=Selection(at=when))
        for when in ("2021", "2022-06", "2023", "2019")
    }
    assert at == {
        "2021": {"reports-to": ["bob"]},
        "2022-06": {"reports-to": ["bob", "cid"]},
        "2023": {"reports-to": ["cid"]},
        "2019": {},
    }
    answer = list_neighbors(kb, "bob", ("works-for",), selection=Selection(at="2021"))
    assert answer.notes == ("1 of which it is unknown whether it holds then left out",)


@pytest.mark.parametrize(
    ("entity", "predicate", "direction", "expected"),
    [
        ("bob", "manages", None, {"manages": ["ada"]}),
        ("bob", "manages", "out", {"manages": ["ada"]}),
        ("bob", "manages", "in", {}),
        ("bob", "reports-to", "in", {"manages": ["ada"]}),
        ("bob", "reports_to", "out", {}),
        ("bob", "Reports-To", None, {"manages": ["ada"]}),
        ("ada", "manages", None, {"reports-to": ["bob", "cid"]}),
        ("ada", "manages", "in", {"reports-to": ["bob", "cid"]}),
        ("acme", "employs", "out", {"employs": ["ada", "bob"]}),
        ("acme", "works-for", "in", {"employs": ["ada", "bob"]}),
        ("notes", "authored", None, {"← authored": ["ada"]}),
        ("notes", "authored", "in", {"← authored": ["ada"]}),
        ("notes", "authored", "out", {}),
        ("notes", "author", None, {"← authored": ["ada"]}),
        ("acme", "employ", None, {"employs": ["ada", "bob"]}),
    ],
)
def test_direction_is_meant_for_the_predicate_as_named(
    make_kb: MakeKb,
    entity: str,
    predicate: str,
    direction: str | None,
    expected: dict[str, list[str]],
) -> None:
    """``out``: the entity is the subject of the word as typed; an inverse word, case and ``_`` are understood."""
    kb = make_kb(OFFICE)
    options = {
        "predicates": (predicate,),
        "direction": direction,
        "selection": Selection(include_ended=True),
    }
    assert linked(kb, entity, **options) == expected


def test_a_predicate_miss_lists_what_exists(make_kb: MakeKb) -> None:
    """A predicate that fits nothing answers with nothing and says which predicates there are."""
    kb = make_kb(OFFICE)
    for word in ("founded", "foo"):
        answer = list_neighbors(kb, "acme", (word,))
        assert answer.results.groups == ()
        assert (
            answer.notes[0] == f'nothing under "{word}"; Predicates on this entity: employs → (2)'
        )


def test_a_reading_of_a_predicate_is_said(make_kb: MakeKb) -> None:
    """Whatever a word was read as other than itself stands in the notes."""
    kb = make_kb(OFFICE)
    assert 'predicate "employ" read as employs' in list_neighbors(kb, "acme", ("employ",)).notes
    config = "kb: 1\nrelations:\n  works-for: {inverse: employs, aliases: [hired-by]}\n"
    assert (
        'predicate "hired-by" read as works-for'
        in list_neighbors(make_kb(OFFICE, config), "ada", ("hired-by",)).notes
    )


def test_neighbors_by_type(make_kb: MakeKb) -> None:
    """``type`` keeps other ends of a type or one that may stand for it; an unknown type is wrong usage."""
    kb = make_kb(OFFICE)
    assert linked(kb, "ada", selection=Selection(type="work")) == {"authored": ["notes"]}
    assert linked(kb, "ada", selection=Selection(type="organisation")) == {"works-for": ["acme"]}
    with pytest.raises(UsageError, match="no type"):
        list_neighbors(kb, "ada", selection=Selection(type="wizard"))


def test_filters_by_source_and_window(make_kb: MakeKb) -> None:
    """``source`` keeps what rests on an observation or a kind; ``since``/``until`` what overlaps the window."""
    kb = make_kb(OFFICE)
    assert set(linked(kb, "ada", selection=Selection(source="email"))) == {"works-for", "authored"}
    assert set(linked(kb, "ada", selection=Selection(source="2026-01-01-seen"))) == {
        "works-for",
        "authored",
    }
    titles = list_facts(kb, "ada", ("title",), Selection(until="2021")).results
    assert [view.statement.value for group in titles.groups for view in group.statements] == [
        "Engineer"
    ]
    with pytest.raises(UsageError, match="no observation"):
        list_facts(kb, "ada", selection=Selection(source="sms"))


@pytest.mark.parametrize("when", ["soon", "2015-13", "2023-24", "..", "2015-06-31"])
def test_a_wrong_time_is_wrong_usage(make_kb: MakeKb, when: str) -> None:
    """A time that is none is refused with what to write."""
    with pytest.raises(UsageError, match="--at"):
        list_neighbors(make_kb(OFFICE), "ada", selection=Selection(at=when))


def test_facts_are_most_recent_first_with_ended_ones(make_kb: MakeKb) -> None:
    """``facts`` always has the ended ones; retired ones only with ``history``."""
    kb = make_kb(OFFICE)
    answer = list_facts(kb, "ada", ("title",))
    (group,) = answer.results.groups
    assert [view.statement.value for view in group.statements] == ["CTO", "Engineer"]
    assert [view.status.value for view in group.statements] == ["current", "ended"]
    assert list_facts(kb, "ada", ("meets-with",)).total == 0
    assert list_facts(kb, "ada", ("meets-with",), Selection(history=True)).total == 1


def test_a_limit_is_said_and_shared(make_kb: MakeKb) -> None:
    """A cut answer says so; groups are cut alike, and each tells its whole size."""
    kb = make_kb(OFFICE)
    answer = list_facts(kb, "ada", limit=3)
    assert (answer.truncated, answer.total) == (True, 7)
    assert [(group.total, len(group.statements)) for group in answer.results.groups] == [
        (2, 1),
        (2, 1),
        (1, 1),
        (1, 0),
        (1, 0),
    ]
    assert list_facts(kb, "ada", limit=0).truncated is False


@pytest.mark.parametrize(
    ("direction", "found"),
    [("out", {"employs": ["ada", "bob"]}), ("in", {}), (None, {"employs": ["ada", "bob"]})],
)
def test_the_direction_of_a_part_of_a_word(
    make_kb: MakeKb, direction: str | None, found: dict[str, list[str]]
) -> None:
    """A part of an inverse word has the inverse's direction."""
    kb = make_kb(OFFICE)
    assert linked(kb, "acme", predicates=("employ",), direction=direction) == found


def test_an_empty_predicate_is_wrong_usage(make_kb: MakeKb) -> None:
    """An empty word matches nothing rather than everything."""
    with pytest.raises(UsageError):
        list_neighbors(make_kb(OFFICE), "acme", ("",))


def test_facts_speak_of_a_filter_only_where_there_is_one(make_kb: MakeKb) -> None:
    """Retired statements that are left out are no filter."""
    kb = make_kb(OFFICE)
    assert not list_facts(kb, "ada").results.is_filtered
    assert list_facts(kb, "ada", ("title",)).results.is_filtered


def test_a_relation_that_leads_nowhere_is_counted(make_kb: MakeKb) -> None:
    """A relation whose link finds no entity cannot be shown, and the answer says that there is one."""
    kb = make_kb(
        {"entities/person/ada.md": entity("ada", "## Relations", "", "- mentors:: [[nobody]]")}
    )
    note = "1 relation leads to no entity and cannot be shown (kb check)"
    assert note in list_facts(kb, "ada").notes
    assert note in list_neighbors(kb, "ada").notes
