"""A file under ``entities/`` → an ``EntityFile`` and what is wrong with it. Total: never raises on any text."""

import re
from pathlib import PurePosixPath

from kb.diagnostics import Diagnostic, Fault, Span
from kb.model.entity import EntityFile, Key, Name
from kb.model.names import is_id
from kb.model.statement import StatementLine
from kb.syntax.fields import Fields, open_fields
from kb.syntax.front_matter import FrontMatter
from kb.syntax.inline import fold_lines, iter_links, unescape
from kb.syntax.sections import Body, Item, scan_body
from kb.syntax.slugs import slugify
from kb.syntax.source import Source, find_conflict_markers, locate
from kb.syntax.statement_lines import parse_statement, parse_sub_item

RESERVED = frozenset(("id", "type", "name", "aliases", "keys", "merged_into", "distinct_from"))

_SENTENCE = re.compile(r"(.+?[.!?。！？])(?:\s|\Z)", re.S)
_MAX_SUMMARY = 300


def parse_entity_file(source: Source) -> tuple[EntityFile, tuple[Diagnostic, ...]]:
    """Parse one entity file. A file that cannot be read as one is broken: it keeps its stem as id, and its text."""
    conflicts = find_conflict_markers(source.text)
    stem = PurePosixPath(source.path).stem
    if conflicts:
        broken = EntityFile(source.path, stem, Span(1, 1, 1), name=stem, is_broken=True, text=source.text)
        return broken, locate(source, conflicts)
    front, fields, faults = open_fields(source)
    if front.fields is None:
        broken = EntityFile(source.path, stem, Span(1, 1, 1), name=stem, is_broken=True, text=source.text)
        return broken, locate(source, faults)
    body = scan_body(source.text, front.body_start)
    statements = tuple(_iter_statements(source.text, body, faults))
    entity = _entity(source, front, fields, body, statements, stem)
    return entity, locate(source, [*faults, *fields.faults, *body.faults])


def _iter_statements(text: str, body: Body, faults: list[Fault]) -> list[StatementLine]:
    statements = []
    for item in body.items:
        statement, found = parse_statement(text[item.text_start : item.end], item.section, item.text_start)
        faults += found
        subs = _sub_items(text, item, faults)
        if statement is not None:
            statements.append(_with_item(statement, item, subs))
    return statements


def _with_item(statement: StatementLine, item: Item, subs: "tuple") -> StatementLine:  # type: ignore[type-arg]
    from dataclasses import replace

    return replace(statement, start=item.start, sub_items=subs)


def _sub_items(text: str, item: Item, faults: list[Fault]) -> "tuple":  # type: ignore[type-arg]
    subs = []
    for start, text_start, end in item.sub_items:
        sub = parse_sub_item(fold_lines(text[text_start:end]))
        if sub is None:
            faults.append(
                Fault(
                    "KB132",
                    start,
                    end,
                    "an indented item under a statement must be 'name:: text'",
                    "write 'name:: text', or move it to the left if it is a statement",
                )
            )
        else:
            subs.append(sub)
    return tuple(subs)


def _entity(
    source: Source, front: FrontMatter, fields: Fields, body: Body, statements: tuple[StatementLine, ...], stem: str
) -> EntityFile:
    name, type, id = fields.text("name"), fields.text("type"), _read_id(fields, front, stem)
    return EntityFile(
        path=source.path,
        id=id.text,
        id_span=id.span,
        type=type.text if type else None,
        type_span=fields.span(type),
        name=name.text if name else id.text,
        name_span=fields.span(name),
        aliases=fields.texts("aliases"),
        keys=tuple(_iter_keys(fields)),
        merged_into=fields.text("merged_into"),
        distinct_from=fields.texts("distinct_from"),
        fields=fields.others(RESERVED),
        statements=statements,
        links=tuple(_iter_prose_links(source.text, body)),
        footnotes=body.footnotes,
        summary=_summary(source.text, body),
        text=source.text,
    )


def _read_id(fields: Fields, front: FrontMatter, stem: str) -> Name:
    """Read the id; where it is missing or wrong, the stem stands in for it, and a fault says so."""
    id = fields.text("id")
    stand_in = stem if is_id(stem) else slugify(stem)
    if id is None:
        has_id = front.fields is not None and front.fields.get("id") is not None
        at = front.block_start if not has_id else 0
        fields.faults.append(
            Fault("KB201", max(at - 4, 0), max(at - 1, 3), "the id is missing", f"write id: {stand_in}")
        )
        return Name(stand_in, Span(1, 1, 1))
    if not is_id(id.text):
        node = front.fields.get("id") if front.fields else None
        start, end = (node.start, node.end) if node else (0, 3)
        hint = f"ids are lower-case letters, digits and single '-', at most 80: {slugify(id.text)}"
        fields.faults.append(Fault("KB202", start, end, f'"{id.text}" is no id', hint))
        return Name(stand_in, id.span)
    if id.text != stem:
        node = front.fields.get("id") if front.fields else None
        start, end = (node.start, node.end) if node else (0, 3)
        fields.faults.append(
            Fault(
                "KB203",
                start,
                end,
                f'the id "{id.text}" is not the file\'s stem "{stem}"',
                f"rename the file to {id.text}.md",
            )
        )
    return id


def _iter_keys(fields: Fields) -> list[Key]:
    keys = []
    for name in fields.texts("keys"):
        kind, sign, value = name.text.partition(":")
        if not sign or not kind.strip() or not value.strip():
            node = fields.mapping.get("keys")
            at = fields.source.line_starts[name.span.line - 1] + name.span.column - 1 if node else 0
            fields.faults.append(
                Fault("KB208", at, at + len(name.text), f'"{name.text}" is no key', "write kind:value")
            )
            continue
        keys.append(Key(kind.strip(), value.strip(), name.span))
    return keys


def _iter_prose_links(text: str, body: Body) -> "list":  # type: ignore[type-arg]
    links = []
    for start, end in _paragraphs(text, body):
        links += list(iter_links(text[start:end], start))
    return links


def _paragraphs(text: str, body: Body) -> list[tuple[int, int]]:
    """Join neighbouring lines of prose, so that code spans and links may run over line ends."""
    joined: list[tuple[int, int]] = []
    for start, end in body.prose:
        if joined and not text[joined[-1][1] : start].strip("\r\n") and text[joined[-1][1] : start].count("\n") <= 1:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _summary(text: str, body: Body) -> str:
    """The first sentence of the free text."""
    for start, end in _paragraphs(text, body):
        plain = unescape(text[start:end])
        if plain and plain[0] not in "#|-*+>":
            match = _SENTENCE.match(plain)
            return (match.group(1) if match else plain)[:_MAX_SUMMARY]
    return ""
