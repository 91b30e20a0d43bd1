"""Frontmatter of any form, by YAML's own parser.

A handler for python-frontmatter whose loader never guesses types. Positions are character offsets, from
the C parser's events, so that nesting, anchors and tags are seen before anything is built from them; YAML's
own lines are not used, since it ends them where Markdown does not.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from kb.diagnostics import Fault
from kb.syntax.front_matter import (
    MAX_FRONT_MATTER,
    FrontMatter,
    Mapping,
    Node,
    Scalar,
    Sequence,
    find_second_block,
    find_start,
    is_larger,
    split_block,
    to_plain,
)

_MAX_DEPTH = 20
_TOO_DEEP = "the YAML is nested too deep"
_LATE = re.compile(r"\s+---")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


# -- the block -------------------------------------------------------------------------------------


class TextHandler(YAMLHandler):
    """python-frontmatter's view of our files: fences of exactly three dashes, values as text."""

    def detect(self, text: str) -> bool:
        """Say whether a text begins with a fence."""
        return find_start(text) is not None

    def split(self, text: str) -> tuple[str, str]:
        """Split into the block and the body; ``ValueError`` where there is no closed block."""
        found = split_block(text)
        if found is None:
            raise ValueError("no frontmatter")
        return found

    def load(self, fm: str, **kwargs: object) -> dict[str, object]:
        """Give the fields as plain text, lists and dicts; ``ValueError`` where they cannot be read."""
        node, faults = parse_yaml(fm)
        if faults or not isinstance(node, Mapping | None):
            raise ValueError(faults[0].message if faults else "the frontmatter is no mapping")
        return {key.text: to_plain(value) for key, value in node.entries} if node else {}


_HANDLER = TextHandler()


def read_block(text: str) -> FrontMatter:
    """Read any frontmatter. Never raises: what is wrong is among the faults."""
    start = find_start(text)
    if start is None:
        hint = "begin the file with a line '---', then 'id: …', and close the block with '---'"
        if _LATE.match(text):
            hint = "the block's '---' must be the first line"
        return _unread(0, 0, Fault("KB102", 0, 0, "the file has no frontmatter", hint))
    try:
        block, body = _HANDLER.split(text)
    except ValueError:
        fault = Fault("KB101", 0, 3, "the frontmatter is not closed", "end it with a line '---'")
        return _unread(len(text), len(text), fault)
    end, body_start = start + len(block), len(text) - len(body)
    if text.startswith("...", end):
        message = "the frontmatter ends with '...'"
        fault = Fault("KB116", end, end + 3, message, "end it with a line '---'")
        return _unread(end, body_start, fault)
    if is_larger(block, MAX_FRONT_MATTER):
        message = f"the frontmatter is larger than {MAX_FRONT_MATTER // 1024} KiB"
        return _unread(
            end, body_start, Fault("KB108", 0, 3, message, "move the text below the block")
        )
    node, faults = parse_yaml(block, start)
    if node is None and not faults:
        node = Mapping((), start, end)
    if node is not None and not isinstance(node, Mapping):
        message = "the frontmatter is no mapping"
        faults.append(Fault("KB107", node.start, node.end, message, "write 'key: value' lines"))
        node = None
    return FrontMatter(node, end, body_start, (*faults, *find_second_block(text, body_start)))


def _unread(end: int, body_start: int, fault: Fault) -> FrontMatter:
    return FrontMatter(None, end, body_start, (fault,))


# -- YAML ------------------------------------------------------------------------------------------


class _Refused(Exception):
    """A node that we do not read; carries the fault."""

    def __init__(self, code: str, start: int, end: int, message: str, hint: str) -> None:
        super().__init__(message)
        self.fault = Fault(code, start, end, message, hint)


def parse_yaml(text: str, offset: int = 0) -> tuple[Node | None, list[Fault]]:
    """Parse YAML into nodes of text, positions shifted by ``offset``.

    Anchors, aliases, merge keys, tags and deep nesting are refused at once; the first fault ends the reading,
    duplicate keys apart.
    """
    # Bytes that are no UTF-8 are found elsewhere; the C parser would raise on them.
    text = text if text.isascii() else _SURROGATE.sub("\ufffd", text)
    builder = _Builder(text, offset)
    try:
        return builder.build(), builder.faults
    except _Refused as refused:
        return None, [*builder.faults, refused.fault]
    except yaml.YAMLError as error:
        return None, [*builder.faults, _yaml_fault(error, text, offset)]


