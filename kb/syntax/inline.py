"""Markdown inside one line: escapes, entities, code spans and links. Never looks at blocks."""

import re
from collections.abc import Iterator

from kb.model.statement import Link, LinkForm

_PUNCTUATION = r"""!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~"""
_ENTITY = r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);"
_ESCAPED = re.compile(rf"\\[{_PUNCTUATION}]")
_ESCAPE_OR_ENTITY = re.compile(rf"\\([{_PUNCTUATION}])|({_ENTITY})")
#: What would be taken for an escape or an entity, were it written as it is.
_TO_ESCAPE = re.compile(rf"\\(?=[{_PUNCTUATION}])|&(?={_ENTITY[1:]})")
_TO_ESCAPE_IN_LABEL = re.compile(rf"[\\\[\]`*_<]|&(?={_ENTITY[1:]})")
_BACKTICKS = re.compile(r"`+")
_LINE_FOLD = re.compile(r"[ \t]*(?:\r\n|\n|\r)[ \t]*")
_TO_QUOTE = re.compile(r"[^A-Za-z0-9\-._~/:@!$,;=+\x80-\U0010ffff]|[^\S ]|[\x80-\x9f]")

_WIKI = re.compile(r"\[\[([^\[\]\r\n]+)\]\]")
#: What mdformat makes of a wiki link, which it does not know.
_ESCAPED_WIKI = re.compile(r"\\\[\\?\[([^\[\]\r\n]+?)\\?\]\\?\]")
#: Matched where code and escapes are masked. Label with one level of brackets; target in angle
#: brackets or with one level of parentheses; optional title. White space is never given back, so that a million
#: blanks are read once.
_MARKDOWN = re.compile(
    r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]"
    r"\((?:\s*+(?:<([^<>\r\n]*)>|((?:[^()<\s]|\([^()\s]*\))(?:[^()\s]|\([^()\s]*\))*)))?"
    r"(?:\s++(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*+\)"
)


# -- reading ---------------------------------------------------------------------------------------


