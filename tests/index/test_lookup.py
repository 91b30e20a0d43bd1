"""Lookups read what a question needs and no more: counted, not timed."""

import pytest

from kb.index import leaves
from kb.index.leaves import MemoryLeaf
from kb.index.lookup import Lookup
from kb.index.postings import gather
from kb.index.question import MOST_UNITS, read_question
from kb.index.words import Analyzer
from tests.index.indexing import Text


def lookup_over(*bodies: str) -> Lookup:
    texts = [Text(f"o:{number:06}", b"", (), body) for number, body in enumerate(bodies)]
    return Lookup([MemoryLeaf(gather(texts))])  # type: ignore[arg-type]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lists of postings that were read."""
    words: list[str] = []
    real = leaves.MemoryLeaf.iter_blocks

    def counted(leaf: MemoryLeaf, field: str, word: str, only: list[int] | None = None) -> object:
        words.append(word)
        return real(leaf, field, word, only)

    monkeypatch.setattr(leaves.MemoryLeaf, "iter_blocks", counted)
    return words


@pytest.mark.parametrize(
    "text",
    ["a " * 5000, "word " * 3000, '"word word" ' * 1000, "wo* " * 3000, "-x word " * 2000, "word OR " * 2000],
)  # fmt: skip
def test_what_is_repeated_is_read_once(read: list[str], text: str) -> None:
    """However often a word, a phrase or a beginning is typed, its list is read once a field."""
    lookup_over("a word word on its own", "another word").find(read_question(text, Analyzer()))
    assert len(read) <= 4


def test_many_words_read_a_bounded_number_of_lists(read: list[str]) -> None:
    """A question has at most so many words, and each is looked up in two fields."""
    words = [f"w{number}x" for number in range(MOST_UNITS // 2)]
    question = read_question(" OR ".join(words), Analyzer())
    found = lookup_over(" ".join(words), "nothing").find(question)
    assert set(found) == {"o:000000"}
    assert len(read) <= 2 * MOST_UNITS


def test_what_no_document_holds_ends_a_lookup(read: list[str]) -> None:
    """The rarest word is looked up first: where nothing holds it, no other list is read."""
    lookup = lookup_over(*["the common word"] * 50)
    assert lookup.find(read_question("common word zeppelin", Analyzer())) == {}
    assert read == []


def test_scores_are_those_of_bm25() -> None:
    """The formula, computed once more: rarity, frequency, length; a name counts more than a mention."""
    import math

    lookup = lookup_over("engine engine ship", "engine of a long long long ship", "nothing")
    found = lookup.find(read_question("engine", Analyzer()))
    rarity = math.log(3 / (2 + 1)) + 1
    average = (3 + 7 + 1) / 3
    expected = {
        "o:000000": rarity * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / average)),
        "o:000001": rarity * 1 * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 7 / average)),
    }
    assert found == pytest.approx(expected)
