"""Paths relative to the root."""

import pytest

from kb.store.layout import is_within


@pytest.mark.parametrize(
    "path, folder, expected",
    [
        ("entities/a.md", "entities", True),
        ("entities/a.md", "entities/a.md", True),
        ("entities/a.md", "", True),
        ("entities/a.md", "entit", False),
        ("entities/a.md", "entities/a", False),
        ("kb.yaml", "entities", False),
    ],
)
def test_what_lies_in_a_folder(path: str, folder: str, expected: bool) -> None:
    """A folder holds what is below it by whole names, and itself; the root holds all."""
    assert is_within(path, folder) is expected
