"""The errors that a request can end in. Findings in a user's files are diagnostics, never these."""

from enum import IntEnum


class ExitCode(IntEnum):
    """What a process of ours ends with."""

    ANSWERED = 0
    REFUSED = 1
    USAGE = 2
    FAULT = 3
    INTERRUPTED = 130


class KbError(Exception):
    """The request cannot be done. The message says what and why, the hint what to type instead."""

    exit_code = ExitCode.REFUSED

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(KbError):
    """The arguments make no request: an unknown format, an impossible limit, a date that is none."""

    exit_code = ExitCode.USAGE


class NoKnowledgeBase(KbError):
    """No ``kb.yaml`` was found."""

    def __init__(self, start: str) -> None:
        super().__init__(
            f"no knowledge base: neither {start} nor a folder above it holds a kb.yaml",
            "run 'kb init' to make one here, or pass --root DIR",
        )


class UnknownEntity(KbError):
    """An argument names no entity; near spellings are offered, never taken."""

    def __init__(self, argument: str, guesses: tuple[str, ...] = ()) -> None:
        hint = (
            "did you mean " + " or ".join(f'"{guess}"' for guess in guesses) + "?"
            if guesses
            else ""
        )
        super().__init__(f'no entity matches "{argument}"', hint)
        self.argument = argument
        self.guesses = guesses


class AmbiguousId(KbError):
    """Two files claim one id, so that nothing can be said of it."""

    def __init__(self, id: str, paths: tuple[str, ...]) -> None:
        super().__init__(
            f'id "{id}" is ambiguous: {" and ".join(paths)} both claim it',
            "give one of the files another id (and the same stem)",
        )
        self.id = id
        self.paths = paths


class ConcurrentModification(KbError):
    """A file changed between being read and being written."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"concurrent modification: {path} changed while it was being edited; nothing was written",
            "try again",
        )
        self.path = path
