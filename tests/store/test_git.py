"""Reading a repository: whatever its configuration names is not run; ids of either kind are compared."""

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from kb.derived.revision import revision_of
from kb.store import git_commit
from kb.store.git import blob_id, read_blobs, tree_blobs, user_email
from kb.store.git_commit import commit_files, unstage_files
from kb.store.references import head_commit
from tests.conftest import REPOSITORY, entity, git, make_repository, write_kb


def committed(root: Path, *options: str) -> Path:
    """Make a repository with one committed file."""
    root.mkdir()
    git(root, "init", "-q", *options)
    (root / "entities").mkdir()
    (root / "entities" / "a.md").write_bytes(b"text\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "one")
    return root


@pytest.mark.parametrize("way", ["ext::{evil}", "{root}"])
def test_a_missing_object_is_not_fetched(tmp_path: Path, way: str) -> None:
    """A promisor remote whose address or upload program is a program of the repository's choice (BAD-INPUTS 58)."""
    root = committed(tmp_path / "kb")
    evil, canary = tmp_path / "evil.sh", tmp_path / "canary"
    evil.write_text(f"#!/bin/sh\ntouch {canary}\n")
    evil.chmod(0o755)
    with (root / ".git" / "config").open("a") as config:
        config.write(
            f'[extensions]\n partialClone = evil\n[remote "evil"]\n url = {way.format(evil=evil, root=root)}\n'
            f" promisor = true\n uploadpack = {evil}\n"
            '[protocol "ext"]\n allow = always\n[protocol "file"]\n allow = always\n'
            f"[core]\n fsmonitor = {evil}\n sshCommand = {evil}\n alternateRefsCommand = {evil}\n"
        )
    id = blob_id(b"text\n")
    (root / ".git" / "objects" / id[:2] / id[2:]).unlink()
    assert tree_blobs(str(root), head_commit(str(root)), ("entities",)) == {"entities/a.md": id}
    assert read_blobs(str(root), (id,)) == {}
    assert not canary.exists()


def test_a_repository_of_sha256_is_compared_by_its_own_ids(tmp_path: Path) -> None:
    """Files that nobody changed are those of HEAD, whichever digest the repository names them by."""
    root = committed(tmp_path / "kb", "--object-format=sha256")
    commit = head_commit(str(root))
    assert len(commit) == 64
    assert blob_id(b"text\n", commit) == hashlib.sha256(b"blob 5\0text\n").hexdigest()
    assert revision_of(str(root), {"entities/a.md": b"text\n"}) == commit
    assert revision_of(str(root), {"entities/a.md": b"other\n"}) == f"{commit}+"


def test_references_that_lie_in_tables_are_asked_of_git(tmp_path: Path) -> None:
    """Newer repositories keep no file for each branch."""
    try:
        root = committed(tmp_path / "kb", "--ref-format=reftable")
    except subprocess.CalledProcessError:
        pytest.skip("this git makes no repository with tables of references")
    commit = head_commit(str(root))
    assert commit == git(root, "rev-parse", "HEAD").strip()
    assert revision_of(str(root), {"entities/a.md": b"text\n"}) == commit


@pytest.mark.parametrize(
    ("config", "email"),
    [
        ("[user]\n\tname = Ada\n\temail = ada@x.example\n", "ada@x.example"),
        (
            "[core]\n\temail = no\n[user]\n\tEmail=a@x.example\n\temail = b@x.example\n",
            "b@x.example",
        ),
        ('[user]\n\temail = "quoted@x.example"\n', "quoted@x.example"),
        ("[user]\n\temail = c@x.example # mine\n", "c@x.example"),
        ("[include]\n\tpath = other\n", "other@x.example"),
        ("[user]\n\tname = Ada\n", "global@x.example"),
    ],
)
def test_whose_the_repository_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str, email: str
) -> None:
    """The user's address is what git says it is, whether or not git must be asked."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / ".gitconfig").write_text("[user]\n\temail = global@x.example\n")
    root = tmp_path / "kb"
    root.mkdir()
    git(root, "init", "--quiet")
    (root / ".git/config").write_text(f"[core]\n\tbare = false\n{config}")
    (root / ".git/other").write_text("[user]\n\temail = other@x.example\n")
    assert user_email(str(root)) == email


def test_a_commit_takes_any_names_to_the_letter(tmp_path: Path) -> None:
    """What is a pattern, an option, a quotation or two lines to others is a name; one like it is not committed."""
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb/a.md").touch()
    root = make_repository(tmp_path / "kb")
    names = ("*.md", ":(top)b.md", "-a.md", '"q".md', " é\n.md", "x y.md")
    for name in (*names, "b.md", "z.md"):
        (root / name).write_bytes(b"new\n")
    commit, why = commit_files(str(root), names, "all")
    assert (commit, why) == (head_commit(str(root)), "")
    found = git(root, "show", "--name-only", "-z", "--format=", "HEAD").split("\0")
    assert sorted(filter(None, found)) == sorted(names)
    (root / names[0]).unlink()
    commit_files(str(root), names, "one went")
    assert git(root, "show", "--name-only", "--format=", "HEAD").split() == ["*.md"]


NEW, OLD, GONE, MINE = "kb/new.md", "kb/old.md", "kb/gone.md", "mine.md"


def edited(top: Path) -> Path:
    """A work tree with a root below its top, in which an edit has made, changed and removed a file; another file is there."""
    root = top / "kb"
    root.mkdir(parents=True)
    for path in (OLD, GONE, MINE):
        (top / path).write_text("before\n")
    make_repository(top)
    (top / GONE).unlink()
    for path in (NEW, OLD):
        (top / path).write_text("edit\n")
    return root


def stage_nothing(top: Path) -> None:
    """All is as it was committed."""


def stage_another(top: Path) -> None:
    """A file that is no part of the edit, beside the knowledge base."""
    (top / MINE).write_text("staged\n")
    git(top, "add", MINE)
    (top / MINE).write_text("after\n")


def stage_the_same(top: Path) -> None:
    """Earlier states of the edit's own files, which differ from HEAD and from what the edit wrote."""
    saved = {path: (top / path).read_bytes() for path in (NEW, OLD)}
    for path in saved:
        (top / path).write_text("staged\n")
    git(top, "add", NEW, OLD)
    for path, data in saved.items():
        (top / path).write_bytes(data)


