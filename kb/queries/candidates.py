"""``candidates [ENTITY]``: which entities may be one, each pair with its reasons. Decides nothing, and never acts.

A pair is offered where it shares a key; a name, and has the same type; or where the names are near and it shares
neighbours. Pairs that somebody judged do not come back: ``distinct_from``, or a decision about both that says so, such as
that a merge of them was undone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from kb.graph.contact_rules import is_shared_mailbox
from kb.graph.decided import are_judged_two
from kb.graph.graph import Entity, Graph
from kb.model.names import fold
from kb.queries.answers import Answer, EntityRef, Resolved, Viewer
from kb.queries.resolve import resolve_entity
from kb.queries.selection import DEFAULT_LIMIT
from kb.syntax.slugs import slugify

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

#: A name or a key that more bear says nothing of who is one with whom.
_MOST_BEARERS = 50
#: Of an entity with more neighbours, that two share it says little: nearly everybody does.
_MOST_NEIGHBORS = 200
#: How alike two names must be, out of 100.
_NEAR = 88
#: How alike two names must be to be looked at: an initial for a name costs more than a slip.
_LOOKED_AT = 55
#: Shared neighbours that a reason names.
_SHOWN = 3

_DIGITS = re.compile(r"\d+")


class Reason(NamedTuple):
    """Why two may be one."""

    kind: str  #: key, name, near-name, neighbors
    text: str


class CandidatePair(NamedTuple):
    """Two entities that may be one: the one of which more is stated comes first."""

    first: EntityRef
    second: EntityRef
    reasons: tuple[Reason, ...]


class _Found(NamedTuple):
    """Why a pair is offered, before it is shown."""

    keys: tuple[str, ...] = ()
    name: str = ""
    is_main_name: bool = False
    near: tuple[str, str, int] | None = None

    @property
    def weight(self) -> tuple[int, bool, int]:
        """What pairs are ordered by, best greatest."""
        near = self.near[2] if self.near else 0
        return len(self.keys), bool(self.name), 101 + self.is_main_name if self.name else near


def list_candidates(
    knowledge_base: "KnowledgeBase", entity: str | None = None, limit: int = DEFAULT_LIMIT
) -> Answer[tuple[CandidatePair, ...]]:
    """List the pairs that may be one, of an entity or of all, the likeliest first."""
    graph = knowledge_base.graph
    resolved: tuple[Resolved, ...] = ()
    only: frozenset[str] | None = None
    if entity is not None:
        resolved = (resolve_entity(graph, entity),)
        only = frozenset(ref.id for ref in resolved[0].entities)
    finder = _Finder(graph, only)
    ranked = finder.rank()
    shown = ranked[:limit] if limit > 0 else ranked
    viewer = Viewer(knowledge_base)
    notes = finder.notes()
    if shown:
        notes += ("kb merge SURVIVOR OTHER --why … if they are one, kb distinct … if not",)
    else:
        notes += ("nothing that could be one",)
    return Answer(
        "candidates",
        knowledge_base.revision,
        resolved,
        tuple(_shown(viewer, pair, found) for pair, found in shown),
        len(ranked),
        len(shown) < len(ranked),
        notes,
    )


def _shown(viewer: Viewer, pair: tuple[str, str], found: _Found) -> CandidatePair:
    graph = viewer.graph
    first, second = sorted(pair, key=lambda id: (-graph.count_about(id), id))
    return CandidatePair(
        viewer.entity(first),
        viewer.entity(second),
        tuple(_reasons(graph, first, second, found)),
    )


def _reasons(graph: Graph, first: str, second: str, found: _Found) -> Iterator[Reason]:
    for key in found.keys:
        is_shared = key.startswith("email:") and is_shared_mailbox(key)
        yield Reason("key", f"both bear {key}{' (a shared mailbox)' if is_shared else ''}")
    if found.name:
        yield Reason("name", f'both are called "{found.name}"')
    if found.near:
        one, other, score = found.near
        yield Reason("near-name", f'"{one}" and "{other}" are near ({score}%)')
    shared = sorted(set(graph.neighbors(first)) & set(graph.neighbors(second)))
    if shared:
        names = ", ".join(_told_apart(graph, shared[:_SHOWN]))
        more = f" and {len(shared) - _SHOWN} more" if len(shared) > _SHOWN else ""
        yield Reason("neighbors", f"both are next to {names}{more}")


def _told_apart(graph: Graph, ids: Sequence[str]) -> Iterator[str]:
    """Name entities, those of one name with their ids."""
    names = [graph.entities[id].name if id in graph.entities else id for id in ids]
    for id, name in zip(ids, names, strict=True):
        yield f"{name} ({id})" if names.count(name) > 1 else name


class _Finder:
    """Collects pairs, each with what speaks for it."""

    def __init__(self, graph: Graph, only: frozenset[str] | None) -> None:
        self.graph, self.only = graph, only
        self.found: dict[tuple[str, str], _Found] = {}
        self.left_out = 0

    def rank(self) -> list[tuple[tuple[str, str], _Found]]:
        """List the pairs that nobody judged, the likeliest first."""
        self._find_keys()
        self._find_names()
        self._find_near_names()
        pairs = [pair for pair in self.found if not are_judged_two(self.graph, *pair)]
        pairs.sort(key=lambda pair: ([-part for part in self.found[pair].weight], pair))
        return [(pair, self.found[pair]) for pair in pairs]

    def notes(self) -> tuple[str, ...]:
        """Say what was not looked at."""
        if not self.left_out:
            return ()
        return (f"{self.left_out} names or keys that more than {_MOST_BEARERS} bear say nothing",)

    def _pairs(self, bearers: Iterable[str]) -> Iterator[tuple[str, str]]:
        ids = sorted(set(bearers))
        if len(ids) > _MOST_BEARERS:
            self.left_out += 1
            return
        for pair in combinations(ids, 2):
            if self.only is None or not self.only.isdisjoint(pair):
                yield pair

    def _entities(self) -> Iterator[Entity]:
        if self.only is None:
            yield from self.graph.entities.values()
        else:
            yield from (self.graph.entities[id] for id in self.only if id in self.graph.entities)

    def _find_keys(self) -> None:
        keys = dict.fromkeys(key for one in self._entities() for key in one.normalized_keys)
        for key in keys:
            bearers = self.graph.bearers_of_key(key)
            if len(bearers) > 1:
                for pair in self._pairs(bearers):
                    known = self.found.get(pair, _Found())
                    self.found[pair] = known._replace(keys=(*known.keys, key))

    def _find_names(self) -> None:
        if self.only is None:
            names = self.graph.iter_names()
        else:
            own = sorted({fold(name) for one in self._entities() for name in one.names})
            names = ((name, self.graph.bearers_of_folded(name)) for name in own if name)
        entities = self.graph.entities
        for _, bearers in names:
            if len(bearers) < 2:
                continue
            for first, second in self._pairs(bearers):
                one, other = entities[first], entities[second]
                if one.type == other.type:
                    self._keep_name((first, second), one, other)

    def _keep_name(self, pair: tuple[str, str], one: Entity, other: Entity) -> None:
        known = self.found.get(pair, _Found())
        is_main = fold(one.name) == fold(other.name)
        if is_main or not known.name:
            theirs = set(map(fold, other.names))
            shared = next((name for name in one.names if fold(name) in theirs), one.name)
            name = one.name if is_main else shared
            self.found[pair] = known._replace(name=name, is_main_name=is_main)

    def _find_near_names(self) -> None:
        """Compare the names of those that share a neighbour: all others cannot be offered for a near name."""
        names = _Names(self.graph)
        if self.only is None:
            for id in self.graph.entities:
                others = self.graph.neighbors(id)
                if 1 < len(others) <= _MOST_NEIGHBORS:
                    self._compare(names, others, others)
            return
        for own in self.only:
            near = {
                other
                for neighbor in self.graph.neighbors(own)
                if len(others := self.graph.neighbors(neighbor)) <= _MOST_NEIGHBORS
                for other in others
                if other != own
            }
            self._compare(names, (own,), tuple(sorted(near)))

    def _compare(self, names: "_Names", asked: tuple[str, ...], others: tuple[str, ...]) -> None:
        for pair, near in names.iter_near(asked, others):
            known = self.found.get(pair, _Found())
            if not known.name and (known.near is None or near[2] > known.near[2]):
                self.found[pair] = known._replace(near=near)


class _Names:
    """The names of entities in the letters that comparing needs, each made once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._forms: dict[str, tuple[tuple[str, str], ...]] = {}
        self._types: dict[str, str | None] = {}
        self._compared: set[tuple[str, str]] = set()

    def iter_near(
        self, asked: tuple[str, ...], others: tuple[str, ...]
    ) -> Iterator[tuple[tuple[str, str], tuple[str, str, int]]]:
        """Yield the pairs of one type whose names are near: (name, other name, percent)."""
        from rapidfuzz import fuzz, process

        by_type: dict[str | None, list[tuple[str, str, str]]] = {}
        for id in others:
            for form, name in self._of(id):
                by_type.setdefault(self._types[id], []).append((form, name, id))
        for id in asked:
            forms = self._of(id)
            listed = by_type.get(self._types[id], [])
            if len(listed) < 2 and id in others:
                continue
            spellings = [form for form, _, _ in listed]
            for form, name in forms:
                close = process.extract(
                    form, spellings, scorer=fuzz.ratio, limit=None, score_cutoff=_LOOKED_AT
                )
                for _, score, index in close:
                    other_form, other_name, other = listed[index]
                    pair = (id, other) if id < other else (other, id)
                    if id == other or (id > other and other in asked):
                        continue
                    percent = _nearness(form, other_form, score)
                    if percent:
                        yield pair, (name, other_name, percent)

    def _of(self, id: str) -> tuple[tuple[str, str], ...]:
        known = self._forms.get(id)
        if known is None:
            entity = self.graph.entities.get(id)
            names = entity.names if entity and not entity.is_broken else ()
            known = tuple({_form(name): name for name in reversed(names)}.items())
            self._forms[id] = known
            self._types[id] = entity.type if entity else None
        return known


def _form(name: str) -> str:
    """Give a name in plain letters, its words sorted, so that their order does not matter."""
    return " ".join(sorted(slugify(name).split("-")))


def _nearness(one: str, other: str, score: float) -> int:
    """Say how near two forms are, 0 where they are not. Names that differ in a number are of different things."""
    if _DIGITS.findall(one) != _DIGITS.findall(other):
        return 0
    if score >= _NEAR:
        return int(score)
    return _NEAR if _is_initialed(one.split(), other.split()) else 0


def _is_initialed(one: list[str], other: list[str]) -> bool:
    """Say whether two names differ only in that one gives initials: ``D. Reyes`` and ``Dana Reyes``."""
    if len(one) != len(other) or len(one) < 2:
        return False
    left, right = list(one), list(other)
    for word in one:
        if len(word) > 1 and word in right:
            left.remove(word)
            right.remove(word)
    if not left or len(left) == len(one):
        return False
    return all(
        a == b or (1 in (len(a), len(b)) and a[0] == b[0]) for a, b in zip(left, right, strict=True)
    )
