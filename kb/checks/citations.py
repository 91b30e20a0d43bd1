"""Statements without a source, and citations of what does not exist."""

from collections.abc import Iterator

from kb.checks.guesses import did_you_mean
from kb.checks.material import Material
from kb.checks.places import claim_place
from kb.diagnostics import Diagnostic
from kb.model.entity import EntityFile
from kb.model.statement import Citation
from kb.model.vocabulary import StatementClass
from kb.store.layout import observation_path


def check_uncited(material: Material) -> Iterator[Diagnostic]:
    """Find statements that cite nothing. A retired one need not, and an established cause is told elsewhere."""
    for draft in material.iter_drafts():
        if draft.line.citations or draft.line.is_retired:
            continue
        relation = draft.reading.relation
        if relation is None or relation.klass is not StatementClass.ESTABLISHED:
            span = material.span(draft.file.path, claim_place(draft))
            yield material.finding(
                "KB402", draft.file.path, span, "the statement cites no observation"
            )


def check_missing_observations(material: Material) -> Iterator[Diagnostic]:
    """Find citations of observations that do not exist, each at its first place in a file."""
    known = material.resolution.observations
    ids = sorted(known)
    for file in material.resolution.files:
        missing: dict[str, Citation] = {}
        for line in file.statements:
            for citation in line.citations:
                if citation.observation not in known:
                    missing.setdefault(citation.observation, citation)
        for id, citation in missing.items():
            if not _is_unread(material, id):
                span = material.span(file.path, (citation.start, citation.end))
                hint = did_you_mean(id, ids, _footnote_hint(file, id))
                yield material.finding("KB403", file.path, span, f'no observation "{id}"', hint)


def _is_unread(material: Material, id: str) -> bool:
    return id in material.unread_stems or material.is_unread(observation_path(id, id[:10]))


def _footnote_hint(file: EntityFile, label: str) -> str:
    """Explain a footnote of the author's own that stands where citations do."""
    for footnote in file.footnotes:
        if footnote.label == label and "observations/" not in footnote.text:
            return "a footnote of your own belongs into free text; a statement cites observations"
    return ""
