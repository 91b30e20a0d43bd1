"""The ``kb`` program: its commands, and how each ends. The one place that maps errors to exit statuses."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING

import click

from kb import __version__
from kb.cli import end_at_once
from kb.cli.completion import VARIABLE, answer_shell, offer_folders
from kb.cli.filled import Filled
from kb.errors import ErrorCode, ExitCode, KbError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

#: Where each command lives, and its line in the overview. Importing none of them keeps a cold command fast.
COMMANDS = {
    "find": ("kb.cli.query_commands:find_command", "Look an entity up by name, key or id."),
    "show": (
        "kb.cli.query_commands:show_command",
        "One entity on a page, or an observation's text.",
    ),
    "facts": (
        "kb.cli.query_commands:facts_command",
        "All that is stated of an entity, by predicate.",
    ),
    "relations": (
        "kb.cli.query_commands:relations_command",
        "Relations of an entity, or of a predicate.",
    ),
    "neighbors": (
        "kb.cli.query_commands:neighbors_command",
        "What an entity is linked to, in one hop.",
    ),
    "paths": ("kb.cli.query_commands:paths_command", "How two entities are connected."),
    "timeline": (
        "kb.cli.query_commands:timeline_command",
        "When things began and ended, in order.",
    ),
    "search": (
        "kb.cli.search_commands:search_command",
        "Full text: words, phrases, beginnings.",
    ),
    "stats": ("kb.cli.query_commands:stats_command", "How much there is of what."),
    "vocabulary": (
        "kb.cli.query_commands:vocabulary_command",
        "The words in use: types, keys, relations, facts.",
    ),
    "resolve": (
        "kb.cli.observation_commands:resolve_command",
        "Whom a mention means, by its keys.",
    ),
    "candidates": (
        "kb.cli.judgement_commands:candidates_command",
        "Which entities may be one, and why.",
    ),
    "check": ("kb.cli.check_commands:check_command", "Find what is wrong in the files."),
    "doctor": (
        "kb.cli.search_commands:doctor_command",
        "What is derived from the files, and its state.",
    ),
    "rebuild": (
        "kb.cli.search_commands:rebuild_command",
        "Bring what is derived from the files up to date.",
    ),
    "explain": ("kb.cli.check_commands:explain_command", "Explain a diagnostic's code."),
    "new": ("kb.cli.entity_commands:new_command", "Make an entity."),
    "set": ("kb.cli.entity_commands:set_command", "Set a field: name, type, alias, key, your own."),
    "rename": ("kb.cli.entity_commands:rename_command", "Give an entity another name."),
    "move": ("kb.cli.entity_commands:move_command", "Move an entity's file; links follow."),
    "remove": (
        "kb.cli.entity_commands:remove_command",
        "Remove a file that nothing refers to.",
    ),
    "relate": ("kb.cli.statement_commands:relate_command", "Say how two entities are related."),
    "fact": ("kb.cli.statement_commands:fact_command", "Say a fact of an entity."),
    "unrelate": (
        "kb.cli.statement_commands:unrelate_command",
        "Say that two are no longer related.",
    ),
    "retire": ("kb.cli.statement_commands:retire_command", "End a statement, or mark it as wrong."),
    "cite": ("kb.cli.statement_commands:cite_command", "Let a statement cite further sources."),
    "confirm": (
        "kb.cli.statement_commands:confirm_command",
        "Make a suggestion a plain statement.",
    ),
    "undo": ("kb.cli.entity_commands:undo_command", "Take back the last edit."),
    "merge": ("kb.cli.judgement_commands:merge_command", "Say that two entities are one."),
    "unmerge": ("kb.cli.judgement_commands:unmerge_command", "Undo a merge exactly."),
    "distinct": ("kb.cli.judgement_commands:distinct_command", "Say that two are not the same."),
    "decide": (
        "kb.cli.judgement_commands:decide_command",
        "Put another decision on record.",
    ),
    "fmt": (
        "kb.cli.edit_commands:fmt_command",
        "Write statement ids, footnotes and fresh links into files.",
    ),
    "seal": ("kb.cli.edit_commands:seal_command", "Seal observations written by hand."),
    "observe": (
        "kb.cli.observation_commands:observe_command",
        "File a text as a sealed observation.",
    ),
    "ingest": (
        "kb.cli.import_commands:ingest_command",
        "Bring in mail, calendars, contact cards and texts.",
    ),
    "init": ("kb.cli.edit_commands:init_command", "Make a new knowledge base."),
    "import": ("kb.cli.import_commands:import_group", "Bring records in from other forms."),
    "completion": (
        "kb.cli.completion_commands:completion_command",
        "Let bash, zsh or fish complete what you type.",
    ),
}

_SECTIONS = (
    (
        "Ask",
        (
            "find",
            "show",
            "facts",
            "relations",
            "neighbors",
            "paths",
            "timeline",
            "search",
            "resolve",
            "stats",
            "vocabulary",
        ),
    ),
    ("Check", ("check", "explain", "doctor", "rebuild")),
    (
        "Write",
        (
            "init",
            "observe",
            "ingest",
            "import",
            "new",
            "set",
            "rename",
            "move",
            "remove",
            "relate",
            "fact",
            "unrelate",
            "retire",
            "cite",
            "confirm",
            "undo",
            "fmt",
            "seal",
        ),
    ),
    ("Judge", ("candidates", "merge", "unmerge", "distinct", "decide")),
    ("Set up", ("completion",)),
)


class Program(Filled, click.Group):
    """A group that knows its commands by name and imports each when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        is_typo = args and not args[0].startswith("-") and args[0] not in COMMANDS
        if is_typo and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, 1)
            hint = f"Did you mean '{close[0]}'?" if close else "'kb --help' lists the commands."
            raise click.UsageError(f"No such command '{args[0]}'. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        from click.shell_completion import CompletionItem

        # A group's own way would import every command for its help.
        commands = [
            CompletionItem(name, help=line)
            for name, (_, line) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in _SECTIONS:
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name][1]) for name in names])


