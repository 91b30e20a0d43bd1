"""The write contract: locked, compared, whole or not at all, remembered, committed if asked, undone."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.cli.program import main
from kb.edits.apply import Applied, Plan, WriteOptions, apply_edit
from kb.edits.edit import Edit, FileChange, file_revision
from kb.edits.journal import Repeated, Unknown
from kb.edits.statement_file import StatementFile
from kb.edits.undo import NothingToUndo, Undone, undo_last
from kb.edits.workspace import Refused, Workspace
from kb.edits.writing import begin_barrier, writing
from kb.errors import ConcurrentModification, ExitCode
from kb.knowledge_base import open_for_reading
from kb.store import writes
from kb.store.writes import KnowledgeBaseLocked, WriteRefused, lock_knowledge_base, lock_path
from tests.conftest import NOW, REPOSITORY, entity, git, make_repository, observation, write_kb

ADA, BOB = "entities/person/ada.md", "entities/person/bob.md"
SEEN = "observations/2026/01/2026-01-01-seen.md"


def small(root: Path, config: str = "kb: 1\nname: Test\n") -> Path:
    """Write two people and an observation."""
    files = {ADA: entity("ada", "Text."), BOB: entity("bob"), SEEN: observation("2026-01-01-seen")}
    return write_kb(root, files, config)


def append(text: str, path: str = ADA, also: dict[str, bytes] | None = None) -> Plan:
    """A plan that appends to a file, and makes others before it."""

    def plan(workspace: Workspace) -> Edit:
        before = (Path(workspace.root) / path).read_bytes()
        made = [FileChange(other, None, data) for other, data in (also or {}).items()]
        change = FileChange(path, before, before + text.encode())
        return Edit("append", f"append: {text.strip()}", (*made, change), ("ada",), path)

    return plan


def do(root: Path, plan: Plan, **options: object) -> Applied:
    """Apply an edit."""
    return apply_edit(str(root), NOW, plan, WriteOptions(**options))  # type: ignore[arg-type]


def test_an_edit_is_written_and_its_revision_given(tmp_path: Path) -> None:
    """The files change, and the answer gives the revision that the next edit may ask for."""
    root = small(tmp_path)
    done = do(root, append("More.\n"))
    assert (root / ADA).read_text().endswith("More.\n")
    assert done.revision == file_revision((root / ADA).read_bytes())
    again = do(root, append("And more.\n"), if_revision=done.revision)
    with pytest.raises(ConcurrentModification):
        do(root, append("Never.\n"), if_revision=done.revision)
    assert again.revision != done.revision
    assert "Never" not in (root / ADA).read_text()


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """The edit is given as a value, and no byte changes."""
    root = small(tmp_path)
    before = (root / ADA).read_bytes()
    done = do(root, append("More.\n"), dry_run=True)
    assert (done.is_written, len(done.edit.changes)) == (False, 1)
    assert (root / ADA).read_bytes() == before
    with pytest.raises(NothingToUndo):
        undo_last(str(root))


def test_an_edit_is_planned_again_on_what_somebody_saved(tmp_path: Path) -> None:
    """A file that an editor saves between the plan and the write keeps what the editor wrote."""
    root = small(tmp_path)
    saves = iter(["Saved once.\n", "Saved twice.\n"])

    def plan(workspace: Workspace) -> Edit:
        edit = append("Ours.\n")(workspace)
        saved = next(saves, None)
        if saved is not None:
            with (root / ADA).open("a") as file:
                file.write(saved)
        return edit

    do(root, plan)
    assert (root / ADA).read_text().endswith("Saved once.\nSaved twice.\nOurs.\n")


def test_an_edit_that_never_meets_a_quiet_file_is_refused(tmp_path: Path) -> None:
    """Where a file changes under each try, the edit is refused and the file is the other's."""
    root = small(tmp_path)

    def plan(workspace: Workspace) -> Edit:
        edit = append("Ours.\n")(workspace)
        with (root / ADA).open("a") as file:
            file.write("Theirs.\n")
        return edit

    with pytest.raises(ConcurrentModification):
        do(root, plan)
    assert "Ours" not in (root / ADA).read_text()


def test_all_or_nothing(tmp_path: Path) -> None:
    """Where a later file cannot be written, the earlier ones are put back."""
    root = small(tmp_path)
    (root / BOB).unlink()
    (root / BOB).mkdir()
    before = (root / ADA).read_bytes()
    new = "observations/2026/02/2026-02-01-x.md"

    def plan(workspace: Workspace) -> Edit:
        changes = (
            FileChange(new, None, b"new"),
            FileChange(ADA, before, before + b"x"),
            FileChange(BOB, None, b"y"),
        )
        return Edit("x", "x", changes)

    with pytest.raises((WriteRefused, ConcurrentModification)):
        do(root, plan)
    assert (root / ADA).read_bytes() == before
    assert not (root / new).exists()


