"""The shared data sets: imported whole, and their questions answered right through the command line's JSON."""

import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from kb.checks import check_knowledge_base
from kb.cli.program import program
from kb.diagnostics import Severity
from kb.edits.format_files import format_files
from kb.knowledge_base import open_knowledge_base
from tests.conftest import NOW, SHARED, write_kb
from tests.questions.asking import assert_compares, run_json

DATA = SHARED / "data"
SETS = sorted(path.parent.name for path in DATA.glob("*/questions.jsonl"))

pytestmark = pytest.mark.skipif(not SETS, reason="the shared data sets are not on this machine")


def questions() -> list[Any]:
    found = []
    for name in SETS:
        for line in (DATA / name / "questions.jsonl").read_text("utf-8").splitlines():
            question = json.loads(line)
            found.append(pytest.param(name, question, id=question["id"]))
    return found


@dataclass(frozen=True)
class Imported:
    """A knowledge base that a data set was imported into, and what the import said."""

    root: Path
    outcome: dict[str, Any]


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Imported]:
    """Give a data set in a new knowledge base, imported when it is first asked for."""

    @cache
    def import_once(name: str) -> Imported:
        root = write_kb(tmp_path_factory.mktemp(name) / "kb", {})
        return Imported(root, import_set(name, root))

    return import_once


