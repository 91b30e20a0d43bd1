"""What every write begins with, whatever it writes: the lock, and what a killed process left."""

import contextlib
from collections.abc import Iterator

from kb.edits.carry_record import carry_record
from kb.edits.edit import Edit
from kb.edits.journal import Journal, JournalEntry, State
from kb.edits.settle import settle
from kb.edits.workspace import Refused
from kb.load import load_configuration
from kb.store.writes import lock_knowledge_base


@contextlib.contextmanager
def writing(root: str) -> Iterator[Journal]:
    """Hold the lock, and give the record of edits, which is where it belongs, and in which what was done last is settled.

    It is settled before anything else is written, which would make its files tell something else.
    """
    with lock_knowledge_base(root):
        carry_record(root)
        journal = Journal(root)
        for entry in journal.iter_newest():
            settled = settle(root, journal, entry)
            if settled is None or settled.state is not State.UNDONE:
                break  # what was undone stands before what its undoing goes on with
        yield journal


def check_configuration(root: str) -> None:
    """Refuse to write under a ``kb.yaml`` that cannot be read whole: its words and settings would not hold."""
    damage = load_configuration(root).damage
    if damage:
        raise Refused(f"{damage}; nothing was written", "mend it: kb check")


def begin_barrier(journal: Journal, name: str, now: int) -> JournalEntry:
    """Let ``undo`` stop at what is written next, whose files are not remembered, however that ends."""
    return journal.begin(JournalEntry(Edit(name, f"kb {name}"), "", "", "", "", now, State.BARRIER))


def end_barrier(journal: Journal, barrier: JournalEntry, *, has_written: bool) -> list[str]:
    """Take a barrier away where nothing was written after all; else give a warning where undo will not know of it."""
    if not has_written:
        journal.forget(barrier)
        return []
    return [] if barrier.name else journal.end(barrier)
