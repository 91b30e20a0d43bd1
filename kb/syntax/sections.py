"""Which lines of a Markdown body are statements: CommonMark's block structure, read line by line.

It knows the containers and blocks that can hide a heading or an item, and nothing of what a
statement says. What they come to is gathered in ``kb.syntax.open_body``. One rule is the format's own:
footnote definitions are blocks.

It is one module because it is one automaton: each line moves the same state (the containers, the leaf and the
item that are open), and which block a line may begin, continue or close depends on all of it. What needs none
of that state stands apart: how blocks begin (``block_starts``), one item (``open_item``), bodies as most are
written (``plain_bodies``).
"""

import re
from collections.abc import Iterator
from enum import Enum

from kb.diagnostics import Fault
from kb.syntax.block_starts import HTML_ENDS, STARTS
from kb.syntax.body import Body
from kb.syntax.open_body import OpenBody, find_section, is_section_heading
from kb.syntax.open_item import OpenItem, offset_of
from kb.syntax.plain_bodies import read_plain_body
from kb.syntax.source import LINE_END

#: Containers deeper than this are read as text, so that a line of a million bullets stays cheap.
_MAX_DEPTH = 32

#: What begins a block whatever stands before it, unless that is code or HTML: an item that begins with a letter, so is
#: no rule and opens nothing further; a footnote definition; a section's heading. The rest of an item's line, where the
#: next line ends it: another item, or a blank one before something at the margin.
_AT_MARGIN = re.compile(
    r"- (?=[^\W\d_])([^\r\n]*(?=\n(?:- [^\W\d_]|\n+(?:\S|\Z)|\Z)|\Z))?"
    r"|\[\^([^\]\s\\]+)\]:[ \t]*"
    r"|## (Relations|Facts)(?=\n|\Z)"
)

_SETEXT = re.compile(r"(=+|-+) *\Z")
_LINK_DEFINITION = re.compile(
    r" {0,3}\[(?!\^|\s*\])(?:\\.|[^\[\]\\]){1,999}\]:\s*(?:<[^<>\r\n]*>|[^\s<]\S*)"
    r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*(?:\r\n|\n|\r|\Z)",
    re.S,
)
_CLOSING_HASHES = re.compile(r"(?:^| )#+ *\Z")


class _Leaf(Enum):
    """The block that a line can continue."""

    NONE = 0
    PARAGRAPH = 1
    FENCE = 2
    CODE = 3
    HTML = 4
    FOOTNOTE = 5


_NONE, _PARAGRAPH, _FENCE, _CODE, _HTML_LEAF, _FOOTNOTE = _Leaf
_SWALLOWING = (_FENCE, _HTML_LEAF)
_STRAY = {
    _PARAGRAPH: "this text is no statement",
    _FENCE: "a code block in a statement section is not read",
    _CODE: "indented code in a statement section is not read",
    _HTML_LEAF: "HTML in a statement section is not read",
}


