"""Texts that mean something to Markdown, YAML, git or a terminal, as what edits write: said exactly, or refused with a reason."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.edits.edit import Edit
from kb.edits.new_entity import plan_new
from kb.edits.observe import plan_observe
from kb.edits.relate import Saying, plan_fact, plan_relate
from kb.edits.workspace import Workspace
from kb.errors import KbError
from kb.knowledge_base import open_knowledge_base
from kb.model.names import is_id
from tests.conftest import NOW, entity, observation, write_kb
from tests.edits.editing import do, tree, workspace

Plan = Callable[[Workspace], Edit]

#: Said as they are.
SAID = [
    *("x ^abc123", "x ^id", "^", "x ^", "# Heading", "- item", "1. x", "> q", "| a", "a | b", "[ ] task", "[x] done"),
    *("[a]", "[a][b]", "[^1]", "[^2026-01-15-seen]", "x [^2026-01-15-seen]", "[^a]: x", "[ref]: x", "x (2026)"),
    *("x (90%)", "(2026/..)", "x (retracted)", "x (superseded by ^a)", "(", "((((", ")", "```", "`a", "``a``b"),
    *("<!-- x", "-->", "<div>", "<http://x>", "\\", "\\\\[", "&amp;", "*b*", "$$", "%%x%%", "#tag", "---", "..."),
    *("<<<<<<< x", ">>>>>>> x", "a :: b", "a → b", "a — b", "— b", "a - b", "Ünïcødé 漢字", "\u200b\u202etxt", "\tx\ty"),
    *("[x](https://x.example)", "[x](bob.md)", "[[bob]]", "[[Bob|him]]", "[x](../../notes.md)", "`[[nobody]]`"),
    *("[x](../../observations/2026/01/2026-01-15-seen.md)", "![x](nobody.md)", "x" * 60_000),
]  # fmt: skip

#: Refused: ``kb check`` would call what they would write an error, or no reader could show it.
REFUSED = [
    *("[x](../y.md)", "[x](nobody.md)", "[x](nobody.md#a)", '[x](nobody.md "t")', "see [x](nobody.md), [[bob]]"),
    *("[[nobody]]", "[[nobody|him]]", "[[Twin]]", "[x](../../observations/2026/01/none.md)"),
    *("a\nb", "a\r\nb", "a\rb", "a\x0cb", "a\u2028b", "a\x85b"),
    *("a\0b", "a\x1b[31mb", "a\x07b", "a\x7fb"),
    *("caf\udce9", "\ud800", "x" * 70_000),
]  # fmt: skip

CITED = Saying(("2026-01-15-seen",))


def base(root: Path) -> Path:
    """Write two people, two of one name, and an observation."""
    twins = {f"entities/person/twin-{n}.md": entity(f"twin-{n}", name="Twin") for n in (1, 2)}
    return write_kb(
        root,
        {
            "entities/person/ada.md": entity("ada", name="Ada"),
            "entities/person/bob.md": entity("bob", name="Bob"),
            "observations/2026/01/2026-01-15-seen.md": observation("2026-01-15-seen"),
            **twins,
        },
    )


def writing(text: str) -> dict[str, Plan]:
    """Give the edits that write a text into a statement: new, and into one that stands."""
    note = CITED._replace(reason=text)
    return {
        "value": lambda w: plan_fact(w, "ada", "description", text, CITED),
        "note": lambda w: plan_relate(w, "ada", "mentors", "bob", note),
        "note of another time": lambda w: plan_relate(
            w, "ada", "mentors", "bob", note._replace(since="2020", valid_until="2021")
        ),
        "note of a fact": lambda w: plan_fact(w, "ada", "title", "Head", note),
    }


def errors(root: Path) -> list[str]:
    """List what ``kb check`` calls an error."""
    found = check_knowledge_base(open_knowledge_base(str(root), NOW), git=False)
    return [
        f"{one.code} {one.path} {one.message}" for one in found if one.severity is Severity.ERROR
    ]


@pytest.mark.parametrize("text", SAID, ids=lambda text: ascii(text[:30]))
def test_what_is_accepted_is_said_exactly_and_is_no_error(tmp_path: Path, text: str) -> None:
    """The value or note reads back as it was given, and nothing that ``kb check`` calls an error was written."""
    root = base(tmp_path)
    do(root, plan_relate, "ada", "mentors", "bob", CITED)
    for name, plan in writing(text).items():
        ((_, id),) = do(root, plan).edit.statements
        (said,) = workspace(root).graph.of_id(id)
        found = said.value if name == "value" else said.note
        assert (found or "").split() == text.split(), name
        assert errors(root) == [], name


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: ascii(text[:30]))
def test_what_would_be_an_error_is_refused(tmp_path: Path, text: str) -> None:
    """With a message and what to do; no byte is written."""
    root = base(tmp_path)
    do(root, plan_relate, "ada", "mentors", "bob", CITED)
    before = tree(root)
    for name, plan in writing(text).items():
        with pytest.raises(KbError) as refused:
            do(root, plan)
        assert refused.value.hint, name
    assert tree(root) == before


def test_a_dangling_link_that_stands_already_stops_no_edit(tmp_path: Path) -> None:
    """It is the file's own fault: a citation is added beside it, and another dangling one is still refused."""
    root = base(tmp_path)
    line = "- mentors:: [Bob](bob.md) — as [[nobody]] said ^a"
    (root / "entities/person/ada.md").write_text(
        entity("ada", "## Relations", "", line, name="Ada")
    )
    do(root, plan_relate, "ada", "mentors", "bob", CITED)
    assert "[[nobody]] said [^2026-01-15-seen] ^a" in (root / "entities/person/ada.md").read_text()
    for note in ("as [[somebody]] said", "[[nobody]] and [[nobody]]"):
        with pytest.raises(KbError, match=r"the text links to"):
            do(root, plan_relate, "ada", "mentors", "bob", CITED._replace(reason=note))


