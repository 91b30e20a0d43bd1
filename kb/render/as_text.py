"""Results → text for a terminal: the answer first, each statement with its id and observations."""

from collections.abc import Iterator

from kb.model.time import render_time
from kb.model.vocabulary import RelationWord, StatementClass, Vocabulary
from kb.queries.answers import Answer, EntityRef, Resolved, StatementView
from kb.queries.facts import Facts
from kb.queries.find import Match
from kb.queries.neighbors import NeighborGroup, Neighbors
from kb.queries.paths import Path, Paths, Step
from kb.queries.relations import Relations
from kb.queries.search import Search
from kb.queries.show import Page
from kb.queries.show_observation import SourcePage
from kb.queries.stats import Stats
from kb.queries.timeline import Timeline
from kb.render.counts import format_count
from kb.render.search import search_lines
from kb.render.terminal import escape_terminal

_MOST_OTHERS = 5
_INDENT = "  "


def render_text(answer: Answer[object], is_bold: bool = False) -> str:
    """Render an answer. What files say is escaped, so that it cannot steer the terminal; ``is_bold`` marks what was searched."""
    if isinstance(answer.results, Search):
        results = search_lines(answer.results, answer.total or 0, is_bold)
    else:
        results = map(escape_terminal, _results(answer))
    around = (*_cut(answer), *(f"({note})" for note in answer.notes))
    return "\n".join(
        (*map(escape_terminal, _resolutions(answer)), *results, *map(escape_terminal, around))
    )


def _results(answer: Answer[object]) -> Iterator[str]:
    match answer.results:
        case Facts() as facts:
            yield from _facts(answer, facts)
        case Neighbors() as neighbors:
            yield from _neighbors(answer, neighbors)
        case Relations() as relations:
            yield from _relations(answer, relations)
        case Paths() as paths:
            yield from _paths(answer, paths)
        case Timeline() as timeline:
            yield from _timeline(answer, timeline)
        case SourcePage() as source:
            yield from _source_page(source)
        case Stats() as stats:
            yield from _stats(stats)
        case Vocabulary() as words:
            yield from _vocabulary(words)
        case (Page(), *_) as pages:
            for index, page in enumerate(pages):
                if index:
                    yield ""
                if isinstance(page, Page):
                    yield from _page(page)
        case tuple() as matches:
            for resolved in answer.resolved:
                yield f"best match: {resolved.entities[0].name} ({resolved.entities[0].id})"
            for match in matches:
                if isinstance(match, Match):
                    yield _match(match)
        case other:
            raise TypeError(f"no text for {type(other).__name__}")


# -- what every answer shares ----------------------------------------------------------------------------------------


def _resolutions(answer: Answer[object]) -> Iterator[str]:
    """Say what an argument was read as, wherever that is more than its own id."""
    for resolved in answer.resolved:
        if answer.query != "find" and (
            resolved.argument != resolved.entities[0].id or resolved.others
        ):
            yield _resolution(resolved)


def _resolution(resolved: Resolved) -> str:
    first = resolved.entities[0]
    if resolved.merged_from:
        return f'"{resolved.argument}" was merged into {first.name} ({first.id})'
    line = f'"{resolved.argument}" = ' + " and ".join(
        f"{entity.name} ({_kind(entity)}, {entity.id})"
        if len(resolved.entities) > 1
        else _counted(entity, resolved)
        for entity in resolved.entities
    )
    if resolved.others:
        shown = [
            f"{other.entity.name} ({_kind(other.entity)}, {format_count(other.statements, 'statement')}, {other.entity.id})"
            for other in resolved.others[:_MOST_OTHERS]
        ]
        rest = resolved.total_others - len(shown)
        line += f"; other matches: {', '.join(shown)}{f', … {rest} more' if rest else ''}. Pass an id to choose another."
    return line


def _counted(entity: EntityRef, resolved: Resolved) -> str:
    return f"{entity.name} ({_kind(entity)}, {format_count(resolved.statements, 'statement')})"


