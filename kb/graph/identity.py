"""Which files are which entity: ids, redirects, judgements. Names never decide anything here."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from kb.diagnostics import Span
from kb.model.entity import EntityFile, Name
from kb.model.names import fold
from kb.model.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class IdentityFault:
    """A redirect or judgement that cannot be followed."""

    code: str
    path: str
    span: Span
    message: str
    hint: str = ""
    other_path: str | None = None


@dataclass(frozen=True)
class Identities:
    """Ids, and the survivor that each reads as."""

    files: dict[str, EntityFile]  #: by id; of two files with one id, neither
    ambiguous: dict[str, tuple[str, ...]]  #: ids that several files claim → their paths
    survivors: dict[str, str]  #: each merged id → the id that it reads as
    distinct: frozenset[tuple[str, str]]  #: judged pairs of survivors, both ways round
    faults: tuple[IdentityFault, ...]
    _by_name: dict[str, tuple[str, ...]] = field(repr=False)
    _merged: dict[str, tuple[str, ...]] = field(repr=False)

    def survivor(self, id: str) -> str | None:
        """Follow redirects; ``None`` where no single file has the id."""
        if id not in self.files:
            return None
        return self.survivors.get(id, id)

    def bearers(self, name: str) -> tuple[str, ...]:
        """List the survivors that bear a name or alias."""
        return self._by_name.get(fold(name), ())

    def are_distinct(self, first: str, second: str) -> bool:
        """Say whether two survivors were judged not the same."""
        return (first, second) in self.distinct

    def merged_of(self, survivor: str) -> tuple[str, ...]:
        """List the ids that read as a survivor."""
        return self._merged.get(survivor, ())


def resolve_identities(entities: Iterable[EntityFile], vocabulary: Vocabulary) -> Identities:
    """Sort out who is who. A redirect at fault redirects nothing."""
    by_id: dict[str, list[EntityFile]] = {}
    for file in entities:
        by_id.setdefault(file.id, []).append(file)
    files = {id: claims[0] for id, claims in by_id.items() if len(claims) == 1}
    ambiguous = {id: tuple(file.path for file in claims) for id, claims in by_id.items() if len(claims) > 1}
    faults: list[IdentityFault] = []
    survivors = _follow_redirects(files, ambiguous, vocabulary, faults)
    survivors, distinct = _apply_judgements(files, survivors, faults)
    names: dict[str, dict[str, None]] = {}
    for id, file in files.items():
        for text in (file.name, *(alias.text for alias in file.aliases)):
            names.setdefault(fold(text), {})[survivors.get(id, id)] = None
    by_name = {name: tuple(sorted(ids)) for name, ids in names.items() if name}
    merged: dict[str, tuple[str, ...]] = {}
    for id in sorted(survivors):
        merged[survivors[id]] = (*merged.get(survivors[id], ()), id)
    return Identities(files, ambiguous, survivors, distinct, tuple(faults), by_name, merged)


def _follow_redirects(
    files: dict[str, EntityFile],
    ambiguous: dict[str, tuple[str, ...]],
    vocabulary: Vocabulary,
    faults: list[IdentityFault],
) -> dict[str, str]:
    targets: dict[str, str] = {}
    for id, file in sorted(files.items()):
        target = file.merged_into
        if target is None:
            continue
        fault = _redirect_fault(file, target, files, ambiguous, vocabulary)
        if fault is None:
            targets[id] = target.text
        else:
            faults.append(fault)
    for circle in _circles(targets):
        faults += [
            IdentityFault(
                "KB310",
                files[id].path,
                _place(files[id].merged_into),
                f'"merged_into" leads in a circle: {" → ".join((*circle, circle[0]))}',
                "remove one of the redirects",
            )
            for id in circle
        ]
        for id in circle:
            del targets[id]
    survivors = {}
    for id in targets:
        end = id
        while end in targets:
            end = targets[end]
        survivors[id] = end
    return survivors


def _redirect_fault(
    file: EntityFile,
    target: Name,
    files: dict[str, EntityFile],
    ambiguous: dict[str, tuple[str, ...]],
    vocabulary: Vocabulary,
) -> IdentityFault | None:
    if target.text == file.id:
        return IdentityFault("KB310", file.path, target.span, '"merged_into" names the entity itself', "remove it")
    if target.text in ambiguous:
        message = f'"merged_into" names "{target.text}", which several files claim'
        return IdentityFault("KB310", file.path, target.span, message, "give one of them another id")
    if target.text not in files:
        message = f'"merged_into" names no entity: "{target.text}"'
        return IdentityFault("KB310", file.path, target.span, message, "name the surviving entity's id")
    mine, theirs = _type_name(file.type, vocabulary), _type_name(files[target.text].type, vocabulary)
    if mine is not None and theirs is not None and mine != theirs:
        message = f'"{file.id}" is a {mine} and "{target.text}" a {theirs}: they cannot be one'
        return IdentityFault("KB311", file.path, target.span, message, "mend one of the types, or the redirect")
    return None


def _type_name(type: str | None, vocabulary: Vocabulary) -> str | None:
    return (vocabulary.type_name(type) or type) if type else None


def _circles(targets: dict[str, str]) -> list[tuple[str, ...]]:
    circles, done = [], set()
    for start in targets:
        trail: dict[str, int] = {}
        at = start
        while at in targets and at not in done and at not in trail:
            trail[at] = len(trail)
            at = targets[at]
        if at in trail:
            circles.append(tuple(list(trail)[trail[at] :]))
        done.update(trail)
    return circles


def _apply_judgements(
    files: dict[str, EntityFile], survivors: dict[str, str], faults: list[IdentityFault]
) -> tuple[dict[str, str], frozenset[tuple[str, str]]]:
    """Let ``distinct_from`` beat merges: the redirects of a group that holds a judged pair are not followed."""
    judged: list[tuple[str, str, Name]] = []
    for id, file in sorted(files.items()):
        for other in file.distinct_from:
            if other.text == id:
                message = '"distinct_from" names the entity itself'
                faults.append(IdentityFault("KB313", file.path, other.span, message, "remove it"))
            elif other.text not in files:
                message = f'"distinct_from" names no entity: "{other.text}"'
                faults.append(IdentityFault("KB313", file.path, other.span, message, "mend the id"))
            else:
                judged.append((id, other.text, other))
    undone = set()
    for id, other, name in judged:
        if survivors.get(id, id) == survivors.get(other, other):
            undone.add(survivors.get(id, id))
            message = f'"{id}" and "{other}" are judged distinct, and merged: the merge is not followed'
            hint = "remove 'merged_into' or 'distinct_from'"
            faults.append(IdentityFault("KB312", files[id].path, name.span, message, hint, files[other].path))
    kept = {id: survivor for id, survivor in survivors.items() if survivor not in undone}
    pairs = set()
    for id, other, _ in judged:
        first, second = kept.get(id, id), kept.get(other, other)
        pairs |= {(first, second), (second, first)}
    return kept, frozenset(pairs)


def _place(name: Name | None) -> Span:
    return name.span if name else Span(1, 1, 1)
