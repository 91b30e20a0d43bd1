"""What to write for a word that nothing has: its nearest spelling, or a line for it. Offered, never taken."""

from collections.abc import Sequence

from kb.model.statement import Section
from kb.syntax.predicates import read_predicate

#: Per cent of likeness below which a guess would only mislead.
_LIKE_ENOUGH = 75


def guess(word: str, among: Sequence[str]) -> str | None:
    """Find the word that was most likely meant; among equals the first."""
    from rapidfuzz import fuzz, process

    if not word:
        return None
    best = process.extractOne(word, among, scorer=fuzz.ratio, score_cutoff=_LIKE_ENOUGH)
    if best is not None:
        return str(best[0])
    holding = [other for other in among if f"-{word}-" in f"-{other}-"]
    return holding[0] if len(holding) == 1 else None


def did_you_mean(word: str, among: Sequence[str], otherwise: str = "") -> str:
    """Write the guess as a hint; ``otherwise`` where there is none."""
    best = guess(word, among)
    return f'did you mean "{best}"?' if best is not None else otherwise


def say_addition(word: str, section: Section) -> str:
    """Say which line of ``kb.yaml`` makes a word a predicate of a section."""
    name = read_predicate(word)
    if name is None:
        return "write letters and digits, joined by '-'"
    table = "relations" if section is Section.RELATIONS else "facts"
    return f'add "{name}: {{}}" under "{table}:" in kb.yaml'
