"""Mailing lists: their addresses are nobody's, and an author whom a list took out of From is only put back where it is certain."""

import json
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kb.cli.program import program
from kb.graph.contact_rules import LIST_AFFIXES, is_shared_mailbox
from kb.graph.mentions import find_mentions
from kb.ingest.mails import read_mail
from kb.ingest.records import Nature, Part, SourceRecord
from kb.knowledge_base import open_for_reading
from tests.conftest import NOW, entity, write_kb

LIST, HOSTED = "dev@x.example", "dev@lists.x.example"
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
        "List-Id: dev.x.example",
        "List-Id: Developers of <x> <Dev.X.example>",
        f"X-BeenThere: {LIST}",
        f"X-Mailing-List: <{LIST}> archive/latest/4711",
        f"Mailing-List: list {LIST}; contact dev+owner@x.example",
        "Precedence: list\nSender: dev-bounces+ann=y.example@x.example",
        f"Precedence: list\nSender: Dev <{LIST}>",
        "Precedence: List\nSender: owner-dev@x.example",
        "Sender: owner-dev@x.example",
        "Sender: Dev <dev-bounces@x.example>",
        "Return-Path: <dev-bounces+ann=y.example@x.example>",
        "Errors-To: owner-dev@x.example",
        "Precedence: list\nErrors-To: dev-request@x.example",
        "Delivered-To: bob@x.example\nDelivered-To: mailing list dev@x.example",
        "List-Owner: <mailto:dev-owner@x.example>",
        "List-Unsubscribe: <https://x.example/leave>, <mailto:dev-unsubscribe@x.example?subject=x>",
        "List-Help: <mailto:dev-request@x.example?subject=help>",
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
    "name, other, value",
    [
        ("List-Post", "<mailto:all@y.example>", f"<mailto:{LIST}>"),
        ("List-Id", "All <all.y.example>", "Dev <dev.x.example>"),
        ("X-BeenThere", "all@y.example", LIST),
        ("X-Mailing-List", "all@y.example", LIST),
        ("Mailing-List", "list all@y.example", f"list {LIST}"),
        ("Sender", "owner-all@y.example", "owner-dev@x.example"),
        ("Errors-To", "all-bounces@y.example", "dev-bounces@x.example"),
    ],
)
def test_a_mail_may_have_come_through_several_lists(name: str, other: str, value: str) -> None:
    """Each header of a name counts, whichever comes first: a list of lists writes its own beside the one that was there."""
    to = f"To: {LIST}, all@y.example, bob@x.example"
    for values in permutations((other, value, "nonsense <")):
        headers = "\n".join(f"{name}: {one}" for one in values)
        mail = record("From: Ann <ann@y.example>", to, headers)
        shared = {one.keys[0] for one in mail.participants if one.nature is Nature.MAILBOX}
        assert shared >= {f"email:{LIST}", "email:all@y.example"}
        assert not shared & {"email:bob@x.example", "email:ann@y.example"}


@pytest.mark.parametrize(
    "headers",
    [
        "Precedence: bulk\nX-Loop: bob@x.example\nSender: bob@x.example",
        "Precedence: junk\nErrors-To: bob@x.example",
        "Precedence: list\nList-Id: <dev.x.example>\nX-Loop: bob@x.example",
        "Delivered-To: bob@x.example\nX-Original-To: bob@x.example",
        "Return-Path: <bob@x.example>\nSender: Bob <bob@x.example>",
        "Precedence: list\nReturn-Path: <bob@x.example>",
        "Sender: bob-admin@x.example",
        "List-Unsubscribe: <mailto:bob@x.example?subject=unsubscribe>",
    ],
)
def test_what_people_and_their_programs_write_too_makes_no_list(headers: str) -> None:
    """An answer during a holiday, a forwarded mail, a circular: who stands in its headers is somebody."""
    mail = record("From: Ann <ann@y.example>", "To: Bob <bob@x.example>", headers)
    assert Nature.MAILBOX not in {one.nature for one in mail.participants}


