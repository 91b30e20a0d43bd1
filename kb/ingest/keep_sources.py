"""Records of sources → observations, with their participants attached by key. The same source again adds nothing.

Keys come from structure alone. A key that somebody bears is that somebody; a new one makes an entity; one that several
bear, or that says where and not who, stays a key. Names decide nothing.
"""

import contextlib
import errno
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from kb.edits.apply import (
    UNDONE_SINCE,
    WriteOptions,
    commit_if_wanted,
    find_done,
    wants_commit,
    warn_of_damage,
)
from kb.edits.commits import NotCommitted, commit_edit, commit_owed, committing_after, left_unsaid
from kb.edits.edit import Edit
from kb.edits.journal import Committing, Journal, JournalEntry
from kb.edits.new_observation import plan_observation
from kb.edits.runs import Run, read_made
from kb.edits.workspace import Workspace
from kb.edits.writing import check_configuration, writing
from kb.errors import KbError
from kb.ingest.participants import Participants
from kb.ingest.records import Problem, SourceRecord
from kb.ingest.repeats import iter_new, kept_text, seal_of_record, source_apart
from kb.knowledge_base import open_for_reading
from kb.store.writes import flush_files

_NAME = "ingest"
#: What the system says where nothing more can be written; the sources that follow are not read for it.
_NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS))


Progress = Callable[[int, int], None]


class KeptSource(NamedTuple):
    """A record that became an observation."""

    observation: str
    title: str
    path: str
    where: str
    participants: tuple[str, ...]
    warnings: tuple[str, ...]


class Ingested(NamedTuple):
    """What came of sources, or would come of them."""

    subject: str  #: one line that says it
    kept: tuple[KeptSource, ...] = ()
    entities: tuple[tuple[str, str], ...] = ()  #: (id, key) of each that was made
    attached: int = 0  #: participants that were there already
    questions: tuple[str, ...] = ()  #: keys that could be several, or say no person
    repeated: int = 0  #: records that were there already
    problems: tuple[Problem, ...] = ()
    is_written: bool = True
    made: tuple[str, ...] = ()  #: the files that were made
    commit: str = ""  #: the id of the commit made; empty where none was
    uncommitted: NotCommitted | None = None  #: where it was to be
    is_done_before: bool = False  #: the same call was done before; nothing was done now
    is_interrupted: bool = False  #: by whoever watched; what was kept stays
    warnings: tuple[str, ...] = ()


def ingest_sources(
    root: str,
    now: int,
    items: Iterable[SourceRecord | Problem],
    options: WriteOptions,
    progress: Progress | None = None,
) -> Ingested:
    """File what is new of some records: one edit, which ``kb undo`` takes back as a whole.

    A killed run leaves whole files, which undo knows; running it again adds the rest.
    """
    if options.dry_run:
        check_configuration(root)
        keeper = _Keeper(Workspace(open_for_reading(root, now, may_trust=False)), None)
        keeper.keep(items, progress)
        return keeper.outcome()
    with writing(root) as journal:
        done = find_done(root, journal, options)
        if done is not None:
            return _done_before(root, journal, done, options)
        check_configuration(root)
        workspace = Workspace(open_for_reading(root, now, may_trust=False))
        is_to_commit = wants_commit(workspace.base.settings, options)
        late = commit_owed(root, journal, is_wanted=is_to_commit)
        with (
            left_unsaid(late),
            contextlib.closing(Run(root, _NAME, now, options.by, is_to_commit=is_to_commit)) as run,
        ):
            keeper = _Keeper(workspace, run)
            keeper.keep(items, progress)
            outcome = _finish(keeper, run, journal, options, is_to_commit=is_to_commit)
        return outcome._replace(warnings=(*outcome.warnings, *late))


def _done_before(
    root: str, journal: Journal, done: JournalEntry, options: WriteOptions
) -> Ingested:
    warnings = [UNDONE_SINCE] if done.is_undone else []
    made = read_made(journal, done) if done.is_run else ()
    if made is None:
        warnings.append("which files it made is not known: the list of them is damaged")
    commit, uncommitted, told = commit_if_wanted(root, journal, done, options)
    warnings += told
    return Ingested(
        done.edit.subject,
        made=tuple(one.path for one in made or ()),
        commit=commit,
        uncommitted=uncommitted,
        is_done_before=True,
        warnings=tuple(warnings),
    )


def _finish(
    keeper: "_Keeper", run: Run, journal: Journal, options: WriteOptions, *, is_to_commit: bool
) -> Ingested:
    """Flush what was written, commit it if asked, and remember it."""
    root = keeper.workspace.root
    outcome = keeper.outcome()
    run.warnings += warn_of_damage(journal, options)
    if run.made:
        flush_files(root)
    edit = Edit(_NAME, outcome.subject)
    commit, uncommitted, committing = "", None, Committing.OWED if is_to_commit else Committing.NONE
    try:
        if run.made and is_to_commit:
            named = edit._replace(observations=tuple(one.observation for one in outcome.kept))
            commit, uncommitted = commit_edit(root, named, tuple(run.made), options.by)
            committing = committing_after(uncommitted)
    finally:
        run.finish(
            edit,
            options.request,
            options.idempotency_key,
            is_whole=keeper.is_whole,
            commit=commit,
            committing=committing,
        )
    warnings = (*outcome.warnings, *run.warnings)
    return outcome._replace(
        commit=commit, uncommitted=uncommitted, made=tuple(run.made), warnings=warnings
    )


