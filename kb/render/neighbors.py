"""What ``neighbors`` found → text and JSON."""

from collections.abc import Iterator

from kb.queries.answers import Answer
from kb.queries.neighbors import Neighbor, NeighborGroup, Neighbors
from kb.render.counts import format_count
from kb.render.statements import (
    INDENT,
    Json,
    entity_as_json,
    group_as_json,
    names_shown,
    statement_as_json,
    statement_tail,
    type_shown,
    way_shown,
)


def text_lines(answer: Answer[Neighbors]) -> Iterator[str]:
    """Give a line for each neighbour under each predicate."""
    neighbors = answer.results
    entities = format_count(neighbors.entities, "linked entity")
    predicates = format_count(len(neighbors.groups), "predicate")
    yield f"{names_shown(answer.resolved[0])}: {entities} under {predicates}"
    for group in neighbors.groups:
        yield from _group_lines(group)


def _group_lines(group: NeighborGroup) -> Iterator[str]:
    for neighbor in group.neighbors:
        entity = neighbor.entity
        yield f"{way_shown(group)} {entity.name} [{type_shown(entity)}] {statement_tail(neighbor.statement)}"
    left = group.total - len(group.neighbors)
    if left:
        yield f"{INDENT}… {left} more under {group.predicate}"


def json_fields(answer: Answer[Neighbors]) -> Json:
    """Give the neighbours by predicate."""
    groups = [
        group_as_json(group, neighbors=map(neighbor_as_json, group.neighbors))
        for group in answer.results.groups
    ]
    return {"results": groups, "entities": answer.results.entities}


def neighbor_as_json(neighbor: Neighbor) -> Json:
    """Give a linked entity, and the statement that links it."""
    return {
        "entity": entity_as_json(neighbor.entity),
        "statement": statement_as_json(neighbor.statement),
    }
