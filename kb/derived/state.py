"""What the derived state is made of: one small file that names the others, written last, by renaming."""

import os
from typing import NamedTuple

from kb import __version__
from kb.graph.file_form import GRAPH_FORMAT
from kb.store.derived import LOCK, derived_folder
from kb.store.kept import Kept, open_sections, open_whole, pack_kept, replace_sections, unpack_kept
from kb.store.sections import Damaged, Sections
from kb.store.stamps import pack_stamps
from kb.store.sweep import KeptFolders

#: The file that names the others.
STATE = "state"
#: The packages whose code decides what is derived: another state of theirs may derive otherwise.
_DECIDING = ("model", "syntax", "graph", "store", "derived", ".")
_TEXT_SEPARATOR = "\0"


class Unusable(Exception):
    """What lies on disk is no derived state that could be used; the text says why."""


class Record(NamedTuple):
    """What was last found and written."""

    base: Kept  #: the graph file of the last full build
    changes: Kept | None  #: and what changed since
    folders: Kept  #: the sweep that both are as fresh as
    head: Kept | None  #: what HEAD holds
    started: int = 0  #: when the last sweep began that found no change, nanoseconds since 1970
    freshness: int = 0  #: seconds, from ``kb.yaml``
    commit: str = ""  #: HEAD as ``differing`` was found
    git_index: tuple[int, ...] = ()  #: the stamp of git's index then
    racy: frozenset[str] = frozenset()  #: files to be read again, whatever their stamps
    differing: frozenset[str] = frozenset()  #: files that are otherwise than HEAD has them
    is_many: bool = False  #: so many differ that they are not listed
    warning: str = ""  #: why ``kb.yaml`` does not hold


class State:
    """Derived state on disk, opened: every file of it was found to be what was written."""

    def __init__(self, place: str, written: Record) -> None:
        self.written = written  #: as it lies on disk
        self.base, base = open_sections(place, written.base)
        folders, kept_folders = open_sections(place, written.folders)
        self.folders = KeptFolders(folders)
        self.changes = open_sections(place, written.changes)[0] if written.changes else None
        #: With the stamps under which the large files were found whole just now.
        self.record = written._replace(base=base, folders=kept_folders)


def graph_place(root: str) -> str:
    """Say where the derived graph lies."""
    return os.path.join(derived_folder(root), f"graph-{GRAPH_FORMAT}")


def read_state(place: str) -> State:
    """Open what lies on disk. ``Unusable`` where it cannot be used."""
    try:
        return State(place, read_record(place))
    except FileNotFoundError:
        # Another process may have written a newer one between our two looks.
        try:
            return State(place, read_record(place))
        except (Damaged, OSError, ValueError) as error:
            raise Unusable(_why(error)) from None
    except (Damaged, OSError, ValueError) as error:
        raise Unusable(_why(error)) from None


def _why(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is none yet"
    return str(error) or type(error).__name__


def read_record(place: str) -> Record:
    """Read the file that names the others. ``Damaged``, ``OSError`` or ``ValueError`` where it cannot be."""
    sections = open_whole(place, STATE)
    if sections.raw("version") != version():
        raise Damaged("it was made by another version")
    base, changes, folders, head = unpack_kept(sections)
    if base is None or folders is None:
        raise Damaged("it names no graph")
    started, freshness, is_many, *index = sections.longs("numbers")
    return Record(
        base,
        changes,
        folders,
        head,
        started,
        freshness,
        str(sections.raw("commit"), "ascii"),
        tuple(index),
        _unpack_paths(sections, "racy"),
        _unpack_paths(sections, "differing"),
        bool(is_many),
        str(sections.raw("warning"), "utf-8", "surrogateescape"),
    )


def write_record(place: str, record: Record) -> None:
    """Write the file that names the others in place of the one there. ``OSError`` as the system says."""
    replace_sections(
        place,
        STATE,
        {
            "version": version(),
            **pack_kept([record.base, record.changes, record.folders, record.head]),
            "numbers": pack_stamps(
                (record.started, record.freshness, record.is_many, *record.git_index)
            ),
            "commit": record.commit.encode("ascii"),
            "racy": _pack_paths(record.racy),
            "differing": _pack_paths(record.differing),
            "warning": record.warning.encode("utf-8", "surrogateescape"),
        },
    )


def names_of(record: Record) -> set[str]:
    """List the names of all files of a state."""
    kept = (record.base, record.changes, record.folders, record.head)
    return {STATE, LOCK, *(one.name for one in kept if one)}


def _pack_paths(paths: frozenset[str]) -> bytes:
    return _TEXT_SEPARATOR.join(sorted(paths)).encode("utf-8", "surrogateescape")


def _unpack_paths(sections: Sections, name: str) -> frozenset[str]:
    text = str(sections.raw(name), "utf-8", "surrogateescape")
    return frozenset(text.split(_TEXT_SEPARATOR)) if text else frozenset()


def version() -> bytes:
    """Say which code derives: the version, and the stamps of the modules that decide what is derived."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    newest = size = 0
    for package in _DECIDING:
        with os.scandir(os.path.join(here, package)) as listing:
            for entry in listing:
                if entry.name.endswith((".py", ".yaml")):
                    status = entry.stat()
                    newest = max(newest, status.st_mtime_ns)
                    size += status.st_size
    return f"{GRAPH_FORMAT} kb {__version__} {newest} {size}".encode("ascii")
