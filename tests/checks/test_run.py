"""The run of all rules: strictness, paths, order, the shipped knowledge base."""

import pytest

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.errors import KbError
from kb.knowledge_base import open_knowledge_base
from tests.conftest import NOW, REPOSITORY, entity, observation

FILES = {
    "entities/person/ada.md": entity(
        "ada", "## Facts", "", "- titel:: x", "- title:: y", keys='["github:a"]'
    ),
    "entities/team/bob.md": entity("bob", type="team", keys='["github:a"]'),
    "observations/2026/01/2026-01-15-offsite.md": observation("2026-01-15-offsite", kind="memo"),
}


def grades(kb, **arguments) -> list[tuple[str, str]]:
    """List codes with their severities."""
    return [(one.code, one.severity.value) for one in check_knowledge_base(kb, **arguments)]


def test_strict_raises_what_the_catalogue_says(make_kb) -> None:
    """Under strict unknown words, missing citations and shared keys are errors; other warnings stay."""
    lenient = [
        ("KB206", "warning"),
        ("KB402", "warning"),
        ("KB402", "warning"),
        ("KB307", "warning"),
    ]
    strict = [(code, "error") for code, _ in lenient]
    rest = [("KB405", "warning"), ("KB407", "warning")]
    assert grades(make_kb(FILES)) == [*lenient, *rest]
    assert grades(make_kb(FILES), strict=True) == [*strict, *rest]
    kb = make_kb(FILES, config="kb: 1\nstrict: true\n")
    assert grades(kb) == [*strict, *rest]
    assert grades(kb, strict=False) == [*lenient, *rest]


def test_paths_narrow_what_is_told_not_what_is_looked_at(make_kb) -> None:
    """Only findings that name one of the paths are given, be it as a related place."""
    kb = make_kb(FILES)
    assert [code for code, _ in grades(kb, paths=("entities/team",))] == ["KB307"]
    assert [code for code, _ in grades(kb, paths=("entities/person/ada.md",))] == [
        "KB206",
        "KB402",
        "KB402",
        "KB307",
    ]
    assert [code for code, _ in grades(kb, paths=("observations",))] == ["KB405", "KB407"]
    assert grades(kb, paths=("",)) == grades(kb)
    assert grades(kb, paths=("entities/person", "observations")) == grades(kb)


def test_path_that_is_not_there(make_kb) -> None:
    """A path that does not exist is no clean one."""
    with pytest.raises(KbError):
        check_knowledge_base(make_kb(FILES), ("entities/person/nobody.md",))


def test_findings_are_sorted_and_single(make_kb) -> None:
    """By path, place and code, each once."""
    findings = check_knowledge_base(make_kb(FILES))
    assert list(findings) == sorted(set(findings), key=lambda one: one.sort_key)


def test_every_finding_says_what_to_do(make_kb) -> None:
    """No finding without a hint."""
    assert all(finding.hint for finding in check_knowledge_base(make_kb(FILES)))


def test_empty_knowledge_base_is_clean(make_kb) -> None:
    """A bare kb.yaml is a knowledge base, and nothing is wrong with it."""
    assert check_knowledge_base(make_kb({})) == ()


def test_shipped_knowledge_base_has_no_errors() -> None:
    """The knowledge base of this repository is kept clean; what it shows on purpose are warnings."""
    findings = check_knowledge_base(open_knowledge_base(str(REPOSITORY), NOW))
    assert [finding for finding in findings if finding.severity is Severity.ERROR] == []
