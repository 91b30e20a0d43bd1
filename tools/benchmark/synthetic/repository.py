"""A git repository from a stream of files: one pack, whatever the number of files, and no user's configuration."""

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

AUTHOR = "kb benchmark <benchmark@northpeak.example>"
#: 2026-01-01T00:00:00Z, and the time from a commit to the next.
FIRST_MOMENT, STEP = 1_767_225_600, 3600
BRANCH = "refs/heads/main"


def run_git(root: Path, *arguments: str, author: str = AUTHOR) -> str:
    """Run git in a repository, whatever the user's configuration says; give what it prints."""
    name, _, address = author.rstrip(">").partition(" <")
    identity = ("-c", f"user.name={name}", "-c", f"user.email={address}", "-c", "gc.auto=0")
    done = subprocess.run(
        ["git", "-C", str(root), *identity, "-c", "commit.gpgSign=false", *arguments],
        env=_variables(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def _variables() -> dict[str, str]:
    """Return the variables for git: none of the user's that name a repository or a configuration."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}


class Committer:
    """Commits files as they come. Leaving the context without an exception makes the work tree's index match."""

    def __init__(self, root: Path) -> None:
        self._root = root
        run_git(root, "-c", "init.defaultBranch=main", "init", "--quiet", "--template=")
        self._stream = subprocess.Popen(
            ["git", "-C", str(root), "fast-import", "--quiet", "--date-format=raw"],
            env=_variables(),
            stdin=subprocess.PIPE,
        )
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def begin(self, message: str) -> None:
        """Begin the next commit; what is added from now on is in it."""
        moment = FIRST_MOMENT + self._count * STEP
        self._count += 1
        data = message.encode()
        head = f"commit {BRANCH}\ncommitter {AUTHOR} {moment} +0000\ndata {len(data)}\n"
        self._write(head.encode(), data, b"\n")

    def add(self, path: str, content: bytes) -> None:
        """Add a file, or its next version, to the commit begun last."""
        self._write(f"M 100644 inline {path}\ndata {len(content)}\n".encode(), content, b"\n")

    def commit(self, message: str, files: Iterable[tuple[str, bytes]]) -> None:
        """Make one whole commit."""
        self.begin(message)
        for path, content in files:
            self.add(path, content)

    def _write(self, *pieces: bytes) -> None:
        assert self._stream.stdin is not None
        self._stream.stdin.writelines(pieces)

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        assert self._stream.stdin is not None
        if kind is not None:
            self._stream.kill()
        self._stream.stdin.close()
        if self._stream.wait() and kind is None:
            raise RuntimeError("git fast-import failed")
        if kind is None:
            run_git(self._root, "reset", "--quiet")


def commit_files(root: Path, message: str, paths: Sequence[str]) -> None:
    """Commit the present content of a few files."""
    run_git(root, "commit", "--quiet", "--message", message, "--", *paths)
