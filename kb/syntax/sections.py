"""Which lines of a Markdown body are statements: CommonMark's block structure, read line by line.

It knows the containers and blocks that can hide a heading or an item, and nothing of what a
statement says. Two rules are the format's own: an indented line joins its item's text and an
indented bullet is a sub-item, at whatever depth; footnote definitions are blocks.
One automaton over lines, so in one module although it is long.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import Enum

from kb.diagnostics import Fault
from kb.model.entity import Footnote
from kb.model.statement import Section
from kb.syntax.block_starts import HTML_ENDS, STARTS
from kb.syntax.body import SECTIONS, Body, Item
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
_HIDDEN = re.compile(r"(?:<!--)?[ \t]*##[ \t]+(?:relations|facts)[ \t#]*(?:-->)?", re.I)
_BULLET_LINE = re.compile(r" *([-+*])(?: +|\Z)")

#: What people write for a section's heading.
_NEAR_MISS = re.compile(r"(?:relations?(?:hips?)?|facts?)\W*", re.I)
_LIKE_A_STATEMENT = re.compile(r"^ {0,3}[-*+] +[^\s:`\[]+(?: [^\s:`\[]+){0,2} *::", re.M)

_ITEM_HINT = "begin an item with '- predicate:: …', or move it above the section"
_INDENT_HINT = "indent it by two spaces, or begin it with '- '"


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


class _OpenItem:
    """A list item at the top level of the document while its lines come in."""

    __slots__ = (
        "end",
        "is_cut",
        "is_numbered",
        "start",
        "stray",
        "sub_indent",
        "sub_items",
        "text_start",
    )

    def __init__(self, start: int, text_start: int, end: int, is_numbered: bool) -> None:
        self.start, self.text_start, self.end = start, text_start, end
        self.is_numbered = is_numbered
        self.sub_items: list[tuple[int, int, int]] = []
        self.sub_indent = 0
        #: Its first stray line, to the last; what is wrong.
        self.stray: tuple[int, int, str] | None = None
        #: A comment or a stray line came between: nothing more joins the text.
        self.is_cut = False


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
        self.text, self.reads_sections = text, reads_sections
        self.containers: list[
            int
        ] = []  #: columns that a list item's lines are indented by; a quote: 0
        self.has_empty_item = False  #: nothing but its bullet stands in the innermost item so far
        self.leaf = _NONE
        self.leaf_start = self.leaf_end = 0
        self.fence = ""
        self.html_end: re.Pattern[str] | None = None
        self.hidden_in_fence: tuple[int, int] | None = None
        self.item: _OpenItem | None = None
        self.quote: tuple[int, int] | None = None  #: the open quote at the top level
        self.has_tabs = False  #: the line at hand does
        self.is_comment = False  #: the line at hand belongs to a comment
        self.section: Section | None = None
        self.section_start = 0
        self.items: list[Item] = []
        self.footnotes: list[Footnote] = []
        self.prose: list[tuple[int, int]] = []
        self.paragraphs: list[tuple[int, int]] = []
        self.sections: list[tuple[Section, int, int]] = []
        self.faults: list[Fault] = []
        self.headings: list[int] = []
        self.near_misses: list[tuple[str, int, int]] = []

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
        self.has_tabs = "\t" in line
        if self.has_tabs:
            line = line.expandtabs(4)
        item = self.item
        self.is_comment = False
        is_blank = self._read_blocks(line, start, end)
        if item is not None and item is self.item and self.section is not None and not is_blank:
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
        if whole is not None and self.section is not None:
            self.items.append(Item(self.section, start, start + 2, end, ()))
        elif label is not None:
            self.footnotes.append(Footnote(label, start, end, self.text[begins.end() : end]))
            self.leaf, self.leaf_start, self.leaf_end = _FOOTNOTE, start, end
        elif title is not None:
            self._read_heading(2, title, start, end)
        else:
            text_start = start + 2
            self.item = _OpenItem(start, text_start, end, False)
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
            self._report_hidden(line, start, end, "indented code")
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
            self._report_hidden(line, start, end, "indented code")
        return True

    def _continue_fence(self, line: str, at: int, pos: int, start: int, end: int) -> None:
        rest = line[pos:].rstrip(" ")
        if pos - at < 4 and len(rest) >= len(self.fence) and not rest.strip(self.fence[0]):
            self._close_leaf()
        elif self.hidden_in_fence is None and rest.startswith("##") and _HIDDEN.fullmatch(rest):
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
            if self.section and self.is_comment and rest:
                self._report_stray(end - len(rest), end, "text after a comment is not read")
            self._report_hidden(line, start, end, "an HTML comment or block")
            self._close_leaf()
            return True
        self.leaf_end = end
        self.is_comment = self._is_comment
        self._report_hidden(line, start, end, "an HTML comment or block")
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
                self._open_leaf(_PARAGRAPH, matched, self._offset(start, end, pos), end)
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
            if self.section and not self.containers:
                self._report_stray(start, end, "a rule in a statement section is not read")
        elif kind == "footnote":
            self._open_leaf(_FOOTNOTE, 0, start, end)
            at = self._offset(start, end, match.end())
            text = self.text[at:end].lstrip(" \t")
            self.footnotes.append(Footnote(match.group("label"), start, end, text))
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
            self.item = _OpenItem(
                self._offset(start, end, match.start()),
                self._offset(start, end, text_at),
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
        title = " ".join(title.split())
        section = SECTIONS.get(title.casefold()) if level == 2 else None
        if self.containers:
            if section:
                where = "a list item" if self.item else "a block quote"
                self._report_hidden_heading(start, end, where)
            return
        self.headings.append(start)
        if self.reads_sections and _NEAR_MISS.fullmatch(title) and not (level == 2 and section):
            self.near_misses.append((title, start, end))
        if level <= 2:
            self._close_section(start)
            if section and self.reads_sections:
                self._open_section(section, title, start, end)
                return
        if self.section is None:
            self.prose.append((start, end))

    def _report_near_misses(self) -> None:
        """Report headings that are nearly a section's, where what follows looks like statements."""
        starts = [*self.headings, len(self.text)]
        for title, start, end in self.near_misses:
            following = starts[bisect_right(starts, start)]
            if _LIKE_A_STATEMENT.search(self.text, end, following):
                section = "Relations" if title.casefold().startswith("rel") else "Facts"
                self.faults.append(
                    Fault(
                        "KB141",
                        start,
                        end,
                        f'"{self.text[start:end].strip()}" begins no section, so the statements under it are not read',
                        f"write ## {section}",
                    )
                )

    def _open_section(self, section: Section, title: str, start: int, end: int) -> None:
        if any(other is section for other, _, _ in self.sections):
            self.faults.append(
                Fault(
                    "KB134",
                    start,
                    end,
                    f"a second section {title}; it is read too",
                    "move its items into the first one",
                )
            )
        self.section, self.section_start = section, start

    def _close_section(self, at: int) -> None:
        if self.section is not None:
            self.sections.append((self.section, self.section_start, at))
            self.section = None

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
            last = self.footnotes[-1]
            if last.end != end:
                self.footnotes[-1] = Footnote(last.label, last.start, end, last.text)
        elif self.section is None:
            if leaf is _PARAGRAPH:
                self.prose.append((start, end))
                if not self.containers:
                    self.paragraphs.append((start, end))
        elif not self.containers and not (leaf is _HTML_LEAF and self._is_comment):
            self._report_stray(start, end, _STRAY[leaf])

    def _close_top(self) -> None:
        """The top-level list item or quote has ended."""
        item, quote = self.item, self.quote
        self.item = self.quote = None
        if self.section is None:
            return
        if quote:
            self._report_stray(*quote, "a quote in a statement section is not read")
        if item is None:
            return
        if item.is_numbered:
            message = "a numbered item is no statement"
            self.faults.append(Fault("KB139", item.start, item.end, message, "begin it with '- '"))
            return
        self.items.append(
            Item(self.section, item.start, item.text_start, item.end, tuple(item.sub_items))
        )
        if item.stray:
            self.faults.append(Fault("KB133", *item.stray, _INDENT_HINT))

    def finish(self) -> Body:
        """Close what is open."""
        self._report_unclosed()
        self._report_near_misses()
        self._close_to(0)
        self._close_section(len(self.text))
        return Body(
            tuple(self.items),
            tuple(self.footnotes),
            tuple(self.prose),
            tuple(self.paragraphs),
            tuple(self.sections),
            tuple(self.faults),
        )

    # -- the lines of a statement ------------------------------------------------------------------

    def _read_item_line(self, item: _OpenItem, line: str, start: int, end: int) -> None:
        """Take in a further line of an item in a statement section, by the format's rules."""
        if item.is_numbered:
            item.end = end
            return
        if self.is_comment:
            item.is_cut = True
            return
        bullet = None if self.leaf is _FENCE else _BULLET_LINE.match(line)
        if bullet and bullet.end(1) > 1:
            text_start = self._offset(start, end, bullet.end())
            item.sub_items.append((self._offset(start, end, bullet.start(1)), text_start, end))
            item.sub_indent, item.is_cut = bullet.start(1), False
            return
        indent = len(line) - len(line.lstrip(" "))
        if indent == 0:
            self._cut(item, start, end, "a line that continues a statement must be indented")
        elif item.is_cut:
            self._cut(
                item,
                start,
                end,
                "this text follows what is no part of the statement, and is not read",
            )
        elif not item.sub_items:
            item.end = end
        elif indent > item.sub_indent or len(self.containers) > 1:
            sub_start, text_start, _ = item.sub_items[-1]
            item.sub_items[-1] = (sub_start, text_start, end)
        else:
            self._cut(item, start, end, "text of a statement stands before its sub-items")

    def _cut(self, item: _OpenItem, start: int, end: int, message: str) -> None:
        """Nothing from here on is the item's: reading past a stray line would read the line as well."""
        item.is_cut = True
        item.stray = (item.stray[0], end, item.stray[2]) if item.stray else (start, end, message)

    # -- findings ----------------------------------------------------------------------------------

    def _report_stray(self, start: int, end: int, message: str) -> None:
        text = self.text[start:end]
        start += len(text) - len(text.lstrip(" \t"))
        self.faults.append(Fault("KB133", start, max(end, start), message, _ITEM_HINT))

    def _report_hidden(self, line: str, start: int, end: int, where: str) -> None:
        if "##" in line and _HIDDEN.fullmatch(line.strip(" ")):
            self._report_hidden_heading(start, end, where)

    def _report_hidden_heading(self, start: int, end: int, where: str) -> None:
        if self.reads_sections:
            message = f"this heading stands in {where} and begins no section"
            hint = "move it to the beginning of a line of its own"
            self.faults.append(Fault("KB135", start, end, message, hint))

    def _report_unclosed(self) -> None:
        if self.containers:
            return
        if self.leaf is _FENCE and self.hidden_in_fence and self.reads_sections:
            start, end = self.hidden_in_fence
            title = self.text[start:end].strip()
            message = f"{title} stands in a code block that is never closed"
            hint = "close the block that opens above it"
            self.faults.append(Fault("KB136", start, end, message, hint, self.leaf_start))
        elif self.leaf is _HTML_LEAF and self.section and self._is_comment:
            self._report_stray(
                self.leaf_start, self.leaf_end, "a comment that is never closed hides what follows"
            )

    def _offset(self, start: int, end: int, column: int) -> int:
        """Where in the text the character stands that is at a column of the line, tabs expanded."""
        if not self.has_tabs:
            return min(start + column, end)
        at = 0
        for index in range(start, end):
            if at >= column:
                return index
            at += 4 - at % 4 if self.text[index] == "\t" else 1
        return end


def _skip_spaces(line: str, at: int) -> int:
    size = len(line)
    while at < size and line[at] == " ":
        at += 1
    return at
