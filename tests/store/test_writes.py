"""Guarded, atomic writes: what is refused, and that nothing is left behind."""

import errno
import os
import stat
import time
from pathlib import Path

import pytest

from kb.errors import ConcurrentModification
from kb.store.writes import (
    HELD_BY,
    CalledMeanwhile,
    KnowledgeBaseLocked,
    WriteRefused,
    create_file,
    lock_knowledge_base,
    lock_path,
    make_folder,
    read_place,
    replace_file,
)
from tests.conftest import git


def left_over(root: Path) -> list[str]:
    return [path.name for path in root.rglob(".kb-*")]


def test_a_file_is_replaced_if_it_is_what_the_change_was_planned_on(tmp_path: Path) -> None:
    """A replaced file keeps its permissions, and nothing is left beside it."""
    (tmp_path / "a.md").write_bytes(b"old\r\n")
    (tmp_path / "a.md").chmod(0o640)
    replace_file(str(tmp_path), "a.md", b"new", b"old\r\n")
    assert (tmp_path / "a.md").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == 0o640
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("now_there", [b"other", None])
def test_a_file_that_changed_or_went_is_not_written(
    tmp_path: Path, now_there: bytes | None
) -> None:
    """A file that is another by now, or gone, stays so."""
    if now_there is not None:
        (tmp_path / "a.md").write_bytes(now_there)
    with pytest.raises(ConcurrentModification):
        replace_file(str(tmp_path), "a.md", b"new", b"old")
    assert (
        (tmp_path / "a.md").read_bytes() == now_there
        if now_there
        else not (tmp_path / "a.md").exists()
    )
    assert left_over(tmp_path) == []


def test_equal_bytes_write_nothing(tmp_path: Path) -> None:
    """A file with the wanted bytes is not touched."""
    (tmp_path / "a.md").write_bytes(b"same")
    before = (tmp_path / "a.md").stat()
    replace_file(str(tmp_path), "a.md", b"same", b"same")
    after = (tmp_path / "a.md").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    """Creating refuses a path that is taken."""
    create_file(str(tmp_path), "entities/person/ada.md", b"first")
    with pytest.raises(WriteRefused, match="exists already"):
        create_file(str(tmp_path), "entities/person/ada.md", b"second")
    assert (tmp_path / "entities/person/ada.md").read_bytes() == b"first"
    assert left_over(tmp_path) == []


@pytest.mark.parametrize(
    "path",
    [
        "../evil.md",
        "a/../../evil.md",
        "/etc/evil",
        "a//b.md",
        "a\\..\\evil.md",
        "C:evil.md",
        "a\0b",
        ".",
    ],
)
def test_no_path_leads_out_of_the_root(tmp_path: Path, path: str) -> None:
    """Paths that are absolute, climb or are no plain names are refused, to create and to replace."""
    root = tmp_path / "kb"
    root.mkdir()
    with pytest.raises(WriteRefused):
        create_file(str(root), path, b"evil")
    with pytest.raises(WriteRefused):
        replace_file(str(root), path, b"evil", b"")
    assert list(tmp_path.rglob("*evil*")) == []


def test_symbolic_links_are_not_written_through(tmp_path: Path) -> None:
    """Neither a linked folder nor a linked file leads a write elsewhere."""
    root, outside = tmp_path / "kb", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "a.md").write_bytes(b"theirs")
    (root / "entities").symlink_to(outside)
    (root / "b.md").symlink_to(outside / "a.md")
    with pytest.raises(WriteRefused, match="symbolic link"):
        create_file(str(root), "entities/new.md", b"x")
    with pytest.raises(WriteRefused, match="no file, but a link"):
        replace_file(str(root), "b.md", b"x", b"theirs")
    assert (outside / "a.md").read_bytes() == b"theirs"
    assert not (outside / "new.md").exists()


@pytest.mark.parametrize(
    "obstacle, why",
    [
        ("entities", "entities is a symbolic link or no folder"),
        ("entities/person", "entities/person is a symbolic link or no folder"),
        ("entities/person/a.md", "no file, but a link, a folder or a device"),
    ],
)
@pytest.mark.parametrize("kind", ["link", "pipe", "file", "folder"])
def test_one_rule_says_where_a_file_may_be(
    tmp_path: Path, obstacle: str, why: str, kind: str
) -> None:
    """Comparing before the first write and each write refuse the same places in the same words."""
    path, root, place = "entities/person/a.md", str(tmp_path), tmp_path / obstacle
    assert read_place(root, path) is None
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        (tmp_path / "elsewhere").mkdir()
        place.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(place)
    elif kind == "file":
        place.write_bytes(b"there")
    else:
        place.mkdir()
    if kind == "file" and obstacle == path:
        assert read_place(root, path) == b"there"
        return
    if kind == "folder" and obstacle != path:
        assert read_place(root, path) is None
        return
    for write in (read_place, lambda root, path: replace_file(root, path, b"new", b"there")):
        with pytest.raises(WriteRefused, match=why):
            write(root, path)


