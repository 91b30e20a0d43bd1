"""The files that would be entities and cannot be read: whether a key or a name stands in their text. Decides no identity.

Such a file's keys and names are not in the graph. Who asks for one that nobody bears looks here, so that nobody is made a
second time because a file of his is damaged.
"""

import os
import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from kb.graph.graph import Graph
from kb.graph.keys import normalize_key
from kb.model.names import fold, stem_of
from kb.model.vocabulary import KeyForm
from kb.store.files import Entry, EntryKind, iter_beside_files, read_bytes
from kb.store.root import ENTITIES

#: Far beyond what is read as an entity: a file may be unread because it is too large.
_MOST_BYTES = 64 * 1024 * 1024
#: Files that a sentence names.
_SHOWN = 3
#: What follows a kind of key where one is written, and the value behind that.
_SIGN = r"[\"']?[ \t]{0,9}:[ \t]{0,9}[\"']?"
_VALUE = re.compile(r"[^\s\"'\[\]{}]{1,500}+")
#: A kind under which people write addresses besides the vocabulary's (``tidy_key``).
_MAILTO = "mailto"
_ADDRESS = re.compile(
    r"(?<![^\s\"'\[\]{}<>(),;:@])[^\s\"'\[\]{}<>(),;:@]{1,320}+@[^\s\"'\[\]{}<>(),;:@]{1,320}+"
)
_ID = re.compile(r"^id:[ \t]*+[\"']?([a-z0-9-]++)", re.M)
_AFTER_VALUE = ",;.)>"
#: Where characters were lost: bytes that are no UTF-8, what stands in for them, control characters.
_DAMAGE = re.compile("[\udc80-\udcff\ufffd\x01-\x08\x0b\x0c\x0e-\x1f\x7f]+")
_MOST_DAMAGES = 1000
#: Characters of a key that may be lost at one place.
_LOST = 4
_LONGEST_KEY = 500
#: What may stand in a file's place.
_KINDS = {
    EntryKind.LINK: "a symbolic link",
    EntryKind.FOLDER: "a folder",
    EntryKind.SPECIAL: "a pipe, a socket or a device",
}


class _Stump(NamedTuple):
    """What stands before and behind a place where characters were lost; at a text's end nothing stands behind."""

    before: str
    behind: str | None


class _Text:
    """A file's text, case folded, with the keys of the kinds that are asked for, as they are compared."""

    def __init__(self, data: bytes, graph: Graph) -> None:
        from kb.syntax.source import decode

        # A file in UTF-16 reads as ASCII without them.
        raw = decode("", data.replace(b"\0", b"")).text
        self.raw, self.folded = raw, raw.casefold()
        self._vocabulary = graph.vocabulary
        self._keys: dict[str, frozenset[str]] = {}

    def holds_key(self, key: str, is_address: bool) -> bool:
        """Say whether a normalized key stands there, whole or in part."""
        folded = key.casefold()
        return (
            (is_address and folded.partition(":")[2] in self.addresses)
            or self._holds_folded(folded)
            or key in self._keys_of(key.partition(":")[0], is_address)
            or any(_may_be_of(stump, folded) for stump in self.stumps)
        )

    def _keys_of(self, kind: str, is_address: bool) -> frozenset[str]:
        """Give the keys of a kind that stand there; read once, each piece of the text once."""
        if kind not in self._keys:
            kinds = "|".join(map(re.escape, (kind, _MAILTO) if is_address else (kind,)))
            _, *pieces = re.split(rf"(?<![\w-])({kinds}){_SIGN}", self.raw, flags=re.I)
            values = {
                (written, found[0])
                for written, piece in zip(pieces[::2], pieces[1::2], strict=True)
                if (found := _VALUE.match(piece))
            }
            self._keys[kind] = frozenset(
                normalize_key(
                    _MAILTO if written.lower() == _MAILTO else kind, form, self._vocabulary
                )
                for written, value in values
                for form in {value, value.rstrip(_AFTER_VALUE), value.partition(",")[0]}
            )
        return self._keys[kind]

    @cached_property
    def addresses(self) -> frozenset[str]:
        """What may be a mail address, with or without a kind before it."""
        return frozenset(one.rstrip(".") for one in _ADDRESS.findall(self.folded))

    @cached_property
    def ids(self) -> frozenset[str]:
        """What it says to be its id."""
        return frozenset(_ID.findall(self.folded))

    @cached_property
    def name_text(self) -> str:
        """The text as names are compared."""
        return f" {fold(self.raw)} "

    def holds_name(self, folded: str) -> bool:
        """Say whether a folded name stands there as words of its own."""
        if folded not in self.name_text:
            return False
        return re.search(rf"(?<!\w){re.escape(folded)}(?!\w)", self.name_text) is not None

    @cached_property
    def squeezed(self) -> str:
        """The text without white space: a line may break within a key."""
        return "".join(self.folded.split())

    def _holds_folded(self, key: str) -> bool:
        if key not in self.squeezed:
            return False
        spaced = r"\s*+".join(map(re.escape, key))
        return re.search(rf"(?<![\w-]){spaced}(?![\w@-]|\.\w)", self.folded) is not None

    @cached_property
    def stumps(self) -> tuple[_Stump, ...]:
        """The places at which characters were lost, the text's end among them."""
        return tuple(self._iter_stumps())

    def _iter_stumps(self) -> Iterator[_Stump]:
        for number, found in enumerate(_DAMAGE.finditer(self.folded)):
            if number == _MOST_DAMAGES:
                break
            before = self.folded[max(0, found.start() - _LONGEST_KEY) : found.start()]
            yield _Stump(before, self.folded[found.end() : found.end() + _LONGEST_KEY])
        yield _Stump(self.folded.rstrip()[-_LONGEST_KEY:], None)


