"""Each rule of the grammar of statements, and each way to miss it: its code, its column, its fix."""

import pytest

from kb.model.statement import LinkForm, Section, StatementLine
from kb.syntax.statement_lines import parse_statement, parse_sub_item

RELATIONS, FACTS = Section.RELATIONS, Section.FACTS


def relation(text: str) -> StatementLine:
    """Read a relation in which nothing is wrong."""
    return good(text, RELATIONS)


def fact(text: str) -> StatementLine:
    """Read a fact in which nothing is wrong."""
    return good(text, FACTS)


def good(text: str, section: Section) -> StatementLine:
    """Read a statement in which nothing is wrong."""
    statement, faults = parse_statement(text, section)
    assert not faults, faults
    assert statement is not None
    return statement


def test_a_whole_relation() -> None:
    """All parts of a relation, with their places."""
    text = "reports-to:: [Jordan Lee](jordan-lee.md) (2026-01-15/.., 90%, by dana-reyes) — took over [^2026-a] [^b] ^k3f9x2ma"
    read = relation(text)
    assert (read.predicate, read.value, read.note, read.id) == (
        "reports-to",
        None,
        "took over",
        "k3f9x2ma",
    )
    assert read.link is not None
    assert (read.link.label, read.link.target, read.link.form) == (
        "Jordan Lee",
        "jordan-lee.md",
        LinkForm.MARKDOWN,
    )
    assert read.interval is not None
    assert (read.interval.text, read.confidence, read.by) == ("2026-01-15/..", 90, "dana-reyes")
    assert [citation.observation for citation in read.citations] == ["2026-a", "b"]
    assert text[read.object_start : read.object_end] == "[Jordan Lee](jordan-lee.md)"
    assert text[: read.predicate_end] == "reports-to"
    assert text[read.qualifiers_start :].startswith("2026-01-15/..")
    assert text[read.note_start :].startswith("took over")
    assert (read.start, read.end) == (0, len(text))


def test_a_whole_fact() -> None:
    """All parts of a fact."""
    read = fact(
        'title:: Head of **Partnerships** (2026-01/.., auto-low) — "Dana now heads it." [^a] ^w8d3n5qe'
    )
    assert (read.value, read.link, read.auto) == ("Head of **Partnerships**", None, "low")
    assert (read.note, read.quote) == ('"Dana now heads it."', "Dana now heads it.")


@pytest.mark.parametrize(
    "text, value, note, id, citations",
    [
        ("a:: b ^id", "b", None, "id", ""),
        ("a:: b ^x ^id", "b ^x", None, "id", ""),
        ("a:: b^id", "b^id", None, None, ""),
        ("a:: b ^id!", "b ^id!", None, None, ""),
        ("a:: b \\^id", "b ^id", None, None, ""),
        ("a:: b `c ^id`", "b `c ^id`", None, None, ""),
        ("a:: b [^x]", "b", None, None, "x"),
        ("a:: b[^x][^y] ^id", "b", None, "id", "x y"),
        ("a:: b [^x], [^y] ,[^z]", "b", None, None, "x y z"),
        ("a:: b, [^x]", "b,", None, None, "x"),
        ("a:: b \\[^x]", "b [^x]", None, None, ""),
        ("a:: b — c", "b", "c", None, ""),
        ("a:: b — c — d", "b", "c — d", None, ""),
        ("a:: b—c", "b—c", None, None, ""),
        ("a:: b —", "b —", None, None, ""),
        ("a:: `b — c` — d", "b — c", "d", None, ""),
        ("a:: `b`", "b", None, None, ""),
        ("a:: `` b`c ``", "b`c", None, None, ""),
        ("a:: `b` and `c`", "`b` and `c`", None, None, ""),
        ("a:: \\`b", "`b", None, None, ""),
        ("a:: b &amp; c &lt; &#100; &#x64; &nope;", "b & c < d d &nope;", None, None, ""),
        ("a:: b &notit; c", "b &notit; c", None, None, ""),
        ("a:: b (c)", "b (c)", None, None, ""),
        ("a:: b (c) — d (e)", "b (c)", "d (e)", None, ""),
        ("a:: b\\\nc", "b\\ c", None, None, ""),
        ("a:: b\n  c\r\n  d", "b c d", None, None, ""),
        ("\n  a:: b", "b", None, None, ""),
        ("a:: b::c", "b::c", None, None, ""),
        ("a:: [x](y.md)", "[x](y.md)", None, None, ""),
        ("a:: b (2024) — c (2025)", "b", "c (2025)", None, ""),
    ],
)
def test_a_line_is_read_from_the_right(
    text: str, value: str, note: str | None, id: str | None, citations: str
) -> None:
    """The id, then the citations, then in facts the first dash begins the note."""
    read = fact(text)
    cited = " ".join(citation.observation for citation in read.citations)
    assert (read.value, read.note, read.id, cited) == (value, note, id, citations)


