"""What a reading command loads before it answers: nothing that it does not need, since loading is most of its time."""

import os
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, entity, git, write_kb

#: Commands, and the names of their queries' modules and renderers.
READING = ("find", "show", "facts", "relations", "neighbors", "paths", "timeline", "stats")
#: Packages of ours that a reading command has no use for.
UNUSED = ("checks", "edits", "index", "ingest", "load", "catalogue", "diagnostics", "syntax")


def run_code(code: str) -> subprocess.CompletedProcess[str]:
    """Run some code in a new process, which must not fail."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=True,
    )


@cache
def loaded_beyond_click(modules: str) -> frozenset[str]:
    """List what importing some modules loads in a new process, besides all that click loads."""
    code = (
        "import sys, click; before = set(sys.modules);"
        f"import {modules};"
        "print(*(set(sys.modules) - before), sep='\\n')"
    )
    return frozenset(run_code(code).stdout.split())


def is_unused(module: str) -> bool:
    return any(f"{module}.".startswith(f"kb.{package}.") for package in UNUSED)


@pytest.mark.parametrize("query", READING)
def test_a_query_and_its_text_load_nothing_but_ours(query: str) -> None:
    """A query and its renderer load no library, no more of Python than click has, and no parser of files."""
    loaded = loaded_beyond_click(f"kb.queries.{query}, kb.render.as_text, kb.render.{query}")
    # The queue of a search over the graph is the one thing that Python gives besides.
    needed = {"heapq", "_heapq"} if query == "paths" else set()
    assert {module for module in loaded if module.partition(".")[0] != "kb"} == needed
    assert {module for module in loaded if is_unused(module)} == set()


@pytest.mark.parametrize("query", READING)
def test_an_answer_loads_its_own_renderer_alone(query: str) -> None:
    """What another query needs is not loaded: a search's index above all."""
    loaded = loaded_beyond_click(f"kb.queries.{query}, kb.render.as_text, kb.render.{query}")
    others = {f"kb.render.{other}" for other in (*READING, "search", "vocabulary", "as_json")}
    shared = {"show": {"kb.render.neighbors"}}.get(query, set())
    assert loaded & others == {f"kb.render.{query}"} | shared


def test_json_is_loaded_for_json() -> None:
    """The library for JSON is loaded by an answer in JSON, not by its renderer."""
    assert "json" not in loaded_beyond_click("kb.render.as_json, kb.render.neighbors")


def test_the_program_loads_no_command() -> None:
    """The program knows its commands by name: it loads none of them, no query and nothing to complete words with."""
    loaded = loaded_beyond_click("kb.cli.program")
    ours = {module for module in loaded if module.startswith("kb")}
    own = {"completion", "filled", "program"}
    assert ours == {"kb", "kb.cli", *(f"kb.cli.{name}" for name in own), "kb.errors"}
    # gettext, which click asks for its words, loads locale; gc is a part of the interpreter.
    assert loaded - ours <= {"gc", "locale", "_locale"}


#: What a whole reading command has no use for where no file changed.
UNUSED_LIBRARIES = ("yaml", "frontmatter", "git", "whoosh", "rapidfuzz", "ruamel", "tempfile")


@pytest.mark.parametrize(
    "command", [("neighbors", "ada"), ("facts", "ada"), ("find", "ada"), ("paths", "ada", "bob")]
)
def test_a_whole_command_parses_nothing_where_nothing_changed(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    """From the second call on, an answer comes from the graph file alone."""
    line = "- mentors:: [Bob](bob.md)"
    files = {
        "entities/person/ada.md": entity("ada", "## Relations", "", line),
        "entities/person/bob.md": entity("bob"),
    }
    root = write_kb(tmp_path / "kb", files)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "x")
    for path in (root, *root.rglob("*")):  # older than any clock's tick
        if ".git" not in path.parts:
            os.utime(path, (1, 1))
    code = (
        "import sys\nfrom kb.cli.program import program\n"
        f"program.main({[*command, '--root', str(root)]!r}, standalone_mode=False)\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)\n"
    )
    for _ in range(4):  # what was saved just now is read again, and files are hashed once
        time.sleep(0.15)
        done = run_code(code)
    modules = set(done.stderr.split())
    assert "Bob" in done.stdout or "ada" in done.stdout
    assert [name for name in UNUSED_LIBRARIES if name in modules] == []
    assert [name for name in modules if is_unused(name)] == []


def test_a_short_command_looks_for_no_garbage(tmp_path: Path) -> None:
    """It would be looked for while modules are imported, some thirty times."""
    root = write_kb(tmp_path / "kb", {"entities/person/ada.md": entity("ada")})
    code = (
        "import gc, sys\ncollections = []\n"
        "gc.callbacks.append(lambda phase, _: collections.append(phase))\n"
        f"sys.argv = ['kb', 'find', 'ada', '--root', {str(root)!r}]\n"
        "from kb.cli import main\ntry:\n    main()\nfinally:\n    print(len(collections))\n"
    )
    done = run_code(code)
    assert int(done.stdout.split()[-1]) <= 2, done.stderr
