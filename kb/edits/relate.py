"""``kb relate`` and ``kb fact``: a statement at its canonical place, or what is given added to the one that stands."""

from collections.abc import Sequence
from typing import NamedTuple

from kb.edits.edit import Edit, StatementRef
from kb.edits.one_line import check_one_line
from kb.edits.statement_file import StatementFile
from kb.edits.statement_sources import Sources, read_sources
from kb.edits.statement_times import GivenTime, ended, read_time, with_end, with_start
from kb.edits.statement_words import (
    check_ends,
    check_founded,
    check_hierarchy,
    check_quote,
    check_same_subject,
    check_successor,
    find_rivals,
    notes_on_word,
    read_word,
    subjects_of,
    tell_rivals,
)
from kb.edits.workspace import Refused, Workspace
from kb.errors import UsageError
from kb.graph.graph import Statement
from kb.graph.standing import is_current
from kb.model.names import fold
from kb.model.statement import Link, LinkForm, Section, StatementLine
from kb.model.time import Bound, Date, Interval, clash, render_time, sort_key
from kb.model.vocabulary import Reading, StatementClass

#: What stands for a link until it is known where its file lies.
_SOME_LINK = Link(LinkForm.MARKDOWN, "", "", 0, 0)
#: What to do with a text of several lines.
_LONGER = "file a longer text: kb observe"


class Saying(NamedTuple):
    """What is said of a relation or fact besides its ends, as it was typed."""

    observations: tuple[str, ...] = ()
    said: str | None = None
    by: str = ""  #: who speaks, where something is said
    reason: str = ""
    since: str = ""
    valid_until: str = ""
    when: str = ""
    confidence: int | None = None
    supersede: str = ""  #: the id of a statement that the new one replaces


def plan_relate(
    workspace: Workspace, subject: str, predicate: str, object: str, saying: Saying
) -> Edit:
    """Plan a relation, read in the direction in which it is said and stored in its canonical one."""
    reading = read_word(workspace, predicate, Section.RELATIONS)
    assert reading.relation is not None
    start, end = workspace.resolve(subject), workspace.resolve(object)
    if reading.is_inverse or (reading.relation.symmetric and end < start):
        start, end = end, start
    reading = reading._replace(is_inverse=False)
    line = StatementLine(Section.RELATIONS, reading.name, link=_SOME_LINK)
    return _Plan(workspace, start, reading, end, line, saying).edit("relate")


def plan_fact(
    workspace: Workspace, subject: str, predicate: str, value: str, saying: Saying
) -> Edit:
    """Plan a fact. A date may be relative, as times may."""
    reading = read_word(workspace, predicate, Section.FACTS)
    value = value.strip()
    if not value:
        raise UsageError("a value is not empty", "say what is so")
    check_one_line("a value", value, _LONGER)
    line = StatementLine(Section.FACTS, reading.name, value=value)
    return _Plan(workspace, workspace.resolve(subject), reading, None, line, saying).edit("fact")


