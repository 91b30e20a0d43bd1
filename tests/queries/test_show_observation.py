"""show, of an observation: its text, and what rests on it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from kb.cli.program import program
from kb.knowledge_base import open_knowledge_base
from kb.queries.show_observation import show_observation
from tests.conftest import NOW, entity, observation, write_kb


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


@pytest.mark.parametrize("is_older", [True, False])
def test_one_of_two_that_claim_an_id_is_shown_with_a_note(tmp_path: Path, is_older: bool) -> None:
    """The first by path is shown, and the other is named, whether the graph file or a later change knows it."""
    first, second = (f"observations/{folder}/2026-01-01-seen.md" for folder in ("2026/01", "a"))
    files = {first: observation("2026-01-01-seen")}
    twin = {second: observation("2026-01-01-seen", "Other.\n")}
    root = write_kb(tmp_path / "kb", {**files, **twin} if is_older else files)
    call = ["show", "2026-01-01-seen", "--json", "--root", str(root)]
    CliRunner().invoke(program, call)
    write_kb(root, twin)
    answer = json.loads(CliRunner().invoke(program, call).stdout)
    assert answer["results"]["path"] == first
    assert answer["notes"] == [f"{second} claims this id too, and is not shown"]
    clean = show_observation(open_knowledge_base(str(root), NOW), "2026-01-01-seen")
    assert clean.notes == tuple(answer["notes"])