def _cut(answer: Answer[object]) -> Iterator[str]:
    if answer.truncated and not isinstance(answer.results, Timeline | Paths):
        total = f" of {answer.total}" if answer.total is not None else ""
        yield f"(cut{total}; pass --limit 0 for all)"


def _kind(entity: EntityRef) -> str:
    return entity.type or "untyped"


def _names(resolved: Resolved) -> str:
    return " and ".join(f"{entity.name} ({_kind(entity)})" for entity in resolved.entities)


def statement_tail(view: StatementView) -> str:
    """Say when, how sure, what kind of knowledge, and where it stands: ``(2015 → now) 90% ^id src: …``."""
    statement = view.statement
    pieces = [f"({render_time(statement.interval)})"]
    if statement.confidence is not None:
        pieces.append(f"{statement.confidence}%")
    pieces += [f"[{mark}]" for mark in _marks(view)]
    pieces.append(f"^{statement.id}")
    pieces.append(
        "src: " + (", ".join(statement.observations) if statement.observations else "none")
    )
    return " ".join(pieces)


def _marks(view: StatementView) -> Iterator[str]:
    statement = view.statement
    if statement.klass not in (StatementClass.PLAIN, StatementClass.ESTABLISHED):
        yield statement.klass.value
    if statement.auto:
        yield f"auto-{statement.auto}"
    if view.is_contested:
        yield "contested, latest" if view.is_latest else "contested"
    if statement.retracted:
        yield "retracted"
    if statement.superseded_by:
        yield f"superseded by ^{statement.superseded_by}"
    if statement.by:
        yield f"by {statement.by}"


def _note(view: StatementView) -> str:
    return f" — {view.statement.note}" if view.statement.note else ""


def _far_end(view: StatementView, entity_ids: tuple[str, ...]) -> str:
    statement = view.statement
    if view.object is None:
        return statement.value or ""
    return view.object.name if statement.subject in entity_ids else view.subject.name


# -- one renderer per result -----------------------------------------------------------------------------------------


def _match(match: Match) -> str:
    entity = match.entity
    names = f" · also {', '.join(match.names)}" if match.names else ""
    keys = f" · {', '.join(match.keys)}" if match.keys else ""
    return f"{entity.id}  {entity.name} ({_kind(entity)}, {format_count(match.statements, 'statement')}) by {match.tier}{names}{keys}"


def _heading(predicate: str, direction: str, total: int) -> str:
    return f"{predicate} → ({total})" if direction == "out" else f"← {predicate} ({total})"


def _facts(answer: Answer[object], facts: Facts) -> Iterator[str]:
    resolved = answer.resolved[0]
    matched = f", {facts.matched} match the filter" if facts.is_filtered else ""
    yield f"{_names(resolved)} · {format_count(facts.statements, 'statement')}{matched}"
    ids = tuple(entity.id for entity in resolved.entities)
    for group in facts.groups:
        yield ""
        yield f"## {_heading(group.predicate, group.direction, group.total)}"
        for view in group.statements:
            yield f"- {_far_end(view, ids)} {statement_tail(view)}{_note(view)}"
            yield from (f"{_INDENT}{sub.name}: {sub.text}" for sub in view.statement.sub_items)


def _neighbors(answer: Answer[object], neighbors: Neighbors) -> Iterator[str]:
    resolved = answer.resolved[0]
    entities = format_count(neighbors.entities, "linked entity")
    yield f"{_names(resolved)}: {entities} under {format_count(len(neighbors.groups), 'predicate')}"
    for group in neighbors.groups:
        yield from _group_lines(group)


def _group_lines(group: NeighborGroup) -> Iterator[str]:
    for neighbor in group.neighbors:
        way = f"{group.predicate} →" if group.direction == "out" else f"← {group.predicate}"
        yield f"{way} {neighbor.entity.name} [{_kind(neighbor.entity)}] {statement_tail(neighbor.statement)}"
    left = group.total - len(group.neighbors)
    if left:
        yield f"{_INDENT}… {left} more under {group.predicate}"


def _triple(view: StatementView) -> str:
    goal = view.object.name if view.object else view.statement.value
    return f"{view.subject.name} —{view.statement.predicate}→ {goal} {statement_tail(view)}{_note(view)}"


