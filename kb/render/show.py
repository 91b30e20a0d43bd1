"""What ``show`` shows → text and JSON: the pages of entities, or the text of an observation."""

from collections.abc import Iterator

from kb.queries.answers import Answer
from kb.queries.show import Page
from kb.queries.show_observation import SourcePage
from kb.render.counts import format_count
from kb.render.neighbors import neighbor_as_json
from kb.render.show_observation import source_as_json, source_lines
from kb.render.statements import (
    INDENT,
    Json,
    entity_as_json,
    note_shown,
    statement_as_json,
    statement_tail,
    type_shown,
)

Shown = SourcePage | tuple[Page, ...]


def text_lines(answer: Answer[Shown]) -> Iterator[str]:
    """Give the pages, an empty line between two."""
    if isinstance(answer.results, SourcePage):
        yield from source_lines(answer.results)
        return
    for index, page in enumerate(answer.results):
        if index:
            yield ""
        yield from _page_lines(page)


def _page_lines(page: Page) -> Iterator[str]:
    yield page.headline
    yield f"{page.entity.id} · {type_shown(page.entity)} · {page.path}"
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
            f"{INDENT}{view.statement.predicate}: {view.statement.value} {statement_tail(view)}{note_shown(view)}"
            for view in page.facts
        )
        if page.total_facts > len(page.facts):
            yield f"{INDENT}… {page.total_facts - len(page.facts)} more"
    for group in page.relations:
        title = group.predicate.replace("-", " ").capitalize()
        yield f"{title}:" if group.direction == "out" else f"← {group.predicate}:"
        for neighbor in group.neighbors:
            yield f"{INDENT}{neighbor.entity.name} {statement_tail(neighbor.statement)}{note_shown(neighbor.statement)}"
        left = group.total - len(group.neighbors)
        if left:
            yield f"{INDENT}… {left} more"
    yield from _page_end(page)


def _page_end(page: Page) -> Iterator[str]:
    mentions = page.mentions
    if mentions.total:
        seen = (
            f", first {mentions.first_seen}, last {mentions.last_seen}"
            if mentions.first_seen
            else ""
        )
        kinds = ", ".join(f"{kind} {len(ids)}" for kind, ids in page.observations)
        yield f"Mentions: {format_count(mentions.total, 'observation')}{seen} ({kinds})"
    questions = [
        f"contested: {view.statement.predicate} ^{view.statement.id}" for view in page.contested
    ]
    questions += [
        f"perhaps the same as {one.entity.name} ({one.entity.id}): {one.reason}"
        for one in page.candidates
    ]
    if questions:
        yield "Open questions:"
        yield from (f"{INDENT}{question}" for question in questions)
    if page.decisions:
        yield "Decisions on record:"
        for one in page.decisions:
            mark = " [taken back]" if one.is_taken_back else ""
            yield f"{INDENT}{one.date or 'undated'} {one.decision}{mark} — {one.reason} (src: {one.observation})"


def json_fields(answer: Answer[Shown]) -> Json:
    """Give one page, which is the rule; a key that several bear gives the others beside it."""
    if isinstance(answer.results, SourcePage):
        return {"results": source_as_json(answer.results)}
    first, *others = map(_page_as_json, answer.results)
    return {"results": first, "also": others} if others else {"results": first}


def _page_as_json(page: Page) -> Json:
    relations: Json = {}
    for group in page.relations:
        label = group.predicate if group.direction == "out" else f"← {group.predicate}"
        relations[label] = [neighbor_as_json(neighbor) for neighbor in group.neighbors]
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
            "count": page.mentions.total,
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
                "taken_back": one.is_taken_back,
            }
            for one in page.decisions
        ],
        "self_statements": page.self_statements,
        "broken": page.is_broken,
    }
