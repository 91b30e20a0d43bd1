"""``kb remove``: an entity's or an observation's file. Refused while anything would be left dangling, unless asked."""

from typing import NamedTuple

from kb.edits.edit import Edit, FileChange
from kb.edits.entity_links import find_judging, find_linking, find_said_by, words_for
from kb.edits.statement_words import find_replaced
from kb.edits.workspace import InUse, LeftAlone, Workspace
from kb.load import load_file

#: Of each kind of use, as many are named.
_SHOWN = 5


class _Use(NamedTuple):
    """What would be left dangling, or lost."""

    what: str
    who: tuple[str, ...]

    def __str__(self) -> str:
        more = f", … {len(self.who) - _SHOWN} more" if len(self.who) > _SHOWN else ""
        return f"{len(self.who)} {self.what}: {', '.join(self.who[:_SHOWN])}{more}"


def plan_remove(workspace: Workspace, argument: str, *, force: bool = False) -> Edit:
    """Plan the removal of an entity's own file, or of an observation; ``force`` removes what is in use, and says what dangles."""
    text = argument.strip()
    is_entity = workspace.places.path_of(text) is not None
    if not is_entity and text in workspace.graph.observations:
        return _remove_observation(workspace, text, force)
    return _remove_entity(workspace, workspace.file_id(argument), force)


def _remove_entity(workspace: Workspace, id: str, force: bool) -> Edit:
    opened = workspace.open_entity(id)
    own = tuple(f"^{draft.id}" for draft in opened.drafts)
    uses = [_Use("statements of its own", own), *_uses_of_entity(workspace, id)]
    return _removal(id, opened.file.path, opened.data, uses, force, (id,))


def _uses_of_entity(workspace: Workspace, id: str) -> list[_Use]:
    file = workspace.open_entity(id).file
    names = (file.name, *(alias.text for alias in file.aliases))
    statements, texts = [], []
    for one in find_linking(workspace, words_for(file.path, id, names), file.path, id):
        in_statements = {found.line.start for found in one.links if found.line is not None}
        statements += [one.file.id] * len(in_statements)
        texts += [one.file.id] if any(found.line is None for found in one.links) else []
    redirecting, parting = find_judging(workspace, id)
    graph, drafts = workspace.graph, workspace.open_entity(id).drafts
    named = (id, *(f"{id}/^{draft.id}" for draft in drafts))  # as a decision's about has them
    naming = dict.fromkeys(seen for one in named for seen in graph.involving(one))
    said = find_said_by(workspace, id, file.path)
    own = {draft.id for draft in drafts}
    replaced = [
        f"{one.file_id}/^{one.id}" for one in find_replaced(workspace, id, own) if one.file_id != id
    ]
    return [
        _Use("statements of others", tuple(statements)),
        _Use("statements of others that its own supersede", tuple(replaced)),
        _Use("statements said by it", said),
        _Use("texts that link to it", tuple(texts)),
        _Use("redirects to it", tuple(redirecting)),
        _Use("judgements that it is another (distinct_from)", tuple(parting)),
        _Use("observations that name it", tuple(seen for seen in naming if seen not in texts)),
    ]


def _remove_observation(workspace: Workspace, id: str, force: bool) -> Edit:
    seen = workspace.observation(id)
    file, data = load_file(workspace.root, seen.path)
    if data is None or file.is_broken:
        raise LeftAlone(f"{seen.path} is left alone: it cannot be read", "mend it first: kb check")
    citing = tuple(f"{one.file_id}/^{one.id}" for one in workspace.graph.citing(id))
    others = workspace.graph.observations.values()
    naming = tuple(one.id for one in others if id in one.derived_from or id in one.about)
    linking = tuple(
        one.file.id
        for one in find_linking(workspace, words_for(seen.path, id), seen.path, id, "observation")
        if any(found.line is None and not found.is_definition for found in one.links)
    )
    uses = [
        _Use("statements that cite it", citing),
        _Use("observations that name it", naming),
        _Use("texts that link to it", linking),
    ]
    return _removal(id, seen.path, data, uses, force, ())


def _removal(
    id: str, path: str, data: bytes, uses: list[_Use], force: bool, entities: tuple[str, ...]
) -> Edit:
    found = [str(use) for use in uses if use.who]
    if found and not force:
        raise InUse(
            f"{id} is in use: {'; '.join(found)}",
            "retire what is stated, or merge it into another; --force removes it all the same",
        )
    return Edit(
        "remove",
        f"remove {id}",
        (FileChange(path, data, None),),
        entities,
        path,
        observations=() if entities else (id,),
        notes=tuple(f"dangling or gone: {one}" for one in found),
    )
