"""The reading commands: arguments in, one query, one answer out."""

from typing import TYPE_CHECKING, Any

import click

from kb.cli.completion import offer_entities, offer_pages, offer_types
from kb.cli.filled import Filled
from kb.cli.options import (
    ask_here,
    direction_option,
    format_option,
    limit_option,
    predicate_option,
    print_answer,
    root_option,
    selection_options,
)
from kb.queries.selection import Selection

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase
    from kb.queries.answers import Answer


@click.command("find", cls=Filled)
@click.argument("name", shell_complete=offer_entities)
@click.option(
    "--type",
    "type",
    metavar="TYPE",
    shell_complete=offer_types,
    help="Only entities of this type.",
)
@click.option(
    "--question",
    metavar="TEXT",
    help="Of those that match equally well, first the one whose own text answers it best.",
)
@limit_option(50)
@format_option
@root_option
def find_command(
    name: str,
    type: str | None,
    question: str | None,
    limit: int,
    format: str,
    as_json: bool,
    root: str | None,
) -> None:
    """Look an entity up by id, key, name or alias, or a part of a name.

    \b
    kb find "Dana"
    kb find email:dana@northpeak.example
    kb find github:dreyes --json
    kb find "Dana" --question "who owns the pilot?"
    """
    from kb.queries.find import find

    answer = ask_here(root, lambda base: find(base, name, type, limit, question))
    print_answer(answer, format, as_json)


@click.command("show", cls=Filled)
@click.argument("entity", metavar="ENTITY|OBSERVATION", shell_complete=offer_pages)
@selection_options("at", "include_ended", "history", "source")
@limit_option(50)
@format_option
@root_option
def show_command(
    entity: str, selection: Selection, limit: int, format: str, as_json: bool, root: str | None
) -> None:
    """Show an entity on one page: headline, names, keys, current facts and relations, mentions, open questions.
    The id of an observation shows its text and what cites it.

    \b
    kb show dana-reyes
    kb show "Dana Reyes" --at 2025-06
    kb show 2026-01-15-offsite
    """
    from kb.queries.show import show
    from kb.queries.show_observation import names_observation, show_observation

    def ask(base: "KnowledgeBase") -> "Answer[Any]":
        if names_observation(base.graph, entity):
            return show_observation(base, entity)
        return show(base, entity, selection, limit)

    print_answer(ask_here(root, ask), format, as_json)


@click.command("facts", cls=Filled)
@click.argument("entity", shell_complete=offer_entities)
@predicate_option
@selection_options("at", "since", "until", "type", "source", "history")
@limit_option(50)
@format_option
@root_option
def facts_command(
    entity: str, predicates: tuple[str, ...], selection: Selection, limit: int, **how: Any
) -> None:
    """List all that is stated of an entity, by predicate, most recent first. What has ended is among it.

    \b
    kb facts fairline-pilot -p pilot-start
    kb facts dana-reyes --since 2026 --source email
    """
    from kb.queries.facts import list_facts

    answer = ask_here(
        how["root"], lambda base: list_facts(base, entity, predicates, selection, limit)
    )
    print_answer(answer, how["format"], how["as_json"])


@click.command("relations", cls=Filled)
@click.argument("entity", required=False, shell_complete=offer_entities)
@predicate_option
@selection_options("at", "since", "until", "type", "source", "include_ended", "history")
@limit_option(50)
@format_option
@root_option
def relations_command(
    entity: str | None, predicates: tuple[str, ...], selection: Selection, limit: int, **how: Any
) -> None:
    """List the relations of an entity, or all of a predicate in the whole knowledge base, counted.

    \b
    kb relations northpeak
    kb relations -p reports-to --include-ended
    """
    from kb.queries.relations import list_relations

    answer = ask_here(
        how["root"], lambda base: list_relations(base, entity, predicates, selection, limit)
    )
    print_answer(answer, how["format"], how["as_json"])


@click.command("neighbors", cls=Filled)
@click.argument("entity", shell_complete=offer_entities)
@predicate_option
@direction_option
@selection_options("at", "since", "until", "type", "source", "include_ended", "history")
@limit_option(50)
@format_option
@root_option
def neighbors_command(
    entity: str,
    predicates: tuple[str, ...],
    direction: str | None,
    selection: Selection,
    limit: int,
    **how: Any,
) -> None:
    """List what an entity is linked to in one hop, by predicate: what holds now, or held --at a time.

    \b
    kb neighbors northpeak -p employs
    kb neighbors dana-reyes --at 2025-06-30
    kb neighbors platform-team -p leads --direction in
    """
    from kb.queries.neighbors import list_neighbors

    answer = ask_here(
        how["root"],
        lambda base: list_neighbors(base, entity, predicates, direction, selection, limit),
    )
    print_answer(answer, how["format"], how["as_json"])


@click.command("paths", cls=Filled)
@click.argument("start", metavar="FROM", shell_complete=offer_entities)
@click.argument("end", metavar="TO", shell_complete=offer_entities)
@click.option(
    "--max-hops", type=int, default=3, show_default=True, help="The longest path, at most 6."
)
@predicate_option
@click.option(
    "--directed", is_flag=True, help="Walk only from subject to object of each predicate as named."
)
@selection_options("at", "since", "until", "source")
@click.option(
    "--hub-degree",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Entities with more neighbours are not walked through.",
)
@limit_option(10)
@format_option
@root_option
def paths_command(
    start: str,
    end: str,
    max_hops: int,
    predicates: tuple[str, ...],
    directed: bool,
    selection: Selection,
    hub_degree: int,
    limit: int,
    **how: Any,
) -> None:
    """Find how two entities are connected: shortest paths first, among equals the best-evidenced.

    What has ended is walked too, and each edge says when it held; --at now keeps what holds now.

    \b
    kb paths dana-reyes fairline
    kb paths dana-reyes fairline --at now --max-hops 2
    kb paths fairline-deal auth-gateway -p depends-on --directed
    """
    from kb.queries.paths import find_paths

    answer = ask_here(
        how["root"],
        lambda base: find_paths(
            base, start, end, max_hops, predicates, directed, selection, hub_degree, limit
        ),
    )
    print_answer(answer, how["format"], how["as_json"])


@click.command("timeline", cls=Filled)
@click.argument("entity", shell_complete=offer_entities)
@predicate_option
@direction_option
@selection_options("at", "since", "until", "type", "source", "history")
@limit_option(60)
@format_option
@root_option
def timeline_command(
    entity: str,
    predicates: tuple[str, ...],
    direction: str | None,
    selection: Selection,
    limit: int,
    **how: Any,
) -> None:
    """List when what is stated of an entity began and ended, earliest first.

    \b
    kb timeline dana-reyes
    kb timeline northpeak -p employs --since 2026
    """
    from kb.queries.timeline import list_timeline

    answer = ask_here(
        how["root"],
        lambda base: list_timeline(base, entity, predicates, direction, selection, limit),
    )
    print_answer(answer, how["format"], how["as_json"])


@click.command("stats", cls=Filled)
@format_option
@root_option
def stats_command(format: str, as_json: bool, root: str | None) -> None:
    """Count entities, statements and observations, and what is undated, uncited, contested or unresolved."""
    from kb.queries.stats import count_stats

    print_answer(ask_here(root, count_stats), format, as_json)


@click.command("vocabulary", cls=Filled)
@format_option
@root_option
def vocabulary_command(format: str, as_json: bool, root: str | None) -> None:
    """List the words that this knowledge base may use: types, kinds of key, relations, facts."""
    from kb.queries.vocabulary import list_vocabulary

    print_answer(ask_here(root, list_vocabulary), format, as_json)
