"""The writing of an import: file by file under the lock; one that cannot be written stops no other. Plans nothing."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Set
from graphlib import CycleError, TopologicalSorter

from kb.edits.barriers import stopping_undo
from kb.edits.records import Problem
from kb.errors import KbError
from kb.knowledge_base import KnowledgeBase
from kb.store.writes import create_file, flush_files, lock_knowledge_base, replace_file

Progress = Callable[[int, int], None]


class Writer:
    """Writes the files of an import, and knows which. ``is_dry``: nothing is written, and all would have been."""

    def __init__(
        self,
        base: KnowledgeBase,
        problems: list[Problem],
        progress: Progress | None,
        *,
        is_dry: bool,
    ) -> None:
        self._base, self._problems, self._progress = base, problems, progress
        self._is_dry = is_dry
        self._total = 0
        self.written: dict[str, None] = {}  #: paths, in the order of writing

    @contextlib.contextmanager
    def writing(self, total: int) -> Iterator[None]:
        """Hold the lock while so many files are written; what is written is flushed and remembered in the end."""
        self._total = total
        if self._is_dry or not total:
            yield
            return
        root = self._base.root
        with lock_knowledge_base(root), stopping_undo(root, "import", self._base.now) as barrier:
            yield
            flush_files(root)
            barrier.is_needed = bool(self.written)
        self._problems += [Problem(0, warning) for warning in barrier.warnings]

    def write(self, path: str, before: bytes | None, after: bytes, line: int = 0) -> bool:
        """Make or change a file; say whether that was done. A failure is reported, at its record's line."""
        try:
            if self._is_dry:
                pass
            elif before is None:
                create_file(self._base.root, path, after, durable=False)
            else:
                replace_file(self._base.root, path, after, before, durable=False)
        except KbError as error:
            self._problems.append(Problem(line, error.message, is_lost=True))
            return False
        self.written[path] = None
        if self._progress and not self._is_dry:
            self._progress(len(self.written), self._total)
        return True


def iter_writing_order(needs: Mapping[str, Set[str]]) -> Iterator[tuple[str, bool]]:
    """Yield the keys, each after those that it needs. Where some need each other, each of them comes twice.

    The first time, marked with ``True``, it is to be written without what it needs. What is needed and no key is passed over.
    """
    inner = {id: [one for one in needed if one in needs] for id, needed in needs.items()}
    sorter = TopologicalSorter(inner)
    with contextlib.suppress(
        CycleError
    ):  # all that is in no circle, nor needs one, comes all the same
        sorter.prepare()
    left = dict.fromkeys(needs)
    while ready := sorter.get_ready():
        for id in ready:
            del left[id]
            yield id, False
        sorter.done(*ready)
    yield from ((id, True) for id in left)
    yield from ((id, False) for id in left)
