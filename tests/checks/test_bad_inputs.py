"""Bad inputs and cases from the field that need a whole knowledge base: each gets its findings, the rest is unaffected."""

from collections.abc import Callable

import pytest

from kb.checks import check_knowledge_base
from kb.edits.format_files import format_files
from kb.edits.seal_observations import seal_observations
from kb.errors import AmbiguousId
from kb.knowledge_base import KnowledgeBase, open_knowledge_base
from kb.queries.facts import list_facts
from kb.queries.show import show
from kb.store.files import EntryKind, iter_entries
from kb.syntax.source import MAX_FILE_BYTES
from tests.checks.found import found
from tests.conftest import NOW, entity, observation

Make = Callable[..., KnowledgeBase]

A, B = "entities/person/a.md", "entities/person/b.md"
OBS = "observations/2026/01/2026-01-01-o.md"


def sealed(id: str, body: str) -> str:
    """Give a sealed observation's text."""
    from kb.syntax.observation_file import seal_of

    return observation(id, body, sha256=seal_of(body))


def relation(link: str) -> dict[str, str]:
    """Give a knowledge base whose a says one relation, to a link as written."""
    return {A: entity("a", "## Relations", "", f"- related-to:: {link}"), B: entity("b")}


#: (row or case, files, findings but the usual ones)
ROWS: list[tuple[str, dict[str, str], list[str]]] = [
    ("BAD-INPUTS 12", {OBS: observation("2026-01-01-o", happened_at="1980-02-30")}, ["2026-01-01-o.md:4:22 KB401"]),
    ("BAD-INPUTS 12", {A: entity("a", born="1980-02-30")}, []),
    ("BAD-INPUTS 18", {A: entity("a"), "entities/team/a.md": entity("a", type="team")}, ["a.md:2:5 KB306"]),
    ("BAD-INPUTS 20", {A: entity("a", keys="[email:x@y.example]"), B: entity("b", keys="[email:X@Y.example]")}, ["b.md:4:8 KB307"]),
    ("BAD-INPUTS 22", {A: entity("a", name="Ann"), B: entity("b", aliases="[a]")}, ["b.md:4:11 KB309"]),
    ("BAD-INPUTS 34", {OBS: sealed("2026-01-01-o", "<<<<<<< ours\n>>>>>>> theirs\n")}, []),
    ("BAD-INPUTS 40", {A: entity("a", "## Relations", "", "- reports-to:: [[a]]")}, ["a.md:8:16 KB220"]),
    ("BAD-INPUTS 40", relation("[[a]]"), ["a.md:8:16 KB217"]),
    ("BAD-INPUTS 40", {A: entity("a", "## Relations", "", "- part-of:: [[b]]"), B: entity("b", "## Relations", "", "- part-of:: [[a]]")}, ["b.md:8:13 KB218"]),
    ("BAD-INPUTS 42", relation("[m](missing.md)"), ["a.md:8:16 KB301"]),
    ("BAD-INPUTS 42", relation("[d](../person)"), ["a.md:8:16 KB304"]),
    ("BAD-INPUTS 42", relation("[p](../../../etc/passwd)"), ["a.md:8:16 KB303"]),
    ("BAD-INPUTS 42", relation("[f](file:///etc/passwd)"), ["a.md:8:16 KB303"]),
    ("BAD-INPUTS 42", relation("[e](%62.md)"), []),
    ("BAD-INPUTS 42", relation("[e](..%2Fperson%2Fb.md#part)"), []),
    ("BAD-INPUTS 42", relation("[e](b.md?plain=1)"), []),
    ("BAD-INPUTS 42", relation("[e](b%3F.md)"), ["a.md:8:16 KB301"]),
    ("BAD-INPUTS 42", relation("[e](b%ZZ.md)"), ["a.md:8:16 KB301"]),
    ("BAD-INPUTS 42", relation("[e](<b b.md>)"), ["a.md:8:16 KB301"]),
    ("BAD-INPUTS 42", relation("[e](b b.md)"), ["a.md:8:16 KB123"]),
    ("BAD-INPUTS 42", {A: entity("a", "## Facts", "", "- title:: X [^nope]")}, ["a.md:8:13 KB403"]),
    ("BAD-INPUTS 44", {A: entity("a", "## Facts", "", "- title:: X ^aa", "- decided:: Y ^aa")}, ["a.md:9:15 KB317"]),
    ("BAD-INPUTS 46", {A: entity("a", "## Facts", "", "- title:: X (2026-01-01T10:00+99:00)")}, ["a.md:8:30 KB401"]),
    ("BAD-INPUTS 46", {A: entity("a", "## Facts", "", "- title:: X (2016-12-31T23:59:60Z)")}, ["a.md:8:31 KB401"]),
    ("BAD-INPUTS 46", {A: entity("a", "## Facts", "", "- title:: X (10000-01-01/..)")}, ["a.md:8:13 KB129"]),
    ("BAD-INPUTS 46", {OBS: observation("2026-01-01-o", happened_at="10000-01-01")}, ["2026-01-01-o.md:4:14 KB401"]),
    ("case B12", {A: entity("a", date="2023_0129")}, []),
    ("case B16", {A: entity("a", "Write `- part_of [[X]]`.", "", "```markdown", "- relates_to [[Y]]", "```", "", "``double ` tick [[X]]``")}, []),
    ("case B18", {A: entity("a", "> [!info] Title", "> Content", "", "- [ ] task", "- [x] done")}, []),
    ("case B20", {A: entity("a", "# 12345", "", "> text ^12345"), B: entity("b", "[[a#^12345]] [[a#12345]]")}, []),
]  # fmt: skip


