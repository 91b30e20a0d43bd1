"""Fixtures and builders that all tests share. No test logic."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from kb.knowledge_base import KnowledgeBase, open_knowledge_base

# The gate is the same on every run; HYPOTHESIS_PROFILE=explore looks for what it has not seen yet.
settings.register_profile("gate", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))

REPOSITORY = Path(__file__).resolve().parent.parent
#: 2026-11-29T12:00:00Z: what tests call now.
NOW = 1_795_953_600
SHARED = REPOSITORY.parent / "shared"


def write_kb(
    root: Path, files: Mapping[str, str | bytes], config: str = "kb: 1\nname: Test\n"
) -> Path:
    """Write a knowledge base's files as given; ``kb.yaml`` is added where it is not among them."""
    root.mkdir(parents=True, exist_ok=True)
    for path, content in {"kb.yaml": config, **files}.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return root


def entity(id: str, *lines: str, type: str | None = "person", **fields: str) -> str:
    """Give an entity file's text: frontmatter of the fields, then the lines."""
    head = [
        f"id: {id}",
        *([f"type: {type}"] if type else []),
        *(f"{key}: {value}" for key, value in fields.items()),
    ]
    return "\n".join(("---", *head, "---", "", *lines, ""))


def observation(id: str, body: str = "Said.\n", **fields: str) -> str:
    """Give an observation file's text, unsealed; its day is its id's date unless given."""
    fields = {"kind": "note", "happened_at": id[:10], **fields}
    return "\n".join(
        ("---", f"id: {id}", *(f"{key}: {value}" for key, value in fields.items()), "---", body)
    )


@pytest.fixture(scope="session", autouse=True)
def own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep locks and other derived state of tests out of the user's own cache folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
        # Processes that tests start keep their compiled modules: most of a short command is compiling.
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture
def make_kb(tmp_path: Path) -> Callable[..., KnowledgeBase]:
    """Open a knowledge base of the files given."""

    def make(
        files: Mapping[str, str | bytes], config: str = "kb: 1\nname: Test\n", now: int = NOW
    ) -> KnowledgeBase:
        return open_knowledge_base(str(write_kb(tmp_path / "kb", files, config)), now)

    return make


def git(root: Path, *arguments: str) -> str:
    """Run git in a repository of a test, with a fixed author and date."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(root),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@northpeak.example",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@northpeak.example",
        "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
        "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
    }
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def make_repository(root: Path) -> Path:
    """Put a folder under git, with an author of its own, and commit what lies in it."""
    git(root, "init", "--quiet")
    git(root, "config", "user.name", "Ada")
    git(root, "config", "user.email", "ada@northpeak.example")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "start")
    return root