GITHUB = """From: Dana Reyes <notifications@github.com>
To: northpeak/api <api@noreply.github.com>
Cc: Mention <mention@noreply.github.com>, Author <author@noreply.github.com>, "Kim" <4711+kim@users.noreply.github.com>
Reply-To: northpeak/api <reply+ABCDEF@reply.github.com>
List-ID: northpeak/api <api.northpeak.github.com>
List-Archive: https://github.com/northpeak/api
List-Post: <mailto:reply+ABCDEF@reply.github.com>
List-Unsubscribe: <mailto:unsub+ABCDEF@reply.github.com>, <https://github.com/notifications/unsubscribe/ABCDEF>
Precedence: list
X-GitHub-Sender: dreyes"""


@pytest.mark.parametrize("head", [GITHUB, GITHUB.split("List-ID")[0].strip()])
def test_a_forge_that_writes_in_somebody_s_name_is_nobody(tmp_path: Path, head: str) -> None:
    """Its addresses are a program's, and neither a person nor whoever bears the display name; a user's own one is that user's."""
    dana = entity("dana-reyes", name="Dana Reyes", keys="[email:dana@northpeak.example]")
    root = write_kb(tmp_path / "kb", {"entities/person/dana-reyes.md": dana})
    mail = tmp_path / "a.eml"
    mail.write_text(f"{head}\nMessage-ID: <1@github.com>\nSubject: Re: x\n\nHello.\n")
    done = ingest(root, mail)
    assert done["entities"] == [{"id": "kim", "key": "email:4711+kim@users.noreply.github.com"}]
    (kept,) = done["observations"]
    assert [one for one in kept["participants"] if ":" not in one] == ["kim"]
    graph = open_for_reading(str(root), NOW).graph
    assert graph.observations[kept["id"]].said_by in (
        "email:notifications@github.com",
        "Dana Reyes",
    )


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
        ((VIA, "Reply-To: Ann Bell <noreply@y.example>"), ""),
        ((VIA, "Reply-To: Ann Bell <reply+abc@reply.github.com>"), ""),
        ((VIA, "X-Original-From: Ann Bell <notifications@github.com>"), ""),
        ((VIA, "Reply-To: Ann Bell <owner-dev@x.example>"), ""),
        ((VIA, "Reply-To: Ann Bell <dev-request@x.example>"), ""),
        ((VIA, "Reply-To: Ann Bell <dev-request@x.example>, Ann Bell <ann@y.example>"), "ann@y.example"),
        ((VIA.replace("Ann Bell", "Sales"), "Reply-To: Sales <sales@y.example>"), "sales@y.example"),
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


#: What a list's program adds to the list's address, and what other programs write from.
PROGRAMS = [
    *(f"dev-{affix}@x.example" for affix in sorted(LIST_AFFIXES)),
    "owner-dev@x.example",
    "dev-bounces+bob=z.example@x.example",
    "dev-confirm+4711@x.example",
    "no-reply@z.example",
    "notifications@z.example",
    "bounces+1-bob=z.example@bounces.z.example",
    "main@z.groups.io",
]


@pytest.mark.parametrize("sender", [*PROGRAMS, "Bob <bob@x.example>", LIST])
@pytest.mark.parametrize(
    "named", [f"List-Post: <mailto:{LIST}>", "List-Id: <dev.x.example>", f"X-BeenThere: {LIST}"]
)
def test_who_only_sent_what_a_list_rewrote_is_not_its_author(sender: str, named: str) -> None:
    """Where it is not certain who wrote, nobody did: neither the list's program nor whoever else is the sender."""
    mail = record(VIA, f"Sender: {sender}", f"To: {LIST}", named)
    assert mail.said_by == ""
    assert not [one for one in mail.participants if one.part is Part.AUTHOR]
    if sender in PROGRAMS[: PROGRAMS.index("no-reply@z.example")]:
        assert {one.nature for one in mail.participants} == {Nature.MAILBOX}


