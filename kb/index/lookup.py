"""A question → the documents that answer it, with their scores (BM25F). Reads an open index and nothing else."""

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from kb.index.question import Question, Unit
from kb.index.safe_pickle import guard_whoosh
from kb.index.schema import BODY, EXACT, KEY, NAME

guard_whoosh()

from whoosh import query, scoring  # noqa: E402  (guarded first)
from whoosh.matching import ListMatcher, NullMatcher  # noqa: E402
from whoosh.searching import Searcher  # noqa: E402

#: A name says more than a mention.
_NAME_WEIGHT = 2.5
#: A beginning stands for at most so many words.
MOST_ENDINGS = 1024
_SATURATION = 1.2


class Lookup:
    """Questions to one open reader."""

    def __init__(self, reader: Any, index: Any) -> None:
        self._searcher = Searcher(reader, fromindex=index, weighting=scoring.BM25F())
        self.is_cut = False

    def close(self) -> None:
        """Let its files go."""
        self._searcher.close()

    def find(self, question: Question) -> dict[str, float]:
        """Find what holds every clause and nothing unwanted."""
        found = self._run(query.And([self._clause(clause) for clause in question.clauses]))
        if not question.unwanted:
            return found
        # Whoosh's AndNot lets some through where one side is a list of our own: we take them away ourselves.
        unwanted = self._run(self._clause(question.unwanted))
        return {key: score for key, score in found.items() if key not in unwanted}

    def find_unit(self, unit: Unit) -> dict[str, float]:
        """Find what holds one unit."""
        return self._run(self._unit(unit))

    def _run(self, asked: Any) -> dict[str, float]:
        results = self._searcher.search(asked, limit=None)
        stored = self._searcher.stored_fields
        return {stored(number)[KEY]: float(score) for score, number in results.top_n}

    def _clause(self, units: Iterable[Unit]) -> Any:
        queries = [self._unit(unit) for unit in units]
        return queries[0] if len(queries) == 1 else query.Or(queries)

    def _unit(self, unit: Unit) -> Any:
        if unit.stem:
            in_name = query.Term(NAME, unit.stem, boost=_NAME_WEIGHT)
            return in_name if unit.in_name else query.Or([in_name, query.Term(BODY, unit.stem)])
        slots: list[tuple[str, ...]] = [(word,) for word in unit.words]
        if unit.is_open:
            endings = self._searcher.reader().expand_prefix(EXACT, unit.words[-1])
            taken = tuple(_text(word) for word in islice(endings, MOST_ENDINGS + 1))
            self.is_cut = self.is_cut or len(taken) > MOST_ENDINGS
            slots[-1] = taken[:MOST_ENDINGS]
        return Consecutive(tuple(slots), unit.whole)


def _text(word: bytes | str) -> str:
    return word.decode() if isinstance(word, bytes) else word


class Consecutive(query.Query):  # type: ignore[misc]
    """Words one after another; each may be any of several. Scored as a word as rare as its rarest."""

    def __init__(self, slots: tuple[tuple[str, ...], ...], whole: str = "") -> None:
        self.slots, self.whole = slots, whole
        self.boost = 1.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Consecutive) and self.slots == other.slots

    def __hash__(self) -> int:
        return hash(self.slots)

    def is_leaf(self) -> bool:
        """It has no queries below it."""
        return True

    def normalize(self) -> "Consecutive":
        """It is normal."""
        return self

    def estimate_size(self, reader: Any) -> int:
        """Guess how many documents match: at most those of the rarest slot."""
        return min(
            (sum(int(reader.doc_frequency(EXACT, word)) for word in slot) for slot in self.slots),
            default=0,
        )

    def estimate_min_size(self, reader: Any) -> int:
        """As few as none."""
        return 0

    def matcher(self, searcher: Any, context: Any = None) -> Any:
        """List the documents of one segment."""
        found = self._occurrences(searcher)
        if not found:
            return NullMatcher()
        weight = self._rarity(searcher)
        numbers = sorted(found)
        scores = [
            weight * found[number] * (_SATURATION + 1) / (found[number] + _SATURATION)
            for number in numbers
        ]
        return ListMatcher(numbers, scores)

    def _rarity(self, searcher: Any) -> float:
        top = searcher.get_parent()
        count = top.doc_count_all()
        rarest = min(sum(top.doc_frequency(EXACT, word) for word in slot) for slot in self.slots)
        return math.log(count / (min(rarest, count) + 1)) + 1

    def _occurrences(self, searcher: Any) -> dict[int, int]:
        """Count by document how often the words stand one after another."""
        reader = searcher.reader()
        starts: dict[int, set[int]] | None = None
        order = sorted(
            range(len(self.slots)), key=lambda at: self._frequency(reader, self.slots[at])
        )
        for at in order:
            here = {
                number: {place - at for place in places}
                for number, places in _iter_places(searcher, self.slots[at], starts)
            }
            if starts is None:
                starts = here
            else:
                starts = {
                    number: both
                    for number, places in here.items()
                    if (both := places & starts[number])
                }
            if not starts:
                return {}
        return {number: len(places) for number, places in (starts or {}).items()}

    @staticmethod
    def _frequency(reader: Any, slot: tuple[str, ...]) -> int:
        return sum(int(reader.doc_frequency(EXACT, word)) for word in slot)


def _iter_places(
    searcher: Any, words: tuple[str, ...], only: dict[int, set[int]] | None
) -> Iterator[tuple[int, set[int]]]:
    """Yield the documents that hold one of some words, with the positions; of those in ``only``, if given."""
    reader = searcher.reader()
    merged: dict[int, set[int]] = {}
    wanted = sorted(only) if only is not None else None
    for word in words:
        if (EXACT, word.encode()) not in reader:
            continue
        matcher = reader.postings(EXACT, word)
        if wanted is None:
            while matcher.is_active():
                merged.setdefault(matcher.id(), set()).update(matcher.value_as("positions"))
                matcher.next()
            continue
        for number in wanted:
            if not matcher.is_active():
                break
            matcher.skip_to(number)
            if matcher.is_active() and matcher.id() == number:
                merged.setdefault(number, set()).update(matcher.value_as("positions"))
    yield from merged.items()
