"""Planned changes of files that are there → disk, under the lock. Decides nothing about what is written."""

from collections.abc import Sequence

from kb.edits.write_files import MANY
from kb.edits.writing import begin_barrier, end_barrier, writing
from kb.errors import ConcurrentModification
from kb.knowledge_base import KnowledgeBase
from kb.store.writes import WriteRefused, flush_files, replace_file


def write_changes(
    base: KnowledgeBase, changes: Sequence[tuple[str, bytes]], name: str
) -> dict[str, str]:
    """Write (path, bytes) pairs planned on the bytes as loaded; give those that were not written, and why.

    One file that cannot be written does not stop the others.
    """
    missed = {}
    durable = len(changes) < MANY
    with writing(base.root) as journal:
        barrier = begin_barrier(journal, name, base.now)
        for path, data in changes:
            try:
                replace_file(base.root, path, data, base.corpus.contents[path], durable=durable)
            except ConcurrentModification:
                missed[path] = "it changed meanwhile"
            except WriteRefused as error:
                missed[path] = error.message.removeprefix(f"{path} is ")
        if not durable:
            flush_files(base.root)
        end_barrier(journal, barrier, has_written=len(missed) < len(changes))
    return missed
