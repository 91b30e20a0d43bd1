"""Answers about files whose names no text can hold."""

import json
from collections.abc import Callable

from kb.knowledge_base import KnowledgeBase
from kb.queries.show import show
from kb.render.as_json import render_json
from tests.conftest import entity


def test_json_tells_a_path_of_foreign_bytes(make_kb: Callable[..., KnowledgeBase]) -> None:
    """A path with bytes that are no UTF-8 is told with escapes, so that two such paths differ (BAD-INPUTS 50)."""
    text = render_json(show(make_kb({"entities/a\udcff.md": entity("a")}), "a"))
    assert text.isascii()
    assert json.loads(text)["results"]["path"].endswith(r"a\udcff.md")
