"""``doctor``: what is derived from the files, where it lies, and what would become of it."""

from typing import TYPE_CHECKING, NamedTuple

from kb.derived.look import GraphState, look_at_graph
from kb.index.documents import Documents
from kb.index.opening import IndexState, look_at_index
from kb.queries.answers import Answer

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


class DerivedState(NamedTuple):
    """What is derived from a knowledge base's files."""

    graph: GraphState
    documents: int  #: that the files make
    full_text: IndexState
    now: int


def look_at_derived_state(knowledge_base: "KnowledgeBase") -> Answer[DerivedState]:
    """Look at what is derived, without changing it. The files are read only where the graph on disk is of no use."""
    state, graph = look_at_graph(knowledge_base.root)
    documents = Documents(graph or knowledge_base.graph)
    index = look_at_index(knowledge_base.root, documents)
    found = DerivedState(state, len(documents), index, knowledge_base.now)
    return Answer("doctor", state.commit, (), found, None, False, ())
