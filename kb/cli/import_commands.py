"""``import``: records of other programs, one command a form."""

import click

from kb.cli.options import Progress, load_here, root_option
from kb.errors import ExitCode


@click.group("import")
def import_group() -> None:
    """Bring records in from other forms. Each import can be run again: it adds only what is new."""


@import_group.command("jsonl")
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