@pytest.mark.parametrize("row, files, findings", ROWS, ids=[row for row, _, _ in ROWS])
def test_each_bad_input_gets_its_finding(
    make_kb: Make, row: str, files: dict[str, str], findings: list[str]
) -> None:
    """One finding for one fault, at its place; every file is kept and listed."""
    kb = make_kb(files)
    assert found(kb) == findings
    listed = {file.path for file in (*kb.corpus.entities, *kb.corpus.observations)}
    assert listed == set(files)


def test_row_18_an_ambiguous_id_is_refused_and_the_rest_answers(make_kb: Make) -> None:
    """BAD-INPUTS 18: ``show ID`` names both files; other entities are unaffected."""
    kb = make_kb(
        {
            A: entity("a"),
            "entities/team/a.md": entity("a", type="team"),
            B: entity("b", "## Facts", "", "- title:: CTO"),
        }
    )
    with pytest.raises(AmbiguousId, match="ambiguous"):
        show(kb, "a")
    assert list_facts(kb, "b").total == 1


def test_row_44_fmt_mints_the_other_anew(make_kb: Make) -> None:
    """BAD-INPUTS 44: one statement keeps the id, the other gets one of its own, and nothing else changes."""
    text = entity("a", "## Facts", "", "- title:: X ^aa", "- decided:: Y ^aa")
    kb = make_kb({A: text})
    (done,) = format_files(kb).changed
    assert done.ids_reminted == 1
    after = open_knowledge_base(kb.root, NOW)
    assert found(after, "KB317") == []
    first, second = after.corpus.entities[0].statements
    assert (first.id, first.value, second.value) == ("aa", "X", "Y")


@pytest.mark.parametrize(
    "name",
    ["new\nline", "q\"uote", "q'uote", "-lead", "--help", "co:lon", "dot.", "space ", "CON", "😀", "x" * 240],
)  # fmt: skip
def test_row_50_names_that_are_not_portable(make_kb: Make, name: str) -> None:
    """BAD-INPUTS 50: an error that says so, once; the file is read, formatted and listed all the same."""
    kb = make_kb({f"entities/person/{name}.md": entity("a", "## Facts", "", "- title:: X")})
    assert [finding.code for finding in check_knowledge_base(kb)] == ["KB315", "KB402"]
    assert list(kb.graph.entities) == ["a"]
    done = format_files(kb)
    # A name that leads elsewhere on Windows is never written to.
    assert len(done.skipped if ":" in name else done.changed) == 1


@pytest.mark.parametrize("name", ["a.md.", "a.md ", "a.md. ."])
def test_row_50_names_whose_end_some_systems_drop(make_kb: Make, name: str) -> None:
    """BAD-INPUTS 50: what is ``a.md`` on some systems and no file of ours on others is told, not passed over."""
    kb = make_kb({f"entities/{name}": entity("a"), "entities/b.md": entity("b")})
    (finding,) = check_knowledge_base(kb)
    assert (finding.code, finding.path) == ("KB315", f"entities/{name}")
    assert "not read" in finding.message
    kinds = [entry.kind for entry in iter_entries(kb.root, "entities")]
    assert kinds == [EntryKind.FILE, EntryKind.FILE]


def test_row_54_files_that_were_never_read_are_left_alone(make_kb: Make) -> None:
    """BAD-INPUTS 54: an over-long file is named by ``check``, ``fmt`` and ``seal``; the others are written."""
    huge = b"---\nid: big\n---\n" + b"- " * (MAX_FILE_BYTES // 2)
    big, other = "entities/person/big.md", "observations/2026/01/large.md"
    files = {A: entity("a", "## Facts", "", "- title:: X"), big: huge, other: huge}
    kb = make_kb({**files, OBS: observation("2026-01-01-o")})
    assert found(kb) == ["big.md:1:1 KB114", "large.md:1:1 KB114"]
    done = format_files(kb)
    assert [change.path for change in done.changed] == [A]
    assert [(one.path, "cannot be read" in one.reason) for one in done.skipped] == [(big, True)]
    assert [one.path for one in format_files(kb, (big,)).skipped] == [big]
    seals = seal_observations(kb)
    assert (seals.sealed, [one.path for one in seals.refused]) == ((OBS,), [other])


def test_case_b16_code_holds_no_links(make_kb: Make) -> None:
    """case B16: no link from code spans or fences, in a body or in a value."""
    kb = make_kb(
        {A: entity("a", "`[[b]]`", "", "## Facts", "", "- title:: `[[b]]`"), B: entity("b")}
    )
    assert kb.corpus.entities[0].statements[0].mentions == ()


def test_case_b20_a_block_and_a_heading_of_one_name(make_kb: Make) -> None:
    """case B20: both ways to point into a file still lead to the file."""
    kb = make_kb(
        {
            A: entity("a", "# 12345", "", "> text ^12345"),
            B: entity("b", "## Relations", "", "- related-to:: [[a#^12345]]", "- similar-to:: [[a#12345]]"),
        }
    )  # fmt: skip
    assert found(kb) == []
    ends = [{statement.subject, statement.object} for statement in kb.graph.iter_statements()]
    assert ends == [{"a", "b"}, {"a", "b"}]
