"""Every bad file of the parser's tests under every edit: refused or done as asked, never a crash, never another byte."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from kb.edits.decisions import plan_decide
from kb.edits.edit import Edit, FileChange
from kb.edits.format_files import format_files
from kb.edits.judgements import plan_distinct, plan_merge, plan_unmerge
from kb.edits.move_entity import plan_move
from kb.edits.new_entity import plan_new
from kb.edits.observe import plan_observe
from kb.edits.relate import Saying, plan_fact, plan_relate
from kb.edits.remove_file import plan_remove
from kb.edits.retire import plan_cite, plan_confirm, plan_retire, plan_unrelate
from kb.edits.seal_observations import seal_observations
from kb.edits.set_fields import How, plan_rename, plan_set
from kb.edits.workspace import LeftAlone, NotFound, Refused, Workspace
from kb.edits.write_files import write_files
from kb.errors import KbError
from kb.knowledge_base import open_knowledge_base
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.observation_file import parse_observation_file, seal_of
from kb.syntax.source import decode
from tests.conftest import NOW, SHARED, entity, observation, write_kb
from tests.edits.editing import WHY, check_bytes, do, tree, workspace
from tests.syntax.test_bad_files import FILES, contents

A, GOOD = "entities/person/a.md", "entities/person/good.md"
SEEN, OTHER = "observations/2026/01/2026-01-01-seen.md", "observations/2026/01/2026-01-02-other.md"

Plan = Callable[[Workspace], Edit]
SAID = Saying(said="So it is.")


def own(workspace: Workspace) -> str:
    """Name the first statement of the bad file."""
    for one in workspace.graph.iter_statements():
        if one.file_id == "a":
            return f"a/^{one.id}"
    raise Refused("it states nothing")


#: Every edit that could touch the bad file, which is "a", besides those of statements.
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
    "rename, forget": lambda w: plan_rename(w, "a", "Renamed", forget=True),
    "remove": lambda w: plan_remove(w, "a"),
    "remove by force": lambda w: plan_remove(w, "a", force=True),
    "merge": lambda w: plan_merge(w, "good", "a", WHY, force=True),
    "merge into": lambda w: plan_merge(w, "a", "good", WHY, force=True),
    "unmerge": lambda w: plan_unmerge(w, "a", WHY),
    "distinct": lambda w: plan_distinct(w, "a", "good", WHY),
    "withdraw": lambda w: plan_distinct(w, "a", "good", WHY, withdraw=True),
    "decide": lambda w: plan_decide(w, "reject", ("a", "good"), WHY),
    "not mentioned": lambda w: plan_decide(w, "not-mentioned", ("a", "2026-01-01-seen"), WHY),
    "new": lambda w: plan_new(w, "person", "A", id="a"),
    "new other": lambda w: plan_new(w, "person", "A"),
    "observe": lambda w: plan_observe(w, "Said.", said_by="a", participants=["a"]),
}  # fmt: skip

#: Those that move links with a file.
MOVES: dict[str, Plan] = {
    "move type": lambda w: plan_move(w, "a", type="company"),
    "move": lambda w: plan_move(w, "a", to="entities/x/y"),
}

#: Edits of statements: each writes, changes or takes one line, and the definitions of what it cites.
STATEMENTS: dict[str, Plan] = {
    "relate": lambda w: plan_relate(w, "a", "mentors", "good", SAID),
    "relate to": lambda w: plan_relate(w, "good", "reports-to", "a", SAID),
    "fact": lambda w: plan_fact(w, "a", "title", "VP (acting) — EMEA", SAID),
    "said by": lambda w: plan_fact(w, "good", "title", "Head", SAID._replace(by="a")),
    "unrelate": lambda w: plan_unrelate(w, "good", "mentors", "a", "", False),
    "unrelate, delete": lambda w: plan_unrelate(w, "good", "mentors", "a", "", True),
    "retract": lambda w: plan_retire(w, own(w), retract=True),
    "end": lambda w: plan_retire(w, own(w), until="2026"),
    "supersede": lambda w: plan_retire(w, own(w), superseded_by="^aa"),
    "cite": lambda w: plan_cite(w, own(w), ["2026-01-01-seen"]),
    "confirm": lambda w: plan_confirm(w, own(w)),
}


def base(root: Path, data: bytes, name: str = "a.md") -> Path:
    """Write a knowledge base of one bad file and good ones that link to it."""
    linking = entity(
        "good", "[a](a.md)", "", "## Relations", "", "- mentors:: [A](a.md) ^aa", name="Good"
    )
    seen = {SEEN: observation("2026-01-01-seen")}
    return write_kb(root, {f"entities/person/{name}": data, GOOD: linking, **seen})


def iter_edits(root: Path, plans: dict[str, Plan]) -> Iterator[tuple[str, Edit | None]]:
    """Plan each edit; ``None`` where it is refused."""
    opened = workspace(root)
    for name, plan in plans.items():
        try:
            yield name, plan(opened)
        except KbError:
            yield name, None


def check_change(change: FileChange, data: bytes, name: str) -> None:
    """A change is of the bytes that are there, and keeps of what it changes all that it is not about."""
    if change.before is None or change.after is None:
        return
    if (
        name in STATEMENTS
    ):  # with a line may go the definition that only it cited, and the blank ones around them
        check_bytes(change.before, change.after, 5 if name == "unrelate, delete" else 1)
    elif name in EDITS:
        check_bytes(change.before, change.after)
    if change.path == A:
        assert change.before == data
        after = decode(change.path, change.after)
        assert after.has_bom == decode(change.path, data).has_bom
        assert not parse_entity_file(after)[0].is_broken


def check_file(root: Path, data: bytes) -> None:
    """No edit crashes on a file; a broken one is changed by none."""
    root = base(root, data)
    before = tree(root)
    is_broken = parse_entity_file(decode(A, data))[0].is_broken
    for name, edit in iter_edits(root, {**EDITS, **MOVES, **STATEMENTS}):
        for change in edit.changes if edit else ():
            assert change.before == before.get(change.path), name
            assert not (is_broken and change.path == A), name
            check_change(change, data, name)
    for formatted in format_files(open_knowledge_base(str(root), NOW), check=True).changed:
        assert not (is_broken and formatted.path == A)
    assert tree(root) == before


#: What a file of the id "a" may say otherwise (after its id and type), by row of BAD-INPUTS.
ROWS = {
    "12": "happened_at: 1980-02-30\nborn: 1980-02-30\n---\n",
    "20": "keys: [github:dana]\n---\n",
    "22": "aliases: [good]\n---\n",
    "40": "---\n\n## Relations\n\n- reports-to:: [A](a.md) ^x\n- part-of:: [Good](good.md)\n",
    "42": "---\n\n## Relations\n\n"
    + "".join(
        f"- mentors:: [X]({target}) [^2020-01-01-gone]\n"
        for target in (
            *("gone.md", "../person/", "../../../../etc/passwd", "file:///etc/passwd", "%67ood.md"),
            *("<a b#c?d%.md>", "https://x.example/", "..\\\\good.md", "good.md"),
        )
    ),
    "44": "---\n\n## Facts\n\n- title:: A ^x\n- title:: B ^x\n- title:: C ^x\n",
    "46": "---\n\n## Facts\n\n- title:: A (2026-01-01T00:00+99:00/..) ^x\n- role:: B (9999999-01) ^y\n",
    "64": "name: Ignore previous instructions\n---\n\n## Facts\n\n"
    "- title:: <script>\u202e\u200b\x1b[31m\U000e0041 (2024/..) — ![](http://evil) [x](javascript:y) ^x\n",
}

#: Names of files that claim the id "a" (BAD-INPUTS 50).
NAMES = [
    *("a\nb.md", "a'\".md", "-a.md", "a:b.md", "a. .md", "CON.md", "\N{SLICE OF PIZZA}.md"),
    *("bad\udcff.md", f"{'a' * 240}.md", "a\u0308.md", "A.md"),
]

#: Sources at fault.
OBSERVATIONS = [
    observation("2026-01-02-other").encode(),
    b"\xef\xbb\xbf" + observation("2026-01-02-other", "caf\xe9\n").encode("latin-1"),
    observation("2026-01-02-other", happened_at="1980-02-30", born="1980-02-30").encode(),
    observation("2026-01-02-other", happened_at="2026-01-01T00:00+99:00").encode(),
    observation("2026-01-02-other", happened_at="2016-12-31T23:59:60Z").encode(),
    observation("2026-01-02-other", "<<<<<<< HEAD\nx\n>>>>>>> b\n").encode(),
    observation("2026-01-02-other", "<<<<<<< x\n", sha256=seal_of("<<<<<<< x\n")).encode(),
    observation("2026-01-02-other", sha256="0" * 64).encode(),
    observation("2026-01-02-other", title="a: b: c").encode(),
    observation("2026-01-02-other", kind="decision", decision="merge", about="[a]").encode(),
    observation("2026-01-01-seen").encode(),
    b"---\nid: 2026-01-02-other\n",
    b"---\n- a list\n---\nSaid.\n",
    b"\x00",
    b"",
]


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
        *(f"---\nid: a\ntype: person\n{text}".encode() for text in ROWS.values()),
    ],
    ids=lambda data: repr(data[:40]),
)
def test_bad_files_under_every_edit(tmp_path: Path, data: bytes) -> None:
    """BAD-INPUTS and cases of the first issue, and redirects and judgements at fault."""
    check_file(tmp_path, data)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_bad_names_under_every_edit(tmp_path: Path, name: str) -> None:
    """BAD-INPUTS 50: a file whose name not every system can hold is edited in its place, or the edit is refused."""
    data = b"---\nid: a\ntype: person\n---\n\n## Facts\n\n- title:: Engineer ^x\n"
    for number, edit in enumerate(EDITS | MOVES | STATEMENTS):
        root = base(tmp_path / str(number), data, name)
        others = {
            path: one for path, one in tree(root).items() if path != GOOD and name not in path
        }
        ((_, planned),) = iter_edits(root, {edit: (EDITS | MOVES | STATEMENTS)[edit]})
        if planned is None:
            continue
        with suppress(KbError):
            write_files(str(root), planned.changes)
        assert tree(root).items() >= others.items(), edit


@pytest.mark.parametrize("is_folder", [False, True])
def test_links_under_every_edit(tmp_path: Path, is_folder: bool) -> None:
    """BAD-INPUTS 52: nothing is written through a symbolic link, be it the file or a folder above it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.md").write_text(entity("a", "## Facts", "", "- title:: Engineer ^x"))
    root = base(tmp_path / "kb", b"")
    (root / A).unlink()
    if is_folder:
        (root / "entities/deep").symlink_to(outside)
    else:
        (root / A).symlink_to(outside / "a.md")
    before = tree(outside)
    for _, edit in iter_edits(root, EDITS | MOVES | STATEMENTS):
        if edit is not None:
            assert not any(change.path.startswith("entities/deep/") for change in edit.changes)
            with suppress(KbError):  # its place is taken by the link
                write_files(str(root), edit.changes)
    assert is_folder or (root / A).is_symlink()
    assert tree(outside) == before


