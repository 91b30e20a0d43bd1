"""How the time of something grows with what it is given, in processor time, so that a busy machine changes nothing."""

from collections.abc import Callable
from time import process_time

#: Less than this says nothing of how it grows.
HARDLY_ANY = 0.02


def seconds(run: Callable[[], object]) -> float:
    """Give the processor time that something takes, the lesser of two where it seems long."""
    found = []
    for _ in range(2):
        start = process_time()
        run()
        found.append(process_time() - start)
        if found[-1] < HARDLY_ANY:
            break
    return min(found)


def check_growth(run: Callable[[int], object], size: int) -> None:
    """Check that a quarter of a size takes no less than an eighth of the time, unless the whole takes hardly any.

    What is linear takes a quarter, what is quadratic a sixteenth.
    """
    taken = seconds(lambda: run(size))
    if taken > 10 * HARDLY_ANY:
        assert taken < 8 * seconds(lambda: run(size // 4))
