"""Observations: seals, history, kinds, derivations, decisions."""

from pathlib import Path

import pytest

from kb.checks import check_knowledge_base
from kb.knowledge_base import open_knowledge_base
from tests.checks.found import found, marked, said
from tests.checks.provocations import sealed
from tests.conftest import NOW, entity, git, observation, write_kb

PATH = "observations/2026/01/2026-01-15-offsite.md"


def committed(root: Path, files: dict[str, str]) -> Path:
    """Write and commit a knowledge base."""
    write_kb(root, files)
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "all")
    return root


def codes(root: Path, uses_git: bool = True) -> list[str]:
    """List the codes of what is found."""
    return [
        one.code for one in check_knowledge_base(open_knowledge_base(str(root), NOW), git=uses_git)
    ]


def test_seal_covers_text_whatever_its_line_ends(make_kb) -> None:
    """A checkout that turns LF into CRLF breaks no seal."""
    text = sealed("2026-01-15-offsite", "One.\nTwo.\n").replace("\n", "\r\n")
    assert check_knowledge_base(make_kb({PATH: text})) == ()


def test_seal_that_is_no_digest(make_kb) -> None:
    """A seal must be a SHA-256 digest as the format writes it."""
    kb = make_kb({PATH: observation("2026-01-15-offsite", sha256="ABC")})
    assert found(kb) == ["2026-01-15-offsite.md:5:9 KB406"]


@pytest.mark.parametrize(
    "now, expected",
    [
        (sealed("2026-01-15-offsite", "Said.\n"), []),
        (sealed("2026-01-15-offsite", "Said.\n", title="Offsite"), []),
        (sealed("2026-01-15-offsite", "Said.\n").replace("\n", "\r\n"), []),
        (sealed("2026-01-15-offsite", "Other.\n"), ["KB501"]),
        (observation("2026-01-15-offsite", "Other.\n"), ["KB405", "KB501"]),
        (sealed("2026-01-15-offsite", "Said.\n") + "More.\n", ["KB406"]),
        ("no frontmatter\n", ["KB102"]),
    ],
)
def test_text_after_its_seal_was_committed(tmp_path, now: str, expected: list[str]) -> None:
    """Fields and line ends may change; the text may not, sealed anew or not. A broken seal says it already."""
    root = committed(tmp_path, {PATH: sealed("2026-01-15-offsite", "Said.\n")})
    (root / PATH).write_bytes(now.encode())
    assert codes(root) == expected


def test_unsealed_text_may_change(tmp_path) -> None:
    """Before it is sealed an observation may be edited."""
    root = committed(tmp_path, {PATH: observation("2026-01-15-offsite", "Said.\n")})
    (root / PATH).write_text(sealed("2026-01-15-offsite", "Other.\n"))
    assert codes(root) == []


def test_moved_observation_keeps_its_history(tmp_path) -> None:
    """A sealed text does not become another one by being moved."""
    root = committed(tmp_path, {PATH: sealed("2026-01-15-offsite", "Said.\n")})
    (root / PATH).unlink()
    (root / "observations/2026-01-15-offsite.md").write_text(
        sealed("2026-01-15-offsite", "Other.\n")
    )
    assert codes(root) == ["KB501"]


def test_history_is_left_alone_without_git(tmp_path) -> None:
    """With git=False, outside a repository or before a first commit, history says nothing."""
    root = committed(tmp_path / "a", {PATH: sealed("2026-01-15-offsite", "Said.\n")})
    (root / PATH).write_text(sealed("2026-01-15-offsite", "Other.\n"))
    assert codes(root, uses_git=False) == []
    plain = write_kb(tmp_path / "b", {PATH: sealed("2026-01-15-offsite")})
    assert codes(plain) == []
    git(plain, "init", "--quiet")
    assert codes(plain) == []


def test_root_below_the_work_tree(tmp_path) -> None:
    """A knowledge base may be a folder of a repository."""
    committed(tmp_path, {f"notes/{PATH}": sealed("2026-01-15-offsite"), "notes/kb.yaml": "kb: 1\n"})
    (tmp_path / "notes" / PATH).write_text(sealed("2026-01-15-offsite", "Other.\n"))
    assert codes(tmp_path / "notes") == ["KB501"]


