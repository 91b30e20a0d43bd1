"""An mbox file → its mails, one after the other and never the whole file at once.

``>From `` quoting is undone as mboxrd has it, one ``>`` from each; as mboxo where that is asked for, since the two cannot
be told apart. A line ``From …`` separates only after a blank line and with a date, so that a text may begin so.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import BinaryIO

from kb.ingest.mails import read_mail
from kb.ingest.records import Problem, SourceRecord

_DATED = re.compile(
    rb"From (?>.*?\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*+,?\s)(?>.*?\d{1,2}:\d{2}).*?\d{4}"
    rb"|From .*?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}",
)
_QUOTED_RD = re.compile(rb"^>(>*From )", re.M)
_QUOTED_O = re.compile(rb"^>(From )", re.M)
#: A mail larger than this is not held in memory.
MAX_MAIL_BYTES = 128 * 1024 * 1024


class MboxForm(Enum):
    """How a mailbox quotes lines that begin with ``From ``."""

    RD = "mboxrd"
    O = "mboxo"  # noqa: E741  its name


def is_separator(line: bytes) -> bool:
    """Say whether a line begins a mail."""
    return line.startswith(b"From ") and _DATED.match(line) is not None


def unquote(data: bytes, form: MboxForm) -> bytes:
    """Undo the quoting of a mail's lines."""
    if b">From " not in data:
        return data
    return (_QUOTED_RD if form is MboxForm.RD else _QUOTED_O).sub(rb"\1", data)


def iter_mbox(
    file: BinaryIO, where: str, form: MboxForm = MboxForm.RD
) -> Iterator[SourceRecord | Problem]:
    """Read a mailbox, mail by mail; ``where`` gets ``#1``, ``#2`` …"""
    for number, (lines, is_cut) in enumerate(_iter_mails(file), 1):
        place = f"{where}#{number}"
        stored = b"".join(lines)
        if is_cut:
            yield Problem(
                place, f"the mail is larger than {MAX_MAIL_BYTES // 1024**2} MiB and is not kept"
            )
        elif stored.strip():
            yield from read_mail(unquote(stored, form), place, stored)
        else:
            yield Problem(place, "the mail is empty", is_lost=False)


def _iter_mails(file: BinaryIO) -> Iterator[tuple[list[bytes], bool]]:
    lines: list[bytes] = []
    size, is_after_blank, is_open = 0, True, False
    # A line without an end is cut, lest it be the whole file.
    while line := file.readline(MAX_MAIL_BYTES):
        if is_after_blank and is_separator(line):
            if is_open:
                yield _without_last_blank(lines), size > MAX_MAIL_BYTES
            lines, size, is_open = [], 0, True
        elif is_open or line.strip():
            is_open = True
            # The first line of a mailbox is its separator, with or without a date.
            if lines or size or not line.startswith(b"From "):
                size += len(line)
                if size <= MAX_MAIL_BYTES:
                    lines.append(line)
        is_after_blank = not line.strip(b"\r\n")
    if is_open:
        yield _without_last_blank(lines), size > MAX_MAIL_BYTES


def _without_last_blank(lines: list[bytes]) -> list[bytes]:
    """Drop the blank line that a mailbox has after each mail."""
    return lines[:-1] if lines and not lines[-1].strip(b"\r\n") else lines
