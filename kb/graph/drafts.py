"""Statement lines with what they resolve to, and the ids of those that have none yet."""

from kb.graph.links import LinkResolver
from kb.model.entity import EntityFile
from kb.model.names import mint_statement_id
from kb.model.statement import Section, StatementLine
from kb.model.vocabulary import Reading, Vocabulary

#: Looked up once: a member of an enumeration is slow to find.
_RELATIONS = Section.RELATIONS


class Draft:
    """A statement line with what it resolves to; its id is given last, when the file's others are known."""

    __slots__ = ("file", "id", "is_provisional", "line", "object", "reading")

    def __init__(
        self, file: EntityFile, line: StatementLine, reading: Reading, object: str | None
    ) -> None:
        self.file, self.line, self.reading = file, line, reading
        self.object = object  #: the id as the link has it
        self.id = ""
        self.is_provisional = False


def statement_basis(
    file_id: str, line: StatementLine, reading: Reading, object: str | None
) -> tuple[str, ...]:
    """Give the parts that a statement's id is minted from (FORMAT, "statement id")."""
    direction = "in" if reading.is_inverse else "out"
    goal = object if line.section is Section.RELATIONS else line.value
    start = line.interval.start_text if line.interval else ""
    return (file_id, reading.name, direction, goal or "", start, line.by or "")


def read_predicate(line: StatementLine, vocabulary: Vocabulary) -> Reading:
    """Read a line's predicate as its section means it."""
    if line.section is _RELATIONS:
        return vocabulary.read_relation(line.predicate)
    return vocabulary.read_fact(line.predicate)


def draft_statements(
    file: EntityFile, resolver: LinkResolver, vocabulary: Vocabulary
) -> list[Draft]:
    """Resolve a file's lines and give each its id: written ones stay, the others are read under their digests."""
    drafts, written = [], []
    resolve, path = resolver.resolve, file.path
    read_relation, read_fact = vocabulary.read_relation, vocabulary.read_fact
    for line in file.statements:
        link, id = line.link, line.id
        object = None if link is None else resolve(link, path).id
        reads = read_relation if line.section is _RELATIONS else read_fact
        draft = Draft(file, line, reads(line.predicate), object)
        if id is not None:
            draft.id = id
            written.append(id)
        drafts.append(draft)
    taken = set(written)
    if len(written) == len(drafts) == len(taken):
        return drafts
    keepers = _keepers(file.id, drafts)
    for index, draft in enumerate(drafts):
        if draft.id and keepers[draft.id] != index:
            draft.id = ""
    for draft in drafts:
        if not draft.id:
            basis = statement_basis(file.id, draft.line, draft.reading, draft.object)
            draft.id = mint_statement_id(basis, taken)
            draft.is_provisional = True
            taken.add(draft.id)
    return drafts


def _keepers(file_id: str, drafts: list[Draft]) -> dict[str, int]:
    """Which line keeps each written id: the one that still digests to it, else the first."""
    keepers: dict[str, int] = {}
    for index, draft in enumerate(drafts):
        id = draft.line.id
        if id is None:
            continue
        rival = drafts[keepers[id]] if id in keepers else None
        if rival is None or (
            _digests_to(file_id, draft, id) and not _digests_to(file_id, rival, id)
        ):
            keepers[id] = index
    return keepers


def _digests_to(file_id: str, draft: Draft, id: str) -> bool:
    return (
        mint_statement_id(statement_basis(file_id, draft.line, draft.reading, draft.object)) == id
    )
