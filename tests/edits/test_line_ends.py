"""Every edit of a file keeps its line ends: those that stand, and those of the lines that it adds."""

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from kb.edits.edit import Edit
from kb.edits.format_files import format_files
from kb.edits.judgements import plan_distinct, plan_merge, plan_unmerge
from kb.edits.move_entity import plan_move
from kb.edits.relate import Saying, plan_fact, plan_relate
from kb.edits.retire import plan_cite, plan_confirm, plan_retire, plan_unrelate
from kb.edits.seal_observations import seal_observations
from kb.edits.set_fields import How, plan_rename, plan_set
from kb.edits.workspace import Workspace
from kb.knowledge_base import open_knowledge_base
from tests.conftest import NOW, entity, observation, write_kb
from tests.edits.editing import WHY, do

TEXT = """---
id: ada
type: person
name: Ada
aliases:
  - A. L.
  - Countess
keys: [github:ada]
stage: one
---

She writes.

## Relations

- mentors:: [Bob](bob.md) (2020/..) — since school [^2026-01-01-seen] ^mentors1
  - alternatives:: none
- meets-with:: [Cay](cay.md) (2021, auto-low) [^2026-01-01-seen] ^meets1

## Facts

- title:: Writer [^2026-01-01-seen] ^title1

[^2026-01-01-seen]: note 2026-01-01: [Seen](../../observations/2026/01/2026-01-01-seen.md)
"""
ONE, TWO = "2026-01-01-seen", "2026-01-02-seen"
ENDS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}
SAID = Saying(observations=(TWO,))

EDITS: dict[str, Callable[[Workspace], Edit]] = {
    "set name": lambda w: plan_set(w, "ada", "name", ["Ada L."]),
    "set type": lambda w: plan_set(w, "ada", "type", ["contact"]),
    "add alias": lambda w: plan_set(w, "ada", "alias", ["Augusta"]),
    "remove alias": lambda w: plan_set(w, "ada", "aliases", ["Countess"], How.REMOVE),
    "set aliases": lambda w: plan_set(w, "ada", "aliases", ["X", "Y", "Z"]),
    "unset aliases": lambda w: plan_set(w, "ada", "aliases", [], How.UNSET),
    "add key": lambda w: plan_set(w, "ada", "key", ["email:ada@northpeak.example"]),
    "new field": lambda w: plan_set(w, "ada", "tags", ["a", "b" * 60, "c" * 60]),
    "two lines": lambda w: plan_set(w, "ada", "tags", ["one\ntwo"]),
    "set field": lambda w: plan_set(w, "ada", "stage", ["two"]),
    "unset field": lambda w: plan_set(w, "ada", "stage", [], How.UNSET),
    "rename": lambda w: plan_rename(w, "ada", "Augusta"),
    "move": lambda w: plan_move(w, "ada", type="contact"),
    "relate": lambda w: plan_relate(w, "ada", "mentors", "cay", SAID._replace(since="2024")),
    "relate first": lambda w: plan_relate(w, "ada", "caused-by", "cay", SAID),
    "say more": lambda w: plan_relate(
        w, "ada", "mentors", "bob", SAID._replace(reason="still", confidence=80)
    ),
    "supersede": lambda w: plan_fact(w, "ada", "title", "Poet", SAID._replace(supersede="^title1")),
    "fact": lambda w: plan_fact(w, "ada", "role", "Poet", SAID),
    "end": lambda w: plan_retire(w, "^mentors1", until="2026"),
    "retract": lambda w: plan_retire(w, "^title1", retract=True),
    "delete": lambda w: plan_unrelate(w, "ada", "mentors", "bob", "", True),
    "delete last": lambda w: plan_unrelate(w, "ada", "meets-with", "cay", "", True),
    "cite": lambda w: plan_cite(w, "^title1", [TWO]),
    "confirm": lambda w: plan_confirm(w, "^meets1"),
    "merge": lambda w: plan_merge(w, "bob", "ada", WHY),
    "distinct": lambda w: plan_distinct(w, "ada", "bob", WHY),
}


