"""``resolve``: whom a mention means, by its keys. A name alone never decides: it is a question."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from kb.errors import UsageError
from kb.graph.graph import Graph
from kb.graph.keys import read_key_argument
from kb.model.vocabulary import KeyForm
from kb.queries.answers import Answer, EntityRef, entity_ref
from kb.queries.selection import read_type
from kb.queries.unread_files import UnreadFiles, say_held

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

EXISTING, NEW, QUESTION = "existing", "new", "question"


class MentionCandidate(NamedTuple):
    """An entity that a mention may mean."""

    entity: EntityRef
    reason: str


class MentionResolution(NamedTuple):
    """What a mention means."""

    verdict: str  #: ``existing``, ``new`` or ``question``
    entity: EntityRef | None  #: of an existing one
    by_key: str  #: the normalized key that decided
    candidates: tuple[MentionCandidate, ...]  #: of a question
    reasons: tuple[str, ...]
    usable_keys: tuple[str, ...]  #: normalized: those that may say who it is


class Bearer(NamedTuple):
    """An entity that is made, and not in the graph yet."""

    id: str
    type: str


_NONE_MADE: Mapping[str, Bearer] = MappingProxyType({})


class WeighedKey(NamedTuple):
    """A key of a mention, and whom it names. Whoever bears a key is meant by it; the exceptions are in ``weigh_key``."""

    key: str  #: normalized; "" of a phone number, which is none
    bearers: tuple[str, ...]  #: ids; several where it is not clear who is meant
    doubt: str  #: why it names nobody, whoever bears it and whoever is new; "" where it does
    unread: tuple[str, ...] = ()  #: paths of files that cannot be read and in whose text it stands

    @property
    def named(self) -> str | None:
        """Whom it names: its one bearer."""
        return self.bearers[0] if len(self.bearers) == 1 and not self.doubt else None


def weigh_key(
    graph: Graph,
    key: str,
    unread: UnreadFiles,
    *,
    is_listed: bool = False,
    made: Mapping[str, Bearer] = _NONE_MADE,
) -> WeighedKey:
    """Say whom a key names: the one rule, for ``kb resolve`` and for what is ingested (FORMAT, "kb.yaml").

    Its bearer. Else three kinds are a doubt, where any other key may be somebody new's: a phone number, which is no key and
    has no bearers; a free-mail domain, whoever bears it; a shared mailbox, unless something else than a person bears it,
    such as a contact. A fourth is a key that nobody bears and that stands in a file which cannot be read: whose it is will
    be known when the file is mended.

    ``is_listed``: the record that is asked for says that it is a mailing list's or a program's. Anybody may write so, of anybody: it is as
    doubtful as any shared mailbox there, and nothing beyond that record. ``made`` are bearers by key whom the graph lacks.
    """
    from kb.graph.contact_rules import is_free_mail, is_phone_kind, is_shared_mailbox

    kind, sign, _ = key.partition(":")
    if sign and is_phone_kind(kind.strip()):
        return WeighedKey(
            "",
            (),
            f"{key} is a phone number, and no key: several may share it, and numbers change hands",
        )
    read = read_key_argument(key, graph.vocabulary, graph.key_kinds)
    if not read:
        raise UsageError(
            f'"{key}" is no key', "write kind:value, such as email:dana@northpeak.example"
        )
    normalized = read[0]
    kind, _, value = normalized.partition(":")
    word = graph.vocabulary.keys.get(kind)
    form = word.normalize if word else KeyForm.EXACT
    new = made.get(normalized)
    bearers = (new.id,) if new else graph.bearers_of_key(normalized)
    types = (new.type,) if new else tuple(graph.entities[id].type for id in bearers)
    doubt = ""
    is_shared = form is KeyForm.EMAIL and is_shared_mailbox(value)
    if (is_shared or is_listed) and all(_is_person(graph, type) for type in types):
        what = (
            "a shared mailbox"
            if is_shared
            else "a mailing list's or a program's, as a mail's headers say"
        )
        doubt = f"{normalized} is {what}: it says where, not who"
        if bearers and is_shared:
            doubt += f"; a contact may bear it, and no person, as {', '.join(bearers)} does"
        elif bearers:
            doubt += f"; {', '.join(bearers)}, a person, bears it: give it to a contact if it is such a one's"
    elif form is KeyForm.DOMAIN and is_free_mail(value):
        doubt = f"{normalized} is a free-mail domain: anybody may have an address there"
    held = unread.holding_key(normalized)
    if held and not bearers and not doubt:
        doubt = say_held(normalized, held)
    return WeighedKey(normalized, bearers, doubt, held)


def _is_person(graph: Graph, type: str | None) -> bool:
    return graph.vocabulary.is_kind_of(type, "person")


def resolve_mention(
    knowledge_base: "KnowledgeBase",
    name: str = "",
    keys: tuple[str, ...] = (),
    type: str | None = None,
) -> Answer[MentionResolution]:
    """Say whether a mention is an entity that is there, a new one, or a question for a person."""
    if not name.strip() and not keys:
        raise UsageError(
            "a mention needs a name or a key", "kb resolve --name NAME --key KIND:VALUE"
        )
    graph = knowledge_base.graph
    unread = UnreadFiles(knowledge_base.root, graph)
    weighed = tuple(weigh_key(graph, key, unread) for key in keys)
    result = _decide(graph, name, weighed, read_type(graph, type), unread)
    for candidate in (*result.candidates, *((result,) if result.entity else ())):
        if candidate.entity is not None and candidate.entity.id in graph.entities:
            knowledge_base.cited.add(graph.entities[candidate.entity.id].path)
    return Answer(
        "resolve", knowledge_base.revision, (), result, notes=_notes(result, weighed, unread)
    )


def _notes(
    result: MentionResolution, weighed: tuple[WeighedKey, ...], unread: UnreadFiles
) -> tuple[str, ...]:
    """Name the files that might say otherwise, could they be read."""
    if result.verdict == NEW:
        return tuple(filter(None, (unread.note(),)))
    return tuple(say_held(one.key, one.unread) for one in weighed if one.unread and one.bearers)


def _decide(
    graph: Graph,
    name: str,
    weighed: tuple[WeighedKey, ...],
    type: str | None,
    unread: UnreadFiles,
) -> MentionResolution:
    reasons = tuple(one.doubt for one in weighed if one.doubt)
    usable = tuple(one for one in weighed if not one.doubt)
    keys = tuple(one.key for one in usable)
    ids = list(dict.fromkeys(id for one in usable for id in one.bearers))
    if any(one.unread and not one.bearers for one in weighed):
        return _question(_bearers(graph, usable), reasons, keys)
    if len(ids) == 1:
        key = next(one.key for one in usable if one.bearers)
        reason = f"bears the key {key}"
        return MentionResolution(
            EXISTING, entity_ref(graph, ids[0]), key, (), (*reasons, reason), keys
        )
    if ids:
        why = "several bear these keys: kb candidates, then kb merge or kb distinct"
        return _question(_bearers(graph, usable), (*reasons, why), keys)
    namesakes = _namesakes(graph, name, type)
    if namesakes:
        why = "the name is borne already, and no key is shared: a name never decides"
        candidates = tuple(
            MentionCandidate(entity_ref(graph, id), f'is called "{name.strip()}"')
            for id in namesakes
        )
        return _question(candidates, (*reasons, why), keys)
    doubtful = [one for one in weighed if one.doubt and one.key]
    if doubtful and not keys:
        why = "what it gives says where, not who: give a name or a key of its own"
        return _question(_bearers(graph, doubtful), (*reasons, why), keys)
    if not name.strip() and not keys:
        why = "a phone number alone says nobody: give a name or a key"
        return _question((), (*reasons, why), keys)
    held = unread.holding_name(name)
    if held:
        return _question((), (*reasons, say_held(f'"{name.strip()}"', held)), keys)
    why = "nobody bears " + ("these keys" if keys else "this name")
    return MentionResolution(NEW, None, "", (), (*reasons, why), keys)


def _question(
    candidates: tuple[MentionCandidate, ...], reasons: tuple[str, ...], keys: tuple[str, ...]
) -> MentionResolution:
    return MentionResolution(QUESTION, None, "", candidates, reasons, keys)


def _bearers(graph: Graph, weighed: Iterable[WeighedKey]) -> tuple[MentionCandidate, ...]:
    """Give those who bear one of some keys, each with the keys that it bears."""
    keys_of: dict[str, list[str]] = {}
    for one in weighed:
        for id in one.bearers:
            keys_of.setdefault(id, []).append(one.key)
    return tuple(
        MentionCandidate(entity_ref(graph, id), f"bears the key {', '.join(keys)}")
        for id, keys in keys_of.items()
    )


def _namesakes(graph: Graph, name: str, type: str | None) -> list[str]:
    if not name.strip():
        return []
    return [
        id
        for id in graph.bearers_of_name(name)
        if type is None
        or graph.entities[id].type is None
        or graph.vocabulary.is_kind_of(graph.entities[id].type, type)
    ]
