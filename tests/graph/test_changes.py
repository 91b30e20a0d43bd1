"""The file of changes: after any edits the graph file with it says what a clean build says."""

from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.graph.build import Resolution, build_rows, resolve_files
from kb.graph.changes import ParsedFile, TooMuch, pack_changes
from kb.graph.files import entity_card, observation_card
from kb.graph.known_files import BaseFiles
from kb.graph.memory import MemoryGraph
from kb.graph.stored import StoredGraph
from kb.model.entity import EntityFile
from kb.store.files import digest
from kb.store.paged import InMemory
from kb.store.sections import Sections, pack_sections
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.observation_file import parse_observation_file
from kb.syntax.source import decode
from kb.syntax.vocabulary_file import built_in_vocabulary
from tests.graph.comparing import everything, packed

IDS = ("ada", "bob", "cleo", "dan")
NAMES = ("Ada", "Bob", "Robert Miles", "Straße", "dan")
SEEN = ("2026-01-01-a", "2026-01-02-b", "2026-01-03-c")
LINKS = (
    *(f"[x]({id}.md)" for id in IDS),
    "[x](../company/ada.md)",
    "[[Robert Miles]]",
    "[[ada]]",
    "[[STRASSE]]",
    "[x](../../observations/2026/01/2026-01-01-a.md)",
    "[[2026-01-02-b]]",
)


def line(chance: Random) -> str:
    """One statement line."""
    cited = "".join(f" [^{id}]" for id in chance.sample(SEEN, chance.randrange(3)))
    time = chance.choice(("", " (2020)", " (2021/2022)", " (retracted)", " (by bob)"))
    if chance.random() < 0.6:
        word = chance.choice(("mentors", "reports-to", "manages", "discussed-with"))
        return f"- {word}:: {chance.choice(LINKS)}{time}{cited}"
    note = chance.choice(("", " — see [x](bob.md)", " — [[Robert Miles]] said so"))
    return f"- title:: {chance.choice(NAMES)}{time}{note}{cited}"


def entity_text(chance: Random, stem: str) -> str:
    """An entity's file: mostly plain, now and then of another's id or name, or merged."""
    head = [f"id: {stem if chance.random() < 0.85 else chance.choice(IDS)}"]
    head.append(f"type: {chance.choice(('person', 'person', 'person', 'company'))}")
    if chance.random() < 0.5:
        head.append(f"name: {chance.choice(NAMES)}")
    if chance.random() < 0.5:
        head.append(f"aliases: [{chance.choice(NAMES)}]")
    if chance.random() < 0.3:
        head.append(f"keys: ['email:{chance.choice(IDS)}@x.example']")
    if chance.random() < 0.25:
        head.append(f"merged_into: {chance.choice(IDS)}")
    if chance.random() < 0.15:
        head.append(f"distinct_from: [{chance.choice(IDS)}]")
    free = chance.choice(("", "Knows [x](bob.md).", "Of [[Robert Miles]].", "[x"))
    said = [line(chance) for _ in range(chance.randrange(4))]
    relations = [one for one in said if not one.startswith("- title")]
    facts = [one for one in said if one.startswith("- title")]
    body = [free, "", "## Relations", "", *relations, "", "## Facts", "", *facts, ""]
    return "\n".join(("---", *head, "---", "", *body))


def observation_text(chance: Random, stem: str) -> str:
    """An observation's file."""
    head = [f"id: {stem if chance.random() < 0.8 else chance.choice(SEEN)}", "kind: note"]
    if chance.random() < 0.5:
        head.append(f"happened_at: {chance.choice(('2026-01-01', '2026-02'))}")
    if chance.random() < 0.5:
        head.append(f"said_by: {chance.choice(('ada', 'email:bob@x.example'))}")
    if chance.random() < 0.5:
        head.append(f"derived_from: [{chance.choice(SEEN)}]")
    body = chance.choice(("Ada met Bob.", "See [[Robert Miles]].", "[x](../entities/a.md)"))
    return "\n".join(("---", *head, "---", "", body, ""))


ENTITY_PATHS = (*(f"entities/person/{id}.md" for id in IDS), "entities/company/ada.md")
SEEN_PATHS = (*(f"observations/2026/01/{id}.md" for id in SEEN), "observations/x/2026-01-01-a.md")
PATHS = (*ENTITY_PATHS, *SEEN_PATHS)


def make_text(chance: Random, path: str) -> str:
    """A text for a path."""
    stem = path.rsplit("/", 1)[-1][:-3]
    return (entity_text if path in ENTITY_PATHS else observation_text)(chance, stem)


