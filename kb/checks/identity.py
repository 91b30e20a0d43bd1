"""Ids, keys and judgements that say different things about who is who."""

from collections.abc import Iterator, Sequence

from kb.checks.guesses import did_you_mean
from kb.checks.material import Material
from kb.diagnostics import Diagnostic, Span
from kb.graph.decided import are_judged_two
from kb.graph.keys import normalize_key
from kb.model.entity import EntityFile
from kb.model.observation import ObservationFile


def check_duplicate_ids(material: Material) -> Iterator[Diagnostic]:
    """Find ids that several entities' files claim, or several observations'."""
    yield from _check_duplicates(material, material.resolution.files)
    yield from _check_duplicates(material, material.corpus.observations)


def check_ids_of_both(material: Material) -> Iterator[Diagnostic]:
    """Find observations that bear the id of an entity. Each can be cited and linked; what takes either reads the entity."""
    entities: dict[str, EntityFile] = {}
    for file in sorted(material.resolution.files, key=lambda file: file.path):
        entities.setdefault(file.id, file)
    for observation in material.corpus.observations:
        entity = entities.get(observation.id)
        if entity is not None:
            message = f'"{entity.id}" is the id of an entity, {entity.path}, too'
            related = ((entity.path, entity.id_span),)
            yield material.finding(
                "KB320", observation.path, observation.id_span, message, related=related
            )


def _check_duplicates(
    material: Material, files: Sequence[EntityFile | ObservationFile]
) -> Iterator[Diagnostic]:
    first: dict[str, EntityFile | ObservationFile] = {}
    for file in sorted(files, key=lambda file: file.path):
        other = first.setdefault(file.id, file)
        if other is not file:
            message = f'the id "{file.id}" is claimed by {other.path} too'
            related = ((other.path, other.id_span),)
            yield material.finding("KB306", file.path, file.id_span, message, related=related)


def check_shared_keys(material: Material) -> Iterator[Diagnostic]:
    """Find keys that several entities bear, redirects followed: one finding a key, at its last bearer."""
    bearers: dict[str, dict[str, tuple[EntityFile, Span]]] = {}
    for file in material.resolution.files:
        if file.id in material.resolution.identities.files:
            for key in file.keys:
                normalized = normalize_key(key.kind, key.value, material.vocabulary)
                places = bearers.setdefault(normalized, {})
                places.setdefault(material.survivor(file.id), (file, key.span))
    for normalized, places in bearers.items():
        if len(places) > 1:
            *others, (file, span) = places.values()
            ids = [f'"{id}"' for id in list(places)[:-1]]
            message = f"{normalized} is a key of {' and '.join(ids)} too"
            hint = _merge_hint(material, tuple(places), normalized)
            related = tuple((other.path, place) for other, place in others)
            yield material.finding("KB307", file.path, span, message, hint, related)


def _merge_hint(material: Material, ids: tuple[str, ...], key: str) -> str:
    """Suggest the merge where one is possible."""
    first, last = ids[0], ids[-1]
    mine, theirs = material.type_of(last), material.type_of(first)
    is_judged = are_judged_two(material.graph, first, last)
    if is_judged or (mine is not None and theirs is not None and mine != theirs):
        return (
            f"they are not the same: take the key from one of them: kb set ID keys {key} --remove"
        )
    return f'if they are one: kb merge {first} {last} --why "…"; if not, take the key from one: kb set ID keys {key} --remove'


def check_redirects(material: Material) -> Iterator[Diagnostic]:
    """Tell the redirects and judgements that cannot be followed."""
    for fault in material.resolution.identities.faults:
        hint = fault.hint
        if fault.unknown:
            hint = did_you_mean(fault.unknown, material.entity_ids, hint)
        related = (fault.other,) if fault.other else ()
        yield material.finding(fault.code, fault.path, fault.span, fault.message, hint, related)
