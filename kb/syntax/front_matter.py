"""Frontmatter as text with positions: every scalar stays what was typed.

A handler for python-frontmatter whose loader never guesses types; positions come from the C parser's events,
so that nesting, anchors and tags are seen before anything is built from them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml
from frontmatter.default_handlers import YAMLHandler

from kb.diagnostics import Fault

#: Frontmatter larger than this is not parsed (FORMAT, "flat YAML").
MAX_FRONT_MATTER = 64 * 1024
_MAX_DEPTH = 20

_FENCE = re.compile(r"---[ \t]*(?:\r\n|\n|\r|\Z)")
_CLOSE = re.compile(r"^(---|\.\.\.)[ \t]*$", re.M)
_SECOND = re.compile(r"\s*---[ \t]*(?:\r\n|\n|\r)(?:[^\r\n]*:[^\r\n]*(?:\r\n|\n|\r))")

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar as text, by its character offsets in the file."""

    text: str
    start: int
    end: int
    is_plain: bool = True


@dataclass(frozen=True, slots=True)
class Sequence:
    """A sequence of nodes."""

    items: tuple["Node", ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping; of a duplicate key the first entry counts, and the second is a fault."""

    entries: tuple[tuple[Scalar, "Node"], ...]
    start: int
    end: int

    def get(self, key: str) -> "Node | None":
        """The value of a key."""
        return next((value for name, value in self.entries if name.text == key), None)


Node = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A file's frontmatter and where its body begins. ``fields`` is ``None`` where it does not parse."""

    fields: Mapping | None
    block_start: int  #: offset of the YAML's first character
    block_end: int  #: offset of the closing fence
    body_start: int  #: after the closing fence's line end
    faults: tuple[Fault, ...] = ()


class TextHandler(YAMLHandler):  # type: ignore[misc]
    """python-frontmatter's view of our files: fences of exactly three dashes, values as text."""

    def detect(self, text: str) -> bool:
        """Say whether a text begins with a fence."""
        return _FENCE.match(text) is not None

    def split(self, text: str) -> tuple[str, str]:
        """Split into the block and the body; ``ValueError`` where there is no closed block."""
        opening = _FENCE.match(text)
        closing = _find_close(text, opening.end()) if opening else None
        if opening is None or closing is None:
            raise ValueError("no frontmatter")
        return text[opening.end() : closing.start()], text[_line_after(text, closing.end()) :]

    def load(self, fm: str, **kwargs: object) -> dict[str, object]:
        """Give the fields as plain text, lists and dicts."""
        node, faults = parse_yaml(fm)
        if faults or not isinstance(node, Mapping):
            raise ValueError(faults[0].message if faults else "the frontmatter is no mapping")
        return {key.text: to_plain(value) for key, value in node.entries}


def to_plain(node: Node) -> object:
    """Give a node as text, list or dict."""
    match node:
        case Scalar():
            return node.text
        case Sequence():
            return [to_plain(item) for item in node.items]
        case Mapping():
            return {key.text: to_plain(value) for key, value in node.entries}


def split_front_matter(text: str) -> FrontMatter:
    """Find and parse a file's frontmatter. Never raises: what is wrong is among the faults."""
    opening = _FENCE.match(text)
    if opening is None:
        hint = "begin the file with a line '---', then 'id: …', and close the block with '---'"
        if re.match(r"\s+---", text):
            hint = "the block's '---' must be the first line"
        return FrontMatter(None, 0, 0, 0, (Fault("KB102", 0, 0, "the file has no frontmatter", hint),))
    start = opening.end()
    closing = _find_close(text, start)
    if closing is None:
        fault = Fault("KB101", 0, 3, "the frontmatter is not closed", "end it with a line '---'")
        return FrontMatter(None, start, len(text), len(text), (fault,))
    end, body_start = closing.start(), _line_after(text, closing.end())
    if closing.group(1) == "...":
        fault = Fault("KB116", end, end + 3, "the frontmatter ends with '...'", "end it with a line '---'")
        return FrontMatter(None, start, end, body_start, (fault,))
    if len(text[start:end].encode("utf-8", "surrogatepass")) > MAX_FRONT_MATTER:
        fault = Fault(
            "KB108",
            0,
            3,
            f"the frontmatter is larger than {MAX_FRONT_MATTER // 1024} KiB",
            "move the text below the block",
        )
        return FrontMatter(None, start, end, body_start, (fault,))
    node, faults = parse_yaml(text[start:end], start)
    if node is None and not faults:
        node = Mapping((), start, end)
    if node is not None and not isinstance(node, Mapping):
        faults.append(
            Fault("KB107", node.start, node.end, "the frontmatter is no mapping", "write 'key: value' lines")
        )
        node = None
    second = _SECOND.match(text, body_start)
    if second:
        at = text.index("---", body_start)
        faults.append(
            Fault(
                "KB110",
                at,
                at + 3,
                "a second block follows the frontmatter; it is read as text",
                "move its fields into the first block",
            )
        )
    return FrontMatter(node, start, end, body_start, tuple(faults))


def _find_close(text: str, start: int) -> re.Match[str] | None:
    lines = text if "\r" not in text else text.replace("\r", "\n")
    return _CLOSE.search(lines, start)


def _line_after(text: str, at: int) -> int:
    if text.startswith("\r\n", at):
        return at + 2
    return at + 1 if at < len(text) else at


class _Refused(Exception):
    """A node that we do not read; carries the fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def parse_yaml(text: str, offset: int = 0) -> tuple[Node | None, list[Fault]]:
    """Parse YAML into nodes of text, positions shifted by ``offset``.

    Anchors, aliases, merge keys, tags and deep nesting are refused at once; the first fault ends the reading,
    duplicate keys apart.
    """
    faults: list[Fault] = []
    try:
        events = _events(text, offset)
        return _build(events, faults, offset), faults
    except _Refused as refused:
        return None, [*faults, refused.fault]
    except yaml.YAMLError as error:
        return None, [*faults, _yaml_fault(error, text, offset)]


def _events(text: str, offset: int) -> Iterator[yaml.Event]:
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAX_DEPTH:
                at = offset + event.start_mark.index
                raise _Refused(Fault("KB109", at, at + 1, "the YAML is nested too deep", "keep it flat"))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        yield event


def _build(events: Iterator[yaml.Event], faults: list[Fault], offset: int) -> Node | None:
    for event in events:
        if isinstance(event, yaml.NodeEvent):
            return _node(event, events, faults, offset)
        if isinstance(event, yaml.StreamEndEvent):
            return None
    return None


def _node(event: yaml.Event, events: Iterator[yaml.Event], faults: list[Fault], offset: int) -> Node:
    start, end = offset + event.start_mark.index, offset + event.end_mark.index
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
        raise _Refused(
            Fault(
                "KB105",
                start,
                end,
                f"YAML anchors and aliases are not allowed ({sign}{event.anchor})",
                "write the value out, or put it in quotes if it is text",
            )
        )
    if getattr(event, "tag", None) and event.tag != "!":
        raise _Refused(Fault("KB106", start, end, f"YAML tags are not allowed ({event.tag})", "remove the tag"))
    if isinstance(event, yaml.ScalarEvent):
        return Scalar(event.value, start, end, event.style in (None, ""))
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        for inner in events:
            if isinstance(inner, yaml.SequenceEndEvent):
                end = offset + inner.end_mark.index
                break
            items.append(_node(inner, events, faults, offset))
        return Sequence(tuple(items), start, end)
    entries: list[tuple[Scalar, Node]] = []
    seen: dict[str, Scalar] = {}
    for inner in events:
        if isinstance(inner, yaml.MappingEndEvent):
            end = offset + inner.end_mark.index
            break
        key = _node(inner, events, faults, offset)
        value = _node(next(events), events, faults, offset)
        if not isinstance(key, Scalar):
            raise _Refused(Fault("KB103", key.start, key.end, "a key must be plain text", "put it in quotes"))
        if key.text == "<<" and key.is_plain:
            raise _Refused(
                Fault("KB105", key.start, key.end, "YAML merge keys are not allowed (<<)", "write the fields out")
            )
        if key.text in seen:
            faults.append(
                Fault(
                    "KB104",
                    key.start,
                    key.end,
                    f'the key "{key.text}" stands twice',
                    "keep one of the two",
                    seen[key.text].start,
                )
            )
            continue
        seen[key.text] = key
        entries.append((key, value))
    return Mapping(tuple(entries), start, end)


def _yaml_fault(error: yaml.YAMLError, text: str, offset: int) -> Fault:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    at = min(mark.index, len(text)) if mark else getattr(error, "position", 0) or 0
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    if "mapping values are not allowed" in problem:
        return Fault(
            "KB103", offset + at, offset + at + 1, "a value with ': ' in it needs quotes", 'write key: "a: b"'
        )
    if "cannot start any token" in problem:
        sign = text[at : at + 1]
        return Fault(
            "KB103",
            offset + at,
            offset + at + 1,
            f"a value cannot begin with {sign!r}" if sign.strip() else "a tab cannot indent YAML",
            f'put it in quotes: "{sign}…"' if sign.strip() else "use spaces",
        )
    return Fault(
        "KB103", offset + at, offset + at + 1, f"the YAML does not parse: {problem}", "put text values in quotes"
    )
