"""BAD-INPUTS 66: two who write at once, or during a rebuild, and a clock that jumps back."""

import json
import os
import subprocess
import sys
from pathlib import Path

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.edits.apply import WriteOptions, apply_edit
from kb.edits.relate import Saying, plan_fact
from kb.edits.undo import undo_last
from kb.knowledge_base import open_for_reading, open_knowledge_base
from tests.conftest import NOW, REPOSITORY, entity, git, write_kb
from tests.graph.comparing import said

ADA = "entities/person/ada.md"


def base(root: Path) -> Path:
    """One person with a title."""
    facts = ("## Facts", "", "- title:: Engineer ^old")
    write_kb(root, {ADA: entity("ada", *facts)})
    git(root, "init", "--quiet")
    open_for_reading(str(root), NOW)
    return root


def at_once(root: Path, *commands: tuple[str, ...]) -> list[tuple[int, str, str]]:
    """Start commands together; give how each ended, and what it printed and said."""
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "kb", "--root", str(root), *command],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for command in commands
    ]
    ended = [(process, *process.communicate()) for process in started]
    return [(process.returncode, printed, told) for process, printed, told in ended]


def check(root: Path) -> list[tuple[str, str | None]]:
    """Look whether reading is as fresh as a clean build, without errors; give Ada's facts by value, with what supersedes each."""
    read = open_for_reading(str(root), NOW).graph
    clean = open_knowledge_base(str(root), NOW)
    assert said(read.iter_statements()) == said(clean.graph.iter_statements())
    found = check_knowledge_base(clean)
    assert not [one for one in found if one.severity is Severity.ERROR]
    return sorted((str(one.value), one.superseded_by) for one in read.about("ada"))


def test_one_fact_of_two_calls_with_a_key(tmp_path: Path) -> None:
    """Both are told that it is done, under one id; one statement and one source are there."""
    root = base(tmp_path / "kb")
    call = ("fact", "ada", "decided", "To go", "--said", "She goes.", "--idempotency-key", "k", "--json")  # fmt: skip
    ended = at_once(root, call, call)
    assert [status for status, _, _ in ended] == [0, 0], ended
    ids = {one["id"] for _, printed, _ in ended for one in json.loads(printed)["statements"]}
    assert len(ids) == 1
    assert check(root) == [("Engineer", None), ("To go", None)]
    assert len([*root.glob("observations/**/*.md")]) == 1


def test_one_fact_of_two_calls(tmp_path: Path) -> None:
    """Without a key, too, it is one statement, with two who say so."""
    root = base(tmp_path / "kb")
    call = ("fact", "ada", "decided", "To go", "--said")
    ended = at_once(root, (*call, "She goes."), (*call, "She told me."))
    assert [status for status, _, _ in ended] == [0, 0], ended
    assert check(root) == [("Engineer", None), ("To go", None)]
    (one,) = (one for one in open_for_reading(str(root), NOW).graph.about("ada") if one.value == "To go")  # fmt: skip
    assert one.witnesses == 2


def test_one_of_two_gets_a_key(tmp_path: Path) -> None:
    """Of two who make an entity of one key, the second is refused and told whose it is."""
    root = base(tmp_path / "kb")
    key = ("--key", "email:mina@x.example")
    ended = sorted(
        at_once(root, ("new", "person", "Mina", *key), ("new", "person", "M. Okada", *key))
    )
    assert [status for status, _, _ in ended] == [0, 1], ended
    assert "is a key of" in ended[1][2]
    assert len([*root.glob("entities/**/*.md")]) == 2
    check(root)


def test_one_of_two_supersedes(tmp_path: Path) -> None:
    """Of two who supersede one statement, one does; what the other acknowledged is there as well, and says what it says."""
    root = base(tmp_path / "kb")
    call = ("fact", "ada", "title")
    ended = at_once(
        root,
        *((*call, value, "--said", f"{value}.", "--supersede", "^old", "--json") for value in "AB"),
    )
    done = [json.loads(printed) for status, printed, _ in ended if status == 0]
    assert done, ended
    assert all(told for status, _, told in ended if status)
    facts = check(root)
    acknowledged = {one["id"] for answer in done for one in answer["statements"]}
    graph = open_for_reading(str(root), NOW).graph
    assert all(graph.of_id(id) for id in acknowledged)
    ((_, successor),) = (fact for fact in facts if fact[0] == "Engineer")
    assert successor in acknowledged


def test_a_write_during_a_rebuild(tmp_path: Path) -> None:
    """Neither stops the other, and what is derived is as fresh as the files in the end."""
    root = base(tmp_path / "kb")
    facts = [("fact", "ada", "decided", f"{n}", "--said", "So.") for n in range(3)]
    ended = at_once(root, ("rebuild",), facts[0], facts[1], ("rebuild", "--graph"), facts[2])
    assert [status for status, _, _ in ended] == [0] * 5, ended
    assert check(root) == [("0", None), ("1", None), ("2", None), ("Engineer", None)]
    searched = at_once(root, ("search", "Engineer", "--json"))
    assert json.loads(searched[0][1])["results"]


def test_a_clock_that_jumps_back(tmp_path: Path) -> None:
    """What is written at an earlier moment than the last comes after it all the same: undo takes back that."""
    root = base(tmp_path / "kb")
    for number, moment in enumerate((NOW, NOW - 86_400 * 400, NOW - 1)):
        saying = Saying(said=f"So it is, {number}.")
        apply_edit(
            str(root),
            moment,
            lambda space, n=number, saying=saying: plan_fact(space, "ada", "decided", f"{n}", saying),
            WriteOptions(),
        )  # fmt: skip
        assert (f"{number}", None) in check(root)
    undo_last(str(root))
    assert check(root) == [("0", None), ("1", None), ("Engineer", None)]
