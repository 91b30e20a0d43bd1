"""A search as typed → what is asked. Our own small language: every text is a question or a ``BadQuery``, never a crash.

Words are all wanted. ``"…"`` is a phrase, ``wor*`` a beginning, ``-word`` is not wanted, ``OR`` between two gives either,
``name:word`` looks in names and titles only. Everything else is ordinary text.
"""

import re
from typing import NamedTuple

from kb.errors import ErrorCode, UsageError
from kb.index.words import Analyzer, Run

MOST_UNITS = 100
LONGEST_QUESTION = 20_000
SHORTEST_BEGINNING = 2
_SAID_ANYWAY = """
a an and are as at be but by did do does for from had has have how i if in into is it its of on or s t that the
their them there these they this those to was were what when where which who whom whose why will with you
"""
#: English words that say little: wanted only in phrases, or where there is nothing else.
_WEAK = frozenset(_SAID_ANYWAY.split())
_QUOTES = str.maketrans("“”„«»", '"""""')
_PIECE = re.compile(
    r'(?P<sign>-)?(?P<field>(?i:name|title):)?(?:"(?P<phrase>[^"]*)"|(?P<text>\S+))'
)
_TRIMMED = "()[]{}<>,;!?.…"


class BadQuery(UsageError):
    """A text that asks nothing that can be looked up."""

    code = ErrorCode.BAD_QUERY

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(f"bad query: {why}", hint)


class Unit(NamedTuple):
    """One thing to look for: a word by its stem, or words as written one after another."""

    written: str
    stem: str = ""
    words: tuple[str, ...] = ()
    whole: str = ""  #: the words as one, as an identifier is also indexed
    is_open: bool = False  #: the last word may go on
    in_name: bool = False


class Question(NamedTuple):
    """Each clause is satisfied by any of its units; none of the unwanted may occur."""

    clauses: tuple[tuple[Unit, ...], ...]
    unwanted: tuple[Unit, ...] = ()

    @property
    def units(self) -> tuple[Unit, ...]:
        """All units that are wanted."""
        return tuple(unit for clause in self.clauses for unit in clause)


class _Part(NamedTuple):
    units: tuple[Unit, ...]
    is_unwanted: bool = False
    is_or: bool = False
    is_weak: bool = False


def read_question(text: str, analyzer: Analyzer) -> Question:
    """Read a search as typed."""
    if len(text) > LONGEST_QUESTION:
        raise BadQuery(
            f"it is longer than {LONGEST_QUESTION:,} characters", "ask for a few words of it"
        )
    parts = _drop_repeated(_read_parts(text.translate(_QUOTES), analyzer))
    wanted = [part for part in parts if not part.is_unwanted]
    strong = [part for part in wanted if not part.is_weak]
    clauses = _join_alternatives(strong if any(part.units for part in strong) else wanted)
    unwanted = tuple(unit for part in parts if part.is_unwanted for unit in part.units)
    if not clauses:
        if unwanted:
            raise BadQuery("it only says what is not wanted", "add a word that is")
        raise BadQuery("it holds no word", "write a word, a name or an identifier")
    if sum(map(len, clauses)) + len(unwanted) > MOST_UNITS:
        raise BadQuery(f"it has more than {MOST_UNITS} different words", "ask for a few of them")
    return Question(clauses, unwanted)


def _read_parts(text: str, analyzer: Analyzer) -> list[_Part]:
    parts: list[_Part] = []
    for match in _PIECE.finditer(text):
        sign, field, phrase, word = match.group("sign", "field", "phrase", "text")
        if word == "OR" and not sign and not field:
            parts.append(_Part((), is_or=True))
        elif phrase is not None:
            if field:  # names are compared word by word
                parts += [
                    _Part((unit,), bool(sign)) for unit in _read_words(phrase, analyzer, True)
                ]
            else:
                parts.append(_Part(_read_phrase(phrase, analyzer), bool(sign)))
        else:
            units = _read_words(word, analyzer, bool(field))
            is_weak = all(unit.stem and unit.written.lower() in _WEAK for unit in units)
            # Of "ordinary text", each run is wanted by itself.
            parts += [_Part((unit,), bool(sign), is_weak=is_weak) for unit in units]
    return parts


