"""A short way to write what a check finds."""

from pathlib import Path

from kb.checks import check_knowledge_base
from kb.knowledge_base import KnowledgeBase

#: Findings that most tests' small files have by their nature.
_USUAL = frozenset(("KB402", "KB405"))


def found(kb: KnowledgeBase, *codes: str) -> list[str]:
    """List findings as ``file.md:line:column code``: those with given codes, else all but the usual ones."""
    return [
        f"{Path(finding.path).name}:{finding.span.line}:{finding.span.column} {finding.code}"
        for finding in check_knowledge_base(kb)
        if (finding.code in codes if codes else finding.code not in _USUAL)
    ]


def marked(kb: KnowledgeBase, code: str) -> list[str]:
    """List the very words that findings of a code mark."""
    words = []
    for finding in check_knowledge_base(kb):
        if finding.code == code:
            source = kb.corpus.texts[finding.path]
            start = source.line_starts[finding.span.line - 1]
            words.append(
                source.text[start + finding.span.column - 1 : start + finding.span.end_column - 1]
            )
    return words


def said(kb: KnowledgeBase, code: str) -> list[tuple[str, str]]:
    """List message and hint of the findings of a code."""
    return [(one.message, one.hint) for one in check_knowledge_base(kb) if one.code == code]
