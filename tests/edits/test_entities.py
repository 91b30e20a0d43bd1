"""new, set, rename, move and remove: what each writes, and what it refuses."""

import os
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner

from kb.checks import check_knowledge_base
from kb.cli.program import program
from kb.edits.apply import WriteOptions, apply_edit
from kb.edits.edit import Edit
from kb.edits.move_entity import plan_move
from kb.edits.new_entity import plan_new
from kb.edits.observe import plan_observe
from kb.edits.remove_file import plan_remove
from kb.edits.set_fields import How, plan_rename, plan_set
from kb.edits.undo import undo_last
from kb.edits.workspace import Refused, Taken, Workspace
from kb.edits.write_files import write_files
from kb.errors import ConcurrentModification, ExitCode, KbError, UsageError
from kb.knowledge_base import open_knowledge_base
from kb.queries.resolve import find_candidates
from kb.store.writes import WriteRefused
from tests.conftest import NOW, SHARED, entity, observation, write_kb
from tests.edits.editing import do, tree, workspace

ADA, BOB = "entities/person/ada.md", "entities/person/bob.md"
SEEN = "observations/2026/01/2026-01-01-seen.md"
FILES = {
    ADA: entity("ada", "Text with [Bob](bob.md).", name="Ada", keys="[email:ada@x.example]"),
    BOB: entity("bob", name="Bob"),
    SEEN: observation("2026-01-01-seen"),
}


def small(root: Path) -> Path:
    """Write two people and an observation."""
    return write_kb(root, FILES)


def errors(root: Path) -> list[str]:
    """List what ``kb check`` finds, missing seals and citations apart."""
    found = check_knowledge_base(open_knowledge_base(str(root), NOW))
    return [finding.code for finding in found if finding.code not in ("KB402", "KB405")]


# -- new ---------------------------------------------------------------------------------------------------------


def test_new_writes_a_file_that_reads_back(tmp_path: Path) -> None:
    """Type, name, aliases, keys and free text; the file lies where its type's do."""
    root = small(tmp_path)
    done = do(
        root,
        plan_new,
        "Organisation",
        "  Lock: gate\tAG ",
        aliases=("Lockgate", "NO", "Lock: gate AG"),
        keys=("lockgate.example", "crm:0042"),
        description="Makes locks.",
    )
    (path,) = done.edit.paths
    assert path == "entities/company/lock-gate-ag.md"
    assert (root / path).read_text() == (
        "---\nid: lock-gate-ag\ntype: company\nname: \"Lock: gate AG\"\n"
        'aliases: [Lockgate, "NO"]\nkeys: [domain:lockgate.example, crm:0042]\n---\n\nMakes locks.\n'
    )  # fmt: skip
    assert errors(root) == []


def test_case_b28_names_of_any_script_get_ids_of_their_own(tmp_path: Path) -> None:
    """case B28: distinct, stable, not empty; the second of a name gets a number and overwrites nothing."""
    root = small(tmp_path)
    names = ("日本語ドキュメント", "인증 아키텍처", "Привет", "🎉", "!!!", "Łukasz Langa")
    made = [do(root, plan_new, "person", name).edit for _ in (1, 2) for name in names]
    paths = [path for edit in made for path in edit.paths]
    assert len(set(paths)) == 12
    assert all((root / path).is_file() for path in paths)
    assert "entities/person/lukasz-langa.md" in paths
    assert "entities/person/lukasz-langa-2.md" in paths
    assert all(not edit.notes for edit in made[:6])
    assert all("nothing is decided" in edit.notes[0] for edit in made[6:])
    assert set(errors(root)) == {"KB308"}  # that two bear one name


@pytest.mark.parametrize(
    ("type", "key", "why"),
    [
        ("person", "email:ADA@x.example", "is a key of Ada"),
        ("person", "ada@x.example", "is a key of Ada"),
        ("person", "email:sales@x.example", "several people read"),
        ("person", "email:no-reply@x.example", "several people read"),
        ("company", "domain:gmail.com", "anybody's mail domain"),
        ("company", "domain:web.de", "anybody's mail domain"),
        ("person", "phone:+4930123456", "phone number is no key"),
        ("person", "tel:123", "phone number is no key"),
        ("person", "domain:x.example", "belongs to company"),
        ("company", "orcid:0000-0001", "belongs to person"),
        ("person", "nothing", "is no key"),
        ("person", "email:", "is no key"),
        ("person", "email:ada", "is no mail address"),
        ("company", "domain:x.example/y", "is no domain"),
        ("person", "", "is no key"),
    ],
)
def test_a_key_that_tells_nobody_apart_is_refused(
    tmp_path: Path, type: str, key: str, why: str
) -> None:
    """Keys of others, shared mailboxes, free mail, phone numbers, kinds that others bear: no file is made."""
    root = small(tmp_path)
    before = tree(root)
    for plan, arguments in (
        (plan_new, (type, "Somebody")),
        (plan_set, ("bob", "keys", (key,), How.ADD)),
    ):
        if plan is plan_set and type != "person":
            continue
        with pytest.raises(KbError, match=why):
            do(root, plan, *arguments, **({"keys": (key,)} if plan is plan_new else {}))
    assert tree(root) == before


