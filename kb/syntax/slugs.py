"""Names → ids: every script transliterated, no letter dropped."""

import re
import unicodedata

from kb.model.digests import sha256
from kb.model.names import MAX_ID_LENGTH, is_id

_NOT_ID = re.compile(r"[^a-z0-9]+")
#: Letters that are best left out of an id rather than read as a break: O'Brien is obrien.
_JOINED = re.compile(r"['’ʼ`]")
#: Emoji are words of their own.
_EMOJI_EDGE = re.compile(
    "(?<=[^\\W_])(?=[\U0001f000-\U0001faff])|(?<=[\U0001f000-\U0001faff])(?=\\w)"
)
#: Device names that some systems cannot hold as files.
_RESERVED = frozenset(
    (
        "con",
        "prn",
        "aux",
        "nul",
        *(f"com{n}" for n in range(1, 10)),
        *(f"lpt{n}" for n in range(1, 10)),
    )
)


def slugify(name: str) -> str:
    """Make an id of a name. Names without letters or digits get an id from their digest, so none is empty."""
    latin = name if name.isascii() else _transliterate(name)
    slug = _NOT_ID.sub("-", _JOINED.sub("", latin.lower())).strip("-")
    if len(slug) > MAX_ID_LENGTH:
        slug = slug[:MAX_ID_LENGTH].rstrip("-")
    if slug in _RESERVED:
        slug = f"{slug}-x"
    if not is_id(slug):
        digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return f"x-{digest}"
    return slug


def loses_letters(name: str, slug: str) -> bool:
    """Say whether a slug made elsewhere lacks letters that the name has (``ukasz-langa`` for ``Łukasz Langa``)."""
    return len(slugify(name).replace("-", "")) > len(slug.replace("-", ""))


def _transliterate(name: str) -> str:
    from anyascii import anyascii  # 10 ms, and only names in other scripts need it

    composed = _EMOJI_EDGE.sub(" ", unicodedata.normalize("NFC", _JOINED.sub("", name)))
    return "".join(
        char if char.isascii() else anyascii(char) or _code_of(char) for char in composed
    )


def _code_of(char: str) -> str:
    """Spell a letter that has no transliteration by its number; signs and marks are dropped."""
    is_letter = unicodedata.category(char) in ("Lu", "Ll", "Lt", "Lo", "Nd", "Nl", "No")
    return f"u{ord(char):x}" if is_letter else ""
