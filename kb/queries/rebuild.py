"""``rebuild``: what is derived from the files, brought up to date or made anew."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from kb.index.documents import Documents
from kb.index.opening import OpenIndex, open_index
from kb.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from kb.derived.opening import OpenGraph


class Counted(NamedTuple):
    """How much a graph is made of."""

    files: int
    entities: int
    statements: int


def rebuild_graph(
    root: str, now: int, is_anew: bool = False, progress: Callable[[int], None] | None = None
) -> tuple[KnowledgeBase, Counted]:
    """Bring the graph up to date, or build all of it anew; where it cannot be kept, a warning says why."""
    from kb.derived.opening import NotKept, open_graph

    try:
        opened = open_graph(root, progress, may_trust=False, is_anew=is_anew)
    except NotKept as error:
        base = KnowledgeBase(
            root, now, warnings=(f"the graph is not kept: {error}",), progress=progress
        )
        files = len(base.corpus.contents)
    else:
        base = KnowledgeBase(root, now, opened, opened.warnings, progress)
        files = _count_files(opened)
    graph = base.graph
    return base, Counted(files, len(graph.entities), sum(graph.count_predicates().values()))


def _count_files(opened: "OpenGraph") -> int:
    from kb.derived.build import iter_blobs

    return sum(1 for _ in iter_blobs(opened.base, opened.changes))


def rebuild_index(
    knowledge_base: KnowledgeBase,
    is_anew: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> OpenIndex:
    """Bring the index up to date, every change written, or write all of it anew."""
    documents = Documents(knowledge_base.graph)
    return open_index(knowledge_base.root, documents, progress, is_anew=is_anew, is_complete=True)
