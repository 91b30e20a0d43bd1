"""Several processes at once, and processes that are killed at every step of a write."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kb.derived.state import graph_place
from kb.knowledge_base import open_for_reading
from tests.conftest import NOW, REPOSITORY, entity, git, write_kb

BOB = "entities/person/bob.md"
READERS, ROUNDS = 8, 12

#: Opens the knowledge base at argv[1] again and again; each answer must be no older than the last edit finished before.
READER = """
import sys
from pathlib import Path
from kb.knowledge_base import open_for_reading
root, done = sys.argv[1], Path(sys.argv[2])
answers = 0
while (finished := int(done.read_text())) < int(sys.argv[3]) or answers < 3:
    base = open_for_reading(root, 0)
    (title,) = {one.value for one in base.graph.about("bob") if one.value is not None}
    assert int(title) >= finished, (title, finished, base.opened)
    assert len(base.graph.entities) == 30
    answers += 1
print(answers)
"""
REBUILDER = """
import sys
from pathlib import Path
from kb.derived.opening import NotKept, open_graph
while int(Path(sys.argv[2]).read_text()) < int(sys.argv[3]):
    try:
        open_graph(sys.argv[1], is_anew=True)
    except NotKept:
        pass
"""
OPENER = "import sys; from kb.derived.opening import open_graph; open_graph(sys.argv[1])"


def titled(number: int) -> str:
    """Bob's file with a number for a title, always of one length."""
    return entity("bob", "## Facts", "", f"- title:: {number:08}")


def run(code: str, *arguments: str) -> subprocess.Popen[str]:
    """Start Python in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_readers_beside_an_editor_and_a_rebuilder(tmp_path: Path) -> None:
    """Eight processes read while one builds all anew and one edits: no answer is older than what was saved before."""
    people = {f"entities/person/p{number}.md": entity(f"p{number}") for number in range(29)}
    root = write_kb(tmp_path / "kb", {**people, BOB: titled(0)})
    done = tmp_path / "done"
    done.write_text("0")
    arguments = (str(root), str(done), str(ROUNDS))
    readers = [run(READER, *arguments) for _ in range(READERS)]
    rebuilder = run(REBUILDER, *arguments)
    for number in range(1, ROUNDS + 1):
        if number % 2:  # saved by renaming, then in place
            (root / "entities/.new").write_text(titled(number), encoding="utf-8")
            (root / "entities/.new").replace(root / BOB)
        else:
            with (root / BOB).open("r+b") as file:
                file.write(titled(number).encode())
        (tmp_path / "finished").write_text(str(number))
        (tmp_path / "finished").replace(done)
        time.sleep(0.15)
    for process in (*readers, rebuilder):
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert process is rebuilder or int(out) >= 3


def killed_at(root: Path, call: str, number: int) -> bool:
    """Open the knowledge base in a process that is killed at some call of the system; say whether it came to that."""
    done = subprocess.run(
        [
            "strace", "-qq", "-o", os.devnull,
            "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}",
            sys.executable, "-c", OPENER, str(root),
        ],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode in (0, -9, 137), done.stderr
    return done.returncode != 0


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize(
    ("call", "what"),
    [
        ("write", "rebuild"),
        ("rename", "rebuild"),
        ("write", "update"),
        ("rename", "update"),
        ("unlink", "update"),
    ],
)
def test_killed_at_every_step(tmp_path: Path, call: str, what: str) -> None:
    """Wherever a process is killed while it builds, the next answers right."""
    root = write_kb(tmp_path / "kb", {BOB: titled(0), "entities/person/ada.md": entity("ada")})
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "x")
    number, kills = 1, 0
    while True:
        if what == "rebuild":
            shutil.rmtree(graph_place(str(root)), ignore_errors=True)
            os.makedirs(graph_place(str(root)), mode=0o700)
        else:
            open_for_reading(str(root), NOW)
        (root / BOB).write_text(titled(number), encoding="utf-8")
        was_killed = killed_at(root, call, number)
        base = open_for_reading(str(root), NOW)
        assert base.warnings == ()
        assert {one.value for one in base.graph.about("bob")} == {f"{number:08}"}
        if not was_killed:
            break
        kills += 1
        number += 1
    assert kills >= 2