def test_a_key_makes_a_repeated_call_harmless(tmp_path: Path) -> None:
    """The second call with a key does nothing and says what the first did; another request with it is refused."""
    root = small(tmp_path)
    first = do(root, append("Once.\n"), idempotency_key="k1", request="append Once")
    second = do(root, append("Once.\n"), idempotency_key="k1", request="append Once")
    assert (root / ADA).read_text().count("Once.") == 1
    assert (second.is_repeated, second.revision) == (True, first.revision)
    assert second.edit == first.edit
    with pytest.raises(Repeated):
        do(root, append("Other.\n"), idempotency_key="k1", request="append Other")


def test_undo_puts_back_what_was_there(tmp_path: Path) -> None:
    """Edits are undone in reverse, to the byte; new files go."""
    root = small(tmp_path)
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    new = "observations/2026/02/2026-02-01-x.md"
    do(root, append("One.\n"))
    do(root, append("Two.\n", also={new: b"---\nid: x\n---\n"}))
    undo_last(str(root))
    assert (root / ADA).read_text().endswith("One.\n")
    undo_last(str(root))
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before
    with pytest.raises(NothingToUndo):
        undo_last(str(root))


def test_undo_refuses_what_changed_since(tmp_path: Path) -> None:
    """What somebody saved after the edit stays."""
    root = small(tmp_path)
    do(root, append("One.\n"))
    with (root / ADA).open("a") as file:
        file.write("Mine.\n")
    with pytest.raises(Undone, match="changed since"):
        undo_last(str(root))
    assert (root / ADA).read_text().endswith("One.\nMine.\n")


def repository(root: Path) -> Path:
    """A small knowledge base under git, with an author of its own."""
    small(root)
    return make_repository(root)


def test_a_commit_holds_the_edit_alone(tmp_path: Path) -> None:
    """With ``commit`` an edit is one commit of its files, whatever else is staged or changed; undo is another."""
    root = repository(tmp_path)
    (root / BOB).write_text(entity("bob", "Changed."))
    git(root, "add", BOB)
    done = do(root, append("More.\n"), commit=True, by="dana-reyes")
    assert git(root, "show", "--name-only", "--format=", "HEAD").split() == [ADA]
    message = git(root, "log", "-1", "--format=%B")
    assert message.startswith("append: More.")
    assert "Kb-Edit: append" in message
    assert "Kb-By: dana-reyes" in message
    assert done.commit == git(root, "rev-parse", "HEAD").strip()
    assert git(root, "diff", "--cached", "--name-only").split() == [BOB]
    undo_last(str(root))
    assert git(root, "log", "-1", "--format=%s").strip() == "undo: append: More."
    assert git(root, "diff", "HEAD~2", "HEAD", "--stat", "--", ADA) == ""


def test_a_subject_that_no_argument_can_hold_is_committed(tmp_path: Path) -> None:
    """A text may begin with a zero byte: once its file is written, its commit does not fail."""
    root = repository(tmp_path)
    done = do(root, lambda workspace: append("x")(workspace)._replace(subject="a\0b"), commit=True)
    assert done.commit
    assert done.warnings == ()
    undo_last(str(root))


def test_a_statement_that_somebody_removes_meanwhile_is_planned_again(tmp_path: Path) -> None:
    """A file that was saved without its statement after the graph was read is no fault of ours."""
    root = small(tmp_path)
    with pytest.raises(ConcurrentModification):
        StatementFile(Workspace(open_for_reading(str(root), NOW)), "ada").draft("gone")


def test_a_refusing_git_loses_no_file(tmp_path: Path) -> None:
    """A hook that refuses leaves the edit in the work tree, with a warning."""
    root = repository(tmp_path)
    hook = root / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)
    done = do(root, append("More.\n"), commit=True)
    assert (root / ADA).read_text().endswith("More.\n")
    assert git(root, "diff", "--cached", "--name-only") == ""
    assert done.commit == ""
    assert done.uncommitted is not None
    assert done.uncommitted.message.endswith(
        "not committed: the pre-commit hook refused it:\n    no"
    )


