"""A run of ``kb ingest`` is one edit: committed, repeated and undone as a whole, whatever stops it."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.edits.apply import WriteOptions
from kb.edits.commits import CommitInterrupted
from kb.edits.edit import Edit, FileChange
from kb.edits.journal import Committing, Journal, JournalEntry, Repeated, State, Unknown
from kb.edits.runs import Run
from kb.edits.undo import NothingToUndo, Undone, undo_last
from kb.errors import ExitCode
from kb.ingest.keep_sources import Ingested, ingest_sources
from kb.ingest.read_sources import read_sources
from kb.ingest.records import Problem, SourceRecord
from kb.knowledge_base import open_knowledge_base
from kb.store.writes import WriteRefused, lock_path
from tests.conftest import NOW, REPOSITORY, entity, git, make_repository, observation, write_kb
from tests.ingest.test_keep_sources import run, run_json
from tests.ingest.test_read_sources import installed_sources

DANA = "entities/person/dana-reyes.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A knowledge base under git in which Dana has an address."""
    dana = entity("dana-reyes", name="Dana Reyes", keys="[email:dana@northpeak.example]")
    root = write_kb(tmp_path / "kb", {DANA: dana})
    return make_repository(root)


@pytest.fixture
def mails(tmp_path: Path) -> Path:
    """Three mails to Dana, each from somebody new."""
    folder = tmp_path / "mails"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.eml").write_text(
            f"From: P{number} <p{number}@x.example>\nTo: dana@northpeak.example\nSubject: S{number}\n"
            f"Message-ID: <{number}@x.example>\nDate: Thu, 22 Oct 2026 09:14:00 +0200\n\nText.\n"
        )
    return folder


def contents(root: Path) -> dict[str, bytes]:
    """The files that people see."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for top in ("entities", "observations")
        for path in sorted((root / top).rglob("*.md"))
        if path.is_file()
    }


def ingest(root: Path, mails: Path, stop: type[BaseException] | None = None) -> Ingested:
    """Ingest a folder; stop at the third source if asked."""

    def items() -> Iterator[SourceRecord | Problem]:
        for number, item in enumerate(read_sources(str(mails))):
            if stop and number == 2:
                raise stop
            yield item

    return ingest_sources(str(root), NOW, items(), WriteOptions(idempotency_key="k", request="r"))


def test_undo_takes_back_a_whole_run(
    root: Path, mails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files that a run made go, those of the edit before it stay, and that one is next."""
    before = contents(root)
    run(root, "observe", "Dana leads.", "--title", "Talk")
    between = contents(root)
    done = run_json(root, "ingest", str(mails))
    assert done["subject"] == "ingest: 3 observations, 3 new entities"
    assert sorted(one["path"] for one in done["changes"]) == sorted(
        contents(root).keys() - between.keys()
    )
    assert len(run_json(root, "undo", "--dry-run")["changes"]) == 6
    assert len(contents(root)) == len(between) + 6
    monkeypatch.setattr("kb.render.applied._MOST_SHOWN", 2)
    assert "… 4 more files" in run(root, "undo", "--dry-run").stdout
    assert "removed" in run(root, "undo").stdout
    assert contents(root) == between
    run(root, "undo")
    assert contents(root) == before


@pytest.mark.parametrize("path", ["entities/person/p1.md", "observations/2026/10/2026-10-22-s1.md"])
@pytest.mark.parametrize("is_removed", [False, True])
def test_undo_refuses_a_run_as_a_whole(
    root: Path, mails: Path, path: str, is_removed: bool
) -> None:
    """Where one file of a run changed since or is gone, none is touched."""
    run(root, "ingest", str(mails))
    if is_removed:
        (root / path).unlink()
    else:
        (root / path).write_text((root / path).read_text() + "\nMine.\n")
    before = contents(root)
    with pytest.raises(Undone, match=path):
        undo_last(str(root))
    assert contents(root) == before


