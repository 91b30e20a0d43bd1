"""Sources → observations and entities through the command line: keys decide, names never, nothing twice."""

import json
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from kb.checks import check_knowledge_base
from kb.cli.program import program
from kb.diagnostics import Severity
from kb.errors import ExitCode
from kb.knowledge_base import open_knowledge_base
from tests.conftest import NOW, entity, write_kb

DANA = "entities/person/dana-reyes.md"
PHONES = ("phone", "tel", "telephone", "mobile", "cell", "fax")


def run(root: Path, *arguments: str, input: str | None = None) -> Result:
    """Run a command on a knowledge base."""
    return CliRunner().invoke(
        program,
        [*arguments, "--root", str(root)],
        input=input,
        standalone_mode=False,
        catch_exceptions=False,
    )


def run_json(root: Path, *arguments: str) -> Any:
    """Run a command and read its JSON."""
    return json.loads(run(root, *arguments, "--json").stdout)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A knowledge base in which Dana has an address."""
    dana = entity("dana-reyes", name="Dana Reyes", keys="[email:dana@northpeak.example]")
    return write_kb(tmp_path / "kb", {DANA: dana})


def mail(path: Path, sender: str, to: str, text: str = "Hello.", id: str = "1@x.example") -> Path:
    """Write a mail."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, to, "Proposal"
    message["Message-ID"], message["Date"] = f"<{id}>", "Thu, 22 Oct 2026 09:14:00 +0200"
    message.set_content(text)
    path.write_bytes(message.as_bytes())
    return path


def errors(root: Path) -> list[str]:
    """What check finds of error severity."""
    found = check_knowledge_base(open_knowledge_base(str(root), NOW))
    return [one.code for one in found if one.severity is Severity.ERROR]


def test_a_mail_is_filed_with_its_people_by_key(root: Path, tmp_path: Path) -> None:
    """The sender is who bears the address, a new address makes an entity, a name in the text is left alone."""
    path = mail(
        tmp_path / "a.eml",
        "Dana R. <DANA@northpeak.example>",
        "Jordan Lee <jordan@northpeak.example>",
        "Dana Reyes and Kim met.",
    )
    done = run_json(root, "ingest", str(path))
    (kept,) = done["observations"]
    assert kept["participants"] == ["dana-reyes", "jordan-lee"]
    assert done["entities"] == [{"id": "jordan-lee", "key": "email:jordan@northpeak.example"}]
    base = open_knowledge_base(str(root), NOW)
    seen = base.graph.observations[kept["id"]]
    assert (seen.kind, seen.said_by, seen.source) == ("email", "dana-reyes", "mid:1@x.example")
    assert seen.happened_at is not None
    assert seen.happened_at.text == "2026-10-22T09:14:00+02:00"
    assert seen.is_sealed
    assert sorted(base.graph.entities) == ["dana-reyes", "jordan-lee"]
    assert errors(root) == []


def test_the_same_source_adds_nothing(root: Path, tmp_path: Path) -> None:
    """A second run, another copy and a dry run leave every byte."""
    path = mail(tmp_path / "a.eml", "dana@northpeak.example", "jordan@northpeak.example")
    run(root, "ingest", str(path))
    before = {one: one.read_bytes() for one in root.rglob("*.md")}
    (tmp_path / "copy.eml").write_bytes(path.read_bytes())
    done = run_json(root, "ingest", str(path), str(tmp_path / "copy.eml"))
    assert (done["observations"], done["repeated"]) == ([], 2)
    other = mail(tmp_path / "b.eml", "dana@northpeak.example", "kim@x.example", id="2@x.example")
    assert len(run_json(root, "ingest", str(other), "--dry-run")["observations"]) == 1
    assert {one: one.read_bytes() for one in root.rglob("*.md")} == before


def test_a_mail_without_words_adds_nothing_twice(root: Path, tmp_path: Path) -> None:
    """What has no text is kept by its title, and is the same source when it comes again."""
    mail(tmp_path / "a.eml", "Ann <ann@x.example>", "bob@y.example", text="")
    assert len(run_json(root, "ingest", str(tmp_path / "a.eml"))["observations"]) == 1
    assert run_json(root, "ingest", str(tmp_path / "a.eml"))["observations"] == []


