"""Findings → text, excerpts, JSON, or what other programs read. Decides nothing about them; one function a format."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kb.catalogue import CATALOGUE, get_code
from kb.diagnostics import WHOLE_FILE, Diagnostic, Severity, Span
from kb.errors import UsageError
from kb.render.counts import format_count
from kb.render.terminal import escape_terminal, width
from kb.syntax.source import Source

Sources = Mapping[str, Source]

#: Characters of a line that an excerpt shows before and after the place.
_BEFORE, _AFTER = 60, 60
#: Characters of a message or hint that are shown.
_LONGEST = 600


def render_diagnostics(findings: Sequence[Diagnostic], format: str, sources: Sources) -> str:
    """Render findings in one of ``DIAGNOSTIC_FORMATS``; ``sources`` are the files' texts by path, for excerpts.

    Text ends with a line end unless it is empty.
    """
    if format not in _RENDERERS:
        formats = ", ".join(DIAGNOSTIC_FORMATS)
        raise UsageError(f'there is no format "{format}"', f"formats are {formats}")
    return _RENDERERS[format](findings, sources)


def render_summary(findings: Sequence[Diagnostic], entities: int = 0, observations: int = 0) -> str:
    """Count findings and the files that they lie in; say what was looked at where there are none."""
    errors, warnings, files = count_findings(findings)
    if findings:
        counts = [format_count(errors, "error"), format_count(warnings, "warning")]
        found = ", ".join(
            count for count, number in zip(counts, (errors, warnings), strict=True) if number
        )
        return f"{found} in {format_count(files, 'file')}"
    looked_at = f"{format_count(entities, 'entity')}, {format_count(observations, 'observation')}"
    return f"clean: {looked_at}" if entities or observations else "clean"


def count_findings(findings: Iterable[Diagnostic]) -> tuple[int, int, int]:
    """Count errors, warnings and files."""
    listed = list(findings)
    errors = sum(finding.severity is Severity.ERROR for finding in listed)
    return errors, len(listed) - errors, len({finding.path for finding in listed})


# -- text ----------------------------------------------------------------------------------------


def _render_text(findings: Sequence[Diagnostic], sources: Sources) -> str:
    lines = [line for finding in findings for line in (_headline(finding), *_iter_hint(finding))]
    return "".join(f"{line}\n" for line in lines)


def _headline(finding: Diagnostic) -> str:
    """Write ``path:line:column: severity[code] message (name)``."""
    name = CATALOGUE[finding.code].name
    return (
        f"{_place(finding.path, finding.span)}: {finding.severity.value}[{finding.code}]"
        f" {_clipped(finding.message)} ({name})"
    )


def _place(path: str, span: Span) -> str:
    return f"{escape_terminal(path)}:{span.line}:{span.column}"


def _iter_hint(finding: Diagnostic) -> Iterator[str]:
    if finding.hint:
        yield f"  hint: {_clipped(finding.hint)}"


def _clipped(text: str) -> str:
    """Show a message or hint, its middle left out where it quotes a whole long line; JSON has all of it."""
    return escape_terminal(_shortened(text))


def _shortened(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"


# -- text with excerpts --------------------------------------------------------------------------


def _render_full(findings: Sequence[Diagnostic], sources: Sources) -> str:
    return "\n".join(_full(finding, sources) for finding in findings)


def _full(finding: Diagnostic, sources: Sources) -> str:
    lines = [
        _headline(finding),
        *_iter_excerpt(finding.path, finding.span, sources),
        *_iter_hint(finding),
    ]
    for path, span in finding.related:
        lines.append(f"  see: {_place(path, span)}")
        lines += _iter_excerpt(path, span, sources)
    return "".join(f"{line}\n" for line in lines)


def _iter_excerpt(path: str, span: Span, sources: Sources) -> Iterator[str]:
    """Yield the line with carets under the place, long lines cut on both sides of it."""
    source = sources.get(path)
    if source is None or span == WHOLE_FILE or span.line > len(source.line_starts):
        return
    start = source.line_starts[span.line - 1]
    first = start + span.column - 1
    after = max(start + span.end_column - 1, first)
    left, right = max(start, first - _BEFORE), min(after, first + _AFTER) + _AFTER
    line = source.text[left:right].replace("\r", "\n").partition("\n")
    before, marked, rest = (
        _shown(line[0][: first - left]),
        _shown(line[0][first - left : after - left]),
        _shown(line[0][after - left :]),
    )
    before = f"…{before}" if left > start else before
    rest = f"{rest}…" if not line[1] and source.text[right : right + 1].strip("\r\n") else rest
    number = f"{span.line:>5}"
    yield f"{number} | {before}{marked}{rest}".rstrip()
    yield f"{'':>5} | {' ' * width(before)}{'^' * max(width(marked), 1)}"


def _shown(text: str) -> str:
    return escape_terminal(text.replace("\t", "    "))


# -- JSON ----------------------------------------------------------------------------------------


def _render_json(findings: Sequence[Diagnostic], sources: Sources) -> str:
    errors, warnings, files = count_findings(findings)
    document = {
        "diagnostics": [_as_json(finding) for finding in findings],
        "summary": {"errors": errors, "warnings": warnings, "files": files},
    }
    return json.dumps(document, indent=2) + "\n"


def _as_json(finding: Diagnostic) -> dict[str, object]:
    return {
        "code": finding.code,
        "name": CATALOGUE[finding.code].name,
        "severity": finding.severity.value,
        "path": json_text(finding.path),
        **_json_span(finding.span),
        "message": json_text(finding.message),
        "hint": json_text(finding.hint),
        "related": [
            {"path": json_text(path), **_json_span(span)} for path, span in finding.related
        ],
    }


def _json_span(span: Span) -> dict[str, object]:
    return {"line": span.line, "column": span.column, "end_column": span.end_column}


def json_text(text: str) -> str:
    """Write bytes that are no UTF-8 as escapes: a lone surrogate is no JSON text for most readers."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


