"""Ids for what an import brings: from refs, made safe, nobody else's. Names never decide who is who."""

import re
import unicodedata
from collections.abc import Callable

from kb.model.names import MAX_ID_LENGTH, is_id
from kb.model.time import Date
from kb.syntax.slugs import loses_letters, slugify


def wanted_entity_id(ref: str, name: str) -> str:
    """Give the ref's last part, or the name's where the ref is an ASCII slug that lost letters of it."""
    last = ref.rsplit("/", 1)[-1]
    if last in _lossy_slugs(name) and loses_letters(name, last):
        return slugify(name)
    if is_id(last) and slugify(last) == last:
        return last
    return slugify(last if any(char.isalnum() for char in last) else name)


def wanted_observation_id(ref: str, date: Date | None) -> str:
    """Give the date and the ref's last part."""
    last = slugify(ref.rsplit("/", 1)[-1])
    if date is None:
        return last
    day = date.text if re.fullmatch(r"\d{4}(?:-\d{2})?", date.text) else date.day
    return last if last.startswith(day) else f"{day}-{last}"[:MAX_ID_LENGTH].rstrip("-")


def free_id(wanted: str, is_taken: Callable[[str], bool], suffix: str = "") -> str:
    """Give the wanted id, where it is taken with a suffix, where that is taken too with a number."""
    if not is_taken(wanted):
        return wanted
    stem = _joined(wanted, suffix) if suffix else wanted
    number, id = 1, stem
    while is_taken(id):
        number += 1
        id = _joined(stem, str(number))
    return id


def _joined(stem: str, suffix: str) -> str:
    return f"{stem[: MAX_ID_LENGTH - len(suffix) - 1].rstrip('-')}-{suffix}"


def _lossy_slugs(name: str) -> set[str]:
    """The slugs that tools make of a name which know ASCII only."""
    if name.isascii():
        return set()
    bare = unicodedata.normalize("NFKD", name)
    return {
        re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
        for text in (
            bare.encode("ascii", "ignore").decode(),
            name.encode("ascii", "ignore").decode(),
            "".join(char for char in bare if not unicodedata.combining(char)),
            name,
        )
    }
