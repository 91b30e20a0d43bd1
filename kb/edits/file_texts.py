"""The text of new files: frontmatter that reads back exactly, statements in their place, definitions at the end.

Plain scalars only where every reader of YAML takes them for the same text; all others are quoted.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from kb.edits.footnotes import CitedSource, format_definition
from kb.model.names import is_id
from kb.model.statement import Section, StatementLine
from kb.syntax.observation_file import seal_of
from kb.syntax.statement_texts import format_statement

_PLAIN = re.compile(r"[^\W\d_](?:[\w ()./@:+~'’&=;–-]*[\w)./'’])?")
_TYPED = re.compile(
    r"null|true|false|yes|no|on|off|y|n|nan|inf|0x[0-9a-f]+|[0-9][0-9_.:e+-]*", re.I
)
#: ISO dates are text in this format, and other readers show them as dates, which they are.
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?")
_FLOW_WIDTH = 100
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def format_scalar(text: str) -> str:
    """Write a text as a YAML scalar on one line."""
    is_plain = _PLAIN.fullmatch(text) or is_id(text)
    if is_plain and ": " not in text and not is_typed(text):
        return text
    return quote_scalar(text)


def quote_scalar(text: str) -> str:
    """Write a text as a YAML scalar in double quotes."""
    return f'"{"".join(map(_escaped, text))}"'


def is_typed(text: str) -> bool:
    """Say whether other readers of YAML take a plain scalar for more than text: a number, a truth, nothing."""
    return _TYPED.fullmatch(text) is not None


def is_plain_date(text: str) -> bool:
    """Say whether a scalar is an ISO date, which is written plain."""
    return _DATE.fullmatch(text) is not None


def _escaped(char: str) -> str:
    if char in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )


def format_list(texts: Sequence[str]) -> str:
    """Write a list of texts: on the key's line where it fits, else an item a line."""
    items = [format_scalar(text) for text in texts]
    flow = f" [{', '.join(items)}]"
    return flow if len(flow) <= _FLOW_WIDTH else "".join(f"\n  - {item}" for item in items)


def format_front_matter(
    fields: Iterable[tuple[str, str | Sequence[str]]], newline: str = "\n"
) -> str:
    """Write a frontmatter block, its fences included; empty fields are left out."""
    lines = []
    for key, value in fields:
        if not value:
            continue
        if isinstance(value, str):
            lines.append(f"{key}: {value if is_plain_date(value) else format_scalar(value)}")
        else:
            lines.append(f"{key}:{format_list(value)}")
    text = "\n".join(("---", *lines, "---", ""))
    return text if newline == "\n" else text.replace("\n", newline)


def format_observation(fields: Iterable[tuple[str, str | Sequence[str]]], body: str) -> str:
    """Write a sealed observation. The body is kept to the byte; the frontmatter takes its line ends."""
    newline = (
        "\r\n"
        if "\r\n" in body and body.count("\r\n") == body.count("\n") == body.count("\r")
        else "\n"
    )
    sealed = newline + body
    return format_front_matter((*fields, ("sha256", seal_of(sealed))), newline) + sealed


def format_entity(
    path: str,
    fields: Iterable[tuple[str, str | Sequence[str]]],
    prose: str,
    statements: Sequence[tuple[StatementLine, str | None]],
    sources: Mapping[str, CitedSource],
) -> str:
    """Write an entity file; each statement comes with its link's text (in a relation), in the order to write."""
    parts = [format_front_matter(fields)]
    parts += [f"\n{prose}\n"] if prose else []
    for section in Section:
        lines = [
            format_statement(line, link) for line, link in statements if line.section is section
        ]
        if lines:
            parts.append("\n".join((f"\n## {section.title}\n", *lines, "")))
    ordered = sorted(statements, key=lambda pair: pair[0].section is Section.FACTS)
    cited = dict.fromkeys(
        citation.observation for line, _ in ordered for citation in line.citations
    )
    parts += [f"\n{format_definition(sources[id], path)}\n" for id in cited if id in sources]
    return "".join(parts)
