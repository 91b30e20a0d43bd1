"""`kb fmt`: the smallest edits, no line moved, nothing that reads otherwise afterwards."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.edits.format_files import FormattedFile, Formatting, format_files
from kb.errors import KbError, UsageError
from kb.knowledge_base import KnowledgeBase, open_knowledge_base
from tests.conftest import NOW, entity, git, observation, write_kb

Make = Callable[..., KnowledgeBase]

ADA = "entities/person/ada.md"
BOB = "entities/person/bob.md"
OBS = "observations/2026/01/2026-01-15-offsite.md"
CITED = observation("2026-01-15-offsite", title="Offsite [minutes]")
DEFINITION = r"[^2026-01-15-offsite]: [Offsite \[minutes\], 2026-01-15](../../observations/2026/01/2026-01-15-offsite.md)"


def formatted(base: KnowledgeBase) -> Formatting:
    """Format, and make sure that a second time does nothing."""
    done = format_files(base)
    again = format_files(open_knowledge_base(base.root, NOW))
    assert again.changed == ()
    return done


def lines_of(make: Make, *lines: str, config: str = "kb: 1\n", **files: str) -> list[str]:
    """Format a file with these lines in its body, and give the body's lines."""
    base = make(
        {ADA: entity("ada", *lines), BOB: entity("bob", name="Bob Ray"), OBS: CITED, **files},
        config,
    )
    formatted(base)
    text = (Path(base.root) / ADA).read_text()
    return text.split("---\n\n", 1)[1].splitlines()


def only(done: Formatting) -> FormattedFile:
    assert len(done.changed) == 1
    return done.changed[0]


def test_a_statement_gets_the_id_that_was_shown_as_provisional(make_kb: Make) -> None:
    """The id that is written is the one that queries showed before; ids that stand there stay."""
    base = make_kb({ADA: entity("ada", "## Facts", "", "- title:: Head  ", "- role:: Chair ^mine")})
    shown = {statement.value: statement.id for statement in base.graph.iter_statements()}
    change = only(formatted(base))
    assert change.ids_minted == 1
    text = (Path(base.root) / ADA).read_text()
    assert f"- title:: Head ^{shown['Head']}  \n- role:: Chair ^mine\n" in text


def test_the_id_follows_the_last_continuation_line_before_sub_items(make_kb: Make) -> None:
    """The id of a wrapped item stands at the end of its own text."""
    wrapped = (
        "- possibly-caused-by:: [Bob](bob.md)",
        "  — a long",
        "  note",
        "  - prediction:: worse",
    )
    body = lines_of(make_kb, "## Relations", "", *wrapped)
    assert body[2:4] == ["- possibly-caused-by:: [Bob](bob.md)", "  — a long"]
    assert body[4].startswith("  note ^")
    assert body[5] == "  - prediction:: worse"


def test_of_two_equal_ids_the_line_that_digests_to_it_keeps_it(make_kb: Make) -> None:
    """Of two lines with one id, the copy gets a new one."""
    base = make_kb({ADA: entity("ada", "## Facts", "", "- title:: Head")})
    id = next(base.graph.iter_statements()).id
    lines = ("- title:: Copy (superseded by ^" + id + ") ^" + id, "- title:: Head ^" + id)
    body = lines_of(make_kb, "## Facts", "", *lines)
    assert body[3] == f"- title:: Head ^{id}"
    assert body[2].startswith(f"- title:: Copy (superseded by ^{id}) ^")
    assert not body[2].endswith(id)


def test_of_two_equal_ids_that_nobody_digests_to_the_one_in_head_keeps_it(tmp_path: Path) -> None:
    """Where digests do not decide, the statement of the last commit keeps the id."""
    root = write_kb(tmp_path / "kb", {ADA: entity("ada", "## Facts", "", "- title:: Head ^mine")})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    (root / ADA).write_text(
        entity("ada", "## Facts", "", "- title:: Copy ^mine", "- title:: Head ^mine")
    )
    change = only(formatted(open_knowledge_base(str(root), NOW)))
    assert change.ids_reminted == 1
    assert "- title:: Head ^mine\n" in (root / ADA).read_text()


