"""Options that commands share, and the opening of the knowledge base they name."""

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kb.cli.completion import (
    offer_folders,
    offer_observations,
    offer_predicates,
    offer_types,
)
from kb.errors import NoKnowledgeBase
from kb.queries.selection import Selection
from kb.store.root import CONFIGURATION, find_root

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase
    from kb.queries.answers import Answer

Result = TypeVar("Result")

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]

#: Progress is shown after every so many files.
_READ_STEP, _WRITE_STEP = 1000, 200


def root_option(command: Command) -> Command:
    """Add ``--root``."""
    return click.option(
        "--root",
        metavar="DIR",
        shell_complete=offer_folders,
        help="The knowledge base's folder. [default: the nearest upwards]",
    )(command)


def format_option(command: Command) -> Command:
    """Add ``--format`` and ``--json``."""
    command = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")(
        command
    )
    return click.option(
        "--format",
        "format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="The answer's form.",
    )(command)


def predicate_option(command: Command) -> Command:
    """Add ``-p/--predicate``."""
    return click.option(
        "-p",
        "--predicate",
        "predicates",
        multiple=True,
        metavar="WORD",
        shell_complete=offer_predicates,
        help="Only this predicate, its inverse, an alias, or a part of its name. Repeatable.",
    )(command)


def direction_option(command: Command) -> Command:
    """Add ``--direction``."""
    return click.option(
        "--direction",
        type=click.Choice(["out", "in"]),
        help="out: the entity is the subject of the predicate as you named it; in: its object.",
    )(command)


def limit_option(default: int) -> Decorator[Any]:
    """Add ``--limit``."""
    return click.option(
        "--limit",
        type=click.IntRange(min=0),
        default=default,
        show_default=True,
        help="At most so many; 0 for all.",
    )


def selection_options(*names: str) -> Decorator[Any]:
    """Add the filters of the given names; they arrive as one ``selection``."""
    options = {
        "at": click.option(
            "--at",
            metavar="WHEN",
            help="What held then in the world: now, 2022, 2022-01-31, 2021/2022.",
        ),
        "since": click.option(
            "--since", metavar="DATE", help="Only what overlaps the time from then on."
        ),
        "until": click.option(
            "--until", metavar="DATE", help="Only what overlaps the time until then."
        ),
        "type": click.option(
            "--type",
            "--object-type",
            "type",
            metavar="TYPE",
            shell_complete=offer_types,
            help="Only where the other end is of this type.",
        ),
        "source": click.option(
            "--source",
            metavar="OBSERVATION|KIND",
            shell_complete=offer_observations,
            help="Only what rests on it.",
        ),
        "include_ended": click.option(
            "--include-ended", is_flag=True, help="Also what does not hold now."
        ),
        "history": click.option(
            "--history", is_flag=True, help="Also what was retracted or superseded."
        ),
    }

    def decorate(command: Command) -> Command:
        def run(**arguments: Any) -> Any:
            chosen = {name: arguments.pop(name) for name in names}
            return command(selection=Selection(**chosen), **arguments)

        run.__name__, run.__doc__ = command.__name__, command.__doc__
        run.__click_params__ = list(getattr(command, "__click_params__", []))  # type: ignore[attr-defined]
        wrapped: Any = run
        for name in reversed(names):
            wrapped = options[name](wrapped)
        return wrapped  # type: ignore[no-any-return]

    return decorate


def ask_here(
    root: str | None, ask: "Callable[[KnowledgeBase], Answer[Result]]"
) -> "Answer[Result]":
    """Ask the knowledge base that ``--root`` or the current folder names, and warn of what could not be kept.

    Where an answer rests on a sweep that ``freshness`` still allows, and a file that it cites was written since, every
    file is looked at and it is asked again.
    """
    base = open_here(root)
    answer = ask(base)
    if base.is_outdated():
        base = open_here(root, may_trust=False)
        answer = ask(base)
    warn(base.warnings)
    return answer


def open_here(root: str | None, may_trust: bool = True) -> "KnowledgeBase":
    """Open the knowledge base that ``--root`` or the current folder names, for reading.

    A host program that has one open already may hand it in as the context's object.
    """
    from kb.knowledge_base import open_for_reading

    return _handed_in(root) or _with_progress(
        lambda progress: open_for_reading(chosen_root(root), int(time.time()), progress, may_trust)
    )


