"""``find --question``: namesakes in the order in which their own texts answer."""

from collections.abc import Callable

import pytest

from kb.index.question import BadQuery
from kb.knowledge_base import KnowledgeBase
from kb.queries.find import find
from kb.render.as_json import answer_as_json
from tests.conftest import entity

Make = Callable[..., KnowledgeBase]

DANAS = {
    "entities/person/dana-a.md": entity("dana-a", "Bakes bread.", "", "## Facts", "", "- title:: Baker ^f1", name="Dana"),
    "entities/person/dana-b.md": entity("dana-b", "Runs the security of the gateway.", name="Dana"),
    "entities/person/dana-c.md": entity("dana-c", "Security, gateway, security.", name="Dana Long"),
    "entities/other/dana-d.md": entity("dana-d", "Gateway security.", type=None, name="Dana"),
}  # fmt: skip


def ids(base: KnowledgeBase, question: str | None = None) -> list[str]:
    return [match.entity.id for match in find(base, "Dana", question=question).results]


def test_a_question_orders_inside_a_tier(make_kb: Make) -> None:
    """The candidate whose text answers best comes first among its equals, and never before a better match."""
    base = make_kb(DANAS)
    assert ids(base) == ["dana-a", "dana-b", "dana-c"]
    assert ids(base, "who runs gateway security?") == ["dana-b", "dana-a", "dana-c"]
    assert ids(base, "who bakes?") == ["dana-a", "dana-b", "dana-c"]


def test_the_reply_says_who_is_closest_and_decides_nothing(make_kb: Make) -> None:
    """It names the closest, or says that no text answers; the best match is still named only where one dominates."""
    base = make_kb(DANAS)
    answer = find(base, "Dana", question="gateway security")
    assert answer.notes[-1] == "closest to the question: Dana (dana-b)"
    assert answer.resolved == ()
    shown = answer_as_json(answer)["results"]
    assert shown[0]["closeness"] > shown[1]["closeness"] == 0
    answer = find(base, "Dana", question="zeppelins")
    assert answer.notes[-1] == "none of their texts answers the question"
    assert "closeness" not in answer_as_json(find(base, "Dana"))["results"][0]


def test_a_question_that_asks_nothing_is_wrong_usage(make_kb: Make) -> None:
    """A question without a word is refused as a bad query."""
    with pytest.raises(BadQuery):
        find(make_kb(DANAS), "Dana", question="?!")
