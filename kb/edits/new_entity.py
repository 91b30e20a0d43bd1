"""``kb new``: a new entity's file. Its id is made from its name; who it is say its keys."""

from collections.abc import Sequence

from kb.edits.edit import Edit, FileChange
from kb.edits.entity_fields import (
    note_namesakes,
    note_several,
    read_keys,
    read_name,
    read_names,
    read_type,
)
from kb.edits.file_texts import format_entity
from kb.edits.lost_links import check_links
from kb.edits.workspace import Refused, Taken, Workspace
from kb.errors import UsageError
from kb.model.entity import EntityFile
from kb.model.names import is_id
from kb.model.statement import LinkForm
from kb.store.layout import entity_path, why_unportable
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.slugs import slugify
from kb.syntax.source import Source

#: What must read as a statement below any description.
_STATEMENT = "\n## Facts\n\n- title:: x\n"


def plan_new(
    workspace: Workspace,
    type: str,
    name: str,
    *,
    id: str = "",
    aliases: Sequence[str] = (),
    keys: Sequence[str] = (),
    description: str = "",
) -> Edit:
    """Plan a new entity. Refused where a key has a bearer; others of its name are named, and nothing is decided."""
    kind, notes = read_type(workspace, type)
    called = read_name(name)
    others = tuple(alias for alias in read_names(aliases) if alias != called)
    borne, about_keys = read_keys(workspace, keys, kind)
    wanted = id or slugify(called)
    chosen = _read_id(workspace, id) if id else workspace.free_entity_id(wanted)
    if what := workspace.unread.claiming(wanted):
        notes += (f"{what}: the id is {chosen}",)
    path = entity_path(workspace.root, folder_of(kind), chosen)
    fields = (
        ("id", chosen),
        ("type", kind),
        ("name", called),
        ("aliases", others),
        ("keys", borne),
    )
    text = format_entity(path, fields, description.strip(), (), {})
    read, _ = parse_entity_file(Source(path, text))
    # A fence or comment that is left open would swallow every statement to come.
    later, _ = parse_entity_file(Source(path, f"{text}{_STATEMENT}"))
    if not _reads_as(read, chosen, kind, called, others, borne) or len(later.statements) != 1:
        raise Refused(
            "it would not read as intended: no file was made",
            "leave statements, fences and control characters out of names and description",
        )
    check_links(workspace, (one for one in read.links if one.form is LinkForm.MARKDOWN), path)
    for one in (called, *others):
        notes += note_namesakes(workspace, one, kind)
    return Edit(
        "new",
        f"new {kind} {called} ({chosen})",
        (FileChange(path, None, _encoded(text)),),
        (chosen,),
        path,
        notes=(*notes, *about_keys, *note_several(workspace, borne)),
    )


def _read_id(workspace: Workspace, id: str) -> str:
    if not is_id(id):
        raise UsageError(
            f'"{id}" is no id',
            f"ids are lower-case letters, digits and single '-', at most 80: {slugify(id)}",
        )
    if why := why_unportable(f"{id}.md"):
        raise UsageError(
            f'"{id}" is no id: a file of that name {why}', f"such as --id {slugify(id)}"
        )
    if what := workspace.unread.claiming(id):
        raise Taken(what, "mend or take away what is there, or choose another id")
    if bearers := [one for one in workspace.places.bearers(id) if one != id]:
        raise Taken(
            f'"{id}" is a name of {workspace.name_of(bearers[0])} ({bearers[0]}), and would lead to another as an id',
            "choose another id",
        )
    if workspace.is_taken(id):
        raise Taken(f'the id "{id}" is taken', f"kb show {id}")
    return id


def folder_of(kind: str) -> str:
    """Give the folder of a type; one that no system could hold lies with the others."""
    return "other" if "/" in kind or why_unportable(kind) else kind


def _reads_as(
    read: EntityFile,
    id: str,
    kind: str,
    name: str,
    aliases: tuple[str, ...],
    keys: tuple[str, ...],
) -> bool:
    found = (
        read.id,
        read.type,
        read.name,
        tuple(alias.text for alias in read.aliases),
        tuple(key.text for key in read.keys),
    )
    return found == (id, kind, name, aliases, keys) and not (read.is_broken or read.statements)


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError("the text is not UTF-8", "convert it first") from None
