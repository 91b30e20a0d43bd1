"""What the vocabulary and the graph say of a statement that is to be written: refusals, and notes. Writes nothing."""

from collections import deque
from collections.abc import Container, Iterable, Sequence

from kb.edits.workspace import Refused, Workspace
from kb.errors import UsageError
from kb.graph.graph import Statement
from kb.graph.speakers import may_be_person
from kb.graph.standing import is_current
from kb.model.names import normalize_predicate
from kb.model.statement import Section, StatementLine
from kb.model.time import Date, Interval, clash, is_ended, render_time
from kb.model.vocabulary import Reading, RelationWord, StatementClass
from kb.syntax.quotes import QuotedText


def read_word(workspace: Workspace, written: str, section: Section) -> Reading:
    """Read a predicate that is to be written. One that the vocabulary lacks is refused, with the nearest ones."""
    vocabulary = workspace.vocabulary
    word = normalize_predicate("-".join(written.split()))
    relation, fact = vocabulary.read_relation(word), vocabulary.read_fact(word)
    is_relation = section is Section.RELATIONS
    here, there = (relation, fact) if is_relation else (fact, relation)
    if here.is_known:
        return here
    if there.is_known:
        kind, other = ("fact", "kb fact") if is_relation else ("relation", "kb relate")
        raise UsageError(f'"{written}" is a {kind}', f"write it with {other}")
    from kb.checks.guesses import did_you_mean, say_addition

    words = sorted(_words(workspace, section))
    near = did_you_mean(word, words)
    near = f"{near} Else" if near else "kb vocabulary lists the words; else"
    addition = say_addition(word, section)
    if is_relation:
        hint = f"{near} write --type custom --reason TEXT, or {addition}"
        raise UsageError(f'there is no relation "{written}"', hint)
    raise UsageError(f'there is no fact "{written}"', f"{near} {addition}")


def _words(workspace: Workspace, section: Section) -> Iterable[str]:
    vocabulary = workspace.vocabulary
    if section is Section.FACTS:
        for fact in vocabulary.facts.values():
            yield from (fact.name, *fact.aliases)
        return
    for relation in vocabulary.relations.values():
        yield from (relation.name, *relation.aliases, *filter(None, [relation.inverse]))


def notes_on_word(reading: Reading) -> list[str]:
    """Say what a user of a word should know."""
    word = reading.relation or reading.fact
    notes = []
    if word is not None and word.replaced_by:
        notes.append(f'"{word.name}" has been replaced by "{word.replaced_by}": write that one')
    if reading.relation is not None and reading.relation.klass is StatementClass.HYPOTHESIS:
        notes.append(
            "a hypothesis wants alternatives:: or prediction:: under it (kb explain KB214)"
        )
    return notes


# -- what a relation admits --------------------------------------------------------------------------------------


def check_ends(
    workspace: Workspace, relation: RelationWord, subject: str, object: str
) -> list[str]:
    """Refuse what is related to itself; name types that a relation does not admit, which ``strict`` refuses."""
    if subject == object:
        raise Refused(
            f'"{subject}" cannot be related to itself by "{relation.name}"',
            "name another entity",
        )
    misfits = [
        f"{workspace.name_of(id)} is a {type}"
        for id, wanted in ((subject, relation.from_types), (object, relation.to_types))
        if not workspace.vocabulary.admits(wanted, type := _known_type(workspace, id))
    ]
    if not misfits:
        return []
    ends = (" or ".join(types) or "any type" for types in (relation.from_types, relation.to_types))
    message = f'"{relation.name}" leads from {" to ".join(ends)}, but {" and ".join(misfits)}'
    if workspace.base.settings.strict:
        raise Refused(message, "write another relation, or mend the type: kb vocabulary")
    return [message]


def _known_type(workspace: Workspace, id: str) -> str | None:
    type = workspace.type_of(id)
    return workspace.vocabulary.type_name(type) if type else None


def check_hierarchy(
    workspace: Workspace,
    relation: RelationWord,
    subject: str,
    object: str,
    interval: Interval | None,
    without: Container[tuple[str, str]],
) -> None:
    """Refuse a statement that would lead a hierarchy in a circle; ``without`` are those (file's id, id) that it retires."""
    if not relation.acyclic or is_over(interval, workspace.now):
        return
    came_from, todo = {object: ""}, deque([object])
    while todo:
        here = todo.popleft()
        for one in workspace.graph.about(here):
            if (
                one.subject != here
                or one.predicate != relation.name
                or one.object is None
                or one.object in came_from
                or (one.file_id, one.id) in without
                or not is_current(one, workspace.now)
            ):
                continue
            came_from[one.object] = here
            if one.object == subject:
                raise _circle(relation, came_from, subject)
            todo.append(one.object)


def _circle(relation: RelationWord, came_from: dict[str, str], subject: str) -> Refused:
    way = [subject]
    while came_from.get(way[-1]):
        way.append(came_from[way[-1]])
    shown = " → ".join((subject, *reversed(way)))
    return Refused(
        f'"{relation.name}" would lead in a circle: {shown}',
        "end or retract what is wrong first: kb retire ^ID",
    )


