"""Decisions on record: whether they say what was decided, about what, and by whom."""

from collections.abc import Iterator

from kb.checks.guesses import did_you_mean
from kb.checks.material import Material
from kb.diagnostics import Diagnostic
from kb.model.entity import Name
from kb.model.observation import DECISIONS, ObservationFile

#: Decisions about whether entities are one.
_ABOUT_ENTITIES = frozenset(("merge", "unmerge", "distinct"))


def check_decisions(material: Material) -> Iterator[Diagnostic]:
    """Find decisions that are incomplete or name what does not exist, and those that are none for their kind."""
    statements = {draft.id for draft in material.iter_drafts()}
    for observation in material.corpus.observations:
        if observation.is_decision:
            yield from _check_fields(material, observation)
            yield from _check_about(material, observation, statements)
        elif observation.decision and observation.decision.text in DECISIONS:
            yield _miss_kind(material, observation, observation.decision)


def _miss_kind(material: Material, observation: ObservationFile, decision: Name) -> Diagnostic:
    kind = f'of kind "{observation.kind}"' if observation.kind else "without a kind"
    message = f'"{decision.text}" counts for nothing in an observation {kind}'
    hint = "if it was decided: write kind: decision"
    return material.finding("KB411", observation.path, decision.span, message, hint)


def _check_fields(material: Material, observation: ObservationFile) -> Iterator[Diagnostic]:
    decision = observation.decision
    words = f"one of {', '.join(DECISIONS)}"
    if decision and decision.text not in DECISIONS:
        message = f'"{decision.text}" is no decision'
        yield material.finding("KB411", observation.path, decision.span, message, f"write {words}")
    if decision is None:
        message, hint = "the decision is missing", f"write decision: {words}"
    elif not observation.said_by:
        message, hint = "nobody said it", "write said_by: with the entity's id"
    elif not observation.about:
        message, hint = "it is about nothing", "write about: [ids]"
    elif decision.text in _ABOUT_ENTITIES and _count_entities(material, observation) < 2:
        message, hint = f'"{decision.text}" must be about two entities', "write about: [one, other]"
    else:
        return
    span = decision.span if decision else observation.kind_span
    yield material.finding(
        "KB411", observation.path, span, f"the decision is incomplete: {message}", hint
    )


def _count_entities(material: Material, observation: ObservationFile) -> int:
    """Count what a decision is about, besides the decisions that it takes back."""
    return sum(not _is_decision(material, name.text) for name in observation.about)


def _is_decision(material: Material, id: str) -> bool:
    found = material.resolution.observations.get(id)
    return found is not None and found.is_decision and not material.exists(id)


def _check_about(
    material: Material, observation: ObservationFile, statements: set[str]
) -> Iterator[Diagnostic]:
    """Find ids that nothing has. Merges are about entities, and the decisions that they take back; others about anything."""
    word = observation.decision.text if observation.decision else ""
    for name in observation.about:
        id, _, statement = name.text.partition("^")
        id = id.rstrip("#/ ")
        is_known = material.exists(id) if id else statement in statements
        if id and not is_known:
            is_known = (
                _is_decision(material, id)
                if word in _ABOUT_ENTITIES
                else id in material.resolution.observations or id in statements
            )
        if is_known or id in material.unread_stems:
            continue
        hint = did_you_mean(id, material.entity_ids)
        yield material.finding(
            "KB411", observation.path, name.span, f'nothing has the id "{name.text}"', hint
        )
