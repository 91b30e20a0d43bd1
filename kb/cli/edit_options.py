"""Options that edits share, and the doing of an edit from the command line."""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kb.cli.options import chosen_root, complain, root_option, warn
from kb.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from kb.edits.apply import Applied, Plan, WriteOptions
    from kb.edits.commits import NotCommitted

Command = TypeVar("Command", bound=Callable[..., Any])


def edit_options(command: Command) -> Command:
    """Add the options of every edit; they arrive as keyword arguments for ``do_edit``."""
    return _with_options(command, of_one_entity=True)


def run_options(command: Command) -> Command:
    """Add the options of an edit that makes many files; they arrive as keyword arguments for ``read_write_options``."""
    return _with_options(command, of_one_entity=False)


def _with_options(command: Command, *, of_one_entity: bool) -> Command:
    options = [
        root_option,
        click.option("--json", "as_json", is_flag=True, help="Say what was done as JSON."),
        click.option(
            "--idempotency-key",
            default="",
            metavar="KEY",
            help="A second call with the same key does nothing.",
        ),
        click.option("--by", default="", metavar="WHO", help="Who edits, for the record."),
        click.option(
            "--commit/--no-commit",
            default=None,
            help="Commit the edit by itself. [default: as kb.yaml says]",
        ),
    ]
    if of_one_entity:
        help = "Only if the entity's file has this revision, as an edit's JSON gives it."
        revision = click.option("--if-revision", default="", metavar="REVISION", help=help)
        options.insert(3, revision)
    shown = "the diff" if of_one_entity else "what would come"
    options.append(click.option("--dry-run", is_flag=True, help=f"Write nothing; show {shown}."))
    for option in options:
        command = option(command)
    return command


def read_write_options(how: dict[str, Any]) -> "WriteOptions":
    """Read what ``edit_options`` or ``run_options`` added."""
    from kb.edits.apply import WriteOptions
    from kb.edits.one_line import check_one_line

    check_one_line("--by", how["by"])
    return WriteOptions(
        dry_run=how["dry_run"],
        commit=how["commit"],
        by=how["by"],
        if_revision=how.get("if_revision", ""),
        idempotency_key=how["idempotency_key"],
        request=_request(),
    )


def do_edit(plan: "Plan", how: dict[str, Any]) -> ExitCode:
    """Do an edit, say what it did, and warn of what went wrong beside it; give the status to end with.

    ``how`` holds what ``edit_options`` added.
    """
    from kb.edits.apply import apply_edit
    from kb.edits.edit_notes import with_common_notes

    options = read_write_options(how)
    noting = with_common_notes(plan, options)
    done = apply_edit(chosen_root(how["root"]), int(time.time()), noting, options)
    return print_applied(done, how["as_json"])


def print_applied(done: "Applied", as_json: bool) -> ExitCode:
    """Say what an edit did, and warn of what went wrong beside it; give the status to end with."""
    from kb.render.applied import applied_fields, applied_lines

    if as_json:
        click.echo(json.dumps(applied_fields(done), ensure_ascii=False, indent=2))
    else:
        for line in applied_lines(done):
            click.echo(line)
    warn(done.warnings)
    return tell_uncommitted(done.uncommitted)


def tell_uncommitted(error: "NotCommitted | None") -> ExitCode:
    """Tell where an edit that stands was to be committed and is not; give the status to end with."""
    if error is None:
        return ExitCode.ANSWERED
    complain(error.message, error.hint, lines=True)
    return error.exit_code


#: What is no part of a request: how it is answered, and whether and where it is done, but not what it writes.
_NO_PART = frozenset(("as_json", "root", "commit", "if_revision", "dry_run", "idempotency_key"))


def _request() -> str:
    """Give what was asked as one line, so that an idempotency key is good for one request only."""
    context: click.Context | None = click.get_current_context()
    arguments: dict[str, Any] = {}
    while context is not None:
        arguments = {**context.params, **arguments}
        context = context.parent
    name = click.get_current_context().info_name
    kept = {key: value for key, value in arguments.items() if key not in _NO_PART}
    return f"{name} {json.dumps(kept, default=str, sort_keys=True)}"


def read_text_argument(text: str | None, file: str | None) -> str | None:
    """Give a text from an argument, a file, or standard input (``-``); ``None`` where there is none."""
    if text is not None:
        return text
    if file is None:
        return None
    if file == "-":
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    try:
        with open(os.fspath(file), "rb") as source:
            return source.read().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}") from error