@pytest.mark.parametrize(
    "text",
    [
        "a::[x](y.md)",
        "a :: [x](y.md)",
        "  a::   [x](y.md)  ",
        "a\t::\t[x](y.md)\n",
        "A:: [x](y.md)",
    ],
)
def test_white_space_and_case_are_free(text: str) -> None:
    """White space around the sign and at the ends means nothing; case is folded."""
    read = relation(text)
    assert (read.predicate, read.link and read.link.target) == ("a", "y.md")


@pytest.mark.parametrize(
    "qualifiers",
    [
        "(2024/..,90%,retracted)",
        "( 2024/.. , 90 % , retracted )",
        "(retracted, 90%, 2024/..)",
        "(2024/..,\n  90%, retracted)",
    ],
)
def test_qualifiers_come_in_any_order(qualifiers: str) -> None:
    """Order and blanks in the parenthesis mean nothing."""
    read = relation(f"a:: [x](y.md) {qualifiers}")
    assert read.interval is not None
    assert (read.interval.text, read.confidence, read.retracted) == ("2024/..", 90, True)
    assert read.is_retired


def test_a_successor() -> None:
    """`superseded by` names the statement that took its place."""
    read = fact("a:: b (superseded by ^k3f9x2ma)")
    assert (read.superseded_by, read.is_retired) == ("k3f9x2ma", True)


@pytest.mark.parametrize(
    "written, predicate",
    [
        ("Reports_To", "reports-to"),
        ("größe", "grösse"),
        ("役職", "役職"),
        ("क्षेत्र", "क्षेत्र"),
        ("e\u0301tage", "étage"),
        ("q1-2024", "q1-2024"),
    ],
)
def test_predicates_are_of_any_script(written: str, predicate: str) -> None:
    """Letters, marks and digits of any script, joined by - or _, which are the same."""
    assert fact(f"{written}:: b").predicate == predicate


@pytest.mark.parametrize(
    "link, target, label",
    [
        ("[x](a%20b.md)", "a b.md", "x"),
        ("[x](<a b.md>)", "a b.md", "x"),
        ("[x](../p/a.md#part)", "../p/a.md", "x"),
        ('[x](a.md "A title")', "a.md", "x"),
        ("[x](a.md 'A (title)')", "a.md", "x"),
        ("[x](a(1).md)", "a(1).md", "x"),
        ("[x](a\\(1.md)", "a(1.md", "x"),
        ("[x \\[y\\]](a.md)", "a.md", "x [y]"),
        ("[x [y] z](a.md)", "a.md", "x [y] z"),
        ("[x `]` y](a.md)", "a.md", "x `]` y"),
        ("[](a.md)", "a.md", ""),
        ("[x](%C3%BC.md)", "ü.md", "x"),
        ("[[a]]", "a", ""),
        ("[[a|The label]]", "a", "The label"),
        ("[[p/a.md#part|x]]", "p/a.md", "x"),
        ("[[Exact Name]]", "Exact Name", ""),
        ("\\[[a]\\]", "a", ""),
        ("\\[\\[a|x\\]\\]", "a", "x"),
    ],
)
def test_links_are_understood(link: str, target: str, label: str) -> None:
    """Escapes, percent signs, anchors, titles and angle brackets; wiki links, as mdformat leaves them too."""
    read = relation(f"a:: {link} (2024) — note")
    assert read.link is not None
    assert (read.link.target, read.link.label, read.note) == (target, label, "note")
    assert read.object_end == len(f"a:: {link}")


def test_links_in_values_and_notes_are_mentions() -> None:
    """A link in a value or a note counts; one in code, one that is escaped and a picture do not."""
    read = fact("a:: see [x](x.md) `[c](c.md)` \\[d](d.md) ![e](e.png) — and [[y]]")
    assert [link.target for link in read.mentions] == ["x.md", "y"]
    read = relation("a:: [x](x.md) — with [y](y.md)")
    assert [link.target for link in read.mentions] == ["y.md"]