def announce(top: Path) -> None:
    """What is to be added later: the edit's file, and another."""
    (top / "later.md").write_text("later\n")
    git(top, "add", "--intent-to-add", "later.md", NEW)


def stage_all_of_it(top: Path) -> None:
    """All of these at once."""
    stage_another(top)
    git(top, "add", "--intent-to-add", NEW)
    (top / "kb/both.md").write_text("staged\n")
    git(top, "add", "kb/both.md")


def stage_a_conflict(top: Path) -> None:
    """What a stash left that did not apply: another file has several versions, and no merge is in progress."""
    blob = git(top, "rev-parse", f"HEAD:{MINE}").strip()
    lines = "".join(f"100644 {blob} {stage}\t{MINE}\n" for stage in (1, 2, 3))
    told = f"0 {'0' * len(blob)}\t{MINE}\n{lines}"
    subprocess.run(
        ["git", "update-index", "--index-info"], cwd=top, input=told, text=True, check=True
    )


STAGED = (
    stage_nothing,
    stage_another,
    stage_the_same,
    announce,
    stage_all_of_it,
    stage_a_conflict,
)


def refuse(top: Path) -> None:
    """Let a hook refuse every commit."""
    hook = top / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    hook.chmod(0o755)


def index_of(top: Path) -> tuple[str, str, str]:
    """What is in the index: its entries, and what differs from HEAD, with and without what is merely announced."""
    visible = git(top, "diff", "--cached", "--raw", "--ita-visible-in-index")
    return git(top, "ls-files", "--stage"), git(top, "diff", "--cached", "--raw"), visible


@pytest.mark.parametrize("stage", STAGED)
def test_a_commit_holds_its_files_alone(tmp_path: Path, stage: Callable[[Path], None]) -> None:
    """Whatever else is staged stays staged, and is in no commit; of the files themselves the commit has the whole."""
    root = edited(tmp_path)
    stage(tmp_path)
    others = {
        line
        for line in git(tmp_path, "ls-files", "--stage").splitlines()
        if line.split("\t")[1] not in (NEW, OLD, GONE)
    }
    commit, why = commit_files(str(root), ("new.md", "old.md", "gone.md"), "edit")
    assert (commit, why) == (git(tmp_path, "rev-parse", "HEAD").strip(), "")
    found = git(tmp_path, "show", "--name-status", "--format=", "HEAD").split()
    assert found == ["D", GONE, "A", NEW, "M", OLD]
    for path in (NEW, OLD):
        assert git(tmp_path, "show", f"HEAD:{path}") == "edit\n"
    assert others <= set(git(tmp_path, "ls-files", "--stage").splitlines())
    staged = git(tmp_path, "diff", "--cached", "--name-only").split()
    assert not {NEW, OLD, GONE} & set(staged)
    assert (MINE in staged) is (stage in (stage_another, stage_all_of_it, stage_a_conflict))


