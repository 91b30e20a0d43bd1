"""Predicates that the vocabulary lacks, has elsewhere, has replaced, or wants a note for."""

from collections.abc import Iterator

from kb.checks.guesses import did_you_mean, say_addition
from kb.checks.material import Material
from kb.checks.places import predicate_place
from kb.diagnostics import Diagnostic
from kb.graph.drafts import Draft
from kb.model.statement import Section


def check_predicates(material: Material) -> Iterator[Diagnostic]:
    """Find predicates that are unknown, stand in the wrong section, or have been replaced."""
    words = _Words(material)
    for draft in material.iter_drafts():
        if draft.reading.is_known:
            yield from _check_replaced(material, draft)
        elif words.is_known_elsewhere(draft):
            here, there = _section_names(draft)
            message = (
                f'"{draft.line.predicate}" is a {there[:-1].lower()}\'s word and stands in {here}'
            )
            yield _at_predicate(material, "KB212", draft, message, f"move the item to ## {there}")
        else:
            message = (
                f'there is no {_section_names(draft)[0][:-1].lower()} "{draft.line.predicate}"'
            )
            yield _at_predicate(material, "KB206", draft, message, words.hint(draft))


def check_required_notes(material: Material) -> Iterator[Diagnostic]:
    """Find relations that say nothing without a note, and have none."""
    for draft in material.iter_drafts():
        relation = draft.reading.relation
        if relation and relation.needs_note and not draft.line.note and not draft.line.is_retired:
            message = f'"{relation.name}" needs a note that says what relates the two'
            yield _at_predicate(material, "KB213", draft, message, "add ' — …' after the link")


class _Words:
    """The words of both sections, and hints by word, so that each is looked for once."""

    def __init__(self, material: Material) -> None:
        self.vocabulary = material.vocabulary
        relations = [
            word
            for relation in self.vocabulary.relations.values()
            for word in (relation.name, relation.inverse, *relation.aliases)
            if word
        ]
        facts = [
            word for fact in self.vocabulary.facts.values() for word in (fact.name, *fact.aliases)
        ]
        self.words = {Section.RELATIONS: sorted(relations), Section.FACTS: sorted(facts)}
        self.hints: dict[tuple[Section, str], str] = {}

    def is_known_elsewhere(self, draft: Draft) -> bool:
        """Say whether the other section has the word."""
        word = draft.line.predicate
        if draft.line.section is Section.RELATIONS:
            return self.vocabulary.read_fact(word).is_known
        return self.vocabulary.read_relation(word).is_known

    def hint(self, draft: Draft) -> str:
        """Offer the nearest word, else the line that would make it one."""
        key = (draft.line.section, draft.line.predicate)
        if key not in self.hints:
            otherwise = f"use a word that 'kb vocabulary' lists, or {say_addition(key[1], key[0])}"
            self.hints[key] = did_you_mean(key[1], self.words[key[0]], otherwise)
        return self.hints[key]


def _check_replaced(material: Material, draft: Draft) -> Iterator[Diagnostic]:
    word = draft.reading.relation or draft.reading.fact
    if word is not None and word.replaced_by:
        message = f'"{word.name}" has been replaced by "{word.replaced_by}"'
        yield _at_predicate(material, "KB219", draft, message, f"write {word.replaced_by}::")


def _section_names(draft: Draft) -> tuple[str, str]:
    """Name the section that a statement stands in, and the other one."""
    names = ("Relations", "Facts")
    return names if draft.line.section is Section.RELATIONS else (names[1], names[0])


def _at_predicate(
    material: Material, code: str, draft: Draft, message: str, hint: str
) -> Diagnostic:
    path = draft.file.path
    return material.finding(code, path, material.span(path, predicate_place(draft)), message, hint)
