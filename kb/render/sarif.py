"""Findings → SARIF 2.1.0, the form in which code scanning takes them. Decides nothing about them.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import json
import os
from collections.abc import Sequence
from urllib.parse import quote

from kb import __version__
from kb.catalogue import CATALOGUE
from kb.diagnostics import Diagnostic, Span
from kb.render.diagnostics import json_text

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
#: What paths are relative to: the knowledge base's folder, wherever that lies.
_ROOT = "%SRCROOT%"


def render_sarif(findings: Sequence[Diagnostic]) -> str:
    """Render findings as one run, with the catalogue's entries of the codes that occur."""
    codes = sorted({finding.code for finding in findings})
    driver = {"name": "kb", "version": __version__, "rules": [_rule(code) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The knowledge base's folder."}}},
        "results": [_result(finding, codes.index(finding.code)) for finding in findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str) -> dict[str, object]:
    entry = CATALOGUE[code]
    first, _, _ = entry.summary.partition(". ")
    return {
        "id": code,
        "name": entry.name,
        "shortDescription": {"text": f"{first.removesuffix('.')}."},
        "fullDescription": {"text": entry.summary},
        "help": {"text": f"{entry.remedy}\n\nFor example:\n\n{entry.example}"},
        "defaultConfiguration": {"level": entry.severity.value},
    }


def _result(finding: Diagnostic, rule: int) -> dict[str, object]:
    hint = f"\nhint: {finding.hint}" if finding.hint else ""
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.severity.value,
        "message": {"text": json_text(finding.message + hint)},
        "locations": [{"physicalLocation": _place(finding.path, finding.span)}],
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": id, "physicalLocation": _place(path, span), "message": {"text": "see also"}}
            for id, (path, span) in enumerate(finding.related, 1)
        ]
    return result


def _place(path: str, span: Span) -> dict[str, object]:
    return {
        "artifactLocation": {"uri": quote(os.fsencode(path)), "uriBaseId": _ROOT},
        "region": {
            "startLine": span.line,
            "startColumn": span.column,
            "endColumn": max(span.column, span.end_column),
        },
    }
