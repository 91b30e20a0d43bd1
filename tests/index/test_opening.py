"""An index on disk is as fresh as the files, survives anything, and is never trusted further than it can be checked."""

import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.index import manifest as manifests
from kb.index import opening, renewal, segments
from kb.index.manifest import describe_files, read_manifest, write_manifest
from kb.index.opening import look_at_index
from kb.index.question import BadQuery, read_question
from kb.index.words import Analyzer
from kb.store import kept
from kb.store import kept as kept_files
from kb.store.derived import hold_place, why_distrusted
from tests.conftest import REPOSITORY, entity, git, observation, write_kb
from tests.index.indexing import (
    ask,
    documents_at,
    index_files,
    mapped_documents_at,
    opened,
    place_of,
    scan,
)

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
    """A second search writes nothing; a complete one each edited document; what is deleted is found no more."""
    assert opened(root).written == 4
    assert opened(root).written == 0
    path = root / "observations/2026/01/2026-01-02-b.md"
    path.write_text(observation("2026-01-02-b", "An engine after all.\n"))
    index = opened(root, is_complete=True)
    assert index.written == 1
    assert ask(index, "engine") == {*ENGINES, "o:2026-01-02-b"}
    path.unlink()
    assert ask(opened(root, is_complete=True), "engine") == ENGINES
    assert opened(root, is_complete=True).written == 0


