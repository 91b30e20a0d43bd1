"""show, of an observation: its text, and what rests on it."""

import json
from pathlib import Path

from click.testing import CliRunner

from kb.cli.program import program
from tests.conftest import entity, observation, write_kb


def test_an_observation_is_shown_by_its_id(tmp_path: Path) -> None:
    """Whoever reads a citation can read the source and see what else cites it; an entity's id wins over it."""
    files = {
        "entities/person/ada.md": entity("ada", "## Facts", "", "- title:: CTO [^2026-01-01-seen]"),
        "entities/event/2026-02-02-fair.md": entity("2026-02-02-fair", type="event"),
        "observations/2026/01/2026-01-01-seen.md": observation(
            "2026-01-01-seen", "She is CTO.\n\x1b[31mRed.\n", said_by="ada"
        ),
        "observations/2026/02/2026-02-02-fair.md": observation("2026-02-02-fair"),
    }
    root = str(write_kb(tmp_path / "kb", files))
    shown = CliRunner().invoke(program, ["show", "2026-01-01-seen", "--root", root]).stdout
    assert "She is CTO." in shown
    assert "\x1b" not in shown
    assert "Cited by 1 statement" in shown
    answer = json.loads(
        CliRunner().invoke(program, ["show", "2026-01-01-seen", "--json", "--root", root]).stdout
    )
    assert answer["results"]["text"] == "She is CTO.\n\x1b[31mRed.\n"
    assert [one["value"] for one in answer["results"]["statements"]] == ["CTO"]
    fair = json.loads(
        CliRunner().invoke(program, ["show", "2026-02-02-fair", "--json", "--root", root]).stdout
    )
    assert fair["results"]["entity"]["type"] == "event"
