"""An edit that a killed process began: its files tell whether it was done, for a repeated call and for undo."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest

from kb.edits.apply import Applied, Unsettled, WriteOptions, apply_edit
from kb.edits.commits import CommitInterrupted
from kb.edits.edit import Edit, FileChange
from kb.edits.journal import Committing, Journal, State, Unknown
from kb.edits.observe import plan_observe
from kb.edits.undo import NothingToUndo, Undone, undo_last
from kb.edits.workspace import Refused, Workspace
from kb.edits.write_files import write_files
from kb.edits.writing import begin_barrier, end_barrier, writing
from kb.errors import ConcurrentModification
from kb.store.writes import WriteRefused, lock_path
from tests.conftest import NOW, REPOSITORY, entity, git, make_repository, write_kb
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
    entry = next(journal.iter_newest(), None)
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


@pytest.mark.parametrize("written", EVERY)
def test_a_repeat_takes_nothing_back_beside_what_somebody_changed(
    tmp_path: Path, written: tuple[bool, ...]
) -> None:
    """Where some of its files stand and one is somebody else's by now, nothing is touched: a source may be cited by then."""
    stopped(tmp_path, State.BEGUN, written)
    with (tmp_path / CHANGED).open("a") as file:
        file.write("Mine.\n")
    before = tree(tmp_path)
    if written[0] or written[2]:
        with pytest.raises(Unsettled, match=CHANGED):
            do(tmp_path)
    else:  # nothing of it stands: it is planned again, on what is there
        with pytest.raises(ConcurrentModification):
            do(tmp_path)
    assert tree(tmp_path) == before


@pytest.mark.parametrize("has_written", [True, False])
def test_what_is_not_remembered_settles_what_came_before(tmp_path: Path, has_written: bool) -> None:
    """An import after a killed edit does not hide from later edits what became of it."""
    stopped(tmp_path, State.BEGUN, (True,) * 3)
    with writing(str(tmp_path)) as journal:
        barrier = begin_barrier(journal, "import", NOW)
        with (tmp_path / CHANGED).open("a") as file:
            file.write("Imported.\n")
        end_barrier(journal, barrier, has_written=has_written)
    before = tree(tmp_path)
    assert do(tmp_path).is_repeated
    assert tree(tmp_path) == before


def _committed(root: Path) -> str:
    return git(root, "log", "-1", "--format=%s").strip()


def _hook(root: Path, status: int) -> None:
    hook = root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexit {status}\n")
    hook.chmod(0o755)


def test_a_repeat_commits_what_git_refused(tmp_path: Path) -> None:
    """As often as git refuses, the answer says so; then the edit is committed, and undone by a commit."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    _hook(root, 1)
    options = OPTIONS._replace(commit=True)
    for is_repeated in (False, True):
        refused = do(root, options)
        assert (refused.is_repeated, refused.commit) == (is_repeated, "")
        assert refused.uncommitted is not None
    _hook(root, 0)
    for _ in range(2):
        again = do(root, options)
        assert (again.commit, again.uncommitted) == (git(root, "rev-parse", "HEAD").strip(), None)
    assert _committed(root) == "three"
    undo_last(str(root))
    assert _committed(root) == "undo: three"
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.parametrize("is_in_git", [True, False])
def test_a_repeat_of_what_was_killed_before_or_after_its_commit(
    tmp_path: Path, is_in_git: bool
) -> None:
    """Whether git had it or not, it is one commit afterwards, which the answer names; and undone by one."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    options = OPTIONS._replace(commit=True)
    do(root, options)
    journal = Journal(str(root))
    entry = next(journal.iter_newest(), None)
    assert entry is not None
    journal.rewrite(entry._replace(state=State.BEGUN, commit=""))
    if not is_in_git:
        git(root, "reset", "--quiet", "--mixed", "HEAD~1")
    again = do(root, options)
    assert again.is_repeated
    assert again.commit == git(root, "rev-parse", "HEAD").strip()
    assert git(root, "rev-list", "--count", "HEAD").strip() == "2"
    undo_last(str(root))
    assert git(root, "status", "--porcelain") == ""


