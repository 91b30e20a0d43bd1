"""A list item at the top level of a body while its lines come in, and the format's rules for what its text is.

An indented line joins its item's text, an indented bullet is a sub-item, at whatever depth.
"""

import re

_BULLET_LINE = re.compile(r" *([-+*])(?: +|\Z)")


class OpenItem:
    """One item, by character offsets in the file's text."""

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

    def read_line(
        self, text: str, line: str, start: int, end: int, depth: int, is_code: bool
    ) -> None:
        """Take in a further line that is no comment, given with tabs expanded, in this many containers."""
        bullet = None if is_code else _BULLET_LINE.match(line)
        if bullet and bullet.end(1) > 1:
            text_start = offset_of(text, start, end, bullet.end())
            self.sub_items.append((offset_of(text, start, end, bullet.start(1)), text_start, end))
            self.sub_indent, self.is_cut = bullet.start(1), False
            return
        indent = len(line) - len(line.lstrip(" "))
        if indent == 0:
            self._cut(start, end, "a line that continues a statement must be indented")
        elif self.is_cut:
            what = "this text follows what is no part of the statement, and is not read"
            self._cut(start, end, what)
        elif not self.sub_items:
            self.end = end
        elif indent > self.sub_indent or depth > 1:
            sub_start, text_start, _ = self.sub_items[-1]
            self.sub_items[-1] = (sub_start, text_start, end)
        else:
            self._cut(start, end, "text of a statement stands before its sub-items")

    def _cut(self, start: int, end: int, message: str) -> None:
        """Nothing from here on is the item's: reading past a stray line would read the line as well."""
        self.is_cut = True
        self.stray = (self.stray[0], end, self.stray[2]) if self.stray else (start, end, message)


def offset_of(text: str, start: int, end: int, column: int) -> int:
    """Say where in a text the character stands that is at a column of a line of it, tabs expanded."""
    if text.find("\t", start, end) < 0:
        return min(start + column, end)
    at = 0
    for index in range(start, end):
        if at >= column:
            return index
        at += 4 - at % 4 if text[index] == "\t" else 1
    return end
