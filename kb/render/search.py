"""What a search found → text and JSON. What was looked for is bold where a person reads it on a terminal."""

from collections.abc import Iterator

from kb.queries.answers import Answer
from kb.queries.excerpts import Excerpt
from kb.queries.search import Hit, Search
from kb.render.counts import format_count
from kb.render.statements import Json, entity_as_json, statement_as_json, type_shown
from kb.render.terminal import escape_terminal

_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"
_DIGITS = 3


def escaped_lines(answer: Answer[Search], is_bold: bool = False) -> Iterator[str]:
    """Give the lines of a result, escaped already."""
    found, total = answer.results, answer.total or 0
    if total:
        what = "weak hit" if found.is_weak else "hit"
        shown = f", {len(found.hits)} shown" if len(found.hits) < total else ""
        yield f"{format_count(total, what)}{shown}"
    for number, hit in enumerate(found.hits, 1):
        yield escape_terminal(f"{number}. {_title(hit)}")
        if hit.excerpt.text:
            yield f"   {_marked(hit.excerpt, is_bold)}"
        for view in hit.statements:
            goal = view.object.name if view.object else view.statement.value
            said = f"{view.subject.name} —{view.statement.predicate}→ {goal} ^{view.statement.id}"
            yield escape_terminal(f"   · {said}")
        if found.is_explained:
            yield escape_terminal(f"   score {_explained(hit)}")


def _title(hit: Hit) -> str:
    if hit.entity is not None:
        return f"{hit.entity.name} ({type_shown(hit.entity)}, {hit.entity.id})"
    source = hit.observation
    assert source is not None
    return f"{source.title or source.id} ({source.kind or 'no kind'}, {hit.date or 'undated'}, {source.id})"


def _explained(hit: Hit) -> str:
    parts = " + ".join(f"{part.written} {part.score:.{_DIGITS}f}" for part in hit.parts) or "0"
    line = f"{hit.score:.{_DIGITS}f} = {parts}"
    if hit.share != 1.0:
        line += f"; × {hit.share:.{_DIGITS}f}, the share that it holds"
    if hit.factor != 1.0:
        line += f"; × {hit.factor} via " + ", ".join(
            f"{view.subject.name} —{view.statement.predicate}→ {view.object.name if view.object else ''}"
            f" ^{view.statement.id}"
            for view in hit.via
        )
    return line


def _marked(excerpt: Excerpt, is_bold: bool) -> str:
    if not is_bold:
        return escape_terminal(excerpt.text)
    pieces, at = [], 0
    for start, end in excerpt.highlights:
        pieces.append(escape_terminal(excerpt.text[at:start]))
        pieces.append(f"{_BOLD}{escape_terminal(excerpt.text[start:end])}{_PLAIN}")
        at = end
    return "".join((*pieces, escape_terminal(excerpt.text[at:])))


def json_fields(answer: Answer[Search]) -> Json:
    """Give the hits, best first."""
    found = answer.results
    return {
        "results": [_hit_as_json(hit, found.is_explained) for hit in found.hits],
        "weak": found.is_weak,
        "nowhere": list(found.nowhere),
    }


def _hit_as_json(hit: Hit, is_explained: bool) -> Json:
    named: Json
    if hit.entity is not None:
        named = {"kind": "entity", "entity": entity_as_json(hit.entity)}
    else:
        source = hit.observation
        assert source is not None
        named = {
            "kind": "observation",
            "observation": {"id": source.id, "kind": source.kind or None, "title": source.title},
            "happened_at": hit.date,
        }
    extra: Json = {}
    if is_explained:
        extra = {
            "explain": {
                "parts": [
                    {"text": part.written, "score": round(part.score, _DIGITS)}
                    for part in hit.parts
                ],
                "share": round(hit.share, _DIGITS),
                "factor": hit.factor,
                "via": [statement_as_json(view) for view in hit.via],
            }
        }
    return {
        **named,
        "score": round(hit.score, _DIGITS),
        "excerpt": hit.excerpt.text,
        "highlights": [list(place) for place in hit.excerpt.highlights],
        "statements": [statement_as_json(view) for view in hit.statements],
        **extra,
    }
