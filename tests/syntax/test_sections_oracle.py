"""The section scanner agrees with markdown-it-py about headings and items, but where the format differs on purpose.

Left out are link definitions and quotes in quotes, where markdown-it departs from CommonMark's reference
implementation (indented text after a nested quote; HTML after a definition).

On purpose: a footnote definition is a block (CommonMark knows none), so the oracle is shown a heading of level 6 in
its place; its indented lines belong to it. What an *indented* line means to a statement is not compared, since that
is the format's own rule: only where items and headings begin.
"""

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from kb.model.statement import Section
from kb.syntax.sections import iter_lines, scan_body

PIECES = (
    "## Relations",
    "## Facts",
    "## facts ##",
    "  ## FACTS  #",
    "   ##\tRelations",
    "    ## Facts",
    "# Facts",
    "### Facts",
    "##Facts",
    "## Other",
    "Facts",
    "Relations",
    "---",
    "----  ",
    "===",
    "--",
    "-",
    "- a:: b",
    "-   a:: b",
    "-\ta:: b",
    "-      a:: b",
    "* a:: b",
    "+ a:: b",
    " - a:: b",
    "  - a:: b",
    "   - a:: b",
    "    - a:: b",
    "      - a:: b",
    "\t- a:: b",
    "- - a:: b",
    "- > a",
    "- ## Facts",
    "- ```",
    "- <!-- x",
    "- # x",
    "- ---",
    "1. x",
    "2. x",
    "01) x",
    "  1. x",
    "1234567890. x",
    "* * *",
    "_ _ _",
    "***",
    "```",
    "````",
    "~~~",
    "~~~~ x",
    "``` a`b",
    "  ```",
    "    ```",
    "   ~~~",
    "> a",
    "> - a",
    "> ```",
    ">     a",
    "> ## Facts",
    ">",
    "  > a",
    "<!--",
    "-->",
    "<!-- x -->",
    "<!-->",
    "  <!-- x --> y",
    "<div>",
    "</div>",
    "<b>",
    "<b x='1' y>",
    "<script>",
    "</script> x",
    "<?x",
    "?>",
    "<!X",
    "<![CDATA[",
    "]]>",
    "text",
    "  text",
    "    text",
    "\ttext",
    "      text",
    "[^n]: note",
    " [^n]: note",
    "\\## Facts",
    "\u00a0",
    "  ",
    "\t",
    "",
    "",
    "",
)
FOOTNOTE = re.compile(r"(?m)^( {0,3})\[\^n\]: note$")
MARKDOWN = MarkdownIt("commonmark", {"maxNesting": 1000})


def documents() -> st.SearchStrategy[str]:
    """Markdown of nasty lines, with each kind of line end."""
    lines = st.lists(st.sampled_from(PIECES), max_size=14)
    ends = st.sampled_from(("\n", "\n", "\n", "\r\n", "\r"))
    return st.builds(lambda head, lines, end: end.join((*head, *lines)) + end, heads(), lines, ends)


def heads() -> st.SearchStrategy[tuple[str, ...]]:
    """Most documents begin in a section."""
    return st.sampled_from((("## Facts",), ("## Facts", ""), ("Facts", "---"), ()))


def tokens_of(text: str) -> list[Token]:
    """Parse with markdown-it, a heading in the place of each footnote definition."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return MARKDOWN.parse(FOOTNOTE.sub(r"\1###### n", plain))


def expected(text: str) -> tuple[list[tuple[str, int]], list[int]]:
    """What markdown-it says: where our sections begin, and the lines that begin their items."""
    headings, items = [], []
    section, is_bullet = None, False
    tokens = tokens_of(text)
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.tag in ("h1", "h2"):
            title = " ".join(tokens[index + 1].content.split()).casefold()
            section = title if token.tag == "h2" and title in ("facts", "relations") else None
            if section:
                headings.append((section, token.map[0]))
        elif token.type in ("bullet_list_open", "ordered_list_open") and token.level == 0:
            is_bullet = token.type == "bullet_list_open"
        elif token.type == "list_item_open" and token.level == 1 and section and is_bullet:
            items.append(token.map[0])
    return headings, items


def kept_lines(text: str) -> set[int]:
    """The lines that a section keeps without a word: headings and comments."""
    return {
        line
        for token in tokens_of(text)
        if token.type == "heading_open"
        or (token.type == "html_block" and token.content.lstrip().startswith("<!--"))
        for line in range(*token.map)
    }


def line_of(text: str, offset: int) -> int:
    """The line, from 0, of an offset."""
    return len(re.findall(r"\r\n|\r|\n", text[:offset]))


@settings(max_examples=250)
@given(documents())
def test_headings_and_items_begin_where_commonmark_says(text: str) -> None:
    """Nothing outside a section becomes an item, and no item of a section is missed."""
    body = scan_body(text, 0)
    headings = [(section.value, line_of(text, start)) for section, start, _ in body.sections]
    items = [line_of(text, item.start) for item in body.items]
    assert (headings, items) == expected(text)


@settings(max_examples=300)
@given(documents())
def test_nothing_in_a_section_is_dropped_in_silence(text: str) -> None:
    """Each line of a section is an item's, a sub-heading, a comment, a footnote's, blank, or reported."""
    body = scan_body(text, 0)
    covered = [
        (item.start, max([item.end, *(sub[2] for sub in item.sub_items)])) for item in body.items
    ]
    covered += [(fault.start, fault.end) for fault in body.faults]
    covered += [(note.start, note.end) for note in body.footnotes]
    kept = kept_lines(text)
    for number, (start, end) in enumerate(iter_lines(text, 0)):
        is_in_section = any(first <= start < last for _, first, last in body.sections)
        if is_in_section and text[start:end].strip(" \t") and number not in kept:
            assert any(first < end and last > start for first, last in covered), text[start:end]


@given(documents())
def test_offsets_are_those_of_the_text(text: str) -> None:
    """Items, sub-items and faults lie within the text, in order, and hold what they say."""
    body = scan_body(text, 0)
    for item in body.items:
        assert text[item.start] in "-*+"
        assert item.start < item.text_start <= item.end <= len(text)
        assert "\n" not in text[item.start : item.text_start]
        for start, text_start, end in item.sub_items:
            assert item.end < start < text_start <= end <= len(text)
    for fault in body.faults:
        assert 0 <= fault.start <= fault.end <= len(text)
    assert {section for section, _, _ in body.sections} <= set(Section)
