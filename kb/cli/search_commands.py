"""Full-text search, and the state of the index behind it."""

from typing import Any

import click

from kb.cli.completion import offer_entities, offer_types
from kb.cli.options import (
    Progress,
    format_option,
    limit_option,
    open_here,
    print_answer,
    root_option,
    selection_options,
)
from kb.queries.selection import Selection


@click.command("search")
@click.argument("text", nargs=-1, required=True, metavar="TEXT…")
@click.option(
    "--entity",
    metavar="ENTITY",
    shell_complete=offer_entities,
    help="Only what mentions it: an id, a key or a name.",
)
@click.option("--expand", is_flag=True, help="Also what mentions those it is closely related to.")
@click.option("--kind", metavar="KIND", help="entity, observation, or a kind of observation.")
@click.option(
    "--type", metavar="TYPE", shell_complete=offer_types, help="Only entities of this type."
)
@selection_options("since", "until", "source")
@click.option("--explain", is_flag=True, help="Show the parts of each score.")
@limit_option(50)
@format_option
@root_option
def search_command(
    text: tuple[str, ...],
    entity: str | None,
    expand: bool,
    kind: str | None,
    type: str | None,
    selection: Selection,
    explain: bool,
    limit: int,
    **how: Any,
) -> None:
    """Search names, texts, values and notes. All words are wanted; where nothing holds all, weaker hits are offered.

    "…" is a phrase, wor* a beginning, -word is not wanted, OR between two gives either, name:word looks in names and
    titles. Case, accents and English endings do not matter.

    \b
    kb search pilot term
    kb search '"section 4"' --entity dana-reyes
    kb search 'gateway -outage' --kind email --since 2026
    kb search 'pric*' --entity dana-reyes --expand --explain
    """
    from kb.queries.search import search

    selection = selection._replace(type=type)
    base = open_here(how["root"])
    progress = Progress()
    answer = search(
        base, " ".join(text), entity, expand, kind, selection, limit, explain, progress.indexed
    )
    progress.clear()
    _warn(answer.results.warnings)
    print_answer(answer, how["format"], how["as_json"])


@click.command("rebuild")
@click.option("--full", is_flag=True, help="Write all of it anew, whatever is there.")
@root_option
def rebuild_command(full: bool, root: str | None) -> None:
    """Bring what is derived from the files up to date. Searches do so by themselves; nothing is lost without it.

    \b
    kb rebuild
    kb rebuild --full
    """
    from kb.queries.search import rebuild_index
    from kb.render.counts import format_count

    base = open_here(root)
    progress = Progress()
    opened = rebuild_index(base, full, progress.indexed)
    opened.lookup.close()
    progress.clear()
    _warn(opened.warnings)
    click.echo(f"full-text index: {format_count(opened.written, 'document')} written")


@click.command("doctor")
@root_option
def doctor_command(root: str | None) -> None:
    """Say what is derived from the files, where it lies, and whether it would be made anew. Changes nothing.

    \b
    kb doctor
    """
    from kb.queries.derived_state import look_at_derived_state
    from kb.render.derived_state import derived_state_lines

    for line in derived_state_lines(look_at_derived_state(open_here(root))):
        click.echo(line)


def _warn(warnings: tuple[str, ...]) -> None:
    from kb.render.terminal import escape_terminal

    for warning in warnings:
        click.echo(f"kb: {escape_terminal(warning)}", err=True)