def test_undo_of_what_was_killed_after_its_commit_is_a_commit(tmp_path: Path) -> None:
    """Though the record does not say that there is one."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    do(root, OPTIONS._replace(commit=True))
    journal = Journal(str(root))
    entry = next(journal.iter_newest(), None)
    assert entry is not None
    journal.rewrite(entry._replace(state=State.BEGUN, commit="", committing=Committing.OWED))
    undo_last(str(root))
    assert _committed(root) == "undo: three"
    assert git(root, "status", "--porcelain") == ""


def test_an_entry_stands_before_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While files are written, the edit is on record; one that is refused leaves no record."""
    stopped(tmp_path, State.UNDONE, (False,) * 3)
    seen: list[State] = []

    def looking(root: str, path: str, data: bytes, **how: bool) -> None:
        newest = next(Journal(root).iter_newest(), None)
        seen.append(State.UNDONE if newest is None else newest.state)
        raise WriteRefused(path)

    monkeypatch.setattr("kb.edits.write_files.create_file", looking)
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
    entry = next(journal.iter_newest(), None)
    assert entry is not None
    for state in State:
        assert journal.rewrite(entry._replace(state=state)) == ""
        assert next(journal.iter_newest(), None) == entry._replace(state=state)


def test_a_repeat_commits_the_source_that_somebody_elses_commit_left_out(tmp_path: Path) -> None:
    """Git refused; another edit of the same file is committed, and cites what HEAD lacks: the repeat mends it."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    options = OPTIONS._replace(commit=True)
    _hook(root, 1)
    assert do(root, options).uncommitted is not None
    _hook(root, 0)
    data = (root / CHANGED).read_bytes()
    later = Edit("later", "later", (FileChange(CHANGED, data, data + b"Later.\n"),))
    assert apply_edit(str(root), NOW, lambda _: later, WriteOptions(commit=True)).commit
    again = do(root, options)
    assert (again.is_repeated, again.uncommitted) == (True, None)
    assert git(root, "status", "--porcelain") == ""


def test_an_edit_back_to_what_head_has_needs_no_commit(tmp_path: Path) -> None:
    """And its undo makes none: what was never committed stays so."""
    root = make_repository(write_kb(tmp_path, {CHANGED: entity("changed")}))
    first = (root / CHANGED).read_bytes()
    (root / CHANGED).write_bytes(first + b"Mine.\n")
    back = Edit("back", "back", (FileChange(CHANGED, first + b"Mine.\n", first),))
    done = apply_edit(str(root), NOW, lambda _: back, WriteOptions(commit=True))
    assert (done.commit, done.uncommitted) == ("", None)
    before = git(root, "rev-parse", "HEAD")
    undo_last(str(root))
    assert git(root, "rev-parse", "HEAD") == before
    assert (root / CHANGED).read_bytes() == first + b"Mine.\n"


#: A hook that kills the process that has called git, as a user may who waits in vain.
KILLS = "kill -9 $(awk '{print $4}' /proc/$PPID/stat)"
IN_A_PROCESS = """\
import sys
from pathlib import Path
from tests.edits.test_settle import OPTIONS, WriteOptions, do, undo_last
root = Path(sys.argv[1])
if sys.argv[2] == "undo":
    undo_last(str(root))
else:
    do(root, WriteOptions(commit=True, by="ada"))
