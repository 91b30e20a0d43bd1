"""What the system says of files, as numbers of eight bytes."""

from array import array
from collections.abc import Sequence

_HALF = 1 << 63


def pack_stamps(numbers: Sequence[int]) -> "array[int]":
    """Lay out times in nanoseconds, sizes, file numbers. What no eight bytes hold (a date after 2262) is cut down to them.

    Two that differ then look alike only if they are 584 years apart.
    """
    try:
        return array("q", numbers)
    except OverflowError:
        return array("q", [(number + _HALF) % (2 * _HALF) - _HALF for number in numbers])
