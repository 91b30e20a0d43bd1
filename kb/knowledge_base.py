"""What is open, and where its parts are. No logic."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from kb.graph.build import Resolution, build_graph, resolve_files
from kb.graph.graph import Graph
from kb.load import Corpus, load_corpus
from kb.model.settings import Settings
from kb.model.vocabulary import Vocabulary
from kb.store.git import differs_from_head, head_commit
from kb.store.layout import CONFIGURATION, ENTITIES, OBSERVATIONS


@dataclass(frozen=True)
class KnowledgeBase:
    """An open knowledge base at one moment."""

    corpus: Corpus
    now: int  #: the moment that counts as now, seconds since 1970 UTC

    @property
    def root(self) -> str:
        """The folder that holds ``kb.yaml``."""
        return self.corpus.root

    @property
    def settings(self) -> Settings:
        """What ``kb.yaml`` says."""
        return self.corpus.configuration.settings

    @property
    def vocabulary(self) -> Vocabulary:
        """The words in use."""
        return self.corpus.configuration.vocabulary

    @cached_property
    def resolution(self) -> Resolution:
        """The files resolved against each other."""
        return resolve_files(
            self.corpus.entities, self.corpus.observations, self.vocabulary, self.corpus.digests
        )

    @cached_property
    def graph(self) -> Graph:
        """The graph of what the files say."""
        return build_graph(self.resolution)

    @cached_property
    def revision(self) -> str:
        """The commit read, ``+`` for uncommitted changes; empty without git."""
        commit = head_commit(self.root)
        if not commit:
            return ""
        changed = differs_from_head(
            self.root, self.corpus.contents, commit, (CONFIGURATION, ENTITIES, OBSERVATIONS)
        )
        return commit + "+" if changed else commit


def open_knowledge_base(
    root: str, now: int, progress: Callable[[int], None] | None = None
) -> KnowledgeBase:
    """Load the knowledge base at a root."""
    return KnowledgeBase(load_corpus(root, progress), now)
