"""A file or folder → records, in an order that depends on names alone. Reads, and writes nothing.

What a file is, its content says: an extension decides only where the content leaves it open. Folders are walked; symbolic
links, names that begin with a dot and what is no regular file are not followed or opened.
"""

import io
import os
import re
import stat
from collections.abc import Iterable, Iterator
from enum import Enum

from kb.edits.workspace import Refused
from kb.ingest.calendars import read_calendar
from kb.ingest.cards import read_cards
from kb.ingest.mails import read_mail
from kb.ingest.mboxes import MboxForm, is_separator, iter_mbox
from kb.ingest.notes import read_note
from kb.ingest.records import Problem, SourceRecord
from kb.store.root import ENTITIES, OBSERVATIONS

#: A file that is no mailbox is read whole, and not if it is larger.
MAX_FILE_BYTES = 128 * 1024 * 1024
#: A text beyond this makes no observation (FORMAT, rule 4: a file over 4 MiB is not read).
MAX_TEXT_BYTES = 4 * 1024 * 1024 - 128 * 1024
_ADVICE = (
    "mail (.eml, mbox, Maildir), calendars (.ics), contact cards (.vcf), .md and .txt are read;"
    " convert it, or file its text: kb observe --file FILE"
)
_JSON_LINES = (".jsonl", ".ndjson")
_LINK = "it is a symbolic link, which is not followed"
_GIT = ".git"
_HEAD_BYTES = 64 * 1024
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_FIELD = re.compile(rb"([!-9;-~]+)[ \t]*:")
_BEGIN = re.compile(rb"\A\s*BEGIN\s*:\s*(V(?:CALENDAR|EVENT|TODO|JOURNAL|CARD))\b", re.I)
#: Header fields that hardly anything but a mail begins with, and those that other texts have as well.
_OF_MAILS = frozenset(
    b"message-id received return-path delivered-to mime-version in-reply-to x-mailer dkim-signature reply-to envelope-to".split()
)
_USUAL = frozenset(b"from to date subject cc sender".split())


class Format(Enum):
    """What a file may be."""

    MAIL = "a mail"
    MBOX = "a mailbox"
    CALENDAR = "a calendar"
    CARDS = "contact cards"
    NOTE = "a text"


_BY_EXTENSION = {
    ".eml": Format.MAIL,
    ".mbox": Format.MBOX,
    ".mbx": Format.MBOX,
    ".ics": Format.CALENDAR,
    ".ical": Format.CALENDAR,
    ".ifb": Format.CALENDAR,
    ".vcs": Format.CALENDAR,
    ".vcf": Format.CARDS,
    ".vcard": Format.CARDS,
    ".md": Format.NOTE,
    ".markdown": Format.NOTE,
    ".txt": Format.NOTE,
    ".text": Format.NOTE,
}


def read_sources(path: str, mbox: MboxForm = MboxForm.RD) -> Iterator[SourceRecord | Problem]:
    """Read a file, a Maildir or a folder of any of these. Never raises: what cannot be read is a ``Problem``.

    What was asked for by its name and is none of these is lost, as is a folder in which nothing is; beside others, in a
    folder, it is only said.
    """
    is_empty = True
    for item in _read_path(path, mbox, is_given=True):
        is_empty = is_empty and isinstance(item, Problem) and not item.is_lost
        if isinstance(item, SourceRecord) and len(item.text.encode()) > MAX_TEXT_BYTES:
            size = len(item.text.encode()) / 1024**2
            yield Problem(
                item.where,
                f"its text has {size:.1f} MiB, more than an observation holds; it is not kept",
            )
        else:
            yield item
    if is_empty and os.path.isdir(path) and not _is_maildir(path):
        yield Problem(_shown(path), f"nothing in this folder is read; {_ADVICE}")


def check_sources(root: str, paths: Iterable[str]) -> None:
    """Refuse to read a knowledge base's own files, or git's, as sources: what is found there was filed already."""
    own = [os.path.realpath(os.path.join(root, folder)) for folder in (ENTITIES, OBSERVATIONS)]
    for path in paths:
        real = os.path.realpath(path)
        if _GIT in real.split(os.sep):
            raise Refused(f"{_shown(path)} is git's own, and no source", "name the files to read")
        if any(_lies_in(real, folder) or _lies_in(folder, real) for folder in own):
            raise Refused(
                f"{_shown(path)} holds files of the knowledge base itself, or is one: they are no sources",
                "name what is to be read, outside entities/ and observations/",
            )


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def detect_format(name: str, head: bytes) -> Format | None:
    """Tell what a file is by how it begins, else by its name; ``None`` if nothing reads it."""
    by_name = _BY_EXTENSION.get(os.path.splitext(name)[1].lower())
    start = head
    for mark in _BOMS:
        start = start.removeprefix(mark)
    if head.startswith(_BOMS[1:]):
        start = start.replace(b"\0", b"")
    if begin := _BEGIN.match(start):
        return Format.CARDS if begin.group(1).upper() == b"VCARD" else Format.CALENDAR
    first = start.lstrip(b"\r\n").partition(b"\n")[0]
    if is_separator(first) or (first.startswith(b"From ") and by_name is Format.MBOX):
        return Format.MBOX
    if by_name is not None and by_name is not Format.NOTE:
        return by_name
    if not name.lower().endswith((".md", ".markdown")) and _begins_like_mail(start):
        return Format.MAIL
    if by_name is None and ("." in name.lstrip(".") or not _is_text(head)):
        return None
    return Format.NOTE


