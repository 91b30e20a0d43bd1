"""Two parts of the files, each packed by itself, make the graph file of all."""

import os
from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.derived.parts import Heads, Part, PartBuilder, Paths
from kb.graph import merging
from kb.graph.build import build_rows
from kb.graph.files import FileCard
from kb.graph.known_files import BaseFiles
from kb.graph.memory import MemoryGraph
from kb.graph.merging import merge_packed
from kb.graph.stored import StoredGraph
from kb.model.entity import EntityFile
from kb.model.observation import ObservationFile
from kb.store.paged import InMemory
from kb.store.sections import Sections, pack_sections
from kb.syntax.vocabulary_file import built_in_vocabulary
from tests.graph.comparing import everything, packed
from tests.graph.test_changes import make_tree, parse, resolve


def builder(files: Mapping[str, str]) -> PartBuilder:
    """What builds parts of some files."""

    def load(path: str) -> tuple[EntityFile | ObservationFile, FileCard]:
        one = parse(path, files[path])
        return one.file, one.card

    return PartBuilder(load, built_in_vocabulary(), None)


def build_alone(build: PartBuilder, paths: Paths) -> tuple[Part, Heads]:
    """What nobody else is told of."""
    told: list[Heads] = []

    def ask(mine: Heads) -> Heads:
        told.append(mine)
        return Heads([], [])

    return build.build_part(paths, ask), told[0]


def sections(part: Mapping[str, object]) -> Sections:
    """A part as its file."""
    return Sections(InMemory(b"".join(map(bytes, pack_sections(part)))))


def split(paths: list[str], chance: Random) -> tuple[list[str], list[str]]:
    """Paths before and after a place."""
    at = chance.randint(0, len(paths))
    return paths[:at], paths[at:]


@settings(max_examples=300)
@given(st.integers(0, 2**40))
def test_the_file_of_two_halves_answers_what_the_file_of_the_whole_answers(seed: int) -> None:
    """However the files are divided, what is merged says what a clean build says, and knows the same files."""
    chance = Random(seed)
    files = make_tree(chance)
    build = builder(files)
    entities = split(sorted(path for path in files if path.startswith("entities/")), chance)
    seen = split(sorted(path for path in files if not path.startswith("entities/")), chance)
    halves: list[Paths] = [(entities[0], seen[0]), (entities[1], seen[1])]
    heads = [build_alone(build, half)[1] for half in halves]
    first = build.build_part(halves[0], lambda mine: heads[1])
    second = build.build_part(halves[1], lambda mine: heads[0])

    merged = sections(merge_packed(first.sections, second.sections))

    resolution, parsed = resolve(files)
    wanted = MemoryGraph(build_rows(resolution))
    assert everything(StoredGraph(merged)) == everything(wanted)
    whole = BaseFiles(packed(build_rows(resolution), [one.card for one in parsed]))
    assert known(BaseFiles(merged)) == known(whole)
    assert sorted(first.blobs + second.blobs) == [
        (one.card.path, one.card.blob.hex()) for one in parsed
    ]


def known(files: BaseFiles) -> list[object]:
    """What a graph file knows of the files that it was made of."""
    paths = list(files.iter_paths())
    words = {word for path in paths if (card := files.card(path)) for word in card.provides}
    return [
        [files.card(path) for path in paths],
        {word: files.providing(word) for word in sorted(words)},
        {word: files.consulting(word) for word in sorted(words)},
        files.judging,
        files.judged,
    ]


def test_files_are_built_alike_in_two_processes_and_where_one_is_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a second process made is merged; where it ends too early, all is built in one."""
    files = make_tree(Random(7))
    paths = (
        sorted(path for path in files if path.startswith("entities/")),
        sorted(path for path in files if not path.startswith("entities/")),
    )
    monkeypatch.setattr("kb.derived.parts._can_fork", lambda: True)
    alone = builder(files).build(paths, few=len(files) + 1)
    wanted = everything(StoredGraph(sections(alone.sections)))

    built = builder(files).build(paths, few=0)
    assert everything(StoredGraph(sections(built.sections))) == wanted

    # The process that makes lists of rows beside the merging ends too early, and then the one that builds a part.
    here, make = os.getpid(), merging.pack_row_lists
    monkeypatch.setattr(
        merging,
        "pack_row_lists",
        lambda rows: make(rows) if os.getpid() == here else os._exit(1),
    )
    built = builder(files).build(paths, few=0)
    assert everything(StoredGraph(sections(built.sections))) == wanted

    monkeypatch.setattr(PartBuilder, "_work", lambda *_: os._exit(1))
    built = builder(files).build(paths, few=0)
    assert everything(StoredGraph(sections(built.sections))) == wanted
