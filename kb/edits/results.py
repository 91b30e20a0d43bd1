"""What edits give back. Frozen values; renderers turn them into text."""

from dataclasses import dataclass

#: Why a file stays as it is whose text was never read: too large, no regular file, no permission.
UNREAD = "it cannot be read: see kb check"


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that an edit left alone, and why."""

    path: str
    reason: str
