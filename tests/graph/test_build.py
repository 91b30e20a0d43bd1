"""The graph: ids, directions, redirects, witnesses, what a merge hides."""

from collections.abc import Callable

import pytest

from kb.graph.graph import Statement
from kb.graph.standing import Status, status_of
from kb.knowledge_base import KnowledgeBase
from kb.model.names import mint_statement_id
from tests.conftest import NOW, entity, observation

MakeKb = Callable[..., KnowledgeBase]


def relations(*lines: str) -> tuple[str, ...]:
    return ("## Relations", "", *lines)


def only(kb: KnowledgeBase) -> Statement:
    (statement,) = tuple(kb.graph.iter_statements())
    return statement


def pair(*lines: str, **fields: str) -> dict[str, str]:
    return {
        "entities/person/ada.md": entity("ada", *lines, **fields),
        "entities/person/bob.md": entity("bob"),
    }


def test_an_inverse_is_stored_in_its_canonical_direction(make_kb: MakeKb) -> None:
    """``manages`` written at the manager is ``reports-to`` of the other."""
    statement = only(make_kb(pair(*relations("- manages:: [Bob](bob.md)"))))
    assert (statement.subject, statement.predicate, statement.object) == (
        "bob",
        "reports-to",
        "ada",
    )


def test_a_symmetric_relation_has_one_form(make_kb: MakeKb) -> None:
    """A symmetric relation is the same from either file: the lesser id is its subject."""
    files = {
        "entities/person/ada.md": entity("ada"),
        "entities/person/bob.md": entity("bob", *relations("- meets-with:: [Ada](ada.md)")),
    }
    statement = only(make_kb(files))
    assert (statement.subject, statement.object) == ("ada", "bob")


@pytest.mark.parametrize(
    ("line", "basis"),
    [
        ("- manages:: [Bob](bob.md) (2020/..)", ("ada", "reports-to", "in", "bob", "2020", "")),
        ("- reports_to:: [[bob]]", ("ada", "reports-to", "out", "bob", "", "")),
        (
            "- meets-with:: [Bob](bob.md) (/2021, by bob)",
            ("ada", "meets-with", "out", "bob", "", "bob"),
        ),
        ("- Foo:: [Bob](bob.md) (2020-05~)", ("ada", "foo", "out", "bob", "2020-05~", "")),
    ],
)
def test_a_provisional_id_is_the_digest(make_kb: MakeKb, line: str, basis: tuple[str, ...]) -> None:
    """A statement without an id is read under the one that would be minted."""
    statement = only(make_kb(pair(*relations(line))))
    assert statement.is_provisional
    assert statement.id == mint_statement_id(basis)


def test_a_written_id_never_changes(make_kb: MakeKb) -> None:
    """An id that stands in the file is the statement's, whatever else was edited."""
    statement = only(make_kb(pair(*relations("- mentors:: [Bob](bob.md) (2020) ^my-own-1"))))
    assert (statement.id, statement.is_provisional) == ("my-own-1", False)


def test_of_two_equal_ids_the_digest_keeps_it(make_kb: MakeKb) -> None:
    """Of two lines with one id the one that digests to it keeps it; the other is read under its own digest."""
    id = mint_statement_id(("ada", "mentors", "out", "bob", "2021", ""))
    lines = relations(
        f"- mentors:: [Bob](bob.md) (2020) ^{id}", f"- mentors:: [Bob](bob.md) (2021) ^{id}"
    )
    statements = tuple(make_kb(pair(*lines)).graph.iter_statements())
    assert [(s.interval.text if s.interval else "", s.id == id) for s in statements] == [
        ("2020", False),
        ("2021", True),
    ]


def test_minting_counts_where_an_id_is_taken() -> None:
    """A taken id is minted again over the same with a counter."""
    first = mint_statement_id(("a", "b"))
    second = mint_statement_id(("a", "b"), {first})
    assert second not in (first, mint_statement_id(("a", "b"), {first, second}))
    assert all(
        len(id) == 8 and set(id) <= set("0123456789abcdefghjkmnpqrstvwxyz")
        for id in (first, second)
    )


def test_redirects_are_followed_for_every_reference(make_kb: MakeKb) -> None:
    """Links, speakers and chains of redirects read as the survivor; what a merge turns on itself is hidden."""
    files = {
        "entities/person/ada.md": entity(
            "ada", *relations("- mentors:: [A2](a2.md)", "- mentors:: [Bob](bob.md) (by a3)")
        ),
        "entities/person/a2.md": entity(
            "a2", *relations("- mentors:: [Bob](bob.md) (2020)"), merged_into="a3"
        ),
        "entities/person/a3.md": entity("a3", merged_into="ada"),
        "entities/person/bob.md": entity("bob", *relations("- meets-with:: [A3](a3.md)")),
    }
    graph = make_kb(files).graph
    assert set(graph.entities) == {"ada", "bob"}
    assert {(s.file_id, s.subject, s.object) for s in graph.iter_statements()} == {
        ("ada", "ada", "bob"),
        ("a2", "ada", "bob"),
        ("bob", "ada", "bob"),
    }
    assert [s.by for s in graph.iter_statements() if s.by] == ["ada"]
    assert graph.hidden == {"ada": 1}


