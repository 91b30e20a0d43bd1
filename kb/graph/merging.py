"""Two graph files that were made of two parts of the same files → the one of all of them.

Each part numbers its texts and rows by itself. Here tables become one, whatever names their texts is renumbered, and
rows stand in the order that ``kb.graph.file_form`` asks for. What both parts know of all files (who is merged into whom,
who is distinct, the vocabulary) is taken from the first. No text is read but those of tables.
"""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kb.graph.file_form import (
    DIGEST_BYTES,
    FILE_DIGEST_BYTES,
    INTERVAL_WIDTH,
    NONE,
    SIGNATURE_BYTES,
)
from kb.graph.row_lists import pack_row_lists

#: Sections by name: arrays of numbers, or bytes.
Packed = Mapping[str, Any]
_Renumber = Callable[[Iterable[int]], "array[int]"]
#: Given what makes sections, gives what waits for them.
Start = Callable[[Callable[[], dict[str, Any]]], Callable[[], dict[str, Any]]]

#: Tables that rows name.
_NAMED = ("id", "seen", "path", "predicate")
#: Tables of which each text has a list, and what that names.
_TABLES = {
    "name": ("bearers", "id"),
    "key": ("bearers", "id"),
    "token": ("involved", "seen"),
    "word": ("consulted", "path"),
    "own": ("provided", "path"),
}
#: What the columns of rows name; ``""``: nothing.
_STATEMENT = (
    *("path", "id", "text", "id", "predicate", "id", "text", "interval"),
    *("text", "text", "text", "text", "text", "", "", "", "span", "", ""),
)
_ENTITY = ("id", "text", "text", "path", "text", "")
_ENTITY_LISTS = ("text", "text", "text", "id", "id")
_OBSERVATION = ("seen", "path", *("text",) * 7, "")
_LISTS: dict[str, tuple[str, ...]] = {
    "hidden": ("path", "id"),
    "unresolved": ("path", "id"),
    "broken": ("path",),
    "judging": ("path",),
    "judged": ("text",),
}
#: The columns of an interval that name a text, unless they are negative.
_INTERVAL_TEXTS = (0, 1, 4)


def merge_packed(first: Packed, second: Packed, start: Start = lambda make: make) -> dict[str, Any]:
    """Merge what was packed of two parts. In the order of paths, the first one's statements stand before the second's.

    ``start`` may begin elsewhere what can be made beside the rest: it is given what makes it, and gives what waits for it.
    """
    merger = _Merger(first, second)
    merger.merge_statements()
    lists = start(lambda: pack_row_lists(merger.merged))
    merger.merge_rest()
    return {**merger.merged, **lists()}


