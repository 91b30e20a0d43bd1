"""Ids, names and how they compare. Pure text; never decides who is who."""

import re

MAX_ID_LENGTH = 80
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_MINTED_LENGTH = 8


def is_id(text: str) -> bool:
    """Say whether a text may be an entity's or an observation's id."""
    return len(text) <= MAX_ID_LENGTH and _ID.fullmatch(text) is not None


def fold(text: str) -> str:
    """Fold a name for comparison: NFKC, case, runs of white space."""
    if text.isascii():
        return " ".join(text.lower().split())
    from unicodedata import normalize

    return " ".join(normalize("NFKC", normalize("NFKC", text).casefold()).split())


def normalize_predicate(text: str) -> str:
    """Give the one spelling of a predicate: case folded, ``_`` as ``-``, composed."""
    if text.isascii():
        return text.lower().replace("_", "-")
    from unicodedata import normalize

    return normalize("NFC", normalize("NFC", text).casefold()).replace("_", "-")


def stem_of(path: str) -> str:
    """Give the name of a file or of what a link names: without folders and without ``.md``, in whatever case."""
    name = path.rsplit("/", 1)[-1]
    return name[:-3] if name[-3:].lower() == ".md" else name


def mint_statement_id(
    parts: tuple[str, ...], taken: frozenset[str] | set[str] = frozenset()
) -> str:
    """Mint a statement's id: the first 40 bits of SHA-256 over the NUL-joined parts, in Crockford's base 32.

    Where that id is taken in the file, over the same with a NUL and a counter (from 1). FORMAT, "statement id".
    """
    from kb.model.digests import sha256

    basis = "\0".join(parts).encode("utf-8", "surrogatepass")
    counter = 0
    while True:
        minted = _base32(sha256(basis + (f"\0{counter}".encode() if counter else b"")).digest())
        if minted not in taken:
            return minted
        counter += 1


def _base32(digest: bytes) -> str:
    bits = int.from_bytes(digest[:5], "big")
    return "".join(
        _CROCKFORD[bits >> shift & 31] for shift in range(5 * (_MINTED_LENGTH - 1), -1, -5)
    )