def test_a_folder_that_differs_only_in_case_is_refused(tmp_path: Path) -> None:
    """No folder is made that another system could not tell from one that is there."""
    make_folder(str(tmp_path), "entities/Schemas")
    with pytest.raises(WriteRefused, match="Schemas differs only in case"):
        create_file(str(tmp_path), "entities/schemas/research.md", b"x")
    assert [path.name for path in (tmp_path / "entities").iterdir()] == ["Schemas"]


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    """The lock is held by one, and free again afterwards."""
    git(tmp_path, "init", "-q")
    with (
        lock_knowledge_base(str(tmp_path)),
        pytest.raises(KnowledgeBaseLocked),
        lock_knowledge_base(str(tmp_path), wait=0.05),
    ):
        pass
    with lock_knowledge_base(str(tmp_path), wait=0):
        assert lock_path(str(tmp_path)) == tmp_path / ".git/kb/lock"


def test_without_git_the_lock_lies_in_the_users_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Locking leaves no file in a knowledge base without git."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with lock_knowledge_base(str(tmp_path / "kb")):
        assert (tmp_path / "cache") in lock_path(str(tmp_path / "kb")).parents


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    """A temporary file whose writer died lies hidden beside its target until somebody else writes (BAD-INPUTS 66)."""
    (tmp_path / "entities/person").mkdir(parents=True)
    left = [
        tmp_path / ".kb-a.tmp",
        tmp_path / "entities/.kb-b.tmp",
        tmp_path / "entities/person/.kb-c.tmp",
    ]
    kept = [tmp_path / "entities/person/.kb-note.md", tmp_path / "other/.kb-d.tmp"]
    (tmp_path / "other").mkdir()
    for path in (*left, *kept):
        path.write_bytes(b"half")
    with lock_knowledge_base(str(tmp_path)):
        pass
    assert all(path.exists() for path in left)  # nobody died: nothing is looked for
    lock_path(str(tmp_path)).write_text("4711 1790000000")
    with lock_knowledge_base(str(tmp_path)):
        pass
    assert not any(path.exists() for path in left)
    assert all(path.exists() for path in kept)


def test_what_the_system_does_not_let_be_written_is_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk or a read-only folder is told with the path, leaves the old text, and no temporary file."""
    create_file(str(tmp_path), "entities/ada.md", b"first")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteRefused, match=r"entities/ada\.md is not written: No space"):
        replace_file(str(tmp_path), "entities/ada.md", b"second", b"first")
    with pytest.raises(WriteRefused, match=r"entities/bob\.md is not written: No space"):
        create_file(str(tmp_path), "entities/bob.md", b"x")
    assert [path.read_bytes() for path in tmp_path.rglob("*.md")] == [b"first"]
    assert left_over(tmp_path) == []


def test_whoever_waits_in_vain_leaves_the_holders_note(tmp_path: Path) -> None:
    """By it the next one would be told who it is, and, were it killed, that it may have left something."""
    with lock_knowledge_base(str(tmp_path)):
        before = lock_path(str(tmp_path)).read_text()
        with pytest.raises(KnowledgeBaseLocked), lock_knowledge_base(str(tmp_path), wait=0.05):
            pass
        assert lock_path(str(tmp_path)).read_text() == before
        assert before.startswith(f"{os.getpid()} ")


def test_whoever_is_called_by_a_hook_of_the_writers_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git tells whom it runs for; while another process holds the lock, it is waited for as ever."""
    monkeypatch.setenv(HELD_BY, str(os.getpid()))
    began = time.monotonic()
    with (
        lock_knowledge_base(str(tmp_path)),
        pytest.raises(CalledMeanwhile, match="hook"),
        lock_knowledge_base(str(tmp_path)),
    ):
        pass
    assert time.monotonic() - began < 5
    monkeypatch.setenv(HELD_BY, str(os.getpid() + 1))
    with (
        lock_knowledge_base(str(tmp_path)),
        pytest.raises(KnowledgeBaseLocked, match=r"\) is writing this knowledge base$"),
        lock_knowledge_base(str(tmp_path), wait=0.05),
    ):
        pass
    with lock_knowledge_base(str(tmp_path), wait=0):
        pass


@pytest.mark.parametrize("step", ["unlink", "chmod"])
def test_what_an_interrupted_writer_left_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Ctrl-C while a temporary file is made, or taken away, leaves it until somebody else writes; folders of commits too."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    place, name = (Path, "unlink") if step == "unlink" else (os, "fchmod")
    with monkeypatch.context() as patch:
        patch.setattr(place, name, interrupted)
        patch.setattr(Path, "unlink", interrupted)
        with pytest.raises(KeyboardInterrupt), lock_knowledge_base(str(tmp_path)):
            create_file(str(tmp_path), "entities/ada.md", b"x")
    folder = lock_path(str(tmp_path)).parent / ".kb-commit.tmp"
    folder.mkdir()
    (folder / "index").write_bytes(b"x")
    assert left_over(tmp_path) != []
    with lock_knowledge_base(str(tmp_path)):
        pass
    assert left_over(tmp_path) == []
    assert not folder.exists()