@pytest.mark.parametrize(
    "text",
    [
        *("[x](nobody.md)", "[x](../../observations/2026/01/none.md)", "```", "~~~\nx", "<!-- x", "<<<<<<< x\ny"),
        *("## Facts\n\n- title:: X", "caf\udce9"),
    ],
)  # fmt: skip
def test_a_description_is_free_text_that_spoils_nothing(tmp_path: Path, text: str) -> None:
    """What would be an error, a statement, or swallow the statements to come is refused; a page still to be written is not."""
    root = base(tmp_path)
    before = tree(root)
    with pytest.raises(KbError) as refused:
        do(root, plan_new, "person", "New", description=f"Some.\n\n{text}")
    assert refused.value.hint
    assert tree(root) == before
    do(root, plan_new, "person", "New", description="[[Some page]], [Bob](bob.md), `[x](nobody.md)`\n\n```\nx\n```")  # fmt: skip
    do(root, plan_fact, "new", "title", "Head", CITED)
    assert errors(root) == []


def test_a_file_does_not_grow_beyond_what_is_read(tmp_path: Path) -> None:
    """A statement that would make its file too large to be read is refused."""
    root = base(tmp_path)
    path = root / "entities/person/ada.md"
    path.write_text(entity("ada", "x" * (4 * 1024 * 1024 - 200), name="Ada"))
    before = path.read_bytes()
    with pytest.raises(KbError, match="would be larger than 4 MiB"):
        do(root, plan_fact, "ada", "description", "y" * 1000, CITED)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "date", ["2026?", "2026-05~", "2026%", "201X", "2026-05-XX", "2026?-05", "2026-05-01?", "20XX"]
)
def test_an_observation_of_a_doubtful_date_gets_an_id(tmp_path: Path, date: str) -> None:
    """The id is one, whatever signs of doubt the date bears; the date itself is kept as it is written."""
    root = base(tmp_path)
    (id,) = do(root, plan_observe, "Said.", happened_at=date).edit.observations
    seen = workspace(root).graph.observations[id].happened_at
    assert is_id(id)
    assert seen is not None
    assert seen.text == date
    assert errors(root) == []
