"""A file under ``observations/`` → an ``ObservationFile`` and what is wrong with it. Total."""

import hashlib
from pathlib import PurePosixPath

from kb.diagnostics import Diagnostic, Fault, Span
from kb.model.entity import Name
from kb.model.names import is_id
from kb.model.observation import DECISIONS, ObservationFile
from kb.model.time import Date
from kb.syntax.edtf import parse_date
from kb.syntax.fields import Fields, open_fields
from kb.syntax.front_matter import Scalar
from kb.syntax.inline import iter_links
from kb.syntax.sections import scan_body
from kb.syntax.source import Source, find_conflict_markers, locate

RESERVED = frozenset(
    (
        "id",
        "kind",
        "title",
        "happened_at",
        "said_by",
        "participants",
        "source",
        "derived_from",
        "sha256",
        "decision",
        "about",
    )
)


def seal_of(body: str) -> str:
    """Digest what a seal covers: all after the closing fence's line end, CRLF as LF, no BOM."""
    sealed = body.replace("\r\n", "\n") if "\r" in body else body
    return hashlib.sha256(sealed.encode("utf-8", "surrogateescape")).hexdigest()


def parse_observation_file(source: Source) -> tuple[ObservationFile, tuple[Diagnostic, ...]]:
    """Parse one observation file. Conflict markers in a body whose seal holds are part of what it says."""
    stem = PurePosixPath(source.path).stem
    front, fields, faults = open_fields(source)
    body = source.text[front.body_start :]
    seal = fields.text("sha256")
    digest = seal_of(body)
    if seal is None or seal.text != digest or front.fields is None:
        conflicts = find_conflict_markers(source.text)
        if conflicts:
            broken = ObservationFile(
                source.path, stem, Span(1, 1, 1), title=stem, is_broken=True, body=source.text, text=source.text
            )
            return broken, locate(source, conflicts)
    if front.fields is None:
        broken = ObservationFile(
            source.path, stem, Span(1, 1, 1), title=stem, is_broken=True, body=source.text, text=source.text
        )
        return broken, locate(source, faults)
    # A second block right after the first is ordinary text in a source's own words.
    faults = [fault for fault in faults if fault.code != "KB110"]
    id = _read_id(fields, stem)
    kind = fields.text("kind")
    title = fields.text("title")
    said_by, origin = fields.text("said_by"), fields.text("source")
    observation = ObservationFile(
        path=source.path,
        id=id.text,
        id_span=id.span,
        kind=kind.text if kind else "",
        kind_span=fields.span(kind),
        title=title.text if title else id.text,
        happened_at=_happened_at(fields),
        said_by=said_by.text if said_by else "",
        participants=fields.texts("participants"),
        source=origin.text if origin else "",
        derived_from=fields.texts("derived_from"),
        seal=seal,
        digest=digest,
        decision=_decision(fields),
        about=fields.texts("about"),
        links=tuple(_iter_links(source.text, front.body_start)),
        body=body,
        text=source.text,
    )
    return observation, locate(source, [*faults, *fields.faults])


def _read_id(fields: Fields, stem: str) -> Name:
    id = fields.text("id")
    if id is None:
        fields.faults.append(Fault("KB201", 0, 3, "the id is missing", f"write id: {stem}"))
        return Name(stem, Span(1, 1, 1))
    node = fields.mapping.get("id")
    start, end = (node.start, node.end) if node else (0, 3)
    if not is_id(id.text):
        hint = "ids are lower-case letters, digits and single '-', at most 80"
        fields.faults.append(Fault("KB202", start, end, f'"{id.text}" is no id', hint))
        return Name(stem, id.span)
    if id.text != stem:
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


def _happened_at(fields: Fields) -> Date | None:
    written = fields.text("happened_at")
    if written is None:
        return None
    parsed = parse_date(written.text)
    if isinstance(parsed, Date):
        return parsed
    node = fields.mapping.get("happened_at")
    start = node.start if node else 0
    if isinstance(node, Scalar) and not node.is_plain:
        start += 1
    at = start + parsed.offset
    fields.faults.append(Fault("KB401", at, at + max(parsed.length, 1), parsed.message, parsed.hint))
    return None


def _decision(fields: Fields) -> Name | None:
    decision = fields.text("decision")
    if decision is not None and decision.text not in DECISIONS:
        node = fields.mapping.get("decision")
        start, end = (node.start, node.end) if node else (0, 3)
        fields.faults.append(
            Fault("KB411", start, end, f'"{decision.text}" is no decision', f"write one of {', '.join(DECISIONS)}")
        )
    return decision


def _iter_links(text: str, body_start: int) -> "list":  # type: ignore[type-arg]
    if "](" not in text and "[[" not in text:
        return []
    links = []
    for start, end in scan_body(text, body_start).prose:
        links += list(iter_links(text[start:end], start))
    return links
