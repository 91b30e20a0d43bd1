"""An edit that a killed process began: its files tell whether it was done, for a repeated call and for undo."""

from itertools import product
from pathlib import Path

import pytest

from kb.edits.apply import Applied, WriteOptions, apply_edit
from kb.edits.edit import Edit, FileChange
from kb.edits.journal import Journal, State
from kb.edits.undo import NothingToUndo, Undone, undo_last
from kb.edits.workspace import Workspace
from kb.errors import ConcurrentModification
from kb.store.writes import WriteRefused
from tests.conftest import NOW, entity, write_kb
from tests.edits.editing import tree

MADE, CHANGED, GONE = (f"entities/person/{name}.md" for name in ("made", "changed", "gone"))
BEFORE = {MADE: None, CHANGED: entity("changed"), GONE: entity("gone")}
AFTER = {MADE: entity("made"), CHANGED: entity("changed", "More."), GONE: None}
OPTIONS = WriteOptions(idempotency_key="k", request="r")
#: Of each file, whether it is as the edit wrote it.
EVERY = list(product((True, False), repeat=3))


def do(root: Path, options: WriteOptions = OPTIONS) -> Applied:
    """Make a file, change one and remove one."""

    def plan(_: Workspace) -> Edit:
        changes = tuple(
            FileChange(path, *(text and text.encode() for text in (BEFORE[path], AFTER[path])))
            for path in BEFORE
        )
        return Edit("three", "three", changes, ("changed",), CHANGED)

    return apply_edit(str(root), NOW, plan, options)


def put(root: Path, states: dict[str, str | None]) -> None:
    """Write or remove files."""
    for path, text in states.items():
        (root / path).unlink(missing_ok=True)
        if text is not None:
            (root / path).write_text(text)


def stopped(
    root: Path, state: State, written: tuple[bool, ...]
) -> tuple[dict[str, bytes], Applied]:
    """Give what there was before an edit that was stopped when some of its files were written, and what it would have said."""
    write_kb(root, {path: text for path, text in BEFORE.items() if text is not None})
    before = tree(root)
    done = do(root)
    journal = Journal(str(root))
    entry = journal.newest()
    assert entry is not None
    assert entry.state is State.DONE
    journal.rewrite(entry._replace(state=state))
    for path, is_written in zip(BEFORE, written, strict=True):
        put(root, {path: (AFTER if is_written else BEFORE)[path]})
    return before, done


@pytest.mark.parametrize("written", EVERY)
def test_a_repeat_does_what_was_not_done(tmp_path: Path, written: tuple[bool, ...]) -> None:
    """Where all files stand, it was done, and the answer is the same; else what stands is put back, and it is done."""
    _, done = stopped(tmp_path, State.BEGUN, written)
    again = do(tmp_path)
    assert again.is_repeated == all(written)
    assert again._replace(is_repeated=False) == done
    assert {path: tree(tmp_path).get(path) for path in AFTER} == {
        path: text and text.encode() for path, text in AFTER.items()
    }
    assert do(tmp_path).is_repeated


@pytest.mark.parametrize(("state", "written"), [*product((State.BEGUN, State.UNDOING), EVERY)])
def test_undo_takes_back_what_stands(
    tmp_path: Path, state: State, written: tuple[bool, ...]
) -> None:
    """All files are as before, once; an edit of which nothing stands is passed over."""
    before, _ = stopped(tmp_path, state, written)
    if any(written):
        undo_last(str(tmp_path))
    assert tree(tmp_path) == before
    with pytest.raises(NothingToUndo):
        undo_last(str(tmp_path))


def test_a_repeat_of_what_wrote_nothing(tmp_path: Path) -> None:
    """A call with a key that found all there already answers the same when it is repeated."""
    write_kb(tmp_path, {})
    first, again = (
        apply_edit(str(tmp_path), NOW, lambda _: Edit("none", "none"), OPTIONS) for _ in range(2)
    )
    assert again == first._replace(is_repeated=True)


@pytest.mark.parametrize("written", EVERY)
def test_a_repeat_of_what_was_being_undone(tmp_path: Path, written: tuple[bool, ...]) -> None:
    """A call whose edit was taken back, were it in part, does nothing, and says so."""
    stopped(tmp_path, State.UNDOING, written)
    before = tree(tmp_path)
    again = do(tmp_path)
    assert again.is_repeated
    assert again.warnings == (() if all(written) else ("it was undone since",))
    assert tree(tmp_path) == before


@pytest.mark.parametrize("is_done", [True, False])
def test_what_became_of_it_is_found_out_before_the_next_edit(tmp_path: Path, is_done: bool) -> None:
    """An edit that changes the same file afterwards does not make it look as if it had not been done, or had."""
    stopped(tmp_path, State.BEGUN, (is_done,) * 3)
    data = (tmp_path / CHANGED).read_bytes()
    later = Edit("later", "later", (FileChange(CHANGED, data, data + b"Later.\n"),))
    apply_edit(str(tmp_path), NOW, lambda _: later, WriteOptions())
    states = [one.state for one in Journal(str(tmp_path)).iter_newest()]
    assert states == [State.DONE, State.DONE] if is_done else [State.DONE]


def test_undo_refuses_what_somebody_changed_since(tmp_path: Path) -> None:
    """A file that is neither as before nor as written is somebody else's, and nothing is taken back."""
    stopped(tmp_path, State.BEGUN, (True, True, False))
    with (tmp_path / CHANGED).open("a") as file:
        file.write("Mine.\n")
    before = tree(tmp_path)
    with pytest.raises(Undone):
        undo_last(str(tmp_path))
    assert tree(tmp_path) == before


def test_an_entry_stands_before_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While files are written, the edit is on record; one that is refused leaves no record."""
    stopped(tmp_path, State.UNDONE, (False,) * 3)
    seen: list[State] = []

    def looking(root: str, path: str, data: bytes, **how: bool) -> None:
        newest = Journal(root).newest()
        seen.append(State.UNDONE if newest is None else newest.state)
        raise WriteRefused(path)

    monkeypatch.setattr("kb.edits.apply.create_file", looking)
    with pytest.raises(WriteRefused):
        do(tmp_path, WriteOptions())
    assert seen == [State.BEGUN]
    assert [one.state for one in Journal(str(tmp_path)).iter_newest()] == [State.UNDONE]


@pytest.mark.parametrize("place", BEFORE)
def test_a_refused_edit_leaves_no_record(tmp_path: Path, place: str) -> None:
    """Whichever file is somebody else's by now, the edit of which nothing stands is not taken for the last one."""
    stopped(tmp_path, State.DONE, (True,) * 3)
    undo_last(str(tmp_path))
    (tmp_path / place).unlink(missing_ok=True)
    (tmp_path / place).mkdir()
    with pytest.raises((WriteRefused, ConcurrentModification)):
        do(tmp_path, WriteOptions())
    assert [one.state for one in Journal(str(tmp_path)).iter_newest()] == [State.UNDONE]


def test_a_record_reads_back(tmp_path: Path) -> None:
    """Whatever its state, an entry is on disk what it was in memory."""
    stopped(tmp_path, State.DONE, (True,) * 3)
    journal = Journal(str(tmp_path))
    entry = journal.newest()
    assert entry is not None
    for state in State:
        assert journal.rewrite(entry._replace(state=state)) == ""
        assert journal.newest() == entry._replace(state=state)
