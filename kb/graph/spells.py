"""When two entities are related: the span in which a statement that is not retired relates them and is not ended.

Worked out when a graph file is written, so that whether a node is a hub takes no look at its statements.
"""

from collections.abc import Sequence

from kb.graph.file_form import BOUNDS
from kb.model.time import Bound

#: From when until before when, in seconds since 1970.
Spell = tuple[int, int]

_FAR = 1 << 62
ALWAYS: Spell = (-_FAR, _FAR)
NEVER: Spell = (0, 0)
#: There are several: whoever wants to know looks at the statements.
SEVERAL: Spell = (_FAR, 0)

_OVER = -1 - BOUNDS.index(Bound.UNKNOWN)


def spell_of(interval: Sequence[int]) -> Spell:
    """Give the span in which ``kb.model.time.is_ended`` says no, of the row of an interval."""
    _, start_text, start, _, end_text, _, end, is_event = interval
    if is_event:
        return ALWAYS
    if end_text == _OVER:
        return NEVER
    start = start if start_text >= 0 else -_FAR
    end = end if end_text >= 0 else _FAR
    return (start, end) if start < end else NEVER


def join_spells(first: Spell, second: Spell) -> Spell:
    """Give the spell of two statements, in any order."""
    if first == second or second == NEVER:
        return first
    if first == NEVER:
        return second
    return ALWAYS if ALWAYS in (first, second) else SEVERAL


def count_spells(numbers: list[int], now: int) -> tuple[int, int]:
    """Count, of spells one behind the other, those that hold at a moment, and those that are several."""
    starts, ends = numbers[::2], numbers[1::2]
    certain = sum([start <= now < end for start, end in zip(starts, ends, strict=True)])
    return certain, starts.count(SEVERAL[0])
