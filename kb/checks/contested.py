"""Several current values where the vocabulary has one at a time."""

from collections.abc import Iterator

from kb.checks.material import Material
from kb.checks.places import object_place
from kb.diagnostics import Diagnostic, Span
from kb.graph.graph import Statement
from kb.graph.standing import find_contests

_SHOWN = 5


def check_contested_values(material: Material) -> Iterator[Diagnostic]:
    """Find contests: one finding each, at the last of the statements, naming the others."""
    for contest in find_contests(material.graph.iter_statements(), material.now):
        statements = sorted(contest, key=lambda statement: statement.ordinal)
        *others, last = (_place(material, statement) for statement in statements)
        values = list(dict.fromkeys(str(one.object or one.value) for one in statements))
        shown = " and ".join(f'"{value}"' for value in values[:_SHOWN])
        more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
        subject, predicate = statements[0].subject, statements[0].predicate
        message = f'"{predicate}" of "{subject}" is contested: {shown}{more}'
        yield material.finding("KB216", *last, message, related=tuple(others))


def _place(material: Material, statement: Statement) -> tuple[str, Span]:
    return statement.path, material.span(statement.path, object_place(material.draft_of(statement)))