def iter_code_spans(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield each code span as (start, end, length of its fence). An escaped backtick opens none."""
    runs = [match.span() for match in _BACKTICKS.finditer(text)]
    last = {end - start: index for index, (start, end) in enumerate(runs)}
    index = 0
    while index < len(runs):
        start, end = runs[index]
        index += 1
        if _is_escaped(text, start):
            start += 1
        length = end - start
        if last.get(length, -1) < index:
            continue
        while runs[index][1] - runs[index][0] != length:
            index += 1
        yield start, runs[index][1], length
        index += 1


def _is_escaped(text: str, at: int) -> bool:
    before = at
    while before > 0 and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def mask(text: str) -> str:
    """Blank out code spans and escaped characters, so that what is left means what it looks like.

    Offsets stay. Blanked characters become NUL, which no syntax uses.
    """
    if "`" not in text:
        return _mask_escapes(text)
    pieces, at = [], 0
    for start, end, _ in iter_code_spans(text):
        pieces += [_mask_escapes(text[at:start]), "\0" * (end - start)]
        at = end
    pieces.append(_mask_escapes(text[at:]))
    return "".join(pieces)


def _mask_escapes(text: str) -> str:
    return _ESCAPED.sub("\0\0", text) if "\\" in text else text


def fold_lines(text: str) -> str:
    """Join a wrapped text: each line end with the blanks around it becomes one space."""
    return _LINE_FOLD.sub(" ", text) if "\n" in text or "\r" in text else text


def unescape(text: str) -> str:
    """Take Markdown text for what it says, in one line: escapes and entities resolved outside code spans.

    Where the whole text is one code span, its content is meant.
    """
    text = fold_lines(text).strip()
    if "`" not in text:
        return _unescape_plain(text).strip()
    pieces, at = [], 0
    for start, end, length in iter_code_spans(text):
        if start == 0 and end == len(text):
            return text[length : len(text) - length].strip()
        pieces += [_unescape_plain(text[at:start]), text[start:end]]
        at = end
    pieces.append(_unescape_plain(text[at:]))
    return "".join(pieces).strip()


def _unescape_plain(text: str) -> str:
    if "\\" not in text and "&" not in text:
        return text
    return _ESCAPE_OR_ENTITY.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    """What an escape or an entity stands for; a line end is a blank, since what we read is one line."""
    escaped: str | None = match.group(1)
    if escaped is not None:
        return escaped
    entity: str = match.group(2)
    if entity[1] != "#":
        from html.entities import html5  # a large table, which few texts need

        return html5.get(entity[1:], entity).replace("\n", " ")
    number = int(entity[3:-1], 16) if entity[2] in "xX" else int(entity[2:-1])
    if number == 0 or number > 0x10FFFF or 0xD800 <= number < 0xE000:
        return "\ufffd"
    return " " if number in (10, 13) else chr(number)


def match_link(text: str, at: int, offset: int = 0, masked: str | None = None) -> Link | None:
    """Read the link that begins at a place in a text; ``offset`` is added to its positions.

    A wiki link whose brackets are escaped is read as well: the place decides that a link is meant.
    """
    if masked is None:
        masked = mask(text)
    match = _WIKI.match(masked, at) or _ESCAPED_WIKI.match(text, at)
    # ``[[a]](b.md)`` is a Markdown link with brackets in its label.
    if match and not (masked.startswith("(", match.end()) and _MARKDOWN.match(masked, at)):
        target, _, label = text[match.start(1) : match.end(1)].partition("|")
        target = target.rstrip("\\").partition("#")[0].strip()
        return Link(LinkForm.WIKI, label, target, offset + at, offset + match.end())
    match = _MARKDOWN.match(masked, at)
    if match is None:
        return None
    group = 2 if match.start(2) >= 0 else 3
    raw = text[match.start(group) : match.end(group)] if match.start(group) >= 0 else ""
    target = _unescape_plain(raw).partition("#")[0].partition("?")[0]
    if "%" in target:
        from urllib.parse import unquote  # few targets are quoted

        target = unquote(target)
    label = unescape(text[match.start(1) : match.end(1)])
    return Link(LinkForm.MARKDOWN, label, target, offset + at, offset + match.end())


def iter_links(text: str, offset: int = 0) -> Iterator[Link]:
    """Yield the links of a text, none from code spans or escaped brackets, images excepted."""
    if "](" not in text and "[[" not in text:
        return
    masked = mask(text)
    at = masked.find("[")
    while at >= 0:
        is_link = not masked.startswith("[^", at) and (at == 0 or masked[at - 1] != "!")
        link = match_link(text, at, offset, masked) if is_link else None
        if link:
            yield link
        at = masked.find("[", link.end - offset if link else at + 1)


# -- writing ---------------------------------------------------------------------------------------


def escape(text: str) -> str:
    """Write a text so that ``unescape`` gives it back, with as few escapes as that takes."""
    return _TO_ESCAPE.sub(r"\\\g<0>", text) if "\\" in text or "&" in text else text


def code_span(text: str) -> str:
    """Put a text into a code span that says it exactly."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def format_link(label: str, target: str, form: LinkForm = LinkForm.MARKDOWN) -> str:
    """Write a link: ``[label](target)`` with what needs it quoted or escaped, or ``[[target|label]]``."""
    label = " ".join(label.split())
    if form is LinkForm.WIKI:
        plain = re.sub(r"[\[\]|]", " ", label).strip()
        return f"[[{target}|{plain}]]" if plain and plain != target else f"[[{target}]]"
    # A label is Markdown: brackets and backticks in a name would end it early.
    label = _TO_ESCAPE_IN_LABEL.sub(r"\\\g<0>", label)
    return f"[{label}]({quote_target(target)})"


def quote_target(target: str) -> str:
    """Percent-encode what would end or change a Markdown link's target."""
    return _TO_QUOTE.sub(_percent_encoded, target)


def _percent_encoded(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match.group().encode("utf-8", "surrogatepass"))
