"""The word before ``::``."""

import re
import unicodedata
from functools import lru_cache

from kb.model.names import normalize_predicate

_PREDICATE = re.compile(r"[^\W_]+(?:[-_]+[^\W_]+)*")


@lru_cache(maxsize=4096)
def read_predicate(text: str) -> str | None:
    """Normalize a predicate, ``None`` where it is none."""
    word = text.strip()
    if _PREDICATE.fullmatch(word):
        return normalize_predicate(word)
    if word.isascii():
        return None
    # Combining marks are no \w in Python's tables: letters may bear any number of them.
    plain = "".join(char for char in word if unicodedata.category(char)[0] != "M")
    is_predicate = _PREDICATE.fullmatch(plain) and unicodedata.category(word[0])[0] != "M"
    return normalize_predicate(word) if is_predicate else None