@pytest.mark.parametrize("sender", PROGRAMS)
@pytest.mark.parametrize("author", ["", "From: Ann Bell", "From: Ann Bell <ann@y.example>"])
def test_a_program_that_sent_a_mail_did_not_say_it(
    tmp_path: Path, sender: str, author: str
) -> None:
    """With or without a list: the author said it, by name where there is no address, and else nobody; no program is a person."""
    lines = (*filter(None, (author,)), f"Sender: The Program <{sender}>", "To: bob@x.example")
    said_by = {"": "", "From: Ann Bell": "Ann Bell"}.get(author, "email:ann@y.example")
    assert record(*lines).said_by == said_by
    mail = tmp_path / "a.eml"
    mail.write_text("\n".join((*lines, "Message-ID: <1@x>", "", "Hello.")))
    done = ingest(write_kb(tmp_path / "kb", {}), mail)
    assert {one["id"] for one in done["entities"]} <= {"ann-bell", "bob"}


def test_a_sender_stands_in_for_an_author_without_an_address() -> None:
    """Whoever sent it, where neither a list nor a program did."""
    for head in ("From: Ann Bell", "From: nonsense <", "Subject: x"):
        assert record(head, "Sender: Bob <bob@x.example>").said_by == "email:bob@x.example"


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


def ingest(root: Path, *paths: Path) -> Any:
    """Ingest files."""
    arguments = ["ingest", *map(str, paths), "--root", str(root), "--json"]
    return json.loads(CliRunner().invoke(program, arguments, standalone_mode=False).stdout)


def test_the_authors_of_a_list_are_people_and_the_list_is_none(tmp_path: Path) -> None:
    """Each author is somebody, the list nobody, where the mail's header says so and where a host tells."""
    root = write_kb(tmp_path / "kb", {"entities/person/ann.md": entity("ann", name="Ann", keys="[email:ann@y.example]")})  # fmt: skip
    box = tmp_path / "list.mbox"
    mails = []
    for number, (name, address) in enumerate((("Ann", "ann@y.example"), ("Bob", "bob@y.example"))):
        mails.append(
            f"From x Thu Oct 22 09:14:00 2026\nFrom: {name} via Dev <{LIST}>\nReply-To: {name} <{address}>\n"
            f"To: Dev <{LIST}>\nList-Post: <mailto:{LIST}>\nMessage-ID: <{number}@x>\nSubject: s\n\nHello.\n"
        )
    mails.append(
        f"From x Thu Oct 22 09:14:00 2026\nFrom: Ann <ann@y.example>\nTo: {HOSTED}\nMessage-ID: <3@x>\n\nHello.\n"
    )
    box.write_text("\n".join(mails))
    done = ingest(root, box)
    assert done["entities"] == [{"id": "bob", "key": "email:bob@y.example"}]
    assert [one["participants"] for one in done["observations"]] == [
        ["ann", f"email:{LIST}"],
        ["bob", f"email:{LIST}"],
        ["ann", f"email:{HOSTED}"],
    ]
    assert done["questions"] == [
        f"email:{LIST} is a mailing list's or a program's, as a mail's headers say: it says where, not who",
        f"email:{HOSTED} is a shared mailbox: it says where, not who",
    ]
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


DANA = "dana@northpeak.example"
#: By message id: two that call an address a list's, of which one is Dana's, and two that know nothing of it.
MAILS = {
    "spam": f"From: Eve <eve@z.example>\nTo: {DANA}\nList-Post: <mailto:{DANA}>",
    "plain": f"From: Dana <{DANA}>\nTo: Bob <bob@y.example>",
    "list": f"From: Ann <ann@y.example>\nTo: Dev <{LIST}>, {HOSTED}\nList-Id: <dev.x.example>",
    "bare": f"From: Bob <bob@y.example>\nTo: Dev <{LIST}>, Dana <{DANA}>, {HOSTED}",
}
#: Who is there already, and whom each mail then names: who bears the key, else the key.
KNOWN: dict[str, tuple[dict[str, str], dict[str, list[str]]]] = {
    "nobody": (
        {},
        {
            "spam": ["eve", f"email:{DANA}"],
            "plain": ["dana", "bob"],
            "list": ["ann", f"email:{LIST}", f"email:{HOSTED}"],
            "bare": ["bob", "dev", "dana", f"email:{HOSTED}"],
        },
    ),
    "a person": (
        {"entities/person/dana.md": entity("dana", name="Dana", keys=f"[email:{DANA}]")},
        {
            "spam": ["eve", f"email:{DANA}"],
            "plain": ["dana", "bob"],
            "list": ["ann", f"email:{LIST}", f"email:{HOSTED}"],
            "bare": ["bob", "dev", "dana", f"email:{HOSTED}"],
        },
    ),
    "a team": (
        {"entities/team/devs.md": entity("devs", type="team", name="Devs", keys=f"[email:{LIST}]")},
        {
            "spam": ["eve", f"email:{DANA}"],
            "plain": ["dana", "bob"],
            "list": ["ann", "devs", f"email:{HOSTED}"],
            "bare": ["bob", "devs", "dana", f"email:{HOSTED}"],
        },
    ),
}


