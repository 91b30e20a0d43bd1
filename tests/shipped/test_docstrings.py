"""Every test says which rule it tests."""

import ast
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

MODULES = sorted((REPOSITORY / "tests").rglob("test_*.py"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_every_test_states_its_rule(path: Path) -> None:
    """A test function has a docstring, since a name alone says what happens and not what must hold."""
    silent = [
        f"{path.relative_to(REPOSITORY)}:{node.lineno} {node.name}"
        for node in ast.walk(ast.parse(path.read_bytes(), str(path)))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert silent == []