@pytest.mark.parametrize(
    "files",
    [
        {"entities/person/ada.md": entity("ada", merged_into="ada")},
        {"entities/person/ada.md": entity("ada", merged_into="nobody")},
        {
            "entities/person/ada.md": entity("ada", merged_into="bob"),
            "entities/person/bob.md": entity("bob", merged_into="ada"),
        },
        {
            "entities/person/ada.md": entity("ada", merged_into="acme"),
            "entities/company/acme.md": entity("acme", type="company"),
        },
        {
            "entities/person/ada.md": entity("ada", merged_into="bob"),
            "entities/person/bob.md": entity("bob", distinct_from="[ada]"),
        },
    ],
    ids=["self", "missing", "circle", "two types", "judged distinct"],
)
def test_a_redirect_at_fault_redirects_nothing(make_kb: MakeKb, files: dict[str, str]) -> None:
    """A redirect to itself, nowhere, in a circle, across types or against a judgement is not followed."""
    graph = make_kb(files).graph
    assert graph.survivors == {}
    assert "ada" in graph.entities


def test_distinct_binds_whole_groups(make_kb: MakeKb) -> None:
    """A judgement holds between whatever was merged into either side."""
    files = {
        "entities/person/ada.md": entity("ada", distinct_from="[bob]"),
        "entities/person/a2.md": entity("a2", merged_into="ada"),
        "entities/person/bob.md": entity("bob"),
        "entities/person/b2.md": entity("b2", merged_into="bob"),
    }
    graph = make_kb(files).graph
    assert graph.survivors == {"a2": "ada", "b2": "bob"}
    assert graph.are_distinct("ada", "bob")


def test_repetitions_are_no_witnesses(make_kb: MakeKb) -> None:
    """An observation that derives from another cited one, through any steps, is no second witness."""
    files = pair(
        *relations(
            "- mentors:: [Bob](bob.md) [^2026-01-01-a] [^2026-01-03-c] [^2026-01-04-d] [^2026-01-09-none]"
        )
    )
    files |= {
        "observations/2026/01/2026-01-01-a.md": observation("2026-01-01-a"),
        "observations/2026/01/2026-01-02-b.md": observation(
            "2026-01-02-b", derived_from="[2026-01-01-a]"
        ),
        "observations/2026/01/2026-01-03-c.md": observation(
            "2026-01-03-c", derived_from="[2026-01-02-b]"
        ),
        "observations/2026/01/2026-01-04-d.md": observation("2026-01-04-d"),
    }
    statement = only(make_kb(files))
    assert (statement.witnesses, len(statement.observations)) == (2, 4)


@pytest.mark.parametrize(
    ("qualifiers", "status"),
    [
        ("", Status.CURRENT),
        (" (2020/..)", Status.CURRENT),
        (" (2020)", Status.CURRENT),
        (" (2020/2030)", Status.CURRENT),
        (" (2020/2021)", Status.ENDED),
        (" (2020/)", Status.ENDED),
        (" (ended)", Status.ENDED),
        (" (2030/..)", Status.UPCOMING),
        (" (2020/.., retracted)", Status.RETRACTED),
        (" (superseded by ^x)", Status.SUPERSEDED),
    ],
)
def test_how_a_statement_stands(make_kb: MakeKb, qualifiers: str, status: Status) -> None:
    """Undated statements and past events are current; a future end still holds; a future start does not yet."""
    assert (
        status_of(only(make_kb(pair(*relations(f"- mentors:: [Bob](bob.md){qualifiers}")))), NOW)
        is status
    )


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ("[x](bob.md)", True),
        ("[x](./bob.md)", True),
        ("[x](<bob.md>)", True),
        ('[x](bob.md "title")', True),
        ("[x](bob.md#^k3f9x2ma)", True),
        ("[x](bo%62.md)", True),
        ("[x](../company/bob.md)", True),
        ("[[bob]]", True),
        ("[[bob|Bobby]]", True),
        ("[[bob#12345]]", True),
        ("[[person/bob]]", True),
        ("[[Robert Müller]]", True),
        ("[[robert mu\u0308ller]]", True),
        ("[x](../../../etc/bob.md)", False),
        ("[x](..%2F..%2F..%2Fbob.md)", False),
        ("[x](file:///tmp/bob.md)", False),
        ("[x](~/bob.md)", False),
        ("[x](C:\\\\bob.md)", False),
        ("[x](https://x.example/bob.md)", False),
        ("[x](../person/)", False),
        ("[x](bob)", False),
        ("[x](nobody.md)", False),
        ("[[Nobody]]", False),
    ],
)
def test_where_a_link_leads(make_kb: MakeKb, link: str, found: bool) -> None:
    """The stem decides; titles, anchors, encodings and stale folders are forgiven; ways out of the root are not."""
    files = pair(*relations(f"- mentors:: {link}"))
    files["entities/person/bob.md"] = entity("bob", name="Robert Müller")
    graph = make_kb(files).graph
    assert [s.object for s in graph.iter_statements()] == (["bob"] if found else [])
    assert graph.unresolved == ({} if found else {"ada": 1})
