"""Every diagnostic code is explained, provoked by a smallest knowledge base, and shown as expected."""

import os
import re
from pathlib import Path

import pytest

from kb.catalogue import CATALOGUE, get_code
from kb.checks import check_knowledge_base
from kb.errors import UsageError
from kb.knowledge_base import open_knowledge_base
from kb.render.diagnostics import render_diagnostics, render_explanation
from tests.checks.provocations import PROVOCATIONS
from tests.conftest import NOW, REPOSITORY, write_kb

GOLDEN = Path(__file__).parent / "golden"
#: Set to write what is rendered instead of comparing it.
UPDATE = os.environ.get("KB_UPDATE_GOLDEN") == "1"


@pytest.mark.parametrize("code", PROVOCATIONS)
def test_provocation(code: str, tmp_path: Path) -> None:
    """Each code's smallest knowledge base provokes that code and no other, and reads as in golden/."""
    provocation = PROVOCATIONS[code]
    root = write_kb(tmp_path / "kb", provocation.files, provocation.config)
    if provocation.set_up is not None:
        provocation.set_up(root)
    kb = open_knowledge_base(str(root), NOW)
    findings = check_knowledge_base(kb)
    assert {finding.code for finding in findings} == {code}
    rendered = render_diagnostics(findings, "full", kb.corpus.texts)
    golden = GOLDEN / f"{code}.txt"
    if UPDATE:
        golden.write_text(rendered, encoding="utf-8")
    assert rendered == golden.read_text(encoding="utf-8")


def test_every_code_is_provoked() -> None:
    """No code without a provocation and its golden text, and none of these without a code."""
    goldens = {path.stem for path in GOLDEN.glob("*.txt")}
    assert set(PROVOCATIONS) == set(CATALOGUE) == goldens


@pytest.mark.parametrize("code", CATALOGUE)
def test_example_is_what_provokes(code: str) -> None:
    """The example that 'kb explain' shows stands in the provocation, remarks in parentheses apart."""
    provocation = PROVOCATIONS[code]
    texts = [
        text.decode("latin-1") if isinstance(text, bytes) else text
        for text in provocation.files.values()
    ]
    lines = {line.strip() for text in (*texts, provocation.config) for line in text.splitlines()}
    for line in CATALOGUE[code].example.splitlines():
        start = line.strip().removesuffix("…")
        if not start.startswith("("):
            assert start in lines or any(other.startswith(start) for other in lines), line


def test_every_code_is_explained() -> None:
    """Each entry says what is wrong, what to do and shows an example, in whole sentences."""
    for entry in CATALOGUE.values():
        assert entry.example, entry.code
        for text in (entry.summary, entry.remedy):
            assert text[0].isupper() or text.startswith(("'", "kb.yaml")), entry.code
            assert text.endswith("."), entry.code
        assert entry.name in render_explanation(entry.code)


def test_code_and_catalogue_agree() -> None:
    """The program names no code that the catalogue lacks, and the catalogue none that the program lacks."""
    named = {
        code
        for path in (REPOSITORY / "kb").rglob("*.py")
        if path.name != "catalogue.py"
        for code in re.findall(r'"(KB\d{3})"', path.read_text(encoding="utf-8"))
    }
    assert named == set(CATALOGUE)


@pytest.mark.parametrize("written", ["KB301", "kb301", "301", "dangling-link"])
def test_code_is_found_as_people_write_it(written: str) -> None:
    """A code may be given by number or by name, in any case."""
    assert get_code(written).code == "KB301"


def test_unknown_code_is_a_usage_error() -> None:
    """A code that does not exist is refused, with the nearest ones as a hint."""
    with pytest.raises(UsageError) as caught:
        render_explanation("dangling-lnk")
    assert caught.value.hint == "did you mean dangling-link?"


def test_explanation() -> None:
    """An explanation says what is wrong, shows an example, and what to do."""
    assert render_explanation("KB402") == (
        "KB402 uncited-statement · warning (an error under 'strict')\n"
        "\n"
        "A statement cites no observation, so nothing shows where it comes from.\n"
        "\n"
        "For example:\n"
        "\n"
        "  - title:: Head of Partnerships\n"
        "\n"
        "What to do: Cite the observation that says it: [^observation-id].\n"
    )
