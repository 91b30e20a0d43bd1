"""What edits give back. Frozen values; renderers turn them into text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that an edit left alone, and why."""

    path: str
    reason: str
