"""Markdown inside one line: escapes, entities, code spans and links. Never looks at blocks."""

import re
from collections.abc import Iterator
from html import unescape as unescape_entities
from urllib.parse import unquote

from kb.model.statement import Link, LinkForm

_PUNCTUATION = r"""!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~"""
_ESCAPE = re.compile(rf"\\([{_PUNCTUATION}])|(&(?:#[0-9]{{1,7}}|#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]*);)")
_BACKTICKS = re.compile(r"`+")
_LINE_FOLD = re.compile(r"[ \t]*(?:\r\n|\n|\r)[ \t]*")
_WIKI = re.compile(r"\\?\[\\?\[([^\[\]\r\n]+?)\\?\]\\?\]")
#: Label with one level of nested brackets; target in angle brackets or with balanced parentheses; optional title.
_MARKDOWN = re.compile(
    r"\[((?:\\.|\[(?:\\.|[^\[\]\\])*\]|[^\[\]\\])*)\]"
    r"\(\s*(?:<((?:\\.|[^<>\\\r\n])*)>|((?:\\.|\((?:\\.|[^()\\\s])*\)|[^()\\\s])*))"
    r"(?:\s+(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))?\s*\)"
)


def iter_code_spans(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield each code span as (start, end, length of its fence). An escaped backtick opens none."""
    if "`" not in text:
        return
    runs = [(match.start(), match.end()) for match in _BACKTICKS.finditer(text)]
    index = 0
    while index < len(runs):
        start, end = runs[index]
        if _is_escaped(text, start):
            start += 1
        length = end - start
        close = next((other for other in range(index + 1, len(runs)) if runs[other][1] - runs[other][0] == length), None)
        if length == 0 or close is None:
            index += 1
            continue
        yield start, runs[close][1], length
        index = close + 1


def _is_escaped(text: str, at: int) -> bool:
    backslashes = 0
    while at > backslashes and text[at - backslashes - 1] == "\\":
        backslashes += 1
    return backslashes % 2 == 1


def mask(text: str) -> str:
    """Blank out code spans and escaped characters, keeping every offset, so that what is left means what it looks like.

    Blanked characters become NUL, which no syntax uses.
    """
    if "`" not in text and "\\" not in text:
        return text
    pieces, at = [], 0
    for start, end, _ in iter_code_spans(text):
        pieces += [_mask_escapes(text[at:start]), "\0" * (end - start)]
        at = end
    pieces.append(_mask_escapes(text[at:]))
    return "".join(pieces)


def _mask_escapes(text: str) -> str:
    if "\\" not in text:
        return text
    return re.sub(rf"\\[{_PUNCTUATION}]", "\0\0", text)


def fold_lines(text: str) -> str:
    """Join a wrapped text: each line end with the blanks around it becomes one space."""
    return _LINE_FOLD.sub(" ", text) if "\n" in text or "\r" in text else text


def unescape(text: str) -> str:
    """Take Markdown text for what it says: escapes and entities resolved outside code spans.

    Where the whole text is one code span, its content is meant.
    """
    text = fold_lines(text).strip()
    if "\\" not in text and "&" not in text and "`" not in text:
        return text
    pieces, at = [], 0
    for start, end, length in iter_code_spans(text):
        if start == 0 and end == len(text):
            return _code_content(text[length : len(text) - length])
        pieces += [_unescape_plain(text[at:start]), text[start:end]]
        at = end
    pieces.append(_unescape_plain(text[at:]))
    return "".join(pieces)


def _unescape_plain(text: str) -> str:
    return _ESCAPE.sub(lambda match: match.group(1) or unescape_entities(match.group(2)), text)


def _code_content(content: str) -> str:
    if len(content) > 1 and content[0] == content[-1] == " " and content.strip(" "):
        return content[1:-1]
    return content


def escape(text: str) -> str:
    """Write a text so that ``unescape`` gives it back, with as few escapes as that takes."""
    escaped = re.sub(rf"\\(?=[{_PUNCTUATION}])", r"\\\\", text)
    return re.sub(r"&(?=(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);)", r"\\&", escaped)


def code_span(text: str) -> str:
    """Put a text into a code span that says it exactly."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    needs_pad = text[:1] == "`" or text[-1:] == "`" or (text[:1] == text[-1:] == " " and text.strip(" ") != "")
    pad = " " if needs_pad else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def match_link(text: str, at: int, offset: int = 0) -> Link | None:
    """Read the link that begins at a place in a text; ``offset`` is added to its positions."""
    match = _WIKI.match(text, at)
    if match:
        target, _, label = match.group(1).partition("|")
        target = target.rstrip("\\")
        return Link(LinkForm.WIKI, label, target.partition("#")[0].strip(), offset + at, offset + match.end())
    match = _MARKDOWN.match(text, at)
    if match is None:
        return None
    raw = match.group(2) if match.group(2) is not None else match.group(3)
    target = unquote(_unescape_plain(raw).partition("#")[0].partition("?")[0])
    return Link(LinkForm.MARKDOWN, unescape(match.group(1)), target, offset + at, offset + match.end())


def iter_links(text: str, offset: int = 0) -> Iterator[Link]:
    """Yield the links of a text, none from code spans or escaped brackets, images excepted."""
    if "[" not in text:
        return
    masked = mask(text)
    at = masked.find("[")
    while at >= 0:
        is_image = at > 0 and masked[at - 1] == "!"
        link = match_link(text, at, offset) if masked[at : at + 2] != "[^" else None
        if link is None or "\0" in masked[at] or is_image:
            at = masked.find("[", at + 1)
            continue
        yield link
        at = masked.find("[", link.end - offset)
