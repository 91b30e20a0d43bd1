"""Documents → segments of an index: ordinary Whoosh files, written faster than Whoosh does by itself.

Postings are gathered by word instead of being sorted as millions of tuples, and whole lists are written at once. A
large build is shared by two processes, a segment each. What is written is read by Whoosh's own codec.
"""

import os
import pickle
import sys
import threading
from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import sub
from struct import Struct
from typing import Any

from kb.index.documents import Document
from kb.index.leaves import FIELDS, HASHING, hash_word
from kb.index.manifest import DOCUMENTS, Segment
from kb.index.postings import (
    EXACT,
    KEY,
    SCORED,
    Gathering,
    Progress,
    gather,
    without_collection,
)
from kb.index.safe_pickle import guard_whoosh, loads
from kb.index.schema import make_schema
from kb.store.sections import pack_sections

guard_whoosh()

from whoosh import index as whoosh_index  # noqa: E402  (guarded first)
from whoosh.codec import whoosh3  # noqa: E402
from whoosh.filedb import filetables  # noqa: E402
from whoosh.filedb.filestore import FileStorage  # noqa: E402
from whoosh.util.numlists import GrowableArray  # noqa: E402
from whoosh.writing import SegmentWriter  # noqa: E402

#: Postings in a block: what is read at once.
_BLOCK = 256
_SMALLEST_SHARED = 3000  #: documents; fewer are written sooner by one process
_MARK = whoosh3.WHOOSH3_HEADER_MAGIC
_TERM, _LENGTHS, _INT = Struct("!BfIBBfIIqi"), Struct("!ii"), Struct("!i")
_COUNT = Struct("!I")
_ONE = _COUNT.pack(1)


class _Terms(filetables.OrderedHashWriter):  # type: ignore[misc]
    """Whoosh's table of words, written in large pieces. Keys must come in ascending order."""

    def __init__(self, file: Any) -> None:
        filetables.HashWriter.__init__(self, file, hashtype=HASHING)
        self.index = GrowableArray("q")
        self._at = file.tell()
        self._waiting: list[bytes] = []

    def add(self, key: bytes, value: bytes) -> None:
        at = self._at
        hashed = hash_word(key)
        self.buckets[hashed & 255].append((hashed, at))
        self.index.array.append(at)
        entry = _LENGTHS.pack(len(key), len(value)) + key + value
        self._waiting.append(entry)
        self._at = at + len(entry)
        if len(self._waiting) > 10_000:
            self._write_waiting()

    def _write_waiting(self) -> None:
        self.dbfile.write(b"".join(self._waiting))
        self._waiting.clear()

    def close(self) -> Any:
        self._write_waiting()
        return super().close()

    def _write_hashes(self) -> None:
        at = self._at
        for entries in self.buckets:
            slots = 2 * len(entries)
            self.directory.append((at, slots))
            table = [0] * (2 * slots)
            for hashed, place in entries:
                slot = (hashed >> 8) % slots
                while table[2 * slot + 1]:
                    slot = (slot + 1) % slots
                table[2 * slot : 2 * slot + 2] = hashed, place
            self.dbfile.write(Struct("!" + "Iq" * slots).pack(*table))
            at += 12 * slots


class _FieldWriter(whoosh3.W3FieldWriter):  # type: ignore[misc]
    """Writes whole lists of postings that were gathered."""

    def __init__(self, codec: Any, storage: Any, segment: Any) -> None:
        super().__init__(codec, storage, segment)
        # Its own table has written the first bytes of the file already.
        file, fieldmap = self._tindex.dbfile, self._tindex.extras["fieldmap"]
        file.seek(0)
        self._tindex: Any = _Terms(file)
        self._tindex.extras["fieldmap"] = fieldmap

    def add_postings(self, schema: Any, lengths: Any, gathering: Any) -> None:
        for field in FIELDS:
            self.start_field(field, schema[field])
            if field == KEY:
                self._write_keys(gathering)
            else:
                self._write_field(gathering, field)
            self.finish_field()

    def _write_keys(self, gathering: Gathering) -> None:
        prefix = self._fieldid.to_bytes(2, "big")
        at = self._postfile.tell()
        for number, key in enumerate(gathering.keys):
            entry, data = _pack_lone(number, 1.0, None, at)
            self._tindex.add(prefix + key.encode("utf-8", "surrogatepass"), entry)
            self._postfile.write(data)
            at += len(data)

    def _write_field(self, gathering: Gathering, field: str) -> None:
        prefix, add = self._fieldid.to_bytes(2, "big"), self._tindex.add
        write, at = self._postfile.write, self._postfile.tell()
        words = sorted(
            (word.encode("utf-8", "surrogatepass"), word) for word in gathering.words(field)
        )
        is_exact = field == EXACT
        waiting: list[bytes] = []
        for name, word in words:
            numbers, counts = gathering.count_in(field, word)
            positions = gathering.positions_in(word, counts) if is_exact else None
            if len(numbers) == 1:
                count = counts[0]
                value = (positions[0],) if positions else _COUNT.pack(count)
                entry, data = _pack_lone(numbers[0], float(count), value, at)
            else:
                entry, data = _pack_list(numbers, counts, positions, at)
            add(prefix + name, entry)
            waiting.append(data)
            at += len(data)
            if len(waiting) > 4000:
                write(b"".join(waiting))
                waiting.clear()
        write(b"".join(waiting))


