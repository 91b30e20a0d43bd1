"""Files that are read block by block give what is in them, wherever it lies."""

import os
from array import array
from bisect import bisect_left
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.store.kept import open_file
from kb.store.paged import InMemory, Numbers, Paged, find_first

#: Larger than a block, and than a step of a search.
_SIZE = (1 << 20) + 3 * (1 << 12) + 16


@pytest.fixture(scope="module")
def content() -> bytes:
    """Bytes of a large file, of which no two blocks are alike."""
    return b"".join(number.to_bytes(8, "little") for number in range(_SIZE // 8))


@pytest.fixture(scope="module")
def opened(content: bytes, tmp_path_factory: pytest.TempPathFactory) -> Paged:
    """The same as an open file."""
    path = tmp_path_factory.mktemp("paged") / "file"
    path.write_bytes(content)
    return open_file(str(path))[0]


@given(st.integers(0, _SIZE), st.integers(0, 9_000))
def test_any_stretch_is_read(opened: Paged, content: bytes, start: int, length: int) -> None:
    """Within a block, over its border, over many, and up to the end."""
    end = min(start + length, _SIZE)
    assert opened.read(start, end) == content[start:end]


@given(st.integers(0, _SIZE - 40), st.integers(1, 40), st.integers(0, _SIZE), st.integers(0, _SIZE))
def test_a_search_finds_what_a_search_in_memory_finds(
    opened: Paged, content: bytes, at: int, length: int, start: int, end: int
) -> None:
    """Also what reaches over the border of two steps, and only what lies between the two places."""
    part = content[at : at + length]
    assert opened.find(part, start, end) == content.find(part, start, end)


@pytest.mark.parametrize("code", ["I", "q"])
@given(data=st.data())
def test_columns_are_what_is_in_the_file(
    opened: Paged, content: bytes, code: str, data: st.DataObject
) -> None:
    """By index, by slice, by step, as a whole; in a file and in memory; nothing is read beyond their ends."""
    start = 8 * data.draw(st.integers(0, 2_000))
    end = start + 8 * data.draw(st.integers(0, 2_000))
    wanted = array(code, content[start:end])
    for source in (opened, InMemory(content)):
        numbers = Numbers(source, start, end, code)  # type: ignore[arg-type]
        assert len(numbers) == len(wanted)
        assert numbers.tolist() == list(numbers) == wanted.tolist()
        low, high = sorted(data.draw(st.tuples(*[st.integers(0, len(wanted))] * 2)))
        assert numbers[low:high].tolist() == wanted[low:high].tolist()
        assert numbers[low:high:3].tolist() == wanted[low:high:3].tolist()
        assert list(numbers.iter_every(7, 2)) == wanted[2::7].tolist()
        for index in {low, high, len(wanted) - 1} & set(range(len(wanted))):
            assert numbers[index] == wanted[index]
        for outside in (-1, len(wanted)):
            with pytest.raises(IndexError):
                numbers[outside]


def test_a_file_that_was_cut_short_is_an_error(tmp_path: Path) -> None:
    """Not wrong bytes, and not the end of the process."""
    path = tmp_path / "file"
    path.write_bytes(bytes(20_000))
    opened = open_file(str(path))[0]
    os.truncate(path, 10_000)
    assert opened.read(4_000, 4_010) == bytes(10)
    with pytest.raises(OSError, match="cut short"):
        opened.read(19_000, 19_010)


@given(st.lists(st.integers(0, 20)).map(sorted), st.integers(-1, 21))
def test_the_first_that_is_not_before(values: list[int], wanted: int) -> None:
    """As bisection of a list finds it, however often a value stands there."""
    assert find_first(len(values), values.__getitem__, wanted) == bisect_left(values, wanted)