def test_of_two_equal_ids_without_git_the_first_keeps_it(make_kb: Make) -> None:
    """Where nothing else decides, the order of lines does."""
    body = lines_of(make_kb, "## Facts", "", "- title:: Head ^mine", "- title:: Copy ^mine")
    assert body[2] == "- title:: Head ^mine"
    assert not body[3].endswith("^mine")


def test_citations_are_defined_at_the_end_in_the_order_of_first_use(make_kb: Make) -> None:
    """Definitions that are missing are added; none is for an observation that is not there."""
    other = "observations/2025/02/2025-02-01-b.md"
    lines = (
        "## Facts",
        "",
        "- title:: A [^2026-01-15-offsite] ^a",
        "- title:: B [^2025-02-01-b] [^gone] ^b",
    )
    body = lines_of(
        make_kb, *lines, **{other: observation("2025-02-01-b", happened_at="2025-02", title="B")}
    )
    assert body[4:] == ["", DEFINITION, "", f"[^2025-02-01-b]: [B, 2025-02](../../{other})"]


def test_a_definition_with_the_right_path_stays_and_a_wrong_path_is_mended(make_kb: Make) -> None:
    """Only the path is ours; the title and the words after the link are the author's."""
    cited = ("## Facts", "", "- title:: A [^2026-01-15-offsite] ^a", "")
    mine = "[^2026-01-15-offsite]: [My title](../../observations/2026/01/2026-01-15-offsite.md) and more"
    assert lines_of(make_kb, *cited, mine)[4:] == [mine]
    assert lines_of(make_kb, *cited, mine.replace("/2026/01/", "/2025/"))[4:] == [mine]


def test_only_our_own_unused_definitions_are_removed(make_kb: Make) -> None:
    """A definition that leads to an observation and is not used goes; the author's footnotes stay."""
    ours, authors = DEFINITION, "[^1]: See [there](https://example.org)."
    lines = ("Text.[^1]", "", "## Facts", "", "- title:: A ^a", "", ours, "", authors)
    assert lines_of(make_kb, *lines) == [
        "Text.[^1]",
        "",
        "## Facts",
        "",
        "- title:: A ^a",
        "",
        authors,
    ]


@pytest.mark.parametrize(
    "prose", ["As said.[^2026-01-15-offsite]", "[^2026-01-15-offsite]: in my notebook"]
)
def test_definitions_that_the_author_uses_or_wrote_stay(make_kb: Make, prose: str) -> None:
    """What free text refers to, or what merely looks like a definition, is not removed."""
    definition = DEFINITION if prose.startswith("As") else prose
    lines = (prose, "", "## Facts", "", "- title:: A ^a", "", definition)
    assert lines_of(make_kb, *lines) == list(lines)


def test_a_stale_folder_is_mended_and_label_anchor_and_title_stay(make_kb: Make) -> None:
    """Only the folder of a link in a statement changes; free text and quotes stay as they are."""
    lines = (
        "See [Bob](../team/bob.md) in free text.",
        "",
        "## Relations",
        "",
        '- mentors:: [B\\[o\\]b](<../team/bob.md#top> "T") — with [him](../x/bob.md) ^a',
        '- mentors:: [Bob](bob.md) — "as [him](../x/bob.md) says" ^b',
    )
    body = lines_of(make_kb, *lines)
    assert body[0] == lines[0]
    assert body[4] == '- mentors:: [B\\[o\\]b](<bob.md#top> "T") — with [him](bob.md) ^a'
    assert body[5] == lines[5]


@pytest.mark.parametrize(
    "links, written, expected",
    [
        ("markdown", "[[Bob Ray]]", "[Bob Ray](bob.md)"),
        ("markdown", "[[Bob Ray#Early years|Bobby]]", "[Bobby](bob.md#Early%20years)"),
        ("wiki", "[[Bob Ray]]", "[[bob|Bob Ray]]"),
        ("wiki", "[[Bob Ray#Early years|Bobby]]", "[[bob#Early years|Bobby]]"),
        ("markdown", "[[bob|Robert]]", "[[bob|Robert]]"),
        ("wiki", "[Bob](bob.md)", "[Bob](bob.md)"),
    ],
)
def test_a_link_by_name_is_pinned_to_the_id(
    make_kb: Make, links: str, written: str, expected: str
) -> None:
    """A name becomes its entity's id, in the form of link that kb.yaml asks for."""
    config = f"kb: 1\nlinks: {links}\n"
    body = lines_of(make_kb, "## Relations", "", f"- mentors:: {written} (2026) ^a", config=config)
    assert body[2] == f"- mentors:: {expected} (2026) ^a"


