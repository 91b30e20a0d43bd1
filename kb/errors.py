"""The errors that a request can end in. Findings in a user's files are diagnostics, never these."""

from enum import Enum, IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """What a process of ours ends with."""

    ANSWERED = 0
    REFUSED = 1
    USAGE = 2
    FAULT = 3
    INTERRUPTED = 130


class ErrorCode(Enum):
    """What a request ended in, as JSON says it. Codes are never renamed, nor used for something else."""

    def __init__(self, name: str, exit_code: ExitCode, meaning: str) -> None:
        self.kebab, self.exit_code, self.meaning = name, exit_code, meaning

    WRONG_USAGE = (
        "wrong-usage",
        ExitCode.USAGE,
        "The call cannot be read: a command, an option, a date, a number, a key, a word of the vocabulary.",
    )
    BAD_QUERY = ("bad-query", ExitCode.USAGE, "What is searched for cannot be read.")
    NO_KNOWLEDGE_BASE = (
        "no-knowledge-base",
        ExitCode.REFUSED,
        "There is no `kb.yaml`, here or above, or in `--root`.",
    )
    NOT_FOUND = (
        "not-found",
        ExitCode.REFUSED,
        "The entity, observation or statement that is named is not there.",
    )
    AMBIGUOUS = (
        "ambiguous",
        ExitCode.REFUSED,
        "What is named could be several; the message lists them.",
    )
    TAKEN = (
        "taken",
        ExitCode.REFUSED,
        "An id or a key is another's, or a file is there already.",
    )
    IN_USE = ("in-use", ExitCode.REFUSED, "Something refers to what would go.")
    LEFT_ALONE = (
        "left-alone",
        ExitCode.REFUSED,
        "A file cannot be read, or not be changed without changing more; `kb check` says why.",
    )
    CONCURRENT_MODIFICATION = (
        "concurrent-modification",
        ExitCode.REFUSED,
        "A file changed meanwhile, or has not the revision that was asked for.",
    )
    LOCKED = ("locked", ExitCode.REFUSED, "Another process is writing.")
    NOT_WRITTEN = (
        "not-written",
        ExitCode.REFUSED,
        "The system, or the path, lets nothing be written.",
    )
    NOT_COMMITTED = (
        "not-committed",
        ExitCode.REFUSED,
        "The edit is written, and git did not commit it.",
    )
    KEY_REUSED = (
        "key-reused",
        ExitCode.REFUSED,
        "An idempotency key was used for another request.",
    )
    NOT_UNDONE = (
        "not-undone",
        ExitCode.REFUSED,
        "There is nothing to undo, or what was written last is not remembered.",
    )
    REFUSED = (
        "refused",
        ExitCode.REFUSED,
        "What is known stands against it: the vocabulary, a judgement, another statement.",
    )
    FAULT = ("fault", ExitCode.FAULT, "A fault of ours; the hint names a log.")
    INTERRUPTED = ("interrupted", ExitCode.INTERRUPTED, "Interrupted.")


class KbError(Exception):
    """The request cannot be done. The message says what and why, the hint what to type instead.

    What is raised is of a class of its own kind, which says its code.
    """

    code: ClassVar[ErrorCode]

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def exit_code(self) -> ExitCode:
        """What the process ends with."""
        return self.code.exit_code


class UsageError(KbError):
    """The call itself is wrong, whatever the files say: an unknown format, an impossible limit, a date that is none."""

    code = ErrorCode.WRONG_USAGE


class NoKnowledgeBase(KbError):
    """No ``kb.yaml`` was found."""

    code = ErrorCode.NO_KNOWLEDGE_BASE

    def __init__(self, start: str) -> None:
        super().__init__(
            f"no knowledge base: neither {start} nor a folder above it holds a kb.yaml",
            "run 'kb init' to make one here, or pass --root DIR",
        )


class UnknownEntity(KbError):
    """An argument names no entity; near spellings are offered, never taken."""

    code = ErrorCode.NOT_FOUND

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

    code = ErrorCode.AMBIGUOUS

    def __init__(self, id: str, paths: tuple[str, ...]) -> None:
        super().__init__(
            f'id "{id}" is ambiguous: {" and ".join(paths)} both claim it',
            "give one of the files another id (and the same stem)",
        )
        self.id = id
        self.paths = paths


class ConcurrentModification(KbError):
    """A file changed between being read and being written."""

    code = ErrorCode.CONCURRENT_MODIFICATION

    def __init__(self, path: str) -> None:
        super().__init__(
            f"concurrent modification: {path} changed while it was being edited; nothing was written",
            "try again",
        )
        self.path = path
