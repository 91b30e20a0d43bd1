"""Text for a terminal: what could steer it, hide in it or reorder it is shown as an escape. Never drops a character."""

import re
from functools import cache

_EMOJI = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
#: Where a joiner shapes letters or emoji rather than hides: after a letter or sign that is not Latin.
_JOINED = f"\u0600-\u1dff\u2c80-\ua4ff\ua800-\uabff\ufb00-\ufdff\ufe70-\ufefc\ufe0f{_EMOJI}"

_UNSAFE = (
    "[\x00-\x1f\x7f-\x9f]"  # C0, DEL and C1 controls: escape sequences begin with one
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # marks that reorder text
    "|[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0]"  # unseen
    "|[\u2028\u2029\ufff0-\ufffb\U000e0000-\U000e00ff]"  # line ends, annotations, tags
    "|[\ud800-\udfff]"  # bytes that are no UTF-8
    f"|(?<![{_JOINED}])[\u200c\u200d]"
    "|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]"  # one variation selector varies, a run of them smuggles
    "|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)
#: Of these, what Python calls printable; all else that is printable is safe.
_UNSAFE_BUT_PRINTABLE = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)


def escape_terminal(text: str, lines: bool = False) -> str:
    r"""Show controls, bidi overrides, zero-width and tag characters as ``\x1b``, ``\u202e``, ``\U000e0041``.

    Ordinary text of every script stays as it is, joiners inside words of scripts that need them and emoji
    included. ``lines`` keeps line feeds and tabs; otherwise they are shown as ``\n`` and ``\t``.
    """
    # Nearly all text, and the patterns cost more to compile than a short command takes for all else.
    if text.isprintable() and (text.isascii() or _UNSAFE_BUT_PRINTABLE.isdisjoint(text)):
        return text
    return _unsafe(lines).sub(_escaped, text)


@cache
def _unsafe(lines: bool) -> re.Pattern[str]:
    return re.compile(f"(?![\n\t])(?:{_UNSAFE})" if lines else _UNSAFE)


def _escaped(match: re.Match[str]) -> str:
    return escape_character(match.group())


def escape_character(char: str) -> str:
    """Write one character as an escape."""
    code = ord(char)
    if char in _SHORT:
        return _SHORT[char]
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"  # a byte that is no UTF-8
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def width(text: str) -> int:
    """Count the columns that a text takes, after ``escape_terminal``: wide characters two, marks none."""
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def _width(char: str) -> int:
    from unicodedata import category, east_asian_width

    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1
