"""``doctor``: what is derived from the files, where it lies, and what would become of it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.index.documents import Documents
from kb.index.opening import IndexState, look_at_index

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


@dataclass(frozen=True, slots=True)
class DerivedState:
    """What is derived from a knowledge base's files."""

    documents: int  #: that the files make
    index: IndexState
    now: int


def look_at_derived_state(knowledge_base: "KnowledgeBase") -> DerivedState:
    """Look at what is derived, without changing it."""
    documents = Documents(knowledge_base.graph)
    return DerivedState(
        len(documents), look_at_index(knowledge_base.root, documents), knowledge_base.now
    )
