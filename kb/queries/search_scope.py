"""Which hits of a search are kept: by kind, type, time and source, and by nearness to an entity."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from kb.errors import UsageError
from kb.graph.graph import Graph, Statement
from kb.graph.mentions import find_mentions
from kb.graph.standing import is_current
from kb.index.documents import Document
from kb.model.time import Date, TimeSpan, overlaps_window
from kb.queries.answers import Resolved
from kb.queries.selection import EVERYTHING, Selection, read_source, read_type, read_window

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

#: How much a hit counts by the hops from the entity asked for.
_FACTORS = (1.0, 0.7, 0.4)
ENTITY, OBSERVATION = "entity", "observation"


class Reach(NamedTuple):
    """How an entity was come to."""

    factor: float
    via: tuple[Statement, ...] = ()


# -- what is kept ----------------------------------------------------------------------------------------------------


def make_filter(
    knowledge_base: "KnowledgeBase", kind: str | None, selection: Selection
) -> Callable[[Document], bool] | None:
    """Read the filters' arguments; ``None`` where there is none."""
    if kind is None and selection == EVERYTHING:
        return None
    graph = knowledge_base.graph
    since, until = read_window(selection.since, selection.until)
    type, source = read_type(graph, selection.type), read_source(graph, selection.source)
    _check_kind(graph, kind)

    def keeps(document: Document) -> bool:
        if document.is_entity:
            entity = graph.entities.get(document.id)
            return (
                entity is not None
                and kind in (None, ENTITY)
                and (type is None or graph.vocabulary.is_kind_of(entity.type, type))
                and _has_statement(graph, document.id, since, until, source)
            )
        observation = graph.observations[document.id]
        return (
            type is None
            and kind in (None, OBSERVATION, observation.kind)
            and source in (None, observation.id, observation.kind)
            and _is_in_window(observation.happened_at, since, until)
        )

    return keeps


def _check_kind(graph: Graph, kind: str | None) -> None:
    known = {*graph.kinds, ENTITY, OBSERVATION}
    if kind is not None and kind not in known:
        raise UsageError(f'--kind: there is no kind "{kind}"', f"kinds: {', '.join(sorted(known))}")


def _is_in_window(date: Date | None, since: Date | None, until: Date | None) -> bool:
    span = TimeSpan(date.first, date.after) if date else None
    return overlaps_window(None, since, until, span)


def _has_statement(
    graph: Graph, id: str, since: Date | None, until: Date | None, source: str | None
) -> bool:
    """Say whether an entity has a statement in the window that rests on the source; no filter asks for none."""
    if since is None and until is None and source is None:
        return True
    return any(
        not statement.is_retired
        and overlaps_window(statement.interval, since, until, statement.witnessed)
        and (source is None or _rests_on(graph, statement, source))
        for statement in graph.about(id)
    )


def _rests_on(graph: Graph, statement: Statement, source: str) -> bool:
    return any(
        source == id or (id in graph.observations and graph.observations[id].kind == source)
        for id in statement.observations
    )


# -- near an entity --------------------------------------------------------------------------------------------------


def find_reach(
    knowledge_base: "KnowledgeBase", resolved: Resolved, expand: bool
) -> dict[str, Reach]:
    """Find the entities whose mentions count: those asked for, and what they lead to over relations that expand."""
    reached = {ref.id: Reach(_FACTORS[0]) for ref in resolved.entities}
    edge = list(reached)
    for factor in _FACTORS[1:] if expand else ():
        further = []
        for id in edge:
            for statement in knowledge_base.graph.about(id):
                other = statement.other_end(id)
                if other is None or other in reached or not _expands(knowledge_base, statement, id):
                    continue
                reached[other] = Reach(factor, (*reached[id].via, statement))
                further.append(other)
        edge = further
    return reached


def _expands(knowledge_base: "KnowledgeBase", statement: Statement, id: str) -> bool:
    word = knowledge_base.vocabulary.relations.get(statement.predicate)
    if word is None or not is_current(statement, knowledge_base.now):
        return False
    if word.symmetric:
        return word.expand or word.expand_inverse
    return word.expand if statement.subject == id else word.expand_inverse


def keep_near(
    knowledge_base: "KnowledgeBase",
    scores: Mapping[str, float],
    documents: Mapping[str, Document],
    reach: Mapping[str, Reach] | None,
) -> dict[str, tuple[float, Reach]]:
    """Keep what mentions an entity in reach, or is it, or is linked to it; the nearest counts."""
    if reach is None:
        everywhere = Reach(1.0)
        return {key: (score, everywhere) for key, score in scores.items()}
    graph = knowledge_base.graph
    hits = {documents[key].id: key for key in scores if not documents[key].is_entity}
    near: dict[str, tuple[float, Reach]] = {}
    for id, how in reach.items():  # the nearest come first
        entity = graph.entities.get(id)
        if entity is None:
            continue
        keys = [hits[one] for one in find_mentions(graph, entity) if one in hits]
        keys += [f"e:{one}" for one in (id, *graph.neighbors(id), *_linking(graph, scores, id))]
        for key in keys:
            if key in scores and key not in near:
                near[key] = (scores[key] * how.factor, how)
    return near


def _linking(graph: Graph, scores: Mapping[str, float], id: str) -> Iterable[str]:
    """List the entities among the hits whose free text links to one, or that its own links."""
    yield from graph.entities[id].links
    for key in scores:
        other = graph.entities.get(key[2:]) if key.startswith("e:") else None
        if other is not None and id in other.links:
            yield other.id
