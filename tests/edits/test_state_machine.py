"""Any sequence of edits, by the tool and by hand, against a plain model of what must be there.

``HYPOTHESIS_PROFILE=explore`` tries other sequences on each run, more of them and longer ones: ten minutes or so.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.edits.apply import Applied, Plan, WriteOptions, apply_edit
from kb.edits.decisions import Reason
from kb.edits.edit import FileChange
from kb.edits.format_files import format_files
from kb.edits.journal import Unknown
from kb.edits.judgements import plan_merge, plan_unmerge
from kb.edits.move_entity import plan_move
from kb.edits.new_entity import plan_new
from kb.edits.relate import Saying, plan_fact, plan_relate
from kb.edits.remove_file import plan_remove
from kb.edits.retire import plan_cite, plan_confirm, plan_retire, plan_unrelate
from kb.edits.set_fields import How, plan_rename, plan_set
from kb.edits.undo import NothingToUndo, Undone, undo_last
from kb.errors import AmbiguousId, KbError
from kb.graph.graph import Graph
from kb.knowledge_base import KnowledgeBase, open_for_reading, open_knowledge_base
from kb.queries.resolve import find_candidates
from tests.conftest import NOW, write_kb
from tests.edits.editing import check_bytes, tree
from tests.graph.comparing import everything, said

NAMES = ("Ada", "Bo", "Ångström", "Dana Reyes", "Kim Ito", "李雷")
VALUES = ("Engineer", "VP (acting) — EMEA", "a ^b", "[x](y)", "1.10", "no")
PREDICATES = ("reports-to", "manages", "collaborates-with", "mentors")
REASON = Reason("the same person", (), "")

#: What ``check`` may find once files were copied or deleted by hand: two that claim one id, a file that is not named
#: after its id, and whatever referred to what is gone.
BY_HAND = {"KB203", "KB301", "KB306", "KB310", "KB318", "KB403", "KB411"}

Owner = tuple[str, str]  #: a statement: its file's id, and its own


class Page(NamedTuple):
    """An entity's file, as the model has it."""

    id: str
    statements: dict[str, str | None]  #: by id: what a relation leads to; ``None`` for a fact
    merged_into: str | None = None


Pages = dict[str, Page]  #: by path


class Done(NamedTuple):
    """An edit that could be undone, and the model before it."""

    changes: tuple[FileChange, ...]
    before: Pages