def test_a_run_is_one_commit(root: Path, mails: Path) -> None:
    """``--commit`` or ``commit: true`` commits just the files of a run, with trailers; undo is another commit."""
    (root / "kb.yaml").write_text((root / "kb.yaml").read_text() + "commit: true\n")
    done = run_json(root, "ingest", str(mails), "--by", "dana-reyes")
    assert done["commit"] == git(root, "rev-parse", "HEAD").strip()
    message = git(root, "log", "-1", "--format=%B").splitlines()
    assert message[0] == "ingest: 3 observations, 3 new entities"
    assert message[2:6] == [
        "Kb-Edit: ingest",
        *(f"Kb-Observation: 2026-10-22-s{number}" for number in range(3)),
    ]
    assert message[6] == "Kb-By: dana-reyes"
    assert len(git(root, "show", "--name-only", "--format=", "HEAD").split()) == 6
    undo_last(str(root))
    assert git(root, "log", "-1", "--format=%s").startswith("undo: ingest: 3")
    assert git(root, "diff", "HEAD~2", "HEAD", "--stat") == ""
    assert git(root, "status", "--porcelain").split() == ["M", "kb.yaml"]
    run(root, "ingest", str(mails), "--no-commit")
    assert git(root, "log", "-1", "--format=%s").startswith("undo: ingest: 3")


