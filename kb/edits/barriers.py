"""What ``undo`` stops at: a write whose files are not remembered. It is written down before they are."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.edits.edit import Edit
from kb.edits.journal import Journal, JournalEntry, State


@dataclass
class Barrier:
    """Whether undo is to stop at a write."""

    is_needed: bool = True  #: to be set to ``False`` where nothing was written after all
    warnings: list[str] = field(default_factory=list)  #: afterwards: why undo will not know it


@contextlib.contextmanager
def stopping_undo(root: str, name: str, now: int) -> Iterator[Barrier]:
    """Let undo stop at what is written meanwhile, however that ends. The lock must be held."""
    journal, barrier = Journal(root), Barrier()
    edit = Edit(name, f"kb {name}")
    entry = journal.begin(JournalEntry(edit, "", "", "", "", now, State.BARRIER))
    yield barrier
    if not barrier.is_needed:
        journal.forget(entry)
    elif not entry.name:
        barrier.warnings += journal.end(entry)
