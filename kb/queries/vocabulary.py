"""``vocabulary``: the words that a knowledge base may use, the built-in ones with its own laid over them."""

from typing import TYPE_CHECKING

from kb.model.vocabulary import Vocabulary
from kb.queries.answers import Answer

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


def list_vocabulary(knowledge_base: "KnowledgeBase") -> Answer[Vocabulary]:
    """List the words in use."""
    return Answer("vocabulary", knowledge_base.revision, (), knowledge_base.vocabulary)
