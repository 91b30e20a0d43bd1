"""The documentation made from the code is what the code says."""

import subprocess
import sys

from tests.conftest import REPOSITORY


def test_pages_are_as_the_code_makes_them() -> None:
    """'tools/make_docs --check' agrees with docs/."""
    done = subprocess.run(
        [sys.executable, "tools/make_docs", "--check"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "")
