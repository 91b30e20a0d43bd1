"""What the rules look at, and how they say where. No rule."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from kb.catalogue import CATALOGUE
from kb.diagnostics import WHOLE_FILE, Diagnostic, Span
from kb.graph.build import Resolution
from kb.graph.drafts import Draft
from kb.graph.graph import Graph, Statement
from kb.knowledge_base import KnowledgeBase
from kb.load import Corpus
from kb.model.names import normalize_predicate, stem_of
from kb.model.vocabulary import Vocabulary
from kb.store.layout import is_within

#: Findings of the loader after which nothing is known of what lies at a path.
_UNREAD = frozenset(("KB117", "KB316"))


@dataclass(frozen=True)
class Material:
    """A knowledge base, as the rules see it."""

    base: KnowledgeBase
    uses_git: bool = True  #: whether rules may look at the last commit

    @property
    def corpus(self) -> Corpus:
        """The files as loaded."""
        return self.base.corpus

    @property
    def resolution(self) -> Resolution:
        """The files resolved against each other."""
        return self.base.resolution

    @property
    def graph(self) -> Graph:
        """The graph of what the files say."""
        return self.base.graph

    @property
    def now(self) -> int:
        """The moment that counts as now, seconds since 1970 UTC."""
        return self.base.now

    @property
    def vocabulary(self) -> Vocabulary:
        """The words in use."""
        return self.base.vocabulary

    def finding(
        self,
        code: str,
        path: str,
        span: Span,
        message: str,
        hint: str = "",
        related: tuple[tuple[str, Span], ...] = (),
    ) -> Diagnostic:
        """Make a finding; without a hint of its own the catalogue's stands in."""
        entry = CATALOGUE[code]
        return Diagnostic(code, entry.severity, path, span, message, hint or entry.hint, related)

    def span(self, path: str, place: tuple[int, int]) -> Span:
        """Turn offsets in a file into a place."""
        source = self.corpus.sources.get(path)
        return source.span(*place) if source else WHOLE_FILE

    def iter_drafts(self) -> Iterator[Draft]:
        """Yield every statement, those of redirected and ambiguous files included, by path and line."""
        for drafts in self.resolution.drafts.values():
            yield from drafts

    @cached_property
    def draft_places(self) -> dict[tuple[str, str], Draft]:
        """Each statement by its file's path and its id."""
        return {(draft.file.path, draft.id): draft for draft in self.iter_drafts()}

    def draft_of(self, statement: Statement) -> Draft:
        """Find the line that a statement was read from."""
        return self.draft_places[statement.path, statement.id]

    def survivor(self, id: str) -> str:
        """Follow redirects; an id that leads nowhere stays itself."""
        return self.resolution.identities.survivors.get(id, id)

    def type_of(self, id: str) -> str | None:
        """Name the type that an entity reads as; ``None`` where it has none that the vocabulary knows."""
        files = self.resolution.identities.files
        for one in (self.survivor(id), id):
            type = files[one].type if one in files else None
            if type:
                return self.vocabulary.type_name(normalize_predicate(type))
        return None

    def exists(self, id: str) -> bool:
        """Say whether some file claims an entity id, be it one or several."""
        identities = self.resolution.identities
        return id in identities.files or id in identities.ambiguous

    @cached_property
    def entity_ids(self) -> tuple[str, ...]:
        """All entity ids, for hints."""
        return tuple(sorted(self.resolution.identities.files))

    @cached_property
    def unread_paths(self) -> tuple[str, ...]:
        """Links that are not followed and folders that cannot be read: what lies there is not missing."""
        found = {one.path for one in self.corpus.diagnostics if one.code in _UNREAD}
        return tuple(sorted(found - self.corpus.sources.keys()))

    def is_unread(self, path: str) -> bool:
        """Say whether a path lies where nothing is read, so that what it names may well exist."""
        return any(is_within(path, unread) for unread in self.unread_paths)

    @cached_property
    def unread_stems(self) -> frozenset[str]:
        """The stems of files that are not read."""
        return frozenset(stem_of(path) for path in self.unread_paths)
