"""``kb set`` and ``kb rename``: one field of an entity's frontmatter. Ids and judgements have commands of their own."""

from collections.abc import Iterator, Sequence
from enum import Enum

from kb.checks.keys import Patterns, find_misfit
from kb.diagnostics import WHOLE_FILE
from kb.edits.edit import Edit
from kb.edits.entity_fields import (
    change_fields,
    normalized_key,
    note_namesakes,
    note_several,
    read_key,
    read_keys,
    read_name,
    read_names,
    read_type,
)
from kb.edits.front_matter_splices import Value, read_field
from kb.edits.workspace import EntityText, Refused, Workspace
from kb.errors import UsageError
from kb.model.entity import Key
from kb.model.names import fold
from kb.syntax.entity_file import RESERVED


class How(Enum):
    """What is done with the values."""

    SET = "set"  #: they are what the field says
    ADD = "add"  #: they are added to its list
    REMOVE = "remove"  #: they are taken out of its list
    UNSET = "unset"  #: the field goes


#: Fields that have a command of their own.
_ELSEWHERE = {
    "id": ("an id never changes", "kb rename changes the name"),
    "merged_into": ("a merge is a judgement", "kb merge SURVIVOR OTHER --why …, kb unmerge OTHER"),
    "distinct_from": ("that two are distinct is a judgement", "kb distinct ONE OTHER --why …"),
}
_SINGULARS = {"alias": "aliases", "key": "keys"}
_LISTS = ("aliases", "keys")
#: Statements that a note names.
_SHOWN = 5


def plan_set(
    workspace: Workspace, entity: str, field: str, values: Sequence[str], how: How = How.SET
) -> Edit:
    """Plan the change of a field. ``alias`` and ``key`` add one to the list; a field of the author's own takes any text."""
    id = workspace.resolve(entity)
    opened = workspace.open_entity(id)
    name, how = _read_field(field, how, bool(values))
    if how is How.UNSET:
        if values:
            raise UsageError(f"{name}: a field that goes takes no value", "leave the value out")
        new: Value | None = None
        notes: tuple[str, ...] = ()
    elif not values:
        raise UsageError(f"{name}: no value is given", "give one or more, or --unset")
    else:
        new, notes = _new_value(workspace, opened, id, name, values, how)
    change = change_fields(opened, ((name, new),))
    return Edit(
        "set",
        f"{id}: {_said(name, values, how)}" if change else f"{id} says so already: {name}",
        (change,) if change else (),
        (id,),
        opened.file.path,
        notes=notes if change else (),
    )


def plan_rename(workspace: Workspace, entity: str, name: str, *, forget: bool = False) -> Edit:
    """Plan another name; the old one becomes an alias, unless it is to be forgotten. The id stays."""
    id = workspace.resolve(entity)
    opened = workspace.open_entity(id)
    new, was = read_name(name), opened.file.name
    notes: tuple[str, ...] = ()
    change = None
    if was != new:
        aliases = _aliases_after(opened, new, forget)
        change = change_fields(opened, (("name", new), ("aliases", aliases)))
        notes += note_namesakes(workspace, new, opened.file.type, id)
        notes += _note_forgotten(workspace, id, opened, new) if forget else ()
    return Edit(
        "rename",
        f"rename {id}: {was} → {new}" if change else f"{id} is called {new} already",
        (change,) if change else (),
        (id,),
        opened.file.path,
        notes=notes,
    )


def _aliases_after(opened: EntityText, new: str, forget: bool) -> tuple[str, ...]:
    """Give the aliases beside a new name. An id that stood in for a missing name becomes none."""
    old = read_field(opened.source, "name")
    aliases = tuple(alias.text for alias in opened.file.aliases if alias.text != new)
    if not isinstance(old, str):
        return aliases
    if forget:
        return tuple(alias for alias in aliases if alias != old)
    return aliases if old in aliases else (*aliases, old)


def _note_forgotten(workspace: Workspace, id: str, opened: EntityText, new: str) -> tuple[str, ...]:
    from kb.edits.entity_links import find_links_by_name

    old = opened.file.name
    linking = find_links_by_name(workspace, id, old) if fold(old) != fold(new) else ()
    return (f"links to [[{old}]] lead nowhere now: {', '.join(linking)}",) if linking else ()


def _read_field(field: str, how: How, has_values: bool) -> tuple[str, How]:
    """Read a field's name: reserved ones in any case and joint, ``alias`` and ``key`` as one of their list."""
    text = field.strip()
    word = text.lower().replace("-", "_").replace(" ", "_")
    if word in _ELSEWHERE:
        message, hint = _ELSEWHERE[word]
        raise UsageError(f'"{word}" is not set: {message}', hint)
    if word in _SINGULARS:
        return _SINGULARS[word], How.ADD if how is How.SET and has_values else how
    if word in RESERVED:
        return word, how
    if not text or not text.isprintable():
        raise UsageError(f"{text!r} is no name of a field", "a field's name is a word")
    return text, how


def _new_value(
    workspace: Workspace, opened: EntityText, id: str, field: str, values: Sequence[str], how: How
) -> tuple[Value, tuple[str, ...]]:
    if field in _LISTS:
        return _new_list(workspace, opened, id, field, values, how)
    if field in ("name", "type"):
        if len(values) != 1 or how is not How.SET:
            raise UsageError(f"{field} is one text", f'kb set {id} {field} "…"')
        return _new_text(workspace, opened, id, field, values[0])
    return _own_value(opened, field, tuple(values), how), ()


