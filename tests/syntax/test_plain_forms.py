"""Each short way of reading what most files look like gives exactly what the general way gives.

Compared as they are printed: tuples of two kinds with the same contents are equal, and mean different things.
"""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.model.statement import Section
from kb.syntax import (
    front_matter,
    plain_bodies,
    plain_statements,
    sections,
    source,
    statement_lines,
    yaml_block,
)
from kb.syntax.source import Source

LINES = (
    "id: a",
    "id: b",
    "name: Ada Lovelace",
    "name: NO",
    "when: 12:30:45",
    "url: https://a.example/#x",
    'title: "a: b # c"',
    'title: ""',
    "keys: [email:a@b.example, url:https://c.example]",
    'aliases: [Ada, "a, b"]',
    "list: []",
    "c: C# and a:b",
    "é: a",
    "text: 日本 🎉",
)
SIGNS = (*":#-?,[]{}&*!|>'\"%@`~<=\\ \t\r\n\u00a0\u2028\x85\x00\x7f\ufeffa0", ": ", " #", "\n  ")


def mutated(lines: tuple[str, ...], signs: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Lines, with signs put into some of them."""

    def put(line: str, at: int, sign: str) -> str:
        return line[: at % (len(line) + 1)] + sign + line[at % (len(line) + 1) :]

    plain = st.sampled_from(lines)
    once = st.builds(put, plain, st.integers(0, 60), st.sampled_from(signs))
    twice = st.builds(put, once, st.integers(0, 60), st.sampled_from(signs))
    return st.one_of(plain, plain, once, twice)


@given(
    st.lists(mutated(LINES, SIGNS), min_size=1, max_size=5),
    st.sampled_from(("", "x\n", "\n---\na: b\n")),
)
def test_a_plain_block_is_read_as_yaml_reads_it(lines: list[str], body: str) -> None:
    """Where a block is read without YAML's parser, the parser gives the same nodes at the same places."""
    text = "\n".join(("---", *lines, "---", body))
    plain = front_matter._read_plain_block(text)
    assert plain is None or repr(plain) == repr(yaml_block.read_block(text))


@pytest.mark.parametrize("line", [line for line in LINES if line[0] != "é"])
def test_what_is_plain_in_a_block(line: str) -> None:
    """These lines need no parser."""
    assert front_matter._read_plain_block(f"---\n{line}\n---\n") is not None


STATEMENTS = (
    "works-for:: [Ada Lovelace](../person/ada.md) (2024-03/..) [^2024-03-02-welcome] ^k3f9x2ma",
    "works-for:: [Ada (1)](ada.md) (2024, 90%, by ada) — “since” (then) – so [^a] [^b] ^k3f9x2ma",
    "knows:: [[ada]]",
    "knows:: [[ada|Ada L.]] — met: twice ^x",
    'title:: Head of Partnerships (2026-01/..) — "Dana heads it." [^2026-01-15-offsite] ^w8d3n5qe',
    "title:: 10 % of a::b, c",
    "größe:: 3 m (auto-low, retracted) [^a]",
)
SIGNS_OF_STATEMENTS = (
    *"`\\&[]()^—–-\"“':,.;#|!%?<> \t\r\n\u00a0\u2028\x85\x00a0",
    " — ",
    "::",
    " (2024)",
    " (VP)",
    " [^x]",
    " ^id",
    "[a](b.md)",
    "[[a]]",
    "&amp;",
    ' - "',
    " ",
)


@given(mutated(STATEMENTS, SIGNS_OF_STATEMENTS), st.sampled_from(Section), st.integers(0, 9))
def test_a_plain_statement_is_read_as_any_other(text: str, section: Section, offset: int) -> None:
    """Where one expression reads a statement, the reader gives the same one and finds nothing wrong."""
    plain = plain_statements.read_plain_statement(text, section, offset, offset, ())
    reader = statement_lines._Reader(text, section, offset)
    assert plain is None or repr((plain, [])) == repr((reader.read(offset, ()), reader.faults))


@pytest.mark.parametrize("text", STATEMENTS)
def test_what_is_a_plain_statement(text: str) -> None:
    """These statements need no reader."""
    section = Section.RELATIONS if ":: [" in text else Section.FACTS
    assert plain_statements.read_plain_statement(text, section, 0, 0, ()) is not None


BODY = (
    "## Facts",
    "## Relations",
    "# Other",
    "- a:: b",
    "- a:: b",
    "- é",
    "- 1. b",
    "- - b",
    "-",
    "- ",
    "-  a",
    " - a",
    "  - a:: b",
    "1. a",
    "> a",
    "> - a",
    "```",
    "~~~",
    "<!--",
    "-->",
    "<div>",
    "a",
    "  a",
    "    a",
    "---",
    "===",
    "[^n]: note",
    "[^n]:\tnote",
    " [^n]: note",
    "[^n m]: note",
    "\\[^n]: note",
    "[a]: b",
    "\t",
    "",
    "",
    "",
)


@given(st.lists(st.sampled_from(BODY), max_size=16), st.sampled_from(("\n", "\n", "\r\n", "\r")))
def test_a_line_at_the_margin_is_read_as_any_other(lines: list[str], end: str) -> None:
    """Items and footnotes that begin at the margin need not be asked what else they are."""
    text = end.join(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sections, "_AT_MARGIN", re.compile(r"(?!)"))
        expected = sections.scan_body(text, 0)
    assert sections.scan_body(text, 0) == expected


@given(st.text("ab\n\r", max_size=30), st.integers(0, 30), st.none() | st.integers(0, 30))
def test_a_near_place_is_the_same(text: str, start: int, end: int | None) -> None:
    """Lines that are counted and lines that are looked up have the same numbers."""
    start = min(start, len(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "_NEAR", -1)
        expected = Source("a.md", text).span(start, end)
    assert Source("a.md", text).span(start, end) == expected


LINES_OF_BODIES = (
    *("", "", "", "Ada met Bob.", "- x:: y", "- knows:: [b](b.md)", "[^a]: b", "[^a]:"),
    *("## Facts", "## Relations", "  in", "---", "===", "# T", "1. x", "> q", "\t", "- é", "a\tb"),
    *("```", "<!-- c", "-", "- ", "##", "## facts", "\u00a0x", "- - a", "[^b]: [^c]", "*e*", "|t|"),
)


@settings(max_examples=1_000)
@given(
    st.integers(5, len(LINES_OF_BODIES)).flatmap(
        lambda count: st.lists(st.sampled_from(LINES_OF_BODIES[:count]), max_size=9)
    ),
    st.sampled_from(("", "\n", "\n\n")),
)
def test_a_plain_body_is_read_as_any_other(lines: list[str], end: str) -> None:
    """Where a body is read block by block, the automaton comes to the same, and finds nothing wrong."""
    text = "\n".join(lines) + end
    plain = plain_bodies.read_plain_body(text, 0)
    assert plain is None or repr(plain) == repr(sections._scan(text, 0, reads_sections=True))


def test_what_is_a_plain_body() -> None:
    """A body in the form that commands write needs no automaton."""
    text = "\nAda met Bob.\n\n## Relations\n\n- x:: [y](y.md) [^a]\n- z:: [y](y.md)\n\n## Facts\n\n- w:: v\n\n[^a]: a\n"
    assert plain_bodies.read_plain_body(text, 0) is not None
