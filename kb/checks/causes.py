"""What a hypothesis owes, and what an established cause must rest on."""

from collections.abc import Iterator

from kb.checks.material import Material
from kb.checks.places import predicate_place, qualifier_place
from kb.diagnostics import Diagnostic
from kb.graph.drafts import Draft
from kb.graph.speakers import may_be_person
from kb.model.vocabulary import StatementClass

_TESTS = frozenset(("alternatives", "prediction"))


def check_hypotheses(material: Material) -> Iterator[Diagnostic]:
    """Find hypotheses that nothing could speak against."""
    for draft in _iter_class(material, StatementClass.HYPOTHESIS):
        if not any(item.name in _TESTS for item in draft.line.sub_items):
            path, place = draft.file.path, predicate_place(draft)
            message = "the hypothesis has neither alternatives nor a prediction"
            yield material.finding("KB214", path, material.span(path, place), message)


def check_established_causes(material: Material) -> Iterator[Diagnostic]:
    """Find established causes that are suggestions, or that rest on nothing a person said."""
    for draft in _iter_class(material, StatementClass.ESTABLISHED):
        if draft.line.auto is not None:
            message = "an established cause cannot be a suggestion"
            place = qualifier_place(draft, r"(?<![\w-])(auto-\w+)")
        elif not _is_founded(material, draft):
            message = "an established cause must cite an observation that a person said"
            place = predicate_place(draft)
        else:
            continue
        path = draft.file.path
        yield material.finding("KB215", path, material.span(path, place), message)


def _iter_class(material: Material, klass: StatementClass) -> Iterator[Draft]:
    for draft in material.iter_drafts():
        relation = draft.reading.relation
        if relation is not None and relation.klass is klass and not draft.line.is_retired:
            yield draft


def _is_founded(material: Material, draft: Draft) -> bool:
    """Say whether a cited observation was said by a person. One that cannot be read is taken on trust."""
    witnesses = material.resolution.observations
    for citation in draft.line.citations:
        observation = witnesses.get(citation.observation)
        if observation is None or observation.is_broken:
            return True  # a finding of its own
        if may_be_person(material.graph, draft.line.by or observation.said_by):
            return True
    return False
