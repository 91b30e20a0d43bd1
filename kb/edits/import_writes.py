"""The writing of an import: file by file under the lock; one that cannot be written stops no other. Plans nothing."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Set

from kb.edits.records import Problem
from kb.edits.writing import begin_barrier, end_barrier, writing
from kb.errors import KbError
from kb.knowledge_base import KnowledgeBase
from kb.store.writes import create_file, flush_files, replace_file

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
        with writing(root) as journal:
            barrier = begin_barrier(journal, "import", self._base.now)
            yield
            flush_files(root)
            warnings = end_barrier(journal, barrier, has_written=bool(self.written))
        self._problems += [Problem(0, warning) for warning in warnings]

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
    """Yield the keys, each after those that it needs. Those of a circle, which need each other, come twice.

    The first time, marked with ``True``, one is to be written without what it needs. What is needed and no key counts for
    nothing, as does one that needs itself.
    """
    for group in _groups(needs):
        if len(group) > 1:
            yield from ((id, True) for id in group)
        yield from ((id, False) for id in group)


def _groups(needs: Mapping[str, Set[str]]) -> Iterator[list[str]]:
    """Yield those that need each other, however far round, together, each group after those that it needs.

    Tarjan's strongly connected components: one walk, without recursion, since a chain may be as long as an import.
    """
    found: dict[str, int] = {}  # when the walk came to each
    lowest: dict[str, int] = {}  # the earliest that each leads back to
    pending: dict[str, None] = {}  # in no group yet, in the order of the walk
    for start in needs:
        walk = [] if start in found else [start]
        left: dict[str, Iterator[str]] = {}
        while walk:
            id = walk[-1]
            if id not in left:
                found[id] = lowest[id] = len(found)
                pending[id] = None
                left[id] = iter(sorted(needs[id] & needs.keys()))
            for other in left[id]:
                if other not in found:
                    walk.append(other)
                    break
                if other in pending:
                    lowest[id] = min(lowest[id], lowest[other])
            else:
                walk.pop()
                if walk:
                    lowest[walk[-1]] = min(lowest[walk[-1]], lowest[id])
                if lowest[id] == found[id]:
                    group: list[str] = []
                    while not group or group[-1] != id:
                        group.append(pending.popitem()[0])
                    yield group[::-1]