def _iter_events(text: str) -> Iterator[Any]:
    # Their stubs call marks optional and tags unknown, which they are not here: so Any.
    loader = _LOADER(text)
    while (event := loader.get_event()) is not None:
        yield event


class _Builder:
    """Events → nodes."""

    def __init__(self, text: str, offset: int) -> None:
        self.events, self.offset = _iter_events(text), offset
        self.depth = 0
        self.faults: list[Fault] = []

    def build(self) -> Node | None:
        """Give the root of the one document; ``None`` where there is nothing."""
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent) and root is not None:
                at = self._place(event.start_mark)
                message = "a second YAML document begins here"
                raise _Refused("KB103", at, at + 3, message, "remove the line")
            if isinstance(event, yaml.NodeEvent):
                root = self._node(event)
        return root

    def _node(self, event: Any) -> Node:
        start = self.offset + event.start_mark.index
        end = self.offset + event.end_mark.index
        if event.anchor is not None:
            sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
            message = f"YAML anchors and aliases are not allowed ({sign}{event.anchor})"
            hint = "write the value out, or put it in quotes if it is text"
            raise _Refused("KB105", start, end, message, hint)
        if event.tag is not None:
            message = f"YAML tags are not allowed ({event.tag})"
            raise _Refused("KB106", start, end, message, "remove the tag")
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(event.value, start, end, not event.style)
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise _Refused("KB109", start, start + 1, _TOO_DEEP, "keep it flat")
        is_sequence = isinstance(event, yaml.SequenceStartEvent)
        node: Node = self._sequence(start) if is_sequence else self._mapping(start)
        self.depth -= 1
        return node

    def _place(self, mark: Any) -> int:
        index: int = mark.index
        return self.offset + index

    def _sequence(self, start: int) -> Sequence:
        items = []
        event = next(self.events)
        while not isinstance(event, yaml.SequenceEndEvent):
            items.append(self._node(event))
            event = next(self.events)
        return Sequence(tuple(items), start, self._place(event.end_mark))

    def _mapping(self, start: int) -> Mapping:
        entries: dict[str, tuple[Scalar, Node]] = {}
        event = next(self.events)
        while not isinstance(event, yaml.MappingEndEvent):
            key = self._key(event)
            value = self._node(next(self.events))
            if key.text in entries:
                message = f'the key "{key.text}" stands twice'
                first = entries[key.text][0].start
                self.faults.append(
                    Fault("KB104", key.start, key.end, message, "keep one of the two", first)
                )
            else:
                entries[key.text] = (key, value)
            event = next(self.events)
        return Mapping(tuple(entries.values()), start, self._place(event.end_mark))

    def _key(self, event: Any) -> Scalar:
        key = self._node(event)
        if not isinstance(key, Scalar):
            message = "a key must be plain text"
            raise _Refused("KB103", key.start, key.end, message, "put it in quotes")
        if key.text == "<<" and key.is_plain:
            message = "YAML merge keys are not allowed (<<)"
            raise _Refused("KB105", key.start, key.end, message, "write the fields out")
        return key


def _yaml_fault(error: yaml.YAMLError, text: str, offset: int) -> Fault:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    at = min(mark.index if mark else getattr(error, "position", 0) or 0, len(text))
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    sign = text[at : at + 1]
    message, hint = f"the YAML does not parse: {problem}", "put text values in quotes"
    if "maximum nesting depth" in problem:
        return Fault("KB109", offset + at, offset + at + 1, _TOO_DEEP, "keep it flat")
    if "mapping values are not allowed" in problem:
        message, hint = "a value with ': ' in it needs quotes", 'write key: "a: b"'
    elif "cannot start any token" in problem and sign.strip():
        message, hint = f"a value cannot begin with {sign!r}", f'put it in quotes: "{sign}…"'
    elif "cannot start any token" in problem:
        message, hint = "a tab cannot indent YAML", "use spaces"
    elif "special characters are not allowed" in problem or "control characters" in problem:
        message, hint = "a control character stands in the YAML", "remove it"
    return Fault("KB103", offset + at, min(offset + at + 1, offset + len(text)), message, hint)
