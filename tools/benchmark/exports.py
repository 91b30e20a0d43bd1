"""What peers are given: the documents and edges of a synthetic knowledge base, read off its files.

Reads only the form that ``tools/gen_kb`` writes, and nothing of kb, so that kb may change without its peers.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from .synthetic.predicates import INVERSES, SYMMETRIC

#: Entities with more current neighbours than this are not walked through (``kb paths --hub-degree``).
HUB_DEGREE = 200
ASSOCIATIONS = ("co-occurs-with", "discussed-with")

_ITEM = re.compile(r"- ([a-z-]+):: (.*)")
_LINK = re.compile(r"\[[^\]]*\]\([^)]*?([^/)]+)\.md\)")
_QUALIFIERS = re.compile(r" \(([^()]*)\)(?= —| \[\^| \^|$)")
_TAIL = re.compile(r"(?: \[\^[^\]]+\])* \^[a-z0-9]+$")


@dataclass(slots=True)
class Edge:
    """A relation, in its canonical direction."""

    subject: str
    object: str
    predicate: str
    support: tuple[
        int, int, int, int
    ]  #: cited, no association, citations, confidence: best greatest
    is_current: bool


@dataclass(slots=True)
class ReadFile:
    """What one file says."""

    id: str
    type: str
    names: list[str]
    body: str
    edges: list[Edge] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)


def export(root: Path, folder: Path, today: date) -> None:
    """Write ``documents.jsonl``, ``edges.jsonl`` and ``memory.jsonl`` (the MCP memory server's form)."""
    folder.mkdir(parents=True, exist_ok=True)
    survivors = dict(_iter_merges(root))
    with (
        open(folder / "documents.jsonl", "w", encoding="utf-8") as documents,
        open(folder / "edges.jsonl", "w", encoding="utf-8") as edges,
        open(folder / "memory.jsonl", "w", encoding="utf-8") as memory,
    ):
        for path in _iter_files(root):
            is_entity = path.relative_to(root).parts[0] == "entities"
            read = read_file(path.read_text(encoding="utf-8"), is_entity, today)
            _print(documents, {"id": read.id, "names": "\n".join(read.names), "body": read.body})
            if not is_entity:
                continue
            entity = {"name": read.id, "entityType": read.type, "observations": read.facts}
            _print(memory, {"type": "entity", **entity})
            for edge in read.edges:
                ends = [survivors.get(id, id) for id in (edge.subject, edge.object)]
                _print(edges, [*ends, edge.predicate, edge.support, edge.is_current])
                link = {"from": edge.subject, "to": edge.object, "relationType": edge.predicate}
                _print(memory, {"type": "relation", **link})


def _print(file, value: object) -> None:  # type: ignore[no-untyped-def]
    file.write(json.dumps(value, ensure_ascii=False) + "\n")


def _iter_files(root: Path) -> Iterator[Path]:
    for part in ("entities", "observations"):
        yield from sorted((root / part).rglob("*.md"))


def _iter_merges(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the duplicates, each with the entity that it is."""
    for path in (root / "entities").rglob("*.md"):
        head = path.read_text(encoding="utf-8").partition("\n---\n")[0]
        if "\nmerged_into: " in head:
            yield path.stem, head.partition("\nmerged_into: ")[2].partition("\n")[0]


def read_file(text: str, is_entity: bool, today: date) -> ReadFile:
    """Read one file: names, the text that is searched, and what it relates."""
    head, _, rest = text.partition("\n---\n")
    fields = dict(line.partition(": ")[::2] for line in head.splitlines()[1:])
    listed = (fields.get(name, "").strip("[]") for name in ("aliases", "keys"))
    names = [fields.get("name") or fields.get("title", ""), *filter(None, listed), fields["id"]]
    read = ReadFile(fields["id"], fields.get("type", "other"), names, rest.strip())
    if is_entity:
        read.body = "\n".join(_iter_said(read, rest, today))
    return read


def _iter_said(read: ReadFile, text: str, today: date) -> Iterator[str]:
    """Yield the free text, and of each statement its value and note; note the edges on the way."""
    for line in text.splitlines():
        item = _ITEM.match(line)
        if item is None:
            if line and not line.startswith(("## ", "[^")):
                yield line.strip()
            continue
        predicate, content = item.groups()
        said = _TAIL.sub("", content)
        citations = content.count("[^", len(said))
        found = _QUALIFIERS.search(content)
        qualifiers = found[1].split(", ") if found else []
        is_retired = any(one.startswith(("retracted", "superseded")) for one in qualifiers)
        value, _, note = said.partition(" — ")
        link = _LINK.match(value)
        if link and not is_retired:
            confidence = next((int(one[:-1]) for one in qualifiers if one.endswith("%")), 100)
            support = (
                int(citations > 0),
                int(predicate not in ASSOCIATIONS),
                citations,
                confidence,
            )
            is_current = not any(_is_over(one, today) for one in qualifiers)
            read.edges.append(_canonical(Edge(read.id, link[1], predicate, support, is_current)))
        elif not link:
            read.facts.append(value)
            yield value.partition(" (")[0]
        if note:
            yield note


def _canonical(edge: Edge) -> Edge:
    """Turn an edge that is written at its object, or that holds both ways, into the one form that kb counts as one."""
    is_turned = edge.predicate in INVERSES
    is_turned |= edge.predicate in SYMMETRIC and edge.object < edge.subject
    if is_turned:
        edge.subject, edge.object = edge.object, edge.subject
    edge.predicate = INVERSES.get(edge.predicate, edge.predicate)
    return edge


def _is_over(qualifier: str, today: date) -> bool:
    """Whether a time as written has ended."""
    start, slash, end = qualifier.partition("/")
    if qualifier == "ended" or (slash and not end and start):
        return True
    return bool(slash) and end[:2] == "20" and end < today.isoformat()