# -- what it must rest on ----------------------------------------------------------------------------------------


def check_founded(workspace: Workspace, speakers: Iterable[str]) -> None:
    """Refuse an established cause that rests on nothing a person said."""
    if not any(may_be_person(workspace.graph, speaker) for speaker in speakers):
        raise Refused(
            "an established cause must cite an observation that a person said",
            "cite one with said_by; or write a hypothesis: --type possibly-caused-by",
        )


def check_quote(line: StatementLine, bodies: Iterable[str]) -> None:
    """Refuse a verbatim quote that no cited observation holds."""
    if line.quote is not None and not any(QuotedText(body).holds(line.quote) for body in bodies):
        raise Refused(
            "no cited observation says that, word for word",
            "quote it exactly, or leave out the quotation marks",
        )


# -- what it contradicts -----------------------------------------------------------------------------------------


def find_rivals(
    workspace: Workspace,
    new: tuple[str, str, str | None, str | None],
    interval: Interval | None,
    without: Container[tuple[str, str]],
) -> list[Statement]:
    """Find statements that give (subject, predicate, object, value) another value at an overlapping time, now or later."""
    subject, predicate, object, value = new
    if is_over(interval, workspace.now):
        return []
    return [
        one
        for one in workspace.graph.single_valued_of(subject)
        if one.subject == subject
        and one.predicate == predicate
        and (one.object, one.value) != (object, value)
        and (one.file_id, one.id) not in without
        and not one.is_retired
        and not is_over(one.interval, workspace.now)
        and clash(one.interval, interval)
    ]


def is_over(interval: Interval | None, now: int) -> bool:
    """Say whether a time is past; what is still to come is not."""
    start = interval.start if interval else None
    return is_ended(interval, now) and not (isinstance(start, Date) and start.first > now)


def tell_rivals(workspace: Workspace, rivals: Iterable[Statement]) -> list[str]:
    """Say what a new value contradicts."""
    return [
        f"contested: ^{one.id} says {workspace.name_of(one.object) if one.object else one.value}"
        f" ({render_time(one.interval)}); to replace it: --supersede ^{one.id}"
        for one in rivals
    ]


def find_replaced(workspace: Workspace, file_id: str, ids: Container[str]) -> list[Statement]:
    """List what statements of a file supersede, in that file and in others."""
    graph = workspace.graph
    return [
        one
        for one in graph.superseded()
        if (id := one.superseded_by) is not None
        and id in ids
        # In a file with a statement of that id, the id means that one.
        and (one.file_id == file_id or all(own.file_id != one.file_id for own in graph.of_id(id)))
    ]


def subjects_of(
    workspace: Workspace, predicate: str, subject: str, object: str | None
) -> tuple[str, ...]:
    """List of whom a statement says something: its subject, and the other end where both are alike."""
    is_symmetric = object is not None and workspace.vocabulary.is_symmetric(predicate)
    return (subject, object) if is_symmetric and object is not None else (subject,)


def check_same_subject(old: Statement, subjects: Sequence[str]) -> None:
    """Refuse a successor that says something of others than the two ends of what it replaces."""
    if not {old.subject, old.object} & set(subjects):
        raise Refused(
            f"^{old.id} says nothing of {' or '.join(subjects)}",
            f"kb facts {subjects[0]} lists what is said; what is simply wrong: kb retire ^{old.id} --retract",
        )


def check_stands(new: Statement) -> None:
    """Refuse a successor that does not stand itself."""
    if new.superseded_by is not None:
        raise Refused(f"^{new.id} is superseded by ^{new.superseded_by} itself", "name that one")
    if new.retracted:
        raise Refused(
            f"^{new.id} is retracted itself", "name one that stands, or --retract this one too"
        )


def check_successor(workspace: Workspace, old: Statement, file_id: str, id: str) -> None:
    """Refuse a successor that a statement cannot have: itself, one beside another, one that its file cannot name."""
    if (old.file_id, old.id) == (file_id, id):
        raise Refused(f"^{id} cannot take its own place", "name the statement that does")
    if old.superseded_by not in (None, id):
        raise Refused(f"^{old.id} is superseded by ^{old.superseded_by} already", "name that one")
    if old.retracted and old.superseded_by is None:
        raise Refused(f"^{old.id} is retracted already", "leave it as it is")
    others = {one.file_id for one in workspace.graph.of_id(id)} - {file_id}
    if file_id != old.file_id and others:
        why = f"{', '.join(sorted({file_id, *others}))} have a statement ^{id} each"
        if old.file_id in others:
            why = f"there, ^{id} is a statement of its own"
        raise Refused(
            f"the file of {old.file_id} cannot name ^{id} of {file_id}: {why}",
            f"retract the old one: kb retire {old.file_id}/^{old.id} --retract",
        )
