"""Names that several entities bear, and aliases that are another entity's id."""

from collections.abc import Iterator
from itertools import combinations

from kb.checks.material import Material
from kb.diagnostics import Diagnostic, Span
from kb.graph.decided import are_judged_two
from kb.model.names import fold


def check_shared_names(material: Material) -> Iterator[Diagnostic]:
    """Find entities that share names and are not judged two: one finding for those that share the same ones."""
    identities = material.resolution.identities
    shared: dict[tuple[str, ...], list[str]] = {}
    for name, bearers in identities.iter_names():
        if len(bearers) < 2 or _is_an_id(material, name):
            continue
        open_ones = tuple(
            one
            for one in bearers
            if any(other != one and _is_open(material, one, other) for other in bearers)
        )
        if open_ones:
            shared.setdefault(open_ones, []).append(name)
    for bearers, names in shared.items():
        yield _shared(material, bearers, sorted(names))


def _is_open(material: Material, one: str, other: str) -> bool:
    """Say whether nobody judged of two whether they are one."""
    return not are_judged_two(material.graph, one, other)


def _shared(material: Material, bearers: tuple[str, ...], names: list[str]) -> Diagnostic:
    places = sorted(_find_name(material, bearer, names[0]) for bearer in bearers)
    *others, (path, span, written, id) = places
    also = "".join(f', "{name}"' for name in names[1:4])
    ids = " and ".join(f'"{other[3]}"' for other in others[:5])
    message = f'"{written}"{also} is a name of {ids} too'
    ids_of_others = [other[3] for other in others]
    pairs = (*((other, id) for other in ids_of_others), *combinations(ids_of_others, 2))
    one, two = next(pair for pair in pairs if _is_open(material, *pair))
    hint = f'if they are one: kb merge {one} {two} --why "…"; if not: kb distinct {one} {two} --why "…"'
    related = tuple((other[0], other[1]) for other in others)
    return material.finding("KB308", path, span, message, hint, related)


def _find_name(material: Material, survivor: str, name: str) -> tuple[str, Span, str, str]:
    """Find where an entity, or what was merged into it, bears a folded name."""
    identities = material.resolution.identities
    for id in (survivor, *identities.merged_of(survivor)):
        file = identities.files[id]
        for text, span in (
            (file.name, file.name_span),
            *((alias.text, alias.span) for alias in file.aliases),
        ):
            if fold(text) == name:
                return file.path, span, text, survivor
    raise AssertionError(f"{survivor} does not bear {name}")


def check_aliases(material: Material) -> Iterator[Diagnostic]:
    """Find aliases that are the id of another entity, which a look-up finds first."""
    identities = material.resolution.identities
    for file in material.resolution.files:
        own = material.survivor(file.id)
        for alias in file.aliases:
            id = fold(alias.text)
            if id in identities.files and material.survivor(id) != own and id != file.id:
                other = identities.files[id]
                message = f'the alias "{alias.text}" is the id of another entity, which wins'
                related = ((other.path, other.id_span),)
                yield material.finding("KB309", file.path, alias.span, message, related=related)


def _is_an_id(material: Material, name: str) -> bool:
    """Say whether a name is an id that others bear as an alias, which is a finding of its own."""
    identities = material.resolution.identities
    if name not in identities.files:
        return False
    owner = material.survivor(name)
    others = (bearer for bearer in identities.bearers(name) if bearer != owner)
    return all(
        any(
            fold(alias.text) == name
            for id in (bearer, *identities.merged_of(bearer))
            for alias in identities.files[id].aliases
        )
        for bearer in others
    )
