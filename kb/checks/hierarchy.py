"""Relations that lead back to where they began."""

from collections import deque
from collections.abc import Iterator, Mapping

from kb.checks.material import Material
from kb.checks.places import object_place
from kb.diagnostics import Diagnostic, Span
from kb.graph.graph import Statement
from kb.graph.standing import is_current

#: What a subject's statements of one relation lead to.
_Edges = dict[str, dict[str, Statement]]


def check_self_relations(material: Material) -> Iterator[Diagnostic]:
    """Find entities that their own file relates to themselves; what a merge turned on itself is hidden instead."""
    for draft in material.iter_drafts():
        if draft.object is None or draft.object != draft.file.id or draft.line.is_retired:
            continue
        relation = draft.reading.relation
        is_hierarchy = relation is not None and relation.acyclic
        how = "stands above itself by" if is_hierarchy else "is related to itself by"
        span = material.span(draft.file.path, object_place(draft))
        message = f'"{draft.file.id}" {how} "{draft.reading.name}"'
        yield material.finding("KB220" if is_hierarchy else "KB217", draft.file.path, span, message)


def check_cycles(material: Material) -> Iterator[Diagnostic]:
    """Find circles in hierarchies, as they stand now. Of circles that share entities the shortest is told."""
    for edges in _hierarchies(material).values():
        for group in find_knots(edges):
            circle = _shortest_circle(edges, group)
            statements = [
                edges[one][other]
                for one, other in zip(circle, circle[1:] + circle[:1], strict=True)
            ]
            *others, last = sorted(statements, key=lambda statement: statement.ordinal)
            message = f'"{last.predicate}" leads in a circle: {" → ".join((*circle, circle[0]))}'
            related = tuple(_place(material, other) for other in others)
            yield material.finding("KB218", *_place(material, last), message, related=related)


def _hierarchies(material: Material) -> dict[str, _Edges]:
    """Gather the current statements of each relation that must not lead back."""
    words = material.vocabulary.relations
    found: dict[str, _Edges] = {}
    for statement in material.graph.iter_statements():
        word = words.get(statement.predicate)
        if word is None or not word.acyclic or statement.object is None:
            continue
        if statement.object != statement.subject and is_current(statement, material.now):
            edges = found.setdefault(statement.predicate, {})
            edges.setdefault(statement.subject, {}).setdefault(statement.object, statement)
    return found


def find_knots(edges: Mapping[str, Mapping[str, object]]) -> list[tuple[str, ...]]:
    """Find the groups of nodes that all lead to one another (Tarjan), without recursion."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: dict[str, None] = {}
    knots = []
    for root in sorted(edges):
        if root in order:
            continue
        order[root] = low[root] = len(order)
        open_nodes[root] = None
        trail = [(root, iter(edges[root]))]
        while trail:
            node, others = trail[-1]
            other = next(others, None)
            if other is not None and other not in order:
                order[other] = low[other] = len(order)
                open_nodes[other] = None
                trail.append((other, iter(edges.get(other, ()))))
            elif other is not None:
                if other in open_nodes:
                    low[node] = min(low[node], order[other])
            else:
                trail.pop()
                if trail:
                    low[trail[-1][0]] = min(low[trail[-1][0]], low[node])
                if low[node] == order[node]:
                    knot = _pop_through(open_nodes, node)
                    if len(knot) > 1:
                        knots.append(tuple(sorted(knot)))
    return knots


def _pop_through(open_nodes: dict[str, None], node: str) -> list[str]:
    popped = []
    while True:
        last, _ = open_nodes.popitem()
        popped.append(last)
        if last == node:
            return popped


def _shortest_circle(edges: _Edges, group: tuple[str, ...]) -> tuple[str, ...]:
    """Find a shortest way from the group's first node back to it."""
    start, inside = group[0], set(group)
    came_from: dict[str, str] = {}
    todo = deque([start])
    while todo:
        node = todo.popleft()
        for other in edges.get(node, ()):
            if other == start:
                circle = [node]
                while circle[-1] != start:
                    circle.append(came_from[circle[-1]])
                return tuple(reversed(circle))
            if other in inside and other not in came_from:
                came_from[other] = node
                todo.append(other)
    raise AssertionError("a knot leads back to each of its nodes")


def _place(material: Material, statement: Statement) -> tuple[str, Span]:
    return statement.path, material.span(statement.path, object_place(material.draft_of(statement)))
