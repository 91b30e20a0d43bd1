"""``search TEXT``: full text over entities and observations, with what mentions an entity and its relations."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from kb.errors import UsageError
from kb.graph.graph import Graph, Statement
from kb.graph.mentions import find_mentions
from kb.graph.standing import is_current
from kb.index.documents import Document, list_documents
from kb.index.lookup import Lookup
from kb.index.opening import OpenIndex, ask_index, open_index
from kb.index.question import Question, Unit, read_question
from kb.index.words import Analyzer
from kb.knowledge_base import KnowledgeBase
from kb.model.time import Date, TimeSpan, overlaps_window
from kb.queries.answers import Answer, EntityRef, Resolved, StatementView, Viewer
from kb.queries.excerpts import Excerpt, cut_excerpt, holds_any
from kb.queries.resolve import resolve_entity
from kb.queries.selection import (
    DEFAULT_LIMIT,
    EVERYTHING,
    Selection,
    read_source,
    read_type,
    read_window,
)

#: How much a hit counts by the hops from the entity asked for.
_FACTORS = (1.0, 0.7, 0.4)
_MOST_STATEMENTS = 3
_MOST_READ = 500  #: statements of an entity that are read for words

ENTITY, OBSERVATION = "entity", "observation"


@dataclass(frozen=True, slots=True)
class ObservationRef:
    """An observation where it is named in an answer."""

    id: str
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class ScorePart:
    """What one word or phrase adds to a score."""

    written: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
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


@dataclass(frozen=True, slots=True)
class Search:
    """What was found."""

    hits: tuple[Hit, ...]
    is_weak: bool  #: nothing holds all that was asked for; these hold some of it
    nowhere: tuple[str, ...]  #: words that occur nowhere, where nothing holds all
    is_explained: bool
    warnings: tuple[str, ...] = ()  #: about the index, not about the answer


@dataclass(frozen=True, slots=True)
class _Reach:
    """How an entity was come to."""

    factor: float
    via: tuple[Statement, ...] = ()


def search(
    knowledge_base: KnowledgeBase,
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
    keeps = _make_filter(knowledge_base, kind, selection)
    documents = list_documents(knowledge_base.corpus, knowledge_base.resolution)
    reach = _reach(knowledge_base, resolved, expand) if resolved else None

    def narrow(scores: Mapping[str, float]) -> dict[str, tuple[float, _Reach]]:
        kept = {
            key: score
            for key, score in scores.items()
            if key in documents and keeps(documents[key])
        }
        return _near(knowledge_base, kept, documents, reach)

    def ask(lookup: Lookup) -> _Ranking:
        return _rank(lookup, question, narrow, limit, explain)

    ranking, warnings = ask_index(knowledge_base.root, documents, ask, progress)
    viewer = Viewer(knowledge_base)
    hits = tuple(
        replace(
            _hit(viewer, documents[key], *ranking.found[key], question.units, analyzer),
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


@dataclass(frozen=True, slots=True)
class _Weak:
    """What holds some of what was asked for."""

    scores: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    nowhere: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What the index says, narrowed and put in order."""

    found: Mapping[str, tuple[float, _Reach]]
    shown: tuple[str, ...]
    weak: _Weak
    is_weak: bool
    is_cut: bool
    parts: Mapping[str, tuple[ScorePart, ...]]


def _rank(
    lookup: Lookup,
    question: Question,
    narrow: Callable[[Mapping[str, float]], dict[str, tuple[float, _Reach]]],
    limit: int,
    explain: bool,
) -> _Ranking:
    """Look up what holds everything; where nothing does, what holds some of it."""
    found = narrow(lookup.find(question))
    weak, is_weak = _Weak(), False
    if not found:
        weak = _find_weak(lookup, question)
        found = narrow(weak.scores) if len(question.clauses) > 1 else {}
        is_weak = bool(found)
    ranked = sorted(found, key=lambda key: (-found[key][0], key))
    shown = tuple(ranked[:limit] if limit > 0 else ranked)
    parts = _explain(lookup, question, shown) if explain else {}
    return _Ranking(found, shown, weak, is_weak, lookup.is_cut, parts)


def rebuild_index(
    knowledge_base: KnowledgeBase,
    is_anew: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> OpenIndex:
    """Bring the index up to date, or write all of it anew."""
    documents = list_documents(knowledge_base.corpus, knowledge_base.resolution)
    return open_index(knowledge_base.root, documents, progress, is_anew=is_anew)


# -- what is kept ----------------------------------------------------------------------------------------------------


def _make_filter(
    knowledge_base: KnowledgeBase, kind: str | None, selection: Selection
) -> Callable[[Document], bool]:
    """Read the filters' arguments."""
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
    known = {one.kind for one in graph.observations.values() if one.kind} | {ENTITY, OBSERVATION}
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


def _reach(knowledge_base: KnowledgeBase, resolved: Resolved, expand: bool) -> dict[str, _Reach]:
    """Find the entities whose mentions count: those asked for, and what they lead to over relations that expand."""
    reached = {ref.id: _Reach(_FACTORS[0]) for ref in resolved.entities}
    edge = list(reached)
    for factor in _FACTORS[1:] if expand else ():
        further = []
        for id in edge:
            for statement in knowledge_base.graph.about(id):
                other = statement.other_end(id)
                if other is None or other in reached or not _expands(knowledge_base, statement, id):
                    continue
                reached[other] = _Reach(factor, (*reached[id].via, statement))
                further.append(other)
        edge = further
    return reached


def _expands(knowledge_base: KnowledgeBase, statement: Statement, id: str) -> bool:
    word = knowledge_base.vocabulary.relations.get(statement.predicate)
    if word is None or not is_current(statement, knowledge_base.now):
        return False
    if word.symmetric:
        return word.expand or word.expand_inverse
    return word.expand if statement.subject == id else word.expand_inverse


def _near(
    knowledge_base: KnowledgeBase,
    scores: Mapping[str, float],
    documents: Mapping[str, Document],
    reach: Mapping[str, _Reach] | None,
) -> dict[str, tuple[float, _Reach]]:
    """Keep what mentions an entity in reach, or is it, or is linked to it; the nearest counts."""
    if reach is None:
        return {key: (score, _Reach(1.0)) for key, score in scores.items()}
    graph = knowledge_base.graph
    hits = {documents[key].id: key for key in scores if not documents[key].is_entity}
    among = replace(graph, observations={id: graph.observations[id] for id in hits})
    near: dict[str, tuple[float, _Reach]] = {}
    for id, how in reach.items():  # the nearest come first
        entity = graph.entities.get(id)
        if entity is None:
            continue
        keys = [hits[one] for one in find_mentions(among, entity, knowledge_base.resolution.links)]
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
    wanted = set(keys)
    parts: dict[str, list[ScorePart]] = {key: [] for key in keys}
    for unit in question.units:
        for key, score in lookup.find_unit(unit).items():
            if key in wanted:
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
    reach: _Reach,
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
