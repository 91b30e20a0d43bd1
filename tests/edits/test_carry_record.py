"""A knowledge base that comes into git keeps the record of its edits, wherever the moving of it is stopped."""

import errno
import os
import shutil
import sys
from pathlib import Path
from types import FrameType

import pytest

from kb.edits import carry_record as carrying
from kb.edits.apply import Applied, WriteOptions, apply_edit
from kb.edits.carry_record import carry_record
from kb.edits.observe import plan_observe
from kb.edits.undo import NothingToUndo, undo_last
from kb.store.derived import EDITS, derived_folder, folder_without_git, hold_place
from kb.store.writes import KnowledgeBaseLocked, WriteRefused, lock_knowledge_base
from tests.conftest import NOW, entity, git, write_kb

CALLS = 3


def do(root: Path, number: int) -> Applied:
    """File an observation under a key."""
    options = WriteOptions(idempotency_key=f"k{number}", request=str(number), commit=False)
    return apply_edit(str(root), NOW, lambda space: plan_observe(space, f"So {number}."), options)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A knowledge base without git, in which some edits were done."""
    root = write_kb(tmp_path / "kb", {})
    for number in range(CALLS):
        do(root, number)
    return root


def records(folder: str) -> dict[str, bytes]:
    """What a folder holds as the record of edits."""
    place = Path(folder, EDITS)
    return {one.name: one.read_bytes() for one in place.iterdir()} if place.is_dir() else {}


def over_file_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the place without git lie on another file system than the repository."""
    original = os.rename

    def rename(source: str | Path, target: str | Path) -> None:
        if ".git" not in str(source):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        original(source, target)

    monkeypatch.setattr("kb.edits.carry_record.os.rename", rename)


def test_a_repository_within_another_keeps_the_record(root: Path) -> None:
    """What was done without git, then in a repository above, is known in one of its own."""
    git(root.parent, "init", "--quiet")
    do(root, CALLS)
    place = derived_folder(str(root))
    git(root, "init", "--quiet")
    assert all(do(root, number).is_repeated for number in range(CALLS + 1))
    assert records(place) == {}


@pytest.mark.parametrize("is_across", [False, True])
@pytest.mark.parametrize("top", [".", ".."])
def test_keys_and_undo_are_as_before(
    root: Path, monkeypatch: pytest.MonkeyPatch, is_across: bool, top: str
) -> None:
    """After ``git init``, in its folder or one above, a repeated call does nothing, and all edits are undone in turn."""
    git(root / top, "init", "--quiet")
    if is_across:
        over_file_systems(monkeypatch)
    for number in range(CALLS):
        assert do(root, number).is_repeated
    assert records(folder_without_git(str(root))) == {}
    for _ in range(CALLS):
        undo_last(str(root))
    with pytest.raises(NothingToUndo):
        undo_last(str(root))
    assert list((root / "observations").rglob("*.md")) == []


class Stopped(BaseException):
    """A process that ends here."""


def stopped_at(number: int, root: Path) -> bool:
    """Carry the record, and stop before the line of it that is run as the so many-th; say whether it came to that."""
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal lines
        if frame.f_code.co_filename != carrying.__file__:
            return None
        lines += event == "line"
        if lines == number:
            raise Stopped
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        carry_record(str(root))
    except Stopped:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.parametrize("is_across", [False, True])
def test_nothing_is_lost_wherever_it_is_stopped(
    root: Path, monkeypatch: pytest.MonkeyPatch, is_across: bool
) -> None:
    """The next write finds the whole record, which is then in the new place, and nothing beside it."""
    before = records(folder_without_git(str(root)))
    git(root, "init", "--quiet")
    if is_across:
        over_file_systems(monkeypatch)
    place, old = Path(derived_folder(str(root))), Path(folder_without_git(str(root)), EDITS)
    place.mkdir()
    number = 1
    while stopped_at(number, root):
        found = records(str(place)) or records(folder_without_git(str(root)))
        assert found == before, number
        carry_record(str(root))
        assert records(str(place)) == before, number
        with lock_knowledge_base(str(root)):
            assert [one.name for one in place.iterdir() if one.name.startswith(".kb-")] == []
        shutil.rmtree(old, ignore_errors=True)
        (place / EDITS).rename(old)
        number += 1
    assert number > (20 if is_across else 10)


def test_a_record_that_is_there_is_kept(root: Path) -> None:
    """Where the repository has a record of its own, an older one without git stays where it is, and counts no more."""
    old = records(folder_without_git(str(root)))
    git(root, "init", "--quiet")
    place = Path(derived_folder(str(root)), EDITS)
    place.mkdir(parents=True)
    (place / "000000000007.json").write_text("{}")
    carry_record(str(root))
    assert records(derived_folder(str(root))) == {"000000000007.json": b"{}"}
    assert records(folder_without_git(str(root))) == old


def test_a_record_that_cannot_be_moved_stops_the_write(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be forgotten, and what it remembers be done twice; whoever sees to it is told the two places."""
    old = records(folder_without_git(str(root)))
    git(root, "init", "--quiet")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("kb.edits.carry_record.os.rename", full)
    with pytest.raises(WriteRefused, match="No space left") as refused:
        do(root, 0)
    assert EDITS in refused.value.hint
    assert records(folder_without_git(str(root))) == old


def test_whoever_wrote_before_git_came_is_waited_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that holds the lock of the old place is at work on the same files."""
    git(root, "init", "--quiet")
    monkeypatch.setattr("kb.edits.carry_record._WAIT", 0.05)
    with hold_place(folder_without_git(str(root)), 0), pytest.raises(KnowledgeBaseLocked):
        do(root, 0)
    assert do(root, 0).is_repeated


@pytest.mark.parametrize("is_undone", [False, True])
def test_what_was_kept_for_other_files_is_not_these_ones(root: Path, is_undone: bool) -> None:
    """Where another knowledge base lay at this path before, its keys are not taken for this one's."""
    if is_undone:
        undo_last(str(root))
    old = records(folder_without_git(str(root)))
    shutil.rmtree(root)
    write_kb(root, {"entities/person/ada.md": entity("ada")})
    git(root, "init", "--quiet")
    assert not do(root, 0).is_repeated
    assert records(folder_without_git(str(root))) == old
