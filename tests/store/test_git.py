"""Reading a repository: whatever its configuration names is not run; ids of either kind are compared."""

import hashlib
import subprocess
from pathlib import Path

import pytest

from kb.derived.revision import revision_of
from kb.store.git import blob_id, commit_files, read_blobs, tree_blobs, user_email
from kb.store.references import head_commit
from tests.conftest import git, make_repository


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