@pytest.mark.parametrize("stage", STAGED)
def test_a_refused_commit_leaves_what_was_staged(
    tmp_path: Path, stage: Callable[[Path], None]
) -> None:
    """Where git refuses, the index holds what it held: of other files, and of earlier states of the edit's own."""
    root = edited(tmp_path)
    stage(tmp_path)
    refuse(tmp_path)
    before = index_of(tmp_path)
    refused = commit_files(str(root), ("new.md", "old.md", "gone.md"), "edit")
    assert refused == ("", "the pre-commit hook refused it:\n    no")
    assert index_of(tmp_path) == before


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_first_commit(tmp_path: Path, is_refused: bool) -> None:
    """In a repository without a commit an edit's commit is the first, and one that is refused stages nothing."""
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "config", "user.name", "Ada")
    git(tmp_path, "config", "user.email", "ada@northpeak.example")
    if is_refused:
        refuse(tmp_path)
    (tmp_path / "a.md").write_text("edit\n")
    commit, why = commit_files(str(tmp_path), ("a.md",), "edit")
    assert bool(why) is is_refused
    assert bool(commit) is not is_refused
    assert git(tmp_path, "ls-files").split() == ([] if is_refused else ["a.md"])


@pytest.mark.parametrize("is_settled", [False, True])
@pytest.mark.parametrize("command", ["merge", "cherry-pick", "rebase", "revert"])
def test_what_the_user_has_begun_is_not_ended(
    tmp_path: Path, command: str, is_settled: bool
) -> None:
    """While a merge or the like is in progress, settled or not, no commit is made: it would be a part of it, and go with it."""
    root = edited(tmp_path)
    git(tmp_path, "stash", "--quiet", "--include-untracked")
    git(tmp_path, "checkout", "--quiet", "-b", "other")
    (tmp_path / MINE).write_text("other\n")
    git(tmp_path, "commit", "--quiet", "-a", "-m", "other")
    git(tmp_path, "checkout", "--quiet", "-")
    (tmp_path / MINE).write_text("ours\n")
    git(tmp_path, "commit", "--quiet", "-a", "-m", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(tmp_path, command, "other")  # reverting what is not there conflicts, too
    if is_settled:
        (tmp_path / MINE).write_text("ours\n")
        git(tmp_path, "add", MINE)
    (tmp_path / NEW).write_text("edit\n")
    (tmp_path / OLD).write_text("edit\n")
    before, head = index_of(tmp_path), git(tmp_path, "rev-parse", "HEAD")
    commit, why = commit_files(str(root), ("new.md", "old.md"), "edit")
    assert (commit, git(tmp_path, "rev-parse", "HEAD")) == ("", head)
    assert why == f"a {command} is in progress"
    assert index_of(tmp_path) == before


def test_ignored_files_are_refused(tmp_path: Path) -> None:
    """A new file that git ignores is in no commit, nor are those with it; one that git tracks is."""
    root = edited(tmp_path)
    (tmp_path / ".gitignore").write_text("new.md\nold.md\n")
    before = index_of(tmp_path)
    commit, why = commit_files(str(root), ("new.md", "old.md"), "edit")
    assert commit == ""
    assert "ignored" in why
    assert index_of(tmp_path) == before
    assert commit_files(str(root), ("old.md", "gone.md"), "edit")[1] == ""
    assert git(tmp_path, "show", "--name-only", "--format=", "HEAD").split() == [GONE, OLD]


@pytest.mark.parametrize("mark", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_git_is_to_leave_alone(tmp_path: Path, mark: str) -> None:
    """One that is marked so is committed or refused, as git does with its name; it is never left out in silence."""
    root = edited(tmp_path)
    git(tmp_path, "update-index", mark, OLD)
    commit, why = commit_files(str(root), ("new.md", "old.md"), "edit")
    assert bool(commit) is not bool(why)
    if commit:
        assert git(tmp_path, "show", f"HEAD:{OLD}") == "edit\n"


def test_the_users_hooks_hold(tmp_path: Path) -> None:
    """A hook sees the files in the index that it is given, and may change the message."""
    root = edited(tmp_path)
    hooks = tmp_path / ".git/hooks"
    (hooks / "pre-commit").write_text("#!/bin/sh\ngit diff --cached --name-only > .git/seen\n")
    (hooks / "commit-msg").write_text('#!/bin/sh\necho "Checked: yes" >> "$1"\n')
    for name in ("pre-commit", "commit-msg"):
        (hooks / name).chmod(0o755)
    assert commit_files(str(root), ("new.md", "old.md", "gone.md"), "edit")[1] == ""
    assert (tmp_path / ".git/seen").read_text().split() == [GONE, NEW, OLD]
    assert git(tmp_path, "log", "-1", "--format=%B").split() == ["edit", "Checked:", "yes"]


@pytest.mark.parametrize("stage", [stage_nothing, stage_another, stage_all_of_it])
def test_many_files_take_no_longer_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: Callable[[Path], None]
) -> None:
    """No command compares each file with each other one: none is given the files as patterns, whatever else is staged."""
    ran: list[tuple[str, ...]] = []
    original = git_commit._feed

    def watched(root: str, lines: Iterable[str], *command: str, **how: Any) -> None:
        ran.append(command)
        original(root, lines, *command, **how)

    monkeypatch.setattr(git_commit, "_feed", watched)
    root = edited(tmp_path)
    stage(tmp_path)
    names = tuple(f"{number}.md" for number in range(300))
    for name in names:
        (root / name).write_text(name)
    assert commit_files(str(root), names, "edit")[1] == ""
    assert not [command for command in ran if "--pathspec-from-file=-" in command]
    assert len(git(tmp_path, "show", "--name-only", "--format=", "HEAD").split()) == 300


@pytest.mark.parametrize("at", range(3))
def test_an_interrupted_commit_leaves_nothing_staged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Whichever call of git it was: what is staged would be in the user's next commit."""
    root = committed(tmp_path / "kb")
    original, place = git_commit._feed, "entities/b.md"
    (root / place).write_bytes(b"new\n")
    count = 0

    def feeding(folder: str, lines: Iterable[str], *command: str, **how: Any) -> None:
        nonlocal count
        if "--index-info" not in command:  # what was staged is staged again
            count += 1
            if count == at + 1:
                raise KeyboardInterrupt
        original(folder, lines, *command, **how)

    monkeypatch.setattr(git_commit, "_feed", feeding)
    with pytest.raises(KeyboardInterrupt):
        commit_files(str(root), (place,), "m")
    assert count == at + 1
    assert git(root, "status", "--porcelain") == f"?? {place}\n"


#: A file that a folder is put in the place of, or the reverse: what HEAD has, what is there then, and the files of the edit.
REPLACED = [
    ({"d": "old"}, {"d/x": "new"}, ("d/x",)),
    ({"d": "old"}, {"d/x": "new"}, ("d", "d/x")),
    ({"d": "old"}, {"d/x": "new"}, ("d/x", "d")),
    ({"d/x": "old", "d/y": "old"}, {"d": "new"}, ("d",)),
    ({"d/x": "old", "d/y": "old"}, {"d": "new"}, ("d", "d/x", "d/y")),
    ({"a/b/c": "old"}, {"a": "new"}, ("a", "a/b/c")),
    ({"a": "old"}, {"a/b/c": "new"}, ("a/b/c",)),
]


@pytest.mark.parametrize("is_refused", [False, True])
@pytest.mark.parametrize("stage", [stage_nothing, stage_another])
@pytest.mark.parametrize(("before", "after", "paths"), REPLACED)
def test_a_file_where_a_folder_was_and_the_reverse(
    tmp_path: Path,
    before: dict[str, str],
    after: dict[str, str],
    paths: tuple[str, ...],
    stage: Callable[[Path], None],
    is_refused: bool,
) -> None:
    """What must give way is in the commit too, since no tree could hold both; where git refuses, the index is as it was."""
    root = edited(tmp_path)
    git(tmp_path, "checkout", "--quiet", ".")
    (tmp_path / NEW).unlink()
    write(root, before)
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "before")
    for top in {path.partition("/")[0] for path in before}:
        (root / top).unlink() if top in before else shutil.rmtree(root / top)
    write(root, after)
    stage(tmp_path)
    if is_refused:
        refuse(tmp_path)
    index = index_of(tmp_path)
    commit, why = commit_files(str(root), paths, "edit")
    assert bool(commit) is not is_refused
    assert bool(why) is is_refused
    if is_refused:
        assert index_of(tmp_path) == index
        return
    assert set(git(root, "ls-tree", "-r", "--name-only", "HEAD", ".").split()) == {
        *after,
        "old.md",
        "gone.md",
    }
    assert git(root, "status", "--porcelain", ".") == ""
    staged = git(tmp_path, "diff", "--cached", "--name-only").split()
    assert staged == ([MINE] if stage is stage_another else [])


