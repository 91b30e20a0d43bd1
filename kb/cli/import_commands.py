"""``ingest``: mail, calendars, contact cards and texts. ``import``: records of other programs, one command a form."""

import time
from typing import Any

import click

from kb.cli.completion import offer_files
from kb.cli.edit_options import read_write_options, run_options, tell_uncommitted
from kb.cli.filled import Filled
from kb.cli.options import Progress, chosen_root, load_here, root_option, warn
from kb.errors import ExitCode


@click.command("ingest", cls=Filled)
@click.argument("paths", nargs=-1, required=True, metavar="FILE|DIR…", shell_complete=offer_files)
@click.option(
    "--mbox",
    type=click.Choice(["rd", "o"]),
    default="rd",
    show_default=True,
    help="How mailboxes quote lines that begin with From.",
)
@run_options
def ingest_command(paths: tuple[str, ...], mbox: str, **how: Any) -> int:
    """Bring in mail (.eml, mbox, Maildir), calendars (.ics), contact cards (.vcf) and texts (.md, .txt).

    Each message, event or card becomes one observation. Who took part is known by the addresses in its headers: whoever
    bears the address, or a new entity. What is there already adds nothing. A run is one edit: 'kb undo' takes all of it
    back.

    Exits with 1 if something was not kept: a file that nothing reads, a folder in which nothing is read, a text that is
    too large.

    \b
    kb ingest ~/Mail/northpeak.mbox --dry-run
    kb ingest export/ contacts.vcf --commit
    """
    from kb.ingest.keep_sources import ingest_sources
    from kb.ingest.mboxes import MboxForm
    from kb.ingest.read_sources import check_sources, read_sources
    from kb.render.ingested import ingested_as_json, ingested_lines

    options = read_write_options(how)
    progress = Progress()
    form = MboxForm.RD if mbox == "rd" else MboxForm.O
    items = (item for path in paths for item in read_sources(path, form))
    root = chosen_root(how["root"])
    check_sources(root, paths)
    done = ingest_sources(root, int(time.time()), items, options, progress.kept)
    progress.clear()
    if how["as_json"]:
        click.echo(ingested_as_json(done))
    else:
        for line in ingested_lines(done):
            click.echo(line)
    warn(done.warnings)
    status = tell_uncommitted(done.uncommitted)
    if done.is_interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.REFUSED if any(one.is_lost for one in done.problems) else status


@click.group("import")
def import_group() -> None:
    """Bring records in from other forms. Each import can be run again: it adds only what is new."""


@import_group.command("jsonl", cls=Filled)
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--add-words", is_flag=True, help="Write the words that the vocabulary lacks into kb.yaml."
)
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would be made.")
@click.option("--json", "as_json", is_flag=True, help="The outcome as JSON.")
@root_option
def jsonl_command(
    file: str, add_words: bool, dry_run: bool, as_json: bool, root: str | None
) -> int:
    """Turn JSON lines into entity and observation files.

    One object a line: {"kind": "entity", "ref", "type", "name", "keys", "aliases"}, "observation" with "ref",
    "happened_at", "said_by", "title", "text", "relation" with "subject", "predicate", "object", "since", "until",
    "source", and "fact" with "subject", "predicate", "value", "at". What is kept otherwise than it
    stands, and what is not kept, is reported by line.

    Exits with 1 if a record or file was not kept: no JSON, an end that is not there, a file that cannot be written.

    \b
    kb import jsonl export.jsonl --dry-run
    kb import jsonl export.jsonl --add-words
    """
    from kb.ingest.jsonl import import_jsonl
    from kb.render.edits import import_as_json, render_import

    base = load_here(root)
    progress = Progress()
    done = import_jsonl(base, file, add_words=add_words, dry_run=dry_run, progress=progress.wrote)
    progress.clear()
    if as_json:
        click.echo(import_as_json(done))
    else:
        shown, summary = render_import(done, file)
        click.echo(shown, nl=False)
        click.echo(summary, err=True)
    return ExitCode.REFUSED if done.lost else ExitCode.ANSWERED