def _relations(answer: Answer[object], relations: Relations) -> Iterator[str]:
    if answer.resolved:
        yield f"{_names(answer.resolved[0])}: {format_count(answer.total or 0, 'relation')}"
    else:
        yield format_count(answer.total or 0, "relation")
    yield from (_triple(view) for view in (*relations.relations, *relations.inverse_relations))


def _paths(answer: Answer[object], paths: Paths) -> Iterator[str]:
    first, last = (resolved.entities[0].name for resolved in answer.resolved)
    reach = f"up to {format_count(paths.max_hops, 'hop')}"
    if not paths.paths:
        yield f"no path between {first} and {last} ({reach})"
    else:
        order = ", shortest first" if len(paths.paths) > 1 else ""
        more = "; there are more (--limit 0 for all)" if paths.more else ""
        yield f"{format_count(len(paths.paths), 'path')} between {first} and {last} ({reach}{order}{more})"
    for number, path in enumerate(paths.paths, 1):
        yield f"{number}. {_walk(path)}"
    if paths.hubs:
        names = ", ".join(f"{hub.name} ({hub.id})" for hub in paths.hubs)
        yield f"(not walked through, since they are hubs: {names}; see --hub-degree)"


def _walk(path: Path) -> str:
    return "; ".join(
        _step(step, path.nodes[index], path.nodes[index + 1])
        for index, step in enumerate(path.steps)
    )


def _step(step: Step, here: EntityRef, there: EntityRef) -> str:
    predicate = step.statement.statement.predicate
    arrow = f"—{predicate}→" if step.walked == "out" else f"←{predicate}—"
    return f"{here.name} {arrow} {there.name} {statement_tail(step.statement)}"


def _timeline(answer: Answer[object], timeline: Timeline) -> Iterator[str]:
    moments = timeline.moments
    header = f"{format_count(timeline.dated, 'dated statement')}"
    if moments:
        header += f", {format_count(len(moments), 'moment')} shown from {moments[0].date.text} to {moments[-1].date.text}"
    if answer.truncated:
        header += f" of {answer.total} (pass --since/--until or --limit 0 for the rest)"
    if timeline.undated:
        header += f"; {format_count(timeline.undated, 'undated one')} omitted (facts has them)"
    yield header
    for moment in moments:
        view = moment.statement
        goal = view.object.name if view.object else view.statement.value
        said = f"{view.subject.name} —{view.statement.predicate}→ {goal}"
        yield f"{moment.date.text}  {moment.event}  {said} {statement_tail(view)}"


def _page(page: Page) -> Iterator[str]:
    yield page.headline
    yield f"{page.entity.id} · {_kind(page.entity)} · {page.path}"
    if page.is_broken:
        yield "This file does not parse: see kb check."
    if page.description:
        yield page.description
    if page.aliases:
        yield f"Also: {', '.join(page.aliases)}"
    if page.keys:
        yield f"Keys: {', '.join(page.keys)}"
    if page.merged:
        yield f"Merged into it: {', '.join(page.merged)}"
    if page.facts:
        yield "Facts:"
        yield from (
            f"{_INDENT}{view.statement.predicate}: {view.statement.value} {statement_tail(view)}{_note(view)}"
            for view in page.facts
        )
        if page.total_facts > len(page.facts):
            yield f"{_INDENT}… {page.total_facts - len(page.facts)} more"
    for group in page.relations:
        title = group.predicate.replace("-", " ").capitalize()
        yield f"{title}:" if group.direction == "out" else f"← {group.predicate}:"
        for neighbor in group.neighbors:
            yield f"{_INDENT}{neighbor.entity.name} {statement_tail(neighbor.statement)}{_note(neighbor.statement)}"
        left = group.total - len(group.neighbors)
        if left:
            yield f"{_INDENT}… {left} more"
    yield from _page_end(page)


