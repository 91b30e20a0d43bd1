"""Verbatim quotes: what counts as the same words."""

import pytest

from kb.syntax.quotes import QuotedText


@pytest.mark.parametrize(
    "text, quote",
    [
        ("She said yes.", "said yes"),
        ("She said\r\n  yes.", "said yes"),
        ("She said yes.", "said\tyes"),
        ("Cafe\u0301 closed", "Caf\u00e9 closed"),
        ("5 \\* 3 &amp; more", "5 * 3 & more"),
        ("anything", "  "),
    ],
)
def test_a_text_holds_a_quote(text: str, quote: str) -> None:
    """White space, composition of letters and the text's Markdown escapes make no difference."""
    assert QuotedText(text).holds(quote)


@pytest.mark.parametrize("quote", ["Said yes", "said, yes", "she said no"])
def test_other_words_are_not_held(quote: str) -> None:
    """Case, signs and words do make one."""
    assert not QuotedText("she said yes").holds(quote)


def test_a_quote_is_also_held_as_it_is_written() -> None:
    """A quote may copy the text's signs that Markdown would read as escapes."""
    assert not QuotedText("a\\.b and a\\\\.b").holds("nothing of it")
    assert QuotedText("C:\\*").holds("C:*", "C:\\*")
