"""What a hypothesis owes, and what an established cause must rest on."""

from collections.abc import Iterator

from kb.checks.material import Material
from kb.checks.places import predicate_place, qualifier_place
from kb.diagnostics import Diagnostic
from kb.graph.build import Draft
from kb.graph.contact_rules import is_shared_mailbox
from kb.graph.keys import normalize_key
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
    speakers = _Speakers(material)
    for draft in _iter_class(material, StatementClass.ESTABLISHED):
        if draft.line.auto is not None:
            message = "an established cause cannot be a suggestion"
            place = qualifier_place(draft, r"(?<![\w-])(auto-\w+)")
        elif not speakers.is_founded(draft):
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


class _Speakers:
    """Who can have said something: people, by id, by key or by a plain name."""

    def __init__(self, material: Material) -> None:
        self.material = material

    def is_founded(self, draft: Draft) -> bool:
        """Say whether a cited observation was said by a person. One that cannot be read is taken on trust."""
        witnesses = self.material.resolution.observations
        for citation in draft.line.citations:
            observation = witnesses.get(citation.observation)
            if observation is None or observation.is_broken:
                return True  # a finding of its own
            if self.is_person(draft.line.by or observation.said_by):
                return True
        return False

    def is_person(self, speaker: str) -> bool:
        """Say whether a text names a person, or may do so."""
        material = self.material
        if material.exists(speaker):
            return self._is_of_person_type(speaker)
        kind, _, value = speaker.partition(":")
        word = material.vocabulary.keys.get(kind)
        if word is None or not value:
            return bool(speaker.strip())
        bearers = material.graph.bearers_of_key(normalize_key(kind, value, material.vocabulary))
        if bearers:
            return any(self._is_of_person_type(bearer) for bearer in bearers)
        return material.vocabulary.admits(word.types, "person") and not is_shared_mailbox(value)

    def _is_of_person_type(self, id: str) -> bool:
        return self.material.vocabulary.admits(("person",), self.material.type_of(id))
