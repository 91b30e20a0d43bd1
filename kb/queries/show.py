"""``show ENTITY``: what there is to know of an entity on one page."""

from typing import TYPE_CHECKING, NamedTuple

from kb.graph.decided import are_judged_two, find_standing
from kb.graph.graph import Entity, Graph, Observation, Statement
from kb.graph.mentions import find_mentions
from kb.graph.standing import is_current
from kb.queries.answers import Answer, EntityRef, StatementView, Viewer, unresolved_notes
from kb.queries.facts import recent_first
from kb.queries.neighbors import NeighborGroup, group_links, show_groups
from kb.queries.resolve import resolve_entity
from kb.queries.selection import (
    DEFAULT_LIMIT,
    EVERYTHING,
    Selection,
    Sieve,
    make_sieve,
)

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


class Mentions(NamedTuple):
    """How often an entity comes up in observations."""

    total: int
    first_seen: str | None  #: as the observation has it
    last_seen: str | None


class MergeCandidate(NamedTuple):
    """Another entity that may be the same."""

    entity: EntityRef
    reason: str


class DecisionRecord(NamedTuple):
    """A judgement on record about the entity."""

    observation: str
    decision: str
    date: str | None
    reason: str
    is_taken_back: bool  #: by another decision; of a merge the redirect says it


class Page(NamedTuple):
    """An entity's page."""

    entity: EntityRef
    headline: str
    path: str
    aliases: tuple[str, ...]
    keys: tuple[str, ...]
    merged: tuple[str, ...]  #: ids that read as this one
    description: str
    facts: tuple[StatementView, ...]
    total_facts: int
    relations: tuple[NeighborGroup, ...]
    mentions: Mentions
    observations: tuple[tuple[str, tuple[str, ...]], ...]  #: by kind
    contested: tuple[StatementView, ...]
    candidates: tuple[MergeCandidate, ...]
    decisions: tuple[DecisionRecord, ...]
    self_statements: int  #: hidden: a merge turned them on the entity itself
    is_broken: bool


def show(
    knowledge_base: "KnowledgeBase",
    entity: str,
    selection: Selection = EVERYTHING,
    limit: int = DEFAULT_LIMIT,
) -> Answer[tuple[Page, ...]]:
    """Show an entity; for a key that several bear, each of them."""
    graph = knowledge_base.graph
    resolved = resolve_entity(graph, entity)
    sieve = make_sieve(knowledge_base, selection)
    pages = [
        _page(knowledge_base, graph.entities[ref.id], sieve, limit) for ref in resolved.entities
    ]
    notes = (*sieve.notes(), *unresolved_notes(graph, (ref.id for ref in resolved.entities)))
    hidden = sum(page.self_statements for page in pages)
    if hidden:
        notes = (*notes, f"{hidden} hidden: a merge turned them on the entity itself")
    return Answer(
        "show",
        knowledge_base.revision,
        (resolved,),
        tuple(pages),
        len(pages),
        any(
            page.total_facts > len(page.facts)
            or any(group.total > len(group.neighbors) for group in page.relations)
            for page in pages
        ),
        notes,
    )


