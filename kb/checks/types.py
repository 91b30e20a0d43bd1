"""Entity types that the vocabulary lacks, or that a relation does not admit."""

from collections.abc import Iterator

from kb.checks.guesses import did_you_mean
from kb.checks.material import Material
from kb.checks.places import object_place, predicate_place
from kb.diagnostics import Diagnostic
from kb.graph.drafts import Draft
from kb.model.names import normalize_predicate
from kb.model.vocabulary import RelationWord


def check_entity_types(material: Material) -> Iterator[Diagnostic]:
    """Find types that the vocabulary does not have."""
    vocabulary = material.vocabulary
    words = sorted(
        name for word in vocabulary.types.values() for name in (word.name, *word.aliases)
    )
    for file in material.resolution.files:
        if file.type and vocabulary.type_name(file.type) is None:
            hint = did_you_mean(
                normalize_predicate(file.type), words, f"types are {', '.join(words)}"
            )
            message = f'there is no type "{file.type}"'
            yield material.finding("KB205", file.path, file.type_span, message, hint)


def check_admitted_types(material: Material) -> Iterator[Diagnostic]:
    """Find relations between entities of types that they do not admit; what has no type is admitted."""
    for draft in material.iter_drafts():
        relation = draft.reading.relation
        if relation is None or draft.object is None or draft.line.is_retired:
            continue
        own, other = relation.from_types, relation.to_types
        if draft.reading.is_inverse:
            own, other = other, own
        if own or other:
            yield from _check_ends(material, draft, relation, own, other)


def _check_ends(
    material: Material,
    draft: Draft,
    relation: RelationWord,
    own: tuple[str, ...],
    other: tuple[str, ...],
) -> Iterator[Diagnostic]:
    assert draft.object is not None
    here, there = material.type_of(draft.file.id), material.type_of(draft.object)
    misfits = []
    if not material.vocabulary.admits(own, here):
        misfits.append(f'"{draft.file.id}" is a {here}')
    if not material.vocabulary.admits(other, there):
        misfits.append(f'"{draft.object}" is a {there}')
    if misfits:
        at_object = len(misfits) == 1 and material.vocabulary.admits(own, here)
        place = object_place(draft) if at_object else predicate_place(draft)
        message = f'"{relation.name}" leads {_ends(relation)}, but {" and ".join(misfits)}'
        path = draft.file.path
        yield material.finding("KB207", path, material.span(path, place), message)


def _ends(relation: RelationWord) -> str:
    start = " or ".join(relation.from_types) or "any type"
    goal = " or ".join(relation.to_types) or "any type"
    return f"from {start} to {goal}"