#: Git tells the programs that it runs, as a hook's, which repository it works in. Ours is the one that holds the root, whoever
#: calls: an edit would else be committed into another.
_OF_ANOTHER_REPOSITORY = (
    *(
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_COMMON_DIR",
        "GIT_PREFIX",
        "GIT_NAMESPACE",
    ),
    *("GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_IMPLICIT_WORK_TREE"),
)


@click.group(
    cls=Program,
    name="kb",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command has its own help with examples: kb paths --help",
)
@click.option(
    "--root",
    metavar="DIR",
    shell_complete=offer_folders,
    help="The knowledge base's folder. [default: the nearest one upwards with a kb.yaml]",
)
@click.version_option(__version__, "-V", "--version", message="kb %(version)s")
@click.pass_context
def program(ctx: click.Context, root: str | None) -> None:
    """A knowledge base of Markdown files in git: entities, statements that cite their source, and paths between them.

    \b
    kb find dana                        who or what is called that
    kb show dana-reyes                  one entity on a page
    kb paths dana-reyes fairline        how two are connected
    kb neighbors northpeak -p employs   one hop, one predicate
    kb check                            what is wrong in the files
    """
    if root is not None:
        ctx.obj = root


def main() -> None:
    """Run the program and end the process: 0 answered, 1 refused or errors found, 2 usage, 3 our fault, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    for name in _OF_ANOTHER_REPOSITORY:
        os.environ.pop(name, None)
    try:
        with _raising_interruptions():
            status = answer_shell(program) if os.environ.get(VARIABLE) else _run()
    except KeyboardInterrupt:  # another one, while the first was told
        status = ExitCode.INTERRUPTED
    try:
        if sys.stdout is not None:  # closed by the caller
            sys.stdout.flush()
    except OSError as error:
        status = _end_without_reader(error)
    # Else the interpreter looks through all there is for garbage before it ends, as long as a short command asks.
    gc.freeze()
    sys.exit(status)


@contextmanager
def _raising_interruptions() -> Iterator[None]:
    """Let Ctrl-C raise ``KeyboardInterrupt`` within, where it would end the process: what is begun is to be put right, and told."""
    import _signal as signal  # type: ignore[import-not-found]  # as it is imported already

    is_ours = signal.getsignal(signal.SIGINT) is end_at_once
    if is_ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, end_at_once)


def _run() -> int:
    try:
        result = program.main(prog_name="kb", standalone_mode=False)
        return result if isinstance(result, int) else ExitCode.ANSWERED
    except click.exceptions.Exit as exit:
        return exit.exit_code
    except click.ClickException as error:
        error.show()
        return _end(ErrorCode.WRONG_USAGE, error.format_message())
    except (click.Abort, KeyboardInterrupt):
        return _end_interrupted()
    except KbError as error:
        for note in getattr(error, "__notes__", ()):
            click.echo(f"kb: {note}", err=True)
        return _tell(error.code, error.message, error.hint)
    # The edge: a stream that takes nothing is the caller's, all else is a fault of ours and leaves a log.
    except OSError as error:
        return _end_without_reader(error) if error.filename is None else _log_fault(error)
    except Exception as error:
        # Python makes an error of its own of an interruption while a class is made.
        is_interrupted = isinstance(error.__cause__, KeyboardInterrupt)
        return _end_interrupted() if is_interrupted else _log_fault(error)


def _end_interrupted() -> ExitCode:
    click.echo("kb: interrupted", err=True)
    return _end(ErrorCode.INTERRUPTED, "interrupted")


def _tell(code: ErrorCode, message: str, hint: str) -> ExitCode:
    """Tell an error, with what to do; give the status to end with."""
    from kb.cli.options import complain  # as commands do: the program itself needs no more of it

    complain(message, hint)
    return _end(code, message, hint)


def _end(code: ErrorCode, message: str, hint: str = "") -> ExitCode:
    """Give the status to end with. Whoever asked for JSON gets one object on standard output, whatever comes."""
    if _wants_json(sys.argv[1:]):
        from kb.render.errors import error_as_json

        try:
            click.echo(error_as_json(code, message, hint))
        except OSError as error:
            _end_without_reader(error)
    return code.exit_code


def _wants_json(arguments: list[str]) -> bool:
    """Say whether an answer would have been JSON, of arguments that may be no call that can be read."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return bool({"--json", "--format=json"} & {*options}) or ("--format", "json") in pairwise(
        options
    )


def _end_without_reader(error: OSError) -> ExitCode:
    """End where the answer cannot be written: quietly if the reader has closed the pipe, else with the reason."""
    # The interpreter's own flush at exit must go nowhere.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if isinstance(error, BrokenPipeError):
        return ExitCode.ANSWERED
    click.echo(f"kb: the answer could not be written: {error.strerror or error}", err=True)
    return ExitCode.REFUSED


def _log_fault(error: Exception) -> ExitCode:
    import platform
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix="kb-fault-", suffix=".log", delete=False, encoding="utf-8"
    ) as log:
        log.write(f"kb {__version__}, Python {platform.python_version()}, {platform.platform()}\n")
        log.write(f"arguments: {sys.argv[1:]!r}\n\n")
        log.write("".join(traceback.format_exception(error)))
    message = f"a fault of ours: {type(error).__name__}: {error}"
    hint = f"nothing was lost; please report it with {log.name}"
    return _tell(ErrorCode.FAULT, message, hint)
