"""An index on disk is as fresh as the files, survives anything, and is never trusted further than it can be checked."""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.index import manifest as manifests
from kb.index import opening, segments
from kb.index.manifest import read_manifest, write_manifest
from kb.index.opening import index_place, look_at_index
from kb.index.question import BadQuery, read_question
from kb.index.words import Analyzer
from kb.store.derived import hold_place, why_distrusted
from tests.conftest import REPOSITORY, entity, git, observation, write_kb
from tests.index.indexing import ask, documents_at, index_files, opened, scan

#: Tests leave indexes open.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

FILES = {
    "entities/person/ada.md": entity("ada", "Writes about engines.", name="Ada Lovelace"),
    "entities/person/bob.md": entity("bob", "## Facts", "- title:: Baker of engines", name="Bob"),
    "observations/2026/01/2026-01-01-a.md": observation("2026-01-01-a", "The engine hums.\n"),
    "observations/2026/01/2026-01-02-b.md": observation("2026-01-02-b", "Nothing of the kind.\n"),
}
ENGINES = {"e:ada", "e:bob", "o:2026-01-01-a"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_kb(tmp_path / "kb", FILES)


def test_only_what_changed_is_written(root: Path) -> None:
    """A second search writes nothing, an edit one document; what is deleted is found no more."""
    assert opened(root).written == 4
    assert opened(root).written == 0
    path = root / "observations/2026/01/2026-01-02-b.md"
    path.write_text(observation("2026-01-02-b", "An engine after all.\n"))
    index = opened(root)
    assert index.written == 1
    assert ask(index, "engine") == {*ENGINES, "o:2026-01-02-b"}
    path.unlink()
    assert ask(opened(root), "engine") == ENGINES
    assert opened(root).written == 0


def test_the_index_lies_in_the_git_dir_and_else_in_the_cache(root: Path, tmp_path: Path) -> None:
    """No clone can deliver an index, and each work tree has its own."""
    cache = Path(os.environ["XDG_CACHE_HOME"])
    assert cache in index_place(str(root)).parents
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "start")
    assert index_place(str(root)).parent == root / ".git" / "kb"
    other = tmp_path / "other"
    git(root, "worktree", "add", "-q", str(other))
    assert index_place(str(other)).parent == root / ".git" / "worktrees" / "other" / "kb"


