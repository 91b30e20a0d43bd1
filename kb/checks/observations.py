"""What an observation's own fields say about it."""

from collections.abc import Iterator

from kb.checks.guesses import did_you_mean
from kb.checks.hierarchy import find_knots
from kb.checks.material import Material
from kb.diagnostics import Diagnostic
from kb.model.observation import KINDS


def check_kinds(material: Material) -> Iterator[Diagnostic]:
    """Find kinds that the format does not have."""
    for observation in material.corpus.observations:
        kind = observation.kind
        if kind and kind not in KINDS:
            hint = did_you_mean(kind.lower(), KINDS, f"kinds are {', '.join(KINDS)}")
            message = f'there is no kind "{kind}"'
            yield material.finding("KB407", observation.path, observation.kind_span, message, hint)


def check_derivations(material: Material) -> Iterator[Diagnostic]:
    """Find 'derived_from' that names nothing, or leads back: then none of them would be a witness."""
    known = material.resolution.observations
    ids = sorted(known)
    edges: dict[str, dict[str, None]] = {}
    for observation in material.corpus.observations:
        for origin in observation.derived_from:
            if origin.text == observation.id:
                message, hint = "the observation cannot repeat itself", "remove it"
            elif origin.text in known:
                edges.setdefault(observation.id, {})[origin.text] = None
                continue
            elif origin.text in material.unread_stems:
                continue
            else:
                message = f'no observation "{origin.text}"'
                others = [id for id in ids if id != observation.id]
                hint = did_you_mean(origin.text, others)
            yield material.finding("KB409", observation.path, origin.span, message, hint)
    for knot in find_knots(edges):
        yield _circle(material, knot)


def _circle(material: Material, knot: tuple[str, ...]) -> Diagnostic:
    """Tell a circle of repetitions, at the last of them."""
    known = material.resolution.observations
    places = sorted(
        (known[id].path, origin.span)
        for id in knot
        for origin in known[id].derived_from
        if origin.text in knot and origin.text != id
    )
    *others, (path, span) = places
    message = f"'derived_from' leads in a circle: {' and '.join(knot)}"
    return material.finding("KB409", path, span, message, "keep what came first", tuple(others))