def test_a_contact_may_bear_a_shared_mailbox(tmp_path: Path) -> None:
    """What is no person's key may be that of a contact."""
    root = small(tmp_path)
    do(root, plan_new, "contact", "Sales", keys=("email:sales@x.example",))
    assert errors(root) == []


def test_unknown_words_are_noted_and_refused_under_strict(tmp_path: Path) -> None:
    """A type or kind of key that the vocabulary lacks is a note; under ``strict`` it is refused."""
    root = small(tmp_path)
    edit = do(root, plan_new, "persn", "X", keys=("shoe:44",)).edit
    assert any('no type "persn"' in note and "person" in note for note in edit.notes)
    assert any('no kind of key "shoe"' in note for note in edit.notes)
    (root / "kb.yaml").write_text("kb: 1\nstrict: true\n")
    with pytest.raises(Refused, match="no type"):
        do(root, plan_new, "persn", "Y")
    with pytest.raises(Refused, match="no kind of key"):
        do(root, plan_new, "person", "Y", keys=("shoe:45",))


@pytest.mark.parametrize(
    "options",
    [
        {"name": " "},
        {"id": "Ada"},
        {"id": "ada"},
        {"id": "../x"},
        {"description": "## Facts\n\n- a:: b"},
        {"name": "a\udcffb"},
        {"name": "x", "type": " "},
        *(
            {"id": id}
            for id in ("con", "nul", "aux", "prn", "com1", "lpt9", "x.", "2026-01-01-seen")
        ),
        *({"type": type} for type in ("../x", "..", "a/b", "a\\b", "/x", "x\x07", "x\u0085y")),
        *({"name": name} for name in ("../x", "a/../b", "..\\x", "..", "a\x01b", "a\x7fb")),
        {"aliases": ("../x",)},
        {"aliases": ("a\x1bb",)},
    ],
)
def test_new_refuses_what_would_not_read(tmp_path: Path, options: dict[str, str]) -> None:
    """Empty names, bad and taken ids, statements in free text, bytes that are no text: nothing is written."""
    root = small(tmp_path)
    before = tree(root)
    name, type = options.pop("name", "Zed"), options.pop("type", "person")
    with pytest.raises(KbError):
        do(root, plan_new, type, name, **options)
    assert tree(root) == before


@pytest.mark.parametrize("type", ["CON", "x y", "é", "nul.x"])
def test_a_type_is_no_path(tmp_path: Path, type: str) -> None:
    """case B32: whatever a type is called, the file lies under entities/."""
    root = small(tmp_path)
    (path,) = do(root, plan_new, type, "Zed").edit.paths
    assert path.startswith("entities/")
    assert path.count("/") == 2
    assert ".." not in path


def test_a_type_of_kb_yaml_is_one_whatever_it_is_called(tmp_path: Path) -> None:
    """What the vocabulary has is written as it has it."""
    root = write_kb(tmp_path, {}, 'kb: 1\ntypes:\n  "r&d": {}\n')
    (path,) = do(root, plan_new, "R&D", "Zed").edit.paths
    assert "type: r&d" in (root / path).read_text().replace('"', "")
    with pytest.raises(UsageError, match="is no type"):
        do(root, plan_new, "..%2F..%2Fevil", "Zed")


def test_case_b30_a_folder_that_is_there_is_used(tmp_path: Path) -> None:
    """case B30: no folder is made that differs only in case."""
    root = write_kb(tmp_path, {"entities/Person/ada.md": entity("ada")})
    (path,) = do(root, plan_new, "person", "Bob").edit.paths
    assert path == "entities/Person/bob.md"
    assert [one.name for one in (root / "entities").iterdir()] == ["Person"]


