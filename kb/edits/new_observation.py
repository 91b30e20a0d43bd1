"""A new observation, sealed, as the file that keeps it. Every edit that files one does it here."""

import re
from collections.abc import Container, Sequence
from typing import NamedTuple

from kb.edits.edit import FileChange
from kb.edits.file_texts import format_observation
from kb.edits.footnotes import CitedSource, written_day
from kb.edits.one_line import check_utf8
from kb.edits.workspace import NotFound, Refused, Workspace
from kb.errors import UsageError
from kb.model.names import MAX_ID_LENGTH
from kb.model.observation import KINDS
from kb.model.time import Date, civil
from kb.store.git import user_email
from kb.store.layout import observation_path
from kb.syntax.edtf import TimeFault, parse_date
from kb.syntax.slugs import slugify
from kb.syntax.source import MAX_FILE_BYTES

#: Of a text that gives an observation its title.
_TITLE_LENGTH = 80


class NewObservation(NamedTuple):
    """An observation that is to be filed."""

    id: str
    change: FileChange
    date: Date | None
    title: str

    @property
    def cited(self) -> CitedSource:
        """What definitions say of it."""
        day = written_day(self.date) if self.date else ""
        return CitedSource(self.id, self.title, day, self.change.path)


def plan_observation(
    workspace: Workspace,
    text: str,
    *,
    kind: str = "note",
    title: str = "",
    happened_at: str = "",
    said_by: str = "",
    participants: Sequence[str] = (),
    source: str = "",
    derived_from: Sequence[str] = (),
    fields: Sequence[tuple[str, str | Sequence[str]]] = (),
    taken: Container[str] = (),
) -> NewObservation:
    """Plan an observation. ``happened_at`` is EDTF; ``fields`` go before the seal; ``taken`` are ids planned already.

    Its id is its day, else today's, and its title.
    """
    if kind not in KINDS:
        raise UsageError(f'there is no kind of observation "{kind}"', f"kinds: {', '.join(KINDS)}")
    if not text.strip():
        raise UsageError("an observation needs a text", "give what was said, as it was said")
    check_utf8(text, title, said_by, source, *participants)
    date = _read_date(happened_at)
    for origin in derived_from:
        if origin not in taken:
            workspace.observation(origin)
    title = " ".join(title.split()) or title_of(text)
    day = _day_of_id(date) if date else civil(workspace.now)
    filed_on = date.day if date else civil(workspace.now)
    id = workspace.free_observation_id(_joined(day, title), filed_on, taken)
    written = format_observation(
        (
            ("id", id),
            ("kind", kind),
            ("title", title),
            ("happened_at", date.text if date else ""),
            ("said_by", said_by),
            ("participants", list(participants)),
            ("source", source),
            ("derived_from", list(derived_from)),
            *fields,
        ),
        text if text.endswith("\n") else f"{text}\n",
    )
    data = written.encode("utf-8")
    if len(data) > MAX_FILE_BYTES:
        limit = MAX_FILE_BYTES // 1024 // 1024
        raise Refused(f"the text is larger than {limit} MiB", "file it in parts")
    path = observation_path(id, filed_on)
    return NewObservation(id, FileChange(path, None, data), date, title)


def _day_of_id(date: Date) -> str:
    """Write a date as an id can hold it: without signs of doubt, an unknown digit as a letter."""
    return re.sub(r"[^0-9x-]", "", written_day(date)[:10].lower()).strip("-")


def _read_date(text: str) -> Date | None:
    if not text:
        return None
    read = parse_date(text)
    if isinstance(read, TimeFault):
        raise UsageError(f'happened_at "{text}": {read.message}', read.hint)
    return read


def title_of(text: str) -> str:
    """Give a text's first line, cut at a word."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    line = " ".join(first.lstrip("#>*- ").split()) or "Untitled"
    if len(line) <= _TITLE_LENGTH:
        return line
    return f"{line[:_TITLE_LENGTH].rsplit(' ', 1)[0]} …"


def _joined(day: str, title: str) -> str:
    slug = slugify(title)
    return f"{day}-{slug}"[:MAX_ID_LENGTH].rstrip("-")


def speaker(workspace: Workspace, by: str) -> str:
    """Say who speaks, for ``said_by``: whoever is named; without one git's user."""
    if by:
        return named_person(workspace, by)
    email = user_email(workspace.root)
    return f"email:{email}" if email else ""


def named_person(workspace: Workspace, argument: str) -> str:
    """Give whoever is named as an id; a key or name that nobody bears stays as it is, and one of several is asked about."""
    try:
        return workspace.resolve(argument)
    except NotFound:
        return argument
