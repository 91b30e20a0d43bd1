"""Disk → parsed files: whatever lies there, loading ends, says what is wrong, and reads all the rest."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from kb.load import Corpus, load_corpus
from tests.conftest import entity, observation, write_kb

FIRST = {"entities/person/ada.md": entity("ada")}


def load(root: Path, files: dict[str, str | bytes]) -> Corpus:
    """Write files into a knowledge base and load it."""
    return load_corpus(str(write_kb(root, files)))


def told(corpus: Corpus) -> list[tuple[str, str]]:
    """List code and path of what is found."""
    return [(one.code, one.path) for one in corpus.diagnostics]


def ids(corpus: Corpus) -> list[str]:
    """List the ids of the entities that loaded whole."""
    return [file.id for file in corpus.entities if not file.is_broken]


def test_missing_folders_are_an_empty_knowledge_base(tmp_path) -> None:
    """A bare kb.yaml is enough."""
    corpus = load(tmp_path, {})
    assert (corpus.entities, corpus.observations, corpus.diagnostics) == ((), (), ())


def test_missing_configuration(tmp_path) -> None:
    """Without kb.yaml the built-in words stand, and the missing file is told."""
    (tmp_path / "entities").mkdir()
    corpus = load_corpus(str(tmp_path))
    assert told(corpus) == [("KB117", "kb.yaml")]
    assert "person" in corpus.configuration.vocabulary.types


def test_byte_order_mark_is_read_past(tmp_path) -> None:
    """Row 4: a file with a BOM is read as any other, with a warning (BAD-INPUTS 4)."""
    corpus = load(tmp_path, {"entities/ada.md": b"\xef\xbb\xbf" + entity("ada").encode()})
    assert (ids(corpus), told(corpus)) == (["ada"], [("KB111", "entities/ada.md")])


def test_mixed_line_ends(tmp_path) -> None:
    """Row 6: mixed line ends and lone carriage returns are read, with a warning (BAD-INPUTS 6)."""
    corpus = load(
        tmp_path,
        {
            "entities/ada.md": entity("ada").replace("\n", "\r\n", 1),
            "entities/bob.md": entity("bob").replace("\n", "\r"),
        },
    )
    assert ids(corpus) == ["ada", "bob"]
    assert told(corpus) == [("KB112", "entities/ada.md"), ("KB112", "entities/bob.md")]


def test_bytes_that_are_no_utf8(tmp_path) -> None:
    """Row 8: the byte's offset is told, the bytes are kept, other files are unaffected."""
    data = entity("ada").encode() + b"caf\xe9\n"
    corpus = load(tmp_path, {"entities/ada.md": data, "entities/bob.md": entity("bob")})
    assert ids(corpus) == ["ada", "bob"]
    assert told(corpus) == [("KB113", "entities/ada.md")]
    assert f"offset {data.index(0xE9)}" in corpus.diagnostics[0].message
    assert corpus.sources["entities/ada.md"].encode() == data


@pytest.mark.parametrize(
    "name",
    [
        "two\nlines.md",
        'a"quote.md',
        "it's.md",
        "-rf.md",
        "a:b.md",
        "trailing..md",
        "trailing .md",
        "CON.md",
        "aux.md",
        "back\\slash.md",
        "smile😀.md",
        "x" * 245 + ".md",
    ],
)
def test_names_that_some_systems_cannot_hold(tmp_path, name: str) -> None:
    """Row 50: the name is told, once; the file is read all the same (BAD-INPUTS 50)."""
    corpus = load(tmp_path, {**FIRST, f"entities/{name}": entity("x")})
    assert told(corpus) == [("KB315", f"entities/{name}")]
    assert sorted(ids(corpus)) == ["ada", "x"]


def test_name_that_is_no_utf8(tmp_path) -> None:
    """Row 50: a name of foreign bytes is told, its file read, and its path kept as it is (BAD-INPUTS 50)."""
    write_kb(tmp_path, FIRST)
    path = os.fsencode(tmp_path / "entities") + b"/bad\xff.md"
    Path(os.fsdecode(path)).write_text(entity("bad"))
    corpus = load_corpus(str(tmp_path))
    assert told(corpus) == [("KB315", "entities/bad\udcff.md")]
    assert sorted(ids(corpus)) == ["ada", "bad"]