# Whoosh's own lookups use the shortest and the longest of a block's documents to pass over blocks. Ours do not; any length
# keeps theirs right.


def _pack_lone(number: int, weight: float, value: Any, at: int) -> tuple[bytes, bytes]:
    """Pack the only posting of a word: its entry in the table of words, and its list."""
    data = pickle.dumps(((number,), None if weight == 1.0 else weight, value), 4)
    head = pickle.dumps((1, number, weight, 0, 0, 255), 4)
    packed = b"".join((_MARK, _INT.pack(-len(head) - len(data)), head, data))
    entry = _TERM.pack(0, weight, 1, 0, 255, weight, number, number, at, len(packed))
    return entry, packed


def _pack_list(
    numbers: list[int], counts: list[int], positions: list[bytes] | None, at: int
) -> tuple[bytes, bytes]:
    """Pack a word's postings in blocks: its entry in the table of words, and its list."""
    total = len(numbers)
    pieces = [_MARK]
    for start in range(0, total, _BLOCK):
        end = min(start + _BLOCK, total)
        some, times = numbers[start:end], counts[start:end]
        most = max(times)
        weights: Any = (
            tuple(map(float, times)) if most != min(times) else None if most == 1 else float(most)
        )
        values: Any
        if positions is not None:
            values = tuple(positions[start:end])
        elif weights is None:
            values = _ONE * len(some)
        else:
            values = Struct(f"!{len(times)}I").pack(*times)
        data = pickle.dumps(((some[0], *map(sub, some[1:], some)), weights, values), 4)
        head = pickle.dumps((len(some), some[-1], float(most), 0, 0, 255), 4)
        size = len(head) + len(data)
        pieces += (_INT.pack(-size if end == total else size), head, data)
    whole = b"".join(pieces)
    entry = _TERM.pack(
        0, sum(counts), total, 0, 255, max(counts), numbers[0], numbers[-1], at, len(whole)
    )
    return entry, whole


class _Codec(whoosh3.W3Codec):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(blocklimit=_BLOCK, compression=0)

    def field_writer(self, storage: Any, segment: Any) -> _FieldWriter:
        return _FieldWriter(self, storage, segment)

    def new_segment(self, storage: Any, indexname: str) -> Any:
        """Make a segment that names Whoosh's own codec, so that its reader needs nothing of ours."""
        return whoosh3.W3Segment(whoosh3.W3Codec(), indexname)


class _Pool:
    """Hands what was gathered to the field writer."""

    def __init__(self, gathering: Gathering) -> None:
        self._gathering = gathering

    def iter_postings(self) -> Gathering:
        return self._gathering

    def cleanup(self) -> None:
        pass


# -- writing ---------------------------------------------------------------------------------------------------------


def _write_segment(writer: Any, gathering: Gathering) -> None:
    """Fill the writer's segment."""
    writer.pool = _Pool(gathering)
    documents, schema, lengths = writer.perdocwriter, writer.schema, gathering.lengths
    fields = [(field, schema[field], lengths[field]) for field in SCORED]
    key_field = schema[KEY]
    for number, key in enumerate(gathering.keys):
        documents.start_doc(number)
        documents.add_field(KEY, key_field, key, 0)
        for name, field, counts in fields:
            documents.add_field(name, field, None, counts[number])
        documents.finish_doc()
    writer.docnum = len(gathering)
    writer._added = True


