"""Edits that are killed, or that the disk fails, at every step: each file is wholly old or new, and nothing is left over."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.edits.apply import WriteOptions, apply_edit
from kb.edits.observe import plan_observe
from kb.knowledge_base import open_for_reading, open_knowledge_base
from kb.store.writes import TEMPORARY_PREFIX
from kb.syntax.observation_file import parse_observation_file
from kb.syntax.source import decode
from tests.conftest import NOW, REPOSITORY, entity, git, write_kb

ADA, BOB = "entities/person/ada.md", "entities/person/bob.md"

pytestmark = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")

#: An edit of each sort: a new file, a file replaced beside a new one, a file removed, one undone.
EDITS = {
    "observe": ("observe", "Dana said so.", "--title", "Talk"),
    "relate": ("relate", "ada", "-p", "reports-to", "--target", "bob", "--said", "Bob leads Ada."),
    "remove": ("remove", "cleo"),
    "merge": ("merge", "ada", "cleo", "--why", "one person"),
}


def fresh(root: Path) -> Path:
    """A small knowledge base."""
    shutil.rmtree(root, ignore_errors=True)
    files = {
        path: entity(Path(path).stem, "## Facts", "", "- title:: Engineer") for path in (ADA, BOB)
    }
    write_kb(root, {**files, "entities/person/cleo.md": entity("cleo")})
    git(root, "init", "--quiet")
    return root


def run(
    root: Path, arguments: tuple[str, ...], inject: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, into which strace may inject something."""
    call = inject.partition(":")[0]
    traced = ("strace", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={inject}")
    return subprocess.run(
        [*(traced if inject else ()), sys.executable, "-m", "kb", *arguments, "--root", str(root)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def contents(root: Path) -> dict[str, bytes]:
    """The files that people see."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for top in ("entities", "observations")
        for path in sorted((root / top).rglob("*"))
        if path.is_file() and not path.name.startswith(TEMPORARY_PREFIX)
    }


def left_over(root: Path) -> list[Path]:
    """Temporary files."""
    return [path for path in root.rglob(f"{TEMPORARY_PREFIX}*") if ".git" not in path.parts]


@pytest.mark.parametrize(
    ("edit", "call"),
    [
        ("observe", "link"),
        ("observe", "unlink"),
        ("relate", "fsync"),
        ("relate", "rename"),
        ("relate", "write"),
        ("merge", "rename"),
        ("remove", "unlink"),
    ],
)
def test_killed_at_every_step(tmp_path: Path, edit: str, call: str) -> None:
    """Wherever an edit is killed, each file is as before or as after, and the next command works and sweeps."""
    root = tmp_path / "kb"
    before = contents(fresh(root))
    assert run(root, EDITS[edit]).returncode == 0
    after = contents(root)
    number = 1
    while True:
        fresh(root)
        open_for_reading(str(root), NOW)
        done = run(root, EDITS[edit], f"{call}:signal=KILL:when={number}")
        found = contents(root)
        for path, data in found.items():
            if path.startswith("entities/"):
                assert data in (before.get(path), after.get(path))
            else:  # it bears the moment, which is another on each try
                assert parse_observation_file(decode(path, data))[0].is_sealed
        for path in before.keys() & after.keys():
            assert path in found
        if done.returncode == 0:
            break
        apply_edit(str(root), NOW, lambda space: plan_observe(space, "Next."), WriteOptions())
        assert left_over(root) == []
        found = check_knowledge_base(open_knowledge_base(str(root), NOW))
        assert [one for one in found if one.severity is Severity.ERROR] == []
        number += 1


@pytest.mark.parametrize(
    ("call", "error"),
    [("fsync", "ENOSPC"), ("fsync", "EIO"), ("rename", "EIO"), ("link", "ENOSPC")],
)
def test_a_failing_disk_refuses_the_edit(tmp_path: Path, call: str, error: str) -> None:
    """What the disk does not take is refused with a reason, and every file is as before or as after."""
    root = fresh(tmp_path / "kb")
    open_for_reading(str(root), NOW)
    before = contents(root)
    number = 1
    while True:
        done = run(root, EDITS["relate"], f"{call}:error={error}:when={number}")
        if done.returncode == 0:
            break
        assert done.returncode == 1, done.stderr
        assert contents(root) == before
        assert left_over(root) == []
        number += 1
