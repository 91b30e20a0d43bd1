"""Two observations that claim one id: no edit takes one of them for the one that was meant."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from kb.cli.program import program
from kb.errors import AmbiguousId
from tests.conftest import entity, observation, write_kb
from tests.edits.editing import tree

SEEN = "2026-01-01-seen"


@pytest.mark.parametrize(
    "call",
    [
        ("cite", "^old", SEEN),
        ("relate", "ada", "-p", "mentors", "--target", "bob", "--observation", SEEN),
        ("fact", "ada", "title", "Head", "--observation", SEEN),
        ("observe", "Again.", "--derived-from", SEEN),
        ("remove", SEEN),
        ("remove", SEEN, "--force"),
    ],
)
def test_an_edit_names_both_files(tmp_path: Path, call: tuple[str, ...]) -> None:
    """It is refused, whatever it would do with the observation, and nothing is written."""
    relation = ("## Relations", "", "- mentors:: [Bob](bob.md) [^2026-01-02-talk] ^old")
    paths = [f"observations/{folder}/{SEEN}.md" for folder in ("2026/01", "a")]
    files = {
        "entities/person/ada.md": entity("ada", *relation),
        "entities/person/bob.md": entity("bob"),
        "observations/2026/01/2026-01-02-talk.md": observation("2026-01-02-talk"),
        **{path: observation(SEEN, f"{path}.\n") for path in paths},
    }
    root = write_kb(tmp_path / "kb", files)
    before = tree(root)
    with pytest.raises(AmbiguousId) as refused:
        CliRunner().invoke(
            program,
            [*call, "--root", str(root)],
            standalone_mode=False,
            catch_exceptions=False,
        )
    assert refused.value.paths == tuple(paths)
    assert tree(root) == before
