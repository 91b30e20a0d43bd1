"""A statement that is written reads back as the same statement, and survives a formatter of Markdown."""

import re

import mdformat
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kb.model.statement import Citation, Link, LinkForm, Section, StatementLine
from kb.model.time import Interval
from kb.syntax.edtf import parse_interval
from kb.syntax.inline import format_link
from kb.syntax.statement_lines import parse_statement, parse_sub_item
from kb.syntax.statement_texts import format_note, format_statement

#: What the grammar or Markdown gives a meaning, in pieces that meet each other.
NASTY = (
    *"`()[]{}<>^*_~|\\&#!-+.,:;'\"/%@=? \t\u00a0\u2028\x85\x00",
    " — ",
    "—",
    " – ",
    "::",
    ": ",
    "``",
    "[^x]",
    "\\[^x]",
    " ^id",
    " \\^id",
    "(2024)",
    " (2024/..)",
    " (90%)",
    " (by ada)",
    " (VP)",
    " (2015-13)",
    "[a](b.md)",
    "[[a]]",
    "![x](y)",
    "&amp;",
    "&#10;",
    "&notit;",
    "\\",
    "\\\\",
    "<!-- x -->",
    "<b>",
    "**x**",
    "_x_",
    "http://a.b/c_d_",
    "a",
    "Łukasz",
    "日本",
    "🎉",
    "e\u0301",
    "\udc80",
)
FOUND_BY_READING = (
    *("sub_items", "mentions", "start", "end", "predicate_end"),
    *("object_start", "object_end", "qualifiers_start", "note_start"),
)
IDS = st.from_regex(r"[a-z0-9]{1,4}(-[a-z0-9]{1,4}){0,2}", fullmatch=True)
BLOCK_IDS = st.from_regex(r"[A-Za-z0-9-]{1,8}", fullmatch=True)
TIMES = st.sampled_from(
    (
        "2015-12",
        "2015/..",
        "2015/",
        "/2021",
        "../2021",
        "ended",
        "2015?/2018~",
        "2025-10-23T14:00+02:00",
    )
)


def texts() -> st.SearchStrategy[str]:
    """One line, stripped and not empty: made of nasty pieces, or any characters."""
    pieces = st.lists(st.sampled_from(NASTY), min_size=1, max_size=7).map("".join)
    characters = st.text(
        st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)), max_size=12
    )
    return st.one_of(pieces, characters).map(str.strip).filter(bool)


def interval(text: str) -> Interval:
    """Parse a time that is right."""
    parsed = parse_interval(text)
    assert isinstance(parsed, Interval)
    return parsed


def statements(
    content: st.SearchStrategy[str], section: Section
) -> st.SearchStrategy[StatementLine]:
    """Any statement of a section."""
    targets = st.lists(st.sampled_from((*NASTY, "../", "/", "x.md")), max_size=4)
    links = st.builds(
        lambda label, target: Link(
            LinkForm.MARKDOWN, " ".join(label.split()), "".join(target).strip(), 0, 0
        ),
        content,
        targets.filter(lambda pieces: not any("\udc80" in piece for piece in pieces)),
    )
    wiki = st.builds(
        lambda id, label: Link(LinkForm.WIKI, label if label != id else "", id, 0, 0), IDS, IDS
    )
    is_relation = section is Section.RELATIONS
    return st.builds(
        StatementLine,
        section=st.just(section),
        predicate=st.sampled_from(("title", "reports-to", "grösse", "役職", "क्षेत्र")),
        link=st.one_of(links, wiki) if is_relation else st.none(),
        value=st.none() if is_relation else content,
        interval=st.none() | TIMES.map(interval),
        confidence=st.none() | st.integers(0, 100),
        by=st.none() | IDS,
        auto=st.sampled_from((None, "high", "medium", "low")),
        retracted=st.booleans(),
        superseded_by=st.none() | BLOCK_IDS,
        note=st.none() | content,
        citations=st.lists(IDS.map(lambda id: Citation(id, 0, 0)), max_size=3).map(tuple),
        id=st.none() | BLOCK_IDS,
        # Only reading gives these; Hypothesis would make them up.
        **{field: st.just(StatementLine._field_defaults[field]) for field in FOUND_BY_READING},
    )


def any_statement(content: st.SearchStrategy[str]) -> st.SearchStrategy[StatementLine]:
    """A relation or a fact."""
    return st.one_of(statements(content, Section.RELATIONS), statements(content, Section.FACTS))


def bare(statement: StatementLine | None) -> StatementLine | None:
    """A statement without its positions and mentions."""
    if statement is None:
        return None
    link = statement.link and statement.link._replace(start=0, end=0)
    return StatementLine(
        section=statement.section,
        predicate=statement.predicate,
        link=link,
        value=statement.value,
        interval=statement.interval,
        confidence=statement.confidence,
        by=statement.by,
        auto=statement.auto,
        retracted=statement.retracted,
        superseded_by=statement.superseded_by,
        note=statement.note,
        citations=tuple(Citation(citation.observation, 0, 0) for citation in statement.citations),
        id=statement.id,
    )


def read(line: str, section: Section) -> StatementLine | None:
    """Parse a line that begins with its bullet, without any finding."""
    statement, faults = parse_statement(line.removeprefix("- "), section)
    assert not faults, (line, faults)
    return bare(statement)


@settings(max_examples=120)
@given(any_statement(texts()))
def test_what_is_written_reads_back(statement: StatementLine) -> None:
    """parse(format(x)) is x, and writing what was read changes nothing."""
    line = format_statement(statement)
    assert line.startswith("- ")
    assert "\n" not in line
    again = read(line, statement.section)
    assert again == statement, line
    assert again is not None
    assert format_statement(again) == line


