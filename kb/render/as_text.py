"""Answers → text for a terminal: the answer first, each statement with its id and observations.

What a query's results look like says the module of its name beside this one; only that one is imported.
"""

from collections.abc import Iterator
from importlib import import_module

from kb.queries.answers import Answer, EntityRef, Resolved
from kb.render.counts import format_count
from kb.render.statements import type_shown
from kb.render.terminal import escape_terminal

_MOST_OTHERS = 5
#: What says itself that it was cut.
_SAY_THAT_THEY_ARE_CUT = ("timeline", "paths")


def render_text(answer: Answer[object], is_bold: bool = False) -> str:
    """Render an answer. What files say is escaped, so that it cannot steer the terminal; ``is_bold`` marks what was searched."""
    renderer = import_module(f"kb.render.{answer.query}")
    results: Iterator[str]
    if answer.query == "search":
        results = renderer.escaped_lines(answer, is_bold)
    else:
        results = map(escape_terminal, renderer.text_lines(answer))
    around = (*_cut(answer), *(f"({note})" for note in answer.notes))
    return "\n".join(
        (*map(escape_terminal, _resolutions(answer)), *results, *map(escape_terminal, around))
    )


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
        f"{entity.name} ({type_shown(entity)}, {entity.id})"
        if len(resolved.entities) > 1
        else _counted(entity, resolved)
        for entity in resolved.entities
    )
    if resolved.others:
        shown = [
            f"{other.entity.name} ({type_shown(other.entity)}, {format_count(other.statements, 'statement')}, {other.entity.id})"
            for other in resolved.others[:_MOST_OTHERS]
        ]
        rest = resolved.total_others - len(shown)
        line += f"; other matches: {', '.join(shown)}{f', … {rest} more' if rest else ''}. Pass an id to choose another."
    return line


def _counted(entity: EntityRef, resolved: Resolved) -> str:
    return f"{entity.name} ({type_shown(entity)}, {format_count(resolved.statements, 'statement')})"


def _cut(answer: Answer[object]) -> Iterator[str]:
    if answer.truncated and answer.query not in _SAY_THAT_THEY_ARE_CUT:
        total = f" of {answer.total}" if answer.total is not None else ""
        yield f"(cut{total}; pass --limit 0 for all)"
