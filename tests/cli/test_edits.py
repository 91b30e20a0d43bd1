"""What all commands that edit have in common, whatever they do: each is tried."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from kb.cli.program import COMMANDS, program
from kb.errors import ExitCode
from tests.cli.test_refusals import ended
from tests.conftest import REPOSITORY, entity, git, make_repository, observation, write_kb
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


@pytest.mark.parametrize(
    "more",
    [("--commit",), ("--no-commit",), ("--json",), ("--if-revision", "0" * 16)],
)
def test_a_key_is_of_what_is_written(
    root: Path,
    more: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """How a repeated call is to be answered, or kept, makes it no other request; what it is to say does."""
    call = ("fact", *EDITS["fact"], "--idempotency-key", "k")
    assert ended(root, call, monkeypatch, capsys)[0] == ExitCode.ANSWERED
    before = tree(root)
    status, out, _ = ended(root, (*call, *more), monkeypatch, capsys)
    assert status == ExitCode.ANSWERED
    assert "done before" in out or json.loads(out)["repeated"]
    assert tree(root) == before
    status, _, err = ended(root, (*call, "--by", "bob", *more), monkeypatch, capsys)
    assert status == ExitCode.REFUSED
    assert "was used for another request" in err


@pytest.mark.parametrize("name", ["fact", "ingest"])
def test_a_refusing_hooks_words_are_shown(
    root: Path,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All that the hook said, line by line and indented, as text and in JSON; nothing of it steers the terminal."""
    hook = root / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        "#!/bin/sh\nprintf 'Looking.\\n\\nIt has no \\033[1mticket\\033[0m.\\n'\nexit 1\n"
    )
    hook.chmod(0o755)
    status, out, err = ended(root, (name, *EDITS[name], "--commit", "--json"), monkeypatch, capsys)
    assert status == ExitCode.REFUSED
    assert err.splitlines()[:3] == [
        "kb: written, but not committed: the commit-msg hook refused it:",
        "    Looking.",
        "    It has no \\x1b[1mticket\\x1b[0m.",
    ]
    message = json.loads(out)["error"]["message"]
    assert message.endswith("refused it:\n    Looking.\n    It has no \x1b[1mticket\x1b[0m.")


@pytest.mark.parametrize("hook", ["pre-commit", "post-commit"])
def test_a_hook_may_read_and_is_refused_to_write(root: Path, hook: str) -> None:
    """It is called under the lock of the edit that it is a hook of: it is told so at once, and answers are as ever."""
    (root / ".git/hooks").mkdir(exist_ok=True)
    path = root / ".git/hooks" / hook
    kb = f"PYTHONPATH={REPOSITORY} {sys.executable} -m kb"
    path.write_text(
        f"#!/bin/sh\n{kb} facts ada --json > ../read || exit 9\n{kb} search said > ../found || exit 9\n"
        f"{kb} observe No. 2> ../refused\necho $? >> ../refused\n"
    )
    path.chmod(0o755)
    call = [sys.executable, "-m", "kb", "fact", *EDITS["fact"], "--commit"]
    began = time.monotonic()
    done = subprocess.run(
        call,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < 9
    refused = (root.parent / "refused").read_text()
    assert "it is that one's git hook that calls" in refused
    assert refused.endswith("\n1\n")
    assert json.loads((root.parent / "read").read_text())["total"] == 3
    assert "hit" in (root.parent / "found").read_text()
    assert git(root, "status", "--porcelain") == ""
