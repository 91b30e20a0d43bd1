"""Which files are otherwise than HEAD has them: the ``+`` behind a revision."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kb.store.files import read_bytes
from kb.store.git import blob_id, tree_blobs
from kb.store.references import head_commit
from kb.store.root import CONFIGURATION, ENTITIES, OBSERVATIONS
from kb.syntax.source import MAX_FILE_BYTES

#: More files than these are counted, not listed.
_MOST_LISTED = 1000


class Differing(NamedTuple):
    """The files that differ from a commit."""

    paths: frozenset[str]
    is_many: bool = False  #: too many to list


def read_tree(root: str, commit: str) -> dict[str, str] | None:
    """Map the files of a commit that are ours to their blob ids; ``None`` where git cannot say."""
    blobs = tree_blobs(root, commit, (CONFIGURATION, ENTITIES, OBSERVATIONS))
    if blobs is None:
        return None
    return {path: id for path, id in blobs.items() if path.endswith(".md") or "/" not in path}


def compare_all(root: str, blobs: Iterable[tuple[str, str]], tree: Mapping[str, str]) -> Differing:
    """Compare all files, given their blob ids, with a commit's."""
    differing: set[str] = set()
    missing = set(tree)
    for path, blob in blobs:
        missing.discard(path)
        wanted = tree.get(path, "")
        if blob == wanted or (wanted and is_same_file(root, path, wanted)):
            continue
        differing.add(path)
        if len(differing) > _MOST_LISTED:
            return Differing(frozenset(), True)
    differing |= missing
    if len(differing) > _MOST_LISTED:
        return Differing(frozenset(), True)
    return Differing(frozenset(differing))


def is_same_file(root: str, path: str, wanted: str) -> bool:
    """Say whether a file is what a commit has, line ends apart: a checkout that turns LF into CRLF is no change."""
    try:
        data = read_bytes(root, path, MAX_FILE_BYTES)
    except OSError:
        return False
    return data is not None and is_same(data, wanted)


def is_same(data: bytes, wanted: str) -> bool:
    """Say whether bytes are what git stored, line ends apart."""
    return blob_id(data, wanted) == wanted or (
        b"\r\n" in data and blob_id(data.replace(b"\r\n", b"\n"), wanted) == wanted
    )


def revision_of(root: str, contents: Mapping[str, bytes]) -> str:
    """Give the commit checked out, ``+`` where the files as read differ from it; empty without git."""
    commit = head_commit(root)
    tree = read_tree(root, commit) if commit else None
    if tree is None:
        return commit
    is_clean = tree.keys() == contents.keys() and all(
        is_same(data, tree[path]) for path, data in contents.items()
    )
    return commit if is_clean else commit + "+"