# -- set ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "values", "how", "line"),
    [
        ("name", ("Ada L.",), How.SET, "name: Ada L."),
        ("Name", ("NO",), How.SET, 'name: "NO"'),
        ("alias", ("A.",), How.SET, "aliases: [A.]"),
        ("aliases", ("A.", "B."), How.SET, "aliases: [A., B.]"),
        ("key", ("github:ada",), How.SET, "keys: [email:ada@x.example, github:ada]"),
        ("keys", ("github:ada",), How.SET, "keys: [github:ada]"),
        ("keys", ("EMAIL:ADA@x.example", "github:ada"), How.ADD, "keys: [email:ada@x.example, github:ada]"),
        ("shoe-size", ("0042",), How.SET, 'shoe-size: "0042"'),
        ("tags", ("a", "b"), How.SET, "tags: [a, b]"),
        ("tags", ("a",), How.ADD, "tags: [a]"),
        ("born", ("1815-12-10",), How.SET, "born: 1815-12-10"),
        ("type", ("organization",), How.SET, "type: company"),
    ],
)  # fmt: skip
def test_set_writes_one_line(
    tmp_path: Path, field: str, values: tuple[str, ...], how: How, line: str
) -> None:
    """Reserved fields in any spelling, lists as lists, one's own as text; nothing else changes."""
    root = small(tmp_path)
    before = tree(root)
    do(root, plan_set, "ada", field, values, how)
    after = tree(root)
    old, new = before[ADA].decode().splitlines(), after[ADA].decode().splitlines()
    assert line in new
    assert len([one for one in new if one not in old]) == 1
    assert {**after, ADA: b""} == {**before, ADA: b""}
    undo_last(str(root))
    assert tree(root) == before


def test_set_removes_and_unsets(tmp_path: Path) -> None:
    """Keys are compared as keys, aliases as names; what is not there is nothing to do."""
    root = small(tmp_path)
    do(root, plan_set, "ada", "aliases", ("A.", "Countess"), How.ADD)
    assert not do(root, plan_set, "ada", "alias", ("a.",), How.ADD).edit.changes
    do(root, plan_set, "ada", "alias", ("COUNTESS",), How.REMOVE)
    assert "aliases: [A.]\n" in (root / ADA).read_text()
    do(root, plan_set, "ada", "keys", ("ADA@x.example",), How.REMOVE)
    assert "keys" not in (root / ADA).read_text()
    do(root, plan_set, "ada", "aliases", (), How.UNSET)
    assert not do(root, plan_set, "ada", "aliases", (), How.UNSET).edit.changes
    assert "aliases" not in (root / ADA).read_text()


@pytest.mark.parametrize(
    ("field", "hint"),
    [("id", "kb rename"), ("ID", "kb rename"), ("merged_into", "kb merge"), ("merged-into", "kb merge"), ("distinct from", "kb distinct")],
)  # fmt: skip
def test_set_names_the_command_for_judgements(tmp_path: Path, field: str, hint: str) -> None:
    """Ids and judgements are not set."""
    with pytest.raises(UsageError) as refused:
        do(small(tmp_path), plan_set, "ada", field, ("bob",))
    assert hint in refused.value.hint


@pytest.mark.parametrize(
    ("field", "values", "how"),
    [
        ("name", ("a", "b"), How.SET),
        ("name", ("a",), How.ADD),
        ("name", ("",), How.SET),
        ("name", (), How.SET),
        ("tags", (), How.ADD),
        ("tags", ("x",), How.UNSET),
        ("", ("x",), How.SET),
        ("a\nb", ("x",), How.SET),
        ("<<", ("x",), How.SET),
        ("nested", ("x",), How.SET),
    ],
)
def test_set_refuses_what_makes_no_sense(
    tmp_path: Path, field: str, values: tuple[str, ...], how: How
) -> None:
    """Two names, no value, no field, a field that holds fields."""
    root = write_kb(tmp_path, {ADA: "---\nid: ada\nnested:\n  a: b\n---\n"})
    before = tree(root)
    try:
        do(root, plan_set, "ada", field, values, how)
    except KbError:
        assert tree(root) == before
    else:  # "<<" in quotes is a field like any other
        assert field == "<<"
        assert '"<<": x' in (root / ADA).read_text()


def test_setting_a_merged_one_sets_the_survivor(tmp_path: Path) -> None:
    """New writes go to the survivor, and say so; its type cannot part what is merged."""
    root = write_kb(tmp_path, {**FILES, BOB: entity("bob", merged_into="ada")})
    done = do(root, plan_set, "bob", "note", ("x",))
    assert done.edit.paths == (ADA,)
    assert done.edit.notes == ("bob was merged into ada, which is meant",)
    with pytest.raises(Refused, match="are merged"):
        do(root, plan_set, "ada", "type", ("company",))


# -- rename ------------------------------------------------------------------------------------------------------


def test_rename_keeps_the_old_name(tmp_path: Path) -> None:
    """The old name becomes an alias, so that links by it still lead there; back again, and it is none."""
    root = small(tmp_path)
    before = tree(root)
    do(root, plan_rename, "Ada", "Ada King")
    assert "name: Ada King\n" in (root / ADA).read_text()
    assert "aliases: [Ada]\n" in (root / ADA).read_text()
    assert not do(root, plan_rename, "ada", "Ada King").edit.changes
    do(root, plan_rename, "ada", "Ada")
    assert "aliases: [Ada King]\n" in (root / ADA).read_text()
    do(root, plan_rename, "ada", "Countess", forget=True)
    assert "aliases: [Ada King]\n" in (root / ADA).read_text()
    for _ in range(3):
        undo_last(str(root))
    assert tree(root) == before


