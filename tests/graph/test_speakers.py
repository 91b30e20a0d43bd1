"""Who may be a person, as the checks and the edits ask it."""

from collections.abc import Callable

import pytest

from kb.graph.speakers import may_be_person
from kb.knowledge_base import KnowledgeBase
from tests.conftest import entity

FILES = {
    "entities/person/ada.md": entity("ada", keys="[email:ada@x.example]"),
    "entities/company/acme.md": entity("acme", type="company", keys="[domain:acme.example]"),
    "entities/other/who.md": entity("who", type=None),
    "entities/other/was.md": entity("was", type=None, merged_into="acme"),
    "entities/company/gone.md": entity("gone", type="company", merged_into="who"),
    "entities/contact/desk.md": entity("desk", type="contact", keys="[email:desk@x.example]"),
    "entities/other/odd.md": entity("odd", type="thingummy"),
}


@pytest.mark.parametrize(
    ("speaker", "may_be"),
    [
        ("ada", True),
        ("acme", False),
        ("who", True),
        ("was", False),
        ("gone", True),
        ("odd", True),
        ("email:ada@x.example", True),
        ("email:nobody@x.example", True),
        ("email:info@x.example", False),
        ("domain:acme.example", False),
        ("domain:nobody.example", False),
        ("Somebody", True),
        ("nothing:known", True),
        (" ", False),
    ],
)
def test_who_may_be_a_person(
    make_kb: Callable[..., KnowledgeBase], speaker: str, may_be: bool
) -> None:
    """An id is of its survivor's type, a key of its bearers', else of those that its kind is for; a plain name is one."""
    assert may_be_person(make_kb(FILES).graph, speaker) is may_be
