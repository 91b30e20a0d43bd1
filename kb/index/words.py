"""Text → words: the one analyzer, for documents, questions and excerpts alike. Knows nothing of an index.

- Letters are compared without case, accents and vowel points; ``ß`` is ``ss``, ``ł`` is ``l``, ``’`` is ``'``.
- What is joined by ``- . _ / : @ '`` or changes between letters and digits is read whole and in its parts:
  ``db-primary.atlas.local``, ``server-09``, ``C-1042``. Camel case stays whole.
- Scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are read as pairs of neighbouring characters,
  and so is Korean, whose particles are glued to its words. A run's last character stands alone too.
- English words are also read by their stem (Porter), which is how a plain word of a question is compared.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from whoosh.lang.porter import stem as _porter

#: Letters of scripts that put no spaces between words, and Korean.
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3105-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc"
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
#: Accents and vowel points: not compared.
_POINTS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
#: Unseen inside words: soft hyphen, joiners, variation selectors.
_UNSEEN = "\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f"
#: Marks that are letters' parts in Indic scripts, which ``\w`` leaves out.
_SIGNS = "\u0900-\u0963\u0966-\u0dff\u0f71-\u0f87"
_APOSTROPHES = "'\u2019\u2018\u02bc\uff07"
_JOINTS = rf"[-._/:@\u2010\u2011{_APOSTROPHES}]"

_LETTER = rf"(?:[^\W{_SPACELESS}]|[{_POINTS}{_UNSEEN}{_SIGNS}])"
_RUN = re.compile(
    rf"[{_SPACELESS}][{_SPACELESS}{_POINTS}{_UNSEEN}]*|{_LETTER}+(?:{_JOINTS}{_LETTER}+)*"
)
_ASCII_RUN = re.compile(r"\w+(?:[-._/:@']\w+)*", re.ASCII)
_PLAIN_RUN = re.compile(rf"\w+(?:{_JOINTS}\w+)*")
_NOT_PLAIN = re.compile(f"[{_SPACELESS}{_POINTS}{_UNSEEN}{_SIGNS}]")
_SPACELESS_START = re.compile(f"[{_SPACELESS}]")
_PART = re.compile(rf"(?:[^\W\d_]|[{_SIGNS}])+|\d+")
_PIECE = re.compile(rf"(?:[^\W_]|[{_SIGNS}])+")
_DROPPED = re.compile(f"[{_POINTS}{_UNSEEN}]")
_LETTERS = str.maketrans(
    {
        "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h",
        "ŧ": "t", "ĸ": "k", "ŋ": "n", "ѐ": "е", "ё": "е", "й": "и", "\u2010": "-", "\u2011": "-",
        "\u2019": "'", "\u2018": "'", "\u02bc": "'",
    }
)  # fmt: skip
#: A run that would fall into more pieces is a digest or a token, and stays whole between its joints.
_MOST_BORDERS = 4
#: Longer words are compared by their beginning.
_LONGEST = 100
_SHORTEST_STEMMED = 3


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is compared, and its place in the run that it was read from."""

    text: str
    stem: str
    position: int  #: counted in words; a run read whole stands where its first part does
    start: int  #: characters from the run's start
    end: int
    is_whole: bool = False  #: a run that also stands in parts


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text without a gap: a word, an identifier, or neighbouring characters of a script without spaces."""

    words: tuple[Word, ...]
    length: int  #: in positions
    is_spaceless: bool = False

    @property
    def parts(self) -> tuple[Word, ...]:
        """The words one after another, without the run read whole."""
        return tuple(word for word in self.words if not word.is_whole)

    @property
    def whole(self) -> str | None:
        """The run read whole, where it has parts."""
        return next((word.text for word in self.words if word.is_whole), None)


@dataclass
class Analyzer:
    """Reads text; remembers the runs that it has met, since few make up most of any text."""

    _runs: dict[str, Run] = field(default_factory=dict, repr=False)
    _stems: dict[str, str] = field(default_factory=dict, repr=False)

    _MOST_REMEMBERED = 200_000

    def runs(self, text: str) -> Iterator[tuple[int, Run]]:
        """Yield each run with the offset of its first character."""
        for match in _pattern_for(text).finditer(text):
            yield match.start(), self.read(match.group())

    def places(self, text: str, at: int, places: dict[str, list[int]]) -> int:
        """Add the positions of a text's words, counted from ``at``; give the position after its last."""
        found: dict[str, list[int]] = {}
        lengths: dict[str, int] = {}
        for written in _pattern_for(text).findall(text):
            if written in found:
                found[written].append(at)
                at += lengths[written]
            else:
                found[written] = [at]
                length = lengths[written] = self.read(written).length
                at += length
        for written, starts in found.items():
            for word in self.read(written).words:
                shift = word.position
                shifted = [start + shift for start in starts] if shift else starts
                if word.text in places:
                    places[word.text] += shifted
                else:
                    places[word.text] = shifted if shift else starts[:]
        return at

    def read(self, written: str) -> Run:
        """Read one run."""
        run = self._runs.get(written)
        if run is None:
            if len(self._runs) >= self._MOST_REMEMBERED:
                self._runs.clear()
            is_spaceless = not written.isascii() and _SPACELESS_START.match(written) is not None
            run = _spaceless(written) if is_spaceless else self._read(written)
            self._runs[written] = run
        return run

    def stem(self, word: str) -> str:
        """Give an English word's stem; any other word is its own."""
        found = self._stems.get(word)
        if found is None:
            if len(self._stems) >= self._MOST_REMEMBERED:
                self._stems.clear()
            is_english = word.isascii() and word.isalpha() and len(word) >= _SHORTEST_STEMMED
            found = self._stems[word] = str(_porter(word)) if is_english else word
        return found

    def _read(self, written: str) -> Run:
        folded = fold_word(written)
        matches = list(_PART.finditer(folded))
        pieces = list(_PIECE.finditer(folded))
        if len(matches) - len(pieces) > _MOST_BORDERS:
            matches = pieces
        is_aligned = len(folded) == len(written)
        words = [
            self._word(
                match.group(),
                index,
                (match.start(), match.end()) if is_aligned else (0, len(written)),
            )
            for index, match in enumerate(matches)
        ]
        if len(words) > 1 and len(folded) <= _LONGEST:
            whole = folded.replace("'", "").strip("-._/:@")
            stem = self.stem(whole)
            words.append(Word(whole, stem, 0, 0, len(written), True))
        return Run(tuple(words), len(matches))

    def _word(self, text: str, position: int, place: tuple[int, int]) -> Word:
        text = text[:_LONGEST]
        return Word(text, self.stem(text), position, *place)


def fold_word(text: str) -> str:
    """Fold a run: no case, no accents, no points; composed."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFC", _DROPPED.sub("", folded)).translate(_LETTERS)


def _spaceless(written: str) -> Run:
    folded = fold_word(written)
    places: Any = range(len(folded))
    last = len(folded) - 1
    if len(folded) == len(written):
        words = [
            Word(folded[at : at + 2], folded[at : at + 2], at, at, min(at + 2, last + 1))
            for at in places
        ]
    else:
        words = [
            Word(folded[at : at + 2], folded[at : at + 2], at, 0, len(written)) for at in places
        ]
    return Run(tuple(words), len(words), True)


def _pattern_for(text: str) -> re.Pattern[str]:
    """Choose the quickest expression that reads a text as the full one would."""
    if text.isascii():
        return _ASCII_RUN
    return _RUN if _NOT_PLAIN.search(text) else _PLAIN_RUN