@pytest.mark.parametrize("data", OBSERVATIONS, ids=lambda data: repr(data[:40]))
def test_bad_observations_under_every_edit(tmp_path: Path, data: bytes) -> None:
    """BAD-INPUTS 8, 12, 24, 34, 46 in a source: it is never changed but by its seal, and not at all if it does not parse."""
    root = base(tmp_path, entity("a", "## Facts", "", "- title:: Engineer ^x").encode())
    (root / OTHER).write_bytes(data)
    before = tree(root)
    id, saying = "2026-01-02-other", Saying(("2026-01-02-other",))
    is_broken = parse_observation_file(decode(OTHER, data))[0].is_broken
    plans: dict[str, Plan] = {
        "cite": lambda w: plan_cite(w, "a/^x", [id]),
        "relate": lambda w: plan_relate(w, "a", "mentors", "good", saying),
        "fact": lambda w: plan_fact(w, "a", "title", "Head", saying),
        "decide": lambda w: plan_decide(w, "not-mentioned", ("a", id), WHY),
        "merge": lambda w: plan_merge(w, "a", "good", WHY._replace(evidence=(id,))),
        "observe": lambda w: plan_observe(w, "Again.", derived_from=[id]),
        "remove": lambda w: plan_remove(w, id),
        "remove by force": lambda w: plan_remove(w, id, force=True),
    }
    for name, edit in iter_edits(root, plans):
        for change in edit.changes if edit else ():
            assert change.before == before.get(change.path), name
            assert change.path != OTHER or (change.after is None and not is_broken), name
    seal_observations(open_knowledge_base(str(root), NOW))
    after = (root / OTHER).read_bytes()
    if after != data:
        assert not is_broken
        check_bytes(data, after)


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