@given(texts(), st.sampled_from(Section), st.sampled_from(("", "2024", "90%", "2024, retracted")))
@example("left (2025)", Section.FACTS, "2024")
@example("moved (since 2024)", Section.RELATIONS, "")
def test_a_note_by_itself_reads_back(note: str, section: Section, qualifiers: str) -> None:
    """A note may be spliced in behind any qualifiers and before any tail."""
    object = "y" if section is Section.FACTS else "[y](y.md)"
    head = f"- x:: {object} ({qualifiers})" if qualifiers else f"- x:: {object}"
    written = format_note(note, section, is_qualified=bool(qualifiers))
    statement = read(f"{head} — {written} [^a] ^b", section)
    assert statement is not None
    assert (statement.note, statement.id) == (note, "b")


@pytest.mark.parametrize(
    ("note", "qualified", "alone"),
    [
        ("left (2025)", "left (2025)", "`left (2025)`"),
        ("left (retracted)", "`left (retracted)`", "`left (retracted)`"),
        ("left in 2025", "left in 2025", "left in 2025"),
    ],
)
def test_a_note_stands_plain_where_it_reads_plain(note: str, qualified: str, alone: str) -> None:
    """A date that ends a note needs a code span only where it could be the statement's own."""
    for section in Section:
        assert format_note(note, section, is_qualified=True) == qualified
        assert format_note(note, section, is_qualified=False) == alone


RISKY = st.lists(st.sampled_from((*NASTY, " ", "a ", "]", "[", "::")), max_size=12).map("".join)


@settings(max_examples=120)
@given(
    RISKY | st.text(max_size=30),
    st.sampled_from(Section),
    st.sampled_from(("", "a:: ", "a:: [b](c.md)", "a:: x (")),
)
def test_any_text_is_read_or_explained(text: str, section: Section, head: str) -> None:
    """No text raises; each fault lies within the text; what is no statement has a fault; offsets are honest."""
    text = head + text
    statement, faults = parse_statement(text, section, 100)
    for fault in faults:
        assert 100 <= fault.start <= fault.end <= 100 + len(text)
        assert fault.message
        assert fault.hint
    assert statement is not None or faults
    if statement is None:
        return
    assert (statement.link is None) != (statement.value is None)
    assert statement.value is None or (statement.value == statement.value.strip() != "")
    assert not re.search(r"[\r\n]", (statement.value or "") + (statement.note or ""))
    for citation in statement.citations:
        assert text[citation.start - 100 : citation.end - 100] == f"[^{citation.observation}]"
    shifted = bare(parse_statement(text, section)[0])
    assert shifted == bare(statement)
    parse_sub_item(text)


@settings(max_examples=120)
@given(any_statement(texts()))
def test_what_can_be_read_can_be_written(statement: StatementLine) -> None:
    """Whatever was read from a wild line is written so that it reads the same."""
    wild = f"{statement.predicate}::{statement.value or '[x](y.md)'} — {statement.note}"
    found, _ = parse_statement(wild, statement.section)
    if found is not None:
        line = format_statement(found)
        assert read(line, found.section) == bare(found)


# -- formatters ------------------------------------------------------------------------------------

#: Text as people write it, markup included, that Markdown itself has several spellings for.
PLAIN = (
    *"()[]^~|#!-+.,:;'\"/%@=?&*_\\` ",
    " — ",
    "::",
    "``",
    " ^id",
    " [^x]",
    "(2024)",
    " (90%)",
    "[a](b.md)",
    "&amp;",
    "\\[",
    "a",
    "snake_case",
    "2 * 3",
    "C:\\x",
    "Łukasz",
    "日本",
)


def prose() -> st.SearchStrategy[str]:
    """One line of such text."""
    return (
        st.lists(st.sampled_from(PLAIN), min_size=1, max_size=6)
        .map(lambda pieces: " ".join("".join(pieces).split()))
        .filter(bool)
    )


@settings(max_examples=100)
@given(statements(prose(), Section.FACTS))
def test_mdformat_changes_no_fact(statement: StatementLine) -> None:
    """What is written canonically says the same after mdformat."""
    survives(statement)


@settings(max_examples=100)
@given(statements(prose(), Section.RELATIONS))
def test_mdformat_changes_no_relation(statement: StatementLine) -> None:
    """What is written canonically with Markdown links says the same after mdformat."""
    if statement.link is None or statement.link.form is LinkForm.MARKDOWN:
        survives(statement)


def survives(statement: StatementLine) -> None:
    """Format a list of one statement with mdformat and read it again."""
    line = format_statement(statement)
    formatted = mdformat.text(line + "\n").rstrip("\n")
    assert read(formatted, statement.section) == read(line, statement.section), (line, formatted)


def test_mdformat_escapes_wiki_links_and_they_are_read() -> None:
    """mdformat does not know wiki links and escapes their brackets; as objects they are still read."""
    line = "- reports-to:: [[jordan-lee|Jordan Lee]] (2026/..) — took over [^a] ^b"
    formatted = mdformat.text(line + "\n").rstrip("\n")
    assert "\\[" in formatted
    assert read(formatted, Section.RELATIONS) == read(line, Section.RELATIONS)


def test_a_link_text_is_written_as_given() -> None:
    """The editor decides how a link is written from where the file lies."""
    statement, _ = parse_statement("reports-to:: [[jordan-lee]]", Section.RELATIONS)
    assert statement is not None
    assert format_statement(statement, "[J](j.md)") == "- reports-to:: [J](j.md)"
    assert format_link("[x] `y`", "a b(c).md") == "[\\[x\\] \\`y\\`](a%20b%28c%29.md)"
    assert format_link("a|b]", "id", LinkForm.WIKI) == "[[id|a b]]"
