"""Records of sources → observations, with their participants attached by key. The same source again adds nothing.

Keys come from structure alone. A key that somebody bears is that somebody; a new one makes an entity; one that several
bear, or that says where and not who, stays a key. Names decide nothing.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from kb.edits.edit import FileChange
from kb.edits.file_texts import format_entity
from kb.edits.journal import Journal
from kb.edits.new_observation import plan_observation
from kb.edits.workspace import Refused, Workspace
from kb.errors import KbError, UsageError
from kb.ingest.records import Nature, Participant, Problem, SourceRecord
from kb.ingest.repeats import iter_new, kept_text
from kb.knowledge_base import KnowledgeBase, open_for_reading
from kb.queries.mention_resolution import read_mention_key
from kb.store.layout import entity_path
from kb.store.writes import create_file, flush_files, lock_knowledge_base
from kb.syntax.slugs import slugify

Progress = Callable[[int, int], None]

_TYPES = {
    Nature.GROUP: "team",
    Nature.ORGANIZATION: "company",
    Nature.PLACE: "place",
    Nature.RESOURCE: "system",
}


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

    kept: tuple[KeptSource, ...]
    entities: tuple[tuple[str, str], ...]  #: (id, key) of each that was made
    attached: int  #: participants that were there already
    questions: tuple[str, ...]  #: keys that could be several, or say no person
    repeated: int  #: records that were there already
    problems: tuple[Problem, ...]
    is_written: bool


def ingest_sources(
    root: str,
    now: int,
    items: Iterable[SourceRecord | Problem],
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Ingested:
    """File what is new of some records. A killed run leaves whole files; running it again adds the rest."""
    if dry_run:
        keeper = _Keeper(Workspace(open_for_reading(root, now, may_trust=False)), dry_run=True)
        return keeper.keep(items, progress)
    with lock_knowledge_base(root):
        keeper = _Keeper(Workspace(open_for_reading(root, now, may_trust=False)), dry_run=False)
        done = keeper.keep(items, progress)
        flush_files(root)
        if done.kept:
            Journal(root).add_barrier("ingest", f"kb ingest of {len(done.kept)} sources", now)
        return done


@dataclass
class _Keeper:
    workspace: Workspace
    dry_run: bool
    kept: list[KeptSource] = field(default_factory=list)
    made: dict[str, str] = field(default_factory=dict)  #: key → id of the entities made here
    ids: set[str] = field(default_factory=set)  #: of what is planned here, both kinds
    planned: dict[str, FileChange] = field(default_factory=dict)  #: the record's entities by id
    attached: set[str] = field(default_factory=set)
    questions: dict[str, None] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    records: int = 0

    def keep(self, items: Iterable[SourceRecord | Problem], progress: Progress | None) -> Ingested:
        known = dict(_known_sources(self.workspace.base))
        for item in iter_new(self._counted(items), known):
            if isinstance(item, Problem):
                self.problems.append(item)
                continue
            try:
                self._keep(item)
            except KbError as error:  # one record that cannot be kept does not stop the others
                self._drop_planned()
                self.problems.append(Problem(item.where, error.message))
            if progress:
                progress(len(self.kept), 0)
        repeated = self.records - len(self.kept) - sum(one.is_lost for one in self.problems)
        return Ingested(
            tuple(self.kept),
            tuple((id, key) for key, id in self.made.items()),
            len(self.attached),
            tuple(self.questions),
            max(0, repeated),
            tuple(self.problems),
            not self.dry_run,
        )

    def _counted(self, items: Iterable[SourceRecord | Problem]) -> Iterator[SourceRecord | Problem]:
        for item in items:
            self.records += isinstance(item, SourceRecord)
            yield item

    def _keep(self, record: SourceRecord) -> None:
        people = {
            key: self._participant(one, key) for one in record.participants for key in one.keys
        }
        new = plan_observation(
            self.workspace,
            kept_text(record),
            kind=record.kind,
            title=record.title,
            happened_at=record.happened_at,
            said_by=people.get(record.said_by, record.said_by),
            participants=tuple(dict.fromkeys(people.values())),
            source=record.source,
            taken=self.ids,
        )
        for change in (new.change, *self.planned.values()):
            self._write(change)
        self.planned.clear()
        self.ids.add(new.id)
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

    def _drop_planned(self) -> None:
        """Forget the entities of a record that is not kept."""
        self.made = {key: id for key, id in self.made.items() if id not in self.planned}
        self.planned.clear()

    # -- who takes part ------------------------------------------------------------------------------------------

    def _participant(self, participant: Participant, key: str) -> str:
        """Give the id of whoever bears a key, made if nobody does; the key itself where it says no one."""
        graph = self.workspace.graph
        try:
            normalized, doubt = read_mention_key(graph, key)
        except UsageError:
            return key
        if normalized in self.made:
            return self.made[normalized]
        bearers = graph.bearers_of_key(normalized)
        if len(bearers) == 1:
            self.attached.add(bearers[0])
            return bearers[0]
        if bearers:
            self.questions[f"{normalized}: borne by {' and '.join(bearers)}"] = None
            return normalized
        if doubt:
            self.questions[doubt] = None
            return normalized or key
        # A card's other keys are the same somebody's.
        others = [self.made[other] for other in participant.keys if other in self.made]
        if others:
            return others[0]
        return self._make(participant, normalized)

    def _make(self, participant: Participant, key: str) -> str:
        address = key.partition(":")[2]
        name = participant.name or address
        type = _TYPES.get(participant.nature, "person")
        id = self.workspace.free_entity_id(
            slugify(participant.name or address.partition("@")[0]), self.ids
        )
        keys = [key]
        for other in participant.keys:
            try:
                normalized, doubt = read_mention_key(self.workspace.graph, other)
            except UsageError:
                continue
            free = not self.workspace.graph.bearers_of_key(normalized)
            if not doubt and free and normalized not in self.made and normalized not in keys:
                keys.append(normalized)
        path = entity_path(self.workspace.root, type, id)
        fields = (("id", id), ("type", type), ("name", name), ("keys", keys))
        text = format_entity(path, fields, "", (), {})
        self.planned[id] = FileChange(path, None, text.encode())
        self.ids.add(id)
        for one in keys:
            self.made[one] = id
        return id

    def _write(self, change: FileChange) -> None:
        if self.dry_run:
            return
        if change.after is None:
            raise Refused(f"{change.path} is not removed by an ingest")
        create_file(self.workspace.root, change.path, change.after, durable=False)


def _known_sources(base: KnowledgeBase) -> Iterator[tuple[str, str]]:
    """Yield the source of each observation that has one, with its seal."""
    for observation in base.graph.observations.values():
        if observation.source:
            yield observation.source, observation.digest