def _page_end(page: Page) -> Iterator[str]:
    mentions = page.mentions
    if mentions.count:
        seen = (
            f", first {mentions.first_seen}, last {mentions.last_seen}"
            if mentions.first_seen
            else ""
        )
        kinds = ", ".join(f"{kind} {len(ids)}" for kind, ids in page.observations)
        yield f"Mentions: {format_count(mentions.count, 'observation')}{seen} ({kinds})"
    questions = [
        f"contested: {view.statement.predicate} ^{view.statement.id}" for view in page.contested
    ]
    questions += [
        f"perhaps the same as {one.entity.name} ({one.entity.id}): {one.reason}"
        for one in page.candidates
    ]
    if questions:
        yield "Open questions:"
        yield from (f"{_INDENT}{question}" for question in questions)
    if page.decisions:
        yield "Decisions on record:"
        for one in page.decisions:
            yield f"{_INDENT}{one.date or 'undated'} {one.decision} — {one.reason} (src: {one.observation})"


def _source_page(page: SourcePage) -> Iterator[str]:
    yield page.title
    seal = "sealed" if page.is_sealed else "not sealed"
    yield f"{page.id} · {page.kind or 'no kind'} · {page.path} · {seal}"
    said = [page.happened_at or "undated"]
    said += [f"said by {page.said_by}"] if page.said_by else []
    said += [f"with {', '.join(page.participants)}"] if page.participants else []
    said += [f"from {page.source}"] if page.source else []
    said += [f"repeats {', '.join(page.derived_from)}"] if page.derived_from else []
    yield " · ".join(said)
    yield ""
    yield from page.text.strip().splitlines()
    yield ""
    yield f"Cited by {format_count(len(page.statements), 'statement')}"
    yield from (f"{_INDENT}{_triple(view)}" for view in page.statements)


def _stats(stats: Stats) -> Iterator[str]:
    if stats.name:
        yield stats.name
    yield f"{format_count(stats.entities, 'entity')}: {_listed(stats.types)}"
    statements = format_count(stats.relations + stats.facts, "statement")
    yield f"{statements}: {format_count(stats.relations, 'relation')}, {format_count(stats.facts, 'fact')}"
    yield f"{_INDENT}by predicate: {_listed(stats.predicates)}"
    yield f"{_INDENT}by standing: {_listed(stats.statuses)}"
    yield f"{format_count(stats.observations, 'observation')}: {_listed(stats.kinds)}"
    yield (
        f"{stats.undated} undated, {stats.uncited} uncited, {stats.contested} contested, "
        f"{stats.unresolved} unresolved, {stats.suggestions} unconfirmed, {stats.merged} merged, {stats.broken} broken"
    )


def _listed(counts: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counts) or "none"


def _vocabulary(words: Vocabulary) -> Iterator[str]:
    yield "Types:"
    for type in words.types.values():
        wider = f" (is a {type.is_a})" if type.is_a else ""
        yield f"{_INDENT}{', '.join((type.name, *type.aliases))}{wider}"
    yield "Keys:"
    for key in words.keys.values():
        bearers = f" of {', '.join(key.types)}" if key.types else ""
        yield f"{_INDENT}{key.name}:{bearers}{f', like {key.pattern}' if key.pattern else ''}"
    yield "Relations:"
    yield from (f"{_INDENT}{_relation_word(relation)}" for relation in words.relations.values())
    yield "Facts:"
    for fact in words.facts.values():
        single = ", one at a time" if fact.single else ""
        yield f"{_INDENT}{', '.join((fact.name, *fact.aliases))}: {fact.value}{single}"


def _relation_word(word: RelationWord) -> str:
    inverse = " (symmetric)" if word.symmetric else f" / {word.inverse}" if word.inverse else ""
    ends = f": {', '.join(word.from_types) or 'any'} → {', '.join(word.to_types) or 'any'}"
    marks = [word.klass.value] if word.klass is not StatementClass.PLAIN else []
    marks += ["one at a time"] if word.single else []
    marks += ["a hierarchy"] if word.acyclic else []
    marks += ["needs a note"] if word.needs_note else []
    marks += [f"replaced by {word.replaced_by}"] if word.replaced_by else []
    return f"{', '.join((word.name, *word.aliases))}{inverse}{ends}{''.join(f', {mark}' for mark in marks)}"
