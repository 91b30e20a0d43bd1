"""Plans and applies edits for tests, and compares what is left."""

from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from kb.edits.apply import Applied, WriteOptions, apply_edit
from kb.edits.decisions import Reason
from kb.edits.edit import Edit
from kb.edits.edit_notes import with_common_notes
from kb.edits.workspace import Workspace
from kb.knowledge_base import open_for_reading
from kb.syntax.front_matter import split_front_matter
from kb.syntax.source import decode
from tests.conftest import NOW

#: Why tests judge.
WHY = Reason("Seen.", by="Ada", happened_at="2026-11-29")


def do(root: Path, plan: Callable[..., Edit], *arguments: Any, **options: Any) -> Applied:
    """Apply an edit to a knowledge base."""
    how = WriteOptions(commit=False)
    planned = with_common_notes(lambda workspace: plan(workspace, *arguments, **options), how)
    return apply_edit(str(root), NOW, planned, how)


def workspace(root: Path) -> Workspace:
    """Open a knowledge base as edits see it."""
    return Workspace(open_for_reading(str(root), NOW))


def tree(root: Path) -> dict[str, bytes]:
    """Give all files of a knowledge base."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


def check_bytes(before: bytes, after: bytes, lost: int | None = None) -> None:
    """Of the edits of a file, one of statements loses at most so many lines; any other keeps all but the frontmatter."""
    old, new = decode("before.md", before), decode("after.md", after)
    assert old.has_bom == new.has_bom
    if lost is None:
        assert body_of(old.text) == body_of(new.text)
        return
    lines, others = (one.text.splitlines() for one in (old, new))
    kept = sum(
        block.size
        for block in SequenceMatcher(None, lines, others, autojunk=False).get_matching_blocks()
    )
    assert len(lines) - kept <= lost, (before, after)


def body_of(text: str) -> str:
    """Give what stands below the frontmatter."""
    return text[split_front_matter(text).body_start :]
