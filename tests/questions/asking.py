"""Ask a question through the public command line and compare its JSON with what is expected."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from kb.cli.program import program
from kb.knowledge_base import KnowledgeBase, open_for_reading
from tests.conftest import NOW

Json = Any

#: Arguments that stand without an option's name, in their order.
_POSITIONAL = ("name", "entity", "from", "to")
_OPTIONS = {"predicate": "-p", "max_hops": "--max-hops", "include_ended": "--include-ended"}


@cache
def open_once(root: Path) -> KnowledgeBase:
    """Open a knowledge base for all questions of a worker: nobody edits it meanwhile."""
    return open_for_reading(str(root), NOW)


def run_json(root: Path, *arguments: str) -> Json:
    """Run a command on a knowledge base and read its JSON."""
    result = CliRunner().invoke(
        program, [*arguments, "--json"], obj=open_once(root), catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def command_of(ask: dict[str, Any]) -> list[str]:
    """Turn a question's ``ask`` into the arguments of the command line."""
    arguments = [ask["query"], *(str(ask[name]) for name in _POSITIONAL if name in ask)]
    for name, value in ask.items():
        if name == "query" or name in _POSITIONAL:
            continue
        option = _OPTIONS.get(name, f"--{name.replace('_', '-')}")
        if isinstance(value, bool):
            arguments += [option] if value else []
        else:
            for one in value if isinstance(value, list) else [value]:
                arguments += [option, str(one)]
    return arguments


def answer_of(ask: dict[str, Any], answer: Json) -> Json:
    """Reduce an answer to what questions expect: ids, values, moments or paths."""
    match ask["query"]:
        case "find":
            return [match["entity"]["id"] for match in answer["results"]]
        case "show":
            return [answer["results"]["entity"]["id"]]
        case "neighbors":
            return [
                one["entity"]["id"] for group in answer["results"] for one in group["neighbors"]
            ]
        case "facts":
            return [_goal(one) for group in answer["results"] for one in group["statements"]]
        case "relations":
            results = answer["results"]
            return [_goal(one) for one in results["relations"]] + [
                one["subject"]["id"] for one in results["inverse_relations"]
            ]
        case "timeline":
            return [
                [one["date"], one["event"], one["statement"]["predicate"], _goal_of_moment(one)]
                for one in answer["results"]
            ]
        case "paths":
            paths = [[node["id"] for node in path["nodes"]] for path in answer["results"]]
            return {"hops": len(paths[0]) - 1 if paths else 0, "paths": paths}
        case "stats":
            return answer["results"]
    raise AssertionError(f"no reading of {ask['query']}")


def _goal(statement: Json) -> str:
    return statement["object"]["id"] if "object" in statement else statement["value"]


def _goal_of_moment(moment: Json) -> str:
    return moment["entity"]["id"] if moment["entity"] else moment["value"]


def assert_compares(compare: str, answer: Json, expected: Json) -> None:
    """Compare as the question says."""
    if compare in ("ordered", "exact"):
        assert answer == expected
    elif compare == "set":
        assert sorted(map(str, answer)) == sorted(map(str, expected))
    elif compare == "superset":
        if isinstance(expected, dict):
            assert {key: answer[key] for key in expected} == expected
        else:
            assert {str(one) for one in expected} <= {str(one) for one in answer}
    elif compare == "nonempty_subset":
        assert answer
        assert {str(one) for one in answer} <= {str(one) for one in expected}
    elif compare == "path":
        assert_paths(answer, expected)
    elif compare == "refusal":
        assert answer == expected
    else:
        raise AssertionError(f"unknown comparison {compare}")


def assert_paths(answer: Json, expected: Json) -> None:
    """The shortest length is as expected, and so is each path of that length (or none is found)."""
    shortest = [path for path in answer["paths"] if len(path) - 1 == answer["hops"]]
    assert answer["hops"] == (expected["hops"] or 0)
    for path in shortest:
        assert path in expected["paths"]
    assert bool(shortest) == bool(expected["paths"])
