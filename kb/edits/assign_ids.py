"""Which id each statement of a file is written down with. Reads HEAD only where two lines claim one id."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kb.graph.drafts import Draft, statement_basis
from kb.model.entity import EntityFile
from kb.model.names import mint_statement_id
from kb.model.statement import StatementLine


@dataclass(frozen=True, slots=True)
class AssignedId:
    """The id that a line is to bear."""

    line: StatementLine
    id: str

    @property
    def is_missing(self) -> bool:
        """The line bears none yet."""
        return self.line.id is None

    @property
    def is_changed(self) -> bool:
        """The line bears another, which a neighbour keeps."""
        return self.line.id is not None and self.line.id != self.id


def assign_ids(
    drafts: Sequence[Draft], read_head: Callable[[], EntityFile | None]
) -> list[AssignedId]:
    """Give each line its id: the written ones, and those that the graph shows as provisional.

    Of lines with one id, the one that still digests to it keeps it, else the one that has it in HEAD's version of
    the file (``read_head``, asked at most once), else the first.
    """
    claims: dict[str, list[int]] = {}
    for index, draft in enumerate(drafts):
        if draft.line.id is not None:
            claims.setdefault(draft.line.id, []).append(index)
    if all(len(claim) == 1 for claim in claims.values()):
        return [AssignedId(draft.line, draft.id) for draft in drafts]
    head = (
        read_head() if any(_needs_head(drafts, id, claim) for id, claim in claims.items()) else None
    )
    keepers = {_keeper(drafts, id, claim, head): id for id, claim in claims.items()}
    taken = set(claims)
    assigned = []
    for index, draft in enumerate(drafts):
        id = keepers.get(index)
        if id is None:
            id = mint_statement_id(_basis(draft), taken)
            taken.add(id)
        assigned.append(AssignedId(draft.line, id))
    return assigned


def _basis(draft: Draft) -> tuple[str, ...]:
    return statement_basis(draft.file.id, draft.line, draft.reading, draft.object)


def _digesting(drafts: Sequence[Draft], id: str, claim: list[int]) -> list[int]:
    return [index for index in claim if mint_statement_id(_basis(drafts[index])) == id]


def _needs_head(drafts: Sequence[Draft], id: str, claim: list[int]) -> bool:
    return len(claim) > 1 and not _digesting(drafts, id, claim)


def _keeper(drafts: Sequence[Draft], id: str, claim: list[int], head: EntityFile | None) -> int:
    digesting = _digesting(drafts, id, claim) if len(claim) > 1 else []
    if digesting or head is None:
        return (digesting or claim)[0]
    committed = next((line for line in head.statements if line.id == id), None)
    if committed is None:
        return claim[0]
    return max(claim, key=lambda index: (_likeness(drafts[index].line, committed), -index))


def _likeness(line: StatementLine, committed: StatementLine) -> int:
    """Count what two lines have in common."""
    pairs = (
        (line.section, committed.section),
        (line.predicate, committed.predicate),
        (
            line.link.target if line.link else None,
            committed.link.target if committed.link else None,
        ),
        (line.value, committed.value),
        (line.interval, committed.interval),
        (line.note, committed.note),
        (line.by, committed.by),
        ([c.observation for c in line.citations], [c.observation for c in committed.citations]),
    )
    return sum(one == other for one, other in pairs)
