"""Which lines of a Markdown body are statements: a line scanner that agrees with CommonMark about blocks.

It knows the containers that can hide a heading or an item (fences, indented code, HTML, quotes, lists) and
nothing about what a statement says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kb.diagnostics import Fault
from kb.model.entity import Footnote
from kb.model.statement import Section

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*\Z")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_RULE = re.compile(r" {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}\Z")
_BULLET = re.compile(r"( *)([-*+]|\d{1,9}[.)])(?:( +|\t)(?=\S)|[ \t]*\Z)")
_QUOTE = re.compile(r" {0,3}>")
_FOOTNOTE = re.compile(r" {0,3}\[\^([^\]\s]+)\]:[ \t]*(.*)")
_HTML_STARTS = (
    (re.compile(r" {0,3}<(?:script|pre|style|textarea)(?:\s|>|\Z)", re.I), re.compile(r"</(?:script|pre|style|textarea)>", re.I)),
    (re.compile(r" {0,3}<!--"), re.compile(r"-->")),
    (re.compile(r" {0,3}<\?"), re.compile(r"\?>")),
    (re.compile(r" {0,3}<![A-Za-z]"), re.compile(r">")),
    (re.compile(r" {0,3}<!\[CDATA\["), re.compile(r"\]\]>")),
)
_HTML_BLOCK = re.compile(
    r" {0,3}</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog"
    r"|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend"
    r"|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td"
    r"|tfoot|th|thead|title|tr|track|ul)(?:\s|/?>|\Z)",
    re.I,
)
_HTML_TAG = re.compile(
    r" {0,3}(?:<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)*\s*/?>"
    r"|</[A-Za-z][A-Za-z0-9-]*\s*>)[ \t]*\Z"
)
_NAMES = {"relations": Section.RELATIONS, "facts": Section.FACTS}
_HIDDEN = re.compile(r"##[ \t]+(relations|facts)[ \t#]*\Z", re.I)


@dataclass(frozen=True, slots=True)
class Item:
    """One list item of a statement section, by character offsets in the file's text."""

    section: Section
    start: int  #: of the bullet
    text_start: int  #: after the bullet
    end: int  #: of the item's own text, sub-items excluded, last line end excluded
    sub_items: tuple[tuple[int, int, int], ...]  #: (start of the bullet, start of the text, end)


@dataclass(frozen=True, slots=True)
class Body:
    """What a body consists of."""

    items: tuple[Item, ...]
    footnotes: tuple[Footnote, ...]
    prose: tuple[tuple[int, int], ...]  #: stretches of free text, code and comments left out
    sections: tuple[tuple[Section, int, int], ...]  #: (section, start of its heading, end)
    faults: tuple[Fault, ...]


@dataclass(slots=True)
class _OpenItem:
    start: int
    text_start: int
    end: int
    content: int  #: columns that a line must be indented by to belong to it
    ordered: bool
    in_section: Section | None
    sub_items: list[tuple[int, int, int]]
    has_sub: bool = False
    blank: bool = False
    fence: str = ""
    html: re.Pattern[str] | None = None


