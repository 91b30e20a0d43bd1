"""Which id each ref of a source stands for: entities and observations that are there, and new ones. Writes nothing."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kb.edits.import_ids import free_id, wanted_entity_id, wanted_observation_id
from kb.edits.import_times import read_record_date
from kb.edits.records import EntityRecord, ObservationRecord, Problem, Records
from kb.edits.workspace import Workspace
from kb.graph.contact_rules import is_phone_kind
from kb.graph.keys import normalize_key
from kb.knowledge_base import KnowledgeBase
from kb.model.entity import EntityFile
from kb.model.names import fold
from kb.model.time import Date
from kb.queries.unread_files import say_held
from kb.store.layout import entity_path, observation_path
from kb.store.root import OBSERVATIONS
from kb.syntax.front_matter import MAX_FRONT_MATTER, Scalar, split_front_matter
from kb.syntax.slugs import slugify

IMPORT_REF = "import_ref"
_WRITTEN_REF = re.compile(r"^import_ref:[ \t]*[\"']?([^\r\n\"']+?)[\"']?[ \t]*$", re.M)


@dataclass(frozen=True, slots=True)
class NewEntity:
    """An entity to be made."""

    record: EntityRecord
    id: str
    path: str


@dataclass(frozen=True, slots=True)
class NewObservation:
    """An observation to be made."""

    record: ObservationRecord
    id: str
    path: str
    date: Date | None


@dataclass
class Refs:
    """The ids behind a source's refs."""

    workspace: Workspace
    entity_ids: dict[str, str] = field(
        default_factory=dict
    )  #: ref → id that its statements are written to
    observation_ids: dict[str, str] = field(default_factory=dict)
    observation_dates: dict[str, Date] = field(default_factory=dict)
    new_entities: list[NewEntity] = field(default_factory=list)
    new_observations: list[NewObservation] = field(default_factory=list)
    known_entities: list[str] = field(
        default_factory=list
    )  #: refs among the records that are there already
    known_observations: int = 0
    unwritable: set[str] = field(
        default_factory=set
    )  #: refs of files that do not parse or share an id
    types: dict[str, str | None] = field(default_factory=dict)  #: id → type
    names: dict[str, str] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)  #: ids of what is to be made
    called: dict[str, set[str]] = field(
        default_factory=dict
    )  #: folded names and aliases → the refs of the entity records that bear each

    def is_taken(self, id: str, ref: str = "") -> bool:
        """Say whether an id leads somewhere already, or will, as what another entity record than that of a ref is called."""
        others = self.called.get(id, set()) - {ref}
        return id in self.taken or bool(others) or self.workspace.is_taken(id)

    def call(self, record: EntityRecord, names: Iterable[str]) -> None:
        """Note what a record is called: no id of another's may be that."""
        for name in names:
            self.called.setdefault(fold(name), set()).add(record.ref)

    def entity_id(self, ref: str) -> str | None:
        """Give the id that a ref stands for, ``None`` where it is none."""
        return self.entity_ids.get(ref)

    def drop_observation(self, ref: str) -> None:
        """Forget an observation that cannot be kept."""
        self.observation_ids.pop(ref, None)


def assign_refs(base: KnowledgeBase, records: Records, problems: list[Problem]) -> Refs:
    """Give every ref its id: what is there is found by its ``import_ref``."""
    refs = Refs(Workspace(base))
    _known_entities(base, refs)
    for record in records.entities:
        if record.ref not in refs.entity_ids and record.ref not in refs.unwritable:
            # A name that is the id which its record wants stands in no other's way: the first of several gets it.
            is_wanted = fold(record.name) == wanted_entity_id(record.ref, record.name)
            refs.call(record, record.aliases if is_wanted else (record.name, *record.aliases))
    _new_entities(base, refs, records.entities, problems)
    for new in refs.new_entities:  # of an observation's id every name is another's
        refs.call(new.record, (new.record.name,))
    _observations(base, refs, records.observations, problems)
    return refs


