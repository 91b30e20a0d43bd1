"""``doctor`` and ``rebuild``: what is derived, told without touching it, and made anew when asked."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kb.cli.program import program
from tests.conftest import entity, git, observation, write_kb

FILES = {
    "entities/person/ada.md": entity("ada", "Writes about engines.", name="Ada Lovelace"),
    "observations/2026/01/2026-01-01-a.md": observation("2026-01-01-a", "The engine hums.\n"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_kb(tmp_path / "kb", FILES)


def run(root: Path, *arguments: str) -> str:
    result = CliRunner().invoke(
        program, [*arguments, "--root", str(root)], catch_exceptions=False, standalone_mode=False
    )
    return result.stdout


def doctor(root: Path) -> dict[str, Any]:
    return json.loads(run(root, "doctor", "--json"))  # type: ignore[no-any-return]


def derived_files(root: Path) -> set[str]:
    cache = Path(os.environ["XDG_CACHE_HOME"])
    places = [path for path in (cache, root / ".git" / "kb") if path.is_dir()]
    return {f"{path} {path.stat().st_mtime_ns}" for place in places for path in place.rglob("*")}


def test_doctor_changes_nothing(root: Path) -> None:
    """Whatever is missing, stale or damaged, looking at it makes and mends nothing."""
    for change in (
        lambda: None,
        lambda: run(root, "search", "engine"),
        lambda: (root / "entities/person/ada.md").write_text(entity("ada", "A cook.", name="Ada")),
        lambda: damage(doctor(root)["graph"]["place"], "base-"),
        lambda: damage(doctor(root)["full_text"]["place"], "manifest"),
    ):
        change()
        before = derived_files(root)
        doctor(root)
        run(root, "doctor")
        assert derived_files(root) == before


def damage(place: str, beginning: str) -> None:
    path = next(path for path in Path(place).iterdir() if path.name.startswith(beginning))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(content)


def test_doctor_tells_what_is_there_and_why_it_would_be_made_anew(root: Path) -> None:
    """Nothing yet; fresh; changed files; damaged files: each is told with its reason."""
    state = doctor(root)
    assert not state["graph"]["exists"]
    assert not state["full_text"]["exists"]
    assert state["graph"]["unusable"] == state["full_text"]["unusable"] == "there is none yet"
    assert "builds it from all files" in run(root, "doctor")
    run(root, "search", "engine")
    state = doctor(root)
    assert state["graph"]["fresh"]
    assert state["full_text"]["fresh"]
    assert (state["documents"], state["full_text"]["documents"]) == (2, 2)
    assert run(root, "doctor").count("  fresh\n") == 2
    (root / "entities/person/ada.md").write_text(entity("ada", "A cook.", name="Ada"))
    state = doctor(root)
    assert (state["graph"]["stale"], state["full_text"]["stale"]) == (1, 1)
    assert "reads 1 changed file" in run(root, "doctor")
    run(root, "find", "ada")
    state = doctor(root)
    assert (state["graph"]["changes"], state["graph"]["stale"]) == (1, 0)
    damage(state["graph"]["place"], "base-")
    state = doctor(root)
    assert "not as it was written" in state["graph"]["unusable"]
    assert state["graph"]["full_build"]
    assert state["full_text"]["stale"] == 1


def test_doctor_tells_the_commit_that_was_read(root: Path) -> None:
    """The graph knows which commit was checked out when it was last compared with it."""
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "start")
    run(root, "find", "ada")
    state = doctor(root)
    assert state["revision"] == state["graph"]["commit"]
    assert len(state["revision"]) == 40
    assert f"git commit read: {state['revision'][:12]}" in run(root, "doctor")


def test_rebuild_builds_both_or_the_graph_alone(root: Path) -> None:
    """One line for each: how much there is, and how many documents were written."""
    graph = "graph: 3 files, 1 entity, 0 statements\n"
    assert run(root, "rebuild", "--graph") == graph
    assert not doctor(root)["full_text"]["exists"]
    assert run(root, "rebuild") == graph + "full text: 2 documents, 2 written\n"
    assert run(root, "rebuild") == graph + "full text: 2 documents, 0 written\n"
    (root / "entities/person/ada.md").write_text(entity("ada", "A cook.", name="Ada"))
    assert run(root, "rebuild") == graph + "full text: 2 documents, 1 written\n"
    built = doctor(root)
    assert built["graph"]["changes"] == 1
    assert run(root, "rebuild", "--full") == graph + "full text: 2 documents, 2 written\n"
    assert doctor(root)["graph"]["changes"] == 0