@dataclass
class _Keeper:
    workspace: Workspace
    run: Run | None  #: ``None``: nothing is written
    kept: list[KeptSource] = field(default_factory=list)
    observations: dict[str, str] = field(default_factory=dict)  #: source → id
    problems: list[Problem] = field(default_factory=list)
    records: int = 0
    new: int = 0
    is_interrupted: bool = False
    is_full: bool = False  #: the disk

    def __post_init__(self) -> None:
        self.people = Participants(self.workspace)

    @property
    def is_whole(self) -> bool:
        """Whether all was read that was to be."""
        return not self.is_interrupted and not self.is_full

    def keep(self, items: Iterable[SourceRecord | Problem], progress: Progress | None) -> None:
        """Keep what is new. An interruption ends it, and what was kept stays."""
        try:
            for item in iter_new(self._counted(items), dict(self._known_sources())):
                if isinstance(item, Problem):
                    self.problems.append(item)
                    continue
                self.new += 1
                self._try_to_keep(item)
                if self.is_full:
                    break
                if progress:
                    progress(len(self.kept), 0)
        except KeyboardInterrupt:
            self.is_interrupted = True

    def outcome(self) -> Ingested:
        """Say what came of it."""
        return Ingested(
            self._subject(),
            tuple(self.kept),
            tuple((one.id, key) for key, one in self.people.made.items()),
            len(self.people.attached),
            tuple(self.people.questions),
            self.records - self.new,
            tuple(self.problems),
            self.run is not None,
            is_interrupted=self.is_interrupted,
            warnings=tuple(self.people.iter_warnings()),
        )

    def _subject(self) -> str:
        found, new = len(self.kept), len(set(self.people.made.values()))
        parts = [f"{found:,} {'observation' if found == 1 else 'observations'}"]
        if new:
            parts.append(f"{new:,} new {'entity' if new == 1 else 'entities'}")
        parts += [] if self.is_whole else ["stopped before the end"]
        return f"{_NAME}: {', '.join(parts)}"

    def _counted(self, items: Iterable[SourceRecord | Problem]) -> Iterator[SourceRecord | Problem]:
        for item in items:
            self.records += isinstance(item, SourceRecord)
            yield item

    def _known_sources(self) -> Iterator[tuple[str, str]]:
        """Yield the source of each observation that has one, with its seal."""
        for observation in self.workspace.graph.observations.values():
            if observation.source:
                self.observations[observation.source] = observation.id
                yield observation.source, observation.digest

    def _try_to_keep(self, record: SourceRecord) -> None:
        """Keep a record; one that cannot be kept does not stop the others, unless the disk is full."""
        try:
            self._keep(record)
        except KbError as error:
            self.people.drop_planned(self._made())
            cause = error.__cause__
            self.is_full = isinstance(cause, OSError) and cause.errno in _NO_ROOM
            more = "; what comes after it is not read" if self.is_full else ""
            self.problems.append(Problem(record.where, error.message + more))
        except BaseException:
            self.people.drop_planned(self._made())
            raise

    def _keep(self, record: SourceRecord) -> None:
        people = self.people.find(record)
        new = plan_observation(
            self.workspace,
            kept_text(record),
            kind=record.kind,
            title=record.title,
            happened_at=record.happened_at,
            said_by=people.get(record.said_by, record.said_by),
            participants=tuple(dict.fromkeys(people.values())),
            source=record.source,
            derived_from=self._mail_of(record),
            taken=self.people.ids,
        )
        if self.run is not None:
            # An observation that names somebody who is not there would never be mended: its source is known.
            self.run.make((*self.people.planned.values(), new.change))
        self.people.planned.clear()
        self.people.ids.add(new.id)
        self.observations[record.source] = new.id
        self.kept.append(
            KeptSource(
                new.id,
                new.title,
                new.change.path,
                record.where,
                tuple(dict.fromkeys(people.values())),
                record.warnings,
            )
        )

    def _mail_of(self, record: SourceRecord) -> tuple[str, ...]:
        """Give the observation of the mail that a record came in: it repeats what that one says."""
        if record.mail is None:
            return ()
        apart = source_apart(record.mail.source, seal_of_record(record.mail))
        id = self.observations.get(apart) or self.observations.get(record.mail.source)
        return (id,) if id else ()

    def _made(self) -> Collection[str]:
        return self.run.made if self.run is not None else ()