def iter_lines(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, end without line end) of each line from an offset."""
    if "\r" in text:
        at = start
        for match in LINE_END.finditer(text, start):
            yield at, match.start()
            at = match.end()
    else:
        at, end = start, text.find("\n", start)
        while end >= 0:
            yield at, end
            at = end + 1
            end = text.find("\n", at)
    if at < len(text):
        yield at, len(text)


def scan_body(text: str, start: int, reads_sections: bool = True) -> Body:
    """Scan a body that begins at an offset; without sections, all of it is prose."""
    plain = read_plain_body(text, start) if reads_sections else None
    return plain or _scan(text, start, reads_sections)


def _scan(text: str, start: int, reads_sections: bool) -> Body:
    scanner = _Scanner(text, reads_sections)
    was_blank = False
    for line_start, line_end in iter_lines(text, start):
        # Blank lines after the first change nothing.
        if line_start < line_end or not was_blank:
            was_blank = scanner.read_line(line_start, line_end)
    return scanner.finish()


class _Scanner:
    """The open blocks, and what the closed ones came to."""

    def __init__(self, text: str, reads_sections: bool) -> None:
        self.text = text
        self.found = OpenBody(text, reads_sections)
        #: Columns that a list item's lines are indented by; a quote: 0.
        self.containers: list[int] = []
        self.has_empty_item = False  #: nothing but its bullet stands in the innermost item so far
        self.leaf = _NONE
        self.leaf_start = self.leaf_end = 0
        self.fence = ""
        self.html_end: re.Pattern[str] | None = None
        self.hidden_in_fence: tuple[int, int] | None = None
        self.item: OpenItem | None = None
        self.quote: tuple[int, int] | None = None  #: the open quote at the top level
        self.is_comment = False  #: the line at hand belongs to a comment

    # -- one line ----------------------------------------------------------------------------------

    def read_line(self, start: int, end: int) -> bool:
        """Take in a line; whether it is blank."""
        if start == end and not self.containers and self.leaf not in _SWALLOWING:
            if self.leaf is _PARAGRAPH:
                self._close_leaf()
            return True
        begins = _AT_MARGIN.match(self.text, start)
        if begins and (self.containers or self.leaf not in _SWALLOWING):
            self._begin_at_margin(begins, start, end)
            return False
        line = self.text[start:end]
        if "\t" in line:
            line = line.expandtabs(4)
        item = self.item
        self.is_comment = False
        is_blank = self._read_blocks(line, start, end)
        if item and item is self.item and self.found.section and not is_blank:
            self._read_item_line(item, line, start, end)
        return is_blank

    def _begin_at_margin(self, begins: re.Match[str], start: int, end: int) -> None:
        """Open the item, footnote or heading that a line at the margin begins: what ``_read_blocks`` comes to for it.

        Containers do not go on, since no blank and no ``>`` begins the line; nothing but code and HTML goes on
        without one; and none of the three is kept from interrupting a paragraph, since the item is not empty. An item
        that the next line ends is taken as a whole.
        """
        if self.leaf is not _NONE or self.containers:
            self._close_to(0)
        self.is_comment = self.has_empty_item = False
        whole, label, title = begins.groups()
        if whole is not None and self.found.section is not None:
            self.found.take_line_item(self.found.section, start, end)
        elif label is not None:
            self.found.open_footnote(label, start, end, self.text[begins.end() : end])
            self.leaf, self.leaf_start, self.leaf_end = _FOOTNOTE, start, end
        elif title is not None:
            self._read_heading(2, title, start, end)
        else:
            text_start = start + 2
            self.item = OpenItem(start, text_start, end, False)
            self.containers.append(2)
            self.leaf, self.leaf_start, self.leaf_end = _PARAGRAPH, text_start, end

    def _read_blocks(self, line: str, start: int, end: int) -> bool:
        at, matched = self._match_containers(line) if self.containers else (0, 0)
        is_open = matched == len(self.containers)
        if matched and self.quote:
            self.quote = (self.quote[0], end)
        pos = _skip_spaces(line, at) if line.startswith(" ", at) else at
        is_blank = pos == len(line)
        if (
            is_open
            and self.leaf is not _NONE
            and self.leaf is not _PARAGRAPH
            and self._continues_leaf(line, at, pos, start, end)
        ):
            return is_blank
        if is_blank:
            if self.leaf is not _NONE or not is_open:
                self._close_to(matched)
            return True
        self.has_empty_item = False
        if pos - at < 4 and (line[pos] in STARTS or line[pos] == "="):
            if is_open and self.leaf is _PARAGRAPH and self._reads_setext(line, pos, start, end):
                return False
            if self._opens_blocks(line, at, pos, matched, start, end):
                return False
        elif pos - at >= 4 and self.leaf is not _PARAGRAPH:
            self._open_leaf(_CODE, matched, start, end)
            self.found.report_hidden(line, start, end, "indented code")
            return False
        self._read_text(matched, start, end)
        return False

    def _match_containers(self, line: str) -> tuple[int, int]:
        """Give the column where the open containers' marks end, and how many of them the line continues."""
        at = matched = 0
        last = len(self.containers) - 1
        for width in self.containers:
            pos = _skip_spaces(line, at)
            if width:
                if pos == len(line):
                    if self.has_empty_item and matched == last:
                        break
                    at = pos
                elif pos - at >= width:
                    at += width
                else:
                    break
            elif pos - at < 4 and line.startswith(">", pos):
                at = pos + 2 if line.startswith(" ", pos + 1) else pos + 1
            else:
                break
            matched += 1
        return at, matched

    def _read_text(self, matched: int, start: int, end: int) -> None:
        """Take text for the open paragraph, lazily where its containers do not go on, or for a new one."""
        if self.leaf is _PARAGRAPH:
            self.leaf_end = end
        else:
            self._open_leaf(_PARAGRAPH, matched, start, end)

    def _read_item_line(self, item: OpenItem, line: str, start: int, end: int) -> None:
        """Take in a further line of an item in a statement section, by the format's rules."""
        if item.is_numbered:
            item.end = end
        elif self.is_comment:
            item.is_cut = True
        else:
            is_code = self.leaf is _FENCE
            item.read_line(self.text, line, start, end, len(self.containers), is_code)

    # -- blocks that swallow lines -----------------------------------------------------------------

    def _continues_leaf(self, line: str, at: int, pos: int, start: int, end: int) -> bool:
        is_blank = pos == len(line)
        if self.leaf is _FENCE:
            self.leaf_end = end
            self._continue_fence(line, at, pos, start, end)
            return True
        if self.leaf is _HTML_LEAF:
            return self._continues_html(line, at, is_blank, start, end)
        if is_blank:
            return True
        if pos - at < 4:
            return False
        self.leaf_end = end
        if self.leaf is _CODE:
            self.found.report_hidden(line, start, end, "indented code")
        return True

    def _continue_fence(self, line: str, at: int, pos: int, start: int, end: int) -> None:
        rest = line[pos:].rstrip(" ")
        if pos - at < 4 and len(rest) >= len(self.fence) and not rest.strip(self.fence[0]):
            self._close_leaf()
        elif self.hidden_in_fence is None and rest.startswith("##") and is_section_heading(rest):
            self.hidden_in_fence = (start, end)

    def _open_html(
        self, kind: str, line: str, pos: int, matched: int, start: int, end: int
    ) -> None:
        self._open_leaf(_HTML_LEAF, matched, start, end)
        self.html_end = HTML_ENDS.get(kind)
        self._continues_html(line, pos, False, start, end)

    def _continues_html(self, line: str, at: int, is_blank: bool, start: int, end: int) -> bool:
        if self.html_end is None:
            if is_blank:
                self._close_leaf()
                return True
        elif closing := self.html_end.search(line, at):
            self.leaf_end = end
            self.is_comment = self._is_comment
            rest = line[closing.end() :].strip(" ")
            if self.found.section and self.is_comment and rest:
                self.found.report_stray(end - len(rest), end, "text after a comment is not read")
            self.found.report_hidden(line, start, end, "an HTML comment or block")
            self._close_leaf()
            return True
        self.leaf_end = end
        self.is_comment = self._is_comment
        self.found.report_hidden(line, start, end, "an HTML comment or block")
        return True

    @property
    def _is_comment(self) -> bool:
        return self.html_end is HTML_ENDS["comment"]

    # -- blocks that begin -------------------------------------------------------------------------

    def _opens_blocks(
        self, line: str, at: int, pos: int, matched: int, start: int, end: int
    ) -> bool:
        """Open what begins in a line; whether anything does. Its text is taken in as well."""
        has_opened = False
        while pos - at < 4 and pos < len(line):
            starts = STARTS.get(line[pos])
            match = starts.match(line, pos) if starts else None
            kind = match.lastgroup if match else None
            if match is None or kind is None or not self._may_begin(kind, match, line, matched):
                break
            if kind == "quote":
                self._open_quote(matched, start, end)
                at = match.end() + line.startswith(" ", match.end())
            elif kind in ("bullet", "number"):
                at = self._open_item(match, line, at, matched, start, end)
            else:
                self._open_block(kind, match, line, matched, start, end)
                return True
            has_opened, matched = True, len(self.containers)
            pos = _skip_spaces(line, at)
        if has_opened and pos < len(line):
            if pos - at >= 4:
                self._open_leaf(_CODE, matched, start, end)
            else:
                self._open_leaf(_PARAGRAPH, matched, offset_of(self.text, start, end, pos), end)
        return has_opened

    def _may_begin(self, kind: str, match: re.Match[str], line: str, matched: int) -> bool:
        """Whether a block may begin here: some cannot interrupt a paragraph, some stand only at the top."""
        if kind == "tag":
            return self.leaf is not _PARAGRAPH
        if kind == "footnote":
            return matched == 0
        if kind in ("quote", "bullet", "number") and matched >= _MAX_DEPTH:
            return False
        if self.leaf is not _PARAGRAPH or matched < len(self.containers):
            return True
        if kind in ("bullet", "number"):
            is_first = kind == "bullet" or match.group()[:-1].lstrip("0") == "1"
            return is_first and line[match.end() :].strip(" ") != ""
        return True

    def _open_block(
        self, kind: str, match: re.Match[str], line: str, matched: int, start: int, end: int
    ) -> None:
        if kind == "atx":
            self._close_to(matched)
            title = _CLOSING_HASHES.sub("", line[match.end() :]).strip()
            self._read_heading(len(match.group()), title, start, end)
        elif kind == "fence":
            self._open_leaf(_FENCE, matched, start, end)
            self.fence, self.hidden_in_fence = match.group(), None
        elif kind == "rule":
            self._close_to(matched)
            if self.found.section and not self.containers:
                self.found.report_stray(start, end, "a rule in a statement section is not read")
        elif kind == "footnote":
            self._open_leaf(_FOOTNOTE, 0, start, end)
            at = offset_of(self.text, start, end, match.end())
            text = self.text[at:end].lstrip(" \t")
            self.found.open_footnote(match.group("label"), start, end, text)
        else:
            self._open_html(kind, line, match.start(), matched, start, end)

    def _open_leaf(self, leaf: _Leaf, matched: int, start: int, end: int) -> None:
        if self.leaf is not _NONE or matched < len(self.containers):
            self._close_to(matched)
        self.leaf, self.leaf_start, self.leaf_end = leaf, start, end

    def _open_quote(self, matched: int, start: int, end: int) -> None:
        self._close_to(matched)
        if not self.containers:
            self.quote = (start, end)
        self.containers.append(0)

    def _open_item(
        self, match: re.Match[str], line: str, at: int, matched: int, start: int, end: int
    ) -> int:
        """Open a list item; the column where its content begins."""
        self._close_to(matched)
        text_at = _skip_spaces(line, match.end())
        self.has_empty_item = text_at == len(line)
        is_far = self.has_empty_item or text_at - match.end() > 4
        content = match.end() + 1 if is_far else text_at
        if not self.containers:
            self.item = OpenItem(
                offset_of(self.text, start, end, match.start()),
                offset_of(self.text, start, end, text_at),
                end,
                match.lastgroup == "number",
            )
        self.containers.append(content - at)
        return content

    # -- headings ----------------------------------------------------------------------------------

    def _reads_setext(self, line: str, pos: int, start: int, end: int) -> bool:
        """Make the open paragraph a heading, unless it holds nothing but link definitions."""
        underline = _SETEXT.match(line, pos)
        if underline is None:
            return False
        first = self.leaf_start
        while match := _LINK_DEFINITION.match(self.text, first, start):
            first = match.end()
        if first == start:
            self._close_leaf()
            return False
        self.leaf = _NONE
        level = 1 if underline.group(1)[0] == "=" else 2
        self._read_heading(level, self.text[first:start], first, end)
        return True

    def _read_heading(self, level: int, title: str, start: int, end: int) -> None:
        if not self.containers:
            self.found.take_heading(level, title, start, end)
        elif find_section(level, title):
            where = "a list item" if self.item else "a block quote"
            self.found.report_hidden_heading(start, end, where)

    # -- blocks that end ---------------------------------------------------------------------------

    def _close_to(self, depth: int) -> None:
        """Close the leaf, and the containers beyond a depth."""
        if self.leaf is not _NONE:
            self._close_leaf()
        if depth < len(self.containers):
            del self.containers[depth:]
            if depth == 0:
                self._close_top()

    def _close_leaf(self) -> None:
        leaf, self.leaf = self.leaf, _NONE
        start, end = self.leaf_start, self.leaf_end
        if self.quote:
            self.quote = (self.quote[0], max(self.quote[1], end))
        if leaf is _FOOTNOTE:
            self.found.close_footnote(end)
        elif self.found.section is None:
            if leaf is _PARAGRAPH:
                self.found.take_paragraph(start, end, not self.containers)
        elif not self.containers and not (leaf is _HTML_LEAF and self._is_comment):
            self.found.report_stray(start, end, _STRAY[leaf])

    def _close_top(self) -> None:
        """The top-level list item or quote has ended."""
        item, quote = self.item, self.quote
        self.item = self.quote = None
        if self.found.section is None:
            return
        if quote:
            self.found.report_stray(*quote, "a quote in a statement section is not read")
        if item:
            self.found.take_item(self.found.section, item)

    def finish(self) -> Body:
        """Close what is open."""
        self._report_unclosed()
        self._close_to(0)
        return self.found.finish()

    def _report_unclosed(self) -> None:
        if self.containers:
            return
        if self.leaf is _FENCE and self.hidden_in_fence and self.found.reads_sections:
            start, end = self.hidden_in_fence
            title = self.text[start:end].strip()
            message = f"{title} stands in a code block that is never closed"
            hint = "close the block that opens above it"
            self.found.report(Fault("KB136", start, end, message, hint, self.leaf_start))
        elif self.leaf is _HTML_LEAF and self.found.section and self._is_comment:
            self.found.report_stray(
                self.leaf_start, self.leaf_end, "a comment that is never closed hides what follows"
            )


def _skip_spaces(line: str, at: int) -> int:
    size = len(line)
    while at < size and line[at] == " ":
        at += 1
    return at