def test_an_ambiguous_parenthesis_is_not_guessed_at(make_kb: Make) -> None:
    """Text in parentheses or code that may be meant as it stands is not rewritten."""
    body = lines_of(
        make_kb,
        "## Facts",
        "",
        "- title:: Head (2015 to 2018) ^a",
        "- title:: `VP (acting) — X` ^b",
    )
    assert body[2:] == ["- title:: Head (2015 to 2018) ^a", "- title:: `VP (acting) — X` ^b"]


@pytest.mark.parametrize(
    "text, reason",
    [
        ("---\nid: ada\nname: [\n---\n\n## Facts\n\n- title:: A\n", "does not parse"),
        ("---\nid: ada\n\n## Facts\n\n- title:: A\n", "does not parse"),
        (
            "---\nid: ada\n---\n\n## Facts\n\n<<<<<<< HEAD\n- title:: A\n>>>>>>> x\n",
            "does not parse",
        ),
        (b"---\nid: ada\n---\n\n## Facts\n\n- title:: A\xff\n", "UTF-8"),
    ],
)
def test_a_broken_file_is_never_written(make_kb: Make, text: str | bytes, reason: str) -> None:
    """A file that does not parse or is no UTF-8 keeps its bytes, and the reason is told."""
    base = make_kb({ADA: text})
    done = formatted(base)
    assert done.changed == ()
    assert [skipped.path for skipped in done.skipped] == [ADA]
    assert reason in done.skipped[0].reason
    assert (Path(base.root) / ADA).read_bytes() == (
        text if isinstance(text, bytes) else text.encode()
    )


def test_under_a_broken_configuration_nothing_is_formatted(make_kb: Make) -> None:
    """Its words decide the ids and its settings the links, so that both would be written otherwise."""
    base = make_kb({ADA: entity("ada", "## Facts", "", "- title:: A")}, config="kb: [\n")
    before = (Path(base.root) / ADA).read_bytes()
    for check in (True, False):
        with pytest.raises(KbError, match=r"kb\.yaml"):
            format_files(base, check=check)
    assert (Path(base.root) / ADA).read_bytes() == before


def test_line_ends_bom_and_a_missing_last_line_end_are_kept(make_kb: Make) -> None:
    """Additions take the file's own line ends; its byte order mark and its end stay."""
    text = (
        "---\r\nid: ada # mine\r\n---\r\n\r\n## Facts\r\n\r\n- title:: A [^2026-01-15-offsite] ^a"
    )
    base = make_kb({ADA: b"\xef\xbb\xbf" + text.encode(), OBS: CITED})
    formatted(base)
    expected = f"{text}\r\n\r\n{DEFINITION}"
    assert (Path(base.root) / ADA).read_bytes() == b"\xef\xbb\xbf" + expected.encode()


def test_an_end_that_swallows_definitions_gets_none(make_kb: Make) -> None:
    """Where an open comment would hide a definition, none is added."""
    lines = ("## Facts", "", "- title:: A [^2026-01-15-offsite] ^a", "", "<!-- open")
    assert lines_of(make_kb, *lines) == list(lines)


def test_check_writes_nothing_and_shows_the_difference(make_kb: Make) -> None:
    """With check the file keeps its bytes and the change is a unified diff."""
    base = make_kb({ADA: entity("ada", "## Facts", "", "- title:: A")})
    before = (Path(base.root) / ADA).read_bytes()
    done = format_files(base, check=True)
    assert not done.is_written
    assert (Path(base.root) / ADA).read_bytes() == before
    assert "-- title:: A\n+- title:: A ^" in only(done).diff