def write(root: Path, files: dict[str, str]) -> None:
    """Write files, and the folders above them."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "commit-msg"])
@pytest.mark.parametrize("lines", [0, 1, 20, 30])
def test_a_refusing_hook_is_named_and_quoted(tmp_path: Path, name: str, lines: int) -> None:
    """Whichever hook it is: its name, and the last lines of what it said on either stream, with their indentation."""
    root = edited(tmp_path)
    for hook in ("pre-commit", "commit-msg", name):
        status = 3 if hook == name else 0
        says = f"for i in $(seq {lines if hook == name else 0}); do echo \"  'line' $i\"; done"
        path = tmp_path / ".git/hooks" / hook
        path.write_text(
            f"#!/bin/sh\n{says} >&$(({lines} % 2 + 1))\ngit no-such 2>/dev/null\nexit {status}\n"
        )
        path.chmod(0o755)
    commit, why = commit_files(str(root), ("new.md",), "edit")
    first, *rest = why.split("\n")
    assert (commit, first) == (
        "",
        f"the {name} hook refused it" + (":" if rest else ", and said nothing"),
    )
    shown = [f"      'line' {number}" for number in range(max(1, lines - 19), lines + 1)]
    assert rest == ([] if not lines else ["    …"] * (lines > 20) + shown)


def test_what_no_hook_refuses_is_told_in_gits_own_line(tmp_path: Path) -> None:
    """Though hooks are there, and ran."""
    root = edited(tmp_path)
    hook = tmp_path / ".git/hooks/pre-commit"
    hook.write_text("#!/bin/sh\necho fine\n")
    hook.chmod(0o755)
    git(tmp_path, "config", "commit.gpgsign", "true")
    git(tmp_path, "config", "gpg.program", "/bin/false")
    commit, why = commit_files(str(root), ("new.md",), "edit")
    assert commit == ""
    assert why.startswith("error: gpg failed")


def test_an_index_that_cannot_be_restored_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk: what is staged of the edit would be in the user's next commit."""
    root = edited(tmp_path)
    refuse(tmp_path)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("kb.store.git_commit._put", full)
    commit, why = commit_files(str(root), ("new.md", "old.md"), "edit")
    assert commit == ""
    assert why.startswith("the pre-commit hook refused it")
    assert why.endswith("stays staged (git restore --staged)")


