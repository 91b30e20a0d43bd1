"""Planned changes of files that are there → disk, under the lock. Decides nothing about what is written."""

from collections.abc import Sequence

from kb.edits.barriers import stopping_undo
from kb.errors import ConcurrentModification
from kb.knowledge_base import KnowledgeBase
from kb.store.writes import WriteRefused, flush_files, lock_knowledge_base, replace_file

_MANY = 20  #: from so many files on, they are flushed to disk all at once


def write_changes(
    base: KnowledgeBase, changes: Sequence[tuple[str, bytes]], name: str
) -> dict[str, str]:
    """Write (path, bytes) pairs planned on the bytes as loaded; give those that were not written, and why.

    One file that cannot be written does not stop the others.
    """
    missed = {}
    durable = len(changes) < _MANY
    with lock_knowledge_base(base.root), stopping_undo(base.root, name, base.now) as barrier:
        for path, data in changes:
            try:
                replace_file(base.root, path, data, base.corpus.contents[path], durable=durable)
            except ConcurrentModification:
                missed[path] = "it changed meanwhile"
            except WriteRefused as error:
                missed[path] = error.message.removeprefix(f"{path} is ")
        if not durable:
            flush_files(base.root)
        barrier.is_needed = len(missed) < len(changes)
    return missed
