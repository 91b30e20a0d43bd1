"""Which observations mention an entity: cited beside it, said by it, with it, linking to it, or holding its name."""

import re
from collections.abc import Iterator

from kb.graph.graph import Entity, Graph


def find_mentions(graph: Graph, entity: Entity) -> tuple[str, ...]:
    """List the observations that mention an entity, earliest first, undated ones last.

    A name counts only where no other entity bears it, and only as a whole word.
    """
    found = {id for statement in graph.about(entity.id) for id in statement.observations}
    for token in (entity.id, *entity.merged, *entity.normalized_keys):
        found.update(graph.involving(token))
    for name in _iter_own_names(graph, entity):
        pattern = re.compile(_whole_word(name))
        # A long word of the name is quickly looked for; the whole name is then looked for where that stands.
        for id, title, body in graph.iter_texts(max(name.split(), key=len)):
            if id not in found and (pattern.search(title) or pattern.search(body)):
                found.add(id)
    present = (graph.observations[id] for id in found if id in graph.observations)
    return tuple(
        one.id
        for one in sorted(
            present,
            key=lambda one: (
                one.happened_at is None,
                one.happened_at.first if one.happened_at else 0,
                one.id,
            ),
        )
    )


def _iter_own_names(graph: Graph, entity: Entity) -> Iterator[str]:
    for name in dict.fromkeys(entity.names):
        if len(name) > 1 and name.split() and graph.bearers_of_name(name) == (entity.id,):
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
