"""What an edit did, or would do → text and JSON."""

from collections.abc import Iterator
from typing import Any

from kb.edits.apply import Applied
from kb.edits.edit import FileChange
from kb.render.errors import error_fields
from kb.render.terminal import escape_terminal

#: Files that a text names; JSON has all.
_MOST_SHOWN = 50


def applied_lines(done: Applied) -> Iterator[str]:
    """Say what was done, file by file; of a dry run, show the diff."""
    edit = done.edit
    if done.is_repeated:
        yield f"done before: {escape_terminal(edit.subject)}"
    elif not edit.changes:
        yield f"nothing to do: {escape_terminal(edit.subject)}"
    else:
        yield escape_terminal(edit.subject)
    for change in edit.changes[:_MOST_SHOWN]:
        if done.is_written:
            yield f"  {_verb(change)} {escape_terminal(change.path)}"
        else:
            yield from map(escape_terminal, diff_lines(change))
    left = len(edit.changes) - _MOST_SHOWN
    if left > 0:
        yield f"… {left:,} more files (--json lists all)"
    for statement in edit.statements:
        yield f"  ^{statement.id} of {statement.entity}"
    for note in edit.notes:
        yield f"note: {escape_terminal(note)}"
    if done.commit:
        yield f"commit {done.commit[:12]}"


def applied_fields(done: Applied) -> dict[str, Any]:
    """Give the outcome of an edit as JSON has it."""
    edit = done.edit
    fields: dict[str, Any] = {
        "edit": edit.name,
        "subject": edit.subject,
        "written": done.is_written,
        "repeated": done.is_repeated,
        "revision": done.revision,
        "commit": done.commit or None,
        "entities": list(edit.entities),
        "statements": [{"entity": one.entity, "id": one.id} for one in edit.statements],
        "observations": list(edit.observations),
        "changes": [{"path": one.path, "change": _verb(one)} for one in edit.changes],
        "notes": list(edit.notes),
        "warnings": list(done.warnings),
    }
    if done.uncommitted is not None:
        error = done.uncommitted
        fields["error"] = error_fields(error.code, error.message, error.hint)
    if not done.is_written:
        fields["diff"] = "".join(
            f"{line}\n" for change in edit.changes for line in diff_lines(change)
        )
    return fields


def diff_lines(change: FileChange) -> Iterator[str]:
    """Show a change as a unified diff."""
    from difflib import unified_diff

    before, after = (
        (data or b"").decode("utf-8", "replace").splitlines()
        for data in (change.before, change.after)
    )
    names = (
        f"a/{change.path}" if change.before is not None else "/dev/null",
        f"b/{change.path}" if change.after is not None else "/dev/null",
    )
    yield from unified_diff(before, after, *names, lineterm="")


def _verb(change: FileChange) -> str:
    if change.before is None:
        return "made"
    return "removed" if change.after is None else "changed"