def make_tree(chance: Random) -> dict[str, str]:
    """The files of a knowledge base by their paths."""
    return {path: make_text(chance, path) for path in PATHS if chance.random() < 0.8}


def edit(chance: Random, files: dict[str, str]) -> None:
    """Edit, delete, copy or move one file."""
    path = chance.choice(PATHS)
    alike = [other for other in files if (other in ENTITY_PATHS) is (path in ENTITY_PATHS)]
    match chance.choice(("edit", "edit", "delete", "copy", "move")):
        case "copy" if alike:
            files[path] = files[chance.choice(alike)]
        case "move" if alike:
            files[path] = files.pop(chance.choice(alike))
        case "delete":
            files.pop(path, None)
        case _:
            files[path] = make_text(chance, path)


def parse(path: str, text: str) -> ParsedFile:
    """A file with its card."""
    data = text.encode()
    source = decode(path, data)
    marks = digest(data), digest(data)
    if path.startswith("entities/"):
        file = parse_entity_file(source)[0]
        return ParsedFile(file, entity_card(file, *marks))
    seen = parse_observation_file(source)[0]
    return ParsedFile(seen, observation_card(seen, *marks))


def resolve(files: Mapping[str, str]) -> tuple[Resolution, list[ParsedFile]]:
    """All files, built anew."""
    parsed = [parse(path, text) for path, text in sorted(files.items())]
    entities = [one.file for one in parsed if isinstance(one.file, EntityFile)]
    seen = [one.file for one in parsed if not isinstance(one.file, EntityFile)]
    digests = {one.card.path: one.card.digest for one in parsed}
    return resolve_files(entities, seen, built_in_vocabulary(), digests), parsed


def pack_base(files: Mapping[str, str]) -> Sections:
    """The graph file of a clean build."""
    resolution, parsed = resolve(files)
    return packed(build_rows(resolution), [one.card for one in parsed])


def changed(
    base: Sections, before: Mapping[str, str], after: Mapping[str, str], most: int = 99
) -> Sections:
    """The file of changes between two trees."""
    current = {
        path: parse(path, after[path]) if path in after else None
        for path in {*before, *after}
        if before.get(path) != after.get(path)
    }
    sections = pack_changes(base, current, lambda path: parse(path, after[path]), most)
    return Sections(InMemory(b"".join(map(bytes, pack_sections(sections)))))


def assert_same(before: Mapping[str, str], after: Mapping[str, str]) -> None:
    """The graph file of one tree with the changes to another says what the other's clean build says."""
    base = pack_base(before)
    found = everything(StoredGraph(base, changed(base, before, after)))
    wanted = everything(MemoryGraph(build_rows(resolve(after)[0])))
    for part, value in wanted.items():
        assert found[part] == value, part


@settings(max_examples=400)
@given(st.integers(0, 2**40))
def test_changes_give_what_a_clean_build_gives(seed: int) -> None:
    """Files that were edited, copied, renamed, added or deleted change the answers as a clean build would."""
    chance = Random(seed)
    before = make_tree(chance)
    after = dict(before)
    for _ in range(chance.randint(1, 3)):
        edit(chance, after)
    assert_same(before, after)


@settings(max_examples=60)
@given(st.integers(0, 2**40))
def test_the_file_gives_what_its_rows_give(seed: int) -> None:
    """A clean build answers the same from memory and from its file."""
    files = make_tree(Random(seed))
    assert everything(StoredGraph(pack_base(files))) == everything(
        MemoryGraph(build_rows(resolve(files)[0]))
    )


def test_too_much_is_left_to_a_clean_build() -> None:
    """Where a change concerns more files than allowed, nothing is given."""
    before = {path: f"---\nid: {path[16:-3]}\n---\n" for path in ENTITY_PATHS[:3]}
    after = {path: text + "\nmore\n" for path, text in before.items()}
    base = pack_base(before)
    with pytest.raises(TooMuch):
        changed(base, before, after, most=2)


def test_files_are_known_by_their_digests() -> None:
    """The graph file says of each file what its bytes were."""
    before = {path: f"---\nid: {path[16:-3]}\n---\n" for path in ENTITY_PATHS[:3]}
    files = BaseFiles(pack_base(before))
    assert list(files.iter_paths()) == sorted(before)
    assert [files.digest(files.row_of(path)) for path in before] == [
        digest(text.encode()) for text in before.values()
    ]
    assert files.row_of("entities/person/zoe.md") == -1
