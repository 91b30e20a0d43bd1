"""Commands that make, change, move and remove entities, and the one that takes an edit back."""

from typing import Any

import click

from kb.cli.completion import offer_entities, offer_folders, offer_pages, offer_types
from kb.cli.edit_options import do_edit, edit_options, print_applied
from kb.cli.filled import Filled
from kb.cli.options import chosen_root, root_option
from kb.errors import UsageError


@click.command("new", cls=Filled)
@click.argument("type", shell_complete=offer_types)
@click.argument("name")
@click.option("--id", default="", help="[default: made from the name]")
@click.option("--alias", "aliases", multiple=True, metavar="NAME", help="Repeatable.")
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="KIND:VALUE",
    help="What tells it apart: an address, a handle, a number. Repeatable.",
)
@click.option(
    "--description", default="", metavar="TEXT", help="Free text, of which nothing is cited."
)
@edit_options
def new_command(
    type: str,
    name: str,
    id: str,
    aliases: tuple[str, ...],
    keys: tuple[str, ...],
    description: str,
    **how: Any,
) -> int:
    """Make an entity. Keys say who it is: one that another bears is refused. Names do not: who else bears one is named.

    \b
    kb new person "Mina Okada" --key email:mina@aoba.example
    kb new company "Lockgate" --alias "Lockgate Ltd" --key domain:lockgate.example
    kb new deal "Aoba renewal" --id aoba-renewal-2027 --dry-run
    """
    from kb.edits.new_entity import plan_new

    return do_edit(
        lambda workspace: plan_new(
            workspace, type, name, id=id, aliases=aliases, keys=keys, description=description
        ),
        how,
    )


@click.command("set", cls=Filled, may_be_blank=("values",))
@click.argument("entity", shell_complete=offer_entities)
@click.argument("field")
@click.argument("values", nargs=-1, metavar="[VALUE]…")
@click.option("--add", is_flag=True, help="Add the values to the field's list.")
@click.option("--remove", is_flag=True, help="Take them out of it.")
@click.option("--unset", is_flag=True, help="Take the field away.")
@edit_options
def set_command(
    entity: str,
    field: str,
    values: tuple[str, ...],
    add: bool,
    remove: bool,
    unset: bool,
    **how: Any,
) -> int:
    """Set a field of an entity's frontmatter: name, type, aliases, keys, or any of your own. All else stays to the byte.

    Values are text: NO stays NO, and 0042 stays 0042. 'alias' and 'key' add one to their list; 'aliases' and 'keys' are
    the whole list, unless --add or --remove says otherwise.

    \b
    kb set dana-reyes alias "Dana R."
    kb set dana-reyes keys email:dreyes@northpeak.example --add
    kb set fairline-deal stage negotiation
    kb set fairline-deal tags priority 2027
    kb set fairline-deal stage --unset
    """
    from kb.edits.set_fields import How, plan_set

    chosen = [
        way
        for way, is_given in ((How.ADD, add), (How.REMOVE, remove), (How.UNSET, unset))
        if is_given
    ]
    if len(chosen) > 1:
        names = " and ".join(f"--{way.value}" for way in chosen)
        raise UsageError(f"{names} cannot stand together", "give one of them")
    way = chosen[0] if chosen else How.SET
    return do_edit(lambda workspace: plan_set(workspace, entity, field, values, way), how)


@click.command("rename", cls=Filled)
@click.argument("entity", shell_complete=offer_entities)
@click.argument("name")
@click.option("--forget", is_flag=True, help="Do not keep the old name as an alias.")
@edit_options
def rename_command(entity: str, name: str, forget: bool, **how: Any) -> int:
    """Give an entity another name. The old one becomes an alias, so that it is still found; the id never changes.

    \b
    kb rename ines-carvalho "Inês Carvalho-Moe"
    kb rename lockgate "Lockgate AG" --forget
    """
    from kb.edits.set_fields import plan_rename

    return do_edit(lambda workspace: plan_rename(workspace, entity, name, forget=forget), how)


@click.command("move", cls=Filled)
@click.argument("entity", shell_complete=offer_entities)
@click.option(
    "--type",
    "type",
    default="",
    metavar="TYPE",
    shell_complete=offer_types,
    help="To this type: the field, and the folder.",
)
@click.option(
    "--to",
    default="",
    metavar="PATH",
    shell_complete=offer_folders,
    help="To this folder or file under entities/, from the root.",
)
@edit_options
def move_command(entity: str, type: str, to: str, **how: Any) -> int:
    """Move an entity's file: to another type, or another place. The id stays, and links to and in the file follow.

    \b
    kb move northpeak-sales --type team
    kb move dana-reyes --to entities/person/reyes/
    """
    from kb.edits.move_entity import plan_move

    if bool(type) == bool(to):
        raise UsageError("say where to: a type or a place", "--type TYPE, or --to PATH")
    return do_edit(lambda workspace: plan_move(workspace, entity, type=type, to=to), how)


@click.command("remove", cls=Filled)
@click.argument("entity", metavar="ENTITY|OBSERVATION", shell_complete=offer_pages)
@click.option("--force", is_flag=True, help="Remove what is in use, and say what dangles.")
@edit_options
def remove_command(entity: str, force: bool, **how: Any) -> int:
    """Remove an entity's file, or an observation's. Refused while anything is stated of it, links to it or cites it.

    What turned out to be wrong is better retired, and what turned out to be another merged: then it stays on record.

    \b
    kb remove gate-7 --dry-run
    kb remove 2025-04-01-crm-import
    kb remove gate-7 --force
    """
    from kb.edits.remove_file import plan_remove

    return do_edit(lambda workspace: plan_remove(workspace, entity, force=force), how)


@click.command("undo", cls=Filled)
@root_option
@click.option("--json", "as_json", is_flag=True, help="Say what was done as JSON.")
@click.option("--by", default="", metavar="WHO", help="Who takes it back, for the record.")
@click.option("--dry-run", is_flag=True, help="Write nothing; show the diff.")
def undo_command(root: str | None, as_json: bool, by: str, dry_run: bool) -> int:
    """Take back the last edit that kb made: its files are as they were, to the byte. Once more takes back the one before.

    Refused where one of the files changed since. An edit that was committed is taken back by another commit.

    \b
    kb undo --dry-run
    kb undo
    """
    from kb.edits.undo import undo_last

    return print_applied(undo_last(chosen_root(root), by, dry_run), as_json)
