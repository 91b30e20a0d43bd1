"""A file's text with its lines, and how bytes become one. Knows nothing of what the text means."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate

from kb.catalogue import CATALOGUE
from kb.diagnostics import Diagnostic, Fault, Span

#: A file larger than this is not read (FORMAT, rule 4).
MAX_FILE_BYTES = 4 * 1024 * 1024

LINE_END = re.compile(r"\r\n|\n|\r")
_CONFLICT = re.compile(r"^(?:<{7} |\|{7} |>{7} ).*$", re.M)
_BOM = "\ufeff"
_NO_UTF8 = re.compile("[\udc80-\udcff]")


#: Where lines are counted rather than looked up: most places are those of the frontmatter.
_NEAR = 1024


@dataclass(frozen=True)
class Source:
    """A decoded text without its BOM. Lines end at CRLF, LF or a lone CR, as in CommonMark, and nowhere else."""

    path: str
    text: str
    has_bom: bool = False
    is_utf8: bool = True
    _starts: list[int] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def line_starts(self) -> list[int]:
        """The offset of each line's first character."""
        if not self._starts:
            self._starts.append(0)
            if "\r" in self.text:
                self._starts.extend(match.end() for match in LINE_END.finditer(self.text))
            else:
                lines = self.text.split("\n")
                self._starts.extend(accumulate([len(line) + 1 for line in lines[:-1]]))
        return self._starts

    @property
    def newline(self) -> str:
        """The line end that an inserted line takes: that of the first line."""
        match = LINE_END.search(self.text)
        return match.group() if match else "\n"

    def span(self, start: int, end: int | None = None) -> Span:
        """Turn offsets into a line and columns; a stretch over several lines is cut at its first line's end."""
        if start < _NEAR and self.text.find("\r", 0, max(start, end or 0) + 1) < 0:
            return self._near_span(start, end)
        starts = self.line_starts
        row = bisect_right(starts, start) - 1
        column = start - starts[row] + 1
        if end is None or end <= start:
            return Span(row + 1, column, column)
        limit = len(self.text)
        if row + 1 < len(starts):
            limit = starts[row + 1] - 1
            limit -= self.text.startswith("\r\n", limit - 1)
        return Span(row + 1, column, max(min(end, limit) - starts[row] + 1, column))

    def _near_span(self, start: int, end: int | None) -> Span:
        """What ``span`` gives, where only LF ends the lines up to there, without a table of all lines."""
        text = self.text
        first = text.rfind("\n", 0, start) + 1
        row, column = text.count("\n", 0, first) + 1, start - first + 1
        if end is None or end <= start:
            return Span(row, column, column)
        limit = text.find("\n", start, end)
        return Span(row, column, (min(end, len(text)) if limit < 0 else limit) - first + 1)

    def encode(self) -> bytes:
        """Give back the bytes that the text was read from."""
        return ((_BOM if self.has_bom else "") + self.text).encode("utf-8", "surrogateescape")


def decode(path: str, data: bytes) -> Source:
    """Decode a file. Bytes that are no UTF-8 are kept as surrogate escapes."""
    try:
        text, is_utf8 = data.decode("utf-8"), True
    except UnicodeDecodeError:
        text, is_utf8 = data.decode("utf-8", "surrogateescape"), False
    has_bom = text.startswith(_BOM)
    return Source(path, text[1:] if has_bom else text, has_bom, is_utf8)


def iter_encoding_faults(source: Source) -> list[Fault]:
    """Find what is wrong with a text before it is parsed: bytes, BOM, line ends."""
    faults = []
    text = source.text
    if not source.is_utf8:
        match = _NO_UTF8.search(text)
        at = match.start() if match else 0
        offset = len(text[:at].encode("utf-8", "surrogateescape")) + (3 if source.has_bom else 0)
        byte = ord(text[at]) - 0xDC00
        faults.append(
            Fault(
                "KB113",
                at,
                at + 1,
                f"byte 0x{byte:02x} at offset {offset} is no UTF-8",
                "save the file as UTF-8",
            )
        )
    if source.has_bom:
        faults.append(
            Fault(
                "KB111",
                0,
                0,
                "the file begins with a byte order mark",
                "save it as UTF-8 without BOM",
            )
        )
    if "\r" in text:
        crlf, cr, lf = text.count("\r\n"), text.count("\r"), text.count("\n")
        if cr > crlf or lf > crlf > 0:
            which = "lone carriage returns" if cr > crlf else "CRLF and LF"
            at = _first_odd_line_end(text)
            faults.append(
                Fault(
                    "KB112", at, at, f"the line ends are mixed ({which})", "save it with one kind"
                )
            )
    return faults


def _first_odd_line_end(text: str) -> int:
    first = LINE_END.search(text)
    usual = first.group() if first and first.group() != "\r" else "\n"
    return next((match.start() for match in LINE_END.finditer(text) if match.group() != usual), 0)


def find_conflict_markers(text: str) -> list[Fault]:
    """Find merge conflict markers, fences or not. A lone ``=======`` is none."""
    if "<<<<<<< " not in text and ">>>>>>> " not in text and "||||||| " not in text:
        return []
    return [
        Fault(
            "KB115",
            match.start(),
            match.end(),
            f"conflict marker {match.group()[:7]}",
            "finish the merge: keep the lines that are right and delete the markers",
        )
        for match in _CONFLICT.finditer(text.replace("\r", "\n"))
    ]


def locate(source: Source, faults: Iterable[Fault]) -> tuple[Diagnostic, ...]:
    """Turn faults into diagnostics of a file, in the order of their places."""
    ordered = sorted(faults, key=lambda fault: (fault.start, fault.code))
    return tuple(_diagnostic(source, fault) for fault in ordered)


def _diagnostic(source: Source, fault: Fault) -> Diagnostic:
    related: tuple[tuple[str, Span], ...] = ()
    message = fault.message
    if fault.other is not None:
        other = source.span(fault.other)
        related = ((source.path, other),)
        message = f"{message} (first in line {other.line})"
    severity = CATALOGUE[fault.code].severity
    return Diagnostic(
        fault.code,
        severity,
        source.path,
        source.span(fault.start, fault.end),
        message,
        fault.hint,
        related,
    )
