"""When two are related says, for any moment, what their statements say."""

from hypothesis import given
from hypothesis import strategies as st

from kb.graph.file_form import BOUNDS
from kb.graph.spells import ALWAYS, NEVER, SEVERAL, count_spells, join_spells, spell_of
from kb.model.time import Bound, Date, Interval, is_ended

_MOMENTS = st.integers(-50, 50)
_DATES = st.builds(
    lambda first, more: Date("x", first, first + 1 + more), _MOMENTS, st.integers(0, 9)
)
_SIDES = st.one_of(_DATES, st.sampled_from(Bound))
_INTERVALS = st.builds(
    lambda start, end, event: Interval("x", start, end, event), _SIDES, _SIDES, st.booleans()
)
_SPELLS = st.one_of(st.sampled_from((ALWAYS, NEVER, SEVERAL)), st.sampled_from(((0, 5), (3, 9))))


def row_of(interval: Interval) -> list[int]:
    """An interval as its row in a graph file."""
    sides = [
        number
        for side in (interval.start, interval.end)
        for number in (
            (7, side.first, side.after)
            if isinstance(side, Date)
            else (-1 - BOUNDS.index(side), 0, 0)
        )
    ]
    return [7, *sides, int(interval.is_event)]


@given(_INTERVALS, st.integers(-70, 70))
def test_a_spell_is_when_an_interval_is_not_ended(interval: Interval, now: int) -> None:
    """For any interval that could be written, reversed ones too, and any moment."""
    start, end = spell_of(row_of(interval))
    assert (start <= now < end) is not is_ended(interval, now)


@given(st.lists(_SPELLS, min_size=1, max_size=5), st.randoms())
def test_spells_join_in_any_order(spells: list[tuple[int, int]], chance: object) -> None:
    """As statements come in any order, and in parts."""
    shuffled = sorted(spells, key=lambda _: chance.random())  # type: ignore[attr-defined]
    at = len(shuffled) // 2
    assert (
        _joined(spells)
        == _joined(shuffled)
        == join_spells(_joined(shuffled[:at]), _joined(shuffled[at:]))
    )


def _joined(spells: list[tuple[int, int]]) -> tuple[int, int]:
    whole = NEVER
    for one in spells:
        whole = join_spells(whole, one)
    return whole


def test_spells_are_counted() -> None:
    """Those that hold at a moment for certain, and those of which nothing is certain."""
    numbers = [number for spell in (ALWAYS, NEVER, SEVERAL, (0, 5), (5, 9)) for number in spell]
    assert count_spells(numbers, 5) == (2, 1)
