"""Medians of whole processes: wall time and peak memory."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

LAUNCHER = Path(__file__).with_name("launcher.py")

#: Variables that would make Python slower than users have it, or read other modules than they do.
UNWANTED = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PYTHONPATH", "PYTHONHOME", "KB_ROOT")


class Failed(Exception):
    """A command that was to be measured did not do its work, or a peer is not there. Its text says why, in a line."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What some runs of one thing took."""

    seconds: float  #: the median
    peak: int = 0  #: bytes, the median; 0 where it was not measured
    runs: int = 1
    p95: float | None = None  #: seconds, of many runs in one process
    lost: int | None = None  #: what was acknowledged and is not there


@dataclass(frozen=True)
class Effort:
    """How often to run."""

    runs: int
    seconds: float  #: no further run is begun once those of a figure took so long


def environment(**more: str) -> dict[str, str]:
    """Return the variables for a measured process."""
    kept = {name: value for name, value in os.environ.items() if name not in UNWANTED}
    return kept | more


def measure(
    command: Sequence[str],
    folder: Path,
    effort: Effort,
    variables: Mapping[str, str],
    before: Callable[[], None] | None = None,
) -> Figure:
    """Run a command in a folder and give its medians; ``before`` is called ahead of each run, and not measured."""
    if before is None:
        return summarize(_launch(command, folder, effort, variables))
    runs: list[tuple[float, int]] = []
    while len(runs) < effort.runs and sum(seconds for seconds, _ in runs) <= effort.seconds:
        before()
        runs += _launch(command, folder, Effort(1, 0), variables)
    return summarize(runs)


def summarize(runs: Sequence[tuple[float, int]]) -> Figure:
    """Give the medians of runs, each of seconds and peak memory in bytes."""
    seconds, peaks = zip(*runs, strict=True)
    return Figure(median(seconds), int(median(peaks)), len(runs))


def percentile(values: Sequence[float], share: float) -> float:
    """Give the value that a share of all values does not exceed (nearest rank)."""
    ranked = sorted(values)
    return ranked[max(0, -int(-share * len(ranked) // 1) - 1)]


def _launch(
    command: Sequence[str], folder: Path, effort: Effort, variables: Mapping[str, str]
) -> list[tuple[float, int]]:
    with tempfile.NamedTemporaryFile(prefix="kb-bench-") as errors:
        head = (str(folder), str(effort.runs), str(effort.seconds), errors.name)
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(LAUNCHER), *head, *command],
            env=dict(variables),
            capture_output=True,
            text=True,
        )
        said = errors.read().decode("utf-8", "replace")
    runs = [line.split() for line in done.stdout.splitlines()]
    if done.returncode or not runs or any(status != "0" for _, _, status in runs):
        reason = (said or done.stderr).strip().splitlines() or ["it said nothing"]
        raise Failed(f"{Path(command[0]).name} failed: {reason[-1][:200]}")
    return [(float(seconds), int(peak)) for seconds, peak, _ in runs]


def capture(command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> str:
    """Run a command once, unmeasured, and give what it printed."""
    done = subprocess.run(
        list(command),
        cwd=folder,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    if done.returncode:
        reason = done.stderr.strip().splitlines() or ["it said nothing"]
        raise Failed(f"{Path(command[0]).name} failed: {reason[-1][:200]}")
    return done.stdout
