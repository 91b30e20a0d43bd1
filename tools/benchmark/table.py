"""The table of a benchmark: rows with their figures, as Markdown and as JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from .measuring import Figure

HEAD = ("what", "entities", "kb", "peer", "ratio", "to reach", "reached", "peak memory")
MEGA = 1_000_000


@dataclass(frozen=True)
class Target:
    """What a row is to reach; whatever is ``None`` is not asked."""

    ratio: float | None = None  #: kb's time over the peer's, at most
    stretch: float | None = None  #: a ratio that would be better still
    peak: int | None = None  #: bytes, at most
    p95: float | None = None  #: seconds, at most
    lost: int | None = None  #: what was acknowledged and is not there, at most

    def __str__(self) -> str:
        parts = []
        if self.ratio is not None:
            parts.append(f"≤ {self.ratio:g} ×")
        if self.p95 is not None:
            parts.append(f"p95 ≤ {format_seconds(self.p95)}")
        if self.peak is not None:
            parts.append(f"≤ {self.peak // MEGA} MB")
        if self.lost is not None:
            parts.append(f"{self.lost} lost")
        return ", ".join(parts)


@dataclass(frozen=True)
class Row:
    """One comparison. A row without figures says why in its note."""

    id: str
    what: str
    entities: int
    peer: str  #: what kb is compared with
    ours: Figure | None = None
    theirs: Figure | None = None
    target: Target = field(default_factory=Target)
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """kb's time over the peer's."""
        if self.ours is None or self.theirs is None or not self.theirs.seconds:
            return None
        return self.ours.seconds / self.theirs.seconds

    @property
    def reached(self) -> bool | None:
        """Whether all that is asked was reached; ``None`` where nothing is asked or something was not measured."""
        target, ours = self.target, self.ours
        if ours is None or target == Target():
            return None
        verdicts: list[bool | None] = []
        if target.ratio is not None:
            verdicts.append(None if self.ratio is None else self.ratio <= target.ratio)
        if target.peak is not None:
            verdicts.append(ours.peak <= target.peak if ours.peak else None)
        if target.p95 is not None:
            verdicts.append(None if ours.p95 is None else ours.p95 <= target.p95)
        if target.lost is not None:
            verdicts.append(None if ours.lost is None else ours.lost <= target.lost)
        if False in verdicts:
            return False
        return None if None in verdicts else True

    def __str__(self) -> str:
        ours = format_seconds(self.ours.seconds) if self.ours else "–"
        theirs = format_seconds(self.theirs.seconds) if self.theirs else "–"
        ratio = "" if self.ratio is None else f": {self.ratio:.2f} ×"
        note = f" ({self.note})" if self.note else ""
        return f"{ours}, {self.peer} {theirs}{ratio}{note}"

    def as_dict(self) -> dict[str, object]:
        """Give it for JSON: figures in seconds and bytes."""
        return asdict(self) | {"ratio": self.ratio, "reached": self.reached}


def render_table(rows: Sequence[Row]) -> str:
    """Render rows as a Markdown table, with notes below it."""
    lines = [f"| {' | '.join(HEAD)} |", "|---|--:|--:|--:|--:|--:|---|--:|"]
    notes: list[str] = []
    for row in rows:
        mark = ""
        if row.note:
            if row.note not in notes:
                notes.append(row.note)
            mark = f" [{notes.index(row.note) + 1}]"
        lines.append(f"| {' | '.join(_cells(row, mark))} |")
    if notes:
        lines.append("")
        lines += [f"{number}. {note}" for number, note in enumerate(notes, 1)]
    return "\n".join(lines) + "\n"


def _cells(row: Row, mark: str) -> tuple[str, ...]:
    ours, theirs, ratio = row.ours, row.theirs, row.ratio
    own = format_seconds(ours.seconds) if ours else "–"
    if ours and ours.p95 is not None:
        own += f" (p95 {format_seconds(ours.p95)})"
    if ours and ours.lost is not None:
        own += f" ({ours.lost} lost)"
    return (
        row.what + mark,
        f"{row.entities:,}",
        own,
        f"{row.peer} {format_seconds(theirs.seconds)}" if theirs else f"{row.peer} –",
        "–" if ratio is None else f"{ratio:.2f} ×",
        str(row.target),
        {True: "yes", False: "no", None: ""}[row.reached],
        f"{ours.peak / MEGA:.0f} MB" if ours and ours.peak else "–",
    )


def format_seconds(seconds: float) -> str:
    """Write a time with three digits or so: ``0.42 ms``, ``42.0 ms``, ``4.20 s``, ``126 s``."""
    if seconds >= 100:
        return f"{seconds:.0f} s"
    if seconds >= 1:
        return f"{seconds:.2f} s"
    milliseconds = seconds * 1000
    return f"{milliseconds:.1f} ms" if milliseconds >= 10 else f"{milliseconds:.2f} ms"