def test_shared_mailboxes_are_nobody(root: Path, tmp_path: Path) -> None:
    """An office's address makes no person; it stays a key, and a question."""
    path = mail(tmp_path / "a.eml", "dana@northpeak.example", "Sales <sales@fairline.example>")
    done = run_json(root, "ingest", str(path))
    assert done["observations"][0]["participants"] == ["dana-reyes", "email:sales@fairline.example"]
    assert done["entities"] == []
    assert "shared mailbox" in done["questions"][0]


def test_a_key_that_two_claim_is_a_question(root: Path, tmp_path: Path) -> None:
    """Nobody is chosen where two bear the address."""
    other = entity("dana-2", name="Dana", keys="[email:dana@northpeak.example]")
    (root / "entities/person/dana-2.md").write_text(other, encoding="utf-8")
    path = mail(tmp_path / "a.eml", "dana@northpeak.example", "jordan@northpeak.example")
    done = run_json(root, "ingest", str(path))
    assert done["observations"][0]["participants"][0] == "email:dana@northpeak.example"
    assert "borne by dana-2 and dana-reyes" in done["questions"][0]


def test_a_new_key_with_a_known_name_is_somebody_else(root: Path, tmp_path: Path) -> None:
    """Two Danas stay two: the name decides nothing."""
    path = mail(tmp_path / "a.eml", "Dana Reyes <dana@fairline.example>", "dana@northpeak.example")
    done = run_json(root, "ingest", str(path))
    assert [one["id"] for one in done["entities"]] == ["dana-reyes-2"]
    verdict = run_json(root, "resolve", "--name", "Dana Reyes")["results"]
    assert verdict["verdict"] == "question"
    assert {one["entity"]["id"] for one in verdict["candidates"]} == {"dana-reyes", "dana-reyes-2"}


def test_cards_and_calendars(root: Path, tmp_path: Path) -> None:
    """A card's keys are one somebody's; an event's people are its attendees."""
    card = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Kim Ito\r\nEMAIL:kim@x.example\r\nEMAIL:kim@y.example\r\nTEL:+81312345678\r\nEND:VCARD\r\n"
    (tmp_path / "kim.vcf").write_text(card, encoding="utf-8")
    event = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:e1\r\nDTSTART:20261023T120000Z\r\nSUMMARY:Review\r\n"
        "ATTENDEE;CN=Kim:mailto:kim@y.example\r\nORGANIZER:mailto:dana@northpeak.example\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    (tmp_path / "review.ics").write_text(event, encoding="utf-8")
    run_json(root, "ingest", str(tmp_path / "kim.vcf"))
    done = run_json(root, "ingest", str(tmp_path / "review.ics"))
    assert set(done["observations"][0]["participants"]) == {"kim-ito", "dana-reyes"}
    kim = open_knowledge_base(str(root), NOW).graph.entities["kim-ito"]
    assert set(kim.normalized_keys) == {"email:kim@x.example", "email:kim@y.example"}
    assert errors(root) == []


def test_damaged_input_is_kept_raw(root: Path, tmp_path: Path) -> None:
    """What no reader can make sense of is an observation with a warning, and nothing stops the rest."""
    (tmp_path / "bad.eml").write_bytes(b"From: \xff\xfe\x00\nSubject: =?utf-8?b?!!?=\n\n\x00\x01")
    mail(tmp_path / "good.eml", "dana@northpeak.example", "kim@x.example")
    done = run_json(root, "ingest", str(tmp_path / "bad.eml"), str(tmp_path / "good.eml"))
    assert len(done["observations"]) == 2
    assert errors(root) == []


@pytest.mark.parametrize(
    ("arguments", "verdict"),
    [
        (("--key", "email:DANA@northpeak.example"), "existing"),
        (("--key", "email:new@northpeak.example"), "new"),
        (("--name", "Kim Ito"), "new"),
        (("--name", "dana reyes"), "question"),
        (("--name", "Dana Reyes", "--key", "email:other@x.example"), "question"),
        (("--name", "Dana Reyes", "--type", "company"), "new"),
        (("--key", "email:info@fairline.example"), "question"),
        (("--key", "tel:+4930123456", "--name", "Kim"), "new"),
        (("--key", "fax:+4930123456"), "question"),
        (("--key", "domain:gmail.com"), "question"),
        (("--key", "email:dana@northpeak.example", "--key", "email:info@x.example"), "existing"),
    ],
)
def test_resolve(root: Path, arguments: tuple[str, ...], verdict: str) -> None:
    """Keys decide; a shared name, a shared mailbox and a free-mail domain are questions; a phone number is no key."""
    assert run_json(root, "resolve", *arguments)["results"]["verdict"] == verdict


