"""Text → words: the one analyzer, for documents, questions and excerpts alike. Knows nothing of an index.

- Letters are compared without case, accents and vowel points; ``ß`` is ``ss``, ``ł`` is ``l``, ``’`` is ``'``.
- What is joined by ``- . _ / : @ '`` or changes between letters and digits is read whole and in its parts:
  ``db-primary.atlas.local``, ``server-09``, ``C-1042``. Camel case stays whole. ``C++`` and ``F#`` are read whole too.
- Scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are read as pairs of neighbouring characters,
  and so is Korean, whose particles are glued to its words. A run's last character stands alone too.
- English words are also read by their stem (Porter), which is how a plain word of a question is compared.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

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
_NOT_COMPARED = _POINTS + _UNSEEN
_SPECIAL = _SPACELESS + _NOT_COMPARED + _SIGNS
_APOSTROPHES = "'\u2019\u2018\u02bc\uff07"
_PLAIN_JOINTS = (
    *((hyphen, "-") for hyphen in "\u2010\u2011"),
    *((apostrophe, "'") for apostrophe in "\u2019\u2018\uff07"),
)
_JOINTS = rf"[-._/:@\u2010\u2011{_APOSTROPHES}]"

#: Ends the names of programming languages.
_ENDING = r"(?:\+\+|#(?!\w))?"
_LETTER = rf"(?:[^\W{_SPACELESS}]|[{_POINTS}{_UNSEEN}{_SIGNS}])"
#: Most text needs no more than these. Expressions with the classes above are compiled only for what does: that is slow.
_ASCII_RUN = re.compile(rf"\w+(?:[-._/:@']\w+)*{_ENDING}", re.ASCII)
_ASCII_PART = re.compile(r"[A-Za-z]+|[0-9]+")
_ASCII_PIECE = re.compile(r"[A-Za-z0-9]+")


@cache
def _expression(name: str) -> re.Pattern[str]:
    """Compile one of the expressions for texts that are not plain ASCII."""
    return re.compile(
        {
            "plain run": rf"\w+(?:[-._/:@']\w+)*{_ENDING}",
            "plain part": r"[^\W\d_]+|\d+",
            "plain piece": r"[^\W_]+",
            "run": rf"[{_SPACELESS}][{_SPACELESS}{_POINTS}{_UNSEEN}]*|{_LETTER}+(?:{_JOINTS}{_LETTER}+)*{_ENDING}",
            "part": rf"(?:[^\W\d_]|[{_SIGNS}])+|\d+",
            "piece": rf"(?:[^\W_]|[{_SIGNS}])+",
        }[name]
    )


@cache
def _bounds(ranges: str) -> tuple[str, ...]:
    """Give where the ranges of a class begin and end, sorted: one behind an odd number of bounds is inside."""
    pairs = []
    at = 0
    while at < len(ranges):
        is_range = ranges[at + 1 : at + 2] == "-"
        last = ranges[at + 2] if is_range else ranges[at]
        pairs.append((ranges[at], chr(ord(last) + 1)))
        at += 3 if is_range else 1
    return tuple(bound for pair in sorted(pairs) for bound in pair)


@cache
def _is_in(char: str, ranges: str) -> bool:
    return bisect_right(_bounds(ranges), char) % 2 == 1


def _is_plain(text: str) -> bool:
    """Say whether a text holds nothing of the classes above, so that ``\\w`` reads it rightly."""
    return not any(char > "\xac" and _is_in(char, _SPECIAL) for char in set(text))


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


class Word(NamedTuple):
    """A word as it is compared, and its place in the run that it was read from."""

    text: str
    stem: str
    position: int  #: counted in words; a run read whole stands where its first part does
    start: int  #: characters from the run's start
    end: int
    is_whole: bool = False  #: a run that also stands in parts


class Run(NamedTuple):
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


#: Words, runs or stems that are remembered at once.
_MOST_REMEMBERED = 200_000


class Analyzer:
    """Reads text; remembers the runs that it has met, since few make up most of any text."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}
        self._stems: dict[str, str] = {}

    def runs(self, text: str) -> Iterator[tuple[int, Run]]:
        """Yield each run with the offset of its first character."""
        pattern, text = prepare(text)
        for match in pattern.finditer(text):
            yield match.start(), self.read(match.group())

    def read(self, written: str) -> Run:
        """Read one run."""
        run = self._runs.get(written)
        if run is None:
            if len(self._runs) >= _MOST_REMEMBERED:
                self._runs.clear()
            is_spaceless = not written.isascii() and _is_in(written[0], _SPACELESS)
            run = _spaceless(written) if is_spaceless else self._read(written)
            self._runs[written] = run
        return run

    def words_of(self, written: str) -> tuple[int, tuple[tuple[str, int], ...]]:
        """Read one run as an index needs it: its length, and its words with their positions. Remembers nothing."""
        if not written.isascii():
            run = self.read(written)
            return run.length, tuple((word.text, word.position) for word in run.words)
        folded = written.lower()
        if folded.isalpha() or folded.isdigit():
            return 1, ((folded[:_LONGEST], 0),)
        parts = _ASCII_PART.findall(folded)
        pieces = _ASCII_PIECE.findall(folded)
        if len(parts) - len(pieces) > _MOST_BORDERS:
            parts = pieces
        words = [(part[:_LONGEST], at) for at, part in enumerate(parts)]
        if _has_whole(folded, len(words)):
            words.append((_whole(folded), 0))
        return len(parts), tuple(words)

    def stem(self, word: str) -> str:
        """Give an English word's stem; any other word is its own."""
        found = self._stems.get(word)
        if found is None:
            if len(self._stems) >= _MOST_REMEMBERED:
                self._stems.clear()
            is_english = word.isascii() and word.isalpha() and len(word) >= _SHORTEST_STEMMED
            found = self._stems[word] = _porter()(word) if is_english else word
        return found

    def _read(self, written: str) -> Run:
        folded = fold_word(written)
        part, piece = _parts_for(folded)
        matches, pieces = list(part.finditer(folded)), list(piece.finditer(folded))
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
        if _has_whole(folded, len(words)):
            whole = _whole(folded)
            words.append(Word(whole, self.stem(whole), 0, 0, len(written), True))
        return Run(tuple(words), len(matches))

    def _word(self, text: str, position: int, place: tuple[int, int]) -> Word:
        text = text[:_LONGEST]
        return Word(text, self.stem(text), position, *place)