"""


def killed(root: Path, what: str, is_in_git: bool) -> Path:
    """Do an edit or undo one, each of which is to be a commit, and kill its process while git makes it, or right after."""
    make_repository(write_kb(root, {k: v for k, v in BEFORE.items() if v is not None}))
    if what == "undo":
        do(root, WriteOptions(commit=True))
    hook = root / ".git/hooks" / ("post-commit" if is_in_git else "pre-commit")
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{KILLS}\nexit 1\n")
    hook.chmod(0o755)
    call = [sys.executable, "-c", IN_A_PROCESS, str(root), what]
    ended = subprocess.run(call, env={**os.environ, "PYTHONPATH": str(REPOSITORY)}, check=False)
    assert ended.returncode == -SIGKILL
    while (root / ".git/index.lock").exists():  # git itself goes on to its end
        time.sleep(0.01)
    hook.unlink()
    return root


def observed(root: Path, commit: bool) -> Applied:
    """Do another edit."""
    return apply_edit(
        str(root), NOW, lambda space: plan_observe(space, "Next."), WriteOptions(commit=commit)
    )


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
@pytest.mark.parametrize("is_in_git", [False, True])
@pytest.mark.parametrize("what", ["edit", "undo"])
def test_what_was_killed_before_its_commit_is_committed_by_the_next_edit(
    tmp_path: Path, what: str, is_in_git: bool
) -> None:
    """As a commit of its own before the next one's, and said; where git had made it there is nothing to say."""
    root = killed(tmp_path, what, is_in_git)
    done = observed(root, True)
    assert git(root, "status", "--porcelain") == ""
    subject = "undo: three" if what == "undo" else "three"
    subjects = ["observe: Next.", subject, *(["three"] if what == "undo" else [])]
    assert git(root, "log", "--format=%s").splitlines()[:-1] == subjects
    assert bool(done.warnings) is not is_in_git
    assert all("stopped before its commit" in warning for warning in done.warnings)
    assert observed(root, True).warnings == ()
    undo_last(str(root))
    undo_last(str(root))
    if what == "edit":
        undo_last(str(root))
        assert _committed(root) == "undo: three"
    assert git(root, "status", "--porcelain") == ""
    assert all((root / path).is_file() is (text is not None) for path, text in BEFORE.items())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_what_was_killed_before_its_commit_is_said_where_none_is_wanted(tmp_path: Path) -> None:
    """An edit that is no commit calls no git for another one; nor is a commit made that is undone at once."""
    root = killed(tmp_path, "edit", False)
    head = git(root, "rev-parse", "HEAD")
    (warning,) = observed(root, False).warnings
    assert "is in no commit" in warning
    undo_last(str(root))
    undo_last(str(root))
    assert git(root, "rev-parse", "HEAD") == head
    assert git(root, "status", "--porcelain") == ""  # nor is anything left staged


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
@pytest.mark.parametrize("what", ["edit", "undo"])
def test_a_commit_stays_owed_whatever_comes_between(tmp_path: Path, what: str) -> None:
    """An edit that is no commit, one that is refused, a hand: the next commit makes it all the same, of what stands."""
    root = killed(tmp_path, what, False)
    head = git(root, "rev-parse", "HEAD")
    observed(root, False)

    def refused(_: Workspace) -> Edit:
        raise Refused("no", "")

    with pytest.raises(Refused):
        apply_edit(str(root), NOW, refused, WriteOptions(commit=True))
    assert git(root, "rev-parse", "HEAD") == head  # nothing is done that cannot be told
    with (root / CHANGED).open("a") as file:
        file.write("By hand.\n")
    (warning,) = observed(root, True).warnings
    subject = "undo: three" if what == "undo" else "three"
    assert f'"{subject}"' in warning
    assert f"{CHANGED} changed since" in warning
    if what == "edit":
        assert "Kb-By: ada" in git(root, "log", "-1", "--skip=1", "--format=%b")
    assert git(root, "log", "--format=%s", "-2").splitlines() == ["observe: Next.", subject]
    assert git(root, "diff", "HEAD", "--name-only").splitlines() == [CHANGED]
    tree = git(root, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert (MADE in tree) is (what == "edit")
    assert observed(root, True).warnings == ()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_what_is_committed_by_hand_is_owed_no_more(tmp_path: Path) -> None:
    """Nor said any more, by an edit that is no commit either."""
    root = killed(tmp_path, "edit", False)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "by hand")
    assert observed(root, False).warnings == ()
    assert Journal(str(root)).owing() == ()


