"""Any sequence of edits, by the tool and by hand, against a plain model of what must be there."""

from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    invariant,
    multiple,
    precondition,
    rule,
)

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.edits.apply import Applied, Plan, WriteOptions, apply_edit
from kb.edits.decisions import Reason
from kb.edits.judgements import plan_merge, plan_unmerge
from kb.edits.new_entity import plan_new
from kb.edits.relate import Saying, plan_fact, plan_relate
from kb.edits.retire import plan_retire
from kb.edits.set_fields import plan_rename
from kb.edits.undo import undo_last
from kb.errors import KbError
from kb.knowledge_base import open_for_reading, open_knowledge_base
from tests.conftest import NOW, write_kb
from tests.graph.comparing import everything, said

NAMES = ("Ada", "Bo", "Ångström", "Dana Reyes", "Kim Ito", "李雷")
VALUES = ("Engineer", "VP (acting) — EMEA", "a ^b", "[x](y)", "1.10", "no")
REASON = Reason("the same person", (), "")


class Editing(RuleBasedStateMachine):
    """Creates, relates, retires, merges, unmerges, renames, edits by hand, deletes and undoes."""

    entities = Bundle("entities")

    def __init__(self) -> None:
        super().__init__()
        self.root = write_kb(Path(self.folder.mktemp("kb")), {})  # type: ignore[attr-defined]
        self.statements: dict[tuple[str, str], str] = {}  #: acknowledged, and what each says
        self.merged: dict[str, dict[str, Any]] = {}  #: merged id → all answers before
        self.is_by_hand = False
        self.undoable: list[dict[tuple[str, str], str]] = []

    def do(self, plan: Plan) -> Applied | None:
        """Apply an edit; ``None`` where it is refused, and then nothing changed."""
        before = self.files()
        try:
            done = apply_edit(str(self.root), NOW, plan, WriteOptions())
        except KbError:
            assert self.files() == before
            return None
        after = self.files()
        touched = {
            path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
        }
        assert touched == {change.path for change in done.edit.changes}
        if done.edit.changes:
            self.undoable.append(dict(self.statements))
        return done

    def files(self) -> dict[str, bytes]:
        """All files by path."""
        return {
            str(path.relative_to(self.root)): path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file() and ".git" not in path.parts
        }

    @rule(target=entities, name=st.sampled_from(NAMES))
    def create(self, name: str) -> Any:
        """Make a person."""
        done = self.do(lambda workspace: plan_new(workspace, "person", name))
        return done.edit.entities[0] if done else multiple()

    @rule(
        one=entities,
        other=entities,
        predicate=st.sampled_from(["reports-to", "manages", "collaborates-with", "mentors"]),
        since=st.sampled_from(["", "2020", "2021-03"]),
    )
    def relate(self, one: str, other: str, predicate: str, since: str) -> None:
        """Relate two."""
        saying = Saying(said="They told me.", since=since)
        self.keep(self.do(lambda workspace: plan_relate(workspace, one, predicate, other, saying)))

    @rule(one=entities, value=st.sampled_from(VALUES))
    def state(self, one: str, value: str) -> None:
        """State a fact."""
        saying = Saying(said="So it is.")
        self.keep(self.do(lambda workspace: plan_fact(workspace, one, "title", value, saying)))

    def keep(self, done: Applied | None) -> None:
        """Remember what was acknowledged."""
        for ref in done.edit.statements if done else ():
            self.statements[ref.entity, ref.id] = ref.id

    @precondition(lambda self: self.statements)
    @rule(data=st.data())
    def retire(self, data: st.DataObject) -> None:
        """Retract a statement; it stays on the record."""
        entity, id = data.draw(st.sampled_from(sorted(self.statements)))
        self.do(lambda workspace: plan_retire(workspace, f"{entity}/^{id}", retract=True))

    @rule(one=entities, other=entities)
    def merge(self, one: str, other: str) -> None:
        """Merge two, and unmerge them: every answer is as before, the decisions apart."""
        before = self.answers()
        if self.do(lambda workspace: plan_merge(workspace, one, other, REASON)) is None:
            return
        assert self.do(lambda workspace: plan_unmerge(workspace, other, REASON)) is not None
        assert self.answers() == before

    def answers(self) -> dict[str, Any]:
        """All that the graph says of entities."""
        asked = everything(open_for_reading(str(self.root), NOW).graph)
        return {part: asked[part] for part in ("entities", "statements", "about", "near", "names")}

    @rule(one=entities, name=st.sampled_from(NAMES))
    def rename(self, one: str, name: str) -> None:
        """Give somebody another name."""
        self.do(lambda workspace: plan_rename(workspace, one, name))

    @rule(one=entities, text=st.sampled_from(["A note.", "\tindented", "## Thoughts\n\n- x:: y"]))
    def edit_by_hand(self, one: str, text: str) -> None:
        """Write into a file as an editor does, above its sections."""
        entity = open_for_reading(str(self.root), NOW).graph.entities.get(one)
        if entity is None:  # undone
            return
        path = entity.path
        data = (self.root / path).read_text(encoding="utf-8")
        head, fence, body = data.partition("\n---\n")
        (self.root / path).write_text(f"{head}{fence}\n{text}\n{body}", encoding="utf-8")
        self.undoable.clear()

    @precondition(lambda self: self.undoable)
    @rule()
    def undo(self) -> None:
        """Undo the last edit: what it had acknowledged is gone, all before is there."""
        try:
            undo_last(str(self.root))
        except KbError:
            return
        self.statements = self.undoable.pop()

    @invariant()
    def acknowledged_is_there(self) -> None:
        """Every acknowledged statement is found by its id, and reading is as fresh as a clean build."""
        read = open_for_reading(str(self.root), NOW).graph
        for entity, id in self.statements:
            assert any(one.file_id == entity for one in read.of_id(id)), (entity, id)
        clean = open_knowledge_base(str(self.root), NOW).graph
        assert said(read.iter_statements()) == said(clean.iter_statements())

    @invariant()
    def nothing_is_wrong(self) -> None:
        """What tools wrote has no errors."""
        found = check_knowledge_base(open_knowledge_base(str(self.root), NOW))
        assert [one for one in found if one.severity is Severity.ERROR] == []


def test_any_sequence_of_edits(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The machine runs; its docstrings say what it demands."""
    Editing.folder = tmp_path_factory  # type: ignore[attr-defined]
    Editing.TestCase.settings = settings(max_examples=12, stateful_step_count=12, deadline=None)
    Editing.TestCase().runTest()