class _Plan:
    """One statement that is being said, and the files that it changes."""

    def __init__(
        self,
        workspace: Workspace,
        subject: str,
        reading: Reading,
        object: str | None,
        line: StatementLine,
        saying: Saying,
    ) -> None:
        self.workspace, self.subject, self.object = workspace, subject, object
        self.reading, self.saying = reading, saying
        self.notes = notes_on_word(reading)
        check_one_line("a note", saying.reason, _LONGER)
        self.sources: Sources = read_sources(workspace, saying.observations, saying.said, saying.by)
        self.time: GivenTime = read_time(
            saying.since, saying.valid_until, saying.when, self.sources.dates
        )
        self.notes += self.time.notes
        self.line = line._replace(
            value=self._value(line.value),
            interval=self.time.interval,
            confidence=saying.confidence,
            note=" ".join(saying.reason.split()) or None,
        )
        self.old = self._superseded()
        self._files: dict[str, StatementFile] = {}

    def edit(self, name: str) -> Edit:
        """Plan the edit: of the statement that says it already, else of a new one."""
        match = self._standing()
        self._check(match)
        if match is None:
            file = self._file(self.subject)
            id = file.add(self.line, self.reading, self.object, self.sources.cited)
            file_id = self.subject
        else:
            file_id, id = match.file_id, match.id
            self._file(file_id).change(id, self.sources.cited, **self._changes_of(match))
        refs = [StatementRef(file_id, id)]
        if self.old is not None:
            check_successor(self.workspace, self.old, file_id, id)
            self._file(self.old.file_id).change(self.old.id, superseded_by=id)
            refs.append(StatementRef(self.old.file_id, self.old.id))
        changes = tuple(change for file in self._files.values() for change in file.changes())
        filed = self.sources.changes if changes else ()
        return Edit(
            name,
            self._subject_line(name, match, self._file(file_id).draft(id).line.interval),
            (*filed, *changes),
            (self.subject, *([self.object] if self.object else [])),
            self._file(file_id).path,
            tuple(refs),
            self.sources.ids if changes else (),
            tuple(self.notes),
        )

    def _file(self, id: str) -> StatementFile:
        if id not in self._files:
            self._files[id] = StatementFile(self.workspace, id)
        return self._files[id]

    def _subject_line(self, name: str, match: Statement | None, interval: Interval | None) -> str:
        goal = self.workspace.name_of(self.object) if self.object else self.line.value
        time = f" ({interval.text})" if interval else ""
        said = f"{name}: {self.workspace.name_of(self.subject)} {self.reading.name} {goal}{time}"
        if match is None:
            return said
        cited = [id for id in self.sources.ids if id not in match.observations]
        return f"{said}: cites {', '.join(cited)}" if cited else f"{said}, which stands already"

    # -- what is said ------------------------------------------------------------------------------------------------

    def _value(self, value: str | None) -> str | None:
        fact = self.reading.fact
        if value is None or fact is None or fact.value == "text":
            return value
        if fact.value == "date":
            said = read_time("", "", value, self.sources.dates)
            assert said.interval is not None
            if not said.interval.is_event:
                raise UsageError(f'"{fact.name}" takes one date, not {said.interval.text}')
            self.notes += [note.replace("--when ", "") for note in said.notes]
            return said.interval.text
        from kb.checks.values import find_misfit

        misfit = find_misfit(
            fact.value, StatementLine(Section.FACTS, fact.name, value=value), value
        )
        if misfit is not None:
            raise UsageError(f"{misfit[0]}, which {fact.name} takes", misfit[1])
        return value

    def _superseded(self) -> Statement | None:
        if not self.saying.supersede:
            return None
        ends = subjects_of(self.workspace, self.reading.name, self.subject, self.object)
        old = self.workspace.statement(self.saying.supersede, ends)
        check_same_subject(old, ends)
        return old

    # -- what stands -------------------------------------------------------------------------------------------------

    def _standing(self) -> Statement | None:
        """Find the statement that says this already, at a time that overlaps; of several the most recent."""
        found = [one for one in self.workspace.graph.about(self.subject) if self._says_this(one)]
        found = [one for one in found if clash(one.interval, self.line.interval)]
        if not found:
            return None
        found.sort(
            key=lambda one: (
                not self._is_told_by(one),
                not is_current(one, self.workspace.now),
                *sort_key(one.interval),
            )
        )
        if len(found) > 1:
            others = ", ".join(f"^{one.id}" for one in found[1:])
            self.notes.append(f"{others} says the same at a time that overlaps, and is left alone")
        return found[0]

    def _says_this(self, one: Statement) -> bool:
        relation = self.reading.relation
        needs_note = relation is not None and relation.needs_note
        return (
            (one.subject, one.predicate, one.object, one.value)
            == (self.subject, self.reading.name, self.object, self.line.value)
            and not one.is_retired
            and (self.old is None or (one.file_id, one.id) != (self.old.file_id, self.old.id))
            # Of such a relation the note says what it is.
            and (not needs_note or fold(one.note or "") == fold(self.line.note or ""))
        )

    def _is_told_by(self, one: Statement) -> bool:
        """Say whether a statement holds all that is given, so that a repeated call finds what the first one wrote."""
        line = self.line
        end = line.interval.end if line.interval and self.time.has_end else None
        return (
            set(self.sources.ids) <= set(one.observations)
            and line.note in (None, one.note)
            and line.confidence in (None, one.confidence)
            and (end is None or (one.interval is not None and one.interval.end == end))
        )

    def _changes_of(self, match: Statement) -> dict[str, object]:
        """Say what the arguments set of a statement that stands."""
        changed: dict[str, object] = {}
        if self.line.note and self.line.note != match.note:
            if match.note:
                self.notes.append(f'^{match.id} said before: "{match.note}"')
            changed["note"] = self.line.note
        if self.line.confidence is not None:
            changed["confidence"] = self.line.confidence
        changed["interval"] = self._interval_of(match)
        if match.auto:
            self.notes.append(
                f"^{match.id} is a suggestion (auto-{match.auto}): kb confirm ^{match.id}"
            )
        return changed

    def _interval_of(self, match: Statement) -> Interval | None:
        """Set the sides of a time that were given: the end, and a start that was not known."""
        given, old = self.line.interval, match.interval
        if given is None or old == given:
            return old
        if old is None:
            self.notes.append(f"^{match.id} was undated")
            return given
        if given.is_event and not old.is_event:
            return old
        if old.is_event:
            self._keep(match, "its time")
            return old
        return self._with_given_end(match, self._with_given_start(match, old, given), given)

    def _with_given_start(self, match: Statement, old: Interval, given: Interval) -> Interval:
        if not self.time.has_start or given.start == old.start:
            return old
        if old.start is Bound.UNKNOWN and isinstance(given.start, Date):
            return with_start(old, given.start)
        if given.start is not Bound.UNKNOWN and not _covers(given.start, old.start):
            self._keep(match, "its start")
        return old

    def _with_given_end(self, match: Statement, old: Interval, given: Interval) -> Interval:
        if not self.time.has_end or given.end == old.end:
            return old
        if isinstance(given.end, Date):
            if isinstance(old.end, Date):
                self.notes.append(f"^{match.id} ended {old.end.text} so far")
            return with_end(old, given.end)
        if given.end is Bound.UNKNOWN and old.end is Bound.OPEN:
            return ended(old)
        if given.end is Bound.OPEN:
            self._keep(match, "its end")
        return old

    def _keep(self, match: Statement, what: str) -> None:
        self.notes.append(
            f"^{match.id} keeps {what} ({render_time(match.interval)}); to correct it: --supersede ^{match.id}"
        )

    # -- what must hold ----------------------------------------------------------------------------------------------

    def _check(self, match: Statement | None) -> None:
        retired = {(self.old.file_id, self.old.id)} if self.old else set()
        relation = self.reading.relation
        if relation is not None and self.object is not None:
            self.notes += check_ends(self.workspace, relation, self.subject, self.object)
            if relation.needs_note and not self.line.note:
                raise Refused(
                    f'"{relation.name}" needs a note that says what relates the two',
                    'say it: --reason "…"',
                )
            check_hierarchy(
                self.workspace, relation, self.subject, self.object, self.line.interval, retired
            )
            if relation.klass is StatementClass.ESTABLISHED:
                check_founded(self.workspace, (*self.sources.speakers, *self._speakers(match)))
        check_quote(self.line, (*self.sources.bodies, *self._bodies(match)))
        if match is None:
            said = (self.subject, self.reading.name, self.object, self.line.value)
            rivals = find_rivals(self.workspace, said, self.line.interval, retired)
            self.notes += tell_rivals(self.workspace, rivals)

    def _speakers(self, match: Statement | None) -> Sequence[str]:
        observations = self.workspace.graph.observations
        cited = match.observations if match else ()
        return [observations[id].said_by for id in cited if id in observations]

    def _bodies(self, match: Statement | None) -> Sequence[str]:
        graph = self.workspace.graph
        cited = match.observations if match else ()
        return [graph.body_of(id) for id in cited if id in graph.observations]


def _covers(given: Date | Bound, known: Date | Bound) -> bool:
    """Say whether a date is a coarser one of another: a month of its day."""
    if not isinstance(given, Date) or not isinstance(known, Date):
        return False
    return given.first <= known.first and known.after <= given.after
