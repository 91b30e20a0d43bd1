"""What entities' fields must be before they are written: types, names, keys. Plans no file of its own.

Keys decide who is who, so one that another bears is refused, and so is one that cannot tell anybody apart. Names never
decide: who else bears one is named, and that is all.
"""

import re
from collections.abc import Iterable, Sequence

from kb.checks.guesses import did_you_mean
from kb.checks.keys import Patterns, find_misfit
from kb.diagnostics import WHOLE_FILE
from kb.edits.edit import FileChange
from kb.edits.front_matter_splices import Value, with_field
from kb.edits.one_line import check_one_line
from kb.edits.workspace import EntityText, LeftAlone, Refused, Taken, Workspace
from kb.errors import UsageError
from kb.graph.keys import (
    WEB,
    find_invisible,
    find_mixture,
    normalize_key,
    read_key_argument,
    tidy_key,
)
from kb.model.entity import Key
from kb.model.names import fold
from kb.model.vocabulary import KeyForm, Vocabulary
from kb.queries.unread_files import say_held
from kb.syntax.entity_file import parse_entity_file

#: Kinds of key besides those compared exactly of which a register gives each bearer one.
_ISSUED_ONCE = frozenset(("orcid",))
#: A way upwards in a path: nobody is called so, and no folder is to be.
_UPWARDS = re.compile(r"(?:^|[/\\])\s*\.\.\s*(?:[/\\]|$)")
#: Words of letters, marks and digits: a type is a folder's name, too.
_TYPE = re.compile(r"[^\W_]\w*(?:[ .-]+\w+)*")
_KIND = re.compile(r"[^\W_][\w-]*")


def change_fields(
    opened: EntityText, changes: Iterable[tuple[str, Value | None]], *, keeps_empty: bool = False
) -> FileChange | None:
    """Change frontmatter fields of a file (``None`` takes one away); ``None`` where that changes nothing."""
    source = opened.source
    for field, value in changes:
        source = with_field(source, field, value, keeps_empty=keeps_empty)
    if source.text == opened.source.text:
        return None
    read, _ = parse_entity_file(source)
    if read.is_broken or read.id != opened.file.id:
        raise LeftAlone(f"{source.path} is left alone: it would not be read afterwards")
    return opened.change(source.text)


def read_type(workspace: Workspace, written: str) -> tuple[str, tuple[str, ...]]:
    """Read a type as the vocabulary has it; an unknown one is kept with a note, under ``strict`` refused."""
    check_one_line("a type", written)
    text = written.strip()
    if not text:
        raise UsageError("a type is a word", "kb vocabulary lists them")
    name = workspace.vocabulary.type_name(text)
    if name is not None:
        return name, ()
    if not _TYPE.fullmatch(text):
        raise UsageError(f'"{text}" is no type', "a word or several; kb vocabulary lists them")
    message = f'the vocabulary has no type "{text}"'
    hint = did_you_mean(text.lower(), sorted(workspace.vocabulary.types))
    if workspace.base.settings.strict:
        raise Refused(message, hint or "add it to kb.yaml, or choose one of kb vocabulary")
    return text, (f"{message}{f' ({hint})' if hint else ''}",)


def read_name(text: str) -> str:
    """Read a name: one line, not empty."""
    check_one_line("a name", text)
    name = " ".join(text.split())
    if not name:
        raise UsageError("a name must not be empty", "say what people call it")
    if _UPWARDS.search(name):
        raise UsageError(f'"{name}" is a path, and no name', "say what people call it")
    return name


def read_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Read names, each once."""
    return tuple(dict.fromkeys(map(read_name, texts)))


def note_namesakes(
    workspace: Workspace, name: str, type: str | None, own: str | None = None
) -> tuple[str, ...]:
    """Name the others of the same type that bear a name, or whose id it is. Whether they are one is not decided here."""
    word = fold(name)
    notes: tuple[str, ...] = ()
    if word != own and workspace.places.path_of(word) is not None:
        notes = (f'"{name}" is the id of {workspace.name_of(word)}, to whom it leads',)
    others = [
        id
        for id in workspace.graph.bearers_of_name(name)
        if id != own and workspace.type_of(id) == workspace.vocabulary.read_type(type)
    ]
    if not others:
        held = workspace.unread.holding_name(name)
        return (*notes, say_held(f'"{name}"', held)) if held else notes
    shown = ", ".join(f"{workspace.name_of(id)} ({id})" for id in others[:5])
    more = f" and {len(others) - 5} more" if len(others) > 5 else ""
    return (
        *notes,
        f'"{name}" is a name of {shown}{more} too: nothing is decided; '
        "kb merge if they are one, kb distinct if not",
    )


# -- keys --------------------------------------------------------------------------------------------------------


def read_keys(
    workspace: Workspace, texts: Sequence[str], type: str | None, own: str | None = None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read keys for an entity of a type, with notes. Refused: keys of others, and those that tell nobody apart."""
    keys, notes, patterns = list[str](), list[str](), Patterns()
    seen: set[str] = set()
    for text in texts:
        key, read_as = read_key(workspace, text)
        normalized = normalized_key(workspace, key.text)
        if normalized in seen:
            continue
        seen.add(normalized)
        _check_bearers(workspace, key, normalized, own)
        if own not in workspace.graph.bearers_of_key(normalized):
            notes += _check_unread(workspace, key, normalized, own)
        notes += [*read_as, *_check_kind(workspace, key), *_note_mixture(workspace, key)]
        _check_fit(workspace, key, workspace.vocabulary.read_type(type), patterns)
        keys.append(key.text)
    return tuple(keys), tuple(dict.fromkeys(notes))


