"""Who can have said something: people, by id, by key or by a plain name."""

from kb.graph.contact_rules import is_shared_mailbox
from kb.graph.graph import Graph
from kb.graph.keys import normalize_key


def may_be_person(graph: Graph, speaker: str) -> bool:
    """Say whether a text names a person, or may do so: what is untyped, or borne by nobody yet, may be one.

    What was merged is of its survivor's type.
    """
    vocabulary = graph.vocabulary
    id = graph.survivors.get(speaker, speaker)
    if id in graph.entities:
        return _is_of_person_type(graph, id)
    kind, _, value = speaker.partition(":")
    word = vocabulary.keys.get(kind)
    if word is None or not value:
        return bool(speaker.strip())
    bearers = graph.bearers_of_key(normalize_key(kind, value, vocabulary))
    if bearers:
        return any(_is_of_person_type(graph, bearer) for bearer in bearers)
    return vocabulary.admits(word.types, "person") and not is_shared_mailbox(value)


def _is_of_person_type(graph: Graph, id: str) -> bool:
    type = graph.entities[id].type
    known = graph.vocabulary.type_name(type) if type else None
    return graph.vocabulary.admits(("person",), known)
