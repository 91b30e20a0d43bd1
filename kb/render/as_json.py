"""Results → JSON: the contract of QUERIES.md. Field order is fixed, so that equal answers are equal bytes."""

import re
from typing import Any

from kb.model.time import Bound, Date, Interval
from kb.model.vocabulary import Vocabulary
from kb.queries.answers import Answer, EntityRef, OtherMatch, Resolved, StatementView, sentence_of
from kb.queries.facts import Facts
from kb.queries.find import Match
from kb.queries.neighbors import Neighbor, NeighborGroup, Neighbors
from kb.queries.paths import Path, Paths, Step
from kb.queries.relations import Relations
from kb.queries.search import Search
from kb.queries.show import Page
from kb.queries.show_observation import SourcePage
from kb.queries.stats import Stats
from kb.queries.timeline import Moment, Timeline
from kb.render.search import search_as_json

Json = dict[str, Any]
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def render_json(answer: Answer[object]) -> str:
    """Render an answer as one indented JSON object."""
    from json import dumps

    text = dumps(answer_as_json(answer), ensure_ascii=False, indent=2)
    # A byte of a path that is no UTF-8 becomes a text that says which, as in the findings of ``check``.
    return _LONE_SURROGATE.sub(lambda match: f"\\\\u{ord(match.group()):04x}", text)


def answer_as_json(answer: Answer[object]) -> Json:
    """Give an answer's envelope; what does not fit the common fields stands beside them."""
    results, extra = _results(answer.results)
    return {
        "query": answer.query,
        "revision": answer.revision or None,
        "resolved": [_resolved(one) for one in answer.resolved],
        "results": results,
        **extra,
        "total": answer.total,
        "truncated": answer.truncated,
        "notes": list(answer.notes),
    }


def _results(results: object) -> tuple[Any, Json]:
    match results:
        case Facts():
            groups = [
                {
                    "predicate": group.predicate,
                    "direction": group.direction,
                    "total": group.total,
                    "statements": [statement_as_json(view) for view in group.statements],
                }
                for group in results.groups
            ]
            return groups, {"statements": results.statements}
        case Neighbors():
            return [_group(group) for group in results.groups], {"entities": results.entities}
        case Relations():
            return {
                "relations": [statement_as_json(view) for view in results.relations],
                "inverse_relations": [
                    statement_as_json(view) for view in results.inverse_relations
                ],
            }, {}
        case Paths():
            return [_path(path) for path in results.paths], {
                "max_hops": results.max_hops,
                "hubs": [entity_as_json(hub) for hub in results.hubs],
                "more": results.more,
            }
        case Timeline():
            return [_moment(moment) for moment in results.moments], {
                "dated": results.dated,
                "undated": results.undated,
            }
        case Search():
            hits = search_as_json(results, entity_as_json, statement_as_json)
            return hits, {"weak": results.is_weak, "nowhere": list(results.nowhere)}
        case SourcePage():
            return _source_page(results), {}
        case Stats():
            return _stats(results), {}
        case Vocabulary():
            return _vocabulary(results), {}
        case (Page() as first, *others):
            # One page is the rule; a key that several bear gives the others beside it.
            extra = (
                {"also": [_page(page) for page in others if isinstance(page, Page)]}
                if others
                else {}
            )
            return _page(first), extra
        case tuple():
            return [_match(match) for match in results if isinstance(match, Match)], {}
        case _:
            raise TypeError(f"no JSON for {type(results).__name__}")


def entity_as_json(entity: EntityRef) -> Json:
    """An entity is always its id, name and type."""
    return {"id": entity.id, "name": entity.name, "type": entity.type}


def statement_as_json(view: StatementView) -> Json:
    """Give a statement. ``when`` is the time as written (EDTF), ``since`` and ``until`` its dated ends."""
    statement = view.statement
    since, until = _ends(statement.interval)
    end: Json = (
        {"object": entity_as_json(view.object)} if view.object else {"value": statement.value}
    )
    subs = (
        {"details": {sub.name: sub.text for sub in statement.sub_items}}
        if statement.sub_items
        else {}
    )
    return {
        "id": statement.id,
        "file": statement.file_id,
        "subject": entity_as_json(view.subject),
        "predicate": statement.predicate,
        **end,
        "when": statement.interval.text if statement.interval else None,
        "since": since,
        "until": until,
        "confidence": statement.confidence,
        "text": sentence_of(view),
        "class": statement.klass.value,
        "auto": statement.auto,
        "status": view.status.value,
        "superseded_by": statement.superseded_by,
        "contested": view.is_contested,
        "latest": view.is_latest,
        "provisional": statement.is_provisional,
        "said_by": statement.said_by or None,
        "observations": list(statement.observations),
        "witnesses": statement.witnesses,
        "reinforcements": len(statement.observations),
        **subs,
    }


def _ends(interval: Interval | None) -> tuple[str | None, str | None]:
    if interval is None:
        return None, None
    return _date(interval.start), _date(interval.end)


def _date(end: Date | Bound) -> str | None:
    return end.text if isinstance(end, Date) else None