CONFLICT = """---
id: a
type: person
---

## Relations

<<<<<<< HEAD
- reports-to:: [Good](good.md) ^x
=======
- mentors:: [Good](good.md) ^x
>>>>>>> other
"""


@pytest.mark.parametrize("edit", [
    "set name", "set own", "add key", "rename", "merge", "merge into", "distinct", "move",
    "relate", "fact", "unrelate", "unrelate, delete",
])  # fmt: skip
def test_conflict_markers_are_told_with_their_place(tmp_path: Path, edit: str) -> None:
    """Every edit that cannot be done because of them says so as ``kb check`` does, be they in the body or the frontmatter."""
    merging = CONFLICT.replace("id: a\n", "<<<<<<< HEAD\nid: a\n=======\nid: a\n>>>>>>> b\n")
    plans = {
        **EDITS,
        **MOVES,
        **STATEMENTS,
        "unrelate": lambda w: plan_unrelate(w, "a", "mentors", "good", "", False),
        "unrelate, delete": lambda w: plan_unrelate(w, "good", "reports-to", "a", "", True),
    }
    for number, (text, line) in enumerate(((CONFLICT, 8), (merging, 2))):
        root = base(tmp_path / str(number), text.encode())
        (root / GOOD).write_text(entity("good", name="Good"))
        with pytest.raises(LeftAlone) as refused:
            plans[edit](workspace(root))
        assert refused.value.message.startswith(f"{A}:{line}: conflict marker <<<<<<<")
        assert refused.value.hint.startswith("finish the merge")


