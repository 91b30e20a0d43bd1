"""Which files claim an observation's id. Of several the graph has the first by path, and says nothing of the others."""

from typing import TYPE_CHECKING

from kb.graph.files import OBSERVATION_KIND
from kb.graph.known_files import known_files

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


def paths_claiming(knowledge_base: "KnowledgeBase", id: str) -> tuple[str, ...]:
    """List the paths of the observations that claim an id, sorted."""
    opened = knowledge_base.opened
    if opened is None:
        found = (file.path for file in knowledge_base.corpus.observations if file.id == id)
        return tuple(sorted(found))
    files = known_files(opened.base, opened.changes)
    return tuple(card.path for card in files.claimants(id, OBSERVATION_KIND))
