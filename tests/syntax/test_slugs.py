"""Names become ids: in any script, distinct, stable, never empty, no letter dropped."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.model.names import is_id
from kb.store.layout import why_unportable
from kb.syntax.slugs import loses_letters, slugify

B28 = ("日本語ドキュメント", "인증 아키텍처", "Привет", "🎉", "!!!", "Łukasz Langa")


@pytest.mark.parametrize(
    "name, id",
    [
        ("Łukasz Langa", "lukasz-langa"),
        ("Dana Reyes", "dana-reyes"),
        ("O'Brien & Söhne", "obrien-sohne"),
        ("Привет", "privet"),
        ("Ærø Ðorđe", "aero-dorde"),
        ("Straße", "strasse"),
        ("  --a__b  ", "a-b"),
        ("CON", "con-x"),
        ("ACME", "acme"),
        ("٣", "3"),
    ],
)
def test_names_are_transliterated(name: str, id: str) -> None:
    """No letter is dropped; signs part words."""
    assert slugify(name) == id


def test_b28_ids_are_distinct_stable_and_not_empty() -> None:
    """Each title has an id of its own, the same each time."""
    ids = [slugify(name) for name in B28]
    assert len(set(ids)) == len(B28)
    assert ids == [slugify(name) for name in B28]
    assert all(is_id(id) for id in ids)


@pytest.mark.parametrize(
    "name", ["..\\..\\..\\evil", "..%2F..%2Fevil", "~/evil", "/etc/passwd", "a\x00b", "-rf", ".git"]
)
def test_b32_no_name_makes_a_path(name: str) -> None:
    """Whatever the name, its id is letters, digits and single hyphens."""
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slugify(name))


@given(st.text(max_size=120) | st.text(st.characters(codec="utf-8"), max_size=300))
def test_every_name_has_a_valid_id(name: str) -> None:
    """Any text, surrogates too, gives a portable id, always the same."""
    id = slugify(name)
    assert is_id(id)
    assert not why_unportable(id)
    assert slugify(name) == id
    assert slugify(id) == id


@given(st.text(st.characters(max_codepoint=0x17F, categories=("Lu", "Ll")), min_size=1, max_size=8))
def test_no_letter_of_europe_is_dropped(name: str) -> None:
    """Each letter leaves at least one in the id."""
    assert len(slugify(name)) >= len(name)


def test_names_of_signs_alone_are_told_apart() -> None:
    """They have no letters, so their digest is their id."""
    assert slugify("!!!") != slugify("???")
    assert slugify("") == slugify("")


def test_composed_and_decomposed_names_have_one_id() -> None:
    """The normal form of a name is an accident of the keyboard."""
    for name in ("Łukasz Élan", "プロジェクト", "ñandú", "각"):
        forms = {slugify(unicodedata.normalize(form, name)) for form in ("NFC", "NFD")}
        assert len(forms) == 1


def test_slugs_made_elsewhere_that_lack_letters() -> None:
    """NFKD and ASCII eat the Ł."""
    assert loses_letters("Łukasz Langa", "ukasz-langa")
    assert not loses_letters("Łukasz Langa", "lukasz-langa")
