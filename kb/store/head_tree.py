"""What HEAD holds under each path, kept in a file: git is asked once for each commit."""

from array import array
from collections.abc import Mapping
from typing import Any

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
        self._at, self._paths, self._ids = (
            sections.longs("at"),
            sections.raw("path"),
            sections.raw("id"),
        )

    def blob_of(self, path: str) -> str:
        """Give the id of a file's blob; empty where the commit has none."""
        wanted = path.encode("utf-8", "surrogateescape")
        low, high = 0, len(self._at) - 1
        while low < high:
            middle = (low + high) // 2
            if bytes(self._paths[self._at[middle] : self._at[middle + 1]]) < wanted:
                low = middle + 1
            else:
                high = middle
        if low >= len(self._at) - 1 or self._paths[self._at[low] : self._at[low + 1]] != wanted:
            return ""
        width = len(self._ids) // (len(self._at) - 1)
        return bytes(self._ids[low * width : (low + 1) * width]).hex()