@pytest.mark.parametrize("damage", ["truncate", "flip", "delete", "empty"])
def test_damaged_files_are_never_used(root: Path, damage: str) -> None:
    """Whatever happens to any file of an index, the next search answers right, and the one after it writes nothing."""
    opened(root)
    for number in range(len(index_files(root))):
        path = index_files(root)[number]
        data = bytearray(path.read_bytes())
        if damage == "delete":
            path.unlink()
        elif damage == "flip" and data:
            data[len(data) // 2] ^= 0x10
            path.write_bytes(data)
        else:
            path.write_bytes(data[: len(data) // 2 if damage == "truncate" else 0])
        assert ask(opened(root), "engine") == ENGINES
        assert opened(root).written == 0


@contextmanager
def killed_at(owner: object, name: str, when: str) -> Iterator[None]:
    """Let the process be killed before or after a step."""
    real = getattr(owner, name)

    def step(*arguments: object, **options: object) -> object:
        if when == "after":
            real(*arguments, **options)
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, step)
        # Nothing of the clean-up happens in a process that is killed.
        patch.setattr(opening.shutil, "rmtree", lambda *_, **__: None)
        yield


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(
    "owner, name",
    [(segments, "write_changes"), (opening, "write_manifest"), (manifests.os, "replace")],
)
def test_a_killed_writer_leaves_nothing_wrong(
    root: Path, owner: object, name: str, is_first: bool, when: str
) -> None:
    """However far a writer came, the next search answers right, and leftovers are cleared by the next full build."""
    if not is_first:
        opened(root)
        (root / "entities/person/bob.md").write_text(entity("bob", "A cook.", name="Bob"))
    owners = (owner, opening) if name == "write_changes" and not is_first else (owner,)
    with killed_at(owners[-1], name, when), pytest.raises(KeyboardInterrupt):
        opened(root)
    assert ask(opened(root), "engine") == (ENGINES if is_first else ENGINES - {"e:bob"})
    opening.open_index(str(root), documents_at(root), is_anew=True)
    left = {path.name for path in index_place(str(root)).iterdir()}
    assert left == {"lock", "manifest.json", read_manifest(index_place(str(root))).folder}


def test_an_index_of_another_version_is_made_anew(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool's, the format's and Whoosh's version are part of the manifest."""
    opened(root)
    monkeypatch.setattr(manifests, "WHOOSH_VERSION", "9.9")
    assert opened(root).written == 4


def test_an_index_of_another_knowledge_base_is_made_anew(root: Path, tmp_path: Path) -> None:
    """A foreign index, whole and with a manifest that fits it, gives no foreign answer."""
    other = write_kb(
        tmp_path / "other", {"entities/person/eve.md": entity("eve", "engine", name="Eve")}
    )
    opened(root)
    opened(other)
    place, foreign = index_place(str(root)), index_place(str(other))
    opening.shutil.rmtree(place)
    opening.shutil.copytree(foreign, place)
    assert ask(opened(root), "engine") == ENGINES


class Canary:
    """A pickle that makes a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("suffix", [".toc", ".trm", ".pst", ".col", "all"])
def test_a_malicious_index_runs_nothing(root: Path, tmp_path: Path, suffix: str) -> None:
    """Pickles in a table of contents, a segment's terms, postings or columns run nothing (BAD-INPUTS 56).

    Whoever made the index also made a manifest that fits.
    """
    opened(root)
    canary = tmp_path / "canary"
    bomb = pickle.dumps(Canary(canary), 2)
    place = index_place(str(root))
    held = read_manifest(place)
    for path in index_files(root)[:-1]:
        if suffix not in ("all", path.suffix):
            continue
        data = path.read_bytes()
        at = data.find(b"\x80\x02")  # where a pickle begins
        spots = {at} if path.suffix != ".pst" else set()
        while path.suffix == ".pst" and at >= 0:
            spots.add(at)
            at = data.find(b"\x80\x02", at + 1)
        changed = bytearray(data)
        for spot in spots - {-1}:
            changed[spot : spot + len(bomb)] = bomb
        if path.suffix == ".toc":
            spot = data.rfind(b"\x80", 0, data.rfind(b"W3Segment"))
            changed[spot : spot + len(bomb)] = bomb
        path.write_bytes(bytes(changed))
    write_manifest(place, held.folder, held.documents)
    question = read_question("engine", Analyzer())
    found, _ = opening.ask_index(
        str(root), documents_at(root), lambda lookup: lookup.find(question)
    )
    assert set(found) == ENGINES
    assert not canary.exists()


def test_every_way_whoosh_reads_pickles_is_guarded(tmp_path: Path) -> None:
    """No module of Whoosh that an index is read with still holds pickle's own readers."""
    program = (
        "import pickle, marshal, sys\n"
        "import kb.index.opening\n"
        "bad = [(n, k) for n, m in sys.modules.items() if n.split('.')[0] == 'whoosh' for k, v in vars(m).items()\n"
        "       if v in (pickle, pickle.load, pickle.loads, marshal.load, marshal.loads)]\n"
        "import whoosh.index, whoosh.codec.whoosh3, whoosh.columns, whoosh.filedb.structfile\n"
        "print(bad)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert done.stdout == "[]\n"


def test_a_tracked_place_is_not_used(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index that git tracks came with a clone: it is neither opened nor written (BAD-INPUTS 56)."""
    git(root, "init", "-q")
    place = root / "cache" / "kb" / "index-1"
    place.mkdir(parents=True)
    place.chmod(0o700)
    monkeypatch.setattr(opening, "index_place", lambda _: place)
    assert not why_distrusted(place)
    (place / "manifest.json").write_text("{}")
    git(root, "add", ".")
    index = opened(root)
    assert "git tracks" in index.warnings[0]
    assert ask(index, "engine") == ENGINES
    assert [path.name for path in place.iterdir()] == ["manifest.json"]


def test_a_place_open_to_others_is_not_used(root: Path) -> None:
    """Where others may write, or where the folder is a link, the index is made in memory."""
    opened(root)
    place = index_place(str(root))
    place.chmod(0o777)
    index = opened(root)
    assert "others may write" in index.warnings[0]
    assert ask(index, "engine") == ENGINES
    place.chmod(0o700)
    moved = place.with_name("moved")
    place.rename(moved)
    place.symlink_to(moved)
    assert "symbolic link" in opened(root).warnings[0]


def test_a_place_that_cannot_be_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be written, a search indexes in memory and says so."""
    blocked = root / "blocked"
    blocked.write_text("a file, so that no folder can be made below it")
    monkeypatch.setattr(opening, "index_place", lambda _: blocked / "kb" / "index-1")
    index = opened(root)
    assert index.warnings
    assert ask(index, "engine") == ENGINES


def test_one_writer_at_a_time(root: Path) -> None:
    """While another process writes, a search waits a moment, then indexes in memory; a fresh index is just read."""
    with hold_place(index_place(str(root)), 1):
        index = opened(root, wait=0.05)
        assert "another process" in index.warnings[0]
        assert ask(index, "engine") == ENGINES
    opened(root)
    with hold_place(index_place(str(root)), 1):
        assert opened(root, wait=0.05).warnings == ()


def test_a_reader_keeps_its_index_while_another_writes(root: Path) -> None:
    """What was opened stays readable when its files are replaced."""
    index = opened(root)
    opening.open_index(str(root), documents_at(root), is_anew=True)
    assert ask(index, "engine") == ENGINES


def test_two_processes_write_what_one_does(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build shared with a child holds the same documents, even where the child fails."""
    monkeypatch.setattr(segments, "_SMALLEST_SHARED", 0)
    monkeypatch.setattr(segments, "_can_fork", lambda: True)
    assert ask(opened(root), "engine") == ENGINES
    monkeypatch.setattr(segments, "_write_as_child", lambda *_: os._exit(1))
    opening.open_index(str(root), documents_at(root), is_anew=True)
    assert ask(opened(root), "engine") == ENGINES
    assert opened(root).written == 0


def test_looking_changes_nothing(root: Path) -> None:
    """The state of an index is told without making or mending one."""
    documents = documents_at(root)
    state = look_at_index(str(root), documents)
    assert (state.is_there, state.stale, state.why_unusable) == (False, 4, "there is none yet")
    opened(root)
    state = look_at_index(str(root), documents)
    assert (state.is_there, state.stale, state.why_unusable) == (True, 0, "")
    index_files(root)[0].write_bytes(b"")
    assert "not as it was written" in look_at_index(str(root), documents).why_unusable


# -- against a scan of everything ------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [
        "engine",
        "engines",
        "Ada",
        "café",
        "cafe",
        "C-1042",
        "db.local",
        "東京駅",
        "京",
        "don't",
        "the",
        "x",
        "мир",
    ]
)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
FILE_NAMES = st.sampled_from(["a", "b", "c", "d"])
QUESTIONS = st.one_of(
    TEXTS,
    TEXTS.map('"{}"'.format),
    st.sampled_from(
        [
            "eng*",
            "ca*",
            "c-10*",
            "京*",
            "name:ada",
            "engine OR x",
            "cafe -engine",
            "-x don’t",
            '"db local"',
            "db*",
        ]
    ),
    st.tuples(TEXTS, WORDS).map(lambda pair: f'{pair[0]} "{pair[1]}"'),
)
EDITS = st.lists(st.tuples(FILE_NAMES, st.none() | st.tuples(TEXTS, TEXTS)), min_size=1, max_size=5)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rounds=st.lists(EDITS, min_size=1, max_size=3),
    questions=st.lists(QUESTIONS, min_size=1, max_size=8),
)
def test_incremental_is_clean_is_a_scan(
    tmp_path_factory: pytest.TempPathFactory,
    rounds: list[list[tuple[str, tuple[str, str] | None]]],
    questions: list[str],
) -> None:
    """After any edits, an index brought up to date finds what a new one does, and what reading everything does."""
    root = write_kb(tmp_path_factory.mktemp("edits") / "kb", {})
    for edits in rounds:
        for name, content in edits:
            path = root / f"entities/person/{name}.md"
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(
                    entity(name, content[0], name=f"'{content[1].replace(chr(39), '’')}'")
                )
        index = opened(root)
    documents = documents_at(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "why_distrusted", lambda _: "for the test")
        clean = opened(root)
    for text in questions:
        try:
            question = read_question(text, Analyzer())
        except BadQuery:
            continue
        expected = scan(documents, question)
        assert set(index.lookup.find(question)) == expected, text
        assert set(clean.lookup.find(question)) == expected, text
