"""The index works with ``whoosh3`` as it does with ``whoosh``: one of the two is installed, never both."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def test_everything_of_the_index_holds_with_whoosh3(tmp_path: Path) -> None:
    """All other tests of the index, in a process that finds ``whoosh3`` first."""
    fetched = tmp_path / "whoosh3"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(fetched)]
    got = subprocess.run([*pip, "whoosh3"], capture_output=True, text=True, check=False)
    if got.returncode:
        pytest.skip(f"whoosh3 could not be fetched: {got.stderr.strip().splitlines()[-1:]}")
    path = os.pathsep.join(filter(None, (str(fetched), os.environ.get("PYTHONPATH", ""))))
    environment = os.environ | {"PYTHONPATH": path}
    which = subprocess.run(
        [sys.executable, "-c", "import whoosh; print(whoosh.__file__, whoosh.__version__[0])"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    place, version = which.stdout.split()
    assert place.startswith(str(fetched))
    assert version == "3"
    tests = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-n0",
            "-q",
            str(HERE),
            "--ignore",
            __file__,
        ],
        cwd=HERE.parent.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert tests.returncode == 0, tests.stdout[-4_000:]