def test_derivations_that_lead_back(make_kb) -> None:
    """Of observations that repeat each other none would be a witness: one finding a circle."""
    files = {
        f"observations/2026/01/2026-01-0{n}-x.md": observation(
            f"2026-01-0{n}-x", derived_from=f"[2026-01-0{other}-x]"
        )
        for n, other in ((1, 2), (2, 1), (3, 3))
    }
    assert found(make_kb(files)) == ["2026-01-02-x.md:5:16 KB409", "2026-01-03-x.md:5:16 KB409"]


@pytest.mark.parametrize(
    "fields, word",
    [
        ({"said_by": "Dana", "about": "[ada, bob]"}, "decision"),
        ({"decision": "merge", "about": "[ada, bob]"}, "merge"),
        ({"decision": "merge", "said_by": "Dana"}, "merge"),
        ({"decision": "distinct", "said_by": "Dana", "about": "[ada]"}, "distinct"),
        ({"decision": "merge", "said_by": "Dana", "about": "[ada, rob]"}, "rob"),
        (
            {"decision": "merge", "said_by": "Dana", "about": "[ada, 2026-01-15-offsite]"},
            "merge",
        ),
        ({"decision": "merge", "said_by": "Dana", "about": "[ada, bob, 2026-01-01-two]"}, None),
        (
            {"decision": "unmerge", "said_by": "Dana", "about": "[ada, bob, 2026-01-02-note]"},
            "2026-01-02-note",
        ),
        ({"decision": "reject", "said_by": "Dana", "about": "[ada, ^zzzzzzzz]"}, "^zzzzzzzz"),
        ({"decision": "merge", "said_by": "Dana", "about": "[ada, bob]"}, None),
        (
            {"decision": "not-mentioned", "said_by": "Dana", "about": "[ada, 2026-01-15-offsite]"},
            None,
        ),
        ({"decision": "reject", "said_by": "Dana", "about": "[ada, ^aaaaaaaa]"}, None),
        ({"decision": "correct", "said_by": "Dana", "about": "[aaaaaaaa]"}, None),
    ],
)
def test_decisions(make_kb, fields: dict[str, str], word: str | None) -> None:
    """A decision says what, about what and who; merges are about entities and decisions, others about statements as well."""
    two = {"kind": "decision", "decision": "distinct", "about": "[ada, bob]", "said_by": "Dana"}
    kb = make_kb(
        {
            "entities/ada.md": entity("ada", "## Facts", "", "- title:: Head ^aaaaaaaa"),
            "entities/bob.md": entity("bob"),
            "observations/2026/01/2026-01-01-two.md": observation("2026-01-01-two", **two),
            "observations/2026/01/2026-01-02-note.md": observation("2026-01-02-note"),
            PATH: observation("2026-01-15-offsite", kind="decision", **fields),
        }
    )
    assert marked(kb, "KB411") == ([word] if word else [])
    assert found(kb, "KB411") == found(kb)


@pytest.mark.parametrize(
    "kind, decision, messages",
    [
        ("note", "correct", ['"correct" counts for nothing in an observation of kind "note"']),
        ("memo", "merge", ['"merge" counts for nothing in an observation of kind "memo"']),
        ("", "reject", ['"reject" counts for nothing in an observation without a kind']),
        ("note", "we buy it", []),
        ("meeting", "Merge", []),
        ("", "~", []),
        ("decision", "we buy it", ['"we buy it" is no decision']),
        ("decision", "Merge", ['"Merge" is no decision']),
        ("decision", "reject", []),
    ],
)
def test_a_decision_is_of_its_kind(make_kb, kind: str, decision: str, messages: list[str]) -> None:
    """One of the format's words in another kind counts for nothing, and is told; another word there is the author's own field."""
    fields = {"kind": kind, "decision": decision, "said_by": "ada", "about": "[ada, bob]"}
    files = {f"entities/{id}.md": entity(id) for id in ("ada", "bob")}
    kb = make_kb({**files, PATH: observation("2026-01-15-offsite", **fields)})
    assert [message for message, _ in said(kb, "KB411")] == messages
    assert marked(kb, "KB411") == [decision] * len(messages)