# -- entities ----------------------------------------------------------------------------------------------------


def _known_entities(base: KnowledgeBase, refs: Refs) -> None:
    identities = base.resolution.identities
    for file in base.corpus.entities:
        survivor = identities.survivor(file.id)
        for ref in _refs_of(file):
            if survivor is None or file.is_broken or identities.files[survivor].is_broken:
                refs.unwritable.add(ref)
            else:
                refs.entity_ids.setdefault(ref, survivor)
    for id, file in identities.files.items():
        refs.types[id], refs.names[id], refs.paths[id] = file.type, file.name, file.path


def _refs_of(file: EntityFile) -> list[str]:
    if file.is_broken:
        return _WRITTEN_REF.findall(file.text)
    return [value for key, value in file.fields if key == IMPORT_REF]


def _new_entities(
    base: KnowledgeBase, refs: Refs, records: Iterable[EntityRecord], problems: list[Problem]
) -> None:
    folders: dict[str, str] = {}
    seen: dict[str, EntityRecord] = {}
    for record in records:
        first = seen.setdefault(record.ref, record)
        if first is not record:
            problems.append(_again(record, first.line, _same_entity(first, record)))
        elif record.ref in refs.unwritable:
            problems.append(
                Problem(
                    record.line,
                    f"the file of {record.ref} does not parse or shares its id: not written",
                    is_lost=True,
                )
            )
        elif record.ref in refs.entity_ids:
            refs.known_entities.append(record.ref)
            problems += _differences(base, refs.entity_ids[record.ref], record)
        elif why := _why_unsure(refs, record):
            problems.append(Problem(record.line, f"{record.ref} is not made: {why}", is_lost=True))
        else:
            _make(refs, record, folders, problems)
    unread = refs.workspace.unread
    if refs.new_entities and unread.paths:
        problems.append(Problem(0, unread.note()))


def _why_unsure(refs: Refs, record: EntityRecord) -> str:
    """Say which key of a record may be that of an entity whose file cannot be read; "" where none may."""
    for written, key in _keys_of(refs, record):
        held = refs.workspace.unread.holding_key(key)
        if held and not refs.workspace.graph.bearers_of_key(key):
            return say_held(written, held)
    return ""


def _keys_of(refs: Refs, record: EntityRecord) -> Iterator[tuple[str, str]]:
    """Yield the keys of a record as written and as compared; phone numbers are none."""
    for kind, value in record.keys:
        if not is_phone_kind(kind):
            yield f"{kind}:{value}", normalize_key(kind, value, refs.workspace.vocabulary)


def _make(
    refs: Refs, record: EntityRecord, folders: dict[str, str], problems: list[Problem]
) -> None:
    """Give a new entity its id and its place."""
    type = slugify(record.type) if record.type else ""
    wanted = wanted_entity_id(record.ref, record.name)
    unread = refs.workspace.unread
    id = free_id(
        wanted,
        lambda id: refs.is_taken(id, record.ref) or bool(unread.claiming(id)),
        type or "other",
    )
    if id != wanted:
        problems.append(Problem(record.line, f"the id {wanted} is taken: {record.ref} is {id}"))
    refs.taken.add(id)
    folder = folders.get(type)
    if folder is None:
        place = entity_path(refs.workspace.root, type or None, "x")
        folder = folders[type] = place.removesuffix("x.md")
    refs.entity_ids[record.ref] = id
    refs.types[id], refs.names[id], refs.paths[id] = (
        record.type or None,
        record.name,
        f"{folder}{id}.md",
    )
    refs.new_entities.append(NewEntity(record, id, refs.paths[id]))
    for written, key in _keys_of(refs, record):
        for bearer in refs.workspace.graph.bearers_of_key(key):
            message = f"{written} of {record.ref} is a key of {bearer} too: if the two are one, kb merge {bearer} {id}"
            problems.append(Problem(record.line, message))