class Editing(RuleBasedStateMachine):
    """Makes, relates, retires, merges, renames, moves and removes; edits, copies and deletes by hand; undoes."""

    entities = Bundle("entities")

    def __init__(self) -> None:
        super().__init__()
        self.root = write_kb(Path(self.folder.mktemp("kb")), {})  # type: ignore[attr-defined]
        self.pages: Pages = {}
        self.done: list[Done | None] = []  #: ``None`` where undo stops
        self.may_dangle = False  #: somebody copied or deleted files, or forced a removal
        self.by_hand = 0  #: statements that were written by hand

    # -- the model -----------------------------------------------------------------------------------------------

    def paths_of(self, id: str) -> list[str]:
        """List the files that claim an id."""
        return [path for path, page in self.pages.items() if page.id == id]

    def is_one(self, id: str) -> bool:
        """Say whether exactly one file claims an id."""
        return len(self.paths_of(id)) == 1

    def survivor(self, id: str) -> str:
        """Follow redirects as far as each leads to one file."""
        seen = [id]
        while True:
            page = self.pages[self.paths_of(seen[-1])[0]] if self.is_one(seen[-1]) else None
            if page is None or page.merged_into is None or not self.is_one(page.merged_into):
                return seen[-1]
            seen.append(page.merged_into)

    def statements(self) -> set[Owner]:
        """Say which statements must be found: those of files that have their id alone, with an end that is there.

        A merge hides what it turns on itself.
        """
        return {
            (page.id, id)
            for page in self.pages.values()
            if self.is_one(page.id)
            for id, object in page.statements.items()
            if object is None
            or (self.is_one(object) and self.survivor(object) != self.survivor(page.id))
        }

    def change(self, id: str, change: Callable[[Page], Page]) -> None:
        """Change the page of the one file of an id."""
        (path,) = self.paths_of(id)
        self.pages[path] = change(self.pages[path])

    # -- edits by the tool ---------------------------------------------------------------------------------------

    def do(self, plan: Plan, *about: str, lost: int | None = None) -> Applied | None:
        """Apply an edit about some ids; ``None`` where it is refused, and then nothing changed.

        It is refused where an id is claimed twice. ``lost`` limits the lines that may go from a file; without it only
        the frontmatter may differ.
        """
        before = tree(self.root)
        try:
            done = apply_edit(str(self.root), NOW, plan, WriteOptions())
        except KbError:
            assert tree(self.root) == before
            return None
        assert all(len(self.paths_of(id)) < 2 for id in about), f"{about} is ambiguous"
        after = tree(self.root)
        touched = {
            path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
        }
        assert touched == {change.path for change in done.edit.changes}
        for change in done.edit.changes:
            if change.before is not None and change.after is not None:
                check_bytes(change.before, change.after, lost)
        if done.edit.changes:
            self.done.append(Done(done.edit.changes, dict(self.pages)))
        return done

    @initialize(target=entities)
    def begin(self) -> Any:
        """Begin with some people, so that most steps are about somebody."""
        return multiple(*(self.create(name) for name in NAMES[:4]))

    @rule(target=entities, name=st.sampled_from(NAMES))
    def create(self, name: str) -> Any:
        """Make a person."""
        done = self.do(lambda workspace: plan_new(workspace, "person", name))
        if done is None:
            return multiple()
        (id,) = done.edit.entities
        assert self.paths_of(id) == []
        self.pages[done.edit.entity_path] = Page(id, {})
        return id

    @rule(
        one=entities,
        other=entities,
        predicate=st.sampled_from(PREDICATES),
        since=st.sampled_from(["", "2020", "2021-03"]),
    )
    def relate(self, one: str, other: str, predicate: str, since: str) -> None:
        """Relate two."""
        if not (self.paths_of(one) and self.paths_of(other)):
            return
        saying = Saying(said="They told me.", since=since)
        done = self.do(
            lambda workspace: plan_relate(workspace, one, predicate, other, saying),
            one,
            other,
            lost=1,
        )
        if done is not None:
            self.acknowledge(done, {self.survivor(one), self.survivor(other)})

    @rule(one=entities, value=st.sampled_from(VALUES))
    def state(self, one: str, value: str) -> None:
        """State a fact."""
        if self.paths_of(one):
            saying = Saying(said="So it is.")
            done = self.do(
                lambda workspace: plan_fact(workspace, one, "title", value, saying), one, lost=1
            )
            if done is not None:
                self.acknowledge(done, set())

    def acknowledge(self, done: Applied, ends: set[str]) -> None:
        """Remember what was acknowledged; of the ends of a relation, one is the file that it stands in."""
        ((entity, id),) = done.edit.statements
        object = next(iter(ends - {self.survivor(entity)}), None)
        self.change(entity, lambda page: page._replace(statements={id: object, **page.statements}))

    @precondition(lambda self: any(page.statements for page in self.pages.values()))
    @rule(
        data=st.data(),
        how=st.sampled_from(["retract", "end", "supersede", "cite", "confirm", "delete"]),
    )
    def change_a_statement(self, data: st.DataObject, how: str) -> None:
        """Retire, cite or confirm a statement, which stays on the record; or delete its line."""
        every = sorted({(page.id, id) for page in self.pages.values() for id in page.statements})
        (owner, id), other = data.draw(st.sampled_from(every)), data.draw(st.sampled_from(every))
        object = next(p.statements.get(id) for p in self.pages.values() if id in p.statements)
        sources = sorted(open_for_reading(str(self.root), NOW).graph.observations) or ["none"]
        name = f"{owner}/^{id}"
        plans: dict[str, Plan] = {
            "retract": lambda w: plan_retire(w, name, retract=True),
            "end": lambda w: plan_retire(w, name, until="2026-03"),
            "supersede": lambda w: plan_retire(w, name, superseded_by="/^".join(other)),
            "cite": lambda w: plan_cite(w, name, sources[:1]),
            "confirm": lambda w: plan_confirm(w, name),
            "delete": lambda w: plan_unrelate(w, owner, relation_of(w, id), object or "", "", True),
        }  # fmt: skip
        # With a line go the definition that only it cited, and the blank lines around them.
        done = self.do(plans[how], owner, lost=5 if how == "delete" else 1)
        if done is not None and how == "delete":
            ((entity, gone),) = done.edit.statements
            self.change(entity, lambda page: page._replace(statements=without(page, gone)))

    @rule(one=entities, other=entities, stays=st.booleans())
    def merge(self, one: str, other: str, stays: bool) -> None:
        """Merge two, and perhaps unmerge them at once: every answer is as before, the decisions apart."""
        if not (self.paths_of(one) and self.paths_of(other)):
            return
        before = self.answers()
        merge: Plan = lambda workspace: plan_merge(workspace, one, other, REASON)  # noqa: E731
        done = self.do(merge, one, other)
        if done is None or not done.edit.changes:  # refused, or they are merged already
            return
        survivor = self.survivor(one)
        self.change(other, lambda page: page._replace(merged_into=survivor))
        if not stays:
            self.unmerge(other)
            assert self.answers() == before

    @precondition(lambda self: any(page.merged_into for page in self.pages.values()))
    @rule(data=st.data())
    def unmerge_one(self, data: st.DataObject) -> None:
        """Undo a merge of some time ago."""
        merged = sorted({page.id for page in self.pages.values() if page.merged_into})
        self.unmerge(data.draw(st.sampled_from(merged)))

    def unmerge(self, id: str) -> None:
        """Undo a merge; refused only where two files claim the id."""
        done = self.do(lambda workspace: plan_unmerge(workspace, id, REASON), id)
        assert (done is None) == (not self.is_one(id))
        if done is not None:
            self.change(id, lambda page: page._replace(merged_into=None))

    def answers(self) -> dict[str, Any]:
        """All that the graph says of entities."""
        asked = everything(open_for_reading(str(self.root), NOW).graph)
        return {part: asked[part] for part in ("entities", "statements", "about", "near", "names")}

    @rule(one=entities, name=st.sampled_from(NAMES))
    def rename(self, one: str, name: str) -> None:
        """Give somebody another name."""
        self.do(lambda workspace: plan_rename(workspace, one, name), one)

    @rule(
        one=entities,
        field=st.sampled_from(["alias", "key", "mood"]),
        value=st.sampled_from(["X", "email:x@north.example", "no: yes"]),
        how=st.sampled_from(How),
    )
    def set_a_field(self, one: str, field: str, value: str, how: How) -> None:
        """Set, add to, take from or unset a field."""
        values = () if how is How.UNSET else (value,)
        self.do(lambda workspace: plan_set(workspace, one, field, values, how), one)

    @rule(one=entities, folder=st.sampled_from(["person", "person/deep", "elsewhere"]))
    def move(self, one: str, folder: str) -> None:
        """Move a file; what links to it follows."""
        if not self.paths_of(one):
            return
        to = f"entities/{folder}"
        if self.do(lambda workspace: plan_move(workspace, one, to=to), one, lost=99) is not None:
            (path,) = self.paths_of(one)
            self.pages[f"{to}/{one}.md"] = self.pages.pop(path)

    @rule(one=entities, force=st.booleans())
    def remove(self, one: str, force: bool) -> None:
        """Remove a file; what refers to it dangles only if asked."""
        if not self.paths_of(one):
            return
        done = self.do(lambda workspace: plan_remove(workspace, one, force=force), one)
        if done is not None:
            (path,) = self.paths_of(one)
            del self.pages[path]
            self.may_dangle |= force

    @rule()
    def format(self) -> None:
        """Write down what is derived: undo stops at it, and nothing reads otherwise."""
        if format_files(open_knowledge_base(str(self.root), NOW)).changed:
            self.done.append(None)

    # -- by hand -------------------------------------------------------------------------------------------------

    @precondition(lambda self: self.pages)
    @rule(data=st.data(), text=st.sampled_from(["A note.", "\tindented", "## Thoughts\n\n- x:: y"]))
    def edit_by_hand(self, data: st.DataObject, text: str) -> None:
        """Write into a file as an editor does, above its sections."""
        path = self.root / data.draw(st.sampled_from(sorted(self.pages)))
        head, fence, body = path.read_text(encoding="utf-8").partition("\n---\n")
        path.write_text(f"{head}{fence}\n{text}\n{body}", encoding="utf-8")

    @precondition(lambda self: self.pages)
    @rule(data=st.data())
    def state_by_hand(self, data: st.DataObject) -> None:
        """Write a suggestion into a file's facts, if it has some."""
        path = data.draw(st.sampled_from(sorted(self.pages)))
        before = (self.root / path).read_text(encoding="utf-8")
        id = f"hand-{self.by_hand}"
        after = before.replace("## Facts\n", f"## Facts\n\n- title:: Head (auto-low) ^{id}\n", 1)
        if after != before:
            (self.root / path).write_text(after, encoding="utf-8")
            self.by_hand += 1
            page = self.pages[path]
            self.pages[path] = page._replace(statements={**page.statements, id: None})

    @precondition(lambda self: self.pages)
    @rule(data=st.data(), is_namesake=st.booleans())
    def copy_by_hand(self, data: st.DataObject, is_namesake: bool) -> None:
        """Copy a file, as one does before trying something: two claim one id from now on."""
        path = data.draw(st.sampled_from(sorted(self.pages)))
        stem = Path(path).stem
        new = f"entities/copies/{stem}.md" if is_namesake else f"entities/person/{stem}-copy.md"
        if not (self.root / new).exists() and not stem.endswith("-copy"):
            write_kb(self.root, {new: (self.root / path).read_bytes()})
            self.pages[new] = self.pages[path]
            self.may_dangle = True

    @precondition(lambda self: any(path.endswith("-copy.md") for path in self.pages))
    @rule(data=st.data())
    def make_a_copy_somebody_else(self, data: st.DataObject) -> None:
        """Give a copy an id of its own: its statements are that entity's, and the other's are back."""
        path = data.draw(st.sampled_from([one for one in self.pages if one.endswith("-copy.md")]))
        page, own = self.pages[path], Path(path).stem
        links = f"{own}.md".encode()
        is_linked = any(links in data for data in tree(self.root).values())
        if page.id != own and not self.is_one(page.id) and not is_linked:
            text = (self.root / path).read_text(encoding="utf-8")
            text = text.replace(f"id: {page.id}\n", f"id: {own}\n", 1)
            (self.root / path).write_text(text, encoding="utf-8")
            self.pages[path] = page._replace(id=own)

    @precondition(lambda self: self.pages)
    @rule(data=st.data())
    def delete_by_hand(self, data: st.DataObject) -> None:
        """Delete an entity's file: what it stated is gone."""
        path = data.draw(st.sampled_from(sorted(self.pages)))
        (self.root / path).unlink()
        del self.pages[path]
        self.may_dangle = True

    @precondition(lambda self: (self.root / "observations").is_dir())
    @rule(data=st.data(), is_copied=st.booleans())
    def meddle_with_a_source(self, data: st.DataObject, is_copied: bool) -> None:
        """Copy or delete an observation: what cites it stays stated."""
        paths = sorted(path for path in tree(self.root) if path.startswith("observations/"))
        if paths:
            path = data.draw(st.sampled_from(paths))
            if is_copied:
                copied = (self.root / path).read_bytes()
                write_kb(self.root, {f"observations/copies/{Path(path).name}": copied})
            else:
                (self.root / path).unlink()
            self.may_dangle = True

    # -- undoing -------------------------------------------------------------------------------------------------

    @rule()
    def undo(self) -> None:
        """Undo the last edit, to the byte; refused where one of its files changed since, and then nothing changes."""
        before = tree(self.root)
        if not self.done:
            with pytest.raises(NothingToUndo):
                undo_last(str(self.root))
        elif self.done[-1] is None:
            with pytest.raises(Unknown):
                undo_last(str(self.root))
        elif any(before.get(change.path) != change.after for change in self.done[-1].changes):
            with pytest.raises(Undone):
                undo_last(str(self.root))
        else:
            last = self.done.pop()
            assert last is not None
            undo_last(str(self.root))
            for change in last.changes:
                if change.before is None:
                    del before[change.path]
                    self.pages.pop(change.path, None)
                else:
                    before[change.path] = change.before
                    if change.path in last.before:
                        self.pages[change.path] = last.before[change.path]
        assert tree(self.root) == before

    # -- what must hold ------------------------------------------------------------------------------------------

    @invariant()
    def all_is_as_the_model_says(self) -> None:
        """Reading is as fresh as a clean build, and both say what the model does."""
        read = open_for_reading(str(self.root), NOW).graph
        clean = open_knowledge_base(str(self.root), NOW)
        assert said(read.iter_statements()) == said(clean.graph.iter_statements())
        self.check_statements(read)
        self.check_ids_of_two(read)
        self.check_errors(clean)

    def check_statements(self, read: Graph) -> None:
        """Every acknowledged statement is found by its id, and none besides."""
        expected = self.statements()
        for entity, id in expected:
            assert any(one.file_id == entity for one in read.of_id(id)), (entity, id)
        assert {(one.file_id, one.id) for one in read.iter_statements()} == expected

    def check_ids_of_two(self, read: Graph) -> None:
        """An id that two files claim is nobody's, and told with both paths wherever an entity is asked for."""
        claims = {page.id: sorted(self.paths_of(page.id)) for page in self.pages.values()}
        ambiguous = {id: paths for id, paths in claims.items() if len(paths) > 1}
        assert {id: sorted(paths) for id, paths in read.ambiguous.items()} == ambiguous
        for id, paths in ambiguous.items():
            with pytest.raises(AmbiguousId) as caught:
                find_candidates(read, id)
            assert all(path in caught.value.message for path in paths)

    def check_errors(self, clean: KnowledgeBase) -> None:
        """What tools wrote has no errors; after copying and deleting, no others than those it makes."""
        found = check_knowledge_base(clean)
        errors = {one.code for one in found if one.severity is Severity.ERROR}
        assert errors <= (BY_HAND if self.may_dangle else set()), found


def relation_of(workspace: Any, id: str) -> str:
    """Give the predicate of a statement."""
    return next((one.predicate for one in workspace.graph.of_id(id)), "reports-to")


def without(page: Page, id: str) -> dict[str, str | None]:
    """Give a page's statements without one."""
    return {one: object for one, object in page.statements.items() if one != id}


def test_any_sequence_of_edits(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The machine runs; its docstrings say what it demands."""
    explores = os.environ.get("HYPOTHESIS_PROFILE") == "explore"
    Editing.folder = tmp_path_factory  # type: ignore[attr-defined]
    Editing.TestCase.settings = settings(
        max_examples=250 if explores else 18,
        stateful_step_count=40 if explores else 25,
        suppress_health_check=list(HealthCheck),
    )
    Editing.TestCase().runTest()