def test_where_there_is_no_git_program_a_changed_file_stays(tmp_path: Path) -> None:
    """GitPython is half imported by then: what a command asked of git before."""
    root = write_kb(tmp_path / "kb", {"entities/person/ada.md": entity("ada")})
    make_repository(root)
    command = [sys.executable, "-m", "kb", "set", "ada", "aliases", "Countess", "--add", "--commit"]
    environment = {**os.environ, "PATH": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [*command, "--json", "--root", str(root)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = json.loads(done.stdout)
    assert (done.returncode, said["error"]["code"]) == (1, "not-committed"), done.stderr
    assert "there is no git program" in said["error"]["message"]
    assert "Countess" in (root / "entities/person/ada.md").read_text()
    command = [sys.executable, "-m", "kb", "undo", "--root", str(root)]
    subprocess.run(command, env=environment, capture_output=True, check=True)
    assert "Countess" not in (root / "entities/person/ada.md").read_text()


def test_what_was_staged_is_taken_out_again(tmp_path: Path) -> None:
    """Of the files as they were written, whatever else is staged; another text of one of them stays staged."""
    root = edited(tmp_path)
    files = {"old.md": b"edit\n", "new.md": b"edit\n", "gone.md": None}
    before = index_of(tmp_path)
    git(tmp_path, "add", "--all")
    unstage_files(str(root), files)
    assert index_of(tmp_path) == before
    (tmp_path / OLD).write_text("mine\n")
    git(tmp_path, "add", OLD)
    staged = index_of(tmp_path)
    unstage_files(str(root), files)
    assert index_of(tmp_path) == staged
