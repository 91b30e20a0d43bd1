"""What comes with the project is as the project says: the knowledge base, the README, the changelog."""

import re
import subprocess
import sys

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.edits.format_files import format_files
from kb.knowledge_base import open_knowledge_base
from kb.render.diagnostics import render_diagnostics
from tests.conftest import NOW, REPOSITORY

EXPECTED = REPOSITORY / "tests" / "shipped" / "expected_findings.txt"


def test_the_shipped_knowledge_base_is_clean() -> None:
    """No errors, and exactly the warnings that it is meant to show."""
    base = open_knowledge_base(str(REPOSITORY), NOW)
    findings = check_knowledge_base(base)
    assert not [finding for finding in findings if finding.severity is Severity.ERROR]
    shown = render_diagnostics(findings, "text", base.corpus.texts).splitlines()
    assert [line for line in shown if not line.startswith("  ")] == EXPECTED.read_text(
        "utf-8"
    ).splitlines()


def test_the_shipped_knowledge_base_is_formatted_and_sealed() -> None:
    """``kb fmt`` would change nothing, and every observation's seal holds."""
    base = open_knowledge_base(str(REPOSITORY), NOW)
    assert format_files(base, check=True).changed == ()
    assert all(observation.is_sealed for observation in base.corpus.observations)


def test_the_readme_shows_what_the_command_prints() -> None:
    """The first command of the README prints what stands below it."""
    readme = (REPOSITORY / "README.md").read_text("utf-8")
    match = re.search(r"\$ python3 tools/kb (.*)\n```\n\n```text\n(.*?)```", readme, re.S)
    assert match
    done = subprocess.run(
        [sys.executable, "-m", "kb", *match.group(1).split()],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == match.group(2)


def test_every_decision_is_numbered_and_says_why() -> None:
    """Each decision record has its number in its name and title, and a reason."""
    records = sorted((REPOSITORY / "docs" / "decisions").glob("*.md"))
    for number, path in enumerate(records, 1):
        text = path.read_text("utf-8")
        assert path.name.startswith(f"{number:04}-")
        assert text.startswith(f"# {number}. ")
        assert "**Why.**" in text