def _resolved(resolved: Resolved) -> Json:
    first = resolved.entities[0]
    extra: Json = {}
    if len(resolved.entities) > 1:
        extra["bearers"] = [entity_as_json(entity) for entity in resolved.entities]
    if resolved.merged_from:
        extra["merged_from"] = resolved.merged_from
    return {
        "argument": resolved.argument,
        **entity_as_json(first),
        "tier": resolved.tier,
        "others": [_other(other) for other in resolved.others],
        "total_others": resolved.total_others,
        **extra,
    }


def _other(other: OtherMatch) -> Json:
    return {**entity_as_json(other.entity), "tier": other.tier, "statements": other.statements}


def _match(match: Match) -> Json:
    return {
        "entity": entity_as_json(match.entity),
        "tier": match.tier,
        "statements": match.statements,
        "aliases": list(match.names),
        "keys": list(match.keys),
    }


def _neighbor(neighbor: Neighbor) -> Json:
    return {
        "entity": entity_as_json(neighbor.entity),
        "statement": statement_as_json(neighbor.statement),
    }


def _group(group: NeighborGroup) -> Json:
    return {
        "predicate": group.predicate,
        "direction": group.direction,
        "total": group.total,
        "neighbors": [_neighbor(neighbor) for neighbor in group.neighbors],
    }


def _step(step: Step) -> Json:
    return {**statement_as_json(step.statement), "walked": step.walked}


def _path(path: Path) -> Json:
    return {
        "hops": path.hops,
        "nodes": [entity_as_json(node) for node in path.nodes],
        "edges": [_step(step) for step in path.steps],
    }


def _moment(moment: Moment) -> Json:
    return {
        "date": moment.date.text,
        "event": moment.event,
        "entity": entity_as_json(moment.entity) if moment.entity else None,
        "value": moment.statement.statement.value,
        "statement": statement_as_json(moment.statement),
    }


def _page(page: Page) -> Json:
    relations: Json = {}
    for group in page.relations:
        label = group.predicate if group.direction == "out" else f"← {group.predicate}"
        relations[label] = [_neighbor(neighbor) for neighbor in group.neighbors]
    return {
        "entity": entity_as_json(page.entity),
        "headline": page.headline,
        "path": page.path,
        "aliases": list(page.aliases),
        "keys": list(page.keys),
        "merged": list(page.merged),
        "description": page.description or None,
        "facts": [statement_as_json(view) for view in page.facts],
        "relations": relations,
        "mentions": {
            "count": page.mentions.count,
            "first_seen": page.mentions.first_seen,
            "last_seen": page.mentions.last_seen,
        },
        "observations": {kind: list(ids) for kind, ids in page.observations},
        "contested": [view.statement.id for view in page.contested],
        "merge_candidates": [
            {**entity_as_json(candidate.entity), "reason": candidate.reason}
            for candidate in page.candidates
        ],
        "decisions": [
            {
                "observation": one.observation,
                "decision": one.decision,
                "date": one.date,
                "reason": one.reason,
            }
            for one in page.decisions
        ],
        "self_statements": page.self_statements,
        "broken": page.is_broken,
    }


def _source_page(page: SourcePage) -> Json:
    return {
        "observation": page.id,
        "kind": page.kind or None,
        "title": page.title,
        "path": page.path,
        "happened_at": page.happened_at,
        "said_by": page.said_by or None,
        "participants": list(page.participants),
        "source": page.source or None,
        "derived_from": list(page.derived_from),
        "sealed": page.is_sealed,
        "text": page.text,
        "statements": [statement_as_json(view) for view in page.statements],
    }


def _stats(stats: Stats) -> Json:
    return {
        "name": stats.name or None,
        "entities": stats.entities,
        "statements": stats.relations + stats.facts,
        "relations": stats.relations,
        "facts": stats.facts,
        "observations": stats.observations,
        "types": dict(stats.types),
        "predicates": dict(stats.predicates),
        "kinds": dict(stats.kinds),
        "statuses": dict(stats.statuses),
        "merged": stats.merged,
        "undated": stats.undated,
        "uncited": stats.uncited,
        "contested": stats.contested,
        "unresolved": stats.unresolved,
        "suggestions": stats.suggestions,
        "broken": stats.broken,
    }


def _vocabulary(words: Vocabulary) -> Json:
    return {
        "types": {
            word.name: {"is": word.is_a, "aliases": list(word.aliases)}
            for word in words.types.values()
        },
        "keys": {
            word.name: {
                "types": list(word.types),
                "pattern": word.pattern,
                "normalize": word.normalize.value,
            }
            for word in words.keys.values()
        },
        "relations": {
            word.name: {
                "inverse": word.name if word.symmetric else word.inverse,
                "symmetric": word.symmetric,
                "single": word.single,
                "from": list(word.from_types),
                "to": list(word.to_types),
                "acyclic": word.acyclic,
                "class": word.klass.value,
                "note": "required" if word.needs_note else None,
                "expand": word.expand,
                "expand_inverse": word.expand_inverse,
                "aliases": list(word.aliases),
                "replaced_by": word.replaced_by,
                "hints": list(word.hints),
            }
            for word in words.relations.values()
        },
        "facts": {
            word.name: {
                "value": word.value,
                "single": word.single,
                "aliases": list(word.aliases),
                "replaced_by": word.replaced_by,
            }
            for word in words.facts.values()
        },
    }
