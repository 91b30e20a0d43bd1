"""What all commands that edit have in common, whatever they do: each is tried."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kb.cli.program import COMMANDS, program
from kb.errors import ExitCode
from tests.cli.test_refusals import ended
from tests.conftest import entity, git, make_repository, observation, write_kb
from tests.edits.editing import tree

SEEN, HEARD = "2026-01-01-seen", "2026-01-01-heard"
FILES = {
    "entities/person/ada.md": entity(
        "ada", "## Facts", "", f"- role:: Head (auto-low) [^{SEEN}] ^guess", name="Ada"
    ),
    "entities/person/bob.md": entity(
        "bob", "## Relations", "", f"- mentors:: [Ada](ada.md) [^{SEEN}] ^old", name="Bob"
    ),
    "entities/person/cleo.md": entity("cleo", name="Cleo"),
    "entities/person/dee.md": entity("dee", name="Dee", merged_into="cleo"),
    **{f"observations/2026/01/{id}.md": observation(id) for id in (SEEN, HEARD)},
}
MAIL = "From: Eve <eve@north.example>\nMessage-ID: <1@north.example>\nDate: Thu, 1 Jan 2026 10:00:00 +0000\n\nHello.\n"
RECORD = '{"kind": "entity", "ref": "person/fay", "type": "person", "name": "Fay"}\n'
WHY = ("--why", "Seen.")

#: A call of each command that edits, but for the one that takes an edit back.
EDITS: dict[str, tuple[str, ...]] = {
    "new": ("company", "Fairline"),
    "set": ("ada", "alias", "Countess"),
    "rename": ("ada", "Ada Byron"),
    "move": ("ada", "--to", "entities/person/deep"),
    "remove": (HEARD,),
    "relate": ("ada", "-p", "reports-to", "--target", "bob", "--observation", SEEN),
    "fact": ("ada", "title", "Chair", "--observation", SEEN),
    "unrelate": ("bob", "-p", "mentors", "--target", "ada", "--delete"),
    "retire": ("^old", "--retract"),
    "cite": ("^old", HEARD),
    "confirm": ("^guess",),
    "merge": ("ada", "cleo", *WHY),
    "unmerge": ("dee", *WHY),
    "distinct": ("ada", "cleo", *WHY),
    "decide": ("reject", "ada", "cleo", *WHY),
    "observe": ("Said.",),
    "ingest": ("hello.eml",),
    "import jsonl": ("records.jsonl",),
}
DAMAGE = {
    "markers": "kb: 1\n<<<<<<< ours\nname: A\n=======\nname: B\n>>>>>>> theirs\n",
    "no YAML": "kb: 1\n  bad: [\n",
    "a version to come": "kb: 99\n",
}


def options_of_all() -> Iterator[tuple[str, set[str]]]:
    """Yield each command, groups taken apart, with its options."""
    context = click.Context(program)
    for name in COMMANDS:
        command = program.get_command(context, name)
        assert command is not None
        inner = command.commands if isinstance(command, click.Group) else {"": command}
        for part, one in inner.items():
            yield f"{name} {part}".strip(), {text for each in one.params for text in each.opts}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A knowledge base on which each edit has something to do, with the sources of some as the current folder."""
    (tmp_path / "hello.eml").write_text(MAIL)
    (tmp_path / "records.jsonl").write_text(RECORD)
    monkeypatch.chdir(tmp_path)
    return make_repository(write_kb(tmp_path / "kb", FILES))


def test_each_edit_is_tried() -> None:
    """The calls here are those of all commands that have a dry run; undo has one, and changes as it is told by a record."""
    assert {name for name, options in options_of_all() if "--dry-run" in options} == {
        *EDITS,
        "undo",
    }


@pytest.mark.parametrize("name", EDITS)
def test_a_dry_run_says_what_would_be(
    root: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A dry run that ends well changes nothing, and the edit itself ends well too, and changes something."""
    before = tree(root)
    call = (*name.split(), *EDITS[name])
    assert ended(root, (*call, "--dry-run"), monkeypatch, capsys)[0] == ExitCode.ANSWERED
    assert tree(root) == before
    assert ended(root, call, monkeypatch, capsys)[0] == ExitCode.ANSWERED
    assert tree(root) != before


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", EDITS)
def test_nothing_is_planned_under_a_damaged_configuration(
    root: Path,
    name: str,
    damage: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Words and settings that cannot be read would not hold: the edit is refused, and its dry run in the same words."""
    (root / "kb.yaml").write_text(DAMAGE[damage])
    before = tree(root)
    call = (*name.split(), *EDITS[name], "--json")
    status, out, err = ended(root, call, monkeypatch, capsys)
    error = json.loads(out)["error"]
    assert (status, error["code"]) == (ExitCode.REFUSED, "refused")
    assert "kb.yaml" in error["message"]
    assert ended(root, (*call, "--dry-run"), monkeypatch, capsys) == (status, out, err)
    assert tree(root) == before


@pytest.mark.parametrize(
    "name", [name for name, options in options_of_all() if "--commit" in options]
)
def test_an_edit_that_git_does_not_commit_ends_with_a_status(
    root: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What was written is in the answer and stands; the status, and standard error, say that it is in no commit."""
    before, head = tree(root), git(root, "rev-parse", "HEAD")
    (root / ".git/index.lock").touch()
    status, out, err = ended(root, (name, *EDITS[name], "--commit"), monkeypatch, capsys)
    assert status == ExitCode.REFUSED
    assert out
    assert "kb: written, but not committed: " in err
    assert tree(root) != before
    assert git(root, "rev-parse", "HEAD") == head
