"""Mailing lists: their addresses are nobody's, and an author whom a list took out of From is only put back where it is certain."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kb.cli.program import program
from kb.graph.contact_rules import is_shared_mailbox
from kb.ingest.mails import read_mail
from kb.ingest.records import Nature, Part, SourceRecord
from kb.knowledge_base import open_for_reading
from tests.conftest import NOW, entity, write_kb

LIST = "dev@x.example"
VIA = f"From: Ann Bell via Dev <{LIST}>"


def record(*lines: str) -> SourceRecord:
    """Read a mail of some header lines."""
    head = "\n".join((*lines, "Message-ID: <1@x>", "Date: Thu, 22 Oct 2026 09:14:00 +0200"))
    return next(read_mail(f"{head}\n\nHello.\n".encode(), "a.eml"))


@pytest.mark.parametrize(
    "named",
    [
        f"List-Post: <mailto:{LIST}>",
        "List-Post: <https://x.example/dev>, <MAILTO:Dev@X.example?subject=x>",
        "List-Id: <dev.x.example>",
        "List-Id: Developers of <x> <Dev.X.example>",
        f"X-BeenThere: {LIST}",
        f"X-Mailing-List: <{LIST}> archive/latest/4711",
        f"Mailing-List: list {LIST}; contact dev+owner@x.example",
        "Precedence: list\nSender: dev-bounces+ann=y.example@x.example",
        f"Precedence: list\nSender: Dev <{LIST}>",
        "Precedence: List\nSender: owner-dev@x.example",
    ],
)
@pytest.mark.parametrize("place", ["To", "Cc", "Bcc"])
def test_a_list_is_a_mailbox_wherever_it_stands(named: str, place: str) -> None:
    """However its headers name it, a list is shared, as From, To or Cc; those beside it are people."""
    mail = record("From: Ann <ann@y.example>", f"{place}: Dev <{LIST}>, bob@x.example", named)
    natures = {one.keys: one.nature for one in mail.participants}
    assert natures[f"email:{LIST}",] is Nature.MAILBOX
    assert natures["email:bob@x.example",] is natures["email:ann@y.example",] is Nature.UNSAID
    assert mail.said_by == "email:ann@y.example"


@pytest.mark.parametrize(
    "lines, author",
    [
        ((VIA, "X-Original-From: Ann Bell <ann@y.example>"), "ann@y.example"),
        ((VIA, "Reply-To: Ann Bell <ann@y.example>"), "ann@y.example"),
        ((VIA, f"Reply-To: Dev <{LIST}>, Ann Bell <ann@y.example>"), "ann@y.example"),
        ((VIA.replace("Ann Bell", "'ann  BELL'"), "Reply-To: Ann Bell <ann@y.example>"), "ann@y.example"),
        ((VIA.replace("Ann Bell", "ann@y.example"), "X-Original-From: ann@y.example"), "ann@y.example"),
        ((f"From: Ann Bell <{LIST}>", "Reply-To: Ann Bell <ann@y.example>"), "ann@y.example"),
        ((VIA.replace(LIST, "ann=y.example@x.example"), "Reply-To: Ann Bell <ann@y.example>"), "ann@y.example"),
        ((VIA, "X-Original-From: Eve <eve@y.example>", "Reply-To: Ann Bell <ann@y.example>"), "ann@y.example"),
        ((VIA, "Reply-To: Ann B. <ann@y.example>"), ""),
        ((VIA, "Reply-To: ann@y.example"), ""),
        ((VIA, "Reply-To: Ann Bell <ann@y.example>, Ann Bell <bell@z.example>"), ""),
        ((VIA, f"Reply-To: Ann Bell <{LIST}>"), ""),
        ((VIA, f"Sender: Ann Bell <{LIST}>"), ""),
        ((VIA,), ""),
        ((f"From: {LIST}", "Reply-To: Ann Bell <ann@y.example>"), ""),
    ],
)  # fmt: skip
def test_the_author_is_put_back_where_it_is_certain(lines: tuple[str, ...], author: str) -> None:
    """One address that is not the list's, under the name that the list shows; else nobody is the author, and that is said."""
    mail = record(*lines, f"To: {LIST}", f"List-Post: <mailto:{LIST}>")
    assert mail.said_by == (f"email:{author}" if author else "")
    authors = [one for one in mail.participants if one.part is Part.AUTHOR]
    assert [one.keys for one in authors] == ([(f"email:{author}",)] if author else [])
    assert bool(author) != any("who wrote is not certain" in one for one in mail.warnings)
    assert all(
        one.nature is Nature.MAILBOX for one in mail.participants if one.part is not Part.AUTHOR
    )


