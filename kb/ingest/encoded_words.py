"""Header values as text: encoded words (RFC 2047) and bare bytes. What cannot be decoded stays as it is written.

Python's own reader raises on bad base64 and decodes each word by itself, so that a character cut over two words is lost.
"""

import binascii
import re

from kb.ingest.texts import decode_text

_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
_FOLD = re.compile(r"\r?\n(?=[ \t])|[\r\n]+")
_HEX = re.compile(rb"=([0-9A-Fa-f]{2})")


def decode_header(raw: str, what: str, warnings: list[str]) -> str:
    """Decode a header's value, given with bytes above ASCII as surrogates; folded lines become one."""
    text = _FOLD.sub("", raw)
    if not text.isascii():
        data = text.encode("utf-8", "surrogateescape")
        text = decode_text(data, "", what, warnings)
    return decode_words(text, what, warnings) if "=?" in text else text


def decode_words(text: str, what: str, warnings: list[str]) -> str:
    """Decode the encoded words of a text; white space between two of them is no part of it."""
    out: list[str] = []
    at, pending, charset = 0, b"", ""
    for word in _WORD.finditer(text):
        data = _bytes_of(word)
        between = text[at : word.start()]
        name = word.group(1).partition("*")[0].lower()
        if data is None:
            warnings.append(f"{what}: an encoded word cannot be decoded and is kept as written")
        is_next = at > 0 and not between.strip() and data is not None and bool(charset)
        if not (is_next and name == charset):
            out.append(decode_text(pending, charset, what, warnings) if pending else "")
            pending = b""
        if not is_next:
            out.append(between)
        if data is None:
            out.append(word.group())
            charset = ""
        else:
            pending += data
            charset = name
        at = word.end()
    out.append(decode_text(pending, charset, what, warnings) if pending else "")
    out.append(text[at:])
    return "".join(out)


def _bytes_of(word: re.Match[str]) -> bytes | None:
    content = word.group(3).encode("utf-8")
    if word.group(2) in "qQ":
        return _HEX.sub(
            lambda found: bytes((int(found.group(1), 16),)), content.replace(b"_", b" ")
        )
    content = content.rstrip(b"=")
    try:
        return binascii.a2b_base64(content + b"=" * (-len(content) % 4), strict_mode=True)
    except binascii.Error:
        return None
