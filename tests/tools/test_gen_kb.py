"""``tools/gen_kb`` makes knowledge bases that are valid, of one form, and the same for the same seed."""

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, git
from tests.tools.mini_clone import TOOLS

COUNT = 200


def gen_kb(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the program."""
    return subprocess.run(
        [sys.executable, str(TOOLS / "gen_kb"), str(folder), *arguments],
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )


def kb(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a kb command on a knowledge base."""
    return subprocess.run(
        [sys.executable, "-m", "kb", *arguments, "--root", str(root)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )


def digests(root: Path) -> dict[str, str]:
    """Return the digest of each file but git's own."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base with its description beside it, which tests leave as it is."""
    folder = tmp_path_factory.mktemp("made")
    described = ("--describe", str(folder / "described.json"))
    run = gen_kb(folder / "kb", "--entities", str(COUNT), *described)
    assert (run.returncode, run.stderr) == (0, "")
    return folder / "kb"


def test_same_seed_same_bytes(made: Path, tmp_path: Path) -> None:
    """The same arguments give the same files, wherever and with whatever hash seed; another seed others."""
    gen_kb(tmp_path / "again", "--entities", str(COUNT), PYTHONHASHSEED="7")
    gen_kb(tmp_path / "other", "--entities", str(COUNT), "--seed", "2")
    assert digests(tmp_path / "again") == digests(made)
    assert digests(tmp_path / "other").keys() != digests(made).keys()


def test_nothing_to_find(made: Path) -> None:
    """`kb check` finds no error, seals included, and of warnings only statements that cite nothing."""
    checked = kb(made, "check", "--json")
    codes = {finding["code"] for finding in json.loads(checked.stdout)["diagnostics"]}
    assert (checked.returncode, codes - {"KB402"}) == (0, set())


def test_nothing_to_format(made: Path) -> None:
    """Ids, footnotes and links are as `kb fmt` would write them."""
    assert kb(made, "fmt", "--check").returncode == 0


def test_counts(made: Path) -> None:
    """There are as many files as asked for, and three observations for ten entities; the description counts them."""
    entities = [*(made / "entities").rglob("*.md")]
    observations = [*(made / "observations").rglob("*.md")]
    described = json.loads((made.parent / "described.json").read_text("utf-8"))
    assert (len(entities), len(observations)) == (COUNT, COUNT * 3 // 10)
    assert (described["entities"], described["observations"]) == (COUNT, COUNT * 3 // 10)
    assert 8 * COUNT < described["statements"] < 12 * COUNT
    assert described["hubs"][0]["relations"] > 5 * described["lows"][0]["relations"]


@pytest.mark.parametrize(
    "form",
    [
        r"^name: \S*[\u4e00-\u9fff]",
        r"^aliases: \[",
        r"^keys: \[email:",
        r"^keys: \[domain:",
        r"^- \w[\w-]*:: .*\((\d{4}|[^)]*, )?\d\d%\)",
        r"\(\d{4}-\d\d-\d\d/\.\.",
        r"\(\d{4}-\d\d/\d{4}-\d\d[,)]",
        r"\(\d{4}[,)]",
        r"retracted",
        r"superseded by \^[a-z0-9]{8}",
        r'— ".*" \[\^',
    ],
)
def test_forms(made: Path, form: str) -> None:
    """Each form that a knowledge base can have occurs in the files of entities."""
    texts = [path.read_text("utf-8") for path in (made / "entities").rglob("*.md")]
    assert any(re.search(form, text, re.MULTILINE) for text in texts)


def test_history(made: Path, tmp_path: Path) -> None:
    """A history has as many commits as asked for; each changes files; it ends with what is made without one."""
    root = tmp_path / "kb"
    (tmp_path / "config").write_text("[core]\n\tautocrlf = true\n[user]\n\tname = Somebody\n")
    variables = {"GIT_CONFIG_GLOBAL": str(tmp_path / "config"), "GIT_AUTHOR_NAME": "Somebody"}
    run = gen_kb(root, "--entities", str(COUNT), "--history", "12", **variables)
    assert (run.returncode, run.stderr) == (0, "")
    assert digests(root) == digests(made)
    assert git(root, "status", "--porcelain") == ""
    log = git(root, "log", "--reverse", "--format=%an", "--shortstat").splitlines()
    assert log[::3] == ["kb benchmark"] * 12
    changes = [line for line in log if "changed" in line]
    assert len(changes) == 12
    assert all("insertion" in line for line in changes)
    assert "M\t" in git(root, "log", "--name-status", "--format=")


def test_each_commit_is_whole(tmp_path: Path) -> None:
    """What a line links and cites is there before the line, or comes with it."""
    gen_kb(tmp_path / "kb", "--entities", "40", "--history", "2")
    for commit in git(tmp_path / "kb", "rev-list", "HEAD").split():
        git(tmp_path / "kb", "checkout", "--quiet", commit)
        checked = kb(tmp_path / "kb", "check")
        assert "error[" not in checked.stdout


def test_refusals(made: Path, tmp_path: Path) -> None:
    """Nothing is overwritten, and no history is made in which a commit would change nothing."""
    assert "is not empty" in gen_kb(made, "--entities", "5").stderr
    long = gen_kb(tmp_path / "kb", "--entities", "20", "--history", "50")
    assert long.stderr == "gen_kb: 20 entities make a history of at most 11 commits\n"
    assert not (tmp_path / "kb").exists()
