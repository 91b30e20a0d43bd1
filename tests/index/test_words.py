"""How text becomes words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.index.postings import EXACT, Gathering, count_positions, pack_positions, unpack_positions
from kb.index.words import Analyzer
from tests.index.indexing import Text


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
        ("C++", ["c", "c++"]),
        ("F# C++11 a++b", ["f", "f#", "c", "c++", "11", "a", "a++", "b"]),
        ("issue#12 # title #", ["issue", "12", "title"]),
        ("libstdc-foo++", ["libstdc", "foo", "libstdc-foo++"]),
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
    gathering = Gathering()
    gathering.add(Text("e:a", b"", (), text))
    gathering.finish()
    found = {}
    for word in gathering.words(EXACT):
        numbers, counts = gathering.count_in(EXACT, word)
        (packed,) = gathering.positions_in(word, counts)
        assert numbers == [0]
        found[word] = unpack_positions(packed)
    expected: dict[str, list[int]] = {}
    at = 0
    for _, run in Analyzer().runs(text):
        for word in run.words:
            expected.setdefault(word.text, []).append(at + word.position)
        at += run.length
    assert found == {word: sorted(places) for word, places in expected.items()}
    assert gathering.lengths[EXACT][0] == sum(map(len, expected.values()))


@given(st.lists(st.integers(0, 2**28 - 1), min_size=1, unique=True).map(sorted))
def test_positions_are_packed_and_unpacked(positions: list[int]) -> None:
    """What is packed is unpacked, in as few bytes as the greatest asks for."""
    packed = pack_positions(positions)
    assert unpack_positions(packed) == positions
    assert count_positions(packed) == len(positions)


@pytest.mark.parametrize(
    "word", ["engines", "db-primary.atlas.local", "server-09", "C-1042", "C++", "a" * 300, "x_1_y"]
)
def test_a_run_is_read_alike_with_and_without_places(word: str) -> None:
    """What an index needs of a run is what the whole reading says."""
    analyzer = Analyzer()
    run = analyzer.read(word.lower())
    assert analyzer.words_of(word) == (
        run.length,
        tuple((one.text, one.position) for one in run.words),
    )
