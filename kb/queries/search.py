"""``search TEXT``: full text over entities and observations, with what mentions an entity and its relations."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from kb.errors import UsageError
from kb.graph.graph import Statement
from kb.index.documents import Document, Documents
from kb.index.lookup import Lookup
from kb.index.opening import ask_index
from kb.index.question import Question, Unit, read_question
from kb.index.words import Analyzer
from kb.queries.answers import Answer, EntityRef, StatementView, Viewer
from kb.queries.excerpts import Excerpt, cut_excerpt, holds_any
from kb.queries.resolve import resolve_entity
from kb.queries.search_scope import Reach, find_reach, keep_near, make_filter
from kb.queries.selection import (
    DEFAULT_LIMIT,
    EVERYTHING,
    Selection,
)

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

_MOST_STATEMENTS = 3
_MOST_READ = 500  #: statements of an entity that are read for words


class ObservationRef(NamedTuple):
    """An observation where it is named in an answer."""

    id: str
    kind: str
    title: str


class ScorePart(NamedTuple):
    """What one word or phrase adds to a score."""

    written: str
    score: float


class Hit(NamedTuple):
    """An entity or an observation that was found."""

    entity: EntityRef | None
    observation: ObservationRef | None
    date: str | None  #: when it happened, as written
    score: float
    excerpt: Excerpt
    statements: tuple[
        StatementView, ...
    ]  #: of an entity, those with the words; of an observation, some that cite it
    parts: tuple[ScorePart, ...] = ()  #: with ``explain``
    factor: float = 1.0  #: by hops from the entity asked for
    via: tuple[StatementView, ...] = ()  #: the relations followed
    share: float = 1.0  #: of what was asked for, of a weak hit


class Search(NamedTuple):
    """What was found."""

    hits: tuple[Hit, ...]
    is_weak: bool  #: nothing holds all that was asked for; these hold some of it
    nowhere: tuple[str, ...]  #: words that occur nowhere, where nothing holds all
    is_explained: bool
    warnings: tuple[str, ...] = ()  #: about the index, not about the answer


def search(
    knowledge_base: "KnowledgeBase",
    text: str,
    entity: str | None = None,
    expand: bool = False,
    kind: str | None = None,
    selection: Selection = EVERYTHING,
    limit: int = DEFAULT_LIMIT,
    explain: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Answer[Search]:
    """Find what a text asks for, best first. ``expand`` needs an entity; ``limit`` 0 gives all."""
    analyzer = Analyzer()
    question = read_question(text, analyzer)
    if expand and entity is None:
        raise UsageError(
            "--expand goes from an entity to those related to it", "add --entity ENTITY"
        )
    graph = knowledge_base.graph
    resolved = resolve_entity(graph, entity) if entity is not None else None
    keeps = make_filter(knowledge_base, kind, selection)
    documents = Documents(knowledge_base.graph)
    reach = find_reach(knowledge_base, resolved, expand) if resolved else None

    def narrow(scores: Mapping[str, float]) -> dict[str, tuple[float, Reach]]:
        if keeps is not None:
            scores = {key: score for key, score in scores.items() if keeps(documents[key])}
        return keep_near(knowledge_base, scores, documents, reach)

    def ask(lookup: Lookup) -> _Ranking:
        return _rank(lookup, question, narrow, limit, explain)

    ranking, warnings = ask_index(knowledge_base.root, documents, ask, progress)
    viewer = Viewer(knowledge_base)
    hits = tuple(
        _hit(viewer, documents[key], *ranking.found[key], question.units, analyzer)._replace(
            parts=ranking.parts.get(key, ()),
            share=ranking.weak.shares.get(key, 1.0) if ranking.is_weak else 1.0,
        )
        for key in ranking.shown
    )
    return Answer(
        "search",
        knowledge_base.revision,
        (resolved,) if resolved else (),
        Search(hits, ranking.is_weak, ranking.weak.nowhere, explain, warnings),
        len(ranking.found),
        len(ranking.shown) < len(ranking.found),
        _notes(question, ranking),
    )


class _Weak(NamedTuple):
    """What holds some of what was asked for."""

    scores: Mapping[str, float]
    shares: Mapping[str, float]
    nowhere: tuple[str, ...] = ()


class _Ranking(NamedTuple):
    """What the index says, narrowed and put in order."""

    found: Mapping[str, tuple[float, Reach]]
    shown: tuple[str, ...]
    weak: _Weak
    is_weak: bool
    is_cut: bool
    parts: Mapping[str, tuple[ScorePart, ...]]


def _rank(
    lookup: Lookup,
    question: Question,
    narrow: Callable[[Mapping[str, float]], dict[str, tuple[float, Reach]]],
    limit: int,
    explain: bool,
) -> _Ranking:
    """Look up what holds everything; where nothing does, what holds some of it."""
    found = narrow(lookup.find(question))
    weak, is_weak = _Weak({}, {}), False
    if not found:
        weak = _find_weak(lookup, question)
        found = narrow(weak.scores) if len(question.clauses) > 1 else {}
        is_weak = bool(found)
    ranked = sorted(found, key=lambda key: (-found[key][0], key))
    shown = tuple(ranked[:limit] if limit > 0 else ranked)
    parts = _explain(lookup, question, shown) if explain else {}
    return _Ranking(found, shown, weak, is_weak, lookup.is_cut, parts)


# -- where nothing holds all, and why something is where it is -------------------------------------------------------


def _find_weak(lookup: Lookup, question: Question) -> _Weak:
    """Find what holds some clauses, scored by how many; name what occurs nowhere."""
    scores: dict[str, float] = {}
    counts: dict[str, int] = {}
    nowhere = []
    for clause in question.clauses:
        best: dict[str, float] = {}
        for unit in clause:
            found = lookup.find_unit(unit)
            if not found:
                nowhere.append(unit.written)
            for key, score in found.items():
                best[key] = max(score, best.get(key, 0.0))
        for key, score in best.items():
            scores[key] = scores.get(key, 0.0) + score
            counts[key] = counts.get(key, 0) + 1
    for unit in question.unwanted:
        for key in lookup.find_unit(unit):
            scores.pop(key, None)
    shares = {key: counts[key] / len(question.clauses) for key in scores}
    weighed = {key: score * shares[key] for key, score in scores.items()}
    return _Weak(weighed, shares, tuple(dict.fromkeys(nowhere)))


def _explain(
    lookup: Lookup, question: Question, keys: tuple[str, ...]
) -> dict[str, tuple[ScorePart, ...]]:
    parts: dict[str, list[ScorePart]] = {key: [] for key in keys}
    for unit in question.units:
        for key, score in lookup.score_of(unit, keys).items():
            parts[key].append(ScorePart(unit.written, score))
    return {key: tuple(found) for key, found in parts.items()}


def _notes(question: Question, ranking: _Ranking) -> tuple[str, ...]:
    notes = []
    if ranking.is_weak:
        count = len(question.clauses)
        notes.append(f"nothing holds all {count} of what was asked for; these hold some of it")
    elif not ranking.found:
        notes.append("nothing found")
    if ranking.weak.nowhere:
        notes.append("occurs nowhere: " + ", ".join(f'"{word}"' for word in ranking.weak.nowhere))
    if ranking.is_cut:
        notes.append("a beginning with very many endings was looked up in part: write more of it")
    return tuple(notes)


# -- one hit ---------------------------------------------------------------------------------------------------------


def _hit(
    viewer: Viewer,
    document: Document,
    score: float,
    reach: Reach,
    units: tuple[Unit, ...],
    analyzer: Analyzer,
) -> Hit:
    graph = viewer.graph
    date = None
    observation = None
    about = graph.about(document.id) if document.is_entity else graph.citing(document.id)
    standing = [one for one in about[:_MOST_READ] if not one.is_retired]
    statements = [one for one in standing if holds_any(_said(one), units, analyzer)]
    if not document.is_entity:
        source = graph.observations[document.id]
        observation = ObservationRef(source.id, source.kind, source.title)
        date = source.happened_at.text if source.happened_at else None
        speaking = {one.ordinal for one in statements}
        statements += [one for one in standing if one.ordinal not in speaking]
    return Hit(
        entity=viewer.entity(document.id) if document.is_entity else None,
        observation=observation,
        date=date,
        score=score,
        excerpt=cut_excerpt(document.body, units, analyzer),
        statements=tuple(viewer.statement(one) for one in statements[:_MOST_STATEMENTS]),
        factor=reach.factor,
        via=tuple(viewer.statement(one) for one in reach.via),
    )


def _said(statement: Statement) -> str:
    return f"{statement.value or ''}\n{statement.note or ''}"
