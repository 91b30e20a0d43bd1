"""`kb init`: a knowledge base that is clean from the first moment, and nobody's file overwritten."""

from pathlib import Path

import pytest

from kb.checks.run import check_knowledge_base
from kb.edits.format_files import format_files
from kb.edits.init_knowledge_base import AlreadyKnowledgeBase, init_knowledge_base
from kb.edits.seal_observations import seal_observations
from kb.knowledge_base import open_knowledge_base
from kb.render.edits import render_new
from kb.store.git import start_repository
from tests.conftest import NOW


@pytest.mark.parametrize("with_git", [False, True])
def test_a_new_knowledge_base_is_clean(tmp_path: Path, with_git: bool) -> None:
    """What init writes has no finding, needs no formatting, and is sealed; git is started on request."""
    new = init_knowledge_base(str(tmp_path / "a: b {c}"), now=NOW, with_git=with_git)
    assert new.made_repository == with_git == (tmp_path / "a: b {c}/.git").exists()
    assert "entities/person/ada-lovelace.md" in new.made
    assert new.kept == ()
    base = open_knowledge_base(new.root, NOW)
    assert base.settings.name == "a: b {c}"
    assert check_knowledge_base(base) == ()
    done = format_files(base, check=True)
    assert (done.changed, done.skipped) == ((), ())
    assert len(seal_observations(base).already) == 1
    assert {statement.predicate for statement in base.graph.iter_statements()} == {
        "contributes-to",
        "role",
    }


@pytest.mark.parametrize("with_git", [False, True])
def test_what_to_do_without_a_repository_is_said(tmp_path: Path, with_git: bool) -> None:
    """Without one, nor one above, history is kept by nothing: the summary says how to get it, and only then."""
    new = init_knowledge_base(str(tmp_path / "notes"), now=NOW, with_git=with_git)
    _, summary = render_new(new)
    assert new.is_in_git == with_git
    assert ("git init" in summary) != with_git
    inner = init_knowledge_base(str(tmp_path / "a" / "b"), now=NOW)
    assert "git init" in render_new(inner)[1]
    start_repository(str(tmp_path / "a"))
    assert init_knowledge_base(str(tmp_path / "a" / "c"), now=NOW).is_in_git


def test_in_a_folder_with_files_only_what_is_missing_is_added(tmp_path: Path) -> None:
    """Files that are there stay as they are, and examples go only where there is no Markdown yet."""
    (tmp_path / ".gitattributes").write_text("mine\n")
    (tmp_path / "entities/person").mkdir(parents=True)
    (tmp_path / "entities/person/bob.md").write_text("---\nid: bob\n---\n")
    new = init_knowledge_base(str(tmp_path), now=NOW)
    assert new.kept == (".gitattributes",)
    assert "entities/person/ada-lovelace.md" not in new.made
    assert (tmp_path / ".gitattributes").read_text() == "mine\n"
    assert [path.name for path in tmp_path.rglob("*.md")] == ["bob.md"]
    assert {"observations/", "questions/", "kb.yaml", "observations/.mdformat.toml"} <= set(
        new.made
    )


def test_a_knowledge_base_is_not_made_in_another(tmp_path: Path) -> None:
    """Neither in its root nor below it; nothing is written then."""
    init_knowledge_base(str(tmp_path), now=NOW)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(AlreadyKnowledgeBase, match="here"):
        init_knowledge_base(str(tmp_path), now=NOW)
    with pytest.raises(AlreadyKnowledgeBase, match="a folder above"):
        init_knowledge_base(str(tmp_path / "entities/inner"), now=NOW)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_beside_a_knowledge_base_is_outside_it(tmp_path: Path) -> None:
    """``../notes``, named from within a knowledge base, is what it leads to."""
    init_knowledge_base(str(tmp_path / "one"), now=NOW)
    made = init_knowledge_base(str(tmp_path / "one" / ".." / "two"), now=NOW)
    assert made.root == str(tmp_path / "two")
