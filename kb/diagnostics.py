"""Findings in a user's files: values that are returned and sorted, never raised.

The table of codes stands in :mod:`kb.catalogue`.
"""

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple


class Severity(Enum):
    """How grave a finding is."""

    ERROR = "error"
    WARNING = "warning"


class Span(NamedTuple):
    """A stretch of one line, 1-based, in characters; ``end_column`` is exclusive."""

    line: int
    column: int
    end_column: int


#: Where a finding is about a file as a whole.
WHOLE_FILE = Span(1, 1, 1)


class Fault(NamedTuple):
    """A finding in a text whose path is not known yet, by character offsets."""

    code: str
    start: int
    end: int
    message: str
    hint: str = ""
    other: int | None = None  #: offset of another place that the finding is about


class Diagnostic(NamedTuple):
    """One finding: a code of the catalogue, where it is, what is wrong, what to do."""

    code: str
    severity: Severity
    path: str  #: relative to the root, with ``/``
    span: Span
    message: str
    hint: str = ""
    related: tuple[tuple[str, Span], ...] = ()  #: other places that the finding is about

    @property
    def sort_key(self) -> tuple[str, Span, str, str]:
        """By path, then place, then code."""
        return (self.path, self.span, self.code, self.message)


def sort_diagnostics(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Order by path and place, each finding once."""
    return tuple(sorted(set(diagnostics), key=lambda finding: finding.sort_key))
