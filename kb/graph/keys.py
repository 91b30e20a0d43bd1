"""Keys as they are compared: each kind normalized as the vocabulary says."""

import re

from kb.model.vocabulary import KeyForm, Vocabulary

_EMAIL = re.compile(r"[^\s@:]+@[^\s@:]+\.[^\s@:]+")
_DOMAIN = re.compile(r"(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*", re.I)


def normalize_key(kind: str, value: str, vocabulary: Vocabulary) -> str:
    """Give the ``kind:value`` that equal keys share."""
    word = vocabulary.keys.get(kind)
    form = word.normalize if word else KeyForm.EXACT
    return f"{kind}:{_normalize(form, value.strip())}"


def _normalize(form: KeyForm, value: str) -> str:
    match form:
        case KeyForm.EMAIL:
            return value.removeprefix("mailto:").casefold()
        case KeyForm.DOMAIN:
            return value.casefold().rstrip(".").removeprefix("www.")
        case KeyForm.HANDLE:
            return value.removeprefix("@").casefold()
        case KeyForm.URL:
            return _normalize_url(value)
        case KeyForm.EXACT:
            return value


def _normalize_url(value: str) -> str:
    from urllib.parse import urlsplit  # costs more than all else here, and few keys are addresses

    try:
        parts = urlsplit(value)
    except ValueError:
        return value
    if not parts.netloc:
        return value
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme.lower()}://{parts.netloc.lower()}{parts.path.rstrip('/')}{query}"


def read_key_argument(
    argument: str, vocabulary: Vocabulary, kinds: frozenset[str]
) -> tuple[str, ...]:
    """Read an argument as keys: ``kind:value``, a bare mail address, a bare domain or a web address.

    ``kinds`` are those in use besides the vocabulary's. Gives the normalized candidates, none if it is no key.
    """
    text = argument.strip()
    kind, sign, value = text.partition(":")
    if sign and value and (kind in vocabulary.keys or kind in kinds):
        return (normalize_key(kind, value, vocabulary),)
    if text.startswith(("http://", "https://")):
        return (normalize_key("url", text, vocabulary),)
    if _EMAIL.fullmatch(text):
        return (normalize_key("email", text, vocabulary),)
    if _DOMAIN.fullmatch(text):
        return (normalize_key("domain", text, vocabulary),)
    return ()
