"""How text becomes words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.index.words import Analyzer


def words(text: str) -> list[str]:
    return [word.text for _, run in Analyzer().runs(text) for word in run.words]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Café RÉSUMÉ Straße Łukasz", ["cafe", "resume", "strasse", "lukasz"]),
        ("cafe\u0301", ["cafe"]),
        ("Привет", ["привет"]),
        ("مَرْحَبًا", ["مرحبا"]),
        ("हिन्दी", ["हिन्दी"]),
        ("CamelCase", ["camelcase"]),
        ("server-09", ["server", "09", "server-09"]),
        ("C-1042", ["c", "1042", "c-1042"]),
        ("snake_case", ["snake", "case", "snake_case"]),
        ("db-primary.atlas.local", ["db", "primary", "atlas", "local", "db-primary.atlas.local"]),
        ("PEP8", ["pep", "8", "pep8"]),
        ("Breeder’s", ["breeder", "s", "breeders"]),
        ("Breeder's", ["breeder", "s", "breeders"]),
        ("東京駅", ["東京", "京駅", "駅"]),
        ("회의에서", ["회의", "의에", "에서", "서"]),
        ("步2", ["步", "2"]),
        ("重跑gen-itgc后", ["重跑", "跑", "gen", "itgc", "gen-itgc", "后"]),
        ("が", ["が"]),
        ("d3adb33fc0ffee00", ["d3adb33fc0ffee00"]),
        ("'", []),
        ("🔥", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    """Accents and case are folded; identifiers stand whole and in parts; scripts without spaces in pairs."""
    assert words(text) == expected


@given(st.text())
def test_any_text_is_read_alike_everywhere(text: str) -> None:
    """A text's runs lie inside it in order, and each word can be a term of an index."""
    at = 0
    for start, run in Analyzer().runs(text):
        assert at <= start <= len(text)
        at = start
        for word in run.words:
            assert word.text
            assert start + word.end <= len(text)
            word.text.encode()
            word.stem.encode()


@given(st.text())
def test_positions_are_those_of_the_runs(text: str) -> None:
    """The quick way that fills an index and the one that finds excerpts count positions alike."""
    analyzer = Analyzer()
    places: dict[str, list[int]] = {}
    end = analyzer.places(text, 0, places)
    expected: dict[str, set[int]] = {}
    at = 0
    for _, run in analyzer.runs(text):
        for word in run.words:
            expected.setdefault(word.text, set()).add(at + word.position)
        at += run.length
    assert end == at
    assert {word: set(found) for word, found in places.items()} == expected
