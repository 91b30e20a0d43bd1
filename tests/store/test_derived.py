"""Waiting for a lock: on one holder a while, on a lock that passes on for long. The clock is the test's."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.store.derived import wait_for_lock


class Waiting:
    """A lock that somebody holds, and a clock that goes on with each look at it."""

    def __init__(self, place: Path, *, tick: float) -> None:
        self.time, self.tick, self.place = 0.0, tick, place
        self.looks = 0
        self.holder = os.open(place, os.O_RDWR | os.O_CREAT)
        fcntl.flock(self.holder, fcntl.LOCK_EX)

    def wait(self, then: Callable[[int], None]) -> bool:
        """Wait for the lock; ``then`` is called with the number of each look."""

        def pause(_: float) -> None:
            self.looks += 1
            self.time += self.tick
            then(self.looks)

        waiting = os.open(self.place, os.O_RDWR)
        try:
            return wait_for_lock(waiting, 10, lambda: self.time, pause)
        finally:
            os.close(waiting)

    def note(self, text: str) -> None:
        """Write who holds it."""
        self.place.write_text(text)

    def let_go(self) -> None:
        """Let it go."""
        fcntl.flock(self.holder, fcntl.LOCK_UN)


@pytest.mark.parametrize("note", ["", "4711 1790000000"])
def test_one_holder_is_waited_for_a_while(tmp_path: Path, note: str) -> None:
    """Whoever keeps it for ten seconds is waited for no longer, whether or not it says who it is."""
    lock = Waiting(tmp_path / "lock", tick=1)
    lock.note(note)
    assert not lock.wait(lambda _: None)
    assert lock.time == 10


def test_a_lock_that_passes_on_is_waited_for(tmp_path: Path) -> None:
    """Where others have it one after another, each for less than ten seconds, whoever waits gets it in the end."""
    lock = Waiting(tmp_path / "lock", tick=9)

    def pass_on(look: int) -> None:
        lock.note(f"{look} 1790000000")
        if look == 12:
            lock.let_go()

    assert lock.wait(pass_on)
    assert lock.time == 108


def test_the_last_of_many_holders_is_waited_for_a_while(tmp_path: Path) -> None:
    """Ten seconds are counted from when the lock passed to who has it now."""
    lock = Waiting(tmp_path / "lock", tick=4)
    assert not lock.wait(lambda look: lock.note(f"{min(look, 6)} 1790000000"))
    assert lock.time == 24 + 12


def test_nobody_waits_for_ever(tmp_path: Path) -> None:
    """A lock that passes on and on is given up after two minutes."""
    lock = Waiting(tmp_path / "lock", tick=5)
    assert not lock.wait(lambda look: lock.note(f"{look} 1790000000"))
    assert lock.time == 120