def _page(knowledge_base: "KnowledgeBase", entity: Entity, sieve: Sieve, limit: int) -> Page:
    graph = knowledge_base.graph
    viewer = Viewer(knowledge_base)
    kept = [statement for statement in graph.about(entity.id) if sieve.keeps(statement)]
    facts = sorted(
        (s for s in kept if not s.is_relation), key=lambda s: (s.predicate, *recent_first(s))
    )
    ranked = sorted(
        (viewer.statement(statement) for statement in facts),
        key=lambda view: (view.statement.predicate, not view.is_latest),
    )
    shown_facts = tuple(ranked[:limit] if limit > 0 else ranked)
    mentioned = [graph.observations[id] for id in find_mentions(graph, entity)]
    kinds: dict[str, list[str]] = {}
    for observation in mentioned:
        kinds.setdefault(observation.kind or "none", []).append(observation.id)
    return Page(
        entity=viewer.entity(entity.id),
        headline=_headline(entity, _standing(kept, sieve), viewer),
        path=entity.path,
        aliases=entity.aliases,
        keys=entity.keys,
        merged=entity.merged,
        description=_standing_value(entity, _standing(kept, sieve), "description", viewer)
        or entity.summary,
        facts=shown_facts,
        total_facts=len(facts),
        relations=show_groups(
            viewer,
            sorted(group_links(graph, ((entity.id, s) for s in kept)).items()),
            limit,
            lambda _, best: recent_first(best),
        ),
        mentions=_mentions(mentioned),
        observations=tuple((kind, tuple(ids)) for kind, ids in sorted(kinds.items())),
        contested=tuple(
            view
            for s in kept
            if (view := viewer.statement(s)).is_contested and s.subject == entity.id
        ),
        candidates=_candidates(viewer, entity),
        decisions=_decisions(graph, entity),
        self_statements=graph.hidden.get(entity.id, 0),
        is_broken=entity.is_broken,
    )


def _standing(kept: list[Statement], sieve: Sieve) -> list[Statement]:
    """What a headline may say: what held at the time asked for, else what is current, whatever else is shown."""
    return kept if sieve.at is not None else [s for s in kept if is_current(s, sieve.now)]


def _headline(entity: Entity, standing: list[Statement], viewer: Viewer) -> str:
    values = (_standing_value(entity, standing, word, viewer) for word in ("title", "role"))
    places = (
        _standing_value(entity, standing, word, viewer) for word in ("works-for", "member-of")
    )
    role, place = next(filter(None, values), None), next(filter(None, places), None)
    headline = f"{entity.name} — {role}" if role else entity.name
    return f"{headline} ({viewer.entity(place).name})" if place else headline


def _standing_value(
    entity: Entity, standing: list[Statement], predicate: str, viewer: Viewer
) -> str | None:
    """The value or object of a predicate: of a contest the latest said, else the most recent."""
    found = [s for s in standing if s.predicate == predicate and s.subject == entity.id]
    if not found:
        return None
    best = min(found, key=lambda s: (not viewer.statement(s).is_latest, recent_first(s)))
    return best.value if best.object is None else best.object


def _mentions(observations: list[Observation]) -> Mentions:
    dates = [
        observation.happened_at.text for observation in observations if observation.happened_at
    ]
    return Mentions(len(observations), dates[0] if dates else None, dates[-1] if dates else None)


def _candidates(viewer: Viewer, entity: Entity) -> tuple[MergeCandidate, ...]:
    """Entities that share a key or a name and were not judged distinct."""
    graph = viewer.graph
    reasons: dict[str, str] = {}
    for key in entity.normalized_keys:
        for other in graph.bearers_of_key(key):
            reasons.setdefault(other, f"shares the key {key}")
    for name in entity.names:
        for other in graph.bearers_of_name(name):
            if graph.entities[other].type == entity.type:
                reasons.setdefault(other, f'shares the name "{name}"')
    return tuple(
        MergeCandidate(viewer.entity(other), reason)
        for other, reason in sorted(reasons.items())
        if other != entity.id and not are_judged_two(graph, entity.id, other)
    )


def _decisions(graph: Graph, entity: Entity) -> tuple[DecisionRecord, ...]:
    ids = {entity.id, *entity.merged}
    named = {observation for id in ids for observation in graph.involving(id)}
    found = [
        observation
        for observation in (graph.observations[id] for id in named)
        if observation.decision and not ids.isdisjoint(observation.about)
    ]
    found.sort(
        key=lambda observation: (
            observation.happened_at is None,
            observation.happened_at.first if observation.happened_at else 0,
            observation.id,
        )
    )
    standing = find_standing(graph, found)
    return tuple(
        DecisionRecord(
            observation.id,
            observation.decision,
            observation.happened_at.text if observation.happened_at else None,
            " ".join(graph.body_of(observation.id).split()),
            observation.decision != "merge" and observation.id not in standing,
        )
        for observation in found
    )
