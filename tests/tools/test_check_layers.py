"""``tools/check_layers`` finds each import that the layers forbid, wherever it stands."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.mini_clone import TOOLS


def check_layers(root: Path, files: dict[str, str]) -> list[str]:
    """Write a project with these files, and return what the program prints."""
    for name, text in {"kb/__init__.py": '"""kb."""\n__version__ = "1"\n', **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        for folder in path.relative_to(root).parents[:-2]:
            if not (root / folder / "__init__.py").exists():
                (root / folder / "__init__.py").write_text('"""A package."""\n')
    run = subprocess.run(
        [sys.executable, str(TOOLS / "check_layers"), str(root)], capture_output=True, text=True
    )
    findings = run.stdout.splitlines()
    assert run.stderr == ""
    assert run.returncode == (0 if findings[-1].endswith("keep the layers") else 1)
    return findings if run.returncode else []


@pytest.mark.parametrize(
    "name, source",
    [
        ("kb/graph/rows.py", "from kb.model import Entity\nfrom kb.graph.file import read\n"),
        ("kb/graph/rows.py", "from . import file\nfrom .file import read\n"),
        ("kb/cli/main.py", "import click\nfrom kb import __version__, queries\n"),
        ("kb/store/git_objects.py", "def f():\n    import git\n"),
        ("kb/diagnostics.py", "from kb.catalogue import TITLES\n"),
        ("kb/catalogue.py", "from kb.diagnostics import Severity\n"),
        ("kb/syntax/front_matter.py", "import re, yaml\nfrom frontmatter import parse\n"),
        ("kb/edits/settings.py", "from ruamel.yaml import YAML\n"),
        ("kb/__main__.py", "from kb.cli import main\n"),
    ],
)
def test_allowed_imports(tmp_path: Path, name: str, source: str) -> None:
    """A module may import its own package, lower layers, and the libraries that are its own."""
    assert check_layers(tmp_path, {name: source}) == []


@pytest.mark.parametrize(
    "name, source, finding",
    [
        (
            "kb/graph/rows.py",
            "import os\nimport kb.cli.main\n",
            "2: kb.graph must not import kb.cli",
        ),
        ("kb/graph/rows.py", "from kb import cli\n", "1: kb.graph must not import kb.cli"),
        ("kb/graph/rows.py", "from ..cli import main\n", "1: kb.graph must not import kb.cli"),
        ("kb/graph/rows.py", "from .. import index\n", "1: kb.graph must not import kb.index"),
        ("kb/graph/rows.py", "import kb\n", "1: kb.graph must not import kb"),
        ("kb/cli/main.py", "from kb.lsp import serve\n", "1: kb.cli must not import kb.lsp"),
        ("kb/ingest/mail.py", "import kb.extract\n", "1: kb.ingest must not import kb.extract"),
        ("kb/errors.py", "import kb.diagnostics\n", "1: kb.errors must not import kb.diagnostics"),
        ("kb/load.py", "import whoosh.fields\n", "1: kb.load must not import whoosh"),
        ("kb/store/layout.py", "import git\n", "1: kb.store.layout must not import git"),
        ("kb/store/git.py", "import click\n", "1: kb.store.git must not import click"),
        ("kb/edits/add.py", "import yaml\n", "1: kb.edits.add must not import yaml"),
        (
            "kb/load.py",
            "import requests\n",
            "1: requests is not in the table of libraries in tools/check_layers",
        ),
        (
            "kb/tidy.py",
            "",
            "1: kb.tidy has no layer: add it to the table in tools/check_layers",
        ),
    ],
)
def test_forbidden_imports(tmp_path: Path, name: str, source: str, finding: str) -> None:
    """Each import of a higher layer, a door beside, or another's library is told with its line."""
    assert check_layers(tmp_path, {name: source}) == [f"{name}:{finding}"]


def test_hidden_imports(tmp_path: Path) -> None:
    """Imports in functions, for type checking, and by name through importlib count as well."""
    source = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n"
        "    from kb.cli import A\n"
        "class B:\n"
        "    def c(self):\n"
        "        from kb.render import D\n"
        "        import importlib\n"
        "        importlib.import_module('kb.queries.show')\n"
    )
    assert check_layers(tmp_path, {"kb/model/entity.py": source}) == [
        "kb/model/entity.py:3: kb.model must not import kb.cli",
        "kb/model/entity.py:6: kb.model must not import kb.render",
        "kb/model/entity.py:8: kb.model must not import kb.queries",
    ]


def test_packages_say_what_they_are(tmp_path: Path) -> None:
    """Each package has an ``__init__.py`` with a docstring."""
    (tmp_path / "kb" / "graph").mkdir(parents=True)
    (tmp_path / "kb" / "graph" / "rows.py").touch()
    assert check_layers(tmp_path, {"kb/model/__init__.py": "x = 1\n"}) == [
        "kb/graph/__init__.py:1: missing: a folder with modules needs it",
        "kb/model/__init__.py:1: a package needs a docstring that says what it is",
    ]