def test_a_repeat_that_wants_no_commit_makes_none(tmp_path: Path) -> None:
    """A refused commit is made by a repeat that asks for it, and by no other."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    _hook(root, 1)
    assert do(root, OPTIONS._replace(commit=True)).uncommitted is not None
    _hook(root, 0)
    for choice in (False, None):
        again = do(root, OPTIONS._replace(commit=choice))
        assert (again.is_repeated, again.commit, again.uncommitted) == (True, "", None)
    assert do(root, OPTIONS._replace(commit=True)).commit == git(root, "rev-parse", "HEAD").strip()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_a_late_commit_that_git_refuses_is_said(tmp_path: Path) -> None:
    """With the reason, in one line; the edit at hand goes on."""
    root = killed(tmp_path, "edit", False)
    hook = root / ".git/hooks/pre-commit"
    hook.write_text(
        "#!/bin/sh\ngit diff --cached --name-only | grep -q made || exit 0\necho made\nexit 1\n"
    )
    hook.chmod(0o755)
    done = observed(root, True)
    (warning,) = done.warnings
    assert "the pre-commit hook refused it: made" in warning
    assert done.commit


def test_what_git_refused_is_not_committed_by_the_next_edit(tmp_path: Path) -> None:
    """Its user was told, and may have taken it for what to do next."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    _hook(root, 1)
    assert do(root, WriteOptions(commit=True)).uncommitted is not None
    _hook(root, 0)
    done = observed(root, True)
    assert done.warnings == ()
    assert git(root, "log", "--format=%s").splitlines()[0] == "observe: Next."
    assert git(root, "rev-list", "--count", "HEAD").strip() == "2"


def rewritten(root: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Journal:
    """Write a record, and let its text be another's."""
    write_kb(root, {path: text for path, text in BEFORE.items() if text is not None})
    do(root)
    (path,) = (lock_path(str(root)).parent / "edits").iterdir()
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    return Journal(str(root))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda stored: {**stored, "format": 99}, "is of another version of kb"),
        (lambda stored: {"edit": 1}, "is of another version of kb"),
        (lambda stored: {"format": 1, "edit": 1}, "is damaged"),
        (lambda stored: [], "is damaged"),
    ],
)
def test_a_record_that_cannot_be_read_says_why(
    tmp_path: Path, change: Callable[[dict[str, Any]], dict[str, Any]], why: str
) -> None:
    """One of another version is not called damaged; of neither is an older edit taken for the last, or a key for new."""
    rewritten(tmp_path, change)
    with pytest.raises(Unknown, match=why):
        undo_last(str(tmp_path))
    options = WriteOptions(idempotency_key="new", request="r")
    edit = Edit("none", "none")
    (warning,) = apply_edit(str(tmp_path), NOW, lambda _: edit, options).warnings
    assert why in warning


def test_an_edit_interrupted_in_its_commit_says_what_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what to do; the next edit that is a commit makes it."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))

    def interrupted(*_: object) -> tuple[str, str]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kb.edits.commits.commit_files", interrupted)
        with pytest.raises(CommitInterrupted, match='stands: "three"') as told:
            do(root, WriteOptions(commit=True))
    assert "kb undo" in told.value.hint
    assert (root / MADE).exists()
    (warning,) = observed(root, True).warnings
    assert "stopped before its commit" in warning
    assert git(root, "status", "--porcelain") == ""


def test_what_git_has_made_meanwhile_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git goes on where only its caller is killed: what it refuses since it has it already is no refusal."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))

    def beside(*_: object) -> tuple[str, str]:
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "-m", "three")
        return "", "git failed with status 1"

    monkeypatch.setattr("kb.edits.commits.commit_files", beside)
    done = do(root, WriteOptions(commit=True))
    assert (done.uncommitted, done.commit) == (None, git(root, "rev-parse", "HEAD").strip())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