class _Merger:
    def __init__(self, first: Packed, second: Packed) -> None:
        self.parts = (first, second)
        self.merged: dict[str, Any] = {}
        #: By what is named: how each part's numbers become those of the whole.
        self.renumber: dict[str, tuple[_Renumber, _Renumber]] = {"": (_same, _same)}
        #: Of each table's texts their numbers in either part, -1 where that has none.
        self.sources: dict[str, tuple[list[int], list[int]]] = {}

        for what, count in (
            ("text", len(first["heap.at"]) - 1),
            ("interval", len(first["interval"]) // INTERVAL_WIDTH),
            ("span", len(first["span"]) // 2),
        ):
            self.renumber[what] = (_same, _adds(count))

    def merge_statements(self) -> None:
        """Merge the rows of statements, and the tables that they name."""
        for table in _NAMED:
            self._merge_table(table)
        self._merge_statements()

    def merge_rest(self) -> None:
        """Merge all that is left then."""
        for table, (what, named) in _TABLES.items():
            self._merge_table(table)
            self._merge_table_lists(table, f"{table}.{what}", named)
        self._merge_rows("entity", _ENTITY, "entity.lists", _ENTITY_LISTS)
        self._merge_rows("observation", _OBSERVATION, "observation.lists", ("text",) * 3)
        self._merge_files()
        for name, columns in _LISTS.items():
            self.merged[name] = self._joined(self._columns(name, columns))
        self._take_identities()
        self._join_texts("heap.at", "heap.text")

    # -- tables --------------------------------------------------------------------------------------------------

    def _merge_table(self, table: str) -> None:
        texts = [_texts_of(part, table) for part in self.parts]
        whole = sorted({*texts[0], *texts[1]})
        numbers = {text: number for number, text in enumerate(whole)}
        maps = [[numbers[text] for text in part] for part in texts]
        self.renumber[table] = (_looks_up(maps[0]), _looks_up(maps[1]))
        self.sources[table] = (_inverted(maps[0], len(whole)), _inverted(maps[1], len(whole)))
        at, heap = array("q", (0,)), bytearray()
        for text in whole:
            heap += text + b"\n"
            at.append(len(heap))
        self.merged |= {f"{table}.at": at, f"{table}.text": heap}

    def _merge_table_lists(self, table: str, name: str, named: str) -> None:
        """Merge the lists of a table's texts, which are sorted."""
        (first, second), (starts, other_starts) = (
            self._columns(name, (named,)),
            [part[f"{name}.at"] for part in self.parts],
        )
        at, flat = array("I", (0,)), array("I")
        for one, other in zip(*self.sources[table], strict=True):
            if other < 0:
                flat += first[starts[one] : starts[one + 1]]
            elif one < 0:
                flat += second[other_starts[other] : other_starts[other + 1]]
            else:
                mine = first[starts[one] : starts[one + 1]]
                mine += second[other_starts[other] : other_starts[other + 1]]
                flat.extend(sorted(set(mine)))
            at.append(len(flat))
        self.merged |= {f"{name}.at": at, name: flat}

    # -- rows ----------------------------------------------------------------------------------------------------

    def _merge_statements(self) -> None:
        merged, parts = self.merged, self.parts
        merged["statement"] = self._joined(self._columns("statement", _STATEMENT))
        for name, named in (("statement.cited", "seen"), ("statement.items", "text")):
            merged[name] = self._joined(self._columns(name, (named,)))
            merged[f"{name}.at"] = _joined_starts(*(part[f"{name}.at"] for part in parts))
        merged["statement.order"] = array("q")
        shifted = array("q", parts[1]["interval"])
        for column in _INTERVAL_TEXTS:
            texts = shifted[column::INTERVAL_WIDTH]
            more = len(parts[0]["heap.at"]) - 1
            shifted[column::INTERVAL_WIDTH] = array(
                "q", [text if text < 0 else text + more for text in texts]
            )
        merged["interval"] = parts[0]["interval"] + shifted
        merged["span"] = parts[0]["span"] + parts[1]["span"]

    def _merge_rows(
        self, name: str, named: tuple[str, ...], lists: str, listed: tuple[str, ...]
    ) -> None:
        """Merge rows of documents, which stand in the order of what they name first, with all that belongs to them."""
        rows = self._joined(self._columns(name, named))
        order = _order_of(rows[:: len(named)])
        self.merged[name] = _taken(rows, len(named), order)
        digests = b"".join(bytes(part[f"{name}.digest"]) for part in self.parts)
        self.merged[f"{name}.digest"] = _taken_bytes(digests, DIGEST_BYTES, order)
        self._merge_row_lists(lists, listed, order)
        if name == "observation":
            times = self.parts[0]["observation.time"] + self.parts[1]["observation.time"]
            self.merged["observation.time"] = _taken(times, 2, order)
            self._join_texts("body.at", "body.text", order)
        else:
            self._join_texts("entity.text.at", "entity.text", order)

    def _merge_row_lists(self, name: str, listed: tuple[str, ...], order: Sequence[int]) -> None:
        """Merge lists of which each row has as many, each naming what it names."""
        slices: list[array[int]] = []
        for index, part in enumerate(self.parts):
            starts, flat = part[f"{name}.at"], part[name]
            for number in range(len(starts) - 1):
                numbers = flat[starts[number] : starts[number + 1]]
                if numbers:
                    numbers = self.renumber[listed[number % len(listed)]][index](numbers)
                slices.append(numbers)
        width = len(listed)
        at, whole = array("I", (0,)), array("I")
        for row in order:
            for numbers in slices[row * width : (row + 1) * width]:
                whole += numbers
                at.append(len(whole))
        self.merged |= {f"{name}.at": at, name: whole}

    def _merge_files(self) -> None:
        files = self._joined(self._columns("file", ("path",)))
        order = _order_of(files)
        self.merged["file"] = _taken(files, 1, order)
        blobs = sum(len(part["file.blob"]) for part in self.parts)
        for name, width in (
            ("file.kind", 1),
            ("file.digest", FILE_DIGEST_BYTES),
            ("file.blob", blobs // max(len(files), 1)),
            ("file.sign", SIGNATURE_BYTES),
        ):
            joined = b"".join(bytes(part[name]) for part in self.parts)
            self.merged[name] = _taken_bytes(joined, width, order)
        self._merge_row_lists("file.names", ("text",), order)

    # -- what both know ------------------------------------------------------------------------------------------

    def _take_identities(self) -> None:
        part = self.parts[0]
        for name in ("survivor", "ambiguous", "distinct"):
            self.merged[name] = self.renumber["id"][0](part[name])
        self.merged["ambiguous.paths"] = self.renumber["path"][0](part["ambiguous.paths"])
        self.merged["ambiguous.paths.at"] = part["ambiguous.paths.at"]
        self.merged["vocabulary"] = part["vocabulary"]

    # -- numbers -------------------------------------------------------------------------------------------------

    def _columns(self, name: str, named: tuple[str, ...]) -> list["array[int]"]:
        """Give each part's rows with every column renumbered for what it names."""
        width, found = len(named), []
        for index, part in enumerate(self.parts):
            rows = array("I", part[name])
            for column, what in enumerate(named):
                renumber = self.renumber[what][index]
                if renumber is not _same:
                    rows[column::width] = renumber(rows[column::width])
            found.append(rows)
        return found

    def _joined(self, rows: list["array[int]"]) -> "array[int]":
        return rows[0] + rows[1]

    def _join_texts(self, at: str, heap: str, order: Sequence[int] | None = None) -> None:
        starts = _joined_starts(*(part[at] for part in self.parts))
        joined = b"".join(bytes(part[heap]) for part in self.parts)
        if order is not None:
            pieces = [joined[starts[row] : starts[row + 1]] for row in order]
            starts = array("q", (0,))
            for piece in pieces:
                starts.append(starts[-1] + len(piece))
            joined = b"".join(pieces)
        self.merged |= {at: starts, heap: joined}


def _same(numbers: Iterable[int]) -> "array[int]":
    return numbers if isinstance(numbers, array) else array("I", numbers)


def _adds(count: int) -> _Renumber:
    return lambda numbers: array(
        "I", [number if number == NONE else number + count for number in numbers]
    )


def _looks_up(numbers: list[int]) -> _Renumber:
    known = dict(enumerate(numbers))
    known[NONE] = NONE
    return lambda named: array("I", map(known.__getitem__, named))


def _texts_of(part: Packed, table: str) -> list[bytes]:
    at, heap = part[f"{table}.at"], bytes(part[f"{table}.text"])
    return [heap[at[number] : at[number + 1] - 1] for number in range(len(at) - 1)]


def _inverted(numbers: list[int], size: int) -> list[int]:
    found = [-1] * size
    for number, whole in enumerate(numbers):
        found[whole] = number
    return found


def _order_of(keys: "array[int]") -> list[int]:
    return sorted(range(len(keys)), key=keys.__getitem__)


def _taken(rows: "array[int]", width: int, order: Sequence[int]) -> "array[int]":
    """Take rows in an order."""
    size = width * rows.itemsize
    return array(rows.typecode, _taken_bytes(rows.tobytes(), size, order))


def _taken_bytes(data: bytes, width: int, order: Sequence[int]) -> bytes:
    return b"".join([data[row * width : (row + 1) * width] for row in order])


def _joined_starts(first: "array[int]", second: "array[int]") -> "array[int]":
    """Join where texts or lists begin, as if their contents stood one behind the other."""
    size = first[-1]
    return first + array(first.typecode, [start + size for start in second[1:]])
