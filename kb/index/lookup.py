"""A question → the documents that answer it, with their scores (BM25F). Reads an open index and nothing else.

Scores are those of the documents that are there: what was replaced counts nowhere, so that an index brought up to date
and one made anew say the same, to the last digit.
"""

import math
from collections.abc import Iterator, Sequence
from heapq import merge

from kb.index.leaves import Leaf
from kb.index.postings import BODY, EXACT, NAME, unpack_positions
from kb.index.question import Question, Unit

#: A name says more than a mention.
_NAME_WEIGHT = 2.5
#: A beginning stands for at most so many words.
MOST_ENDINGS = 1024
_SATURATION, _LENGTH_SHARE = 1.2, 0.75

#: For each leaf, the scores of its documents by their numbers.
Found = list[dict[int, float]]
#: For each leaf, the numbers of documents to look at, ascending; ``None`` for all.
Only = list[list[int]] | None


class Lookup:
    """Questions to some leaves."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self._leaves = leaves
        self.is_cut = False
        self.count = sum(leaf.count - len(leaf.gone) for leaf in leaves)
        self._averages: dict[str, float] = {}
        self._units: dict[Unit, Found] = {}
        self._holding: dict[tuple[str, str], int] = {}

    def close(self) -> None:
        """Let its files go."""
        self._leaves = ()

    def find(self, question: Question) -> dict[str, float]:
        """Find what holds every clause and nothing unwanted."""
        sizes = [sum(map(self._estimate, clause)) for clause in question.clauses]
        by_clause: dict[int, Found] = {}
        only: Only = None
        for at in sorted(range(len(sizes)), key=sizes.__getitem__):  # the rarest first
            found = by_clause[at] = self._any(question.clauses[at], only)
            only = [sorted(scores) for scores in found]
            if not any(only):
                return {}
        assert only is not None
        if question.unwanted:
            unwanted = self._any(question.unwanted, only)
            only = [
                [number for number in numbers if number not in scores]
                for numbers, scores in zip(only, unwanted, strict=True)
            ]
        return {
            leaf.key(number): sum(by_clause[at][index][number] for at in range(len(sizes)))
            for index, leaf in enumerate(self._leaves)
            for number in only[index]
        }

    def find_unit(self, unit: Unit) -> dict[str, float]:
        """Find what holds one unit."""
        if unit not in self._units:
            self._units[unit] = self._unit(unit, None)
        return {
            leaf.key(number): score
            for leaf, scores in zip(self._leaves, self._units[unit], strict=True)
            for number, score in scores.items()
        }

    def score_of(self, unit: Unit, keys: Sequence[str]) -> dict[str, float]:
        """Give what one unit adds to the scores of some documents."""
        only = [
            sorted(number for key in keys if (number := leaf.find(key)) >= 0)
            for leaf in self._leaves
        ]
        found = self._unit(unit, only)
        return {
            leaf.key(number): score
            for leaf, scores in zip(self._leaves, found, strict=True)
            for number, score in scores.items()
        }

    # -- clauses and units -----------------------------------------------------------------------------------------

    def _any(self, units: Sequence[Unit], only: Only) -> Found:
        found: Found = [{} for _ in self._leaves]
        for unit in units:
            for scores, more in zip(found, self._unit(unit, only), strict=True):
                for number, score in more.items():
                    scores[number] = scores.get(number, 0.0) + score
        return found

    def _unit(self, unit: Unit, only: Only) -> Found:
        if not unit.stem:
            return self._consecutive(self._slots(unit), only)
        found = self._stem(NAME, unit.stem, _NAME_WEIGHT, only)
        if not unit.in_name:
            for scores, more in zip(found, self._stem(BODY, unit.stem, 1.0, only), strict=True):
                for number, score in more.items():
                    scores[number] = scores.get(number, 0.0) + score
        return found

    def _estimate(self, unit: Unit) -> int:
        """Guess how many documents hold a unit; a beginning is looked up last."""
        if unit.stem:
            fields = (NAME,) if unit.in_name else (NAME, BODY)
            return sum(
                leaf.count_holding(field, unit.stem) for leaf in self._leaves for field in fields
            )
        words = unit.words[:-1] if unit.is_open else unit.words
        counts = [sum(leaf.count_holding(EXACT, word) for leaf in self._leaves) for word in words]
        return min(counts, default=self.count)

    # -- words by their stems --------------------------------------------------------------------------------------

    def _stem(self, field: str, stem: str, boost: float, only: Only) -> Found:
        holding = self._count_holding(field, stem)
        if not holding:
            return [{} for _ in self._leaves]
        rarity = math.log(self.count / (holding + 1)) + 1
        average = self._average_length(field)
        return [
            _score(
                leaf,
                field,
                stem,
                rarity * boost,
                average,
                only[index] if only is not None else None,
            )
            for index, leaf in enumerate(self._leaves)
        ]

    def _count_holding(self, field: str, word: str) -> int:
        """Count the documents that hold a word."""
        if (field, word) not in self._holding:
            self._holding[field, word] = sum(
                leaf.count_holding(field, word)
                - (_count_among(leaf, field, word, sorted(leaf.gone)) if leaf.gone else 0)
                for leaf in self._leaves
            )
        return self._holding[field, word]

    def _average_length(self, field: str) -> float:
        if field not in self._averages:
            total = sum(
                leaf.total(field) - sum(map(leaf.lengths(field).__getitem__, leaf.gone))
                for leaf in self._leaves
            )
            self._averages[field] = total / (self.count or 1) or 1
        return self._averages[field]

    # -- words one after another -----------------------------------------------------------------------------------

    def _slots(self, unit: Unit) -> tuple[tuple[str, ...], ...]:
        """Give the words that may stand at each place."""
        slots: list[tuple[str, ...]] = [(word,) for word in unit.words]
        if unit.is_open:
            taken: list[str] = []
            last = ""
            for word in merge(
                *(leaf.iter_words(EXACT, unit.words[-1]) for leaf in self._leaves),
                key=lambda word: word.encode("utf-8", "surrogatepass"),
            ):
                if word == last or not self._count_holding(EXACT, word):
                    continue
                last = word
                if len(taken) == MOST_ENDINGS:
                    self.is_cut = True
                    break
                taken.append(word)
            slots[-1] = tuple(taken)
        return tuple(slots)

    def _consecutive(self, slots: tuple[tuple[str, ...], ...], only: Only) -> Found:
        """Find words one after another; each may be any of several. Scored as a word as rare as its rarest."""
        counts = [sum(self._count_holding(EXACT, word) for word in slot) for slot in slots]
        rarest = min(counts)
        if not rarest:
            return [{} for _ in self._leaves]
        rarity = math.log(self.count / (min(rarest, self.count) + 1)) + 1
        order = sorted(range(len(slots)), key=counts.__getitem__)
        return [
            {
                number: rarity * times * (_SATURATION + 1) / (times + _SATURATION)
                for number, times in _occurrences(
                    leaf, slots, order, only[index] if only is not None else None
                ).items()
            }
            for index, leaf in enumerate(self._leaves)
        ]


def _score(
    leaf: Leaf, field: str, stem: str, rarity: float, average: float, only: list[int] | None
) -> dict[int, float]:
    """Score the documents that hold a stem (BM25)."""
    lengths, gone = leaf.lengths(field), leaf.gone
    wanted = None if only is None else frozenset(only)
    fixed = _SATURATION * (1 - _LENGTH_SHARE)
    by_length = _SATURATION * _LENGTH_SHARE / average
    scores = {}
    for numbers, weights, _ in leaf.iter_blocks(field, stem, only):
        for number, weight in zip(numbers, weights, strict=True):
            if number in gone or (wanted is not None and number not in wanted):
                continue
            scores[number] = (
                rarity * weight * (_SATURATION + 1) / (weight + fixed + by_length * lengths[number])
            )
    return scores


def _count_among(leaf: Leaf, field: str, word: str, numbers: list[int]) -> int:
    """Count those of some documents that hold a word."""
    wanted = frozenset(numbers)
    return sum(
        number in wanted
        for block in leaf.iter_blocks(field, word, numbers)
        for number in block.numbers
    )


def _occurrences(
    leaf: Leaf, slots: tuple[tuple[str, ...], ...], order: Sequence[int], only: list[int] | None
) -> dict[int, int]:
    """Count by document how often the words stand one after another."""
    starts: dict[int, set[int]] | None = None
    for at in order:
        among = only if starts is None else sorted(starts)
        here = {
            number: {place - at for place in places}
            for number, places in _iter_places(leaf, slots[at], among)
        }
        if starts is None:
            starts = here
        else:
            starts = {
                number: both for number, places in here.items() if (both := places & starts[number])
            }
        if not starts:
            return {}
    return {number: len(places) for number, places in (starts or {}).items()}


def _iter_places(
    leaf: Leaf, words: tuple[str, ...], only: list[int] | None
) -> Iterator[tuple[int, set[int]]]:
    """Yield the documents that hold one of some words, with the positions; of those in ``only``, if given."""
    merged: dict[int, set[int]] = {}
    wanted = None if only is None else frozenset(only)
    for word in words:
        for numbers, _, values in leaf.iter_blocks(EXACT, word, only):
            for number, value in zip(numbers, values, strict=True):
                if number not in leaf.gone and (wanted is None or number in wanted):
                    merged.setdefault(number, set()).update(unpack_positions(value))
    yield from merged.items()