def _begins_like_mail(head: bytes) -> bool:
    names: set[bytes] = set()
    for line in head.lstrip(b"\r\n").split(b"\n", 60)[:60]:
        if not line.strip():
            break
        if line[:1] in (b" ", b"\t") and names:
            continue
        field = _FIELD.match(line)
        if field is None:
            return False
        names.add(field.group(1).lower())
    # A note may begin "Date: …"; nobody begins one as mails begin.
    return bool(names & _OF_MAILS) or ({b"from"} <= names and len(names & _USUAL) >= 3)


def _is_text(head: bytes) -> bool:
    if head.startswith(_BOMS):
        return True
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 4 or len(head) < _HEAD_BYTES:
            return False
    return b"\0" not in head


# -- folders ---------------------------------------------------------------------------------------


def _read_path(path: str, mbox: MboxForm, *, is_given: bool) -> Iterator[SourceRecord | Problem]:
    """Read what a path leads to; only the one that was given may be a link."""
    shown = _shown(path)
    try:
        found = os.stat(path) if is_given else os.lstat(path)
    except (OSError, ValueError) as error:
        yield Problem(shown, f"it cannot be read: {_why(error)}")
        return
    if stat.S_ISDIR(found.st_mode):
        yield from _read_folder(path, mbox)
    elif stat.S_ISREG(found.st_mode):
        yield from _read_file(path, mbox, is_given=is_given)
    elif stat.S_ISLNK(found.st_mode):
        yield Problem(shown, _LINK, is_lost=False)
    else:
        yield Problem(shown, "it is no regular file", is_lost=is_given)


def _read_folder(path: str, mbox: MboxForm) -> Iterator[SourceRecord | Problem]:
    try:
        names = sorted(os.listdir(path))
    except OSError as error:
        yield Problem(_shown(path), f"the folder cannot be read: {_why(error)}")
        return
    is_maildir = _is_maildir(path)
    for name in names:
        inner = os.path.join(path, name)
        if is_maildir and name in ("cur", "new", "tmp"):
            if name != "tmp":
                yield from _read_mails(inner)
        elif not name.startswith("."):
            # Beside the mails of a Maildir lie the files of programs that keep it.
            if not is_maildir or os.path.isdir(inner):
                yield from _read_path(inner, mbox, is_given=False)
        elif is_maildir and name != _GIT and _is_maildir(inner):
            yield from _read_folder(inner, mbox)


def _is_maildir(path: str) -> bool:
    inner = [os.path.join(path, name) for name in ("cur", "new")]
    return all(os.path.isdir(one) and not os.path.islink(one) for one in (path, *inner))


def _read_mails(path: str) -> Iterator[SourceRecord | Problem]:
    """Read a Maildir's ``cur`` or ``new``: each file is a mail, whatever its name."""
    try:
        names = sorted(os.listdir(path))
    except OSError as error:
        yield Problem(_shown(path), f"the folder cannot be read: {_why(error)}")
        return
    for name in names:
        inner = os.path.join(path, name)
        if name.startswith("."):
            continue
        if os.path.islink(inner):
            yield Problem(_shown(inner), _LINK, is_lost=False)
            continue
        data = _read_bytes(inner)
        if isinstance(data, Problem):
            yield data
        elif data.strip():
            yield from read_mail(data, _shown(inner))
        else:
            yield Problem(_shown(inner), "it is empty", is_lost=False)


# -- files -----------------------------------------------------------------------------------------


def _read_file(path: str, mbox: MboxForm, *, is_given: bool) -> Iterator[SourceRecord | Problem]:
    shown = _shown(path)
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD_BYTES)
            if not head.strip():
                yield Problem(shown, "it is empty", is_lost=False)
                return
            format = detect_format(os.path.basename(path), head)
            if format is Format.MBOX:
                file.seek(0)
                yield from iter_mbox(file, shown, mbox)
                return
    except OSError as error:
        yield Problem(shown, f"it cannot be read: {_why(error)}")
        return
    if format is None:
        what = "nothing reads this kind of file"
        if path.lower().endswith(_JSON_LINES):
            what += "; JSON lines: kb import jsonl FILE"
        elif is_given:
            what += f"; {_ADVICE}"
        yield Problem(shown, what, is_lost=is_given)
        return
    data = _read_bytes(path)
    if isinstance(data, Problem):
        yield data
        return
    yield from read_bytes(data, shown, format, mbox)


def read_bytes(
    data: bytes, where: str, format: Format, mbox: MboxForm = MboxForm.RD
) -> Iterator[SourceRecord | Problem]:
    """Read bytes as what they were found to be. Never raises on content."""
    match format:
        case Format.MAIL:
            yield from read_mail(data, where)
        case Format.MBOX:
            yield from iter_mbox(io.BytesIO(data), where, mbox)
        case Format.CALENDAR:
            yield from read_calendar(data, where)
        case Format.CARDS:
            yield from read_cards(data, where)
        case Format.NOTE:
            yield read_note(data, where)


def _read_bytes(path: str) -> bytes | Problem:
    shown = _shown(path)
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            return Problem(shown, "it is no regular file", is_lost=False)
        if found.st_size > MAX_FILE_BYTES:
            return Problem(
                shown, f"it is larger than {MAX_FILE_BYTES // 1024**2} MiB and is not read"
            )
        with open(path, "rb") as file:
            return file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        return Problem(shown, f"it cannot be read: {_why(error)}")


def _why(error: OSError | ValueError) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _shown(path: str) -> str:
    """Give a path as text that can be kept: bytes that are no UTF-8 as ``\\xNN``."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")