@pytest.mark.parametrize("id", ["^x", "a/^x", "good/^x"])
def test_a_statement_in_a_file_that_does_not_parse_is_not_denied(tmp_path: Path, id: str) -> None:
    """It may be there: the file's fault is told, and not that there is no such statement."""
    root = base(tmp_path, CONFLICT.encode())
    plans: tuple[Plan, ...] = (
        lambda w: plan_retire(w, id, retract=True),
        lambda w: plan_retire(w, "^aa", superseded_by=id),
        lambda w: plan_cite(w, id, ["2026-01-01-seen"]),
        lambda w: plan_confirm(w, id),
        lambda w: plan_decide(w, "correct", [id], WHY),
        lambda w: plan_fact(w, "good", "title", "Head", SAID._replace(supersede=id)),
    )
    for plan in plans:
        with pytest.raises(LeftAlone, match=f"{A}:8: conflict marker"):
            plan(workspace(root))
    with pytest.raises(NotFound, match=r"no statement \^xx"):
        plan_confirm(workspace(root), "^xx")


def test_row_66_two_make_the_same(tmp_path: Path) -> None:
    """BAD-INPUTS 66: the same key again is refused by whoever comes second; the same name makes another id."""
    root = base(tmp_path, entity("a").encode())
    do(root, plan_new, "person", "Mina", keys=("email:mina@x.example",))
    with pytest.raises(KbError, match="is a key of Mina"):
        do(root, plan_new, "person", "M. Okada", keys=("email:MINA@x.example",))
    (path,) = do(root, plan_new, "person", "Mina").edit.paths
    assert path.endswith("/mina-2.md")
