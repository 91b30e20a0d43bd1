"""Texts, tables and pairs laid out as sections of a graph file, as ``kb.graph.tables`` reads them."""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

from kb.graph.file_form import NONE
from kb.graph.row_lists import pack_lists


class Numbering(dict[Any, int]):
    """Gives each new key the next number, and ``None`` the one that stands for none."""

    def __init__(self) -> None:
        super().__init__({None: NONE})

    def __missing__(self, key: Any) -> int:
        number = self[key] = len(self) - 1
        return number

    def keys_in_order(self) -> Iterator[Any]:
        """Yield the keys by their numbers."""
        keys = iter(self)
        next(keys)
        return keys


class PackedTable:
    """A sorted table of texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = sorted(set(texts))
        self.numbers = {text: number for number, text in enumerate(self.texts)}

    def pack(self, name: str) -> dict[str, Any]:
        """Lay it out as the sections of a name."""
        at, heap = pack_texts(f"{text}\n" for text in self.texts)
        return {f"{name}.at": at, f"{name}.text": heap}


def pack_numbers(numbers: Iterable[int]) -> "array[int]":
    """Lay out numbers of rows or texts."""
    return array("I", numbers)


def pack_texts(texts: Iterable[str]) -> tuple["array[int]", bytes]:
    """Lay out texts: where each begins, the end of the last; all of them in UTF-8."""
    pieces = [text.encode("utf-8", "surrogatepass") for text in texts]
    return array("q", accumulate(map(len, pieces), initial=0)), b"".join(pieces)


def pack_pairs(table: str, what: str, pairs: Iterable[tuple[str, int]]) -> dict[str, Any]:
    """Make a table of the first of each pair, with the second ones of each, sorted, each once."""
    gathered: defaultdict[str, list[int]] = defaultdict(list)
    for text, number in pairs:
        gathered[text].append(number)
    made = PackedTable(gathered)
    lists = (
        numbers if len(numbers) == 1 else sorted(set(numbers))
        for numbers in map(gathered.__getitem__, made.texts)
    )
    return {**made.pack(table), **pack_lists(f"{table}.{what}", lists)}
