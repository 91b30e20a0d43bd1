"""A file of sections says at once where it is none, and gives back what was packed."""

from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.store.paged import InMemory
from kb.store.sections import Damaged, Sections, pack_sections

_CONTENTS = st.dictionaries(
    st.text("abcdefgh.", min_size=1, max_size=32),
    st.one_of(
        st.binary(max_size=40),
        st.lists(st.integers(0, 2**32 - 1), max_size=9).map(lambda some: array("I", some)),
        st.lists(st.integers(-(2**63), 2**63 - 1), max_size=9).map(lambda some: array("q", some)),
    ),
    max_size=6,
)


@given(_CONTENTS)
def test_what_was_packed_is_read(contents: dict[str, Any]) -> None:
    """Bytes and columns of both widths, empty ones too."""
    sections = Sections(InMemory(b"".join(map(bytes, pack_sections(contents)))))
    assert sections.is_whole()
    for name, content in contents.items():
        assert sections.raw(name) == bytes(content)
        if isinstance(content, array):
            column = sections.ints(name) if content.typecode == "I" else sections.longs(name)
            assert column.tolist() == content.tolist()


@given(_CONTENTS.filter(bool), st.data())
def test_sections_that_do_not_lie_in_the_file_are_damage(
    contents: dict[str, Any], data: st.DataObject
) -> None:
    """Whatever place is named: none is read from beyond the end, or backwards."""
    packed = bytearray(b"".join(map(bytes, pack_sections(contents))))
    places = memoryview(packed)[32 : 32 + 16 * len(contents)].cast("Q")
    which = data.draw(st.integers(0, len(places) - 1))
    places[which] = data.draw(st.sampled_from((len(packed) + 1, 2**63, 2**64 - 1)))
    with pytest.raises(Damaged, match="do not lie in it"):
        Sections(InMemory(bytes(packed)))
