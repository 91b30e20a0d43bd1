"""Ids, names and predicates, and how they compare."""

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.model.names import (
    MAX_ID_LENGTH,
    fold,
    is_id,
    mint_statement_id,
    normalize_predicate,
    stem_of,
)


@pytest.mark.parametrize("text", ["a", "0", "dana-reyes", "a-1-b", "a" * MAX_ID_LENGTH])
def test_ids(text: str) -> None:
    """Lower-case letters and digits in groups joined by single hyphens."""
    assert is_id(text)


@pytest.mark.parametrize(
    "text",
    ["", "-", "a-", "-a", "a--b", "A", "a_b", "a b", "a\n", "é", "a.b", "../a", "a" * 81, "٣"],
)
def test_what_is_no_id(text: str) -> None:
    """Nothing else, no line end, no other script's digits."""
    assert not is_id(text)


@pytest.mark.parametrize(
    "one, other",
    [
        ("Dana  Reyes ", "dana reyes"),
        ("Straße", "STRASSE"),
        ("ﬁ", "FI"),
        ("A\u030angström", "ÅNGSTRÖM"),
        ("a\u00a0b", "A b"),
    ],
)
def test_names_compare_folded(one: str, other: str) -> None:
    """Case, compatibility forms and runs of white space do not tell names apart."""
    assert fold(one) == fold(other)


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    """A folded name is its own folding, whatever its normal form was."""
    assert fold(fold(text)) == fold(text)
    assert fold(unicodedata.normalize("NFD", text)) == fold(text)


@given(st.text())
def test_normalizing_a_predicate_twice_is_doing_it_once(text: str) -> None:
    """A normalized predicate reads as itself."""
    once = normalize_predicate(text)
    assert normalize_predicate(once) == once


def test_a_minted_id_is_what_the_format_says() -> None:
    """40 bits of SHA-256 over the NUL-joined parts, in Crockford's base 32; then with a counter."""
    parts = ("dana-reyes", "reports-to", "out", "jordan-lee", "2026-01-15", "")
    minted = mint_statement_id(parts)
    alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    number = 0
    for char in minted:
        number = number * 32 + alphabet.index(char)
    assert len(minted) == 8
    assert number.to_bytes(5, "big") == hashlib.sha256("\0".join(parts).encode()).digest()[:5]
    second = mint_statement_id(parts, {minted})
    assert second != minted
    assert mint_statement_id(parts, {minted, second}) not in (minted, second)
    assert mint_statement_id((*parts, "\udc80"))


@pytest.mark.parametrize(
    "path, stem",
    [
        ("entities/person/ada.md", "ada"),
        ("ada.MD", "ada"),
        ("../v1.2", "v1.2"),
        (".md", ""),
        ("a/", ""),
    ],
)
def test_stems(path: str, stem: str) -> None:
    """Only the last name counts, and only .md is an extension."""
    assert stem_of(path) == stem