def test_nameless_files_of_foreign_bytes(tmp_path) -> None:
    """A file without an id whose stem is no text still gets one."""
    write_kb(tmp_path, {})
    folder = os.fsencode(tmp_path / "entities")
    Path(os.fsdecode(folder)).mkdir()
    Path(os.fsdecode(folder + b"/\xff\xfe.md")).write_text("---\nname: x\n---\n")
    (file,) = load_corpus(str(tmp_path)).entities
    assert file.id.startswith("x-")


def test_case_twins(tmp_path) -> None:
    """B30: files and folders that differ only in case are told, naming both, once."""
    corpus = load(
        tmp_path,
        {
            "entities/Schemas/call.md": entity("call"),
            "entities/schemas/call.md": entity("research"),
            "entities/x/ada.md": entity("ada"),
            "entities/x/ADA.md": entity("ada"),
        },
    )
    collisions = [one for one in corpus.diagnostics if one.code == "KB314"]
    assert [(one.path, one.related[0][0]) for one in collisions] == [
        ("entities/schemas", "entities/Schemas"),
        ("entities/x/ada.md", "entities/x/ADA.md"),
    ]


def test_twins_of_our_own_folders(tmp_path) -> None:
    """B30: what lies in Entities/ is not read in silence."""
    corpus = load(tmp_path, {**FIRST, "Entities/person/bob.md": entity("bob")})
    assert (ids(corpus), told(corpus)) == (["ada"], [("KB314", "Entities")])


def test_normal_form_twins(tmp_path) -> None:
    """B34: two files whose names differ only in Unicode normal form collide."""
    corpus = load(
        tmp_path,
        {"entities/mu\u0308ller.md": entity("m1"), "entities/m\u00fcller.md": entity("m2")},
    )
    (collision,) = (one for one in corpus.diagnostics if one.code == "KB314")
    assert "only in Unicode normal form" in collision.message


def test_symbolic_links_are_not_followed(tmp_path) -> None:
    """Row 52, B32: links to files, folders and themselves are told and left alone (BAD-INPUTS 52)."""
    secret = tmp_path / "secret"
    write_kb(secret, {"eve.md": entity("eve")})
    root = write_kb(tmp_path / "kb", FIRST)
    (root / "entities/eve.md").symlink_to(secret / "eve.md")
    (root / "entities/folder").symlink_to(secret)
    (root / "entities/loop").symlink_to(root / "entities")
    (root / "entities/self.md").symlink_to(root / "entities/self.md")
    (root / "observations").symlink_to(secret)
    corpus = load_corpus(str(root))
    assert ids(corpus) == ["ada"]
    assert corpus.observations == ()
    links = (
        "entities/eve.md",
        "entities/folder",
        "entities/loop",
        "entities/self.md",
        "observations",
    )
    assert told(corpus) == [("KB316", path) for path in links]


def test_linked_configuration_is_not_followed(tmp_path) -> None:
    """Nor is a kb.yaml that is a link: the built-in words stand."""
    root = write_kb(tmp_path / "kb", FIRST)
    (root / "kb.yaml").rename(tmp_path / "other.yaml")
    (root / "kb.yaml").symlink_to(tmp_path / "other.yaml")
    assert told(load_corpus(str(root))) == [("KB316", "kb.yaml")]


def test_linked_root_is_the_users_choice(tmp_path) -> None:
    """The root itself may be reached by a link."""
    write_kb(tmp_path / "kb", FIRST)
    (tmp_path / "link").symlink_to(tmp_path / "kb")
    corpus = load_corpus(str(tmp_path / "link"))
    assert (ids(corpus), told(corpus)) == (["ada"], [])