def import_set(name: str, root: Path) -> dict[str, Any]:
    """Import a data set through the command line, and give its JSON."""
    source = str(DATA / name / "kb.jsonl")
    arguments = ["import", "jsonl", source, "--add-words", "--json", "--root", str(root)]
    result = CliRunner().invoke(program, arguments, standalone_mode=False, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    outcome: dict[str, Any] = json.loads(result.stdout)
    return outcome


@pytest.mark.parametrize(
    ("name", "entities", "relations", "observations", "facts", "identical"),
    [("peps", 1107, 1496, 736, 3224, 5), ("rust-team", 1011, 3889, 1455, 170, 0)],
)
def test_a_data_set_is_imported_whole(
    imported: Callable[[str], Imported],
    name: str,
    entities: int,
    relations: int,
    observations: int,
    facts: int,
    identical: int,
) -> None:
    """Every count is as the set's README has it, nothing is lost, nothing is wrong, and a second run changes nothing."""
    done = imported(name)
    kinds = ("entities", "relations", "observations", "facts")
    counts = (entities, relations, observations, facts)
    assert tuple(done.outcome[kind]["made"] for kind in kinds) == counts
    assert (done.outcome["identical"], done.outcome["unresolved"], done.outcome["lost"]) == (
        identical,
        0,
        0,
    )
    base = open_knowledge_base(str(done.root), NOW)
    assert (base.graph.unresolved, len(tuple(base.graph.iter_statements()))) == (
        {},
        relations + facts,
    )
    assert not [f for f in check_knowledge_base(base) if f.severity is Severity.ERROR]
    formatting = format_files(base, check=True)
    assert (formatting.changed, formatting.skipped) == ((), ())
    before = {path: path.read_bytes() for path in done.root.rglob("*") if path.is_file()}
    again = import_set(name, done.root)
    assert tuple(again[kind]["already"] for kind in kinds) == counts
    assert (again["made"], again["changed"], again["words"]) == ([], [], [])
    assert {path: path.read_bytes() for path in done.root.rglob("*") if path.is_file()} == before


class Refs:
    """Ids ⇄ the refs of the data set, by the ``import_ref`` of each file."""

    def __init__(self, root: Path) -> None:
        self.by_id = _import_refs(root, "entities")
        self.by_observation = _import_refs(root, "observations")
        self.by_ref = {ref: id for id, ref in self.by_id.items()}


def _import_refs(root: Path, folder: str) -> dict[str, str]:
    refs = {}
    for path in root.glob(f"{folder}/**/*.md"):
        match = re.search(r"^import_ref: (.*)$", path.read_text("utf-8"), re.M)
        assert match, path
        refs[path.stem] = match.group(1).strip("\"'")
    return refs


def ask(root: Path, refs: Refs, query: dict[str, Any], is_count: bool, is_timeline: bool) -> Any:
    """Ask a question of the data set, and give the answer in its own terms."""
    options = []
    if "search" in query:
        return search(root, refs, query["search"])
    for predicate in query.get("predicates", [query["predicate"]] if "predicate" in query else []):
        options += ["-p", predicate]
    if "as_of" in query:
        options += ["--at", query["as_of"]]
    if "direction" in query:
        options += ["--direction", query["direction"]]
    if "key" in query or "name" in query:
        argument = ":".join(query["key"]) if "key" in query else query["name"]
        matches = run_json(root, "find", argument)["results"]
        best = matches[0]["tier"]
        return [refs.by_id[match["entity"]["id"]] for match in matches if match["tier"] == best]
    if "from" in query:
        if query.get("current"):
            options += ["--at", "now"]
        if query.get("directed"):
            options.append("--directed")
        if "max_hops" in query:
            options += ["--max-hops", str(query["max_hops"])]
        answer = run_json(
            root, "paths", refs.by_ref[query["from"]], refs.by_ref[query["to"]], *options
        )
        paths = [[refs.by_id[node["id"]] for node in path["nodes"]] for path in answer["results"]]
        return {"hops": len(paths[0]) - 1 if paths else 0, "paths": paths}
    if is_count:
        options += [] if query.get("current") else ["--include-ended"]
        return run_json(root, "relations", *options, "--limit", "1")["total"]
    if is_timeline:
        answer = run_json(root, "timeline", refs.by_ref[query["entity"]], *options, "--limit", "0")
        return [moment(one, refs) for one in answer["results"]]
    answer = run_json(root, "neighbors", refs.by_ref[query["entity"]], *options, "--limit", "0")
    return [
        refs.by_id[one["entity"]["id"]] for group in answer["results"] for one in group["neighbors"]
    ]


def search(root: Path, refs: Refs, wanted: str | list[str]) -> list[str]:
    """Search for a phrase (a text) or for words (a list): the refs of the observations."""
    text = " ".join(wanted) if isinstance(wanted, list) else f'"{wanted}"'
    answer = run_json(root, "search", text, "--kind", "observation", "--limit", "0")
    assert not answer["weak"]
    return [refs.by_observation[hit["observation"]["id"]] for hit in answer["results"]]


def moment(one: dict[str, Any], refs: Refs) -> list[str]:
    """A moment with the data set's exclusive end: the first day on which it no longer holds."""
    day = one["date"]
    if one["event"] == "until":
        day = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
    return [day, one["event"], refs.by_id[one["entity"]["id"]]]


@pytest.mark.parametrize(("name", "question"), questions())
def test_data_question(
    imported: Callable[[str], Imported], name: str, question: dict[str, Any]
) -> None:
    """Each question gets its expected answer; lists of current things need no flag, paths are asked at now."""
    assert_answers(imported(name).root, question)


@pytest.fixture(scope="session")
def disturbed(
    tmp_path_factory: pytest.TempPathFactory, imported: Callable[[str], Imported]
) -> Callable[[str], Path]:
    """Give a data set whose graph file and index were made, and of which a tenth of the files was then disturbed."""

    @cache
    def disturb_once(name: str) -> Path:
        root = tmp_path_factory.mktemp(f"{name}-disturbed") / "kb"
        shutil.copytree(imported(name).root, root)
        for arguments in (("stats",), ("search", "the")):
            result = CliRunner().invoke(program, [*arguments, "--root", str(root)])
            assert result.exit_code == 0, result.output
        disturb(root, Random(1))
        return root

    return disturb_once


def disturb(root: Path, chance: Random) -> None:
    """Touch, move or edit in place a random tenth of the files, so that they say what they said before."""
    files = [path for top in ("entities", "observations") for path in (root / top).rglob("*.md")]
    for path in chance.sample(sorted(files), len(files) // 10):
        match chance.choice(("touch", "move", "edit")):
            case "touch":
                os.utime(path)
            case "move":
                (path.parent / "moved").mkdir(exist_ok=True)
                path.rename(path.parent / "moved" / path.name)
            case _ if path.is_relative_to(root / "entities"):
                with path.open("a", encoding="utf-8") as file:
                    file.write("\n<!-- edited -->\n")


@pytest.mark.parametrize(("name", "question"), questions())
def test_data_question_after_files_were_disturbed(
    disturbed: Callable[[str], Path], name: str, question: dict[str, Any]
) -> None:
    """The same answers come from graph files and an index that were made before a tenth of the files was disturbed."""
    assert_answers(disturbed(name), question)


def assert_answers(root: Path, question: dict[str, Any]) -> None:
    """A question gets its expected answer."""
    answer = ask(
        root,
        Refs(root),
        question["query"],
        question["capability"] == "count",
        question["capability"] == "timeline",
    )
    assert_compares(question["compare"], answer, question["expected"])