def test_forgetting_a_name_names_the_links_that_break(tmp_path: Path) -> None:
    """A wiki link by a name that goes leads nowhere, which is said."""
    root = write_kb(tmp_path, {**FILES, BOB: entity("bob", "See [[Ada]].")})
    done = do(root, plan_rename, "ada", "Countess", forget=True)
    assert any("[[Ada]]" in note and "bob" in note for note in done.edit.notes)


def test_rename_of_a_file_without_a_name(tmp_path: Path) -> None:
    """The id stood in for the name, and becomes no alias."""
    root = write_kb(tmp_path, {ADA: entity("ada")})
    do(root, plan_rename, "ada", "Ada")
    assert (root / ADA).read_text() == entity("ada", name="Ada")


# -- move --------------------------------------------------------------------------------------------------------

LINKING = {
    ADA: entity(
        "ada",
        "Free [Bob](<bob.md> \"b\"), [site](https://x.example/a.md), [file](../../notes.txt), [none](no.md), [[bob]].",
        "",
        "## Relations",
        "",
        "- mentors:: [Bob](bob.md#top) — with [Eve](../person/eve.md) [^2026-01-01-seen] ^aa",
        "- meets-with:: [Eve](eve.md) — \"She met [Bob](bob.md).\" [^2026-01-01-seen] ^bb",
        "",
        "[^2026-01-01-seen]: [Seen](../../observations/2026/01/2026-01-01-seen.md)",
        name="Ada",
    ),
    BOB: entity("bob", "[me](bob.md)", "", "## Relations", "", "- meets-with:: [Ada](./ada.md) ^cc", name="Bob"),
    "entities/person/eve.md": entity("eve", name="Eve"),
    SEEN: observation("2026-01-01-seen", "She met [Bob](bob.md), that is [him](../../../entities/person/ada.md).\n"),
    "notes.txt": "x",
}  # fmt: skip


def test_links_follow_a_move(tmp_path: Path) -> None:
    """Those in the file, from its new place; those to it, from theirs. Quotes and observations stay, and say so."""
    root = write_kb(tmp_path, LINKING)
    before = tree(root)
    done = do(root, plan_move, "ada", to="entities/person/a/")
    after = tree(root)
    assert ADA not in after
    moved = after["entities/person/a/ada.md"].decode()
    assert (
        '[Bob](<../bob.md> "b"), [site](https://x.example/a.md), [file](../../../notes.txt)'
        in moved
    )
    assert "[none](../no.md), [[bob]]." in moved
    assert "- mentors:: [Bob](../bob.md#top) — with [Eve](../eve.md) [^2026" in moved
    assert '- meets-with:: [Eve](../eve.md) — "She met [Bob](bob.md)."' in moved
    assert "[Seen](../../../observations/2026/01/2026-01-01-seen.md)" in moved
    assert "- meets-with:: [Ada](a/ada.md) ^cc" in after[BOB].decode()
    assert after[SEEN] == before[SEEN]
    assert any(SEEN in note for note in done.edit.notes)
    assert done.edit.entity_path == "entities/person/a/ada.md"
    undo_last(str(root))
    assert tree(root) == before


def test_a_move_to_a_type_sets_it(tmp_path: Path) -> None:
    """Field and folder; what is checked stays clean; where the file lies there already only the field changes."""
    root = write_kb(tmp_path, {**FILES, "entities/contact/eve.md": entity("eve", type="person")})
    do(root, plan_move, "ada", type="contact")
    text = (root / "entities/contact/ada.md").read_text()
    assert "type: contact\n" in text
    assert "[Bob](../person/bob.md)" in text
    assert do(root, plan_move, "eve", type="contact").edit.paths == ("entities/contact/eve.md",)
    assert not do(root, plan_move, "eve", type="contact").edit.changes
    assert errors(root) == []


@pytest.mark.parametrize(
    "to",
    ["../x", "entities/../x", "observations/x", "entities/.x", "/tmp", "entities/person/eve.md", "entities/CON", "entities/a\\b", "entities/a:b", "", "entities//x", BOB],
)  # fmt: skip
def test_a_move_leads_nowhere_else(tmp_path: Path, to: str) -> None:
    """case B32: nothing leaves entities/, takes a hidden or unportable name, or another one's place."""
    root = small(tmp_path)
    before = tree(root)
    with pytest.raises(UsageError):
        do(root, plan_move, "ada", to=to)
    assert tree(root) == before
    assert not (tmp_path.parent / "x").exists()