def _new_text(
    workspace: Workspace, opened: EntityText, id: str, field: str, text: str
) -> tuple[Value, tuple[str, ...]]:
    if field == "name":
        name = read_name(text)
        return name, note_namesakes(workspace, name, opened.file.type, id)
    kind, notes = read_type(workspace, text)
    notes += check_new_type(workspace, id, kind)
    lies_elsewhere = f"/{kind}/" not in opened.file.path
    if lies_elsewhere:
        notes += (f"the file stays where it is; kb move {id} --type {kind} moves it too",)
    return kind, notes


def check_new_type(workspace: Workspace, id: str, kind: str) -> tuple[str, ...]:
    """Refuse a type that would undo a merge in silence, since two types are never one; name what is stated and does not fit it.

    Under ``strict`` that is refused too, as it is where it is stated.
    """
    survivor = workspace.graph.survivors.get(id, id)
    entity = workspace.graph.entities.get(survivor)
    for one in (survivor, *(entity.merged if entity else ())):
        other = workspace.vocabulary.read_type(workspace.open_entity(one).file.type)
        if one != id and other not in (None, kind):
            raise Refused(
                f"{id} and {one}, a {other}, are merged: {id} can then be no {kind}",
                f"kb unmerge {one if one != survivor else id} first",
            )
    misfits = [
        *_unfit_statements(workspace, survivor, kind),
        *_unfit_keys(workspace, survivor, kind),
    ]
    if misfits and workspace.base.settings.strict:
        raise Refused(f"{id} can be no {kind}: {'; '.join(misfits)}", "retire what is wrong first")
    return tuple(misfits)


def _unfit_statements(workspace: Workspace, id: str, kind: str) -> Iterator[str]:
    """Name the predicates of relations that do not admit a type at the end at which an entity stands."""
    vocabulary = workspace.vocabulary
    known = vocabulary.type_name(kind)
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for one in workspace.graph.about(id):
        word = vocabulary.relations.get(one.predicate)
        if word is None or one.is_retired:
            continue
        wanted = word.from_types if one.subject == id else word.to_types
        if not vocabulary.admits(wanted, known):
            found.setdefault((one.predicate, wanted), []).append(f"{one.file_id}/^{one.id}")
    for (predicate, wanted), ids in found.items():
        more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
        shown = ", ".join(ids[:_SHOWN])
        yield f'"{predicate}" takes a {" or ".join(wanted)} there, and no {kind}: {shown}{more}'


def _unfit_keys(workspace: Workspace, id: str, kind: str) -> Iterator[str]:
    """Name the keys that nobody of a type bears."""
    patterns = Patterns()
    known = workspace.vocabulary.type_name(kind)
    for text in workspace.graph.entities[id].keys if id in workspace.graph.entities else ():
        name, _, value = text.partition(":")
        key = Key(name, value, WHOLE_FILE)
        if find_misfit(key, None, workspace.vocabulary, patterns) is None and (
            misfit := find_misfit(key, known, workspace.vocabulary, patterns)
        ):
            yield f"{text}: {misfit.message}"


def _new_list(
    workspace: Workspace, opened: EntityText, id: str, field: str, values: Sequence[str], how: How
) -> tuple[Value, tuple[str, ...]]:
    if field == "aliases":
        old = tuple(alias.text for alias in opened.file.aliases)
        given, compare = read_names(values), fold
        notes = tuple(
            note
            for name in given
            if how is not How.REMOVE and name not in old
            for note in note_namesakes(workspace, name, opened.file.type, id)
        )
    else:
        current = read_field(opened.source, "keys")
        old = (current,) if isinstance(current, str) else current or ()

        def compare(text: str) -> str:
            return normalized_key(workspace, text)

        if how is How.REMOVE:
            given, notes = tuple(read_key(workspace, text)[0].text for text in values), ()
        else:
            given, notes = read_keys(workspace, values, opened.file.type, id)
    if how is How.SET:
        return given, (*notes, *_several(workspace, field, given))
    named = set(map(compare, given))
    if how is How.REMOVE:
        return tuple(one for one in old if compare(one) not in named), notes
    known = set(map(compare, old))
    new = (*old, *(one for one in given if compare(one) not in known))
    return new, (*notes, *_several(workspace, field, new))


def _several(workspace: Workspace, field: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    return note_several(workspace, texts) if field == "keys" else ()


def _own_value(opened: EntityText, field: str, values: tuple[str, ...], how: How) -> Value:
    """Give a field of the author's own: one text stays one, a list stays one."""
    current = read_field(opened.source, field)
    if how is How.SET:
        is_list = len(values) > 1 or isinstance(current, tuple)
        return values if is_list else values[0]
    old = (current,) if isinstance(current, str) else current or ()
    if how is How.REMOVE:
        kept = tuple(one for one in old if one not in values)
        return current if current is not None and kept == old else kept
    added = tuple(dict.fromkeys(one for one in values if one not in old))
    return current if current is not None and not added else (*old, *added)


def _said(field: str, values: Sequence[str], how: How) -> str:
    shown = ", ".join(" ".join(value.split()) for value in values)
    match how:
        case How.SET:
            return f"set {field} to {shown}"
        case How.ADD:
            return f"add {shown} to {field}"
        case How.REMOVE:
            return f"remove {shown} from {field}"
        case How.UNSET:
            return f"unset {field}"
