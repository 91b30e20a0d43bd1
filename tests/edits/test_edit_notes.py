"""What is said of any edit: whom a merged id meant, and what its commit holds besides."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kb.edits.apply import WriteOptions, apply_edit
from kb.edits.edit import Edit
from kb.edits.edit_notes import with_common_notes
from kb.edits.judgements import plan_distinct, plan_merge
from kb.edits.observe import plan_observe
from kb.edits.relate import Saying, plan_fact, plan_relate
from kb.edits.retire import plan_unrelate
from kb.edits.set_fields import plan_rename, plan_set
from kb.edits.workspace import Workspace
from tests.conftest import NOW, entity, git, observation, write_kb
from tests.edits.editing import WHY, do

SEEN = "2026-01-01-seen"
ADA = "entities/person/ada.md"
FILES = {
    ADA: entity("ada", "## Relations", "", f"- mentors:: [Cay](cay.md) [^{SEEN}] ^m1", name="Ada"),
    "entities/person/bob.md": entity("bob", name="Bob", merged_into="ada"),
    "entities/person/cay.md": entity("cay", name="Cay"),
    f"observations/2026/01/{SEEN}.md": observation(SEEN, said_by="ada"),
}
SAID = Saying(observations=(SEEN,))
NOTE = "bob was merged into ada, which is meant"

EDITS: dict[str, Callable[[Workspace], Edit]] = {
    "set": lambda w: plan_set(w, "bob", "stage", ["x"]),
    "set to the same": lambda w: plan_set(w, "bob", "name", ["Ada"]),
    "rename": lambda w: plan_rename(w, "bob", "Augusta"),
    "relate from": lambda w: plan_relate(w, "bob", "reports-to", "cay", SAID),
    "relate to": lambda w: plan_relate(w, "cay", "reports-to", "bob", SAID),
    "fact": lambda w: plan_fact(w, " bob ", "title", "X", SAID),
    "said by": lambda w: plan_fact(w, "cay", "title", "X", Saying(said="So.", by="bob")),
    "unrelate": lambda w: plan_unrelate(w, "bob", "mentors", "cay", "2026", False),
    "distinct": lambda w: plan_distinct(w, "cay", "bob", WHY),
    "merge": lambda w: plan_merge(w, "bob", "cay", WHY),
    "observe": lambda w: plan_observe(w, "Said.", said_by="bob"),
    "took part": lambda w: plan_observe(w, "Said.", participants=["cay", "bob"]),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_says_whom_a_merged_id_meant(tmp_path: Path, name: str) -> None:
    """Every edit that reads an id as the survivor's says so, once."""
    edit = do(write_kb(tmp_path, FILES), EDITS[name]).edit
    assert edit.notes.count(NOTE) == 1


def test_the_survivors_own_names_need_no_note(tmp_path: Path) -> None:
    """An id of its own, or a name or key, means whom it says."""
    root = write_kb(tmp_path, FILES)
    for named in ("ada", "Bob", "Ada"):
        assert do(root, plan_set, named, "stage", [named]).edit.notes == ()


def test_a_commit_says_what_else_it_holds(tmp_path: Path) -> None:
    """Git commits whole files: what somebody changed in them before, and did not commit, is named; a new file is not."""
    root = write_kb(tmp_path, FILES)
    git(root, "init", "--quiet")

    def set_field(
        id: str, value: str, dry_run: bool = False, commit: bool = True
    ) -> tuple[str, ...]:
        options = WriteOptions(dry_run=dry_run, commit=commit)
        plan = with_common_notes(lambda w: plan_set(w, id, "stage", [value]), options)
        return apply_edit(str(root), NOW, plan, options).edit.notes

    unknown = (f"{ADA} was not in git yet: a commit takes all of it",)
    assert set_field("ada", "one", dry_run=True) == unknown
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@northpeak.example")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "start")
    assert set_field("ada", "two") == ()
    (root / ADA).write_text((root / ADA).read_text() + "\nMine.\n")
    changed = (f"{ADA} held changes that were not committed: a commit takes them too",)
    assert set_field("cay", "two") == ()
    assert set_field("ada", "three", commit=False) == ()
    assert set_field("ada", "four") == changed
    assert "+Mine." in git(root, "show", "HEAD")
    assert set_field("ada", "five") == ()
    assert set_field("ada", "five") == ()
    (root / ADA).write_bytes((root / ADA).read_bytes().replace(b"\n", b"\r\n"))
    assert set_field("ada", "six") == ()
