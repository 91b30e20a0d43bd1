"""What an import brings, record by record, and what it gives back. Refs are the source's own names for things."""

from dataclasses import dataclass

from kb.model.statement import Section


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be kept as it stood."""

    line: int  #: of the source, 1-based; 0 where it is about none
    message: str
    is_lost: bool = False  #: a record or file is not kept at all; one problem says so of each


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """An entity. Texts are on one line each."""

    line: int
    ref: str
    type: str
    name: str
    keys: tuple[tuple[str, str], ...] = ()  #: (kind, value)
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ObservationRecord:
    """A source text, kept to the byte."""

    line: int
    ref: str
    happened_at: str
    said_by: str  #: a ref or plain text
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class StatementRecord:
    """A relation between two refs, or a fact with a value."""

    line: int
    section: Section
    subject: str
    predicate: str
    object: str  #: a ref in a relation, the value in a fact
    since: str = ""
    until: str = ""  #: exclusive: the first day on which it is known not to hold
    at: str = ""
    sources: tuple[str, ...] = ()
    text: str = ""
    confidence: int | None = None  #: per cent
    said_by: str = ""


@dataclass(frozen=True, slots=True)
class Records:
    """Everything that a source holds, in its order."""

    entities: tuple[EntityRecord, ...] = ()
    observations: tuple[ObservationRecord, ...] = ()
    statements: tuple[StatementRecord, ...] = ()
    problems: tuple[Problem, ...] = ()  #: what the reader could not make a record of


@dataclass(frozen=True, slots=True)
class Tally:
    """How many of a kind are new, and how many were there already."""

    made: int = 0
    there: int = 0


@dataclass(frozen=True, slots=True)
class MissingWord:
    """A word that the vocabulary lacks, as ``kb.yaml`` would have it."""

    table: str  #: types, keys, relations, facts
    name: str
    form: str  #: YAML, such as ``{from: [person], to: [document]}``


@dataclass(frozen=True, slots=True)
class Import:
    """What ``kb import`` did, or with ``dry_run`` would do."""

    entities: Tally
    observations: Tally
    relations: Tally
    facts: Tally
    identical: int  #: records that say what another one says
    unresolved: int  #: statements whose refs lead to no entity; none of them is written
    problems: tuple[Problem, ...]  #: by line
    lost: int  #: records and files that are not kept
    words: tuple[MissingWord, ...]  #: lacking before the import
    words_added: bool
    made: tuple[str, ...]  #: paths of new files
    changed: tuple[str, ...]  #: paths of files that got new statements or words
    is_written: bool
