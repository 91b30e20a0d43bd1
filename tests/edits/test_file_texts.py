"""The text of new files reads back as what it was made of."""

import yaml
from hypothesis import given
from hypothesis import strategies as st

from kb.edits.file_texts import format_front_matter, format_observation, format_scalar
from kb.syntax.front_matter import split_front_matter, to_plain
from kb.syntax.observation_file import parse_observation_file
from kb.syntax.source import Source, decode

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30)


@given(TEXTS, st.lists(TEXTS, max_size=12))
def test_any_text_reads_back_as_itself(text: str, items: list[str]) -> None:
    """Whatever the text, the frontmatter written for it parses to it without a fault."""
    block = format_front_matter((("a", text), ("b", items), ("c", "")))
    front = split_front_matter(block + "body")
    assert front.faults == ()
    assert front.fields is not None
    assert to_plain(front.fields) == ({"a": text, "b": items} if items else {"a": text})


@given(
    st.one_of(
        TEXTS,
        st.sampled_from(
            ("NO", "1.10", "0042", "on", "~", "null", "0x1f", "1e5", "12:30:45", "y", "=", "<<")
        ),
    )
)
def test_other_readers_take_every_scalar_for_text(text: str) -> None:
    """Any YAML reader takes a scalar that we write for that very text, never for a number or date."""
    assert yaml.safe_load(f"a: {format_scalar(text)}") == {"a": text}


@given(
    st.text(st.characters(codec="utf-8"), max_size=60)
    | st.sampled_from(("a\r\nb\r\n", "a\r\nb\n", "a\rb", "---\nx: y\n---\n"))
)
def test_an_observation_is_sealed_and_keeps_its_text(text: str) -> None:
    """A new observation bears a seal that holds, and its text to the byte."""
    written = format_observation(
        (("id", "2026-01-15-offsite"), ("kind", "import"), ("title", "T")), text
    )
    read, _ = parse_observation_file(decode("observations/2026-01-15-offsite.md", written.encode()))
    assert read.is_sealed
    assert read.body in (f"\n{text}", f"\r\n{text}")
    assert Source("x", written).encode() == written.encode()