def note_several(workspace: Workspace, keys: Iterable[str]) -> tuple[str, ...]:
    """Name the keys of which an entity has more than the one that it can have."""
    kinds: dict[str, dict[str, str]] = {}
    for text in keys:
        normalized = normalized_key(workspace, text)
        kinds.setdefault(normalized.partition(":")[0], {})[normalized] = text
    return tuple(
        f"{' and '.join(found.values())}: of {kind} keys one has one, so that one of them is wrong"
        for kind, found in kinds.items()
        if len(found) > 1 and is_issued_once(workspace.vocabulary, kind)
    )


def is_issued_once(vocabulary: Vocabulary, kind: str) -> bool:
    """Say whether a register gives each bearer one: a number of a customer, a book, a researcher.

    Addresses, domains, handles and web addresses are what one collects several of.
    """
    word = vocabulary.keys.get(kind)
    return kind in _ISSUED_ONCE or (word is not None and word.normalize is KeyForm.EXACT)


def read_key(workspace: Workspace, text: str) -> tuple[Key, tuple[str, ...]]:
    """Read a key: ``kind:value``, or a bare mail address, domain or web address. Notes say what was taken away around it."""
    check_one_line("a key", text)
    text = text.strip()
    if invisible := find_invisible(text):
        raise UsageError(f"the key {text!r} holds {invisible}, which nobody sees", "type it anew")
    kind, value = _part_key(workspace, text)
    tidy = tidy_key(kind, value, workspace.vocabulary)
    notes = (f"{text} is read as {tidy.kind}:{tidy.value}",) if tidy.is_changed else ()
    return Key(tidy.kind, tidy.value, WHOLE_FILE), notes


def _part_key(workspace: Workspace, text: str) -> tuple[str, str]:
    kind, sign, value = text.partition(":")
    if text.lower().startswith(WEB):
        return "url", text
    if sign and value.strip() and _KIND.fullmatch(kind.strip()):
        kind = kind.strip()
        known = kind.lower() if kind.lower() in workspace.vocabulary.keys else kind
        return known, value.strip()
    for read in read_key_argument(text, workspace.vocabulary, frozenset()):
        return read.partition(":")[0], text
    raise UsageError(f'"{text}" is no key', "write kind:value, such as email:ada@northpeak.example")


def normalized_key(workspace: Workspace, text: str) -> str:
    """Give a written key as keys are compared."""
    kind, _, value = text.partition(":")
    return normalize_key(kind.strip(), value.strip(), workspace.vocabulary)


def _check_bearers(workspace: Workspace, key: Key, normalized: str, own: str | None) -> None:
    bearers = [id for id in workspace.graph.bearers_of_key(normalized) if id != own]
    if bearers:
        shown = " and ".join(f"{workspace.name_of(id)} ({id})" for id in bearers)
        raise Taken(
            f"{key.text} is a key of {shown}",
            f"it is that one: kb show {bearers[0]}; if the two are one, kb merge joins them",
        )


def _check_unread(
    workspace: Workspace, key: Key, normalized: str, own: str | None
) -> tuple[str, ...]:
    """Refuse a key that stands in a file which cannot be read whole: it may be that one's already."""
    held = workspace.unread.holding_key(normalized)
    # Of a file that claims the same id, or holds what is no key beside those that are, the own one is asked about.
    held = tuple(path for path in held if own is None or path != workspace.places.path_of(own))
    if held:
        raise LeftAlone(
            say_held(key.text, held), "whose key it is can only be known when that file is read"
        )
    return tuple(filter(None, (workspace.unread.note(),)))


def _check_kind(workspace: Workspace, key: Key) -> tuple[str, ...]:
    if key.kind in workspace.vocabulary.keys or find_misfit(
        key, None, workspace.vocabulary, Patterns()
    ):
        return ()
    message = f'the vocabulary has no kind of key "{key.kind}"'
    hint = did_you_mean(key.kind.lower(), sorted(workspace.vocabulary.keys))
    if workspace.base.settings.strict:
        raise Refused(message, hint or "add it to kb.yaml")
    return (f"{message}{f' ({hint})' if hint else ''}",)


def _note_mixture(workspace: Workspace, key: Key) -> tuple[str, ...]:
    word = workspace.vocabulary.keys.get(key.kind)
    mixture = find_mixture(word.normalize, key.value) if word else ""
    return (f"{mixture}: {key.text} looks like another key, and is not",) if mixture else ()


def _check_fit(workspace: Workspace, key: Key, type: str | None, patterns: Patterns) -> None:
    misfit = find_misfit(key, type, workspace.vocabulary, patterns)
    if misfit is not None:
        raise Refused(misfit.message, misfit.hint)