def test_what_a_commit_names_is_bounded(
    root: Path, mails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many observations the first are named."""
    monkeypatch.setattr("kb.edits.commits._MOST_TRAILERS", 2)
    run(root, "ingest", str(mails), "--commit")
    message = git(root, "log", "-1", "--format=%B")
    assert message.count("Kb-Observation:") == 2
    assert "the first 2 are named" in message


def test_a_run_that_git_does_not_commit_says_so(root: Path, mails: Path) -> None:
    """The answer says what was filed, and the status that it is in no commit."""
    (root / ".git/index.lock").touch()
    result = run(root, "ingest", str(mails), "--commit", "--json")
    assert result.return_value == ExitCode.REFUSED
    outcome = json.loads(result.stdout)
    assert (outcome["written"], outcome["commit"], len(outcome["changes"])) == (True, None, 6)
    assert (outcome["error"]["code"], outcome["error"]["exit_status"]) == ("not-committed", 1)
    assert "not committed" in result.stderr


def test_a_key_makes_a_repeated_run_harmless(root: Path, mails: Path) -> None:
    """The second call with a key reads nothing and says what the first did; another request with it is refused."""
    first = run_json(root, "ingest", str(mails), "--idempotency-key", "k")
    (mails / "3.eml").write_bytes((mails / "0.eml").read_bytes().replace(b"<0@", b"<9@"))
    before = contents(root)
    again = run_json(root, "ingest", str(mails), "--idempotency-key", "k")
    assert (again["done_before"], again["subject"]) == (True, first["subject"])
    assert again["changes"] == first["changes"]
    assert "done before" in run(root, "ingest", str(mails), "--idempotency-key", "k").stdout
    with pytest.raises(Repeated):
        run(root, "ingest", str(mails / "3.eml"), "--idempotency-key", "k")
    assert contents(root) == before
    undo_last(str(root))
    undone = run_json(root, "ingest", str(mails), "--idempotency-key", "k")
    assert undone["warnings"] == ["it was undone since"]


def test_a_run_that_adds_nothing_is_no_edit(root: Path, mails: Path) -> None:
    """Where all is there already, undo goes to the run before; a key is remembered all the same."""
    run(root, "ingest", str(mails))
    run(root, "ingest", str(mails), "--idempotency-key", "k")
    assert run_json(root, "ingest", str(mails), "--idempotency-key", "k")["done_before"]
    undo_last(str(root))
    assert list(contents(root)) == [DANA]


def test_an_interrupted_run_keeps_what_was_kept(root: Path, mails: Path) -> None:
    """After Ctrl-C what was kept stays; its key is not used up, a second run adds the rest, and both can be undone."""
    before = contents(root)
    done = ingest(root, mails, KeyboardInterrupt)
    assert (done.is_interrupted, len(done.kept)) == (True, 2)
    assert done.subject == "ingest: 2 observations, 2 new entities, stopped before the end"
    assert len(contents(root)) == len(before) + 4
    rest = ingest(root, mails)
    assert (len(rest.kept), rest.repeated, rest.is_done_before) == (1, 2, False)
    undo_last(str(root))
    undo_last(str(root))
    assert contents(root) == before


def test_an_interruption_ends_the_program_with_its_status(
    root: Path, mails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command says what was filed and what to do, and ends with 130."""

    def interrupted(_: str) -> Iterator[SourceRecord]:
        yield next(one for one in read_sources(str(mails)) if isinstance(one, SourceRecord))
        raise KeyboardInterrupt

    monkeypatch.setattr("kb.ingest.read_sources.read_sources", lambda path, _: interrupted(path))
    result = run(root, "ingest", str(mails))
    assert result.return_value == ExitCode.INTERRUPTED
    assert "1 observation filed" in result.stdout
    assert "what was filed stays" in result.stdout


def test_an_interruption_within_a_record_leaves_nobody_of_it(
    root: Path, mails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whom the record would have made is not counted, and what the run says is what lies there."""
    made: list[object] = []
    original = Run.make

    def interrupted(self: Run, changes: Sequence[FileChange]) -> None:
        made.append(changes)
        if len(made) == 2:
            raise KeyboardInterrupt
        original(self, changes)

    monkeypatch.setattr(Run, "make", interrupted)
    before = contents(root)
    done = ingest(root, mails)
    assert done.is_interrupted
    assert (len(done.kept), len(done.entities)) == (1, 1)
    assert "1 observation, 1 new entity" in done.subject
    assert set(contents(root)) == {*before, *done.made}


@pytest.mark.parametrize("damage", [b"?\n", None])
def test_a_repeat_needs_no_list(root: Path, mails: Path, damage: bytes | None) -> None:
    """A repeated call does nothing though the list of the run's files is damaged or gone, and says what it does not know."""
    ingest(root, mails)
    (path,) = (lock_path(str(root)).parent / "edits").glob("*.files")
    path.unlink() if damage is None else path.write_bytes(damage)
    before = contents(root)
    again = ingest(root, mails)
    assert (again.is_done_before, again.made) == (True, ())
    assert again.warnings == ("which files it made is not known: the list of them is damaged",)
    assert contents(root) == before


@pytest.mark.parametrize("is_second_written", [True, False])
def test_undo_stops_at_a_run_without_list_and_entry(
    root: Path, mails: Path, monkeypatch: pytest.MonkeyPatch, is_second_written: bool
) -> None:
    """Where the disk takes neither at first, the run is written down in the end, or a warning says that undo knows nothing of it."""
    run(root, "observe", "Dana leads.", "--title", "Talk")
    (lock_path(str(root)).parent / "edits/000000000002.files").mkdir()
    original, tries = Journal.rewrite, []

    def failing(self: Journal, entry: JournalEntry) -> str:
        tries.append(entry)
        is_refused = len(tries) == 1 or not is_second_written
        return "No space left on device" if is_refused else original(self, entry)

    monkeypatch.setattr(Journal, "rewrite", failing)
    done = ingest(root, mails)
    monkeypatch.undo()
    before = contents(root)
    if is_second_written:
        assert done.warnings == ("kb undo will stop at this: No space left on device",)
        with pytest.raises(Unknown, match="ingest: 3 observations"):
            undo_last(str(root))
        assert contents(root) == before
    else:
        assert "kb undo does not know it" in done.warnings[0]


def test_a_run_that_fails_is_known(root: Path, mails: Path) -> None:
    """What a run made before a fault of ours, which is no end that was planned, can be undone."""
    before = contents(root)
    with pytest.raises(ZeroDivisionError):
        ingest(root, mails, ZeroDivisionError)
    assert len(contents(root)) == len(before) + 4
    edit = undo_last(str(root)).edit
    assert (edit.subject, len(edit.changes)) == ("undo: ingest that was not finished", 4)
    assert contents(root) == before


def test_a_list_that_cannot_be_read_is_not_guessed_over(root: Path, mails: Path) -> None:
    """Where the list of a run's files is damaged or gone, nothing is undone; half a last line was no file yet."""
    run(root, "ingest", str(mails))
    (path,) = (lock_path(str(root)).parent / "edits").glob("*.files")
    kept = path.read_bytes()
    before = contents(root)
    for damaged in (kept.replace(b"+", b"?", 1), b"\xff\n" + kept):
        path.write_bytes(damaged)
        with pytest.raises(Unknown, match="damaged"):
            undo_last(str(root))
    path.unlink()
    with pytest.raises(Unknown, match="damaged"):
        undo_last(str(root))
    assert contents(root) == before
    path.write_bytes(kept + b"+0123")
    undo_last(str(root))
    assert list(contents(root)) == [DANA]


def test_undo_stops_at_a_run_that_is_not_remembered(root: Path, mails: Path) -> None:
    """Where no list of a run's files can be kept, no older edit is taken for the last."""
    run(root, "observe", "Dana leads.", "--title", "Talk")
    (lock_path(str(root)).parent / "edits/000000000002.files").mkdir()
    done = run_json(root, "ingest", str(mails))
    assert (len(done["changes"]), done["warnings"]) == (
        6,
        ["kb undo will stop at this: Is a directory"],
    )
    before = contents(root)
    with pytest.raises(Unknown, match="the last write was: ingest: 3 observations"):
        undo_last(str(root))
    assert contents(root) == before


def test_an_undoing_that_was_killed_goes_on(root: Path, mails: Path) -> None:
    """Where an undoing was stopped midway, the next one takes back what is left, with one commit of all."""
    run(root, "ingest", str(mails), "--commit")
    journal = Journal(str(root))
    entry = journal.last()
    assert entry is not None
    journal.rewrite(entry._replace(state=State.UNDOING))
    (root / "entities/person/p0.md").unlink()
    undo_last(str(root))
    assert list(contents(root)) == [DANA]
    assert git(root, "status", "--porcelain") == ""


def test_a_record_whose_files_cannot_all_be_written_leaves_none(
    root: Path, mails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where an observation cannot be written, the people who would be new through it alone are not made."""
    before = contents(root)

    def refusing(use: Any) -> Any:
        def refuse(*arguments: Any, **options: Any) -> Any:
            if any(str(one).endswith("2026-10-22-s1.md") for one in arguments):
                raise PermissionError(13, "Permission denied")
            return use(*arguments, **options)

        return refuse

    with monkeypatch.context() as patch:
        for name in ("link", "open"):
            patch.setattr(os, name, refusing(getattr(os, name)))
        done = run_json(root, "ingest", str(mails))
    (problem,) = done["problems"]
    assert problem["where"].endswith("1.eml")
    assert not (root / "entities/person/p1.md").exists()
    assert len(done["changes"]) == 4
    assert len(run_json(root, "ingest", str(mails))["changes"]) == 2
    undo_last(str(root))
    undo_last(str(root))
    assert contents(root) == before


@pytest.mark.parametrize(
    "obstacle", [Path.mkdir, os.mkfifo, lambda one: one.symlink_to("/nowhere")]
)
def test_what_stands_in_an_observation_s_place_is_gone_round(
    root: Path, mails: Path, obstacle: Callable[[Path], object]
) -> None:
    """Nothing is lost because something that is no file has its name."""
    place = root / "observations/2026/10/2026-10-22-s1.md"
    place.parent.mkdir(parents=True)
    obstacle(place)
    done = run_json(root, "ingest", str(mails))
    assert (done["problems"], len(done["changes"])) == ([], 6)
    assert place.with_name("2026-10-22-s1-2.md").is_file()


def test_every_installed_source_is_ingested_and_undone(root: Path) -> None:
    """All that installed packages come with is one run without a fault: sound files, nothing twice, and all taken back."""
    paths = [
        path for path in installed_sources() if path.suffix in (".eml", ".mbox", ".ics", ".vcf")
    ]
    if not paths:
        pytest.skip("no installed package comes with mails, calendars or cards")
    before = contents(root)
    done = run_json(root, "ingest", *map(str, paths))
    assert len(done["observations"]) > 0
    found = check_knowledge_base(open_knowledge_base(str(root), NOW))
    assert [one for one in found if one.severity is Severity.ERROR] == []
    assert run_json(root, "ingest", *map(str, paths))["observations"] == []
    undo_last(str(root))
    assert contents(root) == before


def traced(root: Path, mails: Path, inject: str) -> subprocess.CompletedProcess[str]:
    """Ingest in a process of its own, into which strace injects something."""
    call = inject.partition(":")[0]
    strace = ("strace", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={inject}")
    command = (sys.executable, "-m", "kb", "ingest", str(mails), "--json", "--root", str(root))
    return subprocess.run(
        [*strace, *command],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def check_that_nothing_is_lost(root: Path, mails: Path, before: dict[str, bytes]) -> None:
    """Undo gives what was before a run that was stopped; without, a second run gives what one alone would have."""
    found = check_knowledge_base(open_knowledge_base(str(root), NOW))
    assert [one for one in found if one.severity is Severity.ERROR] == []
    saved = root.parent / "saved"
    shutil.rmtree(saved, ignore_errors=True)
    shutil.copytree(root, saved)
    with contextlib.suppress(NothingToUndo):
        undo_last(str(root))
    assert contents(root) == before
    run(saved, "ingest", str(mails))
    assert len([path for path in contents(saved) if path.startswith("observations")]) == 3


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("call", ["link", "unlink"])
def test_killed_at_every_step(root: Path, mails: Path, call: str) -> None:
    """Wherever a run is killed, undo takes back what it made, and another run adds what it did not."""
    before = contents(root)
    number = 1
    while traced(root, mails, f"{call}:signal=KILL:when={number}").returncode != 0:
        check_that_nothing_is_lost(root, mails, before)
        number += 1
    assert number > 6


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("number", range(1, 7))
def test_a_full_disk_ends_a_run(root: Path, mails: Path, number: int) -> None:
    """Where nothing more can be written, what was made stays and is known, and the reason is said once."""
    before = contents(root)
    done = traced(root, mails, f"fchmod:error=ENOSPC:when={number}+")
    assert done.returncode == ExitCode.REFUSED, done.stderr
    outcome = json.loads(done.stdout)
    (problem,) = outcome["problems"]
    assert problem["message"].endswith("No space left on device; what comes after it is not read")
    assert len(outcome["changes"]) == (number - 1) // 2 * 2
    check_that_nothing_is_lost(root, mails, before)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("number", range(1, 60, 7))
def test_a_disk_that_is_full_for_a_while(root: Path, mails: Path, number: int) -> None:
    """Whichever file of ours a full disk does not take, what was made is known, or a warning says that it is not."""
    before = contents(root)
    done = traced(root, mails, f"write:error=ENOSPC:when={number}..{number + 6}")
    assert done.returncode in (ExitCode.ANSWERED, ExitCode.REFUSED), done.stderr
    if "kb undo" not in done.stdout:
        check_that_nothing_is_lost(root, mails, before)


def test_a_file_that_was_there_with_the_same_bytes_is_not_the_runs(root: Path) -> None:
    """A run that was refused it leaves it off its list, so that undoing the run leaves it in place."""
    there = "observations/2026/10/2026-10-22-there.md"
    path = root / there
    path.parent.mkdir(parents=True)
    path.write_bytes(b"the same")
    made = Run(str(root), "ingest", NOW)
    made.make([FileChange("observations/2026/10/2026-10-22-own.md", None, b"own")])
    with pytest.raises(WriteRefused):
        made.make([FileChange(there, None, b"the same")])
    made.finish(Edit("ingest", "ingest: 1 observation"), "", "", is_whole=True)
    made.close()
    undo_last(str(root))
    assert path.read_bytes() == b"the same"
    assert not (path.parent / "2026-10-22-own.md").exists()


def interrupted_at(number: int, step: Callable[[], object]) -> bool:
    """Do something, and press Ctrl-C before the line of our code that is run as the so many-th; say whether it came to that."""
    lines = 0

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal lines
        if Path(frame.f_code.co_filename).parent.name not in ("edits", "store"):
            return None
        lines += event == "line"
        if lines == number:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        step()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # files left open
@pytest.mark.parametrize("is_first", [True, False])
def test_an_interruption_at_any_line_leaves_nothing_that_undo_does_not_know(
    tmp_path: Path, is_first: bool
) -> None:
    """Wherever Ctrl-C comes while a record is made, what stands of the run is known to it, sound, and taken back by undo."""
    root = write_kb(tmp_path / "kb", {DANA: entity("dana-reyes")})
    before = contents(root)
    person = FileChange("entities/person/kim.md", None, entity("kim").encode())
    seen = FileChange(
        "observations/2026/10/2026-10-22-a.md",
        None,
        observation("2026-10-22-a", participants="[kim]").encode(),
    )
    first = FileChange("entities/person/ada.md", None, entity("ada").encode())
    number = 1
    while True:
        made = Run(str(root), "ingest", NOW)
        if not is_first:
            made.make([first])
        was_interrupted = interrupted_at(number, lambda made=made: made.make([person, seen]))
        made.finish(Edit("ingest", "ingest"), "", "k", is_whole=not was_interrupted)
        made.close()
        standing = contents(root).keys() - before.keys()
        assert standing == made.made.keys(), number
        assert seen.path not in standing or person.path in standing, number
        if standing:
            undo_last(str(root))
        assert contents(root) == before, number
        with pytest.raises(NothingToUndo):
            undo_last(str(root))
        shutil.rmtree(lock_path(str(root)).parent / "edits", ignore_errors=True)
        if not was_interrupted:
            break
        number += 1
    assert number > 60


def test_an_interruption_in_the_first_record_is_undone(
    root: Path, mails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where Ctrl-C keeps a record's files from being put back too, what stands is listed, in the commit, and undone."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = contents(root)
    monkeypatch.setattr("kb.store.writes._discard", interrupted)
    monkeypatch.setattr("kb.edits.runs.put_back", interrupted)
    done = ingest_sources(str(root), NOW, read_sources(str(mails)), WriteOptions(commit=True))
    monkeypatch.undo()
    assert done.is_interrupted
    assert set(contents(root)) == {*before, *done.made}
    assert done.made == ("entities/person/p0.md",)
    assert git(root, "show", "--name-only", "--format=", "HEAD").split() == list(done.made)
    assert [*root.rglob(".kb-*.tmp")] != []
    undo_last(str(root))
    assert contents(root) == before
    assert [*root.rglob(".kb-*.tmp")] == []  # swept, though the run ended well


def test_an_interrupted_run_says_that_it_is_not_committed(
    root: Path, mails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is told what was filed before Ctrl-C is told that git did not commit it, too; the status is the interruption's."""
    one = next(one for one in read_sources(str(mails)) if isinstance(one, SourceRecord))

    def interrupted(*_: object) -> Iterator[SourceRecord]:
        yield one
        raise KeyboardInterrupt

    monkeypatch.setattr("kb.ingest.read_sources.read_sources", interrupted)
    (root / ".git/index.lock").touch()
    result = run(root, "ingest", str(mails), "--commit")
    assert result.return_value == ExitCode.INTERRUPTED
    assert "1 observation filed" in result.stdout
    assert "written, but not committed" in result.stderr


@pytest.mark.parametrize("is_in_git", [True, False])
@pytest.mark.parametrize("more", [True, False])
def test_what_a_killed_run_made_is_committed_by_the_next_edit(
    root: Path, mails: Path, more: bool, is_in_git: bool
) -> None:
    """As a commit of its own, though the next run makes nothing; the record of the stopped one is as a kill leaves it."""
    run(root, "ingest", str(mails), "--commit")
    journal = Journal(str(root))
    entry = journal.last()
    assert entry is not None
    assert (
        journal.rewrite(entry._replace(state=State.BEGUN, commit="", committing=Committing.OWED))
        == ""
    )
    if not is_in_git:
        git(root, "reset", "--quiet", "HEAD~1")
    made = {path for path in contents(root) if path != DANA}
    if more:
        path = mails / "0.eml"
        (mails / "9.eml").write_text(path.read_text().replace("0@x", "9@x").replace("P0", "P9"))
    done = run_json(root, "ingest", str(mails), "--commit")
    assert bool(done["changes"]) is more
    assert [*map(bool, done["warnings"])] == ([] if is_in_git else [True])
    assert git(root, "status", "--porcelain", "-uall") == ""
    last = "HEAD~1" if more else "HEAD"
    assert {*git(root, "show", "--name-only", "--format=", last).split()} == made
    for _ in range(1 + more):
        undo_last(str(root))
    assert list(contents(root)) == [DANA]
    assert git(root, "status", "--porcelain", "-uall") == ""


def test_what_a_killed_run_made_is_said_to_be_uncommitted(root: Path, mails: Path) -> None:
    """Where the next edit is no commit, it calls no git for another one."""
    run(root, "ingest", str(mails))
    journal = Journal(str(root))
    entry = journal.last()
    assert entry is not None
    journal.rewrite(entry._replace(state=State.BEGUN, committing=Committing.OWED))
    (warning,) = run_json(root, "ingest", str(mails))["warnings"]
    assert "is in no commit" in warning
    assert "observations/2026/10/2026-10-22-s1.md" in git(root, "status", "--porcelain", "-uall")


def test_a_run_that_is_to_be_a_commit_says_so_from_the_first(root: Path, mails: Path) -> None:
    """Killed at any moment, it is known as one that was to be a commit."""
    seen: list[bool] = []

    def looking(*_: int) -> None:
        entry = next(Journal(str(root)).iter_newest(), None)
        seen.append(entry is not None and entry.committing is Committing.OWED)

    ingest_sources(
        str(root), NOW, read_sources(str(mails)), WriteOptions(commit=True), progress=looking
    )
    assert seen == [True] * 3


def test_a_run_interrupted_in_its_commit_is_committed_by_the_next_edit(
    root: Path, mails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git has not answered: whether there is a commit is looked up then, as where a process was killed."""

    def interrupted(*_: object) -> tuple[str, None]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("kb.edits.commits.commit_files", interrupted)
        with pytest.raises(CommitInterrupted):
            ingest_sources(str(root), NOW, read_sources(str(mails)), WriteOptions(commit=True))
    done = run_json(root, "ingest", str(mails), "--commit")
    assert ["stopped before its commit" in one for one in done["warnings"]] == [True]
    assert git(root, "status", "--porcelain", "-uall") == ""


def test_a_run_that_git_refused_is_not_committed_by_the_next_edit(root: Path, mails: Path) -> None:
    """Also where it had stopped early: its user was told."""
    hook = root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)

    def stopping(kept: int, _: int) -> None:
        if kept == 2:
            raise KeyboardInterrupt

    done = ingest_sources(
        str(root), NOW, read_sources(str(mails)), WriteOptions(commit=True), progress=stopping
    )
    assert (done.is_interrupted, done.uncommitted is not None) == (True, True)
    hook.unlink()
    head = git(root, "rev-list", "--count", "HEAD")
    again = run_json(root, "observe", "Next.", "--commit")
    assert again["warnings"] == []
    assert int(git(root, "rev-list", "--count", "HEAD")) == int(head) + 1
