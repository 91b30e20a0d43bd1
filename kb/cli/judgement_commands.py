"""Commands that say who is one with whom, and put decisions on record; and the query that looks for what to decide."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kb.cli.completion import offer_entities, offer_observations, offer_pages
from kb.cli.edit_options import do_edit, edit_options
from kb.cli.filled import Filled
from kb.cli.options import ask_here, format_option, limit_option, print_answer, root_option
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.edits.decisions import Reason

Command = TypeVar("Command", bound=Callable[..., Any])


def _reason_options(command: Command) -> Command:
    """Add what every judgement takes; they arrive as keyword arguments for ``_take_reason``."""
    for option in (
        click.option(
            "--happened-at",
            default="",
            metavar="WHEN",
            help="When it was decided: EDTF, or as people say it. [default: now]",
        ),
        click.option(
            "--observation",
            "evidence",
            multiple=True,
            metavar="ID",
            shell_complete=offer_observations,
            help="An observation that it rests on. Repeatable.",
        ),
        click.option("--why", required=True, metavar="TEXT", help="The reason, for the record."),
    ):
        command = option(command)
    return command


def _take_reason(how: dict[str, Any]) -> "Reason":
    from getpass import getuser

    from kb.edits.decisions import Reason
    from kb.edits.statement_times import read_happened_at

    if not how["why"].strip():
        raise UsageError("a judgement needs its reason", "--why TEXT")
    notes: list[str] = []
    happened_at = read_happened_at(how.pop("happened_at"), int(time.time()), notes)
    try:
        user = getuser()
    except (KeyError, OSError):  # a container without accounts
        user = ""
    return Reason(how.pop("why"), how.pop("evidence"), how["by"], user, happened_at, tuple(notes))


@click.command("merge", cls=Filled)
@click.argument("survivor", shell_complete=offer_entities)
@click.argument("other", shell_complete=offer_entities)
@_reason_options
@click.option(
    "--force",
    is_flag=True,
    help="Though a judgement, or keys of which one has one, say that they are two.",
)
@edit_options
def merge_command(survivor: str, other: str, force: bool, **how: Any) -> int:
    """Say that two entities are one: OTHER gets a line that redirects it to SURVIVOR, and counts as it from then on.

    Both files stay, so that 'kb unmerge' undoes it exactly. Refused for two types, for what was judged distinct, rejected or
    unmerged, and for different keys of a kind that one has one of (crm, orcid, isbn …; not addresses). The decision is filed
    with its reason.

    \b
    kb merge ines-carvalho i-carvalho --why "I asked her." --observation 2025-04-01-crm-import
    """
    from kb.edits.judgements import plan_merge

    reason = _take_reason(how)
    return do_edit(
        lambda workspace: plan_merge(workspace, survivor, other, reason, force=force), how
    )


@click.command("unmerge", cls=Filled)
@click.argument("other", metavar="MERGED", shell_complete=offer_entities)
@_reason_options
@edit_options
def unmerge_command(other: str, **how: Any) -> int:
    """Undo a merge: the redirect goes, and the file is as it was before, with all that was stated in it.

    \b
    kb unmerge i-carvalho --why "There is an Ivo Carvalho after all."
    """
    from kb.edits.judgements import plan_unmerge

    reason = _take_reason(how)
    return do_edit(lambda workspace: plan_unmerge(workspace, other, reason), how)


@click.command("distinct", cls=Filled)
@click.argument("first", metavar="ONE", shell_complete=offer_entities)
@click.argument("second", metavar="OTHER", shell_complete=offer_entities)
@_reason_options
@click.option("--withdraw", is_flag=True, help="Take the judgement back.")
@edit_options
def distinct_command(first: str, second: str, withdraw: bool, **how: Any) -> int:
    """Say that two entities are not the same, and all that was merged into them neither. It beats a merge.

    \b
    kb distinct dana-reyes dana-whitfield --why "They had coffee with each other."
    kb distinct dana-reyes dana-whitfield --withdraw --why "It was one Dana, twice."
    """
    from kb.edits.judgements import plan_distinct

    reason = _take_reason(how)
    return do_edit(
        lambda workspace: plan_distinct(workspace, first, second, reason, withdraw=withdraw), how
    )


@click.command("decide", cls=Filled)
@click.argument("decision", type=click.Choice(["reject", "not-mentioned", "correct"]))
@click.argument("about", nargs=-1, required=True, metavar="ABOUT…", shell_complete=offer_pages)
@_reason_options
@click.option("--title", default="", help="[default: the reason's first line]")
@edit_options
def decide_command(decision: str, about: tuple[str, ...], title: str, **how: Any) -> int:
    """Put another decision on record. It changes no entity, and programs that suggest things read it.

    reject: two entities are not one, or not what was suggested of them; or statements (entity/^id) are wrong.
    not-mentioned: an entity does not occur in an observation. correct: what was recorded was wrong, of any entities,
    observations and statements; it takes back the decisions that it is about, and those that part the entities.

    \b
    kb decide reject dana-whitfield northpeak --why "She works for Fairline."
    kb decide not-mentioned dana-whitfield 2026-10-22-proposal-email --why "It is signed by the other Dana."
    kb decide correct lukasz-wrona platform-team --why "He is on call; Olena leads."
    """
    from kb.edits.decisions import plan_decide
    from kb.edits.one_line import check_one_line

    check_one_line("a title", title)
    reason = _take_reason(how)
    return do_edit(lambda workspace: plan_decide(workspace, decision, about, reason, title), how)


@click.command("candidates", cls=Filled)
@click.argument("entity", required=False, shell_complete=offer_entities)
@limit_option(50)
@format_option
@root_option
def candidates_command(
    entity: str | None, limit: int, format: str, as_json: bool, root: str | None
) -> None:
    """List which entities may be one, with the reasons: a shared key, one name and type, near names and shared neighbours.

    Nothing is decided. Pairs that were judged do not come back.

    \b
    kb candidates
    kb candidates dana-reyes --json
    """
    from kb.queries.candidates import list_candidates

    answer = ask_here(root, lambda base: list_candidates(base, entity, limit))
    print_answer(answer, format, as_json)
