"""``kb seal``: write the seal into observations that have none. Never renews a seal, never touches another byte."""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.edits.results import UNREAD, SkippedFile
from kb.edits.write_changes import write_changes
from kb.edits.writing import check_configuration
from kb.errors import UsageError
from kb.knowledge_base import KnowledgeBase
from kb.model.observation import ObservationFile
from kb.store.layout import is_within
from kb.syntax.front_matter import Mapping, Scalar, split_front_matter
from kb.syntax.observation_file import parse_observation_file
from kb.syntax.source import Source
from kb.syntax.splices import Splice, apply_splices


@dataclass(frozen=True, slots=True)
class Sealing:
    """What ``kb seal`` did, by path."""

    sealed: tuple[str, ...]
    already: tuple[str, ...]
    refused: tuple[SkippedFile, ...]


def seal_observations(base: KnowledgeBase, files: Sequence[str] = ()) -> Sealing:
    """Seal observations: all without a seal, or those named by path (relative to the root) or id."""
    check_configuration(base.root)  # as every write
    sealed: list[tuple[str, bytes]] = []
    already: list[str] = []
    refused: list[SkippedFile] = []
    for observation in _selected(base, files):
        outcome = _seal(observation, base.corpus.sources.get(observation.path))
        if outcome is None:
            already.append(observation.path)
        elif isinstance(outcome, SkippedFile):
            refused.append(outcome)
        else:
            sealed.append((observation.path, outcome))
    missed = write_changes(base, sealed, "seal") if sealed else {}
    refused += [SkippedFile(path, reason) for path, reason in missed.items()]
    written = tuple(path for path, _ in sealed if path not in missed)
    return Sealing(written, tuple(already), tuple(refused))


def _selected(base: KnowledgeBase, files: Sequence[str]) -> list[ObservationFile]:
    if not files:
        return list(base.corpus.observations)
    chosen = []
    for file in files:
        found = [
            seen
            for seen in base.corpus.observations
            if file == seen.id or is_within(seen.path, file)
        ]
        if not found:
            raise UsageError(
                f"no observation is called {file}", "give its id, or its path relative to the root"
            )
        chosen += found
    return list(dict.fromkeys(chosen))


def _seal(observation: ObservationFile, source: Source | None) -> bytes | SkippedFile | None:
    """Give the sealed file's bytes, ``None`` where the seal holds, or the reason why it is left alone."""
    if source is None:
        return SkippedFile(observation.path, UNREAD)
    if observation.is_sealed:
        return None
    if observation.is_broken:
        return SkippedFile(observation.path, "it does not parse")
    if observation.seal is not None:
        reason = "its text is not the one that was sealed: restore it, or file what is new as a new observation"
        return SkippedFile(observation.path, reason)
    if not source.is_utf8:
        return SkippedFile(observation.path, "it is not UTF-8")
    sealed = Source(source.path, _with_seal(source.text, observation.digest), source.has_bom)
    read, _ = parse_observation_file(sealed)
    if not read.is_sealed or read.body != observation.body or read.id != observation.id:
        return SkippedFile(
            observation.path, "its frontmatter takes no further line: write one field a line"
        )
    return sealed.encode()


def _with_seal(text: str, digest: str) -> str:
    front = split_front_matter(text)
    empty = front.fields.get("sha256") if isinstance(front.fields, Mapping) else None
    if isinstance(empty, Scalar):
        pad = " " if text[empty.start - 1 : empty.start] == ":" else ""
        return apply_splices(text, [Splice(empty.start, empty.end, f"{pad}{digest}")])
    fence_line = text[: front.block_end]
    newline = "\r\n" if fence_line.endswith("\r\n") else "\r" if fence_line.endswith("\r") else "\n"
    return apply_splices(
        text, [Splice(front.block_end, front.block_end, f"sha256: {digest}{newline}")]
    )
