"""Builders for tests of the index. No test logic."""

from pathlib import Path
from typing import NamedTuple

from kb.index.documents import Document, Documents
from kb.index.manifest import MANIFEST
from kb.index.opening import OpenIndex, index_place, open_index
from kb.index.question import Question, Unit, read_question
from kb.index.words import Analyzer, Word
from kb.knowledge_base import open_for_reading, open_knowledge_base
from tests.conftest import NOW


class Text(NamedTuple):
    """A document that stands nowhere."""

    key: str
    digest: bytes
    names: tuple[str, ...]
    body: str


def documents_at(root: Path) -> Documents:
    """The documents of the knowledge base as its files are now."""
    base = open_knowledge_base(str(root), NOW)
    return Documents(base.graph)


def mapped_documents_at(root: Path) -> Documents:
    """The same, by way of the graph file."""
    return Documents(open_for_reading(str(root), NOW).graph)


def place_of(root: Path) -> Path:
    """Where its index lies."""
    return Path(index_place(str(root)))


def opened(root: Path, wait: float = 5, is_complete: bool = False) -> OpenIndex:
    """Its index, as fresh as its files."""
    return open_index(str(root), documents_at(root), wait=wait, is_complete=is_complete)


def ask(index: OpenIndex, text: str) -> set[str]:
    """The keys of the documents that answer a question."""
    return set(index.lookup.find(read_question(text, Analyzer())))


def index_files(root: Path) -> list[Path]:
    """The files of the index that lies on disk, the manifest last."""
    place = place_of(root)
    inside = sorted(path for path in place.glob("g-*/*") if not path.name.endswith("LOCK"))
    return [*inside, place / MANIFEST]


def scan(documents: Documents, question: Question) -> set[str]:
    """What answers a question, by reading every document from its start to its end: the oracle."""
    return {
        key
        for key, document in documents.items()
        if all(any(_holds(document, unit) for unit in clause) for clause in question.clauses)
        and not any(_holds(document, unit) for unit in question.unwanted)
    }


def _holds(document: Document, unit: Unit) -> bool:
    analyzer = Analyzer()
    texts = document.names if unit.in_name else (*document.names, document.body)
    for text in texts:
        words = [word for _, run in analyzer.runs(text) for word in run.words]
        if unit.stem and any(analyzer.stem(word.text) == unit.stem for word in words):
            return True
        parts = [word for word in words if not word.is_whole]
        if unit.words and any(_stands_at(parts[at:], unit) for at in range(len(parts))):
            return True
        # A beginning may be one of an identifier read whole.
        wholes = [word for word in words if word.is_whole]
        if len(unit.words) == 1 and any(_stands_at([word], unit) for word in wholes):
            return True
    return False


def _stands_at(words: list[Word], unit: Unit) -> bool:
    count = len(unit.words)
    if len(words) < count:
        return False
    *before, last = (word.text for word in words[:count])
    wanted = unit.words[-1]
    return tuple(before) == unit.words[:-1] and (
        last.startswith(wanted) if unit.is_open else last == wanted
    )
