"""Statements: said, ended, retracted, cited and confirmed, each as one line's change."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kb.cli.completion import offer_entities, offer_observations, offer_predicates
from kb.cli.edit_options import do_edit, edit_options
from kb.cli.filled import Filled

if TYPE_CHECKING:
    from kb.edits.relate import Saying

Command = TypeVar("Command", bound=Callable[..., Any])


def relation_option(command: Command) -> Command:
    """Add ``--type``, which is read as ``--predicate`` and ``-p`` too."""
    return click.option(
        "-p",
        "--type",
        "--predicate",
        "predicate",
        required=True,
        metavar="WORD",
        shell_complete=offer_predicates,
        help="The relation as it is said: reports-to, manages … 'kb vocabulary' lists them.",
    )(command)


def target_option(command: Command) -> Command:
    """Add ``--target``."""
    return click.option(
        "--target",
        required=True,
        metavar="ENTITY",
        shell_complete=offer_entities,
        help="The entity at the other end.",
    )(command)


def saying_options(command: Command) -> Command:
    """Add what may be said of a statement; it arrives in ``how`` for ``_saying``."""
    for option in (
        click.option(
            "--supersede",
            default="",
            metavar="^ID",
            help="The statement that this one replaces; its line stays, marked.",
        ),
        click.option(
            "--confidence", type=click.IntRange(0, 100), metavar="N", help="How sure, in per cent."
        ),
        click.option(
            "--when", default="", metavar="TIME", help="An event's date, or a whole interval."
        ),
        click.option("--valid-until", default="", metavar="DATE", help="When it ended."),
        click.option("--since", default="", metavar="DATE", help="When it began."),
        click.option(
            "--reason",
            default="",
            metavar="TEXT",
            help='The note. In double quotes ("…") it is verbatim, and must occur in the source.',
        ),
        click.option(
            "--said",
            metavar="TEXT",
            help="What was said, filed as an observation and cited; said by --by, else by you.",
        ),
        click.option(
            "--observation",
            "observations",
            multiple=True,
            metavar="ID",
            shell_complete=offer_observations,
            help="The source to cite. Repeatable.",
        ),
    ):
        command = option(command)
    return command


def _saying(how: dict[str, Any]) -> "Saying":
    from kb.edits.relate import Saying

    return Saying(**{name: how[name] for name in Saying._fields})


@click.command("relate", cls=Filled)
@click.argument("subject", metavar="ENTITY", shell_complete=offer_entities)
@relation_option
@target_option
@saying_options
@edit_options
def relate_command(subject: str, predicate: str, target: str, **how: Any) -> int:
    """Say how two entities are related, citing the source that says so.

    The statement is written once, in its canonical direction: "B manages A" is stored at A as reports-to. Where it stands
    already at a time that overlaps, the source is added to it, with what else is given; at another time it is a second
    period. Dates are EDTF (2026, 2026-03-31) or relative ("last Tuesday"), seen from the day of the source.

    \b
    kb relate dana-reyes --type leads --target fairline-pilot --observation 2026-08-20-pilot-plan --since 2026-09
    kb relate "Jordan Lee" -p manages --target dana-reyes --said "Dana reports to me since January." --since 2026-01
    kb relate np-214 -p custom --target auth-gateway --reason "found while patching it" --observation 2026-07-01-np-214
    """
    from kb.edits.relate import plan_relate

    saying = _saying(how)
    return do_edit(
        lambda workspace: plan_relate(workspace, subject, predicate, target, saying), how
    )


@click.command("fact", cls=Filled)
@click.argument("entity", shell_complete=offer_entities)
@click.argument("predicate", shell_complete=offer_predicates)
@click.argument("value")
@saying_options
@edit_options
def fact_command(entity: str, predicate: str, value: str, **how: Any) -> int:
    """Say a fact of an entity, citing the source that says so.

    A value that contradicts another one where there is one at a time stands beside it, and both are shown as contested;
    --supersede ^ID replaces the other.

    \b
    kb fact dana-reyes title "VP Partnerships" --since 2026-12 --observation 2026-11-17-access-review
    kb fact fairline-pilot pilot-start "next Monday" --said "We start next Monday." --by ines-ferreira
    kb fact dana-reyes title "VP, Partnerships" --said "Corrected." --supersede ^amvbmxj4
    """
    from kb.edits.relate import plan_fact

    saying = _saying(how)
    return do_edit(lambda workspace: plan_fact(workspace, entity, predicate, value, saying), how)


@click.command("unrelate", cls=Filled)
@click.argument("subject", metavar="ENTITY", shell_complete=offer_entities)
@relation_option
@target_option
@click.option("--until", default="", metavar="DATE", help="It held, and ended then.")
@click.option("--delete", is_flag=True, help="Remove its line; git alone remembers it.")
@edit_options
def unrelate_command(
    subject: str, predicate: str, target: str, until: str, delete: bool, **how: Any
) -> int:
    """Say that two entities are no longer related (--until), or never were: the line stays, marked as retracted.

    \b
    kb unrelate dana-reyes --type reports-to --target jordan-lee --until 2026-11
    kb unrelate sam-okafor -p leads --target partnerships-team
    """
    from kb.edits.retire import plan_unrelate

    return do_edit(
        lambda workspace: plan_unrelate(workspace, subject, predicate, target, until, delete), how
    )


@click.command("retire", cls=Filled)
@click.argument("statement", metavar="^ID|ENTITY/^ID")
@click.option("--until", default="", metavar="DATE", help="The world changed: it ended then.")
@click.option("--ended", "is_ended", is_flag=True, help="It is over, nobody knows since when.")
@click.option("--retract", is_flag=True, help="The record was wrong.")
@click.option(
    "--superseded-by",
    default="",
    metavar="^ID",
    help="The record was wrong, and that one is right.",
)
@edit_options
def retire_command(
    statement: str, until: str, is_ended: bool, retract: bool, superseded_by: str, **how: Any
) -> int:
    """End a statement, or mark it as wrong. Its line stays, so that answers about the past stay as they were.

    'kb facts ENTITY' shows the ids.

    \b
    kb retire ^1wfwra4a --until 2026-11-30
    kb retire dana-reyes/^1wfwra4a --retract
    """
    from kb.edits.retire import plan_retire

    return do_edit(
        lambda workspace: plan_retire(
            workspace,
            statement,
            until=until,
            is_ended=is_ended,
            retract=retract,
            superseded_by=superseded_by,
        ),
        how,
    )


@click.command("cite", cls=Filled)
@click.argument("statement", metavar="^ID|ENTITY/^ID")
@click.argument(
    "observations",
    nargs=-1,
    required=True,
    metavar="OBSERVATION…",
    shell_complete=offer_observations,
)
@edit_options
def cite_command(statement: str, observations: tuple[str, ...], **how: Any) -> int:
    """Let a statement cite further observations that say the same.

    \b
    kb cite ^1wfwra4a 2026-11-17-access-review
    """
    from kb.edits.retire import plan_cite

    return do_edit(lambda workspace: plan_cite(workspace, statement, observations), how)


@click.command("confirm", cls=Filled)
@click.argument("statement", metavar="^ID|ENTITY/^ID")
@edit_options
def confirm_command(statement: str, **how: Any) -> int:
    """Make a suggestion (auto-high, auto-medium, auto-low) a plain statement, since you looked and it is so.

    \b
    kb confirm ^1wfwra4a
    """
    from kb.edits.retire import plan_confirm

    return do_edit(lambda workspace: plan_confirm(workspace, statement), how)
