"""Opening for reading: whatever happened to the files, the answers are those of a clean build."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.derived import opening
from kb.derived.opening import NotKept, open_graph
from kb.derived.state import STATE, graph_place, names_of, read_record, write_record
from kb.knowledge_base import KnowledgeBase, open_for_reading, open_knowledge_base
from kb.store.derived import hold_place
from kb.store.sections import Sections
from tests.conftest import NOW, entity, git, observation, write_kb
from tests.graph.comparing import everything
from tests.graph.test_changes import edit, make_tree

ADA, BOB = "entities/person/ada.md", "entities/person/bob.md"
SEEN = "observations/2026/01/2026-01-01-seen.md"


def small(root: Path, config: str = "kb: 1\nname: Test\n") -> Path:
    """Write two people, one of whom mentors the other."""
    files = {
        ADA: entity("ada", "## Relations", "", "- mentors:: [Bob](bob.md) [^2026-01-01-seen]"),
        BOB: entity("bob", "## Facts", "", "- title:: Engineer"),
        SEEN: observation("2026-01-01-seen"),
    }
    return write_kb(root, files, config)


def place_of(root: Path) -> Path:
    """Where the derived graph of a knowledge base lies."""
    return Path(graph_place(str(root)))


def read(root: Path, **how: bool) -> KnowledgeBase:
    """Open for reading."""
    return open_for_reading(str(root), NOW, **how)


def assert_fresh(root: Path) -> KnowledgeBase:
    """What is opened for reading says what the files say now."""
    found, wanted = read(root), open_knowledge_base(str(root), NOW)
    assert found.revision == wanted.revision
    assert everything(found.graph) == everything(wanted.graph)
    return found


def values(base: KnowledgeBase) -> set[str | None]:
    """The values of all facts."""
    return {one.value for one in base.graph.iter_statements() if one.value is not None}


# -- whatever happens to the files -----------------------------------------------------------------------------------


def put(root: Path, files: dict[str, str]) -> None:
    """Make the tree hold just these files, leaving alone what is right already."""
    for top in ("entities", "observations"):
        for path in sorted((root / top).rglob("*.md")):
            if str(path.relative_to(root)) not in files:
                path.unlink()
    for path, text in files.items():
        target = root / path
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


@settings(max_examples=25)
@given(st.integers(0, 2**40))
def test_any_sequence_of_edits_and_checkouts(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """After each of several edits, commits, checkouts and touches the answers are those of a clean build."""
    chance = Random(seed)
    root = tmp_path_factory.mktemp("kb")
    files = make_tree(chance)
    write_kb(root, files)
    git(root, "init", "--quiet")
    commits = 0
    for _ in range(5):
        assert_fresh(root)
        match chance.choice(("edit", "edit", "edit", "commit", "checkout", "touch")):
            case "commit":
                git(root, "add", "--all")
                git(root, "commit", "--quiet", "--allow-empty", "-m", "x")
                commits += 1
            case "checkout" if commits > 1:
                git(root, "checkout", "--quiet", "--force", "HEAD~1", "--", ".")
                files = {
                    str(path.relative_to(root)): path.read_text(encoding="utf-8")
                    for top in ("entities", "observations")
                    for path in (root / top).rglob("*.md")
                }
            case "touch" if files:
                os.utime(root / chance.choice(sorted(files)))
            case _:
                for _ in range(chance.randint(1, 3)):
                    edit(chance, files)
                put(root, files)
    assert_fresh(root)


def test_an_edit_in_place_is_seen(tmp_path: Path) -> None:
    """A file that is written in place within the same moment, of the same size, is read again."""
    root = small(tmp_path)
    assert values(read(root)) == {"Engineer"}
    for title in ("Engineed", "Engineep", "Engineeq"):
        text = (root / BOB).read_text(encoding="utf-8")
        (root / BOB).write_text(text[: text.index("Enginee")] + f"{title}\n", encoding="utf-8")
        assert values(read(root)) == {title}


def test_times_that_were_set_back_hide_nothing(tmp_path: Path) -> None:
    """An edit whose time and size are those of before is seen: the system notes when the entry changed."""
    root = small(tmp_path)
    read(root)
    before = (root / BOB).stat()
    text = (root / BOB).read_text(encoding="utf-8").replace("Engineer", "Gardener")
    (root / BOB).write_text(text, encoding="utf-8")
    os.utime(root / BOB, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert values(read(root)) == {"Gardener"}


def test_nothing_is_parsed_where_no_byte_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second opening parses no file, not even one that was only touched."""
    root = small(tmp_path)
    read(root)

    def fail(*_: object) -> None:
        pytest.fail("a file was parsed")

    monkeypatch.setattr("kb.derived.build.load_file", fail)
    monkeypatch.setattr("kb.derived.build.build_all", fail)
    for path in root.rglob("*.md"):
        os.utime(path, (1, 1))
    assert values(read(root)) == {"Engineer"}


