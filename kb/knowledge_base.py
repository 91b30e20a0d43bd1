"""What is open, and where its parts are. No logic."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.derived.opening import OpenGraph
    from kb.graph.build import Resolution
    from kb.graph.graph import Graph
    from kb.load import Corpus
    from kb.model.settings import Settings
    from kb.model.vocabulary import Vocabulary

# The parts are imported when they are asked for: a cold query needs few of them.

Progress = Callable[[int], None]


class KnowledgeBase:
    """An open knowledge base at one moment.

    Opened for reading it answers from the graph file, and parses files only where the corpus is asked for. Otherwise the
    corpus is loaded, and the graph is built from it.
    """

    def __init__(
        self,
        root: str,
        now: int,
        opened: "OpenGraph | None" = None,
        warnings: tuple[str, ...] = (),
        progress: Progress | None = None,
    ) -> None:
        self.root = root  #: the folder that holds ``kb.yaml``
        self.now = now  #: the moment that counts as now, seconds since 1970 UTC
        self.opened = opened  #: the graph file, where it is opened for reading
        self.warnings = warnings  #: about what is derived and ``kb.yaml``, not about what files say
        self.cited: set[str] = set()  #: paths of the files that answers rest on
        self._progress = progress

    @cached_property
    def corpus(self) -> "Corpus":
        """All files, parsed."""
        from kb.load import load_corpus

        return load_corpus(self.root, self._progress)

    @cached_property
    def settings(self) -> "Settings":
        """What ``kb.yaml`` says."""
        if self.opened is None:
            return self.corpus.configuration.settings
        from kb.load import load_configuration

        return load_configuration(self.root).configuration.settings

    @property
    def vocabulary(self) -> "Vocabulary":
        """The words in use."""
        if self.opened is None:
            return self.corpus.configuration.vocabulary
        return self.graph.vocabulary

    @cached_property
    def resolution(self) -> "Resolution":
        """The files resolved against each other."""
        from kb.graph.build import resolve_files

        corpus = self.corpus
        return resolve_files(
            corpus.entities, corpus.observations, corpus.configuration.vocabulary, corpus.digests
        )

    @cached_property
    def graph(self) -> "Graph":
        """The graph of what the files say."""
        if self.opened is not None:
            from kb.graph.stored import StoredGraph

            return StoredGraph(self.opened.base, self.opened.changes)
        from kb.graph.build import build_graph

        return build_graph(self.resolution)

    @cached_property
    def revision(self) -> str:
        """The commit read, ``+`` for uncommitted changes; empty without git."""
        if self.opened is not None:
            return self.opened.revision
        from kb.derived.revision import revision_of

        return revision_of(self.root, self.corpus.contents)

    def is_outdated(self) -> bool:
        """Say whether a file that an answer rests on was written since the sweep that was trusted."""
        if self.opened is None or self.opened.is_swept:
            return False
        from kb.store.sweep import was_written_since

        return any(
            was_written_since(f"{self.root}/{path}", self.opened.started) for path in self.cited
        )


def open_knowledge_base(root: str, now: int, progress: Progress | None = None) -> KnowledgeBase:
    """Load the knowledge base at a root: all files are parsed."""
    base = KnowledgeBase(root, now, progress=progress)
    base.corpus  # noqa: B018 -- loaded now, so that it is of one moment
    return base


def open_for_reading(
    root: str, now: int, progress: Progress | None = None, may_trust: bool = True
) -> KnowledgeBase:
    """Open the knowledge base at a root by its graph file, which is brought up to date first.

    Where that cannot be kept, the files are loaded instead, and a warning says why. ``may_trust`` allows what
    ``freshness`` in ``kb.yaml`` allows.
    """
    from kb.derived.opening import NotKept, open_graph

    try:
        opened = open_graph(root, progress, may_trust)
    except NotKept as error:
        from kb.load import load_configuration

        warning = f"the graph is not kept: {error}; all files are read"
        warnings = tuple(filter(None, (warning, load_configuration(root).warning)))
        return KnowledgeBase(root, now, warnings=warnings, progress=progress)
    return KnowledgeBase(root, now, opened, opened.warnings, progress)
