"""Which files are which entity: ids, redirects, judgements. Names never decide anything here."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kb.diagnostics import WHOLE_FILE, Span
from kb.model.entity import EntityFile, Name
from kb.model.names import fold
from kb.model.vocabulary import Vocabulary


class IdentityFault(NamedTuple):
    """A redirect or judgement that cannot be followed."""

    code: str
    path: str
    span: Span
    message: str
    hint: str = ""
    other: tuple[str, Span] | None = None  #: another place that it is about
    unknown: str = ""  #: the id that nothing has


class Identities(NamedTuple):
    """Ids, and the survivor that each reads as."""

    files: dict[str, EntityFile]  #: by id; of two files with one id, neither
    ambiguous: dict[str, tuple[str, ...]]  #: ids that several files claim → their paths
    survivors: dict[str, str]  #: each merged id → the id that it reads as
    distinct: frozenset[tuple[str, str]]  #: judged pairs of survivors, both ways round
    faults: tuple[IdentityFault, ...]
    names: dict[str, tuple[str, ...]]  #: folded → the survivors that bear each
    merged: dict[str, tuple[str, ...]]  #: survivor → the ids that read as it

    def survivor(self, id: str) -> str | None:
        """Follow redirects; ``None`` where no single file has the id."""
        if id not in self.files:
            return None
        return self.survivors.get(id, id)

    def bearers(self, name: str) -> tuple[str, ...]:
        """List the survivors that bear a name or alias."""
        return self.names.get(fold(name), ())

    def iter_names(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each folded name with the survivors that bear it."""
        yield from self.names.items()

    def are_distinct(self, first: str, second: str) -> bool:
        """Say whether two survivors were judged not the same."""
        return (first, second) in self.distinct

    def merged_of(self, survivor: str) -> tuple[str, ...]:
        """List the ids that read as a survivor."""
        return self.merged.get(survivor, ())


def resolve_identities(entities: Iterable[EntityFile], vocabulary: Vocabulary) -> Identities:
    """Sort out who is who. A redirect at fault redirects nothing."""
    by_id: dict[str, list[EntityFile]] = {}
    for file in entities:
        by_id.setdefault(file.id, []).append(file)
    files = {id: claims[0] for id, claims in by_id.items() if len(claims) == 1}
    ambiguous = {
        id: tuple(file.path for file in claims) for id, claims in by_id.items() if len(claims) > 1
    }
    resolver = _Resolver(files, ambiguous, vocabulary)
    resolver.read_redirects()
    resolver.break_circles()
    resolver.part_types()
    judged = resolver.read_judgements()
    resolver.part_distinct(judged)
    survivors = follow_redirects(resolver.targets)
    pairs = set()
    for id, name in judged:
        first, second = survivors.get(id, id), survivors.get(name.text, name.text)
        pairs |= {(first, second), (second, first)}
    merged: dict[str, list[str]] = {}
    for id in sorted(survivors):
        merged.setdefault(survivors[id], []).append(id)
    return Identities(
        files,
        ambiguous,
        survivors,
        frozenset(pairs),
        tuple(resolver.faults),
        _index_names(files, survivors),
        {id: tuple(ids) for id, ids in merged.items()},
    )


def follow_redirects(targets: dict[str, str]) -> dict[str, str]:
    """Give each redirected id the end of its chain. There must be no circle."""
    survivors: dict[str, str] = {}
    for id in targets:
        trail = []
        end = id
        while end in targets and end not in survivors:
            trail.append(end)
            end = targets[end]
        end = survivors.get(end, end)
        survivors.update(dict.fromkeys(trail, end))
    return survivors


def _index_names(
    files: dict[str, EntityFile], survivors: dict[str, str]
) -> dict[str, tuple[str, ...]]:
    names: dict[str, dict[str, None]] = {}
    for id, file in files.items():
        for text in (file.name, *(alias.text for alias in file.aliases)):
            names.setdefault(fold(text), {})[survivors.get(id, id)] = None
    return {name: tuple(sorted(ids)) for name, ids in names.items() if name}


