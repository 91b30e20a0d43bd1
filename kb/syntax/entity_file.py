"""A file under ``entities/`` → an ``EntityFile`` and what is wrong with it. Total: never raises on any text."""

import re
from collections.abc import Iterator

from kb.diagnostics import WHOLE_FILE, Diagnostic, Fault
from kb.model.entity import EntityFile, Key
from kb.model.names import stem_of
from kb.model.statement import Link, StatementLine, SubItem
from kb.syntax.body import Body, Item
from kb.syntax.fields import Fields, open_fields, read_id
from kb.syntax.inline import fold_lines, iter_links, unescape
from kb.syntax.sections import scan_body
from kb.syntax.source import Source, find_conflict_markers, locate
from kb.syntax.statement_lines import parse_statement, parse_sub_item

RESERVED = frozenset(("id", "type", "name", "aliases", "keys", "merged_into", "distinct_from"))

_SENTENCE = re.compile(r"(.+?[.!?。！？])(?:\s|\Z)", re.S)
_MAX_SUMMARY = 300


def parse_entity_file(source: Source) -> tuple[EntityFile, tuple[Diagnostic, ...]]:
    """Parse one entity file. One that cannot be read is broken: its id is its stem, and it keeps its text."""
    if conflicts := find_conflict_markers(source.text):
        return _broken(source), locate(source, conflicts)
    front, fields, faults = open_fields(source)
    if front.fields is None:
        return _broken(source), locate(source, faults)
    body = scan_body(source.text, front.body_start)
    statements = _parse_items(source.text, body, faults)
    entity = _entity(source, fields, body, statements)
    if any(_is_repeated_keys(source, fault) for fault in front.faults):
        entity = entity._replace(has_unread_keys=True)
    return entity, locate(source, [*faults, *fields.faults, *body.faults])


def _broken(source: Source) -> EntityFile:
    stem = stem_of(source.path)
    return EntityFile(source.path, stem, WHOLE_FILE, name=stem, is_broken=True, text=source.text)


def _entity(
    source: Source, fields: Fields, body: Body, statements: tuple[StatementLine, ...]
) -> EntityFile:
    id = read_id(fields, stem_of(source.path))
    meant = fields.report_near_misses(RESERVED)
    name, type = fields.text("name"), fields.text("type")
    before = len(fields.faults)
    keys = tuple(_iter_keys(fields))
    has_unread_keys = (
        len(fields.faults) > before or "keys" in meant or not all(map(_is_whole, keys))
    )
    return EntityFile(
        path=source.path,
        id=id.text,
        id_span=id.span,
        type=type.text if type else None,
        type_span=fields.span(type),
        name=name.text if name else id.text,
        name_span=fields.span(name),
        aliases=fields.texts("aliases"),
        keys=keys,
        merged_into=fields.text("merged_into"),
        distinct_from=fields.texts("distinct_from"),
        fields=fields.others(RESERVED),
        statements=statements,
        links=tuple(iter_prose_links(source.text, body)),
        footnotes=body.footnotes,
        summary=_summary(source.text, body),
        text=source.text,
        has_unread_keys=has_unread_keys,
    )


def _is_repeated_keys(source: Source, fault: Fault) -> bool:
    """Say whether a fault is a second ``keys``, of which nothing is read."""
    return fault.code == "KB104" and source.text[fault.start : fault.end].strip("\"'") == "keys"


def _is_whole(key: Key) -> bool:
    """Say whether a key was read whole: bytes that are no UTF-8 are replaced."""
    return "\ufffd" not in key.value and "\ufffd" not in key.kind


def _iter_keys(fields: Fields) -> Iterator[Key]:
    for node in fields.scalars("keys"):
        kind, _, value = node.text.partition(":")
        if kind.strip() and value.strip():
            yield Key(kind.strip(), value.strip(), fields.name(node).span)
        else:
            fields.report("KB208", node, f'"{node.text}" is no key', "write kind:value")


# -- statements ------------------------------------------------------------------------------------


def _parse_items(text: str, body: Body, faults: list[Fault]) -> tuple[StatementLine, ...]:
    statements = []
    for item in body.items:
        subs = _parse_sub_items(text, item, faults) if item.sub_items else ()
        statement, found = parse_statement(
            text[item.text_start : item.end], item.section, item.text_start, item.start, subs
        )
        faults += found
        if statement is not None:
            statements.append(statement)
    return tuple(statements)


def _parse_sub_items(text: str, item: Item, faults: list[Fault]) -> tuple[SubItem, ...]:
    subs = []
    for start, text_start, end in item.sub_items:
        sub = parse_sub_item(fold_lines(text[text_start:end]))
        if sub is not None:
            subs.append(sub)
            continue
        message = "an indented item under a statement must be 'name:: text'"
        hint = "write 'name:: text', or move it to the left if it is a statement"
        faults.append(Fault("KB132", start, end, message, hint))
    return tuple(subs)


# -- free text -------------------------------------------------------------------------------------


def iter_prose_links(text: str, body: Body) -> Iterator[Link]:
    """Yield the links of a body's free text."""
    for start, end in body.prose:
        yield from iter_links(text[start:end], start)


def _summary(text: str, body: Body) -> str:
    """The first sentence of the free text; tables and pictures say nothing in a line."""
    for start, end in body.paragraphs:
        plain = unescape(text[start:end])
        if plain and not plain.startswith(("|", "![", "<")):
            match = _SENTENCE.match(plain, 0, _MAX_SUMMARY)
            return match[1] if match else plain[:_MAX_SUMMARY]
    return ""
