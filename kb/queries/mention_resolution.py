"""``resolve``: whom a mention means, by its keys. A name alone never decides: it is a question."""

from typing import TYPE_CHECKING, NamedTuple

from kb.errors import UsageError
from kb.graph.graph import Graph
from kb.graph.keys import read_key_argument
from kb.queries.answers import Answer, EntityRef, entity_ref
from kb.queries.selection import read_type

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
    type = read_type(graph, type)
    usable: list[str] = []
    reasons: list[str] = []
    doubtful = False
    for key in keys:
        found, reason = read_mention_key(graph, key)
        if reason:
            reasons.append(reason)
            doubtful = doubtful or bool(found)
        elif found:
            usable.append(found)
    result = _decide(graph, name, tuple(usable), type, reasons, doubtful)
    for candidate in (*result.candidates, *((result,) if result.entity else ())):
        if candidate.entity is not None and candidate.entity.id in graph.entities:
            knowledge_base.cited.add(graph.entities[candidate.entity.id].path)
    return Answer("resolve", knowledge_base.revision, (), result)


def read_mention_key(graph: Graph, key: str) -> tuple[str, str]:
    """Normalize a key of a mention; give also why it cannot say who somebody is, empty where it can.

    The exceptions of FORMAT: shared mailboxes and programs, free-mail domains, phone numbers.
    """
    from kb.graph.contact_rules import is_free_mail, is_shared_mailbox

    kind, sign, value = key.partition(":")
    if kind in ("tel", "phone", "mobile") and sign:
        return (
            "",
            f"{key} is a phone number, and no key: several may share it, and numbers change hands",
        )
    read = read_key_argument(key, graph.vocabulary, graph.key_kinds)
    if not read:
        raise UsageError(
            f'"{key}" is no key', "write kind:value, such as email:dana@northpeak.example"
        )
    normalized = read[0]
    kind, _, value = normalized.partition(":")
    if kind == "email" and is_shared_mailbox(value):
        return normalized, f"{normalized} is a shared mailbox: it says where, not who"
    if kind == "domain" and is_free_mail(value):
        return normalized, f"{normalized} is a free-mail domain: anybody may have an address there"
    return normalized, ""


def _decide(
    graph: Graph,
    name: str,
    keys: tuple[str, ...],
    type: str | None,
    reasons: list[str],
    doubtful: bool,
) -> MentionResolution:
    bearers = {key: graph.bearers_of_key(key) for key in keys}
    ids = list(dict.fromkeys(id for found in bearers.values() for id in found))
    if len(ids) == 1:
        key = next(key for key, found in bearers.items() if found)
        reason = f"bears the key {key}"
        return MentionResolution(
            EXISTING, entity_ref(graph, ids[0]), key, (), (*reasons, reason), keys
        )
    if ids:
        candidates = tuple(
            MentionCandidate(
                entity_ref(graph, id),
                "bears the key " + ", ".join(key for key in keys if id in bearers[key]),
            )
            for id in ids
        )
        why = "several bear these keys: kb candidates, then kb merge or kb distinct"
        return MentionResolution(QUESTION, None, "", candidates, (*reasons, why), keys)
    namesakes = _namesakes(graph, name, type)
    if namesakes:
        why = "the name is borne already, and no key is shared: a name never decides"
        candidates = tuple(
            MentionCandidate(entity_ref(graph, id), f'is called "{name.strip()}"')
            for id in namesakes
        )
        return MentionResolution(QUESTION, None, "", candidates, (*reasons, why), keys)
    if doubtful and not keys:
        why = "what it gives says where, not who: give a name or a key of its own"
        return MentionResolution(QUESTION, None, "", (), (*reasons, why), keys)
    why = "nobody bears " + ("these keys" if keys else "this name")
    return MentionResolution(NEW, None, "", (), (*reasons, why), keys)


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