# -- for other programs --------------------------------------------------------------------------


def _render_sarif(findings: Sequence[Diagnostic], sources: Sources) -> str:
    from kb.render.sarif import render_sarif

    return render_sarif(findings)


def _render_github(findings: Sequence[Diagnostic], sources: Sources) -> str:
    """Write workflow commands, which GitHub shows beside the lines of a pull request."""
    return "".join(f"{_annotation(finding)}\n" for finding in findings)


def _annotation(finding: Diagnostic) -> str:
    span = finding.span
    properties = {
        "file": finding.path,
        "line": str(span.line),
        "col": str(span.column),
        "endColumn": str(max(span.column, span.end_column)),
        "title": f"{finding.code} {CATALOGUE[finding.code].name}",
    }
    written = ",".join(f"{key}={_github_property(text)}" for key, text in properties.items())
    lines = [_shortened(finding.message)]
    lines += [f"hint: {_shortened(finding.hint)}"] if finding.hint else []
    lines += [f"see: {path}:{span.line}:{span.column}" for path, span in finding.related]
    message = _github_message("\n".join(lines))
    return f"::{finding.severity.value} {written}::{message}"


def _github_message(text: str) -> str:
    """Escape as the runner reads it back; what it does not, a terminal that shows its log must not obey."""
    return escape_terminal(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _github_property(text: str) -> str:
    return _github_message(text).replace(":", "%3A").replace(",", "%2C")


def _render_gcc(findings: Sequence[Diagnostic], sources: Sources) -> str:
    """Write lines as GCC does, which editors and build servers can follow."""
    return "".join(f"{line}\n" for finding in findings for line in _iter_gcc(finding))


def _iter_gcc(finding: Diagnostic) -> Iterator[str]:
    place = _place(finding.path, finding.span)
    yield f"{place}: {finding.severity.value}: {_clipped(finding.message)} [{finding.code}]"
    if finding.hint:
        yield f"{place}: note: {_clipped(finding.hint)}"
    for path, span in finding.related:
        yield f"{_place(path, span)}: note: see also"


_RENDERERS: dict[str, Callable[[Sequence[Diagnostic], Sources], str]] = {
    "text": _render_text,
    "full": _render_full,
    "json": _render_json,
    "sarif": _render_sarif,
    "github": _render_github,
    "gcc": _render_gcc,
}

#: The formats that findings can be rendered in.
DIAGNOSTIC_FORMATS = tuple(_RENDERERS)


# -- the catalogue -------------------------------------------------------------------------------


def render_explanation(written: str) -> str:
    """Explain a code, given as ``KB301``, ``301`` or ``dangling-link``: what, why, an example, what to do."""
    entry = get_code(written)
    strict = " (an error under 'strict')" if entry.strict else ""
    example = "".join(f"  {line}".rstrip() + "\n" for line in entry.example.split("\n"))
    return (
        f"{entry.code} {entry.name} · {entry.severity.value}{strict}\n\n"
        f"{entry.summary}\n\nFor example:\n\n{example}\nWhat to do: {entry.remedy}\n"
    )