def _write_documents(folder: str, segment: Any, gathering: Gathering) -> None:
    """Write what Whoosh does not tell quickly beside a segment's files."""
    keys = [(key + "\n").encode("utf-8", "surrogatepass") for key in gathering.keys]
    sections: dict[str, Any] = {
        "key.text": b"".join(keys),
        "key.at": array("q", accumulate(map(len, keys), initial=0)),
        "digest": b"".join(gathering.digests),
        "totals": array("q", (sum(gathering.lengths[field]) for field in SCORED)),
        "words": array("q", (sum(len(gathering.words(field)) for field in SCORED) + len(keys),)),
        **{f"length.{field}": gathering.lengths[field] for field in SCORED},
    }
    with open(os.path.join(folder, segment.segment_id() + DOCUMENTS), "wb") as file:
        for piece in pack_sections(sections):
            file.write(piece)


def write_changes(
    folder: str,
    gone: Mapping[str, Sequence[int]],
    absorbed: frozenset[str],
    documents: Sequence[Document],
    progress: Progress | None = None,
) -> tuple[Segment, ...]:
    """Add documents to an index, in one commit; give its segments then.

    ``gone`` names, by segment, documents that are no more there; ``absorbed`` segments of which nothing is left.
    """
    index = whoosh_index.FileIndex(FileStorage(folder), schema=make_schema())
    writer = SegmentWriter(index, codec=_Codec(), compound=False)
    try:
        kept = [one for one in writer.segments if one.segment_id() not in absorbed]
        for segment in kept:
            for number in gone.get(segment.segment_id(), ()):
                if not segment.is_deleted(number):
                    segment.delete_document(number)
        if documents:
            gathering = gather(documents, progress, len(documents))
            _write_segment(writer, gathering)
            _write_documents(folder, writer.newsegment, gathering)
    except BaseException:
        writer.cancel()
        raise
    if documents:
        kept_and_new = [*kept, writer.newsegment]
    else:
        kept_and_new = kept
    writer.commit(mergetype=lambda *_: kept)
    return tuple(map(_described, kept_and_new))


def _described(segment: Any) -> Segment:
    return Segment(segment.segment_id(), tuple(sorted(segment.deleted_docs())))


def write_all(
    folder: str, documents: Sequence[Document], progress: Progress | None = None
) -> tuple[Segment, ...]:
    """Make an index in an empty folder; give its segments."""
    index = whoosh_index.FileIndex.create(FileStorage(folder), make_schema(), "MAIN")
    with without_collection():
        if len(documents) >= _SMALLEST_SHARED and _can_fork():
            return _write_in_two(folder, index, documents, progress)
        return write_changes(folder, {}, frozenset(), documents, progress)


# -- two processes ---------------------------------------------------------------------------------------------------


def _can_fork() -> bool:
    return (
        hasattr(os, "fork")
        and sys.platform != "darwin"
        and (os.cpu_count() or 1) > 1
        and threading.active_count() == 1
    )


def _write_in_two(
    folder: str, index: Any, documents: Sequence[Document], progress: Progress | None
) -> tuple[Segment, ...]:
    """Write half of the documents here and half in a child; should the child fail, here too."""
    own, others = documents[::2], documents[1::2]
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _write_as_child(folder, index, others, writing)
    os.close(writing)
    try:
        writer = SegmentWriter(index, codec=_Codec(), compound=False)
        try:
            gathering = gather(own, progress, len(documents))
            _write_segment(writer, gathering)
            _write_documents(folder, writer.newsegment, gathering)
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
        return write_changes(folder, {}, frozenset(), others, progress)
    return tuple(map(_described, segments))


def _read_segment(data: bytes) -> Any:
    """Read what the child says of its segment; ``None`` where it did not come to an end."""
    try:
        return loads(data)
    except Exception:
        return None


def _write_as_child(folder: str, index: Any, documents: Sequence[Document], pipe: int) -> None:
    """Write a segment, tell the parent its description, and end at once: nothing of the parent's is cleaned up here."""
    status = 1
    try:
        writer = SegmentWriter(index, _lk=False, codec=_Codec(), compound=False)
        gathering = gather(documents)
        _write_segment(writer, gathering)
        _write_documents(folder, writer.newsegment, gathering)
        segment = writer._finalize_segment()
        with os.fdopen(pipe, "wb") as file:
            file.write(pickle.dumps(segment, 2))
        status = 0
    finally:
        os._exit(status)
