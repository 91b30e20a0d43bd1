"""Frontmatter through python-frontmatter, and with its places."""

import frontmatter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.syntax.front_matter import Mapping, Scalar, split_front_matter
from kb.syntax.yaml_block import TextHandler, parse_yaml

TEXT = "---\nid: a\nn: 0042\nno: NO\nd: 1980-02-30\nl: [1.10, {k: on}]\ncontent: c\nhandler: h\nz: ~\n---\n\nBody 1\n"


def test_python_frontmatter_reads_our_files_as_text() -> None:
    """With our handler it gives strings, and no key is special."""
    metadata, content = frontmatter.parse(TEXT, handler=TextHandler())
    assert metadata == {
        "id": "a",
        "n": "0042",
        "no": "NO",
        "d": "1980-02-30",
        "l": ["1.10", {"k": "on"}],
        "content": "c",
        "handler": "h",
        "z": "~",
    }
    assert content == "Body 1"


def test_frontmatter_loads() -> None:
    """A post has the fields as text and the body."""
    post = frontmatter.loads("---\nid: 0042\nyes: [1, 2]\n---\nx", handler=TextHandler())
    assert (post.metadata, post.content) == ({"id": "0042", "yes": ["1", "2"]}, "x")
    assert frontmatter.loads("---\n---\nx", handler=TextHandler()).metadata == {}
    assert frontmatter.loads("no block", handler=TextHandler()).content == "no block"


@pytest.mark.parametrize("text", ["---\nid: &a b\n---\n", "---\n- a\n---\n", "---\nid: [\n---\n"])
def test_what_cannot_be_read_is_no_metadata(text: str) -> None:
    """The handler says so; it does not guess."""
    with pytest.raises(ValueError, match=r"\S"):
        frontmatter.loads(text, handler=TextHandler())


@given(
    st.sampled_from(("\n", "\r\n", "\r")),
    st.text(st.characters(categories=("L", "N", "S", "Zl", "Zp")), max_size=20),
)
def test_the_parts_make_up_the_whole(end: str, value: str) -> None:
    """Block, fence and body are stretches of the text; places are offsets of characters."""
    text = end.join(("---", "id: a", f"name: 'x{value}y'", "---", value, ""))
    front = split_front_matter(text)
    assert front.fields is not None
    assert text[: front.block_end] == end.join(("---", "id: a", f"name: 'x{value}y'", ""))
    assert text[front.body_start :] == value + end
    node = front.fields.get("name")
    assert isinstance(node, Scalar)
    assert text[node.start : node.end] == f"'x{value}y'"


def test_nodes_have_the_places_of_their_text() -> None:
    """Offsets count characters from the given one."""
    text = "é: [🎉, 'ü']\nk: {a: b}\n"
    node, faults = parse_yaml(text, 100)
    assert not faults
    assert isinstance(node, Mapping)
    assert [text[key.start - 100 : key.end - 100] for key, _ in node.entries] == ["é", "k"]
    items = node.get("é")
    assert items is not None
    assert not isinstance(items, Scalar)
    assert text[items.start - 100 : items.end - 100] == "[🎉, 'ü']"
