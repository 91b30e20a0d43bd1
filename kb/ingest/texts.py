r"""Bytes → text that can be kept. No byte is dropped: what no charset reads stands as ``\xNN``, with a warning.

No charset is guessed: the declared one is tried, then UTF-8, which text seldom is by accident.
"""

import codecs
import re

_SURROGATE = re.compile("[\ud800-\udfff]")
#: Half characters that stand for no byte.
_OTHER_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_OVERRIDE = re.compile("[\u202a-\u202e\u2066-\u2069]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_BODY_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_UNSEEN = re.compile("[\u200b\u2060\ufeff\u00ad]")
_CHARSET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:+-]{0,39}")
_MAX_LINE = 1000
_MAX_WARNINGS = 50
#: Python's codecs that turn no bytes into text or read escapes in it; a charset of those names is unknown.
_NO_CHARSETS = frozenset(("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"))
_WIDE = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode_text(data: bytes, charset: str, what: str, warnings: list[str]) -> str:
    """Decode bytes as declared; ``charset`` is "" where nothing is."""
    named = charset.strip().strip("\"'")
    if data.isascii() and (not named or named.lower() in ("utf-8", "us-ascii", "iso-8859-1")):
        return data.decode("ascii")
    if named:
        codec = _codec(named)
        if codec is None:
            warnings.append(f"{what}: the charset {show(named)} is unknown; {_fallback(data)}")
        else:
            try:
                return data.decode(codec)
            except (UnicodeError, ValueError):
                if codec != "ascii" or not _is_utf8(data):
                    warnings.append(f"{what}: some bytes are no {show(named)}; {_fallback(data)}")
    elif not _is_utf8(data):
        warnings.append(
            f"{what}: no charset is declared and some bytes are no UTF-8: they are kept as \\xNN"
        )
    return data.decode("utf-8", "backslashreplace")


def read_raw(data: bytes, warnings: list[str]) -> str:
    """Read a file's bytes: by its BOM, else as UTF-8."""
    for mark, charset in _WIDE:
        if data.startswith(mark):
            body = data.removeprefix(codecs.BOM_UTF8)
            return clean_text(decode_text(body, charset, "the text", warnings), warnings)
    return clean_text(decode_text(data, "", "the text", warnings), warnings)


def clean_text(text: str, warnings: list[str]) -> str:
    """Make a text one that can be kept: LF line ends, no NUL or other control, no half characters."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _BODY_CONTROL.search(text):
        warnings.append("the text holds control characters, which are kept as pictures such as ␀")
        text = _BODY_CONTROL.sub(_picture, text)
    if text.isascii():
        return text
    if _SURROGATE.search(text):
        warnings.append("the text holds half a character, which is kept as �")
        text = _SURROGATE.sub("�", text)
    if _OVERRIDE.search(text):
        warnings.append(
            "the text holds marks that reorder it on a screen (bidi controls); they are kept"
        )
    return text


def clean_line(text: str, what: str, warnings: list[str]) -> str:
    """Make a title or name: one line, without marks that reorder or hide, at most 1000 characters."""
    if not text.isascii():
        if _SURROGATE.search(text):
            warnings.append(f"the {what} holds half a character, which is kept as �")
            text = _SURROGATE.sub("�", text)
        if _OVERRIDE.search(text):
            warnings.append(
                f"the {what} holds marks that reorder it on a screen; they are left out"
            )
        text = _UNSEEN.sub("", _BIDI.sub("", text))
    text = " ".join(_CONTROL.sub(" ", text).split())
    if len(text) > _MAX_LINE:
        warnings.append(f"the {what} has {len(text)} characters; the first {_MAX_LINE} are kept")
        text = text[:_MAX_LINE].rstrip()
    return text


def readable(text: str) -> str:
    r"""Show the bytes that stand as surrogates in a text: as what they are in UTF-8, else as ``\xNN``."""
    if text.isascii():
        return text
    data = _OTHER_SURROGATE.sub("�", text).encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "backslashreplace")


def in_short(warnings: list[str]) -> tuple[str, ...]:
    """Give each warning once, the first fifty of them; how many more there were, last."""
    each = tuple(dict.fromkeys(warnings))
    if len(each) <= _MAX_WARNINGS:
        return each
    return (*each[:_MAX_WARNINGS], f"and {len(each) - _MAX_WARNINGS} more of these")


def show(text: str, limit: int = 60) -> str:
    """Quote a piece of a source for a message."""
    line = " ".join(_CONTROL.sub(" ", _SURROGATE.sub("�", text)).split())
    return f'"{line[:limit]}…"' if len(line) > limit else f'"{line}"'


def _picture(match: re.Match[str]) -> str:
    code = ord(match.group())
    return "\u2421" if code == 0x7F else chr(0x2400 + code)


def _codec(name: str) -> str | None:
    """Name the codec of a charset, ``None`` if there is none that reads text."""
    if not _CHARSET_NAME.fullmatch(name):
        return None
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    is_text = getattr(found, "_is_text_encoding", True)
    return found.name if is_text and found.name.replace("-", "_") not in _NO_CHARSETS else None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _fallback(data: bytes) -> str:
    return (
        "read as UTF-8, which it is"
        if _is_utf8(data)
        else "bytes that are no UTF-8 are kept as \\xNN"
    )