def iter_lines(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, end without line end) of each line from an offset."""
    at, size = start, len(text)
    has_cr = "\r" in text
    while at < size:
        end = text.find("\n", at)
        if end < 0:
            end = size
        step = 1
        if has_cr:
            cr = text.find("\r", at, end)
            if cr >= 0:
                step = 2 if text.startswith("\r\n", cr) else 1
                end = cr
        yield at, end
        at = end + step


def scan_body(text: str, start: int) -> Body:
    """Scan a body that begins at an offset."""
    scanner = _Scanner(text)
    for line_start, line_end in iter_lines(text, start):
        scanner.line(line_start, line_end)
    return scanner.finish(start)


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.section: Section | None = None
        self.item: _OpenItem | None = None
        self.fence = ""
        self.fence_start = 0
        self.html: re.Pattern[str] | None = None
        self.html_to_blank = False
        self.paragraph = 0  #: lines of the open top-level paragraph
        self.paragraph_start = 0
        self.quote = False  #: a quote's paragraph may be continued lazily
        self.quote_fence = ""
        self.items: list[Item] = []
        self.footnotes: list[Footnote] = []
        self.prose: list[tuple[int, int]] = []
        self.sections: list[tuple[Section, int, int]] = []
        self.open_section: tuple[Section, int] | None = None
        self.faults: list[Fault] = []
        self.hidden_in_fence: list[tuple[int, int]] = []
        self.stray_reported = False
        self.footnote_open = False

    def line(self, start: int, end: int) -> None:
        line = self.text[start:end]
        if "\t" in line:
            line = _expand_leading_tabs(line)
        if self.fence:
            self._in_fence(line, start, end)
        elif self.html is not None or self.html_to_blank:
            self._in_html(line, start, end)
        elif self.item is not None and self._belongs_to_item(line, start, end):
            return
        else:
            self._top_level(line, start, end)

    # -- blocks that swallow lines -------------------------------------------------------------------------------

    def _in_fence(self, line: str, start: int, end: int) -> None:
        stripped = line.strip()
        if len(line) - len(line.lstrip(" ")) < 4 and stripped and set(stripped) == {self.fence[0]} and len(stripped) >= len(self.fence):
            self.fence = ""
            self.hidden_in_fence.clear()
        elif _HIDDEN.fullmatch(stripped):
            self.hidden_in_fence.append((start, end))

    def _in_html(self, line: str, start: int, end: int) -> None:
        if self.html_to_blank:
            if not line.strip():
                self.html_to_blank = False
                return
        elif self.html is not None and self.html.search(line):
            self.html = None
        self._report_hidden(line, start, end, "an HTML comment or block")

    def _report_hidden(self, line: str, start: int, end: int, where: str) -> None:
        if _HIDDEN.fullmatch(line.lstrip("> ").lstrip("-*+ ").strip()):
            self.faults.append(
                Fault(
                    "KB135",
                    start,
                    end,
                    f"this heading stands in {where} and begins no section",
                    "move it to the beginning of a line of its own",
                )
            )

    # -- list items ----------------------------------------------------------------------------------------------

    def _belongs_to_item(self, line: str, start: int, end: int) -> bool:
        item = self.item
        assert item is not None
        indent = len(line) - len(line.lstrip(" "))
        stripped = line.strip()
        if item.fence or item.html:
            if stripped and indent < item.content:
                item.fence, item.html = "", None
                self._close_item()
                return False
            if item.fence and stripped and set(stripped) == {item.fence[0]} and len(stripped) >= len(item.fence):
                item.fence = ""
            elif item.html and item.html.search(line):
                item.html = None
            if stripped:
                item.end = end
            return True
        if not stripped:
            if item.text_start >= item.end and item.blank:
                pass
            item.blank = True
            return True
        if indent >= item.content:
            self._inside_item(item, line, start, end, indent)
            return True
        starts_block = self._starts_block(line)
        if not starts_block and not item.blank:
            # CommonMark's lazy continuation; the format wants it indented, so that no stray prose joins a statement.
            if indent > 0:
                self._extend(item, end)
            else:
                self._stray(start, end, "a line that continues a statement must be indented")
            return True
        if starts_block and not item.blank and indent > 0 and not _BULLET.match(line):
            self._close_item()
            return False
        self._close_item()
        return False

    def _inside_item(self, item: _OpenItem, line: str, start: int, end: int, indent: int) -> None:
        inner = line[item.content :]
        inner_indent = indent - item.content
        was_blank, item.blank = item.blank, False
        bullet = _BULLET.match(line)
        if inner_indent < 4 or not was_blank:
            fence = _FENCE.match(inner) if inner_indent < 4 else None
            if fence:
                item.fence = fence.group(1)
                self._extend(item, end)
                return
            for opening, closing in _HTML_STARTS:
                if inner_indent < 4 and opening.match(inner):
                    if not closing.search(inner):
                        item.html = closing
                    return
            if bullet and (inner_indent < 4 or item.has_sub):
                text_start = start + _raw_offset(self.text[start:end], bullet.end())
                bullet_start = start + _raw_offset(self.text[start:end], bullet.start(2))
                item.sub_items.append((bullet_start, min(text_start, end), end))
                item.has_sub = True
                return
            self._report_hidden(inner.strip(), start, end, "a list item")
        self._extend(item, end)

    def _extend(self, item: _OpenItem, end: int) -> None:
        item.blank = False
        if item.has_sub:
            start, text_start, _ = item.sub_items[-1]
            item.sub_items[-1] = (start, text_start, end)
        else:
            item.end = end

    def _close_item(self) -> None:
        item = self.item
        if item is None:
            return
        self.item = None
        if item.in_section is None:
            self.prose.append((item.start, max([item.end, *(sub[2] for sub in item.sub_items)])))
        elif item.ordered:
            self.faults.append(
                Fault(
                    "KB139",
                    item.start,
                    item.end,
                    "a numbered item is no statement",
                    "begin it with '- '",
                )
            )
        else:
            self.items.append(Item(item.in_section, item.start, item.text_start, item.end, tuple(item.sub_items)))

    # -- the top level -------------------------------------------------------------------------------------------

    def _starts_block(self, line: str) -> bool:
        """Whether a line interrupts a paragraph."""
        if _ATX.match(line) or _FENCE.match(line) or _RULE.match(line) or _QUOTE.match(line):
            return True
        bullet = _BULLET.match(line)
        if bullet and len(bullet.group(1)) < 4 and bullet.end() < len(line):
            marker = bullet.group(2)
            return self.item is not None or marker in "-*+" or marker in ("1.", "1)")
        if _FOOTNOTE.match(line):
            return True
        return any(opening.match(line) for opening, _ in _HTML_STARTS) or _HTML_BLOCK.match(line) is not None

    def _top_level(self, line: str, start: int, end: int) -> None:
        stripped = line.strip()
        if not stripped:
            self._end_paragraph()
            self.quote, self.quote_fence = False, ""
            return
        indent = len(line) - len(line.lstrip(" "))
        if self.paragraph and self.paragraph_start and (setext := _SETEXT.match(line)):
            self._setext(start, end, 1 if setext.group(1)[0] == "=" else 2)
            return
        if indent >= 4:
            if self.paragraph:
                self._paragraph_line(start, end)
            elif self.footnote_open:
                self._extend_footnote(end)
            elif not self.quote:
                self._code_line(start, end)
            return
        if _QUOTE.match(line):
            self._quote_line(line, start, end)
            return
        if self.quote and not self._starts_block(line) and not _HTML_TAG.match(line):
            return
        self.quote, self.quote_fence = False, ""
        if atx := _ATX.match(line):
            self._end_paragraph()
            self._heading(len(atx.group(1)), (atx.group(2) or "").strip(), start, end)
        elif fence := _FENCE.match(line):
            self._end_paragraph()
            self.fence, self.fence_start = fence.group(1), start
            self.hidden_in_fence.clear()
            if self.section:
                self._stray(start, end, "a code block in a statement section is not read")
        elif _RULE.match(line):
            self._end_paragraph()
            if self.section:
                self._stray(start, end, "a rule in a statement section is not read")
        elif self._opens_html(line, start, end):
            return
        elif (bullet := _BULLET.match(line)) and self._opens_item(bullet, line, start, end):
            return
        elif footnote := _FOOTNOTE.match(line):
            self._end_paragraph()
            at = start + _raw_offset(self.text[start:end], footnote.start(2))
            self.footnotes.append(Footnote(footnote.group(1), start, end, self.text[at:end]))
            self.footnote_open = True
        else:
            self._paragraph_line(start, end)

    def _extend_footnote(self, end: int) -> None:
        last = self.footnotes[-1]
        self.footnotes[-1] = Footnote(last.label, last.start, end, last.text)

    def _end_paragraph(self) -> None:
        self.paragraph = 0
        self.footnote_open = False

    def _paragraph_line(self, start: int, end: int) -> None:
        if self.footnote_open and not self.paragraph:
            self._extend_footnote(end)
            return
        if not self.paragraph:
            self.paragraph_start = start + 1  # never 0, which means none
        self.paragraph += 1
        self.prose.append((start, end))
        if self.section:
            self._stray(start, end, "this text is no statement")

    def _code_line(self, start: int, end: int) -> None:
        if self.section:
            self._stray(start, end, "indented code in a statement section is not read")

    def _quote_line(self, line: str, start: int, end: int) -> None:
        self._end_paragraph()
        inner = line.lstrip(" ")[1:]
        content = inner[1:] if inner.startswith(" ") else inner
        if self.quote_fence:
            stripped = content.strip()
            if stripped and set(stripped) == {self.quote_fence[0]} and len(stripped) >= len(self.quote_fence):
                self.quote_fence = ""
            self.quote = False
        elif fence := _FENCE.match(content):
            self.quote_fence, self.quote = fence.group(1), False
        else:
            self._report_hidden(content, start, end, "a block quote")
            ends = not content.strip() or _ATX.match(content) or _RULE.match(content)
            code = len(content) - len(content.lstrip(" ")) >= 4 and not self.quote
            self.quote = not ends and not code
        if self.section:
            self._stray(start, end, "a quote in a statement section is not read")

    def _opens_html(self, line: str, start: int, end: int) -> bool:
        for opening, closing in _HTML_STARTS:
            match = opening.match(line)
            if match:
                self._end_paragraph()
                rest = line[match.end() :] if closing.pattern in ("-->", r"\?>") else line
                if not closing.search(rest):
                    self.html = closing
                self._report_hidden(re.sub(r"<!--\s*|\s*-->", "", line), start, end, "an HTML comment or block")
                return True
        if _HTML_BLOCK.match(line) or (not self.paragraph and _HTML_TAG.match(line)):
            self._end_paragraph()
            self.html_to_blank = True
            return True
        return False

    def _opens_item(self, bullet: re.Match[str], line: str, start: int, end: int) -> bool:
        is_empty = bullet.end() >= len(line)
        marker = bullet.group(2)
        if self.paragraph and (is_empty or (marker not in "-*+" and marker not in ("1.", "1)"))):
            return False
        spaces = len(bullet.group(3) or " ")
        content = len(bullet.group(1)) + len(marker) + (1 if spaces > 4 or is_empty else spaces)
        self._end_paragraph()
        raw = self.text[start:end]
        text_start = start + _raw_offset(raw, min(bullet.end(), len(line)))
        opened = _OpenItem(start, min(text_start, end), end, content, marker not in "-*+", self.section, [])
        self.item = opened
        inner = line[content:]
        if fence := _FENCE.match(inner):
            opened.fence = fence.group(1)
        self._report_hidden(line, start, end, "a list item")
        return True

    def _stray(self, start: int, end: int, message: str) -> None:
        if self.section is None:
            self.prose.append((start, end))
            return
        text = self.text[start:end].strip()
        hint = "begin an item with '- predicate:: …', or move the text above the section"
        if "continues" in message:
            hint = "indent it by two spaces, or begin it with '- '"
        self.faults.append(Fault("KB133", start, start + len(self.text[start:end].rstrip()), message, hint if text else ""))

    # -- headings ------------------------------------------------------------------------------------------------

    def _setext(self, start: int, end: int, level: int) -> None:
        first = self.paragraph_start - 1
        lines = self.paragraph
        title = " ".join(self.text[first:start].split())
        self._end_paragraph()
        if self.section:
            del self.faults[len(self.faults) - min(lines, len(self.faults)) :]
        self._heading(level, title, first, end)

    def _heading(self, level: int, title: str, start: int, end: int) -> None:
        if level > 2:
            return
        self._close_section(start)
        section = _NAMES.get(" ".join(title.split()).casefold()) if level == 2 else None
        self.section = section
        if section is None:
            return
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
        self.open_section = (section, start)

    def _close_section(self, at: int) -> None:
        if self.open_section is not None:
            self.sections.append((*self.open_section, at))
            self.open_section = None

    def finish(self, start: int) -> Body:
        self._close_item()
        self._close_section(len(self.text))
        if self.fence and self.hidden_in_fence:
            heading_start, heading_end = self.hidden_in_fence[0]
            self.faults.append(
                Fault(
                    "KB136",
                    heading_start,
                    heading_end,
                    f"{self.text[heading_start:heading_end].strip()} stands in a code block that is never closed",
                    "close the block that opens above it",
                    self.fence_start,
                )
            )
        return Body(
            tuple(self.items), tuple(self.footnotes), tuple(self.prose), tuple(self.sections), tuple(self.faults)
        )


def _expand_leading_tabs(line: str) -> str:
    """Expand the tabs that stand in the indentation or right after a bullet, to stops of four."""
    out, column = [], 0
    for index, char in enumerate(line):
        if char == "\t":
            width = 4 - column % 4
            out.append(" " * width)
            column += width
        elif char in " -*+>" or (char.isdigit() and index < 9) or char in ".)":
            out.append(char)
            column += 1
        else:
            return "".join(out) + line[index:]
    return "".join(out)


def _raw_offset(raw: str, column: int) -> int:
    """Where in the raw line the character stands that is at a column of the expanded one."""
    if "\t" not in raw:
        return min(column, len(raw))
    at = 0
    for index, char in enumerate(raw):
        if at >= column:
            return index
        at += 4 - at % 4 if char == "\t" else 1
    return len(raw)