def test_a_move_meets_a_file_in_its_place(tmp_path: Path) -> None:
    """What lies there already is not overwritten, be it read or not."""
    root = write_kb(tmp_path, {**FILES, "entities/person/a/ada.md/x.txt": "x"})
    before = tree(root)
    with pytest.raises(Refused):
        do(root, plan_move, "ada", to="entities/person/a")
    assert tree(root) == before


def test_a_move_asks_for_the_revision_of_the_old_place(tmp_path: Path) -> None:
    """``if_revision`` is that of the file that is moved."""
    root = small(tmp_path)
    revision = do(root, plan_set, "ada", "note", ("x",)).revision

    def move(revision: str) -> None:
        options = WriteOptions(if_revision=revision)
        apply_edit(str(root), NOW, lambda w: plan_move(w, "ada", type="contact"), options)

    with pytest.raises(ConcurrentModification):
        move("0" * 16)
    move(revision)
    assert (root / "entities/contact/ada.md").is_file()


# -- remove ------------------------------------------------------------------------------------------------------


def test_what_nothing_refers_to_is_removed(tmp_path: Path) -> None:
    """An entity without statements, an observation that nobody cites."""
    root = small(tmp_path)
    before = tree(root)
    do(root, plan_remove, "ada")
    do(root, plan_remove, "2026-01-01-seen")
    assert sorted(tree(root)) == sorted({"kb.yaml", BOB})
    undo_last(str(root))
    undo_last(str(root))
    assert tree(root) == before


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({BOB: entity("bob", "## Facts", "", "- title:: X ^aa")}, r"1 statements of its own: \^aa"),
        ({"entities/person/eve.md": entity("eve", "## Relations", "", "- mentors:: [[bob]]")}, "1 statements of others: eve"),
        ({"entities/person/eve.md": entity("eve", "## Relations", "", "- mentors:: [[Bob]]")}, "1 statements of others: eve"),
        ({"entities/person/eve.md": entity("eve", "## Facts", "", "- title:: X (by bob) ^aa")}, "1 statements said by it"),
        ({"entities/person/eve.md": entity("eve", "See [B](bob.md).")}, "texts that link to it"),
        ({"entities/person/eve.md": entity("eve", merged_into="bob")}, "1 redirects to it: eve"),
        ({"entities/person/eve.md": entity("eve", distinct_from="[bob]")}, "1 judgements that it is another"),
        ({BOB: entity("bob", "## Facts", "", "- title:: X ^new"), "entities/person/eve.md": entity("eve", "## Facts", "", "- title:: Y (superseded by ^new) ^old")}, "1 statements of others that its own supersede: eve/\\^old"),
        ({BOB: entity("bob", "## Facts", "", "- title:: X ^new"), SEEN: observation("2026-01-01-seen", kind="decision", about="[bob/^new]")}, "1 observations that name it"),
        ({SEEN: observation("2026-01-01-seen", said_by="bob")}, "1 observations that name it"),
        ({SEEN: observation("2026-01-01-seen", "[B](../../../entities/person/bob.md)\n")}, "that link to it"),
    ],
)  # fmt: skip
def test_what_is_in_use_is_not_removed(tmp_path: Path, more: dict[str, str], what: str) -> None:
    """Each kind of use is named; with ``force`` it goes all the same, and what dangles is said."""
    files = {BOB: entity("bob", name="Bob"), **more}
    root = write_kb(tmp_path, files)
    before = tree(root)
    with pytest.raises(Refused, match=what):
        do(root, plan_remove, "bob")
    assert tree(root) == before
    done = do(root, plan_remove, "bob", force=True)
    assert any(note.startswith("dangling or gone: ") for note in done.edit.notes)
    assert not (root / BOB).exists()


def test_an_observation_in_use_is_not_removed(tmp_path: Path) -> None:
    """Cited, repeated, judged or linked: each is named."""
    root = write_kb(
        tmp_path,
        {
            ADA: entity("ada", "## Facts", "", "- title:: X [^2026-01-01-seen] ^aa"),
            BOB: entity("bob", "[s](../../observations/2026/01/2026-01-01-seen.md)"),
            SEEN: observation("2026-01-01-seen"),
            SEEN.replace("seen", "again"): observation("2026-01-01-again", derived_from="[2026-01-01-seen]"),
        },
    )  # fmt: skip
    with pytest.raises(Refused) as refused:
        do(root, plan_remove, "2026-01-01-seen")
    assert "1 statements that cite it: ada/^aa" in refused.value.message
    assert "1 observations that name it: 2026-01-01-again" in refused.value.message
    assert "1 texts that link to it: bob" in refused.value.message
    do(root, plan_remove, "2026-01-01-seen", force=True)
    assert not (root / SEEN).exists()


