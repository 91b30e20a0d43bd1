"""Which observations mention an entity: cited beside it, said by it, with it, linking to it, or holding its name."""

import re
from collections.abc import Iterator

from kb.graph.graph import Entity, Graph
from kb.graph.keys import normalize_key
from kb.graph.links import LinkResolver
from kb.model.observation import ObservationFile
from kb.syntax.observation_file import find_links


def find_mentions(graph: Graph, entity: Entity, links: LinkResolver) -> tuple[str, ...]:
    """List the observations that mention an entity, earliest first, undated ones last.

    A name counts only where no other entity bears it, and only as a whole word.
    """
    cited = {id for statement in graph.about(entity.id) for id in statement.observations}
    ids = {entity.id, *entity.merged}
    keys = set(entity.normalized_keys)
    pattern = _name_pattern(graph, entity)
    found = [
        observation
        for observation in graph.observations.values()
        if observation.id in cited
        or _takes_part(observation, ids, keys, graph)
        or _links_to(observation, ids, links)
        or (pattern is not None and _is_named(observation, pattern))
    ]
    return tuple(observation.id for observation in sorted(found, key=_in_order))


def _in_order(observation: ObservationFile) -> tuple[bool, int, str]:
    date = observation.happened_at
    return (date is None, date.first if date else 0, observation.id)


def _takes_part(observation: ObservationFile, ids: set[str], keys: set[str], graph: Graph) -> bool:
    people = (observation.said_by, *(participant.text for participant in observation.participants))
    return any(person in ids or _as_key(person, graph) in keys for person in people if person)


def _as_key(person: str, graph: Graph) -> str:
    kind, _, value = person.partition(":")
    return normalize_key(kind, value, graph.vocabulary) if value else ""


def _links_to(observation: ObservationFile, ids: set[str], links: LinkResolver) -> bool:
    return any(
        links.resolve(link, observation.path).id in ids for link in find_links(observation)
    ) or any(name.text in ids for name in observation.about)


def _is_named(observation: ObservationFile, pattern: re.Pattern[str]) -> bool:
    return (
        pattern.search(observation.title) is not None
        or pattern.search(observation.body) is not None
    )


def _name_pattern(graph: Graph, entity: Entity) -> re.Pattern[str] | None:
    names = sorted(_iter_own_names(graph, entity), key=len, reverse=True)
    if not names:
        return None
    return re.compile("|".join(_whole_word(name) for name in names))


def _iter_own_names(graph: Graph, entity: Entity) -> Iterator[str]:
    for name in entity.names:
        if len(name) > 1 and graph.bearers_of_name(name) == (entity.id,):
            yield name


def _whole_word(name: str) -> str:
    """Match a name that is no part of a longer word; scripts without spaces have no such bounds."""
    escaped = r"\s+".join(re.escape(word) for word in name.split())
    before = r"(?<!\w)" if _parts_words(name[0]) else ""
    after = r"(?!\w)" if _parts_words(name[-1]) else ""
    return f"{before}{escaped}{after}"


def _parts_words(char: str) -> bool:
    return (
        char.isalnum()
        and not "\u0e00" <= char <= "\u0eff"
        and not "\u2e80" <= char <= "\u9fff"
        and not ("\uf900" <= char <= "\ufaff" or char > "\U00020000")
    )
