"""What HEAD holds under each path, kept in a file: git is asked once for each commit."""

from array import array
from collections.abc import Mapping
from typing import Any

from kb.store.paged import find_first
from kb.store.sections import Sections


def pack_tree(blobs: Mapping[str, str]) -> dict[str, Any]:
    """Lay out the blob ids of a commit's files by path."""
    encoded = sorted((path.encode("utf-8", "surrogateescape"), id) for path, id in blobs.items())
    at, heap = array("q", (0,)), bytearray()
    for path, _ in encoded:
        heap += path
        at.append(len(heap))
    return {"at": at, "path": heap, "id": b"".join(bytes.fromhex(id) for _, id in encoded)}


class HeadTree:
    """The files of a commit."""

    def __init__(self, sections: Sections) -> None:
        self._sections, self._at = sections, sections.longs("at")
        self._start = sections.place("path")[0]

    def blob_of(self, path: str) -> str:
        """Give the id of a file's blob; empty where the commit has none."""
        wanted = path.encode("utf-8", "surrogateescape")
        count = len(self._at) - 1
        number = find_first(count, self._path, wanted)
        if number >= count or self._path(number) != wanted:
            return ""
        return self._sections.row("id", number, self._sections.size("id") // count).hex()

    def _path(self, number: int) -> bytes:
        start = self._start
        return self._sections.read(start + self._at[number], start + self._at[number + 1])