@cache
def _porter() -> Callable[[str], str]:
    from whoosh.lang.porter import stem

    return stem  # type: ignore[no-any-return]


def _has_whole(folded: str, parts: int) -> bool:
    return len(folded) <= _LONGEST and (parts > 1 or (parts == 1 and folded[-1] in "+#"))


def _whole(folded: str) -> str:
    return folded.replace("'", "").strip("-._/:@")


def fold_word(text: str) -> str:
    """Fold a run: no case, no accents, no points; composed."""
    if text.isascii():
        return text.lower()
    from unicodedata import normalize

    folded = normalize("NFKD", normalize("NFKD", text).casefold())
    if not _is_plain(folded):
        folded = "".join(char for char in folded if not _is_in(char, _NOT_COMPARED))
    return normalize("NFC", folded).translate(_LETTERS)


def _spaceless(written: str) -> Run:
    folded = fold_word(written)
    last = len(folded) - 1
    is_aligned = len(folded) == len(written)
    words = []
    for at in range(len(folded)):
        text = folded[at : at + 2]
        place = (at, min(at + 2, last + 1)) if is_aligned else (0, len(written))
        words.append(Word(text, text, at, *place))
    return Run(tuple(words), len(words), True)


def prepare(text: str) -> tuple[re.Pattern[str], str]:
    """Give what finds the runs of a text, and the text to look in: of the same length, and read in the same way."""
    if text.isascii():
        return _ASCII_RUN, text
    if not _is_plain(text):
        return _expression("run"), text
    for written, plain in _PLAIN_JOINTS:
        text = text.replace(written, plain)
    return _expression("plain run"), text


def _parts_for(folded: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    if folded.isascii():
        return _ASCII_PART, _ASCII_PIECE
    if _is_plain(folded):
        return _expression("plain part"), _expression("plain piece")
    return _expression("part"), _expression("piece")