MALFORMED = [
    # (section, text, code, offset of the finding, its text, part of the hint)
    (RELATIONS, "[ ] a:: [x](x.md)", "KB122", "[ ]", "remove the box"),
    (FACTS, "[x] a:: b", "KB122", "[x]", "remove the box"),
    (
        RELATIONS,
        "reports-to:: Jordan Lee (2024) — x",
        "KB123",
        "Jordan Lee (2024)",
        "[[Jordan Lee]]",
    ),
    (RELATIONS, "reports-to: [x](x.md)", "KB121", ":", "reports-to:: …"),
    (FACTS, "job title: boss", "KB121", ":", "job-title:: …"),
    (RELATIONS, "a:: [x](x.md), [y](y.md)", "KB124", ", [y](y.md)", "item of its own"),
    (RELATIONS, "a:: [[x]] and [[y]]", "KB124", "and [[y]]", "item of its own"),
    (RELATIONS, "a:: [x](x.md) [y](y.md)", "KB124", "[y](y.md)", "item of its own"),
    (FACTS, "a:: b [^x] c", "KB125", "[^x]", "move it to the end"),
    (RELATIONS, "a:: [x](x.md) — b [^x] c [^y]", "KB125", "[^x]", "before the ^id"),
    (FACTS, "a:: b ^id [^x]", None, "", ""),
    (RELATIONS, "a:: [x](x.md) — b (90%)", "KB126", "(90%)", "before the ' — '"),
    (FACTS, "a:: b — c (2024/..)", "KB126", "(2024/..)", "before the ' — '"),
    (FACTS, "a:: b (2024) — c (retracted)", "KB126", "(retracted)", "before the ' — '"),
    (RELATIONS, "a:: [x](x.md) (2024, acting)", "KB127", "acting", "by <entity id>"),
    (RELATIONS, "a:: [x](x.md) (by Dana Reyes)", "KB127", "by Dana Reyes", "by <entity id>"),
    (RELATIONS, "a:: [x](x.md) (150%)", "KB127", "150%", "100%"),
    (RELATIONS, "a:: [x](x.md) (2024,)", "KB127", "", "qualifiers are"),
    (RELATIONS, "a:: [x](x.md) ()", "KB127", "", "qualifiers are"),
    (FACTS, "a:: b (acting, 2024)", "KB128", "acting", "code span"),
    (FACTS, "a:: b (2020-2022)", "KB129", "(2020-2022)", "code span"),
    (RELATIONS, "a:: [x](x.md) boss", "KB131", "boss", "make it a note"),
    (RELATIONS, "a:: [x](x.md) - boss", "KB131", "- boss", "replace the dash"),
    (RELATIONS, "a:: [x](x.md) —", "KB131", "—", "remove the dash"),
    (RELATIONS, "a:: [x](x.md) (2024", "KB131", "(2024", "add ')'"),
    (
        RELATIONS,
        "a:: [b](../c d.md) (2024)",
        "KB123",
        "[b](../c d.md) (2024)",
        "write [b](../c%20d.md)",
    ),
    (RELATIONS, "a:: [b](c.md", "KB123", "[b](c.md", "write [b](…/file.md) or [[b]]"),
    (RELATIONS, "a:: (b.md)", "KB123", "(b.md)", "or [[b.md]]"),
    (RELATIONS, "a::", "KB137", "", "write a link"),
    (RELATIONS, "a:: [^x] ^y", "KB137", "", "write a link"),
    (FACTS, "a::   ", "KB137", "", "write a value"),
    (FACTS, "a:: — note", "KB137", "", "write a value"),
    (FACTS, "a:: (2024/..)", "KB137", "", "write a value"),
    (FACTS, "a:: ` `", "KB137", "", "write a value"),
    (FACTS, "works for us:: b", "KB138", "works for us", "works-for-us::"),
    (FACTS, "**a**:: b", "KB138", "**a**", "write a::"),
    (FACTS, ":: b", "KB138", "::", "join words"),
    (FACTS, "just text", "KB120", "just text", "predicate:: value"),
    (RELATIONS, "[x](x.md)", "KB120", "[x](x.md)", "[Name](file.md)"),
    (RELATIONS, "", "KB120", "", "[Name](file.md)"),
    (FACTS, "a:: b (2024, 2025)", "KB140", "2025", "keep one"),
    (FACTS, "a:: b (90%, 80%)", "KB140", "80%", "keep one"),
    (RELATIONS, "a:: [x](x.md) (by a, by b)", "KB140", "by b", "keep one"),
    (RELATIONS, "a:: [x](x.md) (retracted, retracted)", "KB140", "retracted", "keep one"),
    (RELATIONS, "a:: [x](x.md) (2015-13)", "KB401", "13", ""),
    (FACTS, "a:: b (1980-02-30)", "KB401", "30", ""),
    (FACTS, "a:: b (2018/2015)", "KB401", "", ""),
    (RELATIONS, "a:: [x](x.md) (2023-24)", "KB401", "24", ""),
]


