"""Who takes part in what is ingested: whoever bears a key, made if nobody does. Names decide nothing, and may raise a question."""

import re
from collections.abc import Collection, Iterator

from kb.edits.edit import FileChange
from kb.edits.file_texts import format_entity
from kb.edits.workspace import Workspace
from kb.errors import UsageError
from kb.ingest.records import Nature, Participant, SourceRecord
from kb.model.names import fold
from kb.queries.mention_resolution import Bearer, WeighedKey, weigh_key
from kb.store.layout import entity_path
from kb.syntax.slugs import slugify

_TYPES = {
    Nature.GROUP: "team",
    Nature.ORGANIZATION: "company",
    Nature.PLACE: "place",
    Nature.RESOURCE: "system",
}
_WORD = re.compile(r"\w+")
_ADDRESS = re.compile(r"\w@\w")


class Participants:
    """Finds and plans the participants of records, one record after another."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace, self._unread = workspace, workspace.unread
        self.made: dict[str, Bearer] = {}  #: of the entities made here, by key
        self.ids: set[str] = set()  #: of what is planned, both kinds
        self.planned: dict[str, FileChange] = {}  #: the record's entities by id
        self.attached: set[str] = set()  #: ids of those who were there
        self.questions: dict[str, None] = {}
        self._names: dict[str, frozenset[str]] = {}  #: words of the names made here, by id
        self._folded: dict[str, str] = {}  #: those names as they are compared, each with an id
        self._namesakes: set[str] = set()  #: of those made here, whose name others bear
        self._listed: frozenset[str] = (
            frozenset()
        )  #: keys that the record says to be a list's or a program's

    def find(self, record: SourceRecord) -> dict[str, str]:
        """Map each key of a record's participants to whom it names, made if it is somebody new; to itself where it names nobody."""
        self._listed = _listed_keys(record)
        return {key: self._find(one, key) for one in record.participants for key in one.keys}

    def drop_planned(self, paths: Collection[str]) -> None:
        """Forget the entities of a record that is not kept; those at one of the paths were made, and are not lost."""
        dropped = {id for id, change in self.planned.items() if change.path not in paths}
        self.made = {key: one for key, one in self.made.items() if one.id not in dropped}
        self.ids -= dropped
        self._folded = {name: id for name, id in self._folded.items() if id not in dropped}
        self._namesakes -= dropped
        self.planned.clear()

    def iter_warnings(self) -> Iterator[str]:
        """Yield what is to be known of those who were made."""
        if self.made and self._unread.paths:
            yield self._unread.note()
        if self._namesakes:
            count = len(self._namesakes)
            who = (
                "one of the new ones bears a name"
                if count == 1
                else f"{count:,} of the new ones bear names"
            )
            yield f"{who} of others: no name decides; kb candidates lists who may be one"

    def _find(self, participant: Participant, key: str) -> str:
        found = self._weighed(key)
        if found is None:
            return key
        if len(participant.keys) > 1 and len(bearers := self._named_by(participant)) > 1:
            shown = f"{', '.join(participant.keys)}: keys of {' and '.join(bearers)} on one card"
            self.questions[f"{shown}: kb merge if they are one, kb distinct if not"] = None
            return found.key or key
        if found.named:
            self.attached.update(() if found.key in self.made else (found.named,))
            self._compare_names(participant, found.key, found.named)
            return found.named
        if found.doubt:
            self.questions[found.doubt] = None
            return found.key or key
        if found.bearers:
            self.questions[f"{found.key}: borne by {' and '.join(found.bearers)}"] = None
            return found.key
        for other in participant.keys:
            if (same := self._weighed(other)) and same.unread and not same.bearers:
                self.questions[same.doubt] = None
                return found.key
        return self._bearer_of_another(participant, found.key) or self._make(participant, found.key)

    def _bearer_of_another(self, participant: Participant, key: str) -> str:
        """Give whoever is known by another key of the same card; that somebody does not bear this one is said."""
        named = self._named_by(participant)
        if len(named) != 1:
            return ""
        (id,) = named
        if id not in self._names:
            self.attached.add(id)
        self.questions[f"{key}: on a card of {id}, who does not bear it: kb set {id} key {key}"] = (
            None
        )
        return id

    def _named_by(self, participant: Participant) -> tuple[str, ...]:
        """Give all whom the keys of a participant name: of a card, mostly one."""
        weighed = (self._weighed(key) for key in participant.keys)
        return tuple(dict.fromkeys(one.named for one in weighed if one and one.named))

    def _compare_names(self, participant: Participant, key: str, id: str) -> None:
        """Ask where a key is shown under a name that has no word of its bearer's: a program may write for several."""
        shown = _words_of(participant.name)
        entity = self._workspace.graph.entities.get(id)
        known = (
            [_words_of(name) for name in entity.names]
            if entity
            else [self._names.get(id, frozenset())]
        )
        # Where the address stands in for a name, nothing is known of it.
        if not shown or not all(known) or any(shown & words for words in known):
            return
        what = f'{key}: is {id}\'s, and shown as "{" ".join(participant.name.split())}"'
        self.questions[f"{what}: if several write from it, kb set {id} type contact"] = None

    def _weighed(self, key: str) -> WeighedKey | None:
        """Weigh a key; ``None`` where it is none."""
        graph, is_listed = self._workspace.graph, key in self._listed
        try:
            return weigh_key(graph, key, self._unread, is_listed=is_listed, made=self.made)
        except UsageError:
            return None

    def _make(self, participant: Participant, key: str) -> str:
        address = key.partition(":")[2]
        name = participant.name or address
        type = _TYPES.get(participant.nature, "person")
        id = self._workspace.free_entity_id(
            slugify(participant.name or address.partition("@")[0]), self.ids
        )
        keys = [key]
        for other in participant.keys:
            found = self._weighed(other)
            if found and not found.doubt and not found.bearers and found.key not in keys:
                keys.append(found.key)
        path = entity_path(self._workspace.root, type, id)
        fields = (("id", id), ("type", type), ("name", name), ("keys", keys))
        text = format_entity(path, fields, "", (), {})
        self.planned[id] = FileChange(path, None, text.encode())
        self.ids.add(id)
        for one in keys:
            self.made[one] = Bearer(id, type)
        self._names[id] = _words_of(name)
        if self._workspace.graph.bearers_of_name(name) or fold(name) in self._folded:
            self._namesakes.add(id)
        self._folded.setdefault(fold(name), id)
        return id


def _listed_keys(record: SourceRecord) -> frozenset[str]:
    """Give the keys that a record, or the mail that it came in, says to be a mailing list's or a program's.

    That holds for it alone: anybody may send such a mail, and name anybody's address.
    """
    said = (*record.participants, *(record.mail.participants if record.mail else ()))
    return frozenset(key for one in said if one.nature is Nature.MAILBOX for key in one.keys)


def _words_of(name: str) -> frozenset[str]:
    """Give the words of a name as they are compared, none of an address that stands in for one."""
    return frozenset() if _ADDRESS.search(name) else frozenset(_WORD.findall(fold(name)))