def _may_be_of(stump: _Stump, key: str) -> bool:
    """Say whether a key may have stood at a stump: what is before begins it, what is behind ends it."""
    value_at = key.find(":") + 1
    for cut in range(value_at + (stump.behind is None), min(len(key), len(stump.before) + 1)):
        if stump.before.endswith(key[:cut]) and (
            stump.behind is None
            or any(
                stump.behind.startswith(key[at:])
                for at in range(cut, min(cut + _LOST, len(key)) + 1)
            )
        ):
            return True
    return False


class UnreadFiles:
    """What is under ``entities/`` and not in the graph, or not with all its keys.

    Files at fault, those that claim one id, symbolic links, and folders that cannot be listed. One serves a whole edit or
    run: each file is read once, when it is first asked about.
    """

    def __init__(self, root: str, graph: Graph) -> None:
        self._root, self._graph = root, graph
        self._holding: dict[str, tuple[str, ...]] = {}

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of all, sorted."""
        broken = (path for path in self._graph.broken if path.startswith(f"{ENTITIES}/"))
        claiming = (path for paths in self._graph.ambiguous.values() for path in paths)
        hidden = (entry.path for entry in self._beside if self._hides(entry))
        return tuple(sorted({*broken, *claiming, *hidden}))

    @cached_property
    def _beside(self) -> tuple[Entry, ...]:
        return tuple(iter_beside_files(self._root, ENTITIES))

    def _hides(self, entry: Entry) -> bool:
        """Say whether entities may lie behind what is no file, and are read nowhere else."""
        if entry.kind is not EntryKind.LINK:
            return entry.kind is EntryKind.UNREADABLE
        goal = os.path.realpath(os.path.join(self._root, entry.path))
        if os.path.isdir(goal):
            return not self._is_read(goal)
        if _is_named(entry.path):
            return not (_is_named(goal) and os.path.isfile(goal) and self._is_read(goal))
        return not os.path.exists(goal)

    def _is_read(self, goal: str) -> bool:
        """Say whether a file or folder, where links lead to in the end, is read where it lies."""
        top = os.path.join(os.path.realpath(self._root), ENTITIES)
        is_inside = f"{goal}{os.sep}".startswith(f"{top}{os.sep}")
        return is_inside and f"{os.sep}." not in goal[len(top) :]

    def claiming(self, id: str) -> str:
        """Say what has the name of an id's file and is none, or says that it has the id and cannot be read; "" where nothing does."""
        if id in self._places:
            return self._places[id]
        texts = self._texts.items()
        path = next((path for path, text in texts if text is not None and id in text.ids), "")
        return f'{path} says that it is "{id}", and cannot be read whole' if path else ""

    @cached_property
    def _places(self) -> dict[str, str]:
        return {
            fold(stem_of(entry.path)): f"{entry.path} is {_KINDS[entry.kind]}, and no file"
            for entry in self._beside
            if entry.kind in _KINDS and _is_named(entry.path)
        }

    @cached_property
    def _texts(self) -> dict[str, _Text | None]:
        """The text of each; ``None`` where it cannot be had, so that it may hold anything."""
        return {path: self._text(path) for path in self.paths}

    def _text(self, path: str) -> _Text | None:
        try:
            # Of a link, what it leads to: it is searched, and no more.
            data = read_bytes("", os.path.realpath(os.path.join(self._root, path)), _MOST_BYTES)
        except OSError:
            return None
        return None if data is None else _Text(data, self._graph)

    def holding_key(self, normalized: str) -> tuple[str, ...]:
        """List the files in which a normalized key stands, or may stand. Each key is looked for once."""
        if not self.paths:
            return ()
        if normalized not in self._holding:
            word = self._graph.vocabulary.keys.get(normalized.partition(":")[0])
            is_address = word is not None and word.normalize is KeyForm.EMAIL
            self._holding[normalized] = tuple(
                path
                for path, text in self._texts.items()
                if text is None or text.holds_key(normalized, is_address)
            )
        return self._holding[normalized]

    def holding_name(self, name: str) -> tuple[str, ...]:
        """List the files in which a name stands, or may stand."""
        folded = fold(name)
        if not self.paths or not folded:
            return ()
        return tuple(
            path for path, text in self._texts.items() if text is None or text.holds_name(folded)
        )

    def note(self) -> str:
        """Name the files that were searched as mere text; empty where there is none."""
        if not self.paths:
            return ""
        return f"{name_files(self.paths)} cannot be read whole, and could only be searched as text (kb check)"


def _is_named(path: str) -> bool:
    """Say whether a name is that of an entity's file."""
    return path.lower().endswith(".md")


def name_files(paths: tuple[str, ...]) -> str:
    """Name some files in a sentence."""
    more = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def say_held(what: str, paths: tuple[str, ...]) -> str:
    """Say that something may stand in files that cannot be read."""
    return f"{what} may stand in {name_files(paths)}, which cannot be read whole: mend it first (kb check)"
