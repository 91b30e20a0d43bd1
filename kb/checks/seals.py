"""Seals: whether an observation has one, whether it holds, and whether it is still the one that was committed."""

import re
from collections.abc import Iterator

from kb.checks.material import Material
from kb.diagnostics import Diagnostic
from kb.model.names import stem_of
from kb.model.observation import ObservationFile
from kb.store.git import blob_id, read_blobs, tree_blobs
from kb.store.references import head_commit
from kb.store.root import OBSERVATIONS
from kb.syntax.observation_file import parse_observation_file
from kb.syntax.source import decode

_DIGEST = re.compile(r"[0-9a-f]{64}")


def check_seals(material: Material) -> Iterator[Diagnostic]:
    """Find observations without a seal, and seals that do not hold."""
    for observation in material.corpus.observations:
        path = observation.path
        if observation.is_broken or observation.is_sealed:
            continue
        if observation.seal is None:
            yield material.finding(
                "KB405", path, observation.id_span, "the observation is not sealed"
            )
        elif not _DIGEST.fullmatch(observation.seal.text):
            message = "the seal is no SHA-256 digest: 64 lower-case hexadecimal digits"
            hint = "remove the line and run 'kb seal'"
            yield material.finding("KB406", path, observation.seal.span, message, hint)
        else:
            message = "the text is not the one that was sealed"
            yield material.finding("KB406", path, observation.seal.span, message)


def check_sealed_history(material: Material) -> Iterator[Diagnostic]:
    """Find observations whose text was sealed in the last commit and is another one now.

    Only files that differ from the commit are read from it. A broken seal says the same, and is not told twice.
    """
    if not material.uses_git:
        return
    commit = head_commit(material.corpus.root)
    blobs = tree_blobs(material.corpus.root, commit, (OBSERVATIONS,)) if commit else None
    changed = dict(_iter_changed(material, blobs or {}))
    before = read_blobs(material.corpus.root, tuple((blobs or {})[path] for path in changed))
    for path, now in changed.items():
        data = before.get((blobs or {})[path])
        if data is None:
            continue
        then, _ = parse_observation_file(decode(path, data))
        if then.is_sealed and then.digest != now.digest and then.seal is not None:
            span = now.seal.span if now.seal else now.id_span
            message = f"the last commit holds another text, sealed as {then.seal.text[:12]}…"
            yield material.finding("KB501", now.path, span, message)


def _iter_changed(
    material: Material, blobs: dict[str, str]
) -> Iterator[tuple[str, ObservationFile]]:
    """Yield each committed file whose bytes are others now, with the observation that it has become."""
    contents = material.corpus.contents
    now = {one.path: one for one in material.corpus.observations if not one.is_broken}
    moved = {one.id: one for path, one in now.items() if path not in blobs}
    for path, blob in blobs.items():
        observation = now.get(path)
        if observation is None and path not in contents:
            observation = moved.get(stem_of(path))
        if observation is None or (observation.seal is not None and not observation.is_sealed):
            continue
        data = contents[observation.path]
        if blob not in (blob_id(data, blob), blob_id(data.replace(b"\r\n", b"\n"), blob)):
            yield path, observation
