"""Mails that programs write under the names of many: nobody is their address, and no two become one by it."""

from pathlib import Path

import pytest

from kb.graph.contact_rules import is_shared_mailbox
from kb.ingest.addresses import Mailbox
from kb.ingest.program_mails import find_program_mailboxes
from tests.conftest import entity, write_kb
from tests.ingest.test_keep_sources import run_json

TRACKER = "tracker@tools.x.example"
HEADS = [
    {"Auto-Submitted": "auto-generated"},
    {"auto-submitted": "Auto-Notified; owner-email=ada@x.example"},
    {"X-GitLab-Project": "kb"},
    {"X-JIRA-FingerPrint": "1"},
    {"X-Bugzilla-Reason": "CC"},
    {"X-Gerrit-MessageType": "comment"},
]


def never(_: Mailbox) -> bool:
    """No mailbox is a list's."""
    return False


def mail(path: Path, number: int, sender: str, heads: dict[str, str]) -> None:
    """Write a mail."""
    lines = [f"From: {sender}", "To: dana@x.example", f"Message-ID: <{number}@x>", "Subject: x"]
    lines += [f"{name}: {value}" for name, value in heads.items()]
    path.write_text("\n".join((*lines, "", "Hello.", "")))


@pytest.mark.parametrize("heads", HEADS)
@pytest.mark.parametrize("is_borne", [False, True])
def test_whoever_acts_is_not_the_address(
    tmp_path: Path, heads: dict[str, str], is_borne: bool
) -> None:
    """Two who write by one tracker are nobody, be the address somebody's by now: what they say is the address's."""
    files = {
        "entities/person/dana.md": entity("dana", name="Dana", keys="[email:dana@x.example]"),
        "entities/person/jane.md": entity("jane", name="Jane Doe", keys=f"[email:{TRACKER}]"),
    }
    root = write_kb(tmp_path / "kb", dict(list(files.items())[: 1 + is_borne]))
    mails = tmp_path / "mails"
    mails.mkdir()
    for number, name in enumerate(("Jane Doe (@jane)", "Karl Kurz (@karl)")):
        mail(mails / f"{number}.eml", number, f'"{name}" <{TRACKER}>', heads)
    done = run_json(root, "ingest", str(mails))
    assert done["entities"] == []
    assert [one["participants"] for one in done["observations"]] == [
        [f"email:{TRACKER}", "dana"]
    ] * 2
    (question,) = done["questions"]
    assert "or a program's" in question
    assert ("jane, a person, bears it" in question) is is_borne


def test_a_service_that_writes_in_somebodys_name_is_nobody(tmp_path: Path) -> None:
    """It says so in the name that it shows."""
    root = write_kb(tmp_path / "kb", {})
    mails = tmp_path / "mails"
    mails.mkdir()
    mail(mails / "1.eml", 1, "Al Bar via Signing <dse_na3@sign.example>", {})
    done = run_json(root, "ingest", str(mails))
    assert [one["id"] for one in done["entities"]] == ["dana"]


@pytest.mark.parametrize(
    ("heads", "found"),
    [
        ({}, []),
        ({"auto-submitted": ["no"]}, []),
        ({"auto-submitted": ["auto-replied"]}, []),  # from somebody's own address
        ({"auto-submitted": ["auto-generated"]}, ["dana@x.example"]),
        # An invitation: a calendar sends it, and Dana invites.
        (
            {"auto-submitted": ["auto-generated"], "sender": ["Cal <c@cal.example>"]},
            ["c@cal.example"],
        ),
        ({"auto-submitted": ["auto-generated"], "sender": ["dana@x.example"]}, ["dana@x.example"]),
        ({"x-mailer": ["Thunderbird"], "x-githubber": ["yes"]}, []),
    ],
)
def test_whose_address_it_is(heads: dict[str, list[str]], found: list[str]) -> None:
    """Sender's where it is another than From's, since From then names who wrote."""
    assert (
        sorted(find_program_mailboxes({"from": ["Dana <dana@x.example>"], **heads}, never)) == found
    )


@pytest.mark.parametrize(
    "address",
    [
        "bugzilla-daemon@x.example",
        "calendar-server@google.com",
        "invitations@linkedin.com",
        "SRS0=Ab1=xY=x.example=ann@relay.example",
        "prvs=123abc=ann@x.example",
        "git@x.example",
        "jenkins@ci.x.example",
        "linux-kernel@vger.kernel.org",
    ],
)
def test_addresses_of_programs(address: str) -> None:
    """Whatever name one shows, it is nobody's key."""
    assert is_shared_mailbox(address)
    assert not is_shared_mailbox("gitta.builder@x.example")


def test_a_tracker_through_a_list_is_a_tracker(tmp_path: Path) -> None:
    """The list's program is its Sender, and wrote nothing."""
    root = write_kb(tmp_path / "kb", {})
    mails = tmp_path / "mails"
    mails.mkdir()
    heads = {
        "X-GitLab-Project": "kb",
        "Sender": "dev-bounces@lists.x.example",
        "List-Id": "<dev.lists.x.example>",
        "List-Post": "<mailto:dev@lists.x.example>",
    }
    for number, name in enumerate(("Jane Doe", "Karl Kurz")):
        mail(mails / f"{number}.eml", number, f'"{name}" <{TRACKER}>', heads)
    done = run_json(root, "ingest", str(mails))
    assert [one["id"] for one in done["entities"]] == ["dana"]


@pytest.mark.parametrize("name", ["Dana Dalla Via (Northpeak)", "Luca Via Verdi", "Sri Par Wati"])
def test_names_that_look_like_a_service_are_names(tmp_path: Path, name: str) -> None:
    """What stands between two is written small."""
    root = write_kb(tmp_path / "kb", {})
    path = tmp_path / "1.eml"
    mail(path, 1, f'"{name}" <someone@x.example>', {})
    assert len(run_json(root, "ingest", str(path))["entities"]) == 2
