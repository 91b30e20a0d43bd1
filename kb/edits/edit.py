"""What an edit is: the files that it makes, changes or removes, planned as values before anything is written."""

from typing import NamedTuple

from kb.model.digests import sha256


class FileChange(NamedTuple):
    """A file's bytes before and after."""

    path: str
    before: bytes | None  #: ``None``: there is no such file yet
    after: bytes | None  #: ``None``: it is removed


class StatementRef(NamedTuple):
    """A statement that an edit made or changed."""

    entity: str  #: of the file that it stands in
    id: str


class Edit(NamedTuple):
    """A planned edit. Without changes it says what is there already, and writes nothing."""

    name: str  #: the command's
    subject: str  #: one line that says what it does, for a commit
    changes: tuple[
        FileChange, ...
    ] = ()  #: in the order of writing: observations before what cites them
    entities: tuple[str, ...] = ()  #: ids that it is about
    entity_path: str = ""  #: the file of the first of them, whose revision is the edit's
    statements: tuple[StatementRef, ...] = ()
    observations: tuple[str, ...] = ()  #: cited or filed
    notes: tuple[str, ...] = ()  #: what its user should know

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it writes."""
        return tuple(change.path for change in self.changes)


def file_revision(data: bytes | None) -> str:
    """Give the revision of a file: 16 digits of its SHA-256; empty where there is none."""
    return "" if data is None else sha256(data).hexdigest()[:16]