def _again(record: EntityRecord | ObservationRecord, line: int, is_same: bool) -> Problem:
    how = "just so" if is_same else "with other fields: this one is not kept"
    message = f"{record.ref} stands in line {line} already, {how}"
    return Problem(record.line, message, is_lost=not is_same)


def _same_entity(first: EntityRecord, second: EntityRecord) -> bool:
    def said(record: EntityRecord) -> tuple[object, ...]:
        return (record.type, record.name, record.keys, record.aliases)

    return said(first) == said(second)


def _differences(base: KnowledgeBase, id: str, record: EntityRecord) -> list[Problem]:
    """Report what the source says of an entity that is there and its files do not: none of it is written."""
    entity, vocabulary = base.graph.entities[id], base.vocabulary
    names = {fold(name) for name in entity.names}
    lacking = [name for name in (record.name, *record.aliases) if fold(name) not in names]
    keys = set(entity.normalized_keys)
    lacking += [
        f"{kind}:{value}"
        for kind, value in record.keys
        if normalize_key(kind, value, vocabulary) not in keys
    ]
    if not lacking:
        return []
    return [
        Problem(
            record.line,
            f"{record.ref} is {id}, whose file lacks {', '.join(lacking)}: add what is right by hand",
        )
    ]


# -- observations ------------------------------------------------------------------------------------------------


def _observations(
    base: KnowledgeBase, refs: Refs, records: Iterable[ObservationRecord], problems: list[Problem]
) -> None:
    for seen in base.corpus.observations:
        ref = _observation_ref(seen.text)
        if ref:
            refs.observation_ids.setdefault(ref, seen.id)
    known = set(refs.observation_ids)
    first_lines: dict[str, ObservationRecord] = {}
    for record in records:
        first = first_lines.setdefault(record.ref, record)
        if first is not record:
            is_same = (first.happened_at, first.said_by, first.title, first.text) == (
                record.happened_at,
                record.said_by,
                record.title,
                record.text,
            )
            problems.append(_again(record, first.line, is_same))
        elif record.ref in known:
            refs.known_observations += 1
            problems += _changed_text(base, refs.observation_ids[record.ref], record)
        else:
            refs.new_observations.append(_new_observation(refs, record, problems))


def _new_observation(
    refs: Refs, record: ObservationRecord, problems: list[Problem]
) -> NewObservation:
    def report(message: str) -> None:
        problems.append(Problem(record.line, f"{record.ref}: {message}"))

    date = (
        read_record_date(record.happened_at, "happened_at", report) if record.happened_at else None
    )
    if date is None:
        report("no date is known, so it is filed under observations/undated/")
    else:
        refs.observation_dates[record.ref] = date

    def path_of(id: str) -> str:
        return observation_path(id, date.day) if date else f"{OBSERVATIONS}/undated/{id}.md"

    id = free_id(
        wanted_observation_id(record.ref, date),
        lambda id: (
            refs.is_taken(id) or os.path.lexists(os.path.join(refs.workspace.root, path_of(id)))
        ),
    )
    refs.taken.add(id)
    refs.observation_ids[record.ref] = id
    return NewObservation(record, id, path_of(id), date)


def _observation_ref(text: str) -> str:
    head = text[:MAX_FRONT_MATTER]
    if IMPORT_REF not in head:
        return ""
    front = split_front_matter(text)
    node = front.fields.get(IMPORT_REF) if front.fields else None
    if isinstance(node, Scalar):
        return node.text
    found = _WRITTEN_REF.search(head)
    return found.group(1) if found and front.fields is None else ""


def _changed_text(base: KnowledgeBase, id: str, record: ObservationRecord) -> list[Problem]:
    seen = base.resolution.observations.get(id)
    if seen is None or seen.is_broken or seen.body.lstrip("\r\n") == record.text.lstrip("\r\n"):
        return []
    return [
        Problem(
            record.line,
            f"{record.ref} is {id}, whose text is another: a sealed text is not changed",
        )
    ]
