"""The two real data sets: every count as their README has it, twice over without a change."""

from pathlib import Path

import pytest

from kb.diagnostics import Severity
from kb.edits.format_files import format_files
from kb.edits.init_knowledge_base import init_knowledge_base
from kb.edits.records import Tally
from kb.ingest.jsonl import import_jsonl
from kb.knowledge_base import open_knowledge_base
from tests.conftest import NOW, SHARED

DATA = SHARED / "data"


@pytest.mark.skipif(not DATA.is_dir(), reason=f"the shared data sets are not at {DATA}")
@pytest.mark.parametrize(
    "name, entities, relations, observations, facts, identical",
    [("peps", 1107, 1496, 736, 3224, 5), ("rust-team", 1011, 3889, 1455, 170, 0)],
)
def test_a_data_set_is_imported_whole(
    tmp_path: Path,
    name: str,
    entities: int,
    relations: int,
    observations: int,
    facts: int,
    identical: int,
) -> None:
    """Every record of a large source is counted once, the result has no error, and a second run changes no byte."""
    root = init_knowledge_base(str(tmp_path), now=NOW).root
    source = str(DATA / name / "kb.jsonl")
    steps: list[int] = []
    done = import_jsonl(
        open_knowledge_base(root, NOW),
        source,
        add_words=True,
        progress=lambda count, _: steps.append(count),
    )
    expected = (entities, relations, observations, facts)
    assert (
        tuple(t.made for t in (done.entities, done.relations, done.observations, done.facts))
        == expected
    )
    assert (done.identical, done.unresolved, done.words_added) == (identical, 0, True)
    assert len(steps) == entities + observations + 1
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    base = open_knowledge_base(root, NOW)
    assert [found for found in base.corpus.diagnostics if found.severity is Severity.ERROR] == []
    assert (base.graph.unresolved, len(base.graph.statements)) == ({}, relations + facts + 2)
    again = import_jsonl(base, source, add_words=True)
    assert (again.entities, again.facts) == (Tally(0, entities), Tally(0, facts))
    assert (again.made, again.changed, again.words) == ((), (), ())
    formatting = format_files(base, check=True)
    assert (formatting.changed, formatting.skipped) == ((), ())
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
