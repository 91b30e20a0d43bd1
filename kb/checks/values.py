"""Facts whose value is not what the vocabulary says."""

import re
from collections.abc import Iterator

from kb.checks.material import Material
from kb.checks.places import object_place
from kb.diagnostics import Diagnostic
from kb.model.statement import StatementLine
from kb.syntax.edtf import TimeFault, parse_date

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
_URL = re.compile(r"(?:(?:https?|ftps?|sftp|ssh|git|ipfs)://|mailto:|urn:|doi:)\S+", re.I)


def check_value_kinds(material: Material) -> Iterator[Diagnostic]:
    """Find values that are no date, number or URL where they have to be."""
    for draft in material.iter_drafts():
        fact = draft.reading.fact
        if fact is None or draft.line.value is None or draft.line.is_retired:
            continue
        misfit = find_misfit(fact.value, draft.line, draft.line.value)
        if misfit is not None:
            message, hint = misfit
            span = material.span(draft.file.path, object_place(draft))
            yield material.finding("KB211", draft.file.path, span, message, hint)


def find_misfit(kind: str, line: StatementLine, value: str) -> tuple[str, str] | None:
    """Say why a value is not of the kind that the vocabulary wants, and what to write; ``None`` where it is."""
    match kind:
        case "date":
            parsed = parse_date(value)
            if isinstance(parsed, TimeFault):
                why = "" if parsed.message == "not a date" else f": {parsed.message}"
                return f'"{value}" is no date{why}', parsed.hint
        case "number" if not _NUMBER.fullmatch(value):
            return (
                f'"{value}" is no number',
                "write digits alone, with a point for fractions: 1500.5",
            )
        case "url" if not _URL.fullmatch(_address(line, value)):
            return f'"{value}" is no address', "write it whole: https://…"
    return None


def _address(line: StatementLine, value: str) -> str:
    """Give the address that a value is, be it bare, in angle brackets or a Markdown link."""
    if len(line.mentions) == 1 and line.mentions[0].end - line.mentions[0].start == (
        line.object_end - line.object_start
    ):
        return line.mentions[0].target
    return value[1:-1] if value[:1] == "<" and value[-1:] == ">" else value