def test_cases_are_those_of_the_field() -> None:
    """The cases that these tests speak of are there, where the shared folder is."""
    if SHARED.is_dir():
        text = (SHARED / "cases" / "CASES.md").read_text("utf-8")
        assert all(f"## {case}\n" in text for case in ("B06", "B08", "B10", "B28", "B30", "B32"))


# -- keys as people write them -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "type, written, read",
    [
        ("person", "email:<a@b.example>", "email:a@b.example"),
        ("person", "<a@b.example>", "email:a@b.example"),
        ("person", "mailto:a@b.example", "email:a@b.example"),
        ("person", "MAILTO:<a@b.example>", "email:a@b.example"),
        ("person", "email:mailto:a@b.example?subject=x", "email:a@b.example"),
        ("person", "github:https://github.com/Dreyes", "github:Dreyes"),
        ("person", "github:www.github.com/dreyes/", "github:dreyes"),
        ("person", "gitlab:gitlab.com/dreyes", "gitlab:dreyes"),
        ("person", "orcid:https://orcid.org/0000-0002-1694-233X", "orcid:0000-0002-1694-233X"),
        ("person", "orcid:0000000218250097", "orcid:0000-0002-1825-0097"),
        ("person", "HTTPS://x.example/y", "url:HTTPS://x.example/y"),
    ],
)
def test_a_key_in_another_form_is_written_in_its_own(
    tmp_path: Path, type: str, written: str, read: str
) -> None:
    """What surrounds a key elsewhere goes, with a note, by new and by set; whoever bears it is known by either form."""
    root = small(tmp_path)
    new = do(root, plan_new, type, "Zed", keys=(written,))
    assert f"keys: [{read}]" in (root / new.edit.paths[0]).read_text()
    said = f"{written} is read as {read}"
    assert (said in new.edit.notes) == (not written.startswith("HTTPS"))
    with pytest.raises(KbError, match="is a key of Zed"):
        do(root, plan_set, "bob", "key", (written,))
    with pytest.raises(KbError, match="is a key of Zed"):
        do(root, plan_new, type, "Other", keys=(read,))
    assert errors(root) == []
    do(root, plan_set, "zed", "key", (written,), How.REMOVE)
    assert (root / new.edit.paths[0]).read_text() == f"---\nid: zed\ntype: {type}\nname: Zed\n---\n"
    assert errors(root) == []


@pytest.mark.parametrize(
    "key, why",
    [
        ("email:a\u200bb@x.example", "ZERO WIDTH SPACE"),
        ("email:\u202ea@x.example", "RIGHT-TO-LEFT OVERRIDE"),
        ("email:a\u00ad@x.example", "SOFT HYPHEN"),
        ("\ufeffemail:a@x.example", "ZERO WIDTH NO-BREAK SPACE"),
        ("github:a\u3164", "HANGUL FILLER"),
        ("crm:C\ufe0f-1", "VARIATION SELECTOR-16"),
        ("orcid:0000-0002-1825-0098", "does not check"),
        ("orcid:0000-0002-1694-2330", "does not check"),
        ("orcid:12", "sixteen digits"),
        ("github:https://github.com/northpeak/gateway", "is a page"),
    ],
)
def test_what_only_looks_like_a_key_is_refused(tmp_path: Path, key: str, why: str) -> None:
    """Characters that nobody sees, by name, and numbers that do not check; by hand, check says the same."""
    root = small(tmp_path)
    for plan, arguments, keys in (
        (plan_new, ("person", "Zed"), {"keys": (key,)}),
        (plan_set, ("bob", "key", (key,)), {}),
    ):
        with pytest.raises(KbError, match=why):
            do(root, plan, *arguments, **keys)
    (root / BOB).write_text(entity("bob", name="Bob", keys=f'["{key.lstrip(chr(0xFEFF))}"]'))
    found = check_knowledge_base(open_knowledge_base(str(root), NOW))
    assert key.startswith("\ufeff") or any(
        one.code == "KB210" and why in one.message for one in found
    )


@pytest.mark.parametrize(
    "key, letter",
    [
        ("email:d\u0430na@x.example", "CYRILLIC SMALL LETTER A"),
        ("email:dana@n\u03bfrthpeak.example", "GREEK SMALL LETTER OMICRON"),
        ("github:dr\u0435yes", "CYRILLIC SMALL LETTER IE"),
        ("email:\u0434\u0430\u043d\u0430@x.example", ""),
        ("email:\u7530\u4e2dtaro@x.example", ""),
        ("email:jos\u00e9@x.example", ""),
    ],
)
def test_a_letter_of_another_script_is_noted(tmp_path: Path, key: str, letter: str) -> None:
    """Two scripts that look alike in one label are kept, with a note, and found by check; a whole label in one is usual."""
    root = small(tmp_path)
    notes = do(root, plan_set, "bob", "key", (key,)).edit.notes
    found = check_knowledge_base(open_knowledge_base(str(root), NOW))
    assert [letter in note for note in notes] == ([True] if letter else [])
    assert [one.code for one in found if letter in one.message and one.code == "KB210"] == (
        ["KB210"] if letter else []
    )