@pytest.mark.parametrize("how", ["repeat", "undo"])
def test_whatever_makes_a_commit_pays_what_is_owed(tmp_path: Path, how: str) -> None:
    """A repeat that is committed now, and an undoing: no commit is without the source that another one owes."""
    root = killed(tmp_path, "edit", False)
    edit = Edit("two", "two", (FileChange("entities/person/two.md", None, entity("two").encode()),))
    options = WriteOptions(idempotency_key="two", request="two")
    head = git(root, "rev-parse", "HEAD").strip()
    first = apply_edit(str(root), NOW, lambda _: edit, options)
    assert (first.commit, git(root, "rev-parse", "HEAD").strip()) == ("", head)
    again = apply_edit(str(root), NOW, lambda _: edit, options._replace(commit=True))
    subjects = ["two", "three"]
    assert git(root, "log", "--format=%s", "-2").splitlines() == subjects
    assert ["stopped before its commit" in one for one in again.warnings] == [True]
    if how == "undo":
        journal = Journal(str(root))
        entry = next(one for one in journal.iter_newest() if one.edit.subject == "three")
        git(root, "rm", "--quiet", "--cached", MADE)
        git(root, "commit", "--quiet", "-m", "out")
        journal.rewrite(entry._replace(commit="", committing=Committing.OWED))
        undone = undo_last(str(root))
        assert ["stopped before its commit" in one for one in undone.warnings] == [True]
        assert git(root, "log", "--format=%s", "-2").splitlines() == ["undo: two", "three"]
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.parametrize("is_made", [False, True])
def test_a_repeat_interrupted_in_its_commit_is_committed_by_the_next_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_made: bool
) -> None:
    """As the edit itself would be, whether git went on to the end or not; where it did, the undoing is a commit."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    do(root, OPTIONS)

    def interrupted(*_: object) -> tuple[str, str]:
        if is_made:
            git(root, "add", "--all")
            git(root, "commit", "--quiet", "-m", "three")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kb.edits.commits.commit_files", interrupted)
        with pytest.raises(CommitInterrupted):
            do(root, OPTIONS._replace(commit=True))
    if is_made:
        undo_last(str(root))
        assert _committed(root) == "undo: three"
    else:
        assert "stopped before its commit" in observed(root, True).warnings[0]
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_an_interruption_in_the_commit_of_an_earlier_edit_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked for is not done; that is no word of undoing what is another's."""
    root = killed(tmp_path, "edit", False)
    before = tree(root)

    def interrupted(*_: object) -> tuple[str, str]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kb.edits.commits.commit_files", interrupted)
        with pytest.raises(CommitInterrupted, match="nothing else was done") as told:
            observed(root, True)
    assert "undo" not in told.value.hint
    assert tree(root) == before
    assert observed(root, True).commit


def test_a_repeat_of_what_was_committed_in_part_says_what_is_not(tmp_path: Path) -> None:
    """Each time it is asked: the rest of it is not in HEAD as it was written."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    do(root, OPTIONS)
    with (root / CHANGED).open("a") as file:
        file.write("By hand.\n")
    for _ in range(2):
        again = do(root, OPTIONS._replace(commit=True))
        assert again.uncommitted is not None
        assert f"{CHANGED} changed since" in again.uncommitted.message
    assert git(root, "log", "--format=%s").splitlines()[0] == "three"


def test_an_undoing_of_an_older_edit_that_was_killed_is_settled(tmp_path: Path) -> None:
    """All its files are put back: the next undo goes on with the edit before it."""
    root = write_kb(tmp_path, {})
    for number in range(3):
        observed(root, False) if number else do_one(root)
    undo_last(str(root))
    journal = Journal(str(root))
    entry = journal.last()
    assert entry is not None
    undo_last(str(root))
    journal.rewrite(entry._replace(state=State.UNDOING))
    assert undo_last(str(root)).edit.subject == "undo: one"


def do_one(root: Path) -> Applied:
    """Make one file."""
    edit = Edit("one", "one", (FileChange(MADE, None, entity("made").encode()),))
    return apply_edit(str(root), NOW, lambda _: edit, WriteOptions())


def test_an_undoing_leaves_what_the_user_staged(tmp_path: Path) -> None:
    """Where kb was to commit nothing, it staged nothing."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    do(root, WriteOptions())
    git(root, "add", MADE)
    undo_last(str(root))
    assert git(root, "diff", "--cached", "--name-only").split() == [MADE]


