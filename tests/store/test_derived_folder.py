"""Each knowledge base has a place of its own for what is derived from it, and for the record of its edits."""

import json
import subprocess
import sys
from pathlib import Path

from kb.store.derived import derived_folder
from tests.conftest import REPOSITORY, entity, git, write_kb


def _kb(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "kb", *arguments, "--root", str(root)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_two_places_are_the_same(tmp_path: Path) -> None:
    """Several in one work tree, in its worktree, in a nested repository, and without git."""
    work, other = tmp_path / "work", tmp_path / "other"
    git_roots = (work, work / "a", work / "b", work / "a/a", work / "nested/a")
    for root in git_roots:
        root.mkdir(parents=True, exist_ok=True)
    git(work, "init", "-q")
    git(work / "nested", "init", "-q")
    git(work, "commit", "-q", "--allow-empty", "-m", "first")
    git(work, "worktree", "add", "-q", str(other))
    roots = [*git_roots, other, other / "a", tmp_path / "plain", tmp_path / "plain/a"]
    assert len({derived_folder(str(root)) for root in roots}) == len(roots)
    assert derived_folder(str(work)) == str(work / ".git/kb")


def test_a_place_goes_along_with_its_repository(tmp_path: Path) -> None:
    """What was derived is found where the repository was moved, and by a symbolic link."""
    (tmp_path / "work/a").mkdir(parents=True)
    git(tmp_path / "work", "init", "-q")
    before = derived_folder(str(tmp_path / "work/a"))
    (tmp_path / "link").symlink_to(tmp_path / "work/a")
    assert derived_folder(str(tmp_path / "link")) == before
    (tmp_path / "work").rename(tmp_path / "moved")
    moved = derived_folder(str(tmp_path / "moved/a"))
    assert moved == before.replace(str(tmp_path / "work"), str(tmp_path / "moved"))


def test_two_in_one_repository_answer_and_undo_by_themselves(tmp_path: Path) -> None:
    """Though both trust the last look for an hour, neither takes the other's state, its text or its edits for its own."""
    git(tmp_path, "init", "-q")
    config = "kb: 1\nname: Test\nfreshness: 3600\n"
    for name in ("ada", "ben"):
        write_kb(
            tmp_path / name,
            {f"entities/{name}.md": entity(name, f"Flies {name}-1.", name=name)},
            config,
        )
    for _ in range(2):
        for name, other in (("ada", "ben"), ("ben", "ada")):
            found = json.loads(_kb(tmp_path / name, "stats", "--json").stdout)
            assert found["results"]["entities"] == 1
            assert _kb(tmp_path / name, "search", f"{name}-1").stdout.startswith("1 hit")
            assert "nothing found" in _kb(tmp_path / name, "search", f"{other}-1").stdout
    written = _kb(tmp_path / "ada", "fact", "ada", "title", "Pilot", "--said", "Ada is a pilot.")
    assert written.returncode == 0, written.stderr
    undone = _kb(tmp_path / "ben", "undo")
    assert undone.returncode == 1
    assert "title:: Pilot" in (tmp_path / "ada/entities/ada.md").read_text()
    assert _kb(tmp_path / "ada", "undo").returncode == 0
