"""timeline: moments in order, cut with a word, undated statements counted."""

from collections.abc import Callable

from kb.knowledge_base import KnowledgeBase
from kb.queries.selection import Selection
from kb.queries.timeline import list_timeline
from tests.conftest import entity

MakeKb = Callable[..., KnowledgeBase]

FILES = {
    "entities/person/ada.md": entity(
        "ada",
        "## Relations",
        "",
        "- works-for:: [Acme](acme.md) (2020-03/2022)",
        "- founded:: [Acme](acme.md) (2019-05-04)",
        "- mentors:: [Bob](bob.md) (/2021)",
        "- reports-to:: [Bob](bob.md)",
        "",
        "## Facts",
        "",
        "- title:: CTO (2022/..)",
        "- status:: away (ended)",
    ),
    "entities/person/bob.md": entity("bob"),
    "entities/company/acme.md": entity("acme", type="company"),
}


def moments(kb: KnowledgeBase, entity: str, **options: object) -> list[tuple[str, str, str]]:
    answer = list_timeline(kb, entity, **options)  # type: ignore[arg-type]
    return [
        (one.date.text, one.event, one.statement.statement.predicate)
        for one in answer.results.moments
    ]


def test_starts_ends_and_events_in_order(make_kb: MakeKb) -> None:
    """Both ends of an interval are moments, an event is one; unknown and open ends are none; both directions count."""
    kb = make_kb(FILES)
    assert moments(kb, "ada") == [
        ("2019-05-04", "event", "founded"),
        ("2020-03", "since", "works-for"),
        ("2021", "until", "mentors"),
        ("2022", "until", "works-for"),
        ("2022", "since", "title"),
    ]
    assert moments(kb, "bob") == [("2021", "until", "mentors")]


def test_undated_statements_are_counted(make_kb: MakeKb) -> None:
    """What has no date is not placed, and the answer says how many there are."""
    results = list_timeline(make_kb(FILES), "ada").results
    assert (results.dated, results.undated) == (4, 2)


def test_a_window_and_a_limit(make_kb: MakeKb) -> None:
    """``since`` and ``until`` keep moments whose unit overlaps the window; a limit takes the first."""
    kb = make_kb(FILES)
    window = Selection(since="2021", until="2022-01")
    assert [date for date, *_ in moments(kb, "ada", selection=window)] == ["2021", "2022", "2022"]
    answer = list_timeline(kb, "ada", limit=2)
    assert (len(answer.results.moments), answer.total, answer.truncated) == (2, 5, True)


def test_a_direction(make_kb: MakeKb) -> None:
    """A predicate and direction are read as in ``neighbors``."""
    kb = make_kb(FILES)
    assert moments(kb, "acme", predicates=("founded",), direction="in") == [
        ("2019-05-04", "event", "founded")
    ]
    assert moments(kb, "acme", predicates=("founded",), direction="out") == []