def test_hard_links_are_files(tmp_path) -> None:
    """Row 52: a hard link is a file like any other; nothing hangs, and two of one entity claim one id (BAD-INPUTS 52)."""
    root = write_kb(tmp_path, FIRST)
    os.link(root / "entities/person/ada.md", root / "entities/ada.md")
    assert ids(load_corpus(str(root))) == ["ada", "ada"]


@pytest.mark.parametrize("path", ["entities/person/pipe.md", "observations/pipe.md", "kb.yaml"])
def test_pipes_are_not_waited_for(tmp_path, path: str) -> None:
    """A named pipe is told as unreadable, at once."""
    root = write_kb(tmp_path, {**FIRST, "observations/x.md": observation("x", happened_at="2026")})
    (root / path).unlink(missing_ok=True)
    os.mkfifo(root / path)
    corpus = load_corpus(str(root))
    assert told(corpus) == [("KB117", path)]
    assert ids(corpus) == ["ada"]


def test_folder_with_a_files_name(tmp_path) -> None:
    """A folder may be called x.md; what lies in it is read."""
    corpus = load(tmp_path, {"entities/x.md/ada.md": entity("ada")})
    assert (ids(corpus), told(corpus)) == (["ada"], [])


def test_file_with_a_folders_name(tmp_path) -> None:
    """Where entities is a file, there is no folder to read, and that is told."""
    assert told(load(tmp_path, {"entities": "text"})) == [("KB117", "entities")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_and_folder(tmp_path) -> None:
    """What the system does not let be read is told; the rest loads."""
    root = write_kb(tmp_path, {**FIRST, "entities/bob.md": entity("bob"), "entities/x/y.md": "x"})
    (root / "entities/bob.md").chmod(0)
    (root / "entities/x").chmod(0)
    corpus = load_corpus(str(root))
    (root / "entities/x").chmod(0o700)
    assert sorted(told(corpus)) == [("KB117", "entities/bob.md"), ("KB117", "entities/x")]
    assert ids(corpus) == ["ada"]


def test_huge_file_is_not_read(tmp_path) -> None:
    """Row 54: a file of 200 MB costs no time, is told, and stays listed as broken (BAD-INPUTS 54)."""
    root = write_kb(tmp_path, FIRST)
    with (root / "entities/huge.md").open("wb") as file:
        file.truncate(200 * 1024 * 1024)
    start = time.monotonic()
    corpus = load_corpus(str(root))
    assert time.monotonic() - start < 2
    assert told(corpus) == [("KB114", "entities/huge.md")]
    assert [(file.id, file.is_broken) for file in corpus.entities] == [
        ("huge", True),
        ("ada", False),
    ]


def test_folders_deeper_than_calls_can_be(tmp_path) -> None:
    """Folders nest as deep as the system lets them; reading them does not overflow."""
    root = write_kb(tmp_path, FIRST)
    here = os.open(root / "entities", os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=here)
        deeper = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)
    corpus = load_corpus(str(root))
    subprocess.run(["rm", "-r", root / "entities/d"], check=True)  # pytest's own cleaning recurses
    assert ids(corpus) == ["ada"]


def test_hidden_and_foreign_files_are_none_of_ours(tmp_path) -> None:
    """Hidden names and files that are no Markdown are passed by."""
    files = {"entities/.obsidian/x.md": "x", "entities/.x.md": "x", "entities/photo.png": b"\xff"}
    corpus = load(tmp_path, {**FIRST, **files})
    assert (ids(corpus), told(corpus)) == (["ada"], [])


def test_upper_case_extension_is_read(tmp_path) -> None:
    """X.MD is a Markdown file, too."""
    assert ids(load(tmp_path, {"entities/ada.MD": entity("ada")})) == ["ada"]


def test_progress_counts_files(tmp_path) -> None:
    """Who waits is told how many files have been read."""
    counts: list[int] = []
    root = write_kb(tmp_path, {f"entities/e{n}.md": entity(f"e{n}") for n in range(3)})
    load_corpus(str(root), counts.append)
    assert counts == [1, 2, 3]