def test_a_changed_configuration_builds_anew(tmp_path: Path) -> None:
    """Another vocabulary reads all files otherwise."""
    root = small(tmp_path)
    assert read(root).graph.vocabulary.read_relation("befriends").is_known is False
    config = "kb: 1\nrelations:\n  befriends: {symmetric: true}\n"
    (root / "kb.yaml").write_text(config, encoding="utf-8")
    base = assert_fresh(root)
    assert base.graph.vocabulary.read_relation("befriends").is_known


def test_changed_settings_build_nothing_anew(tmp_path: Path) -> None:
    """A kb.yaml with the same words is noted, settings included; put back, all is as at first."""
    root = small(tmp_path)
    read(root)
    before = (root / "kb.yaml").read_text(encoding="utf-8")
    (root / "kb.yaml").write_text(before + "freshness: 7\nstrict: true\n", encoding="utf-8")
    base = assert_fresh(root)
    assert base.opened.is_built is False
    assert base.settings.strict is True
    assert read_record(graph_place(str(root))).freshness == 7
    (root / BOB).write_text(entity("bob", "## Facts", "", "- title:: Chief"), encoding="utf-8")
    assert values(assert_fresh(root)) == {"Chief"}
    (root / "kb.yaml").write_text(before, encoding="utf-8")
    assert values(assert_fresh(root)) == {"Chief"}
    assert read_record(graph_place(str(root))).freshness == 0


@pytest.mark.parametrize(
    "text",
    [
        b"kb: [",
        b"- kb: 1\n",
        b"name: Test\n",
        b"kb: 9\n",
        b"kb: 1\n<<<<<<< ours\nname: A\n",
        b"kb: 1\nname: [\n",
    ],
)
def test_a_configuration_that_does_not_hold_is_warned_of(tmp_path: Path, text: bytes) -> None:
    """Each answer under it is given, with the warning: built anew, on what changed, from disk; mended, it is gone."""
    root = small(tmp_path)
    before = (root / "kb.yaml").read_bytes()
    assert read(root).warnings == ()
    (root / "kb.yaml").write_bytes(text)
    for _ in range(2):
        (warning,) = read(root).warnings
        assert warning.startswith("kb.yaml: ")
        assert warning.endswith("its words and settings may not hold (kb check)")
    (root / BOB).write_text(entity("bob", "## Facts", "", "- title:: Chief"), encoding="utf-8")
    base = read(root)
    assert (base.warnings, values(base)) == ((warning,), {"Chief"})
    (root / "kb.yaml").write_bytes(before)
    assert read(root).warnings == ()
    (root / "kb.yaml").write_bytes(b"kb: 1\nrelations: {befriends: {symmetric: true}}\n")
    assert read(root).warnings == ()
    (root / "kb.yaml").write_bytes(text)
    assert read(root).warnings == (warning,)


def test_a_configuration_that_is_no_file_is_warned_of(tmp_path: Path) -> None:
    """A link is not followed; where the graph cannot be kept, both is said."""
    root = small(tmp_path)
    (root / "kb.yaml").rename(root / "elsewhere.yaml")
    (root / "kb.yaml").symlink_to("elsewhere.yaml")
    (warning,) = read(root).warnings
    assert "symbolic link" in warning
    place = Path(graph_place(str(root)))
    shutil.rmtree(place)
    place.touch()
    assert read(root).warnings[1:] == (warning,)


def test_files_that_were_only_touched_are_never_too_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many files got another stamp, what has the bytes of before is not built anew."""
    root = small(tmp_path)
    read(root)
    monkeypatch.setattr("kb.derived.build._FEW", 1)
    for path in root.rglob("*.md"):
        os.utime(path, (2, 2))
    assert read(root).opened.is_built is False


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A folder or file that became a symbolic link is no longer read, as in a clean build."""
    root = small(tmp_path / "kb")
    read(root)
    (root / "entities/person").rename(tmp_path / "elsewhere")
    (root / "entities/person").symlink_to(tmp_path / "elsewhere")
    assert len(assert_fresh(root).graph.entities) == 0


# -- freshness -------------------------------------------------------------------------------------------------------


def age(root: Path) -> None:
    """Make everything old, so that no stamp could be that of a later write."""
    for path in (root, *root.rglob("*")):
        if ".git" not in path.parts:
            os.utime(path, (1, 1))


def vouched(root: Path) -> Path:
    """A knowledge base whose last sweep vouches for a while."""
    small(root, "kb: 1\nname: Test\nfreshness: 600\n")
    age(root)
    read(root)
    record = read_record(graph_place(str(root)))
    # As if all had been written long before the sweep.
    write_record(graph_place(str(root)), record._replace(racy=frozenset(), started=record.started))
    return root