@pytest.mark.parametrize(
    ("key", "bearers", "named"),
    [
        ("email:kim@x.example", ("person",), True),
        ("email:kim@x.example", ("person", "person"), False),
        ("email:info@x.example", (), False),
        ("email:info@x.example", ("contact",), True),
        ("email:info@x.example", ("company",), True),
        ("email:info@x.example", ("",), True),
        ("email:info@x.example", ("person",), False),
        ("email:info@x.example", ("contact", "person"), False),
        ("email:assistant@x.example", ("contact",), True),
        ("domain:x.example", ("company",), True),
        ("domain:gmail.com", ("company",), False),
        *((f"{kind}:+4930123456", ("contact",), False) for kind in PHONES),
        ("TEL:+4930123456", ("person",), False),
    ],
)
def test_one_rule_for_keys(tmp_path: Path, key: str, bearers: tuple[str, ...], named: bool) -> None:
    """A key's one bearer is meant; but a shared mailbox is no person's, a free-mail domain and a phone number nobody's.

    What is ingested and ``kb resolve`` agree, whoever bears it, and the same keys do not fit for ``kb check``.
    """
    files = {
        f"entities/x/e{number}.md": entity(f"e{number}", type=type, keys=f'["{key}"]')
        for number, type in enumerate(bearers)
    }
    root = write_kb(tmp_path / "kb", files)
    found = run_json(root, "resolve", "--key", key)["results"]
    assert (found["verdict"] == "existing") is named
    asked = [one["entity"]["id"] for one in found["candidates"]]
    is_phone = key.partition(":")[0].lower() in PHONES
    assert asked == ([] if named or is_phone else sorted(f"e{n}" for n in range(len(bearers))))
    unfit = [
        one
        for one in check_knowledge_base(open_knowledge_base(str(root), NOW))
        if one.code == "KB210"
    ]
    assert bool(unfit) is (bool(bearers) and not named and bearers != ("person", "person"))
    if key.startswith("email:"):
        path = mail(tmp_path / "a.eml", "Ann <ann@y.example>", f"Somebody <{key[6:]}>")
        (kept,) = run_json(root, "ingest", str(path))["observations"]
        assert kept["participants"][1] == ("e0" if named else key)


def test_a_card_of_somebody_who_is_there(root: Path, tmp_path: Path) -> None:
    """A further address on a card of somebody who is there makes nobody new, and is said."""
    card = "BEGIN:VCARD\r\nFN:Dana Reyes\r\nEMAIL:dr@home.example\r\nEMAIL:dana@northpeak.example\r\nEND:VCARD\r\n"
    (tmp_path / "dana.vcf").write_text(card, encoding="utf-8")
    done = run_json(root, "ingest", str(tmp_path / "dana.vcf"))
    assert (done["observations"][0]["participants"], done["entities"]) == (["dana-reyes"], [])
    (question,) = done["questions"]
    assert "kb set dana-reyes key email:dr@home.example" in question
    run(root, "set", "dana-reyes", "key", "email:dr@home.example")
    assert run_json(root, "resolve", "--key", "dr@home.example")["results"]["verdict"] == "existing"