def test_a_few_changes_wait(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few changed documents are read beside the index, and written only when they are more."""
    monkeypatch.setattr(opening, "_MOST_WAITING", 2)
    opened(root)
    path = root / "observations/2026/01/2026-01-02-b.md"
    path.write_text(observation("2026-01-02-b", "An engine after all.\n"))
    (root / "entities/person/bob.md").unlink()
    index = opened(root)
    assert (index.written, index.waiting) == (0, 2)
    assert ask(index, "engine") == {"e:ada", "o:2026-01-01-a", "o:2026-01-02-b"}
    (root / "entities/person/eve.md").write_text(entity("eve", "engine", name="Eve"))
    index = opened(root)
    assert (index.written, index.waiting) == (2, 0)
    assert ask(index, "engine") == {"e:ada", "e:eve", "o:2026-01-01-a", "o:2026-01-02-b"}


def test_small_segments_are_joined(root: Path) -> None:
    """However often a little is written, segments stay few, and hold each document once."""
    opened(root)
    path = root / "observations/2026/01/2026-01-02-b.md"
    for number in range(12):
        path.write_text(observation("2026-01-02-b", f"An engine, edition e{number}.\n"))
        opened(root, is_complete=True)
        assert len(read_manifest(place_of(root)).segments) <= 2
    assert ask(opened(root), "e11") == {"o:2026-01-02-b"}
    assert ask(opened(root), "e10") == set()
    assert ask(opened(root), "engine") == {*ENGINES, "o:2026-01-02-b"}


def test_a_graph_file_says_what_can_differ(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one full build of the graph, only what changed since it is compared; of another, everything, once."""
    opening.open_index(str(root), mapped_documents_at(root))
    compared: list[str] = []
    real = opening.Documents.digest_of

    def counted(documents: opening.Documents, key: str) -> bytes | None:
        compared.append(key)
        return real(documents, key)

    def never(_: object) -> None:
        raise AssertionError("everything is compared")

    with monkeypatch.context() as patch:
        patch.setattr(opening.Documents, "digest_of", counted)
        patch.setattr(opening.Held, "digests", never)
        assert opening.open_index(str(root), mapped_documents_at(root)).waiting == 0
        assert compared == []
        path = root / "observations/2026/01/2026-01-02-b.md"
        before = path.read_bytes()
        path.write_text(observation("2026-01-02-b", "An engine after all.\n"))
        index = opening.open_index(str(root), mapped_documents_at(root), is_complete=True)
        assert (index.written, set(compared)) == (1, {"o:2026-01-02-b"})
        path.write_bytes(before)
        index = opening.open_index(str(root), mapped_documents_at(root))
        assert index.waiting == 1
        assert ask(index, "engine") == ENGINES
    opened(root, is_complete=True)  # by a graph in memory, which has no stamp
    opening.open_index(str(root), mapped_documents_at(root))
    monkeypatch.setattr(opening.Held, "digests", never)
    assert opening.open_index(str(root), mapped_documents_at(root)).waiting == 0


def test_a_file_found_whole_is_believed_while_its_stamp_is_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are digested until they are old enough for their stamps to say that nothing was written since."""
    opened(root)
    for path in index_files(root):
        os.utime(path, ns=(1, 1))
    monkeypatch.setattr(kept_files, "_OLD", -(10**12))  # as if some time had passed
    opened(root)
    digested: list[str] = []
    real = manifests.digest_file
    monkeypatch.setattr(manifests, "digest_file", lambda path: digested.append(path) or real(path))
    assert ask(opened(root), "engine") == ENGINES
    assert digested == []
    data = next(path for path in index_files(root) if path.suffix == ".pst")
    content = bytearray(data.read_bytes())
    content[len(content) // 2] ^= 1
    data.write_bytes(content)
    os.utime(
        data, ns=(1, 1)
    )  # the time of the last change can be set back, that of the entry cannot
    assert ask(opened(root), "engine") == ENGINES
    assert digested


def test_the_files_are_ordinary_ones_of_whoosh(root: Path) -> None:
    """Whoosh itself opens the index, and finds by any word what we do."""
    from whoosh.filedb.filestore import FileStorage
    from whoosh.index import FileIndex
    from whoosh.query import Term

    from kb.index.postings import BODY, NAME
    from kb.index.schema import make_schema

    opened(root)
    (root / "entities/person/bob.md").write_text(entity("bob", "An engine baker", name="Bob"))
    index = opened(root, is_complete=True)
    folder = place_of(root) / read_manifest(place_of(root)).folder
    with FileIndex(FileStorage(str(folder)), schema=make_schema()).searcher() as searcher:
        for stem in ("engin", "baker", "ada", "hum", "2026", "nowher"):
            found = {
                hit["key"]
                for field in (NAME, BODY)
                for hit in searcher.search(Term(field, stem), limit=None)
            }
            assert found == ask(index, stem), stem
        assert searcher.doc_count() == 4
        matcher = searcher.postings("exact", "engine")
        assert matcher.value_as("positions")


def test_the_index_lies_in_the_git_dir_and_else_in_the_cache(root: Path, tmp_path: Path) -> None:
    """No clone can deliver an index, and each work tree has its own."""
    cache = Path(os.environ["XDG_CACHE_HOME"])
    assert cache in place_of(root).parents
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "start")
    assert place_of(root).parent == root / ".git" / "kb"
    other = tmp_path / "other"
    git(root, "worktree", "add", "-q", str(other))
    assert place_of(other).parent == root / ".git" / "worktrees" / "other" / "kb"


@pytest.mark.parametrize("damage", ["truncate", "flip", "delete", "empty"])
def test_damaged_files_are_never_used(root: Path, damage: str) -> None:
    """Whatever happens to any file of an index, the next search answers right, and the one after it writes nothing."""
    opened(root)
    for ending in ("_name_len.col", "_stored.col", ".toc", ".docs", ".trm", ".pst", "manifest"):
        path = next(path for path in index_files(root) if path.name.endswith(ending))
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
    (root / "entities/person/bob.md").unlink()  # nor is anything built on what was damaged
    assert ask(opened(root, is_complete=True), "engine") == ENGINES - {"e:bob"}


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
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        yield


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(
    "owner, name",
    [(segments, "write_changes"), (renewal, "write_manifest"), (kept.os, "replace")],
)
def test_a_killed_writer_leaves_nothing_wrong(
    root: Path, owner: object, name: str, is_first: bool, when: str
) -> None:
    """However far a writer came, the next search answers right, and leftovers are cleared by the next full build."""
    if not is_first:
        opened(root)
        (root / "entities/person/bob.md").write_text(entity("bob", "A cook.", name="Bob"))
    with killed_at(owner, name, when), pytest.raises(KeyboardInterrupt):
        opened(root, is_complete=True)
    assert ask(opened(root), "engine") == (ENGINES if is_first else ENGINES - {"e:bob"})
    opening.open_index(str(root), documents_at(root), is_anew=True)
    left = {path.name for path in place_of(root).iterdir()}
    assert left == {"lock", "manifest", read_manifest(place_of(root)).folder}


def test_an_index_of_another_version_is_made_anew(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tool's, the format's and Whoosh's version are part of the manifest."""
    opened(root)
    monkeypatch.setattr(manifests, "_whoosh_version", lambda: "9.9")
    assert opened(root).written == 4


def test_an_index_of_another_knowledge_base_is_made_anew(root: Path, tmp_path: Path) -> None:
    """A foreign index, whole and with a manifest that fits it, gives no foreign answer."""
    other = write_kb(
        tmp_path / "other", {"entities/person/eve.md": entity("eve", "engine", name="Eve")}
    )
    opened(root)
    opened(other)
    place, foreign = place_of(root), place_of(other)
    shutil.rmtree(place)
    shutil.copytree(foreign, place)
    assert ask(opened(root), "engine") == ENGINES


class Canary:
    """A pickle that makes a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("suffix", [".toc", ".trm", ".pst", ".col", ".docs", "all"])
def test_a_malicious_index_runs_nothing(root: Path, tmp_path: Path, suffix: str) -> None:
    """Pickles in a table of contents, a segment's terms, postings or columns run nothing (BAD-INPUTS 56).

    Whoever made the index also made a manifest that fits.
    """
    opened(root)
    canary = tmp_path / "canary"
    bomb = pickle.dumps(Canary(canary), 2)
    place = place_of(root)
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
    write_manifest(place, held._replace(files=describe_files(str(place / held.folder), {})))
    question = read_question("engine", Analyzer())
    found, _ = opening.ask_index(
        str(root), documents_at(root), lambda lookup: lookup.find(question)
    )
    assert set(found) == ENGINES
    (root / "entities/person/bob.md").unlink()
    assert ask(opened(root, is_complete=True), "engine") == ENGINES - {"e:bob"}
    assert not canary.exists()


def test_every_way_whoosh_reads_pickles_is_guarded(tmp_path: Path) -> None:
    """No module of Whoosh that an index is read with still holds pickle's own readers."""
    program = (
        "import pickle, marshal, sys\n"
        "import kb.index.segments\n"
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
    monkeypatch.setattr(opening, "index_place", lambda _: str(place))
    assert not why_distrusted(place)
    (place / "manifest").write_text("{}")
    git(root, "add", ".")
    index = opened(root)
    assert "git tracks" in index.warnings[0]
    assert ask(index, "engine") == ENGINES
    assert [path.name for path in place.iterdir()] == ["manifest"]


def test_a_place_open_to_others_is_not_used(root: Path) -> None:
    """Where others may write, or where the folder is a link, the index is made in memory."""
    opened(root)
    place = place_of(root)
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
    monkeypatch.setattr(opening, "index_place", lambda _: str(blocked / "kb" / "index-1"))
    index = opened(root)
    assert index.warnings
    assert ask(index, "engine") == ENGINES


def test_one_writer_at_a_time(root: Path) -> None:
    """While another process writes, a search waits a moment, then indexes in memory; a fresh index is just read."""
    with hold_place(place_of(root), 1):
        index = opened(root, wait=0.05)
        assert "another process" in index.warnings[0]
        assert ask(index, "engine") == ENGINES
    opened(root)
    with hold_place(place_of(root), 1):
        assert opened(root, wait=0.05).warnings == ()


def test_a_reader_keeps_its_index_while_another_writes(root: Path) -> None:
    """What was opened stays readable when its files are replaced."""
    index = opened(root)
    opening.open_index(str(root), documents_at(root), is_anew=True)
    assert ask(index, "engine") == ENGINES


def test_two_processes_write_what_one_does(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build shared with a child holds the same documents, even where the child fails."""
    monkeypatch.setattr(segments, "_SMALLEST_SHARED", 2)
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
    is_complete=st.booleans(),
)
def test_incremental_is_clean_is_a_scan(
    tmp_path_factory: pytest.TempPathFactory,
    rounds: list[list[tuple[str, tuple[str, str] | None]]],
    questions: list[str],
    is_complete: bool,
) -> None:
    """After any edits, an index brought up to date gives the scores of a new one, to what reading everything finds."""
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
        index = opened(root, is_complete=is_complete)
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
        assert index.lookup.find(question) == clean.lookup.find(question), text
