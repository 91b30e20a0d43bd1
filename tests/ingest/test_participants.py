"""Who takes part: what keys of two on one card, and names that a key's bearer does not bear, come to."""

from pathlib import Path
from typing import Any

import pytest

from kb.checks import check_knowledge_base
from kb.knowledge_base import open_knowledge_base
from tests.conftest import NOW, entity, write_kb
from tests.ingest.test_keep_sources import mail, run_json

DANAS = {
    "entities/person/dana-reyes.md": entity(
        "dana-reyes", name="Dana Reyes", aliases="[D. Reyes]", keys="[email:dana@northpeak.example]"
    ),
    "entities/person/dana-whitfield.md": entity(
        "dana-whitfield", name="Dana Whitfield", keys="[email:dana@fairline.example]"
    ),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A knowledge base with two Danas."""
    return write_kb(tmp_path / "kb", DANAS)


def card(path: Path, name: str, *addresses: str) -> Path:
    """Write a contact card."""
    lines = ["BEGIN:VCARD", "VERSION:4.0", f"FN:{name}", *(f"EMAIL:{one}" for one in addresses)]
    path.write_text("\n".join((*lines, "END:VCARD", "")))
    return path


def test_a_card_with_keys_of_two_is_a_question(root: Path, tmp_path: Path) -> None:
    """As for ``kb resolve``: neither is taken for the other, and the card's own address is nobody's yet."""
    addresses = ("dana@northpeak.example", "dana@fairline.example", "dana@home.example")
    done = run_json(root, "ingest", str(card(tmp_path / "k.vcf", "Dana", *addresses)))
    (kept,) = done["observations"]
    assert kept["participants"] == [f"email:{one}" for one in addresses]
    assert done["entities"] == []
    (question,) = [one for one in done["questions"] if "on one card" in one]
    assert "dana-reyes and dana-whitfield" in question
    keys = [word for one in addresses for word in ("--key", f"email:{one}")]
    assert run_json(root, "resolve", *keys)["results"]["verdict"] == "question"


@pytest.mark.parametrize(
    ("shown", "is_asked"),
    [
        ("Dana Reyes", False),
        ("Reyes, D.", False),
        ("dana@northpeak.example", False),
        ("", False),
        ("Karl Kurz (@karl)", True),
        ("カール", True),
    ],
)
@pytest.mark.parametrize("is_new", [False, True])
def test_a_name_that_a_bearer_does_not_bear_is_asked_about(
    root: Path, tmp_path: Path, shown: str, is_asked: bool, is_new: bool
) -> None:
    """The key decides all the same; whoever reads it sees that several may write from one address."""
    address = "dr@northpeak.example" if is_new else "dana@northpeak.example"
    folder = tmp_path / "mails"
    folder.mkdir()
    for number, name in enumerate(("Dana Reyes", shown)):
        sender = f'"{name}" <{address}>' if name else address
        mail(folder / f"{number}.eml", sender, "ada@x.example", id=f"{number}@x")
    done = run_json(root, "ingest", str(folder))
    asked = [one for one in done["questions"] if "shown as" in one]
    assert bool(asked) is is_asked
    assert len({tuple(one["participants"]) for one in done["observations"]}) == 1


def test_where_an_address_stands_in_for_a_name_nothing_is_asked(root: Path, tmp_path: Path) -> None:
    """Of somebody who is known by an address alone, every name is news."""
    folder = tmp_path / "mails"
    folder.mkdir()
    for number, sender in enumerate(("kim@x.example", "Kim Ito <kim@x.example>")):
        mail(folder / f"{number}.eml", sender, "ada@x.example", id=f"{number}@x")
    assert run_json(root, "ingest", str(folder))["questions"] == []


def namesakes(done: Any) -> list[str]:
    """The warnings that speak of names."""
    return [one for one in done["warnings"] if "kb candidates" in one]


def test_new_ones_of_a_name_that_is_borne_are_told(root: Path, tmp_path: Path) -> None:
    """Of somebody who is there, and of one made in the same run; the command that lists them is named."""
    folder = tmp_path / "mails"
    folder.mkdir()
    senders = ("Dana Reyes <dr@x.example>", "Kim Ito <kim@x.example>", "Kim Ito <ito@y.example>")
    for number, sender in enumerate(senders):
        mail(folder / f"{number}.eml", sender, "ada@x.example", id=f"{number}@x")
    (warning,) = namesakes(run_json(root, "ingest", str(folder)))
    assert warning.startswith("2 of the new ones bear names of others")
    assert namesakes(run_json(root, "ingest", str(folder))) == []


def test_a_room_bears_its_address(root: Path, tmp_path: Path) -> None:
    """As does a resource: what a calendar says of them makes nothing that check objects to."""
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "UID:1"]
    lines += ["DTSTART:20261022T080000Z", "DTSTAMP:20261001T000000Z", "SUMMARY:Plan"]
    lines += [
        f"ATTENDEE;CUTYPE={kind};CN={kind}:mailto:{kind.lower()}@northpeak.example"
        for kind in ("ROOM", "RESOURCE")
    ]
    path = tmp_path / "a.ics"
    path.write_text("\r\n".join((*lines, "END:VEVENT", "END:VCALENDAR", "")))
    done = run_json(root, "ingest", str(path))
    assert {one["id"] for one in done["entities"]} == {"room", "resource"}
    found = check_knowledge_base(open_knowledge_base(str(root), NOW))
    assert [one.code for one in found if one.code == "KB210"] == []


def test_a_key_beside_one_of_somebody_made_in_the_run_is_told(root: Path, tmp_path: Path) -> None:
    """As of somebody who was there: it is not borne, and the command that gives it is named."""
    folder = tmp_path / "cards"
    folder.mkdir()
    card(folder / "1.vcf", "New Guy", "ng@x.example", "ng2@x.example")
    card(folder / "2.vcf", "New Guy", "ng2@x.example", "ng3@x.example")
    done = run_json(root, "ingest", str(folder))
    (question,) = done["questions"]
    assert "kb set new-guy key email:ng3@x.example" in question
    assert done["attached"] == 0
