"""Plans and applies edits for tests. No test logic."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kb.edits.apply import Applied, WriteOptions, apply_edit
from kb.edits.decisions import Reason
from kb.edits.edit import Edit
from kb.edits.workspace import Workspace
from kb.knowledge_base import open_for_reading
from tests.conftest import NOW

#: Why tests judge.
WHY = Reason("Seen.", by="Ada", happened_at="2026-11-29")


def do(root: Path, plan: Callable[..., Edit], *arguments: Any, **options: Any) -> Applied:
    """Apply an edit to a knowledge base."""
    return apply_edit(
        str(root),
        NOW,
        lambda workspace: plan(workspace, *arguments, **options),
        WriteOptions(commit=False),
    )


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