def test_only_the_paths_named_are_formatted(make_kb: Make) -> None:
    """Files and folders may be named; other files are no error, and one that is not there is."""
    files = {
        ADA: entity("ada", "## Facts", "", "- title:: A"),
        BOB: entity("bob", "## Facts", "", "- title:: B"),
    }
    base = make_kb({**files, OBS: CITED})
    assert [change.path for change in format_files(base, [BOB, OBS], check=True).changed] == [BOB]
    assert len(format_files(base, ["entities"], check=True).changed) == 2
    with pytest.raises(UsageError):
        format_files(base, ["entities/person/nobody.md"], check=True)


def test_a_file_that_changed_meanwhile_is_skipped(make_kb: Make) -> None:
    """A file that is no longer what was read is not written."""
    base = make_kb({ADA: entity("ada", "## Facts", "", "- title:: A")})
    (Path(base.root) / ADA).write_text("other")
    done = format_files(base)
    assert done.changed == ()
    assert "changed" in done.skipped[0].reason
    assert (Path(base.root) / ADA).read_text() == "other"


# -- any text ----------------------------------------------------------------------------------------------------

_PIECES = st.sampled_from(
    (
        "## Relations",
        "## Facts",
        "- title:: Head",
        "- title:: A (2015/..) — said [^2026-01-15-offsite]",
        "- title:: B ^mine",
        "* role:: `C (x)` [^2026-01-15-offsite]  ",
        "  wrapped on",
        "  - prediction:: x",
        "- mentors:: [[Bob Ray]]",
        "- mentors:: [Bob](../team/bob.md#a) (2026)",
        "- meets-with:: [Bob](bob.md) ^mine",
        "```",
        "~~~",
        "<!--",
        "-->",
        "> quote",
        "text",
        "",
        "",
        "  ```",
        "1. one",
        "---",
        "### Sub",
        DEFINITION,
        DEFINITION.replace("/2026/01/", "/x/"),
        "[^1]: mine",
        "    code",
        "\ttab",
        "- [ ] task:: x",
        "- `open",
        "<div>",
        "- a:: \\",
    )
)
_NEWLINES = st.sampled_from(("\n", "\n", "\r\n", "\r"))


def without(text: str, after: str) -> bool:
    """Whether a text is what is left of another when pieces are taken out of it."""
    rest = iter(after)
    return all(char in rest for char in text)


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    lines=st.lists(_PIECES, max_size=14), newline=_NEWLINES, end=st.booleans(), bom=st.booleans()
)
def test_formatting_any_text_is_idempotent_and_keeps_what_it_does_not_edit(
    tmp_path: Path, lines: list[str], newline: str, end: bool, bom: bool
) -> None:
    """Whatever the text, a second run changes nothing, and ids are those shown before."""
    text = newline.join(("---", "id: ada", "---", "", *lines)) + (newline if end else "")
    data = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
    files: Mapping[str, str | bytes] = {ADA: data, BOB: entity("bob", name="Bob Ray"), OBS: CITED}
    root = str(write_kb(tmp_path / "kb", files))
    base = open_knowledge_base(root, NOW)
    shown = [draft.id for draft in base.resolution.drafts[ADA]]
    done = format_files(base)
    after = open_knowledge_base(root, NOW)
    assert format_files(after).changed == ()
    written = after.corpus.contents[ADA]
    assert written.startswith(b"\xef\xbb\xbf") == bom
    if not done.changed:
        assert written == data
        return
    change = done.changed[0]
    assert [draft.id for draft in after.resolution.drafts[ADA]] == shown
    if not (
        change.links_mended
        or change.links_pinned
        or change.footnotes_mended
        or change.footnotes_removed
    ):
        if not change.ids_reminted:
            assert without(text, written.decode("utf-8-sig"))
        assert written.count(newline.encode()) >= data.count(newline.encode())


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.binary(max_size=120))
def test_a_malformed_file_is_untouched(tmp_path: Path, tail: bytes) -> None:
    """Whatever follows broken frontmatter, the file keeps its bytes."""
    data = b"---\nid: [ada\n---\n\n## Facts\n\n- title:: A\n" + tail
    base = open_knowledge_base(str(write_kb(tmp_path / "kb", {ADA: data})), NOW)
    format_files(base)
    assert (Path(base.root) / ADA).read_bytes() == data
