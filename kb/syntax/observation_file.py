"""A file under ``observations/`` → an ``ObservationFile`` and what is wrong with it. Total: never raises on any text."""

from kb.diagnostics import WHOLE_FILE, Diagnostic, Fault
from kb.model.digests import sha256
from kb.model.names import stem_of
from kb.model.observation import ObservationFile
from kb.model.statement import Link
from kb.model.time import Date
from kb.syntax.edtf import parse_date
from kb.syntax.fields import Fields, open_fields, read_id
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
    return sha256(sealed.encode("utf-8", "surrogateescape")).hexdigest()


def parse_observation_file(source: Source) -> tuple[ObservationFile, tuple[Diagnostic, ...]]:
    """Parse one observation file. Conflict markers in a body whose seal holds are part of what it says."""
    front, fields, faults = open_fields(source)
    body = source.text[front.body_start :]
    seal, digest = fields.text("sha256"), seal_of(body)
    is_sealed = front.fields is not None and seal is not None and seal.text == digest
    covered = front.body_start if is_sealed else len(source.text)
    if conflicts := find_conflict_markers(source.text[:covered]):
        return _broken(source), locate(source, conflicts)
    if front.fields is None:
        return _broken(source), locate(source, faults)
    # A second block right after the first is ordinary text in a source's own words.
    faults = [fault for fault in faults if fault.code != "KB110"]
    id = read_id(fields, stem_of(source.path))
    fields.report_near_misses(RESERVED)
    kind, title = fields.text("kind"), fields.text("title")
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
        decision=fields.text("decision"),
        about=fields.texts("about"),
        body=body,
        text=source.text,
    )
    return observation, locate(source, [*faults, *fields.faults])


def _broken(source: Source) -> ObservationFile:
    stem, text = stem_of(source.path), source.text
    return ObservationFile(
        source.path, stem, WHOLE_FILE, title=stem, is_broken=True, body=text, text=text
    )


def _happened_at(fields: Fields) -> Date | None:
    node = fields.scalar("happened_at")
    if node is None:
        return None
    parsed = parse_date(node.text)
    if isinstance(parsed, Date):
        return parsed
    quote = 0 if node.is_plain else 1
    at = min(node.start + quote + parsed.offset, node.end)
    end = min(at + max(parsed.length, 1), node.end)
    fields.faults.append(Fault("KB401", at, end, parsed.message, parsed.hint))
    return None


def find_links(observation: ObservationFile) -> tuple[Link, ...]:
    """Find the links of an observation's body. Not done while it is parsed: few questions ask for them."""
    text, start = observation.text, len(observation.text) - len(observation.body)
    if text.find("](", start) < 0 and text.find("[[", start) < 0:
        return ()
    prose = scan_body(text, start, reads_sections=False).prose
    return tuple(link for begin, end in prose for link in iter_links(text[begin:end], begin))