def load_here(root: str | None) -> "KnowledgeBase":
    """Load the knowledge base that is meant: what looks into files, or changes them, needs them all parsed."""
    from kb.knowledge_base import open_knowledge_base

    return _handed_in(root) or _with_progress(
        lambda progress: open_knowledge_base(chosen_root(root), int(time.time()), progress)
    )


def _handed_in(root: str | None) -> "KnowledgeBase | None":
    handed_in = click.get_current_context().find_root().obj
    if root is not None or handed_in is None or isinstance(handed_in, str):
        return None
    return handed_in  # type: ignore[no-any-return]


def _with_progress(open: "Callable[[Callable[[int], None]], KnowledgeBase]") -> "KnowledgeBase":
    progress = Progress()
    base = open(progress.read)
    progress.clear()
    return base


def warn(warnings: tuple[str, ...]) -> None:
    """Tell on standard error what is no part of the answer."""
    if warnings:
        from kb.render.terminal import escape_terminal

        for warning in warnings:
            click.echo(f"kb: {escape_terminal(warning)}", err=True)


def complain(message: str, hint: str, lines: bool = False) -> None:
    """Tell an error on standard error, with what to do. ``lines``: the message is meant to have several."""
    from kb.render.terminal import escape_terminal

    click.echo(f"kb: {escape_terminal(message, lines)}", err=True)
    if hint:
        click.echo(f"  hint: {escape_terminal(hint)}", err=True)


class Progress:
    """A line on standard error that says how far long work is; only where a person can see it."""

    def __init__(self) -> None:
        self._is_seen = sys.stderr.isatty()
        self._is_shown = False

    def read(self, count: int) -> None:
        """Say how many files were read."""
        if count % _READ_STEP == 0:
            self._show(f"read {count} files …")

    def wrote(self, count: int, total: int) -> None:
        """Say how many files of all were written."""
        if count % _WRITE_STEP == 0:
            self._show(f"wrote {count} of {total} files …")

    def indexed(self, count: int, total: int) -> None:
        """Say how many documents of all were indexed."""
        if count % _WRITE_STEP == 0:
            self._show(f"indexed {count} of {total} documents …")

    def kept(self, count: int, _: int) -> None:
        """Say how many sources were kept so far."""
        if count % _WRITE_STEP == 0:
            self._show(f"kept {count} observations …")

    def clear(self) -> None:
        """Take the line away: what follows is the answer."""
        if self._is_shown:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._is_shown = False

    def _show(self, text: str) -> None:
        if self._is_seen:
            click.echo(f"\r\x1b[Kkb: {text}", nl=False, err=True)
            self._is_shown = True


def chosen_root(root: str | None) -> str:
    """Say which folder is meant: the command's ``--root``, the program's, or the nearest upwards."""
    context = click.get_current_context()
    given = root or context.find_root().obj
    if given:
        if not os.path.isfile(os.path.join(given, CONFIGURATION)):
            raise NoKnowledgeBase(str(given))
        return os.path.abspath(given)
    return find_root(".")


def print_answer(answer: "Answer[Any]", format: str, as_json: bool) -> None:
    """Print an answer; the revision goes to standard error in text."""
    if as_json or format == "json":
        from kb.render.as_json import render_json

        click.echo(render_json(answer))
        return
    from kb.render.as_text import render_text

    is_bold = sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    click.echo(render_text(answer, is_bold))
    if answer.revision:
        click.echo(
            f"revision {answer.revision[:12]}{'+' if answer.revision.endswith('+') else ''}",
            err=True,
        )


def paths_in_root(root: str, given: tuple[str, ...]) -> tuple[str, ...]:
    """Turn paths as typed (from the current folder, else from the root) into paths relative to the root."""
    from kb.errors import UsageError

    inside = []
    real_root = os.path.realpath(root)
    for path in given:
        candidate = os.path.abspath(path)
        if not os.path.lexists(candidate):
            candidate = os.path.abspath(os.path.join(root, path))
        # A folder above may be a link; the last part itself is never followed.
        parent, name = os.path.split(candidate)
        real = os.path.normpath(os.path.join(os.path.realpath(parent), name))
        relative = os.path.relpath(real, real_root)
        if relative == os.pardir or relative.startswith(os.pardir + os.sep):
            raise UsageError(f"{path} lies outside the knowledge base", f"give a path under {root}")
        inside.append("" if relative == os.curdir else relative.replace(os.sep, "/"))
    return tuple(inside)
