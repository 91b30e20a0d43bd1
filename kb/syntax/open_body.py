"""What the blocks of a body come to while they are read: its sections and items, its prose, and what is wrong with it."""

import re
from bisect import bisect_right

from kb.diagnostics import Fault
from kb.model.entity import Footnote
from kb.model.statement import Section
from kb.syntax.body import SECTIONS, Body, Item
from kb.syntax.open_item import OpenItem

_HIDDEN = re.compile(r"(?:<!--)?[ \t]*##[ \t]+(?:relations|facts)[ \t#]*(?:-->)?", re.I)
#: What people write for a section's heading.
_NEAR_MISS = re.compile(r"(?:relations?(?:hips?)?|facts?)\W*", re.I)
_LIKE_A_STATEMENT = re.compile(r"^ {0,3}[-*+] +[^\s:`\[]+(?: [^\s:`\[]+){0,2} *::", re.M)

_ITEM_HINT = "begin an item with '- predicate:: …', or move it above the section"
_INDENT_HINT = "indent it by two spaces, or begin it with '- '"


class OpenBody:
    """A body of which blocks were read up to some line; places are character offsets in its file's text."""

    def __init__(self, text: str, reads_sections: bool) -> None:
        self.text, self.reads_sections = text, reads_sections
        self.section: Section | None = None  #: the one that is open
        self._section_start = 0
        self._items: list[Item] = []
        self._footnotes: list[Footnote] = []
        self._prose: list[tuple[int, int]] = []
        self._paragraphs: list[tuple[int, int]] = []
        self._sections: list[tuple[Section, int, int]] = []
        self._faults: list[Fault] = []
        self._headings: list[int] = []
        self._near_misses: list[tuple[str, int, int]] = []

    # -- blocks ------------------------------------------------------------------------------------

    def take_paragraph(self, start: int, end: int, is_at_top: bool) -> None:
        """Take in a paragraph that is in no statement section."""
        self._prose.append((start, end))
        if is_at_top:
            self._paragraphs.append((start, end))

    def take_line_item(self, section: Section, start: int, end: int) -> None:
        """Take in an item that is one line, begun with a bullet and a blank."""
        self._items.append(Item(section, start, start + 2, end, ()))

    def take_item(self, section: Section, item: OpenItem) -> None:
        """Take in an item of a statement section that has ended."""
        if item.is_numbered:
            message = "a numbered item is no statement"
            self.report(Fault("KB139", item.start, item.end, message, "begin it with '- '"))
            return
        self._items.append(
            Item(section, item.start, item.text_start, item.end, tuple(item.sub_items))
        )
        if item.stray:
            self.report(Fault("KB133", *item.stray, _INDENT_HINT))

    def open_footnote(self, label: str, start: int, end: int, text: str) -> None:
        """Take in the first line of a footnote's definition."""
        self._footnotes.append(Footnote(label, start, end, text))

    def close_footnote(self, end: int) -> None:
        """Say where the last footnote's definition ends."""
        last = self._footnotes[-1]
        if last.end != end:
            self._footnotes[-1] = Footnote(last.label, last.start, end, last.text)

    # -- headings ----------------------------------------------------------------------------------

    def take_heading(self, level: int, title: str, start: int, end: int) -> None:
        """Take in a heading at the top level of the document."""
        title = " ".join(title.split())
        section = find_section(level, title)
        self._headings.append(start)
        if self.reads_sections and _NEAR_MISS.fullmatch(title) and section is None:
            self._near_misses.append((title, start, end))
        if level <= 2:
            self._close_section(start)
            if section and self.reads_sections:
                self._open_section(section, title, start, end)
                return
        if self.section is None:
            self._prose.append((start, end))

    def _open_section(self, section: Section, title: str, start: int, end: int) -> None:
        if any(other is section for other, _, _ in self._sections):
            message = f"a second section {title}; it is read too"
            self.report(Fault("KB134", start, end, message, "move its items into the first one"))
        self.section, self._section_start = section, start

    def _close_section(self, at: int) -> None:
        if self.section is not None:
            self._sections.append((self.section, self._section_start, at))
            self.section = None

    # -- what is wrong -----------------------------------------------------------------------------

    def report(self, fault: Fault) -> None:
        """Report a fault."""
        self._faults.append(fault)

    def report_stray(self, start: int, end: int, message: str) -> None:
        """Report what stands in a statement section and is no statement."""
        text = self.text[start:end]
        start += len(text) - len(text.lstrip(" \t"))
        self.report(Fault("KB133", start, max(end, start), message, _ITEM_HINT))

    def report_hidden(self, line: str, start: int, end: int, where: str) -> None:
        """Report a line if it is a section's heading that something hides."""
        if "##" in line and is_section_heading(line.strip(" ")):
            self.report_hidden_heading(start, end, where)

    def report_hidden_heading(self, start: int, end: int, where: str) -> None:
        """Report a section's heading that something hides."""
        if self.reads_sections:
            message = f"this heading stands in {where} and begins no section"
            hint = "move it to the beginning of a line of its own"
            self.report(Fault("KB135", start, end, message, hint))

    def _report_near_misses(self) -> None:
        """Report headings that are nearly a section's, where what follows looks like statements."""
        starts = [*self._headings, len(self.text)]
        for title, start, end in self._near_misses:
            following = starts[bisect_right(starts, start)]
            if _LIKE_A_STATEMENT.search(self.text, end, following):
                section = "Relations" if title.casefold().startswith("rel") else "Facts"
                heading = self.text[start:end].strip()
                message = f'"{heading}" begins no section, so the statements under it are not read'
                self.report(Fault("KB141", start, end, message, f"write ## {section}"))

    def finish(self) -> Body:
        """Close the open section; nothing more comes."""
        self._report_near_misses()
        self._close_section(len(self.text))
        return Body(
            tuple(self._items),
            tuple(self._footnotes),
            tuple(self._prose),
            tuple(self._paragraphs),
            tuple(self._sections),
            tuple(self._faults),
        )


def find_section(level: int, title: str) -> Section | None:
    """Find the section that a heading begins, if any."""
    return SECTIONS.get(" ".join(title.split()).casefold()) if level == 2 else None


def is_section_heading(line: str) -> bool:
    """Whether a line, bare of what hides it, would begin a section."""
    return _HIDDEN.fullmatch(line) is not None