def _read_phrase(text: str, analyzer: Analyzer) -> tuple[Unit, ...]:
    runs = [run for _, run in analyzer.runs(text) if run.words]
    if not runs:
        return ()
    words = [word for run in runs[:-1] for word in _word_texts(run)]
    last = runs[-1]
    words += _asked(last)
    return (Unit(text, words=tuple(words), is_open=_is_lone(last)),)


def _read_words(text: str, analyzer: Analyzer, in_name: bool) -> list[Unit]:
    is_open = "*" in text and _is_beginning(text)
    units = [
        unit
        for at, run in analyzer.runs(text)
        if run.words
        for unit in _units_of(run, text[at : at + _written_length(run)], in_name)
    ]
    if not units:
        if "*" in text:
            raise BadQuery(f'"{text}" begins with nothing', "write at least two letters before *")
        return []
    if is_open:
        if in_name:
            raise BadQuery("name: takes whole words", "leave out name: or *")
        units[-1] = _opened(units[-1], text, analyzer)
    return units


def _is_beginning(text: str) -> bool:
    """Say whether a ``*`` stands where a beginning ends; one that stands first is refused."""
    trimmed = text.strip(_TRIMMED)
    if trimmed.startswith("*"):
        raise BadQuery(f'"{text}" has no beginning', "write the beginning of the word, then *")
    return trimmed.endswith("*")


def _opened(unit: Unit, text: str, analyzer: Analyzer) -> Unit:
    words = unit.words or tuple(
        word.text for _, run in analyzer.runs(unit.written) for word in run.parts
    )
    shortest = 1 if unit.is_open else SHORTEST_BEGINNING
    if len(words) == 1 and len(words[0]) < shortest:
        raise BadQuery(f'"{text}" is too short a beginning', "write at least two letters before *")
    return Unit(unit.written, words=words, is_open=True)


def _units_of(run: Run, written: str, in_name: bool) -> tuple[Unit, ...]:
    words = run.parts
    if len(words) == 1 and not run.is_spaceless:
        # ``C++`` is asked for as it stands, not as its letter.
        return (Unit(written, stem=run.words[-1].stem, in_name=in_name),)
    if in_name:
        asked = words[:-1] if run.is_spaceless and len(words) > 1 else words
        return tuple(Unit(written, stem=word.stem, in_name=True) for word in asked)
    return (Unit(written, words=tuple(_asked(run)), whole=run.whole or "", is_open=_is_lone(run)),)


def _asked(run: Run) -> list[str]:
    """Give the words of a question's last run: of neighbouring characters, the pairs; the last one may go on."""
    texts = _word_texts(run)
    return texts[:-1] if run.is_spaceless and len(texts) > 1 else texts


def _is_lone(run: Run) -> bool:
    return run.is_spaceless and run.length == 1


def _word_texts(run: Run) -> list[str]:
    return [word.text for word in run.parts]


def _written_length(run: Run) -> int:
    return max(word.end for word in run.words)


def _drop_repeated(parts: list[_Part]) -> list[_Part]:
    """Drop what is asked twice, so that a word typed 5,000 times is one."""
    seen: set[tuple[object, ...]] = set()
    kept = []
    for part in parts:
        shapes = tuple((unit.stem, unit.words, unit.is_open, unit.in_name) for unit in part.units)
        if part.is_or or (shapes and (shapes, part.is_unwanted) not in seen):
            kept.append(part)
        if not part.is_or:
            seen.add((shapes, part.is_unwanted))
    return kept


def _join_alternatives(parts: list[_Part]) -> tuple[tuple[Unit, ...], ...]:
    """Join what stands around an ``OR``; one that stands first, last or twice joins nothing."""
    clauses: list[tuple[Unit, ...]] = []
    is_joining = False
    for part in parts:
        if part.is_or:
            is_joining = bool(clauses)
        elif part.units:
            if is_joining:
                clauses[-1] += part.units
            else:
                clauses.append(part.units)
            is_joining = False
    return tuple(clauses)
