"""An observation as its file says it: an immutable source text."""

from typing import NamedTuple

from kb.diagnostics import WHOLE_FILE, Span
from kb.model.entity import Name
from kb.model.time import Date

KINDS = (
    "email",
    "meeting",
    "calendar",
    "contact",
    "chat",
    "document",
    "web",
    "note",
    "belief",
    "goal",
    "prediction",
    "event",
    "decision",
    "import",
)

DECISIONS = ("merge", "unmerge", "distinct", "reject", "not-mentioned", "correct")


class ObservationFile(NamedTuple):
    """What one file under ``observations/`` says."""

    path: str
    id: str
    id_span: Span
    kind: str = ""
    kind_span: Span = WHOLE_FILE
    title: str = ""
    happened_at: Date | None = None
    said_by: str = ""  #: an entity id, a key or plain text
    participants: tuple[Name, ...] = ()
    source: str = ""
    derived_from: tuple[Name, ...] = ()
    seal: Name | None = None
    digest: str = ""  #: SHA-256 of the sealed part, as it is now
    decision: Name | None = None
    about: tuple[Name, ...] = ()
    body: str = ""
    is_broken: bool = False
    text: str = ""

    @property
    def is_decision(self) -> bool:
        """It records a judgement; a field ``decision`` in another kind is the author's own."""
        return self.kind == "decision"

    @property
    def is_sealed(self) -> bool:
        """The seal holds."""
        return self.seal is not None and self.seal.text == self.digest
