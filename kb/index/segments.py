"""Documents → segments of an index: ordinary Whoosh files, written faster than Whoosh does by itself.

Postings are gathered by word instead of being sorted as millions of tuples, and whole lists are written at once. A
large build is shared by two processes, a segment each. What is written is read by Whoosh's own codec.
"""

import gc
import os
import pickle
import sys
import threading
from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

from kb.index.documents import Document
from kb.index.safe_pickle import guard_whoosh, loads
from kb.index.schema import postings_of
from kb.index.words import Analyzer

guard_whoosh()

from whoosh import index as whoosh_index  # noqa: E402  (guarded first)
from whoosh.codec import whoosh3  # noqa: E402
from whoosh.writing import SegmentWriter  # noqa: E402

#: Postings in a block: what is read at once.
_BLOCK = 256
_SMALLEST_SHARED = 4_000_000  #: characters; less is written sooner by one process
_STEP = 200

Progress = Callable[[int, int], None]


class Pool:
    """Postings by field and word; documents come in ascending order."""

    def __init__(self) -> None:
        self.fields: dict[str, dict[bytes, tuple[array[int], array[float], list[bytes]]]] = {}

    def add(self, item: tuple[str, bytes, int, float, bytes]) -> None:
        """Add one posting."""
        field, word, number, weight, value = item
        try:
            lists = self.fields[field][word]
        except KeyError:
            lists = self.fields.setdefault(field, {})[word] = (array("I"), array("f"), [])
        lists[0].append(number)
        lists[1].append(weight)
        lists[2].append(value)

    def iter_postings(self) -> "Pool":
        """Hand itself to the field writer."""
        return self

    def cleanup(self) -> None:
        """Let the postings go."""
        self.fields = {}


class _FieldWriter(whoosh3.W3FieldWriter):  # type: ignore[misc]
    def add_postings(self, schema: Any, lengths: Any, items: Any) -> None:
        if not isinstance(items, Pool):
            super().add_postings(schema, lengths, items)
            return
        count = lengths.doc_count_all()
        for name in sorted(items.fields):
            field = schema[name]
            self.start_field(name, field)
            sizes = [lengths.doc_field_length(number, name) or 0 for number in range(count)]
            words = items.fields[name]
            for word in sorted(words):
                numbers, weights, values = words[word]
                self.start_term(word)
                self._write_list(numbers, weights, values, sizes if field.scorable else None)
                self.finish_term()
            self.finish_field()

    def _write_list(
        self,
        numbers: "array[int]",
        weights: "array[float]",
        values: list[bytes],
        sizes: list[int] | None,
    ) -> None:
        """Fill the posting writer's blocks; its own ``finish_postings`` writes the last."""
        writer = self._postwriter
        for start in range(0, len(numbers), _BLOCK):
            end = start + _BLOCK
            writer._ids = numbers[start:end]
            writer._weights = weights[start:end]
            writer._values = [value for value in values[start:end] if value]
            writer._maxweight = max(writer._weights)
            if sizes is not None:
                inside = [sizes[number] for number in writer._ids]
                writer._minlength, writer._maxlength = min(inside) or None, max(inside)
            if end < len(numbers):
                writer._write_block()


class _Codec(whoosh3.W3Codec):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(blocklimit=_BLOCK, compression=0)

    def field_writer(self, storage: Any, segment: Any) -> _FieldWriter:
        return _FieldWriter(self, storage, segment)

    def new_segment(self, storage: Any, indexname: str) -> Any:
        """Make a segment that names Whoosh's own codec, so that its reader needs nothing of ours."""
        return whoosh3.W3Segment(whoosh3.W3Codec(), indexname)


def _open_writer(index: Any, is_locked: bool = False) -> Any:
    writer = SegmentWriter(index, codec=_Codec(), compound=False, _lk=not is_locked)
    writer.pool = Pool()
    return writer


def write_changes(
    index: Any, gone: Iterable[str], documents: Sequence[Document], progress: Progress | None = None
) -> None:
    """Delete the documents of some keys and add others, in one commit."""
    writer = _open_writer(index)
    try:
        for key in gone:
            writer.delete_by_term("key", key)
        _add(writer, documents, progress, len(documents))
    except BaseException:
        writer.cancel()
        raise
    writer.commit()


def write_all(index: Any, documents: Sequence[Document], progress: Progress | None = None) -> None:
    """Fill an empty index."""
    shared = sum(len(document.body) for document in documents) >= _SMALLEST_SHARED
    is_collecting = gc.isenabled()
    gc.disable()  # what is gathered holds no cycles, and counting it over and over takes a third of the time
    try:
        if shared and _can_fork() and hasattr(index.storage, "folder") and index.storage.folder:
            _write_in_two(index, documents, progress)
        else:
            write_changes(index, (), documents, progress)
    finally:
        if is_collecting:
            gc.enable()


def _add(writer: Any, documents: Sequence[Document], progress: Progress | None, total: int) -> None:
    analyzer = Analyzer()
    for number, document in enumerate(documents, 1):
        writer.add_document(**postings_of(document, analyzer))
        if progress and number % _STEP == 0:
            progress(number * total // len(documents), total)


# -- two processes ---------------------------------------------------------------------------------------------------


def _can_fork() -> bool:
    return (
        hasattr(os, "fork")
        and sys.platform != "darwin"
        and (os.cpu_count() or 1) > 1
        and threading.active_count() == 1
    )


def _write_in_two(index: Any, documents: Sequence[Document], progress: Progress | None) -> None:
    """Write half of the documents here and half in a child; should the child fail, here too."""
    own, others = list(islice(documents, 0, None, 2)), list(islice(documents, 1, None, 2))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _write_as_child(index, others, writing)
    os.close(writing)
    try:
        writer = _open_writer(index)
        try:
            _add(writer, own, progress, len(documents))
            segments = [writer._finalize_segment()]
            with os.fdopen(reading, "rb") as pipe:
                reading = -1
                data = pipe.read()
            second = _read_segment(data)
            if second is not None:
                segments.append(second)
            writer._commit_toc(segments)
        finally:
            writer._finish()
    finally:
        if reading >= 0:
            os.close(reading)
        os.waitpid(child, 0)
    if second is None:
        write_changes(index, (), others, progress)


def _read_segment(data: bytes) -> Any:
    """Read what the child says of its segment; ``None`` where it did not come to an end."""
    try:
        return loads(data)
    except Exception:
        return None


def _write_as_child(index: Any, documents: Sequence[Document], pipe: int) -> None:
    """Write a segment, tell the parent its description, and end at once: nothing of the parent's is cleaned up here."""
    status = 1
    try:
        writer = _open_writer(index, is_locked=True)
        _add(writer, documents, None, len(documents))
        segment = writer._finalize_segment()
        with os.fdopen(pipe, "wb") as file:
            file.write(pickle.dumps(segment, 2))
        status = 0
    finally:
        os._exit(status)


def create_index(storage: Any, schema: Any) -> Any:
    """Make an empty index."""
    return whoosh_index.FileIndex.create(storage, schema)
