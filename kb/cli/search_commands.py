"""Full-text search, and the state of the index behind it."""

import time
from typing import TYPE_CHECKING, Any

import click

from kb.cli.completion import offer_entities, offer_types
from kb.cli.filled import Filled
from kb.cli.options import (
    Progress,
    ask_here,
    chosen_root,
    format_option,
    limit_option,
    print_answer,
    root_option,
    selection_options,
    warn,
)
from kb.queries.selection import Selection

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase


@click.command("search", cls=Filled)
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
    progress = Progress()

    def ask(base: "KnowledgeBase") -> Any:
        return search(
            base, " ".join(text), entity, expand, kind, selection, limit, explain, progress.indexed
        )

    answer = ask_here(how["root"], ask)
    progress.clear()
    warn(answer.results.warnings)
    print_answer(answer, how["format"], how["as_json"])


@click.command("rebuild", cls=Filled)
@click.option("--full", is_flag=True, help="Build and write all of it anew, whatever is there.")
@click.option("--graph", is_flag=True, help="The graph alone, not the full text.")
@root_option
def rebuild_command(full: bool, graph: bool, root: str | None) -> None:
    """Bring what is derived from the files up to date. Commands do so by themselves; nothing is lost without it.

    \b
    kb rebuild
    kb rebuild --full
    kb rebuild --full --graph
    """
    from kb.queries.rebuild import rebuild_graph, rebuild_index
    from kb.render.counts import format_count

    progress = Progress()
    base, counted = rebuild_graph(_root_here(root), int(time.time()), full, progress.read)
    progress.clear()
    warn(base.warnings)
    counts = (format_count(counted.files, "file"), format_count(counted.entities, "entity"))
    click.echo(f"graph: {', '.join(counts)}, {format_count(counted.statements, 'statement')}")
    if graph:
        return
    opened = rebuild_index(base, full, progress.indexed)
    progress.clear()
    warn(opened.warnings)
    documents = format_count(opened.lookup.count, "document")
    click.echo(f"full text: {documents}, {opened.written} written")
    opened.lookup.close()


@click.command("doctor", cls=Filled)
@format_option
@root_option
def doctor_command(**how: Any) -> None:
    """Say what is derived from the files, where it lies, and whether it would be made anew. Changes nothing.

    \b
    kb doctor
    kb doctor --json
    """
    from kb.knowledge_base import KnowledgeBase
    from kb.queries.derived_state import look_at_derived_state

    answer = look_at_derived_state(KnowledgeBase(_root_here(how["root"]), int(time.time())))
    print_answer(answer, how["format"], how["as_json"])


def _root_here(root: str | None) -> str:
    """Say which folder is meant; that of the open knowledge base, where a host program handed one in."""
    handed_in = click.get_current_context().find_root().obj
    if root is None and handed_in is not None and not isinstance(handed_in, str):
        return str(handed_in.root)
    return chosen_root(root)
