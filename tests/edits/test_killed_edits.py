"""Edits that are killed, or that the disk fails, at every step: each file is wholly old or new, and nothing is left over.

The gate tries some pairs of a command and a system call, each at every occurrence of the call. All of them, which takes
half an hour or so: ``HYPOTHESIS_PROFILE=explore pytest tests/edits/test_killed_edits.py``.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from signal import SIGKILL
from typing import NamedTuple

import pytest

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.edits.apply import WriteOptions, apply_edit
from kb.edits.observe import plan_observe
from kb.knowledge_base import open_for_reading, open_knowledge_base
from kb.store.writes import TEMPORARY_PREFIX
from kb.syntax.observation_file import parse_observation_file
from kb.syntax.source import decode
from tests.conftest import NOW, REPOSITORY, entity, git, observation, write_kb

ADA, BOB = "entities/person/ada.md", "entities/person/bob.md"
SEEN, HEARD = "2026-01-01-seen", "2026-01-01-heard"
MAIL = """\
From: Dee <dee@north.example>
To: Eve <eve@north.example>
Message-ID: <1@north.example>
Date: Thu, 1 Jan 2026 10:00:00 +0000
Subject: Hello

Hello.
"""
RECORDS = """\
{"kind": "entity", "ref": "1", "type": "person", "name": "Fay"}
{"kind": "entity", "ref": "bob", "type": "person", "name": "Bob", "keys": {"email": ["bob@north.example"]}}
{"kind": "observation", "ref": "2", "happened_at": "2026-01-02", "title": "Chat", "text": "Fay leads Bob."}
{"kind": "relation", "subject": "bob", "predicate": "reports-to", "object": "1", "source": "2"}
{"kind": "relation", "subject": "1", "predicate": "advises", "object": "bob", "source": "2"}
{"kind": "relation", "subject": "gus", "predicate": "mentors", "object": "1", "source": "2"}
"""

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


class Command(NamedTuple):
    """A command that writes."""

    arguments: tuple[str, ...]
    first: tuple[str, ...] = ()  #: what is done before
    is_bulk: bool = False  #: it goes on where one file cannot be written, and can be run again
    meantime: frozenset[str] = (
        frozenset()
    )  #: errors that a killed one may leave, for its user to settle


def said(*arguments: str) -> tuple[str, ...]:
    """Arguments of a command that says something."""
    return (*arguments, "--said", "So it is.")


MERGE = ("merge", "ada", "cleo", "--why", "one person")
RELATE = said("relate", "ada", "-p", "reports-to", "--target", "bob")

COMMANDS = {
    "observe": Command(("observe", "Dana said so.", "--title", "Talk")),
    "new": Command(("new", "company", "Fairline")),
    "set": Command(("set", "ada", "alias", "Countess")),
    "rename": Command(("rename", "ada", "Ada Byron")),
    # The file is at its new place before it goes from the old one: for a moment two claim the id, and none is lost.
    "move": Command(("move", "ada", "--to", "entities/person/deep"), meantime=frozenset({"KB306"})),
    "remove": Command(("remove", "cleo")),
    "relate": Command(RELATE),
    "fact": Command(said("fact", "ada", "status", "away")),
    "unrelate": Command(("unrelate", "bob", "-p", "mentors", "--target", "ada", "--delete")),
    "retire": Command(("retire", "^old", "--retract")),
    "cite": Command(("cite", "^old", HEARD)),
    "confirm": Command(("confirm", "^guess")),
    "merge": Command(MERGE),
    "unmerge": Command(("unmerge", "cleo", "--why", "two people"), MERGE),
    "distinct": Command(("distinct", "ada", "cleo", "--why", "two people")),
    "decide": Command(("decide", "reject", "ada", "cleo", "--why", "two people")),
    "undo": Command(("undo",), RELATE),
    "fmt": Command(("fmt",), is_bulk=True),
    "seal": Command(("seal",), is_bulk=True),
    "ingest": Command(("ingest", "in/hello.eml"), is_bulk=True),
    "import": Command(("import", "jsonl", "in/records.jsonl"), is_bulk=True),
}

#: System calls that change something on disk. Of ``openat`` only those that make a file are meant.
CALLS = ("write", "fsync", "rename", "link", "unlink", "mkdir", "openat")
KILL, EIO, FULL = "signal=KILL", "error=EIO", "error=ENOSPC"

#: What the gate tries: an edit of each sort under each call, and each way to fail.
CHOSEN = [
    ("observe", "link", KILL),
    ("observe", "unlink", KILL),
    ("relate", "fsync", KILL),
    ("relate", "rename", KILL),
    ("relate", "write", KILL),
    ("merge", "rename", KILL),
    ("remove", "unlink", KILL),
    ("ingest", "link", KILL),
    ("move", "unlink", EIO),
    ("relate", "fsync", FULL),
    ("relate", "rename", EIO),
    ("relate", "link", FULL),
    ("import", "rename", EIO),
    ("import", "rename", KILL),
    ("import", "write", FULL),
    ("import", "link", EIO),
]
#: What a repeated call answers as the first did.
SAME = ("edit", "subject", "entities", "statements", "observations", "changes", "written")
EVERY = list(product(COMMANDS, CALLS, (KILL, EIO, FULL)))


def make_base(root: Path, command: Command) -> Path:
    """Make a small knowledge base on which all commands have something to do, up to the one that is tried."""
    relations = ("## Relations", "", f"- mentors:: [Ada](ada.md) (2024/..) [^{SEEN}] ^old", "")
    guess = f"- role:: Head (auto-low) [^{SEEN}] ^guess"
    files = {
        ADA: entity("ada", "## Facts", "", f"- title:: Engineer [^{SEEN}]"),
        BOB: entity("bob", *relations, "## Facts", "", guess, keys="[email:bob@north.example]"),
        "entities/person/cleo.md": entity("cleo"),
        "entities/person/gus.md": entity("gus", import_ref="gus"),
        **{f"observations/2026/01/{id}.md": observation(id) for id in (SEEN, HEARD)},
        "in/hello.eml": MAIL,
        "in/records.jsonl": RECORDS,
    }
    write_kb(root, files)
    git(root, "init", "--quiet")
    if command.first:
        assert run(root, command.first).returncode == 0
    open_for_reading(str(root), NOW)
    return root


def run(
    root: Path, arguments: tuple[str, ...], trace: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, perhaps under strace."""
    # Not with --seccomp-bpf, which is faster: strace 6.1 then sends no signal, and says nothing of it.
    traced = ("strace", "-qq", *trace) if trace else ()
    return subprocess.run(
        [*traced, sys.executable, "-m", "kb", *arguments, "--root", str(root)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )


def occurrences(root: Path, command: Command, call: str) -> list[int]:
    """Run a command, and number those of its calls that change something."""
    log = root.with_name("log")
    done = run(root, command.arguments, ("-o", str(log), "-e", f"trace={call}"))
    assert done.returncode == 0, done.stderr
    lines = [line for line in log.read_text("utf-8").splitlines() if line.startswith(f"{call}(")]
    return [at for at, line in enumerate(lines, 1) if call != "openat" or "O_CREAT" in line]


def contents(root: Path) -> dict[str, bytes]:
    """The files that people see."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for top in ("entities", "observations")
        for path in sorted((root / top).rglob("*"))
        if path.is_file() and not path.name.startswith(TEMPORARY_PREFIX)
    }


def left_over(root: Path) -> list[Path]:
    """Temporary files, those beside the records of edits too."""
    return [*root.rglob(f"{TEMPORARY_PREFIX}*")]


def errors(root: Path) -> set[str]:
    """The errors that ``check`` finds."""
    found = check_knowledge_base(open_knowledge_base(str(root), NOW))
    return {one.code for one in found if one.severity is Severity.ERROR}


def timeless(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files without the moment and the seal that observations bear, which are others on each try."""
    return {
        path: re.sub(rb"(?m)^(happened_at|sha256): .*\n", b"", data)
        if path.startswith("observations/")
        else data
        for path, data in files.items()
    }


def check_files(found: dict[str, bytes], before: dict[str, bytes], after: dict[str, bytes]) -> None:
    """Each file is wholly as before or as after, or has none of its statements yet; what is in both is there."""
    old, new, seen = timeless(before), timeless(after), timeless(found)
    for path, data in seen.items():
        bare = new.get(path, b"").partition(b"\n## ")[0]
        assert data in (old.get(path), new.get(path), bare), path
        if path.startswith("observations/") and path not in before:
            assert parse_observation_file(decode(path, found[path]))[0].is_sealed
    assert before.keys() & after.keys() <= found.keys()
    # What goes, goes last: nothing is lost between.
    assert before.keys() <= found.keys() or timeless(after) == seen


#: Edits that a key makes harmless to repeat, with each system call that decides whether they were done.
REPEATED = [
    (name, call)
    for name, command in COMMANDS.items()
    for call in ("rename", "link", "unlink")
    if not command.is_bulk and name != "undo"
]

CHOSEN_REPEATED = [("relate", "rename"), ("relate", "link"), ("move", "unlink")]


@pytest.mark.parametrize(
    ("name", "call"),
    REPEATED if os.environ.get("HYPOTHESIS_PROFILE") == "explore" else CHOSEN_REPEATED,
)
def test_a_repeat_after_a_kill(tmp_path: Path, name: str, call: str) -> None:
    """Wherever an edit is killed, the same call with its key does it once, and answers as it would have; undo takes back
    what stands.
    """
    command = COMMANDS[name]
    base, root, saved = tmp_path / "base", tmp_path / "kb", tmp_path / "saved"
    before = contents(make_base(base, command))
    repeated = command._replace(arguments=(*command.arguments, "--idempotency-key", "k", "--json"))
    shutil.copytree(base, root)
    numbers = occurrences(root, repeated, call)
    after = contents(root)
    answer = json.loads(run(root, repeated.arguments).stdout)
    assert numbers or (name, call) not in CHOSEN_REPEATED
    for number in numbers:
        shutil.rmtree(root)
        shutil.copytree(base, root)
        trace = ("-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:{KILL}:when={number}")  # fmt: skip
        assert run(root, repeated.arguments, trace).returncode == -SIGKILL
        shutil.copytree(root, saved)
        again = run(root, repeated.arguments)
        assert again.returncode == 0, again.stderr
        assert timeless(contents(root)) == timeless(after), number
        told = json.loads(again.stdout)
        assert [told[key] for key in SAME] == [answer[key] for key in SAME]
        assert run(root, ("undo",)).returncode == 0
        assert contents(root) == before
        undone = run(saved, ("undo",))
        assert undone.returncode == 0 or "no edit to undo" in undone.stderr or command.first
        assert command.first or contents(saved) == before, number
        shutil.rmtree(saved)


@pytest.mark.parametrize(
    ("name", "call", "fault"),
    EVERY if os.environ.get("HYPOTHESIS_PROFILE") == "explore" else CHOSEN,
)
def test_at_every_step(
    tmp_path: Path,
    name: str,
    call: str,
    fault: str,
    record_property: Callable[[str, object], None],
) -> None:
    """Wherever an edit fails, each file is old or new, and the next command works and sweeps.

    One that was not killed refuses the edit, and all its files are as before; if it says that it is done, they are as after.
    """
    command = COMMANDS[name]
    base = make_base(tmp_path / "base", command)
    before = contents(base)
    root = tmp_path / "kb"
    shutil.copytree(base, root)
    numbers = occurrences(root, command, call)
    after = contents(root)
    assert numbers or (name, call, fault) not in CHOSEN
    record_property("occurrences", len(numbers))
    for number in numbers:
        shutil.rmtree(root)
        shutil.copytree(base, root)
        trace = ("-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={number}")  # fmt: skip
        done = run(root, command.arguments, trace)
        found = contents(root)
        at = f"{name} {call} {number}: {done.returncode} {done.stderr}"
        check_files(found, before, after)
        assert "Traceback" not in done.stderr, at
        assert fault != KILL or done.returncode == -SIGKILL, at
        if done.returncode == 0:
            assert timeless(found) == timeless(after), at
        elif fault != KILL:
            assert done.returncode in (1, 2), at
            assert done.stderr or done.stdout, at
            whole = (timeless(before), timeless(after))
            assert command.is_bulk or timeless(found) in whole, at
        apply_edit(str(root), NOW, lambda space: plan_observe(space, "Next."), WriteOptions())
        assert left_over(root) == [], at
        assert errors(root) <= (command.meantime if fault == KILL or command.is_bulk else set()), at
        if command.is_bulk:  # what it did not get to, it does the next time
            assert run(root, command.arguments).returncode == 0, at
            next_one = contents(root).keys() - after.keys()
            assert len(next_one) == 1, at
            assert timeless(contents(root)).items() >= timeless(after).items(), at
