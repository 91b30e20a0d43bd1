"""Every bad file of the parser's tests under every edit: refused or done as asked, never a crash, never another byte."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from kb.edits.decisions import plan_decide
from kb.edits.edit import Edit, FileChange
from kb.edits.judgements import plan_distinct, plan_merge, plan_unmerge
from kb.edits.move_entity import plan_move
from kb.edits.new_entity import plan_new
from kb.edits.remove_file import plan_remove
from kb.edits.set_fields import How, plan_rename, plan_set
from kb.edits.workspace import Workspace
from kb.errors import KbError
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.front_matter import split_front_matter
from kb.syntax.source import decode
from tests.conftest import SHARED, entity, observation, write_kb
from tests.edits.editing import WHY, do, tree, workspace
from tests.syntax.test_bad_files import FILES, contents

A, GOOD = "entities/person/a.md", "entities/person/good.md"
SEEN = "observations/2026/01/2026-01-01-seen.md"

Plan = Callable[[Workspace], Edit]

#: Every edit that could touch the bad file, which is "a".
EDITS: dict[str, Plan] = {
    "set name": lambda w: plan_set(w, "a", "name", ("New: name",)),
    "add alias": lambda w: plan_set(w, "a", "alias", ("Also",)),
    "remove alias": lambda w: plan_set(w, "a", "alias", ("b",), How.REMOVE),
    "add key": lambda w: plan_set(w, "a", "key", ("email:a@x.example",)),
    "set own": lambda w: plan_set(w, "a", "on", ("NO",)),
    "set list": lambda w: plan_set(w, "a", "tags", ("NO", "0042")),
    "unset": lambda w: plan_set(w, "a", "aliases", (), How.UNSET),
    "set type": lambda w: plan_set(w, "a", "type", ("person",)),
    "rename": lambda w: plan_rename(w, "a", "Renamed"),
    "move type": lambda w: plan_move(w, "a", type="company"),
    "move": lambda w: plan_move(w, "a", to="entities/x/y"),
    "remove": lambda w: plan_remove(w, "a", force=True),
    "merge": lambda w: plan_merge(w, "good", "a", WHY, force=True),
    "merge into": lambda w: plan_merge(w, "a", "good", WHY, force=True),
    "unmerge": lambda w: plan_unmerge(w, "a", WHY),
    "distinct": lambda w: plan_distinct(w, "a", "good", WHY),
    "decide": lambda w: plan_decide(w, "reject", ("a", "good"), WHY),
    "new": lambda w: plan_new(w, "person", "A", id="a"),
    "new other": lambda w: plan_new(w, "person", "A"),
}  # fmt: skip


def base(root: Path, data: bytes) -> Path:
    """Write a knowledge base of one bad file and good ones that link to it."""
    linking = entity(
        "good", "[a](a.md)", "", "## Relations", "", "- mentors:: [A](a.md) ^aa", name="Good"
    )
    return write_kb(root, {A: data, GOOD: linking, SEEN: observation("2026-01-01-seen")})


def iter_edits(root: Path) -> Iterator[tuple[str, Edit | None]]:
    """Plan each edit; ``None`` where it is refused."""
    opened = workspace(root)
    for name, plan in EDITS.items():
        try:
            yield name, plan(opened)
        except KbError:
            yield name, None


def check_change(change: FileChange, data: bytes, name: str) -> None:
    """A change is of the bytes that are there, and keeps the body of what it changes."""
    if change.before is None or change.after is None:
        return
    before, after = (decode(change.path, one) for one in (change.before, change.after))
    assert before.has_bom == after.has_bom
    if name not in ("move", "move type"):
        old, new = split_front_matter(before.text), split_front_matter(after.text)
        assert after.text[new.body_start :] == before.text[old.body_start :], name
    if change.path == A:
        assert change.before == data
        assert not parse_entity_file(after)[0].is_broken


def check_file(root: Path, data: bytes) -> None:
    """No edit crashes on a file; a broken one is changed by none."""
    root = base(root, data)
    before = tree(root)
    is_broken = parse_entity_file(decode(A, data))[0].is_broken
    for name, edit in iter_edits(root):
        for change in edit.changes if edit else ():
            assert change.before == before.get(change.path), name
            assert not (is_broken and change.path == A), name
            check_change(change, data, name)
    assert tree(root) == before


@pytest.mark.parametrize(
    "data",
    [
        *(text.encode("utf-8", "surrogatepass") for _, text, _, _ in FILES),
        b"\xef\xbb\xbf---\nid: a\n---\n\n## Facts\n- x:: y \xc3( z\n",
        b"---\nid: a\nname: \xff\n---\n",
        b"---\nid: a\nmerged_into: nobody\n---\n",
        b"---\nid: a\nmerged_into: a\n---\n",
        b"---\nid: a\nmerged_into: [good]\n---\n",
        b"---\nid: a\nmerged_into:\n---\n",
        b"---\nid: a\nmerged_into: good\n---\n",
        b"---\nid: a\ndistinct_from: [a, nobody, good]\n---\n",
        b"---\nid: a\ndistinct_from: {b: c}\n---\n",
        b"---\nid: good\n---\n",
        b"",
        b"\x00\x01",
        b"---\nid: a\n---\n" + b"x" * (4 * 1024 * 1024),
    ],
    ids=lambda data: repr(data[:40]),
)
def test_bad_files_under_every_edit(tmp_path: Path, data: bytes) -> None:
    """BAD-INPUTS and cases of the first issue, and redirects and judgements at fault."""
    check_file(tmp_path, data)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared folder is not there")
@pytest.mark.parametrize("name", ["B02", "B06", "B08", "B10", "B12", "B14", "B16", "B20"])
def test_cases_under_every_edit(tmp_path: Path, name: str) -> None:
    """The files of the cases, as they lie there."""
    for number, path in enumerate(sorted((SHARED / "cases" / name).glob("*.md"))):
        check_file(tmp_path / str(number), path.read_bytes())


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=contents())
def test_any_bytes_under_every_edit(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Whatever a file holds."""
    check_file(tmp_path_factory.mktemp("kb"), data)


def test_case_b10_a_file_that_does_not_parse_is_left_alone(tmp_path: Path) -> None:
    """case B10: adding a key is refused, and no second block is stacked on top."""
    data = b"---\nname: my-note\ndescription: real: text\n---\nbody\n"
    root = base(tmp_path, data)
    with pytest.raises(KbError, match="does not parse"):
        do(root, plan_set, "a", "key", ("email:a@x.example",))
    assert (root / A).read_bytes() == data


def test_row_66_two_make_the_same(tmp_path: Path) -> None:
    """BAD-INPUTS 66: the same key again is refused by whoever comes second; the same name makes another id."""
    root = base(tmp_path, entity("a").encode())
    do(root, plan_new, "person", "Mina", keys=("email:mina@x.example",))
    with pytest.raises(KbError, match="is a key of Mina"):
        do(root, plan_new, "person", "M. Okada", keys=("email:MINA@x.example",))
    (path,) = do(root, plan_new, "person", "Mina").edit.paths
    assert path.endswith("/mina-2.md")