def knowledge_base(root: Path, text: str) -> Path:
    return write_kb(
        root,
        {
            "entities/person/ada.md": text.encode(),
            "entities/person/bob.md": entity("bob", name="Bob"),
            "entities/person/cay.md": entity("cay", name="Cay"),
            f"observations/2026/01/{ONE}.md": observation(ONE, said_by="bob"),
            f"observations/2026/01/{TWO}.md": observation(TWO, said_by="bob"),
        },
    )


def edited(root: Path, name: str) -> str:
    """Give what an edit makes of the file."""
    return next(
        change.after.decode()
        for change in do(root, EDITS[name]).edit.changes
        if change.path.endswith("/ada.md") and change.after is not None
    )


def ends_of(text: str) -> list[str]:
    return re.findall(r"\r\n|\r|\n", text)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "open"])
@pytest.mark.parametrize("kind", ENDS)
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_keeps_the_line_ends_of_its_file(
    tmp_path: Path, name: str, kind: str, closed: bool
) -> None:
    """A file of one kind of line end stays one, whether or not its last line has one, and what it says changes alike."""
    text = TEXT if closed else TEXT.rstrip("\n")
    root = knowledge_base(tmp_path / kind, text.replace("\n", ENDS[kind]))
    plain = knowledge_base(tmp_path / "plain", text)
    after = edited(root, name)
    assert set(ends_of(after)) == {ENDS[kind]}
    assert after == edited(plain, name).replace("\n", ENDS[kind])


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_mixed_line_ends_leaves_all_that_stand(tmp_path: Path, name: str) -> None:
    """Where the line ends are mixed, each line that stays keeps its own, and a new one takes that of the first line."""
    ends = iter("\n" if index % 3 == 0 else "\r\n" for index in range(100))
    before = re.sub("\n", lambda _: next(ends), TEXT).splitlines(keepends=True)
    after = edited(knowledge_base(tmp_path, "".join(before)), name).splitlines(keepends=True)
    bare_before, bare_after = ([line.rstrip() for line in lines] for lines in (before, after))
    matcher = SequenceMatcher(None, bare_before, bare_after)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "insert":
            assert all(line.endswith("\n") and not line.endswith("\r\n") for line in after[j1:j2])
        elif tag == "equal" or i2 - i1 == j2 - j1:
            assert list(map(ends_of, after[j1:j2])) == list(map(ends_of, before[i1:i2]))


@pytest.mark.parametrize("kind", ENDS)
def test_a_merge_and_its_undoing_are_to_the_byte(tmp_path: Path, kind: str) -> None:
    """Unmerge gives back the bytes of before, whatever the line ends."""
    root = knowledge_base(tmp_path, TEXT.replace("\n", ENDS[kind]))
    before = (root / "entities/person/ada.md").read_bytes()
    do(root, plan_merge, "bob", "ada", WHY)
    do(root, plan_unmerge, "ada", WHY)
    assert (root / "entities/person/ada.md").read_bytes() == before


@pytest.mark.parametrize("kind", ENDS)
def test_tools_keep_the_line_ends_of_a_file(tmp_path: Path, kind: str) -> None:
    """``fmt`` and ``seal`` write in the line ends of the file."""
    text = TEXT[: TEXT.index("[^2026-01-01-seen]: ")].replace(" ^title1", "")
    root = knowledge_base(tmp_path, text.replace("\n", ENDS[kind]))
    seen = root / f"observations/2026/01/{ONE}.md"
    seen.write_bytes(seen.read_bytes().replace(b"\n", ENDS[kind].encode()))
    format_files(open_knowledge_base(str(root), NOW))
    seal_observations(open_knowledge_base(str(root), NOW), ())
    for path in (root / "entities/person/ada.md", seen):
        assert set(ends_of(path.read_bytes().decode())) == {ENDS[kind]}
    assert b"sha256" in seen.read_bytes()