def test_an_invitation_is_an_event_of_its_own(root: Path, tmp_path: Path) -> None:
    """The event that a mail invites to repeats that mail; its calendar file, and a second mail, are no second event."""
    event = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\nUID:e1\r\nDTSTART:20261023T120000Z\r\n"
        "SUMMARY:Réview\r\nATTENDEE;CN=Kim:mailto:kim@y.example\r\nORGANIZER:mailto:dana@northpeak.example\r\n"
        "END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    for name, method in (("a", "REQUEST"), ("b", "REQUEST"), ("c", "REPLY"), ("d", "CANCEL")):
        message = EmailMessage()
        message["From"], message["To"] = "dana@northpeak.example", "kim@y.example"
        message["Message-ID"], message["Subject"] = f"<{name}@x.example>", f"Invitation {name}"
        message["Date"] = "Thu, 22 Oct 2026 09:14:00 +0200"
        message.set_content("Come.")
        said = event.format(method=method)
        message.add_alternative(said, subtype="calendar", charset="iso-8859-1")
        message.add_attachment(said.encode(), "application", "ics", filename="invite.ics")
        (tmp_path / f"{name}.eml").write_bytes(message.as_bytes())
    (tmp_path / "e.ics").write_text(event.format(method="PUBLISH"), encoding="utf-8")
    first = run_json(root, "ingest", str(tmp_path / "a.eml"))["observations"]
    assert [one["title"] for one in first] == ["Invitation a", "Réview"]
    graph = open_knowledge_base(str(root), NOW).graph
    seen = graph.observations[first[1]["id"]]
    assert (seen.kind, seen.source, seen.derived_from) == ("calendar", "uid:e1", (first[0]["id"],))
    assert seen.said_by == "dana-reyes"
    rest = run_json(root, "ingest", *(str(tmp_path / name) for name in ("b.eml", "c.eml", "e.ics")))
    assert [one["title"] for one in rest["observations"]] == ["Invitation b", "Invitation c"]
    (_, off) = run_json(root, "ingest", str(tmp_path / "d.eml"))["observations"]
    assert off["title"] == "Cancelled: Réview"
    assert errors(root) == []


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.docx", "PK\3\4", "kb observe --file"),
        ("a.jsonl", "{}", "kb import jsonl"),
        ("folder/a.py", "x", "nothing in this folder is read"),
        ("folder/.hidden.md", "x", "nothing in this folder is read"),
    ],
)
def test_what_nothing_reads_is_refused(
    root: Path, tmp_path: Path, name: str, text: str, words: str
) -> None:
    """A file that nothing reads, or a folder in which nothing is read, ends with 1 and says what to do; beside others it does not."""
    export = tmp_path / "export"
    path = export / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    given = path.parent if path.parent != export else path
    result = run(root, "ingest", str(given))
    assert result.return_value == ExitCode.REFUSED
    assert words in result.stdout
    (path.parent / "b.md").write_text("# B\n")
    assert run(root, "ingest", str(path.parent)).return_value in (0, None)


def test_observe_files_a_sealed_text(root: Path, tmp_path: Path) -> None:
    """A text from an argument, a file or standard input becomes an observation with what was given of it."""
    done = run_json(
        root, "observe", "Dana leads.", "--said-by", "Dana Reyes", "--happened-at", "2026-01-15"
    )
    (id,) = done["observations"]
    assert id == "2026-01-15-dana-leads"
    path = tmp_path / "minutes.md"
    path.write_text("# Offsite\n\nAll agreed.\n", encoding="utf-8")
    made = run_json(root, "observe", "--file", str(path), "--kind", "meeting", "--derived-from", id)
    run(root, "observe", "--file", "-", "--title", "Chat", input="Hi.\n")
    graph = open_knowledge_base(str(root), NOW).graph
    first, second = graph.observations[id], graph.observations[made["observations"][0]]
    assert (first.said_by, first.is_sealed) == ("dana-reyes", True)
    assert (second.kind, second.title, second.derived_from) == ("meeting", "Offsite", (id,))
    assert len(graph.observations) == 3
    assert errors(root) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", "--kind", "rumour"), "no kind of observation"),
        (("x", "--happened-at", "some day"), "--happened-at"),
        (("x", "--happened-at", "03/04/2026"), "--happened-at"),
        (("x", "--happened-at", "2026-01/.."), "no single date"),
        (("x", "--derived-from", "nothing"), "no observation"),
        (("--file", "-"), "needs a text"),
        ((), "no text"),
    ],
)
def test_observe_refuses(root: Path, arguments: tuple[str, ...], message: str) -> None:
    """What cannot be filed is refused, and nothing is written."""
    from kb.errors import KbError

    before = sorted(root.rglob("*.md"))
    with pytest.raises(KbError, match=message):
        run(root, "observe", *arguments)
    assert sorted(root.rglob("*.md")) == before


def test_when_it_happened_may_be_said_as_people_do(root: Path) -> None:
    """``yesterday`` is a day, counted from today."""
    (id,) = run_json(root, "observe", "Met.", "--happened-at", "yesterday")["observations"]
    date = open_knowledge_base(str(root), NOW).graph.observations[id].happened_at
    assert date is not None
    assert len(date.text) == len("2026-01-01")


def test_the_same_text_from_the_same_place_is_there_already(root: Path) -> None:
    """A source that is known adds nothing, unless its text is another."""
    first = run_json(root, "observe", "Said.", "--source", "https://x.example/1")
    again = run_json(root, "observe", "Said.", "--source", "https://x.example/1")
    other = run_json(root, "observe", "Changed.", "--source", "https://x.example/1")
    assert (again["observations"], again["changes"]) == (first["observations"], [])
    assert other["observations"] != first["observations"]
    assert "another text" in other["notes"][0]