@pytest.mark.parametrize("section, text, code, place, hint", MALFORMED)
def test_each_way_to_miss_the_grammar(
    section: Section, text: str, code: str | None, place: str, hint: str
) -> None:
    """Each malformed kind has one finding of its own code, at its place, with its fix."""
    _, faults = parse_statement(text, section, 10)
    assert [fault.code for fault in faults] == ([code] if code else []), faults
    for fault in faults:
        assert hint in fault.hint
        assert text[fault.start - 10 : fault.end - 10] == place or not place, fault


def test_a_wrong_time_does_not_lose_the_statement() -> None:
    """The rest of the line loads, undated."""
    read, faults = parse_statement("a:: [x](x.md) (2015-13, 90%) — n [^o] ^i", RELATIONS)
    assert [fault.code for fault in faults] == ["KB401"]
    assert read is not None
    assert (read.interval, read.confidence, read.note, read.id) == (None, 90, "n", "i")


def test_of_two_links_the_first_is_read() -> None:
    """The others are reported and counted for nothing."""
    read, _ = parse_statement("a:: [x](x.md), [y](y.md) ^i", RELATIONS)
    assert read is not None
    assert (read.link and read.link.target, read.id) == ("x.md", "i")


def test_sub_items() -> None:
    """An indented item is `name:: text`."""
    sub = parse_sub_item("Alternatives:: `a`")
    assert sub is not None
    assert (sub.name, sub.text) == ("alternatives", "a")
    assert parse_sub_item("no sign") is None
    assert parse_sub_item("a::") is None
    assert parse_sub_item("two words:: a") is None


@pytest.mark.parametrize(
    ("item", "section", "code"),
    [
        ("since 2020", Section.RELATIONS, "KB401"),
        ("Mar 2024 - now", Section.RELATIONS, "KB401"),
        ("1 March 2024", Section.RELATIONS, "KB401"),
        ("01.10.2026/..", Section.RELATIONS, "KB401"),
        ("2024-03-01 to 2025-01-01", Section.RELATIONS, "KB401"),
        ("2026-10-01/...", Section.RELATIONS, "KB401"),
        ("since 2020", Section.FACTS, "KB129"),
        ("from the start", Section.RELATIONS, "KB127"),
        ("acting", Section.RELATIONS, "KB127"),
    ],
)
def test_a_time_in_words_is_told_how_to_be_written(item: str, section: Section, code: str) -> None:
    """A time in words or another notation is a bad date in a relation, a doubtful value in a fact."""
    object = "[B](b.md)" if section is Section.RELATIONS else "Boss"
    _, faults = parse_statement(f"title:: {object} ({item})", section)
    assert [fault.code for fault in faults] == [code]


@pytest.mark.parametrize(
    ("text", "section", "code"),
    [
        ("x:: [B](b.md) [2026-10-01-kickoff]", Section.RELATIONS, "KB131"),
        ("x:: [B](b.md) [^ 2026-10-01-kickoff]", Section.RELATIONS, "KB131"),
        ("x:: Boss [2026-10-01-kickoff]", Section.FACTS, "KB142"),
        ('x:: Boss - "she is the boss"', Section.FACTS, "KB142"),
        ('x:: Boss -- "she is the boss"', Section.FACTS, "KB142"),
        ('x:: `Boss - "she"`', Section.FACTS, None),
        ("x:: Boss - acting", Section.FACTS, None),
        ("x:: Boss [1]", Section.FACTS, None),
    ],
)
def test_what_was_meant_as_more_than_a_value(text: str, section: Section, code: str | None) -> None:
    """A citation without its caret and a quoted note after another dash are reported with what to write."""
    _, faults = parse_statement(text, section)
    assert [fault.code for fault in faults] == ([code] if code else [])