class _Resolver:
    """Reads redirects, then takes away those that cannot be followed."""

    def __init__(
        self,
        files: dict[str, EntityFile],
        ambiguous: dict[str, tuple[str, ...]],
        vocabulary: Vocabulary,
    ) -> None:
        self.files, self.ambiguous, self.vocabulary = files, ambiguous, vocabulary
        self.targets: dict[str, str] = {}  #: each redirected id → the next one
        self.faults: list[IdentityFault] = []

    def fault(
        self,
        code: str,
        id: str,
        span: Span,
        message: str,
        hint: str,
        other: tuple[str, Span] | None = None,
        unknown: str = "",
    ) -> None:
        path = self.files[id].path
        self.faults.append(IdentityFault(code, path, span, message, hint, other, unknown))

    def read_redirects(self) -> None:
        for id, file in sorted(self.files.items()):
            target = file.merged_into
            if target is None or target.text in self.ambiguous:
                continue  # that several files claim one id is a finding of its own
            if target.text == id:
                message = '"merged_into" names the entity itself'
                self.fault("KB310", id, target.span, message, "remove it")
            elif target.text not in self.files:
                message = f'"merged_into" names no entity: "{target.text}"'
                hint = "name the surviving entity's id"
                self.fault("KB310", id, target.span, message, hint, unknown=target.text)
            elif self.types_differ(id, target.text):
                self.fault_types(id, target.text)
            else:
                self.targets[id] = target.text

    def break_circles(self) -> None:
        for circle in _circles(self.targets):
            # One fault, however many files it runs through: told at the first, which names the others.
            first = circle.index(min(circle))
            ordered = (*circle[first:], *circle[:first])
            message = f'"merged_into" leads in a circle: {" → ".join((*ordered, ordered[0]))}'
            self.fault(
                "KB310", ordered[0], self.redirect_span(ordered[0]), message, "remove one of them"
            )
            for id in circle:
                del self.targets[id]

    def part_types(self) -> None:
        """Take away the redirects that join two types through entities without one."""
        tops: dict[str, list[str]] = {}
        for id in sorted(self.targets):
            if self.type_of(id) is None:
                continue
            above = self.targets[id]
            while self.type_of(above) is None and above in self.targets:
                above = self.targets[above]
            if self.type_of(above) is None:
                tops.setdefault(above, []).append(id)
            elif self.types_differ(id, above):
                self.fault_types(id, above)
                del self.targets[id]
        for ids in tops.values():
            for id in ids:
                other = next((other for other in ids if self.types_differ(id, other)), None)
                if other is not None:
                    self.fault_types(id, other)
                    del self.targets[id]

    def read_judgements(self) -> list[tuple[str, Name]]:
        judged = []
        for id, file in sorted(self.files.items()):
            for name in file.distinct_from:
                if name.text == id:
                    message = '"distinct_from" names the entity itself'
                    self.fault("KB313", id, name.span, message, "remove it")
                elif name.text in self.files:
                    judged.append((id, name))
                elif name.text not in self.ambiguous:
                    message = f'"distinct_from" names no entity: "{name.text}"'
                    self.fault("KB313", id, name.span, message, "mend the id", unknown=name.text)
        return judged

    def part_distinct(self, judged: list[tuple[str, Name]]) -> None:
        """Let ``distinct_from`` beat merges: the redirects that join a judged pair are not followed."""
        for id, name in judged:
            mine, theirs = self.chain(id), self.chain(name.text)
            if mine[-1] != theirs[-1]:
                continue
            joining = [*(one for one in mine if one not in theirs)]
            joining += [one for one in theirs if one not in mine]
            redirect = self.files[joining[0]]
            message = f'"{id}" and "{name.text}" are judged distinct, and merged: the merge is not followed'
            hint = "remove 'merged_into' or 'distinct_from'"
            other = (redirect.path, self.redirect_span(redirect.id))
            self.fault("KB312", id, name.span, message, hint, other)
            for one in joining:
                del self.targets[one]

    def chain(self, id: str) -> list[str]:
        chain = [id]
        while chain[-1] in self.targets:
            chain.append(self.targets[chain[-1]])
        return chain

    def type_of(self, id: str) -> str | None:
        return self.vocabulary.read_type(self.files[id].type)

    def types_differ(self, id: str, other: str) -> bool:
        mine, theirs = self.type_of(id), self.type_of(other)
        return mine is not None and theirs is not None and mine != theirs

    def fault_types(self, id: str, other: str) -> None:
        message = f'"{id}" is a {self.type_of(id)} and "{other}" a {self.type_of(other)}: they cannot be one'
        place = (self.files[other].path, self.files[other].type_span)
        hint = "mend one of the types, or the redirect"
        self.fault("KB311", id, self.redirect_span(id), message, hint, place)

    def redirect_span(self, id: str) -> Span:
        name = self.files[id].merged_into
        return name.span if name else WHOLE_FILE


def _circles(targets: dict[str, str]) -> list[tuple[str, ...]]:
    circles: list[tuple[str, ...]] = []
    done: set[str] = set()
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