def test_an_undoing_interrupted_in_its_commit_gives_no_advice_to_undo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That would take back the edit before."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    do(root, WriteOptions(commit=True))

    def interrupted(*_: object) -> tuple[str, str]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kb.edits.commits.commit_files", interrupted)
        with pytest.raises(CommitInterrupted, match='"undo: three"') as told:
            undo_last(str(root), by="bob")
    assert "kb undo" not in told.value.hint
    observed(root, True)
    assert git(root, "log", "-1", "--skip=1", "--format=%s").strip() == "undo: three"
    assert "Kb-By: bob" in git(root, "log", "-1", "--skip=1", "--format=%b")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_an_undoing_after_a_payment_in_part_is_a_commit(tmp_path: Path) -> None:
    """HEAD has some of the edit: it goes from there, too."""
    root = killed(tmp_path, "edit", False)
    before = (root / CHANGED).read_bytes()
    (root / CHANGED).write_bytes(before + b"By hand.\n")
    observed(root, True)
    (root / CHANGED).write_bytes(before)
    undo_last(str(root))
    undo_last(str(root))
    assert _committed(root) == "undo: three"
    assert git(root, "ls-tree", "--name-only", "HEAD", MADE) == ""
    assert git(root, "status", "--porcelain") == ""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
@pytest.mark.parametrize("what", ["edit", "undo"])
def test_what_git_had_before_a_hand_came_is_committed(tmp_path: Path, what: str) -> None:
    """Git went on after its caller was killed; what changed then is nobody's owing."""
    root = killed(tmp_path, what, True)
    with (root / CHANGED).open("a") as file:
        file.write("By hand.\n")
    assert observed(root, False).warnings == ()
    assert Journal(str(root)).owing() == ()


def test_a_repeat_of_what_a_user_committed_is_committed(tmp_path: Path) -> None:
    """Whatever became of the files since."""
    root = make_repository(write_kb(tmp_path, {k: v for k, v in BEFORE.items() if v is not None}))
    do(root, OPTIONS)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "by hand")
    with (root / CHANGED).open("a") as file:
        file.write("More.\n")
    again = do(root, OPTIONS._replace(commit=True))
    assert (again.is_repeated, again.uncommitted) == (True, None)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
@pytest.mark.parametrize("is_tried_again", [False, True])
def test_what_was_paid_is_said_whatever_becomes_of_the_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_tried_again: bool
) -> None:
    """By the answer of the try that does it, or as a note of the error."""
    root = killed(tmp_path, "edit", False)
    real, tries = write_files, list[int]()

    def failing(*arguments: Any) -> None:
        tries.append(1)
        if len(tries) == 1 and is_tried_again:
            raise ConcurrentModification("x")
        if not is_tried_again:
            raise WriteRefused("full")
        real(*arguments)

    monkeypatch.setattr("kb.edits.apply.write_files", failing)
    if is_tried_again:
        (said,) = observed(root, True).warnings
    else:
        with pytest.raises(WriteRefused) as refused:
            observed(root, True)
        (said,) = refused.value.__notes__
    assert "what stands of it is commit" in said