# -- ids of both kinds, and what a type leaves behind ------------------------------------------------------------


def test_an_entity_and_an_observation_never_share_an_id(tmp_path: Path) -> None:
    """One of them would hide the other: each takes another id than one that is made for it, and an id that is given is refused."""
    root = small(tmp_path)
    new = do(root, plan_new, "event", "2026-01-01 Seen")
    assert new.edit.paths == ("entities/event/2026-01-01-seen-2.md",)
    do(root, plan_new, "event", "Party", id="2026-11-29-party")
    seen = do(root, plan_observe, "Party.", happened_at="2026-11-29")
    assert seen.edit.observations == ("2026-11-29-party-2",)


#: What the word "kim" may lead to already, and the entity that it means.
KIMS: dict[str, tuple[dict[str, str], str]] = {
    "an id": ({"entities/person/kim.md": entity("kim", name="K.")}, "kim"),
    "a file's name": ({"entities/person/kim.md": entity("p-1", name="K.")}, ""),
    "an alias": ({"entities/person/p-1.md": entity("p-1", name="K. Ito", aliases="[KIM]")}, "p-1"),
    "a name": ({"entities/company/c-1.md": entity("c-1", type="company", name="Kim")}, "c-1"),
    "an id that was merged": ({
        "entities/person/kim.md": entity("kim", name="K.", merged_into="p-1"),
        "entities/person/p-1.md": entity("p-1", name="K. Ito"),
    }, "p-1"),
    "an alias of what was merged": ({
        "entities/person/p-2.md": entity("p-2", name="K.", aliases="[ＫＩＭ]", merged_into="p-1"),
        "entities/person/p-1.md": entity("p-1", name="K. Ito"),
    }, "p-1"),
    "an id that two claim": ({
        "entities/person/a.md": entity("kim", name="K."),
        "entities/person/b.md": entity("kim", name="Kj."),
    }, ""),
    "an id in a file that cannot be read": ({
        "entities/person/p-1.md": entity("kim", name="[K.").replace("id: kim", "id: 'kim'"),
    }, ""),
    "an observation": ({"observations/2026/01/kim.md": observation("kim", happened_at="2026")}, ""),
}  # fmt: skip


def new(root: Path, _: Path) -> None:
    """Make Kim by hand."""
    do(root, plan_new, "person", "Kim")


def ingest(root: Path, source: Path) -> None:
    """Make Kim of a mail."""
    source.write_text("From: Kim <kim@y.example>\nMessage-ID: <1@y.example>\n\nHello.\n")
    run(root, "ingest", str(source))


def bring_in(root: Path, source: Path) -> None:
    """Make Kim of a record."""
    source.write_text('{"kind": "entity", "ref": "person/kim", "type": "person", "name": "Kim"}')
    run(root, "import", "jsonl", str(source))


def run(root: Path, *arguments: str) -> None:
    """Run a command that has nothing to refuse."""
    result = CliRunner().invoke(program, [*arguments, "--root", str(root)], standalone_mode=False)
    assert result.return_value == ExitCode.ANSWERED, result.output


@pytest.mark.parametrize("make", [new, ingest, bring_in])
@pytest.mark.parametrize("files, meant", KIMS.values(), ids=KIMS)
def test_an_id_that_is_made_leads_nowhere_else(
    tmp_path: Path, files: dict[str, str], meant: str, make: Callable[[Path, Path], None]
) -> None:
    """Whoever makes it: what the word meant it means still, and no alias is an id."""
    root = write_kb(tmp_path / "kb", files)
    before = open_knowledge_base(str(root), NOW).graph
    make(root, tmp_path / "a.eml")
    base = open_knowledge_base(str(root), NOW)
    (made,) = (id for id in base.graph.entities if id not in before.entities)
    assert made in ("kim-2", "kim-person")
    if meant:
        found = find_candidates(base.graph, "kim")
        assert {one.id for one in found if one.tier is found[0].tier} - {made} == {meant}
        assert found[0].tier is find_candidates(before, "kim")[0].tier
    assert not [one for one in check_knowledge_base(base) if one.code == "KB309"]


@pytest.mark.parametrize("kind", ["an alias", "a name", "an alias of what was merged"])
def test_an_id_that_is_given_is_no_other_s_name(tmp_path: Path, kind: str) -> None:
    """What said that name would mean another from then on."""
    files, meant = KIMS[kind]
    with pytest.raises(Taken, match=f"a name of .*{meant}"):
        do(write_kb(tmp_path, files), plan_new, "person", "Somebody", id="kim")