def test_without_a_list_nothing_is_put_back() -> None:
    """A mail that no list's header marks is its sender's, whatever it is called and wherever answers go."""
    mail = record("From: Ann via Phone <ann@x.example>", "Reply-To: Ann <eve@y.example>")
    assert mail.said_by == "email:ann@x.example"
    assert mail.warnings == ()


@pytest.mark.parametrize(
    "address, is_shared",
    [
        ("dev@lists.x.example", True),
        ("dev@list.x.example", True),
        ("dev@listserv.x.example", True),
        ("dev@googlegroups.com", True),
        ("main@team.groups.io", True),
        ("ann@list.ru", False),
        ("ann@lists.example", False),
        ("ann@mylists.x.example", False),
    ],
)
def test_hosts_of_lists(address: str, is_shared: bool) -> None:
    """Where only lists are, an address is one, whatever a header says; a domain that somebody registered is none."""
    assert is_shared_mailbox(address) == is_shared


def ingest(root: Path, path: Path) -> Any:
    """Ingest a file."""
    arguments = ["ingest", str(path), "--root", str(root), "--json"]
    return json.loads(CliRunner().invoke(program, arguments, standalone_mode=False).stdout)


def test_the_authors_of_a_list_are_people_and_the_list_is_none(tmp_path: Path) -> None:
    """Each author is somebody, the list nobody; without a header of its own it stays so for the rest of the run."""
    root = write_kb(tmp_path / "kb", {"entities/person/ann.md": entity("ann", name="Ann", keys="[email:ann@y.example]")})  # fmt: skip
    box = tmp_path / "list.mbox"
    mails = []
    for number, (name, address) in enumerate((("Ann", "ann@y.example"), ("Bob", "bob@y.example"))):
        mails.append(
            f"From x Thu Oct 22 09:14:00 2026\nFrom: {name} via Dev <{LIST}>\nReply-To: {name} <{address}>\n"
            f"To: Dev <{LIST}>\nList-Post: <mailto:{LIST}>\nMessage-ID: <{number}@x>\nSubject: s\n\nHello.\n"
        )
    mails.append(
        f"From x Thu Oct 22 09:14:00 2026\nFrom: Ann <ann@y.example>\nTo: {LIST}\nMessage-ID: <3@x>\n\nHello.\n"
    )
    box.write_text("\n".join(mails))
    done = ingest(root, box)
    assert done["entities"] == [{"id": "bob", "key": "email:bob@y.example"}]
    assert [one["participants"] for one in done["observations"]] == [
        ["ann", f"email:{LIST}"],
        ["bob", f"email:{LIST}"],
        ["ann", f"email:{LIST}"],
    ]
    assert done["questions"] == [f"email:{LIST} is a shared mailbox: it says where, not who"]
    graph = open_for_reading(str(root), NOW).graph
    assert sorted(one.said_by for one in graph.observations.values()) == ["ann", "ann", "bob"]


@pytest.mark.parametrize("type, bearer", [("team", True), ("contact", True), ("person", False)])
def test_a_list_that_is_an_entity(tmp_path: Path, type: str, bearer: bool) -> None:
    """The rule of all shared mailboxes: a team or contact may bear a list's address, and no person."""
    root = write_kb(tmp_path / "kb", {f"entities/{type}/dev.md": entity("dev", type=type, name="Dev", keys=f"[email:{LIST}]")})  # fmt: skip
    mail = tmp_path / "a.eml"
    mail.write_text(
        f"From: Ann <ann@y.example>\nTo: {LIST}\nList-Id: <dev.x.example>\nMessage-ID: <1@x>\n\nHello.\n"
    )
    (kept,) = ingest(root, mail)["observations"]
    assert kept["participants"] == ["ann", "dev" if bearer else f"email:{LIST}"]
