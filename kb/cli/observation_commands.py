"""Observations: filing what was said, bringing in mail and the like, and saying whom a mention means."""

from typing import Any

import click

from kb.cli.completion import offer_files, offer_observations, offer_types
from kb.cli.edit_options import do_edit, edit_options, read_text_argument
from kb.cli.filled import Filled
from kb.cli.options import ask_here, format_option, print_answer, root_option
from kb.errors import UsageError


@click.command("observe", cls=Filled)
@click.argument("text", required=False)
@click.option(
    "--file",
    metavar="FILE",
    shell_complete=offer_files,
    help="Read the text from it; - for standard input.",
)
@click.option(
    "--kind",
    default="note",
    show_default=True,
    metavar="KIND",
    help="email, meeting, chat, document, web, note …",
)
@click.option("--title", default="", help="[default: the text's first line]")
@click.option(
    "--happened-at",
    default="",
    metavar="WHEN",
    help="When it was said or happened: EDTF, or as people say it. [default: now, for a text typed here]",
)
@click.option(
    "--said-by",
    default="",
    metavar="WHO",
    help="An entity, a key or a name. [default: you, for a text typed here]",
)
@click.option(
    "--participants",
    multiple=True,
    metavar="WHO",
    help="Who took part: an entity or a key. Repeatable.",
)
@click.option(
    "--source",
    default="",
    metavar="WHERE",
    help="Where it came from: a message id, an address, a path.",
)
@click.option(
    "--derived-from",
    multiple=True,
    metavar="OBSERVATION",
    shell_complete=offer_observations,
    help="What it repeats, so that it is no second witness. Repeatable.",
)
@edit_options
def observe_command(
    text: str | None,
    file: str | None,
    kind: str,
    title: str,
    happened_at: str,
    said_by: str,
    participants: tuple[str, ...],
    source: str,
    derived_from: tuple[str, ...],
    **how: Any,
) -> int:
    """File a text as an observation: sealed, and never changed again. Statements cite it by its id.

    \b
    kb observe "Dana heads partnerships from January." --said-by jordan-lee
    kb observe --file minutes.md --kind meeting --title "Offsite minutes" --happened-at 2026-01-15
    pbpaste | kb observe --file - --kind chat
    """
    from kb.edits.observe import plan_observe

    if text is not None and (file is not None or text == "-"):
        raise UsageError(
            "a text is given once",
            "kb observe TEXT; or --file FILE; or --file - for standard input",
        )
    given = read_text_argument(text, file)
    if given is None:
        raise UsageError(
            "there is no text to file", 'kb observe "TEXT", or --file FILE, or --file -'
        )
    return do_edit(
        lambda workspace: plan_observe(
            workspace,
            given,
            kind=kind,
            title=title,
            happened_at=happened_at,
            said_by=said_by or (how["by"] if file is None else ""),
            participants=participants,
            source=source,
            derived_from=derived_from,
            is_typed=file is None,
        ),
        how,
    )


@click.command("resolve", cls=Filled)
@click.option("--name", default="", help="What it is called there.")
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="KIND:VALUE",
    help="A key that the source's structure gives: an address in a header. Repeatable.",
)
@click.option("--type", "type", metavar="TYPE", shell_complete=offer_types, help="What it is.")
@format_option
@root_option
def resolve_command(
    name: str, keys: tuple[str, ...], type: str | None, format: str, as_json: bool, root: str | None
) -> None:
    """Say whom a mention means: an existing entity (by which key), a new one, or a question for a person.

    Keys decide, names never: a name that somebody bears is a question.

    \b
    kb resolve --key email:dana@northpeak.example
    kb resolve --name "Dana" --type person
    """
    from kb.queries.mention_resolution import resolve_mention

    print_answer(
        ask_here(root, lambda base: resolve_mention(base, name, keys, type)), format, as_json
    )
