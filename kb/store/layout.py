"""Where files lie: id ⇄ path, and which names every system can hold."""

import os
import re
import unicodedata

from kb.model.names import stem_of
from kb.store.root import ENTITIES, OBSERVATIONS

_UNPORTABLE = re.compile(r"[\x00-\x1f\x7f<>:\"'|?*\\]|^[-.]|[. ]$|^ ")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\..*)?", re.I)
_MAX_NAME_BYTES = 240


def why_unportable(name: str) -> str:
    """Say why a file's or folder's name cannot be held by every system; empty where it can."""
    if not name.isascii() and any("\udc80" <= char <= "\udcff" for char in name):
        return "holds bytes that are no UTF-8"
    if _DEVICES.fullmatch(name):
        return "is the name of a device on Windows"
    stem = stem_of(name)
    if _UNPORTABLE.search(name) or _UNPORTABLE.search(stem):
        return "has characters or an end that some systems refuse"
    if len(name.encode("utf-8", "surrogateescape")) > _MAX_NAME_BYTES:
        return f"is longer than {_MAX_NAME_BYTES} bytes"
    if not name.isascii() and any(
        unicodedata.category(char) in ("So", "Sk", "Cn", "Co", "Cf", "Zl", "Zp") for char in name
    ):
        return "has symbols that some systems write differently"
    return ""


def collision_key(path: str) -> str:
    """Fold a path as a case-insensitive, normalizing file system would."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def entity_path(root: str, type: str | None, id: str) -> str:
    """Say where a new entity's file goes: the type's folder, in the spelling that already exists."""
    return f"{ENTITIES}/{_existing(os.path.join(root, ENTITIES), type or 'other')}/{id}.md"


def observation_path(id: str, day: str) -> str:
    """Say where a new observation's file goes, by its day ``yyyy-mm-dd``."""
    return f"{OBSERVATIONS}/{day[:4]}/{day[5:7]}/{id}.md"


def _existing(folder: str, name: str) -> str:
    try:
        names = os.listdir(folder)
    except OSError:
        return name
    if name in names:
        return name
    wanted = collision_key(name)
    return next((other for other in sorted(names) if collision_key(other) == wanted), name)


def is_within(path: str, folder: str) -> bool:
    """Say whether a path is a folder or lies in it, both relative to the root; the root itself is ``""``."""
    return folder in ("", path) or path.startswith(f"{folder}/")


def relative_link(from_path: str, to_path: str) -> str:
    """Give the relative path that leads from one file to another, both relative to the root."""
    start, goal = from_path.split("/")[:-1], to_path.split("/")
    shared = 0
    while shared < len(start) and shared < len(goal) - 1 and start[shared] == goal[shared]:
        shared += 1
    return "/".join((*[".."] * (len(start) - shared), *goal[shared:]))


def resolve_path(from_path: str, target: str) -> str | None:
    """Resolve a relative path from a file's folder; ``None`` where it leaves the root."""
    parts = from_path.split("/")[:-1]
    for part in target.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) + ("/" if target.endswith("/") else "")
