"""What a search as typed asks for (BAD-INPUTS 62)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import ExitCode
from kb.index.question import MOST_UNITS, BadQuery, Question, read_question
from kb.index.words import Analyzer


def read(text: str) -> Question:
    return read_question(text, Analyzer())


@pytest.mark.parametrize(
    "text", ["", " ", "*", "a*", "*a", "**", "(((((", "'", '""', "-", "-word", "🔥", "name:b*"]
)
def test_bad_queries(text: str) -> None:
    """What holds no word, only unwanted ones, or too short a beginning is refused as wrong usage."""
    with pytest.raises(BadQuery, match="bad query") as caught:
        read(text)
    assert caught.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    "text, clauses",
    [
        ("AND OR", [["AND"]]),
        ("OR OR x", [["x"]]),
        ("name:", [["name"]]),
        ("[a TO", [["a"], ["TO"]]),
        ("foo~9", [["foo"], ["9"]]),
        ("the", [["the"]]),
        ("the cat", [["cat"]]),
        ("cat OR dog house", [["cat", "dog"], ["house"]]),
        ('"open', [["open"]]),
        ("a b a b", [["b"]]),
        ("x(y)", [["x"], ["y"]]),
        ("wor*", [["wor"]]),
        ("東", [["東"]]),
    ],
)
def test_ordinary_text(text: str, clauses: list[list[str]]) -> None:
    """All else is ordinary text: operators out of place, brackets, ranges and open quotes are no syntax."""
    assert [[unit.written for unit in clause] for clause in read(text).clauses] == clauses


def test_a_word_typed_often_is_one() -> None:
    """5,000 times one word is one unit of work; very many different words are refused."""
    assert len(read("a " * 5000).units) == 1
    assert len(read("a" * 5000).units) == 1
    with pytest.raises(BadQuery):
        read(" ".join(f"w{number}x" for number in range(MOST_UNITS + 1)))


@given(st.text(max_size=200) | st.text("\"*-:()OR nameab'’ ", max_size=60))
def test_any_text_is_a_question_or_a_bad_query(text: str) -> None:
    """Reading never fails otherwise, and what is asked for is bounded."""
    try:
        question = read(text)
    except BadQuery:
        return
    assert 0 < len(question.units) <= MOST_UNITS
