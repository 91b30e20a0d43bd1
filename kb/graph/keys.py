"""Keys as they are compared: each kind normalized as the vocabulary says. And what keys look like that are none, or nearly."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from kb.model.vocabulary import KeyForm, Vocabulary

_EMAIL = re.compile(r"[^\s@:]++@[^\s@:][^\s@:.]*+\.[^\s@:]++")
_DOMAIN = re.compile(r"(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*", re.I)
#: How a web address begins.
WEB = ("http://", "https://")
#: An address with what may surround it elsewhere: angle brackets, ``mailto:`` with its fields.
_SURROUNDED = re.compile(r"<?\s*(?:(mailto:)<?)?([^\s<>@?:]+@[^\s<>@?:]+)(\?[^\s<>]*)?\s*>?", re.I)
#: Where the page of a handle is: ``https://github.com/dreyes``. A longer path names something else than its bearer.
_PAGES = {
    "github": re.compile(r"(?:https?://)?(?:www\.)?github\.com/@?([^/?#]+)/?", re.I),
    "gitlab": re.compile(r"(?:https?://)?(?:www\.)?gitlab\.com/@?([^/?#]+)/?", re.I),
    "orcid": re.compile(r"(?:https?://)?(?:www\.)?orcid\.org/([^/?#]+)/?", re.I),
}
_ORCID = re.compile(r"(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dXx])")
#: Characters beside those of format and control that are drawn as nothing.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
#: Scripts with letters that look like those of another of them, as Unicode's names of characters begin.
_LOOK_ALIKES = frozenset(
    ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "FULLWIDTH")
)


def normalize_key(kind: str, value: str, vocabulary: Vocabulary) -> str:
    """Give the ``kind:value`` that equal keys share."""
    tidy = tidy_key(kind, value.strip(), vocabulary)
    word = vocabulary.keys.get(tidy.kind)
    form = word.normalize if word else KeyForm.EXACT
    return f"{tidy.kind}:{_normalize(form, tidy.value)}"


def _normalize(form: KeyForm, value: str) -> str:
    match form:
        case KeyForm.EMAIL:
            return value.casefold()
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


def bare_address(text: str) -> str:
    """Take away the angle brackets, and ``mailto:``, around an address that stands alone."""
    match = _SURROUNDED.fullmatch(text.strip())
    is_sure = match is not None and (match[1] or not match[3])
    return match[2] if match and is_sure else text.strip()


def read_key_argument(
    argument: str, vocabulary: Vocabulary, kinds: frozenset[str]
) -> tuple[str, ...]:
    """Read an argument as keys: ``kind:value``, a bare mail address, a bare domain or a web address.

    ``kinds`` are those in use besides the vocabulary's. Gives the normalized candidates, none if it is no key.
    """
    text = bare_address(argument)
    kind, sign, value = text.partition(":")
    if sign and value and (kind in vocabulary.keys or kind in kinds):
        return (normalize_key(kind, value, vocabulary),)
    if text.lower().startswith(WEB):
        return (normalize_key("url", text, vocabulary),)
    if _EMAIL.fullmatch(text):
        return (normalize_key("email", text, vocabulary),)
    if _DOMAIN.fullmatch(text):
        return (normalize_key("domain", text, vocabulary),)
    return ()


# -- keys as people write them -----------------------------------------------------------------------------------


class WrittenKey(NamedTuple):
    """A key as it is to be written."""

    kind: str
    value: str
    is_changed: bool  #: it was written otherwise


def tidy_key(kind: str, value: str, vocabulary: Vocabulary) -> WrittenKey:
    """Take away what surrounds a key in other places, where it is certain what is meant.

    ``mailto:`` and angle brackets of an address, the page of a handle, the missing hyphens of an ORCID.
    """
    word = vocabulary.keys.get(kind)
    was, tidy = kind, value
    if word is None and kind.lower() == "mailto" and "email" in vocabulary.keys:
        tidy, kind = bare_address(f"mailto:{value}"), "email"
    elif word is not None and word.normalize is KeyForm.EMAIL:
        tidy = bare_address(value)
    elif kind in _PAGES:
        page = _PAGES[kind].fullmatch(value)
        tidy = page[1] if page else value
        number = _ORCID.fullmatch(tidy) if kind == "orcid" else None
        tidy = "-".join(number.groups()).upper() if number else tidy
    return WrittenKey(kind, tidy, kind != was or tidy.casefold() != value.casefold())


def find_invisible(text: str) -> str:
    """Name the first character of a text that nobody sees: of no width, of direction, of control; "" where there is none."""
    if text.isascii() and text.isprintable():
        return ""
    for char in text:
        if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") or _is_blank(char):
            return name_character(char)
    return ""


def _is_blank(char: str) -> bool:
    return (
        char in _BLANK_LETTERS
        or "\ufe00" <= char <= "\ufe0f"
        or "\U000e0100" <= char <= "\U000e01ef"
    )


def name_character(char: str) -> str:
    """Name a character as Unicode does, with its number."""
    name = unicodedata.name(char, "control character")
    return f"{name} (U+{ord(char):04X})"


def find_mixture(form: KeyForm, value: str) -> str:
    """Say which letter of an address, a domain or a handle is of another script than the one before it and may look like it.

    Each label is looked at by itself: ``дана@northpeak.example`` is no mixture, and neither are scripts that are read together.
    """
    if value.isascii() or form not in (KeyForm.EMAIL, KeyForm.DOMAIN, KeyForm.HANDLE):
        return ""
    for label in re.split(r"[^\w]+", value):
        scripts = list(_iter_scripts(label))
        # Of two that are as frequent, the one that comes first.
        usual = Counter(script for _, script in scripts).most_common(1)
        odd = next((char for char, script in scripts if script != usual[0][0]), "")
        if odd:
            return f'"{odd}" in "{label}" is {name_character(odd)}'
    return ""


def _iter_scripts(label: str) -> Iterator[tuple[str, str]]:
    """Yield the letters of scripts with look-alikes, each with its script."""
    for char in label:
        script = unicodedata.name(char, "").partition(" ")[0]
        if script in _LOOK_ALIKES and char.isalpha():
            yield char, script


def why_no_orcid(value: str) -> str:
    """Say why a text is no ORCID: sixteen digits in fours, of which the last checks the others (ISO 7064, 11-2); "" of one."""
    match = _ORCID.fullmatch(value)
    if match is None:
        return "it has not sixteen digits in fours"
    digits = "".join(match.groups()).upper()
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    check = 10 if digits[-1] == "X" else int(digits[-1])
    return "" if (total + check) % 11 == 1 else "its last digit does not check the others"