def test_records_take_no_id_that_another_of_them_is_called(tmp_path: Path) -> None:
    """In whatever order they come; what an entity itself is called besides stands in no way."""
    lines = [
        '{"kind": "entity", "ref": "person/kim", "type": "person", "name": "Kim", "aliases": ["kim"]}',
        '{"kind": "entity", "ref": "person/ito", "type": "person", "name": "K. Ito", "aliases": ["Kim", "ito"]}',
        '{"kind": "entity", "ref": "team/ito", "type": "team", "name": "Ito"}',
    ]
    for number, order in enumerate(permutations(lines)):
        root, source = write_kb(tmp_path / str(number), {}), tmp_path / "a.jsonl"
        source.write_text("\n".join(order))
        run(root, "import", "jsonl", str(source))
        graph = open_knowledge_base(str(root), NOW).graph
        assert sorted(graph.entities) == ["ito", "ito-team", "kim-person"]


#: What may stand where a file is to be.
OBSTACLES: dict[str, Callable[[Path], object]] = {
    "a file": lambda place: place.write_text("x"),
    "a folder": Path.mkdir,
    "a link to nowhere": lambda place: place.symlink_to("/nowhere"),
    "a link to a file": lambda place: place.symlink_to("/etc/hosts"),
    "a link to itself": lambda place: place.symlink_to(place),
    "a pipe": os.mkfifo,
}


@pytest.mark.parametrize("obstacle", OBSTACLES)
@pytest.mark.parametrize(
    "path", ["entities/person/kim.md", "observations/2026/01/2026-01-02-hi.md"]
)
def test_an_obstacle_is_named_or_gone_round(tmp_path: Path, path: str, obstacle: str) -> None:
    """What lies in a new file's place before an edit is planned gives it another place; what comes there after is told and kept."""
    for number, is_before in enumerate((True, False)):
        root = write_kb(tmp_path / str(number), {BOB: FILES[BOB]})
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if is_before:
            OBSTACLES[obstacle](root / path)
        kim = plan_new(workspace(root), "person", "Kim")
        hi = plan_observe(workspace(root), "Hello.", title="Hi", happened_at="2026-01-02")
        edit = kim if path.startswith("entities") else hi
        if is_before:
            write_files(str(root), edit.changes)
            assert [change.path for change in edit.changes] == [path.replace(".md", "-2.md")]
            continue

        def plan(_: Workspace, edit: Edit = edit, place: Path = root / path) -> Edit:
            if not os.path.lexists(place):
                OBSTACLES[obstacle](place)
            return edit

        fault = ConcurrentModification if obstacle == "a file" else WriteRefused
        with pytest.raises(fault, match=path):
            do(root, plan)
        assert os.path.lexists(root / path)


def test_a_link_above_a_file_is_named(tmp_path: Path) -> None:
    """Nothing behind it is compared with what was planned: it is refused before anything is written."""
    root = write_kb(tmp_path / "kb", {BOB: FILES[BOB]})
    edit = plan_new(workspace(root), "company", "Kim")
    (tmp_path / "kim.md").write_text("x")
    (root / "entities/company").symlink_to(tmp_path)
    with pytest.raises(WriteRefused, match="entities/company is a symbolic link"):
        write_files(str(root), edit.changes)


@pytest.mark.parametrize("strict", [False, True])
def test_a_type_that_statements_do_not_admit_is_said(tmp_path: Path, strict: bool) -> None:
    """Whatever stands at either end, and keys that the new type does not bear; ``strict`` refuses it. What is retired does not count."""
    lines = (
        "- mentors:: [Bob](bob.md) ^aa",
        "- part-of:: [Bob](bob.md) ^bb",
        "- reports-to:: [Bob](bob.md) (retracted) ^cc",
    )
    files = {
        ADA: entity("ada", "## Relations", "", *lines, name="Ada", keys="[orcid:0000-0002-1825-0097, github:ada]"),
        BOB: entity("bob", name="Bob"),
    }  # fmt: skip
    root = write_kb(tmp_path, files, f"kb: 1\nstrict: {str(strict).lower()}\n")
    for id, more in (("ada", ["orcid:0000-0002-1825-0097"]), ("bob", [])):
        for plan in (
            lambda workspace, id=id: plan_set(workspace, id, "type", ("place",)),
            lambda workspace, id=id: plan_move(workspace, id, type="place"),
        ):
            if strict:
                with pytest.raises(Refused, match=f"{id} can be no place: .*ada/\\^aa"):
                    plan(workspace(root))
                continue
            said = [
                note
                for note in plan(workspace(root)).notes
                if "no place" in note or "not to a place" in note
            ]
            assert "ada/^aa" in said[0]
            assert not any("^bb" in note or "^cc" in note for note in said)
            assert [note.split(": ")[0] for note in said[1:]] == more