def runs_of(order: tuple[str, ...]) -> Iterator[list[tuple[str, ...]]]:
    """Yield the ways to ingest mails: in one run, in one for each, and in two."""
    yield [order]
    if order in (tuple(MAILS), tuple(reversed(MAILS))):
        yield [(id,) for id in order]
        yield [order[:2], order[2:]]


@pytest.mark.parametrize("files, expected", KNOWN.values(), ids=KNOWN)
def test_no_order_of_mails_changes_who_is_meant(
    tmp_path: Path, files: dict[str, str], expected: dict[str, list[str]]
) -> None:
    """What a header says of a list holds for its mail alone: whatever is read before, after or in another run is as without it."""
    for id, head in MAILS.items():
        date = "Date: Thu, 22 Oct 2026 09:14:00 +0200"
        (tmp_path / f"{id}.eml").write_text(f"{head}\nMessage-ID: <{id}@x>\n{date}\n\nHello.\n")
    made = {"ann", "bob", "dana", "dev", "devs", "eve"}
    for number, order in enumerate(permutations(MAILS)):
        for way, runs in enumerate(runs_of(order)):
            root = write_kb(tmp_path / f"kb{number}-{way}", files)
            for run in runs:
                ingest(root, *(tmp_path / f"{id}.eml" for id in run))
            graph = open_for_reading(str(root), NOW).graph
            found = {
                one.source.removeprefix("mid:").removesuffix("@x"): list(one.participants)
                for one in graph.observations.values()
            }
            assert found == expected, runs
            assert {*graph.entities} == {id for ids in found.values() for id in ids if id in made}
            # Whoever bears the key is found with the mail all the same.
            (spam,) = (one.id for one in graph.observations.values() if one.source == "mid:spam@x")
            assert spam in find_mentions(graph, graph.entities["dana"])


def test_an_address_that_is_called_a_list_s_and_is_a_person_s_is_a_question(tmp_path: Path) -> None:
    """Whom it would be is named, whether the graph knows the bearer or this run made it."""
    for id in ("plain", "spam"):
        (tmp_path / f"{id}.eml").write_text(f"{MAILS[id]}\nMessage-ID: <{id}@x>\n\nHello.\n")
    for runs in (["plain", "spam"],), (["plain"], ["spam"]):
        root = write_kb(tmp_path / f"kb{len(runs)}", {})
        *_, done = (ingest(root, *(tmp_path / f"{id}.eml" for id in run)) for run in runs)
        (question,) = done["questions"]
        assert question.startswith(f"email:{DANA} is a mailing list's")
        assert "dana, a person, bears it" in question


def test_what_came_with_a_list_s_mail_knows_the_list_too(tmp_path: Path) -> None:
    """An invitation is an event of its own, and in it the list is no more a person than in its mail."""
    event = f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:e1\nDTSTART:20261023\nSUMMARY:S\nATTENDEE:mailto:{LIST}\nEND:VEVENT\nEND:VCALENDAR\n"
    mail = tmp_path / "a.eml"
    mail.write_text(
        f"{MAILS['list']}\nMessage-ID: <1@x>\nMIME-Version: 1.0\nContent-Type: text/calendar; method=REQUEST\n\n{event}"
    )
    done = ingest(write_kb(tmp_path / "kb", {}), mail)
    assert [one["participants"][-2:] for one in done["observations"]] == [
        [f"email:{LIST}", f"email:{HOSTED}"],
        [f"email:{LIST}"],
    ]
    assert done["entities"] == [{"id": "ann", "key": "email:ann@y.example"}]