def test_an_edit_that_is_not_committed_ends_with_a_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever asked for a commit, by a flag or in kb.yaml, is told; what was written is in the answer, and stands."""
    root = small(tmp_path, "kb: 1\nname: Test\ncommit: true\n")
    for number, asked in enumerate((("--commit",), ())):
        call = ("kb", "--root", str(root), "observe", f"So {number}.", "--json", *asked)
        monkeypatch.setattr(sys, "argv", list(call))
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        answer = json.loads(printed.out)
        assert ended.value.code == ExitCode.REFUSED
        assert (answer["written"], answer["error"]["code"]) == (True, "not-committed")
        assert printed.err.startswith("kb: written, but not committed: there is no git repository")
        assert (root / answer["changes"][0]["path"]).exists()


def test_a_lock_says_who_holds_it(tmp_path: Path) -> None:
    """Whoever waits in vain is told the process and for how long."""
    root = small(tmp_path)
    with (
        lock_knowledge_base(str(root)),
        pytest.raises(KnowledgeBaseLocked, match=f"process {os.getpid()}"),
        lock_knowledge_base(str(root), wait=0.05),
    ):
        pass
    assert lock_path(str(root)).read_text() == ""


def test_a_killed_writers_files_are_swept(tmp_path: Path) -> None:
    """Temporary files of a process that died inside the lock are removed by the next edit."""
    root = small(tmp_path)
    code = (
        "import os, sys\nfrom kb.store.writes import lock_knowledge_base\n"
        "with lock_knowledge_base(sys.argv[1]):\n"
        "    open(sys.argv[1] + '/entities/person/.kb-half.tmp', 'w').close(); os._exit(9)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    subprocess.run([sys.executable, "-c", code, str(root)], env=env, check=False)
    left = root / "entities/person/.kb-half.tmp"
    assert left.exists()
    do(root, append("More.\n"))
    assert not left.exists()


def test_names_are_never_guessed(tmp_path: Path) -> None:
    """Writing takes an id, a key with one bearer, or a name that one entity bears; else it lists the candidates."""
    twins = {f"entities/person/{id}.md": entity(id, name="Dana Reyes") for id in ("dana", "dana-2")}
    root = write_kb(tmp_path, {**twins, ADA: entity("ada", name="Ada", keys="[email:a@x.example]")})

    def resolved(argument: str) -> str:
        found: list[str] = []

        def plan(workspace: Workspace) -> Edit:
            found.append(workspace.resolve(argument))
            return Edit("x", "x")

        do(root, plan)
        return found[0]

    assert [resolved(text) for text in ("ada", "a@x.example", "email:A@X.example", "Ada")] == [
        "ada"
    ] * 4
    with pytest.raises(Refused, match="could be any of 2"):
        resolved("Dana Reyes")
    with pytest.raises(Refused, match="no entity"):
        resolved("Dan")


def test_a_journal_that_cannot_be_written_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edit stands where it cannot be remembered."""
    root = small(tmp_path)
    monkeypatch.setattr("kb.edits.journal.why_distrusted", lambda _: "no trust")
    done = do(root, append("More.\n"))
    assert (root / ADA).read_text().endswith("More.\n")
    assert "not remembered" in done.warnings[0]


def test_undo_stops_at_what_it_does_not_know(tmp_path: Path) -> None:
    """After a write that is not remembered, as an import's, no older edit is taken back."""
    root = small(tmp_path)
    do(root, append("One.\n"))
    with writing(str(root)) as journal:
        begin_barrier(journal, "import", NOW)
    with pytest.raises(Unknown, match="kb import"):
        undo_last(str(root))
    do(root, append("Two.\n"))
    undo_last(str(root))
    assert (root / ADA).read_text().endswith("One.\n")


def test_a_repeat_of_what_was_undone_says_so(tmp_path: Path) -> None:
    """A key whose edit was undone does nothing, and warns."""
    root = small(tmp_path)
    do(root, append("Once.\n"), idempotency_key="k1", request="x")
    undo_last(str(root))
    again = do(root, append("Once.\n"), idempotency_key="k1", request="x")
    assert again.is_repeated
    assert again.warnings == ("it was undone since",)
    assert "Once" not in (root / ADA).read_text()


@pytest.mark.parametrize(
    "config",
    ["kb: 1\n  bad: [\n", "kb: 99\n", "kb: 1\n<<<<<<< ours\nname: A\n=======\n>>>>>>> theirs\n"],
)
def test_nothing_is_written_under_a_broken_configuration(tmp_path: Path, config: str) -> None:
    """Words and settings that cannot be read would not hold for what is written."""
    root = small(tmp_path, config)
    with pytest.raises(Refused, match=r"kb\.yaml"):
        do(root, append("More.\n"))
    assert "More" not in (root / ADA).read_text()


def test_a_damaged_journal_is_not_guessed_over(tmp_path: Path) -> None:
    """Where the last record cannot be read, no older edit is taken for the last; a repeated call is warned."""
    root = small(tmp_path)
    do(root, append("One.\n"))
    do(root, append("Two.\n"))
    place = lock_path(str(root)).parent / "edits"
    newest = sorted(place.iterdir())[-1]
    newest.write_text(newest.read_text()[:-9])
    with pytest.raises(Unknown, match="damaged"):
        undo_last(str(root))
    done = do(root, append("Three.\n"), idempotency_key="k", request="x")
    assert "damaged" in done.warnings[0]


@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), OSError(5, "I/O error")])
def test_a_failing_disk_leaves_files_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError
) -> None:
    """A write that the system refuses is a refusal, and every file is as it was."""
    root = small(tmp_path)
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    original: Callable[..., Path] = writes._write_temporary
    calls = []

    def failing(*arguments: object) -> Path:
        calls.append(arguments)
        if len(calls) == 2:
            raise fault
        return original(*arguments)

    monkeypatch.setattr("kb.store.writes._write_temporary", failing)
    with pytest.raises(WriteRefused):
        do(root, append("More.\n", also={"observations/2026/02/2026-02-01-x.md": b"x"}))
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before
