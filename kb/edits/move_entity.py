"""``kb move``: an entity's file to another type's folder or another place. The id stays, and links follow.

Relative links inside the file are written anew from its new place, links to it in other entities' files from theirs,
all in one edit. Labels, anchors and titles stay; quotes and observations, which say what a source says, do too.
"""

import os
import re
from collections.abc import Iterator

from kb.edits.edit import Edit, FileChange
from kb.edits.entity_fields import read_type
from kb.edits.entity_links import (
    FoundLink,
    LinkingFile,
    find_linking,
    iter_found_links,
    words_for,
)
from kb.edits.front_matter_splices import with_field
from kb.edits.new_entity import folder_of
from kb.edits.set_fields import check_new_type
from kb.edits.workspace import EntityText, LeftAlone, Refused, Taken, Workspace
from kb.errors import UsageError
from kb.graph.links import Landing
from kb.model.entity import EntityFile
from kb.model.names import stem_of
from kb.model.statement import LinkForm
from kb.store.layout import entity_path, relative_link, resolve_path, why_unportable
from kb.store.root import ENTITIES
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.source import Source, decode
from kb.syntax.splices import apply_splices, retarget_link

_PICTURE = re.compile(r"!\[[^\]\r\n]*\]\((?!\w+:)")


def plan_move(workspace: Workspace, entity: str, *, type: str = "", to: str = "") -> Edit:
    """Plan the move of an entity's own file to a type (field and folder), or to a path under ``entities/``."""
    if bool(type) == bool(to):
        raise UsageError("say where to: a type or a place", "kb move ENTITY --type T, or --to PATH")
    id = workspace.file_id(entity)
    opened = workspace.open_entity(id)
    old = opened.file.path
    if stem_of(old) != id:
        raise Refused(f'{old} is not named after its id "{id}"', f"rename it to {id}.md first")
    notes: tuple[str, ...] = ()
    kind = ""
    if type:
        kind, notes = read_type(workspace, type)
        notes += check_new_type(workspace, id, kind)
        new = entity_path(workspace.root, folder_of(kind), id)
    else:
        new = _read_place(to, id)
    changes: tuple[FileChange, ...] = ()
    source = opened.source if new == old else _moved(workspace, opened, new)
    if kind and workspace.vocabulary.read_type(opened.file.type) != kind:
        source = with_field(source, "type", kind)
    if new == old:
        if source is not opened.source:
            changes = (opened.change(source.text),)
    else:
        if os.path.lexists(os.path.join(workspace.root, new)):
            raise Taken(f"{new} is there already", "choose another place")
        followed, more = _follow(workspace, id, old, new)
        made = Source(new, source.text, source.has_bom).encode()
        changes = (FileChange(new, None, made), *followed, FileChange(old, opened.data, None))
        notes = (*notes, *more)
        if _PICTURE.search(opened.source.text, opened.source.text.find("---", 3)):
            notes += ("pictures in the file are not followed: look at their paths",)
    done = f"move {id}: {old} → {new}" if new != old else f"{id} is a {kind}"
    return Edit(
        "move", done if changes else f"{id} lies there already", changes, (id,), new, notes=notes
    )


def _read_place(to: str, id: str) -> str:
    path = to.strip().removeprefix("./")
    if not path.lower().endswith(".md"):
        path = f"{path.rstrip('/')}/{id}.md"
    *folders, name = path.split("/")
    if not folders or folders[0] != ENTITIES:
        raise UsageError(f"{to} does not lie under {ENTITIES}/", f"for example {ENTITIES}/person/")
    if name != f"{id}.md":
        raise UsageError(f'the file of "{id}" is named {id}.md', "an id never changes")
    for part in folders:
        if part in ("", ".", "..") or why_unportable(part):
            raise UsageError(f"{to} is no place for an entity", f"for example {ENTITIES}/person/")
    return path


# -- links -------------------------------------------------------------------------------------------------------


def _moved(workspace: Workspace, opened: EntityText, new: str) -> Source:
    """Write the links of a file as they lead from its new place."""
    text, old = opened.source.text, opened.file.path
    splices = []
    for found in iter_found_links(opened.file):
        goal = _goal(workspace, found, opened.file.id, old, new)
        if goal is not None and resolve_path(new, found.link.target) != goal:
            splice = retarget_link(text, found.link, relative_link(new, goal))
            splices += [splice] if splice else []
    after = Source(new, apply_splices(text, splices), opened.source.has_bom)
    _prove(workspace, opened.file, after)
    return after


def _goal(workspace: Workspace, found: FoundLink, id: str, old: str, new: str) -> str | None:
    """Say to which path a link of the moved file leads; ``None``: it is left as it is."""
    link = found.link
    if link.form is not LinkForm.MARKDOWN or found.is_verbatim:
        return None
    target = workspace.links.resolve(link, old)
    if target.id is not None:
        return new if target.id == id else workspace.places.path_of(target.id)
    if target.observation is not None:
        seen = workspace.graph.observations.get(target.observation)
        return seen.path if seen else None
    if target.landing is Landing.OUTSIDE or not link.target or ":" in link.target.split("/")[0]:
        return None
    return resolve_path(old, link.target)


def _follow(
    workspace: Workspace, id: str, old: str, new: str
) -> tuple[list[FileChange], tuple[str, ...]]:
    """Lead the links of other files to the new place."""
    changes: list[FileChange] = []
    left: list[str] = []
    for one in find_linking(workspace, words_for(old, id), old, id):
        if any(_is_left_behind(found, one, new) for found in one.links):
            change = _retargeted(workspace, one, new)
            if change is None:
                left.append(one.file.path)
            else:
                changes.append(change)
    notes = (f"links to the old place are left in {', '.join(left)}",) if left else ()
    return changes, notes


def _is_left_behind(found: FoundLink, one: LinkingFile, new: str) -> bool:
    link = found.link
    return link.form is LinkForm.MARKDOWN and resolve_path(one.file.path, link.target) != new


def _retargeted(workspace: Workspace, one: LinkingFile, new: str) -> FileChange | None:
    """Give the change of a linking file; ``None`` where its links must stay, or nothing of it could be written."""
    source = decode(one.file.path, one.data)
    if not isinstance(one.file, EntityFile) or not source.is_utf8:
        return None
    splices = [
        splice
        for found in one.links
        if _is_left_behind(found, one, new) and not found.is_verbatim
        for splice in (retarget_link(source.text, found.link, relative_link(one.file.path, new)),)
        if splice is not None
    ]
    if not splices:
        return None
    after = Source(source.path, apply_splices(source.text, splices), source.has_bom)
    _prove(workspace, one.file, after)
    return FileChange(one.file.path, one.data, after.encode())


def _prove(workspace: Workspace, file: EntityFile, after: Source) -> None:
    """Refuse a text that would say anything else than the file did, but for where it lies."""
    read, _ = parse_entity_file(after)
    if read.is_broken or list(_meanings(workspace, read)) != list(_meanings(workspace, file)):
        raise LeftAlone(f"{file.path} is left alone: its links cannot be led to another place")


def _meanings(workspace: Workspace, file: EntityFile) -> Iterator[object]:
    def goal(found: FoundLink) -> object:
        target = workspace.links.resolve(found.link, file.path)
        return target.id or target.observation or target.landing

    yield file.id, file.type, file.name, file.fields
    for line in file.statements:
        yield line.section, line.predicate, line.id, line.interval, line.confidence, line.by
        yield tuple(citation.observation for citation in line.citations)
        yield line.auto, line.retracted, line.superseded_by, line.quote
    for found in iter_found_links(file):
        yield goal(found), found.link.label
