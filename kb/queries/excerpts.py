"""The stretch of a text that shows best why it was found, with what was looked for in it. Pure."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kb.index.question import Unit
from kb.index.words import Analyzer, Word

_WIDTH = 220
_LEAD = 60
_MOST_MATCHES = 2000
_FAR = (
    100_000  #: characters after which a part of what was asked for is shown rather than looking on
)
_BLANKS = re.compile(r"\s+")


class Excerpt(NamedTuple):
    """A stretch of text on one line, and the ranges of it that were looked for."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()


class _Match(NamedTuple):
    start: int
    end: int
    unit: int


def cut_excerpt(text: str, units: Sequence[Unit], analyzer: Analyzer) -> Excerpt:
    """Cut the stretch that holds most of the units, the first of such; the text's beginning where it holds none."""
    matches, start = _find_best(text, units, analyzer)
    if start > _LEAD:
        start = _word_start(text, start - _LEAD)
    else:
        start = 0
    end = min(len(text), start + _WIDTH)
    if end < len(text):
        end = max((text.rfind(" ", start, end), text.rfind("\n", start, end), start + _WIDTH // 2))
    shown = [match for match in matches if start <= match.start and match.end <= end]
    return _cut(text, start, end, shown)


def holds_any(text: str, units: Sequence[Unit], analyzer: Analyzer) -> bool:
    """Say whether a text holds one of the units."""
    return next(_find_matches(text, units, analyzer), None) is not None


def _find_matches(text: str, units: Sequence[Unit], analyzer: Analyzer) -> Iterator[_Match]:
    """Find the units in a text; stops when there are plenty."""
    stems = {unit.stem: number for number, unit in enumerate(units) if unit.stem}
    phrases = [(number, unit) for number, unit in enumerate(units) if unit.words]
    longest = max((len(unit.words) for _, unit in phrases), default=1)
    recent: deque[tuple[Word, int]] = deque(maxlen=longest)
    count = 0
    for at, run in analyzer.runs(text):
        for word in run.words:
            if word.stem in stems:
                yield _Match(at + word.start, at + word.end, stems[word.stem])
                count += 1
            if word.is_whole:
                continue
            if phrases:
                recent.append((word, at))
                for number, unit in phrases:
                    if begun := _ends_phrase(recent, unit):
                        yield _Match(begun[1] + begun[0].start, at + word.end, number)
                        count += 1
        if count >= _MOST_MATCHES:
            return


def _ends_phrase(recent: deque[tuple[Word, int]], unit: Unit) -> tuple[Word, int] | None:
    """Say where the words of a phrase begin, if the last words read are they."""
    count = len(unit.words)
    last = recent[-1][0].text
    fits = last.startswith(unit.words[-1]) if unit.is_open else last == unit.words[-1]
    if not fits or len(recent) < count:
        return None
    first = len(recent) - count
    if any(recent[first + at][0].text != unit.words[at] for at in range(count - 1)):
        return None
    return recent[first]


def _find_best(text: str, units: Sequence[Unit], analyzer: Analyzer) -> tuple[list[_Match], int]:
    """Find where most of the units stand together, and the matches there; reads no further than it must."""
    window: deque[_Match] = deque()
    best: list[_Match] = []
    start, most = 0, 0
    for match in _find_matches(text, units, analyzer):
        is_beyond = match.start >= start + _WIDTH
        if is_beyond and (most == len(units) or (most and match.start > _FAR)):
            break
        window.append(match)
        while match.end - window[0].start > _WIDTH - _LEAD and len(window) > 1:
            window.popleft()
        count = len({one.unit for one in window})
        if count > most:
            best, start, most = list(window), min(one.start for one in window), count
        elif match.start < start + _WIDTH:
            best.append(match)
    return sorted(best, key=lambda one: (one.start, -one.end)), start


def _word_start(text: str, near: int) -> int:
    """Find the first word that begins after an offset, unless there is none nearby."""
    blank = _BLANKS.search(text, near, near + _LEAD // 2)
    return blank.end() if blank else near


def _cut(text: str, start: int, end: int, matches: Iterable[_Match]) -> Excerpt:
    """Put a stretch on one line; overlapping matches become one range."""
    shown = "…" if text[:start].strip() else ""
    ranges: list[tuple[int, int]] = []
    at = start
    for match in matches:
        if match.end <= at:
            continue
        if match.start > at or not ranges:
            shown = _joined(shown, text[at : match.start])
            begun = len(shown)
        else:
            begun = ranges.pop()[0]
        shown = _joined(shown, text[max(at, match.start) : match.end])
        ranges.append((begun, len(shown)))
        at = match.end
    shown = _joined(shown, text[at:end]).rstrip()
    if text[end:].strip():
        shown += "…"
    return Excerpt(shown, tuple(ranges))


def _joined(before: str, piece: str) -> str:
    piece = _BLANKS.sub(" ", piece)
    if not before or before.endswith((" ", "…")):
        piece = piece.lstrip() if piece.startswith(" ") else piece
    return before + piece