def test_a_young_sweep_is_trusted_where_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within ``freshness`` seconds of a sweep the files are not looked at again; they are where trust is not allowed."""
    root = vouched(tmp_path)
    monkeypatch.setattr("kb.store.sweep._TICK", -(10**12))
    assert read(root).opened.is_swept is False
    assert read(root, may_trust=False).opened.is_swept is True


def test_what_was_found_whole_is_not_digested_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where no command sweeps: one digests the large files once they are old, the next ones believe their stamps."""
    root = vouched(tmp_path)
    monkeypatch.setattr("kb.store.sweep._TICK", -(10**12))
    monkeypatch.setattr("kb.store.kept._OLD", 0)
    digested = []
    is_whole = Sections.is_whole

    def counted(self: Sections) -> bool:
        digested.append(self)
        return is_whole(self)

    monkeypatch.setattr(Sections, "is_whole", counted)
    assert read(root).opened.is_swept is False
    first = len(digested)
    assert read(root).opened.is_swept is False
    assert len(digested) == first + 1, "the small file that names the others, and no other"
    assert first > 1


@pytest.mark.parametrize("change", ["add", "delete", "rename", "replace", "configure"])
def test_what_shows_in_folders_is_seen_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Additions, deletions, renames, saves by renaming and another kb.yaml are seen whatever ``freshness`` allows."""
    root = vouched(tmp_path)
    monkeypatch.setattr("kb.store.sweep._TICK", -(10**12))
    assert read(root).opened.is_swept is False
    match change:
        case "add":
            (root / "entities/person/cleo.md").write_text(entity("cleo"), encoding="utf-8")
        case "delete":
            (root / BOB).unlink()
        case "rename":
            (root / BOB).rename(root / "entities/person/rob.md")
        case "replace":
            (root / "entities/person/.new").write_text(entity("bob"), encoding="utf-8")
            (root / "entities/person/.new").replace(root / BOB)
        case _:
            (root / "kb.yaml").write_text("kb: 1\nname: Other\nfreshness: 600\n", encoding="utf-8")
    monkeypatch.undo()
    assert assert_fresh(root).opened.is_swept is True


# -- what cannot be kept, or believed --------------------------------------------------------------------------------


def test_a_place_that_cannot_be_written_is_answered_from_memory(tmp_path: Path) -> None:
    """Where the graph cannot be kept, all files are read, and a warning says why."""
    root = small(tmp_path)
    place = place_of(root)
    place.parent.mkdir(parents=True)
    place.write_text("no folder")
    base = read(root)
    assert values(base) == {"Engineer"}
    assert "the graph is not kept" in base.warnings[0]


def test_a_full_disk_is_answered_from_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that is full when the graph is written leaves nothing behind, and the files answer."""
    root = small(tmp_path)

    def fill(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(opening, "write_record", fill)
    base = read(root)
    assert values(base) == {"Engineer"}
    assert "No space left on device" in base.warnings[0]


def test_changes_are_answered_where_they_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that cannot be written down is in the answer all the same."""
    root = small(tmp_path)
    read(root)
    monkeypatch.setattr(
        opening, "write_record", lambda *_: (_ for _ in ()).throw(OSError(30, "Read-only"))
    )
    (root / BOB).write_text(entity("bob", "## Facts", "", "- title:: Chief"), encoding="utf-8")
    assert values(read(root)) == {"Chief"}
    assert values(read(root)) == {"Chief"}


def test_a_writer_elsewhere_holds_nobody_up(tmp_path: Path) -> None:
    """While another process writes, a change is built for this answer alone."""
    root = small(tmp_path)
    read(root)
    (root / BOB).write_text(entity("bob", "## Facts", "", "- title:: Chief"), encoding="utf-8")
    with hold_place(place_of(root), 1):
        assert values(read(root)) == {"Chief"}


def test_a_full_build_waits_for_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is there yet and another process is building, the files answer after a while."""
    root = small(tmp_path)
    monkeypatch.setattr(opening, "_WAIT", 0.1)
    place_of(root).mkdir(parents=True)
    with hold_place(place_of(root), 1):
        base = read(root)
    assert values(base) == {"Engineer"}
    assert "another process is building it" in base.warnings[0]


def kept_files(root: Path) -> list[Path]:
    """The files of the derived graph."""
    record = read_record(graph_place(str(root)))
    return [place_of(root) / name for name in sorted(names_of(record)) if name != "lock"]


def spoil_cut(path: Path) -> None:
    """Cut a file's end off."""
    path.write_bytes(path.read_bytes()[:-7])


def spoil_bit(path: Path) -> None:
    """Turn one bit in the middle."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(bytes(data))


def spoil_first(path: Path) -> None:
    """Turn one bit of the table of contents."""
    data = bytearray(path.read_bytes())
    data[40] ^= 1
    path.write_bytes(bytes(data))


def spoil_empty(path: Path) -> None:
    """Leave nothing of it."""
    path.write_bytes(b"")


def spoil_pickle(path: Path) -> None:
    """Put there what would run a program if it were unpickled."""
    path.write_bytes(b"cos\nsystem\n(S'touch canary'\ntR.")


def spoil_link(path: Path) -> None:
    """Put a link to an equal file in its place."""
    other = path.with_name("other")
    path.rename(other)
    path.symlink_to(other)


def spoil_gone(path: Path) -> None:
    """Take it away."""
    path.unlink()


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize(
    "spoil",
    [spoil_cut, spoil_bit, spoil_first, spoil_empty, spoil_pickle, spoil_link, spoil_gone],
)
def test_a_spoiled_file_is_not_believed(
    tmp_path: Path, spoil: Callable[[Path], None], number: int
) -> None:
    """Whatever is not, byte for byte, what was written is built anew, and runs nothing."""
    root = small(tmp_path)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "x")
    read(root)
    (root / BOB).write_text(entity("bob", "## Facts", "", "- title:: Chief"), encoding="utf-8")
    read(root)
    files = kept_files(root)
    assert len(files) == 5
    spoil(files[number])
    base = assert_fresh(root)
    assert base.warnings == ()
    assert not (root / "canary").exists()
    assert assert_fresh(root).opened.is_built is False


def test_another_knowledge_bases_files_are_not_believed(tmp_path: Path) -> None:
    """A state that was copied from elsewhere differs from the files in their stamps, so that they are read."""
    one, other = small(tmp_path / "one"), small(tmp_path / "other")
    (other / BOB).write_text(entity("bob", "## Facts", "", "- title:: Chief"), encoding="utf-8")
    for root in (one, other):
        git(root, "init", "--quiet")
        read(root)
    shutil.rmtree(place_of(one))
    shutil.copytree(place_of(other), place_of(one))
    assert values(assert_fresh(one)) == {"Engineer"}


@pytest.mark.parametrize("how", ["writable", "tracked"])
def test_a_place_of_others_is_not_used(tmp_path: Path, how: str) -> None:
    """What others may write into, or git brought, is neither read nor written."""
    root = small(tmp_path)
    read(root)
    place = place_of(root)
    if how == "writable":
        place.chmod(0o777)
    else:
        shutil.rmtree(place)
        place.symlink_to(tmp_path)
    before = sorted(os.listdir(place))
    base = read(root)
    assert values(base) == {"Engineer"}
    assert base.warnings
    assert sorted(os.listdir(place)) == before
    place.unlink() if how == "tracked" else place.chmod(0o700)


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    """Files that belong to no state are removed by the next that writes."""
    root = small(tmp_path)
    read(root)
    (place_of(root) / "base-left.tmp").write_bytes(b"half")
    (root / BOB).write_text(entity("bob"), encoding="utf-8")
    read(root)
    assert not (place_of(root) / "base-left.tmp").exists()
    assert (place_of(root) / STATE).exists()


def test_many_changes_are_built_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where more changed than is worth keeping apart, one full build has it all."""
    monkeypatch.setattr("kb.derived.build._FEW", 1)
    root = small(tmp_path)
    read(root)
    for path in (ADA, BOB):
        (root / path).write_text(entity(Path(path).stem, "x"), encoding="utf-8")
    assert assert_fresh(root).opened.is_built is True
    assert read_record(graph_place(str(root))).changes is None


def test_a_graph_that_cannot_be_kept_says_why(tmp_path: Path) -> None:
    """The reason is for people."""
    root = small(tmp_path)
    place_of(root).parent.mkdir(parents=True)
    place_of(root).write_text("no folder")
    with pytest.raises(NotKept, match="no folder"):
        open_graph(str(root))


@pytest.mark.parametrize("year", [1600, 1969, 2400])
def test_a_date_that_no_eight_bytes_hold(tmp_path: Path, year: int) -> None:
    """A file, a folder or git's index may bear any date: all is read, and kept as fresh as ever."""
    root = small(tmp_path)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    seconds = (year - 1970) * 31_556_952
    for path in ("entities/person/ada.md", "entities/person", ".git/index"):
        os.utime(root / path, (seconds, seconds))
    assert_fresh(root)
    assert_fresh(root)
    with (root / "entities/person/ada.md").open("a") as file:
        file.write("\nMore.\n")
    os.utime(root / "entities/person/ada.md", (seconds, seconds))
    assert_fresh(root)
