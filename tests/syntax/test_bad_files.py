"""Bad files: each gets its diagnostic at its place, is kept and listed, and nothing raises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.catalogue import CATALOGUE
from kb.diagnostics import Diagnostic, Severity
from kb.model.entity import EntityFile
from kb.model.observation import ObservationFile
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.observation_file import find_links, parse_observation_file, seal_of
from kb.syntax.source import decode
from kb.syntax.vocabulary_file import read_configuration


def entity(
    text: str | bytes, path: str = "entities/person/a.md"
) -> tuple[EntityFile, tuple[Diagnostic, ...]]:
    """Parse an entity file."""
    return parse_entity_file(decode(path, text.encode() if isinstance(text, str) else text))


def observation(text: str | bytes) -> tuple[ObservationFile, tuple[Diagnostic, ...]]:
    """Parse an observation file."""
    return parse_observation_file(
        decode("observations/o.md", text.encode() if isinstance(text, str) else text)
    )


def found(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    """Diagnostics as line:column code."""
    return [f"{finding.span.line}:{finding.span.column} {finding.code}" for finding in diagnostics]


HEAD = "---\nid: a\n---\n"

#: (row of BAD-INPUTS or case, text, findings, whether the file is broken)
FILES = [
    ("2", "---", ["1:1 KB101"], True),
    ("2", "---\n", ["1:1 KB101"], True),
    ("2", "---\nid: a\n\n## Facts\n- x:: y\n", ["1:1 KB101"], True),
    ("2", "", ["1:1 KB102"], True),
    ("2", "\n---\nid: a\n---\n", ["1:1 KB102"], True),
    ("2", "id: a\n", ["1:1 KB102"], True),
    ("2", "--- \nid: a\n--- \t\n", [], False),
    ("2", "----\nid: a\n----\n", ["1:1 KB102"], True),
    ("4", "\ufeff---\nid: a\n---\n", ["1:1 KB111"], False),
    ("6", "---\r\nid: a\n---\nx\n", ["2:6 KB112"], False),
    ("6", "---\rid: a\r---\r## Facts\r- x:: y\r", ["1:4 KB112"], False),
    ("6", "---\r\nid: a\r\n---\r\n## Facts\r\n- x:: y\r\n", [], False),
    ("10", "---\nid: a\ncountry: NO\nanswer: yes\non: x\n---\n", [], False),
    ("14", "---\nid: a\nt: 12:30:45\na: 1_000\n---\n", [], False),
    ("16", "---\nid: a\naliases: [x]\naliases: [y]\n---\n", ["4:1 KB104"], False),
    ("16", "---\nid: a\nid: b\n---\n", ["3:1 KB104"], False),
    ("24", "---\n- a\n- b\n---\n", ["2:1 KB107"], True),
    ("24", "---\njust text\n---\n", ["2:1 KB107"], True),
    ("24", "---\nid: a\n...\n", ["3:1 KB116"], True),
    ("24", "---\nid: a\n---\n\n---\nname: b\n---\n", ["5:1 KB110"], False),
    ("24", "---\nid: a\n---\n\n---\n\nprose: this\n", [], False),
    ("24", "---\n---\n", ["1:1 KB201"], False),
    ("26", "---\nid: &x a\n---\n", ["2:5 KB105"], True),
    ("26", "---\nid: a\nname: *x\n---\n", ["3:7 KB105"], True),
    ("26", "---\nid: a\n<<: {b: c}\n---\n", ["3:1 KB105"], True),
    ("28", "---\nid: " + "[" * 5000 + "\n---\n", ["2:1004 KB109"], True),
    ("28", "---\nid: " + "{a: " * 5000 + "\n---\n", ["2:81 KB109"], True),
    ("30", "---\nid: !!python/object/apply:os.system [ls]\n---\n", ["2:5 KB106"], True),
    ("30", "---\nid: !custom a\n---\n", ["2:5 KB106"], True),
    ("30", "---\nid: !!str a\n---\n", ["2:5 KB106"], True),
    ("32", "---\n" + "".join(f"k{n}: v\n" for n in range(50_000)) + "---\n", ["1:1 KB108"], True),
    ("32", "---\nid: a\nx: " + "é" * 32_800 + "\n---\n", ["1:1 KB108"], True),
    ("34", HEAD + "```\n<<<<<<< HEAD\n=======\n>>>>>>> b\n```\n", ["5:1 KB115", "7:1 KB115"], True),
    ("34", "---\r\nid: a\r\n---\r\n||||||| base\r\n", ["4:1 KB115"], True),
    ("34", HEAD + "=======\n <<<<<<< x\n", [], False),
    ("36", HEAD + "```\n\n## Relations\n\n- a:: [b](b.md)\n", ["6:1 KB136"], False),
    ("36", HEAD + "```\n\n## Relations\n\n```\n", [], False),
    ("38", HEAD + "> ## Relations\n", ["4:1 KB135"], False),
    ("38", HEAD + "<!--\n## Relations\n-->\n", ["5:1 KB135"], False),
    ("38", HEAD + "<!-- ## Facts -->\n", ["4:1 KB135"], False),
    ("38", HEAD + "- ## Facts\n", ["4:1 KB135"], False),
    ("38", HEAD + "- x\n\n  Facts\n  ---\n", ["6:1 KB135"], False),
    ("38", HEAD + "    ## Facts\n", ["4:1 KB135"], False),
    ("B02", "---\nid: a\ntitle: Assignment 1: Some Title\n---\n", ["3:20 KB103"], True),
    ("B10", "---\nname: my-note\ndescription: real: text\n---\nbody\n", ["3:18 KB103"], True),
    ("B14", "---\nid: a\naliases:\n- @sam\n---\n", ["4:3 KB103"], True),
    ("B18", HEAD + "> [!info] Title\n> Content\n\n- [ ] task\n- [x] done\n", [], False),
    ("tab", "---\nid: a\naliases:\n\t- b\n---\n", ["4:1 KB103"], True),
    ("NUL", "---\nid: a\nx: b\x00c\n---\n", ["3:5 KB103"], True),
    ("quote", '---\nid: a\nx: "b\n---\n', ["4:1 KB103"], True),
    ("no id", "---\nname: b\n---\n", ["1:1 KB201"], False),
    ("no id", "---\nid:\nname: b\n---\n", ["2:4 KB201"], False),
    ("no id", "---\nid: ~\n---\n", ["2:5 KB201"], False),
    ("bad id", "---\nid: A_b\n---\n", ["2:5 KB202"], False),
    ("bad id", "---\nid: [a]\n---\n", ["2:5 KB204"], False),
    ("B32", "---\nid: '..\\..\\..\\evil'\n---\n", ["2:5 KB202"], False),
    ("B32", "---\nid: ..%2F..%2Fevil\n---\n", ["2:5 KB202"], False),
    ("B32", "---\nid: ~/evil\n---\n", ["2:5 KB202"], False),
    ("stem", "---\nid: b\n---\n", ["2:5 KB203"], False),
    ("shape", "---\nid: a\nname: [b]\naliases: {c: d}\n---\n", ["3:7 KB204", "4:10 KB204"], False),
    (
        "keys",
        "---\nid: a\nkeys: [email: x@y, plain, ':b', a:b]\n---\n",
        ["3:8 KB204", "3:20 KB208", "3:27 KB208"],
        False,
    ),
    (
        "sections",
        HEAD + "## Facts\n- a:: b\n\n# Facts\n\nFACTS\n---\n* c:: d\n",
        ["9:1 KB134"],
        False,
    ),
    (
        "stray",
        HEAD + "## Facts\n\none\ntwo\n\n> q\nlazy\n> r\n\n    code\n\n    code\n",
        ["6:1 KB133", "9:1 KB133", "13:5 KB133"],
        False,
    ),
    (
        "stray",
        HEAD + "## Facts\n\n```\n- a:: b\n```\n***\n<div>\n- a:: b\n</div>\n",
        ["6:1 KB133", "9:1 KB133", "10:1 KB133"],
        False,
    ),
    (
        "stray",
        HEAD + "## Facts\n\n<!-- note -->\n### Sub\n<!--\n- a:: b\n--> tail\n",
        ["10:5 KB133"],
        False,
    ),
    ("stray", HEAD + "## Facts\n\n<!--\n- a:: b\n", ["6:1 KB133"], False),
    ("lazy", HEAD + "## Facts\n- a:: b\nlazy\n  more\nagain\n- c:: d\n", ["6:1 KB133"], False),
    ("number", HEAD + "## Facts\n1. a:: b\n2. c:: d\n", ["5:1 KB139", "6:1 KB139"], False),
    ("sub", HEAD + "## Facts\n- a:: b\n  - c:: d\n  - plain\n", ["7:3 KB132"], False),
    ("sub", HEAD + "## Facts\n- a:: b\n  - c:: d\n\n  late\n", ["8:1 KB133"], False),
]


@pytest.mark.parametrize("row, text, findings, is_broken", FILES)
def test_what_is_wrong_with_a_file_is_said_at_its_place(
    row: str, text: str, findings: list[str], is_broken: bool
) -> None:
    """One finding for one fault; a file that cannot be read keeps its stem as id, and its text."""
    file, diagnostics = entity(text)
    assert found(diagnostics) == findings
    assert file.is_broken is is_broken
    assert file.id in ("a", "b")
    assert file.text == text.removeprefix("\ufeff")
    assert all(finding.message and finding.hint for finding in diagnostics)
    if is_broken:
        assert (file.id, file.name, file.statements) == ("a", "a", ())
        assert any(finding.severity is Severity.ERROR for finding in diagnostics)


@pytest.mark.parametrize(
    "code, severity",
    [
        ("KB107", "error"),
        ("KB116", "error"),
        ("KB110", "warning"),
        ("KB105", "error"),
        ("KB136", "warning"),
        ("KB135", "warning"),
    ],
)
def test_severities(code: str, severity: str) -> None:
    """BAD-INPUTS 24, 26, 36 and 38: what is lost is an error, what is perhaps meant otherwise a warning."""
    assert CATALOGUE[code].severity.value == severity


def test_row_8_bytes_that_are_no_utf8() -> None:
    """BAD-INPUTS 8: the byte's offset is said; the rest is read; the bytes come back; the file is listed."""
    data = b"\xef\xbb\xbf---\nid: a\n---\n\n## Facts\n- x:: y \xc3( z\n"
    source = decode("entities/a.md", data)
    file, diagnostics = parse_entity_file(source)
    assert found(diagnostics) == ["1:1 KB111", "6:9 KB113"]
    assert "offset 35" in diagnostics[1].message
    assert data[35] == 0xC3
    assert len(file.statements) == 1
    assert source.encode() == data
    assert found(entity(b"---\nid: a\nname: \xff\n---\n")[1]) == ["3:7 KB113"]


def test_rows_10_14_b12_scalars_are_text() -> None:
    """Whatever YAML 1.1 thinks of it."""
    fields = "country: NO\nanswer: yes\non: x\nt: 12:30:45\na: 1_000\nv: 1.10\nn: 0042\nborn: 1980-02-30\ndate: 2023_0129\nz: null\n"
    file, diagnostics = entity(f"---\nid: a\n{fields}---\n")
    assert not diagnostics
    assert dict(file.fields) == dict(line.split(": ") for line in fields.splitlines())


def test_row_12_a_date_that_is_none() -> None:
    """An error on `happened_at`, and the observation loads; the author's own fields are text."""
    file, diagnostics = observation(
        "---\nid: o\nhappened_at: 1980-02-30\nborn: 1980-02-30\n---\nx\n"
    )
    assert found(diagnostics) == ["3:22 KB401"]
    assert (file.is_broken, file.happened_at, file.id) == (False, None, "o")


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-01T00:00+99:00",
        "2016-12-31T23:59:60Z",
        "99999-01-01",
        "'1980-02-30'",
        '"\\u0031980-02-30"',
    ],
)
def test_row_46_odd_moments(text: str) -> None:
    """Each is an error on the field, within it."""
    _, diagnostics = observation(f"---\nid: o\nhappened_at: {text}\n---\nx\n")
    assert [finding.code for finding in diagnostics] == ["KB401"]
    assert 14 <= diagnostics[0].span.column <= diagnostics[0].span.end_column <= 14 + len(text)


def test_row_16_both_lines_of_a_duplicate_are_named() -> None:
    """The first counts; the finding names the other place."""
    file, (finding,) = entity("---\nid: a\nname: x\nname: y\n---\n")
    assert file.name == "x"
    assert (finding.span.line, finding.related[0][1].line) == (4, 3)


def test_row_34_a_sealed_body_may_hold_conflict_markers() -> None:
    """They are part of what it says; without the seal they are an error, and so are those in its frontmatter."""
    body = "<<<<<<< HEAD\nx\n>>>>>>> b\n"
    head = f"---\nid: o\nsha256: {seal_of(body)}\n"
    assert observation(f"{head}---\n{body}")[1] == ()
    file, diagnostics = observation(f"{head}---\n{body}y\n")
    assert [finding.code for finding in diagnostics] == ["KB115", "KB115"]
    assert file.is_broken
    assert observation(f"{head}<<<<<<< x\n---\n{body}")[0].is_broken


def test_row_38_hidden_headings_begin_no_section() -> None:
    """Items under them are prose."""
    file, _ = entity(HEAD + "> ## Facts\n\n- a:: b [x](x.md)\n")
    assert file.statements == ()
    assert [link.target for link in file.links] == ["x.md"]


def test_b16_b20_links_of_the_free_text() -> None:
    """case B16, case B20: none from code; a wiki link with a block or a heading counts as one to the file."""
    text = "# Probe\n\nWrite `- part_of [[Inline]]` like this.\n\n```markdown\n- relates_to [[Fenced]]\n```\n\n``double ` tick [[X]]``\n"
    assert entity(HEAD + text)[0].links == ()
    file, _ = entity(
        HEAD + "# 12345 [h](h.md)\n\n> text [[file#^12345]]\n\n- [[file#12345]] `a\n  b [[c]]`\n"
    )
    assert [link.target for link in file.links] == ["h.md", "file", "file"]


def test_b10_the_second_block_is_kept_as_body() -> None:
    """It is warned about and not lost; in an observation it is the source's own words."""
    text = "---\nid: a\n---\n\n---\nname: my-note\ndescription: the real one\n---\n\nbody\n"
    file, _ = entity(text)
    assert file.name == "a"
    assert observation(text.replace("id: a", "id: o"))[1] == ()


def test_positions_do_not_depend_on_yaml_s_lines() -> None:
    """YAML ends lines at U+0085 and U+2028, Markdown does not; offsets count characters, not bytes."""
    file, diagnostics = entity(
        "---\nid: a\nx: 'b\u2028c\u0085d'\ny: 🎉 é\naliases: [B, 'Ü']\nid: z\n---\n\n## Facts\n- a\u2028b:: c\n"
    )
    assert [(name.text, name.span.line, name.span.column) for name in file.aliases] == [
        ("B", 5, 11),
        ("Ü", 5, 14),
    ]
    assert found(diagnostics) == ["6:1 KB104", "10:3 KB138"]


def test_observations_have_no_sections() -> None:
    """What looks like statements in a source is the source's text, and its links count."""
    file, diagnostics = observation("---\nid: o\n---\n## Facts\n- a [x](x.md)\n\n> ## Relations\n")
    assert diagnostics == ()
    assert [link.target for link in find_links(file)] == ["x.md"]


def test_the_seal_covers_the_body_whatever_its_line_ends() -> None:
    """CRLF counts as LF; a lone CR and every other character count."""
    assert seal_of("a\r\nb") == seal_of("a\nb")
    assert seal_of("a\rb") != seal_of("a\nb")


@pytest.mark.parametrize(
    "text, findings",
    [
        ("kb: 1\n", []),
        ("kb: 2\n", ["1:5 KB902"]),
        ("- a\n", ["1:1 KB901"]),
        ("kb: 1\nkb: 1\n", ["2:1 KB905"]),
        ("kb: 1\n---\nname: b\n", ["2:1 KB901"]),
        ("kb: &a 1\n", ["1:5 KB901"]),
        ("kb: 1\nname: [\n", ["3:1 KB901"]),
        (
            "kb: 1\nlinks: maybe\nstrict: 7\nfreshness: x\nnope: 1\n",
            ["2:8 KB904", "3:9 KB904", "4:12 KB904", "5:1 KB903"],
        ),
        ("kb: 1\nkeys: {x: {pattern: '('}}\n", ["2:21 KB904"]),
        ("kb: 1\nrelations: {'a b!': {inverse: c d}, größe: {}}\n", ["2:13 KB904", "2:31 KB904"]),
        ("kb: 1\nfacts: {'': {}, a_b: {aliases: ['#1']}}\n", ["2:9 KB904", "2:33 KB904"]),
        ("kb: 1\nname: " + "x" * 300_000 + "\n", ["1:1 KB901"]),
        ("kb: 1\n<<<<<<< a\n", ["2:1 KB115"]),
    ],
)
def test_configuration(text: str, findings: list[str]) -> None:
    """What is wrong in kb.yaml is said, and the built-in words always stand."""
    configuration, diagnostics = read_configuration(text.encode())
    assert found(diagnostics) == findings
    assert configuration.vocabulary.read_relation("works-for").is_known


# -- anything --------------------------------------------------------------------------------------

PIECES = (
    *"\n\n\n\r\t :-#>*[](){}<>`'\"\\|&!%@^~_.,?=/0a\x00\x85\u2028\ufeffé🎉",
    "---\n",
    "---\nid: a\n",
    "\n---\n",
    "\n...\n",
    "id: a\n",
    "keys: [a:b]\n",
    "## Facts\n",
    "## Relations\n",
    "- a:: b",
    "- a:: [b](b.md)",
    "  - c:: d\n",
    "<<<<<<< ",
    "```\n",
    "<!--",
    "-->",
    "[^a]: ",
    " (2024/..)",
    "relations: {a: {inverse: b}}\n",
    "types: {a: {is: a}}\n",
    "facts: {a: {value: x, aliases: [a, b]}}\n",
    "happened_at: ",
    "1980-02-30",
    "[" * 200,
    "- " * 100,
    "> " * 100,
)


def contents() -> st.SearchStrategy[bytes]:
    """Any bytes, most of them a file that is nearly right."""
    text = st.lists(st.sampled_from(PIECES), max_size=25).map(
        lambda pieces: "".join(pieces).encode()
    )
    bodies = st.one_of(text, st.binary(max_size=60), st.text(max_size=60).map(str.encode))
    heads = st.sampled_from(
        (b"", b"---\n", b"---\nid: a\n---\n", b"---\nid: o\n---\n## Facts\n", b"kb: 1\n")
    )
    return st.builds(lambda head, one, two: head + one + two, heads, bodies, bodies)


@settings(max_examples=150)
@given(contents())
def test_no_bytes_raise(data: bytes) -> None:
    """Each file gives a value and diagnostics within it; the bytes come back."""
    source = decode("entities/person/a.md", data)
    assert source.encode() == data
    limits = source.line_starts
    for file, diagnostics in (parse_entity_file(source), parse_observation_file(source)):
        assert file.text == source.text
        assert list(diagnostics) == sorted(diagnostics, key=lambda finding: finding.span.line)
        for finding in diagnostics:
            assert 1 <= finding.span.line <= len(limits)
            assert 1 <= finding.span.column <= finding.span.end_column
    read_configuration(data)


@given(contents())
def test_parsing_is_deterministic(data: bytes) -> None:
    """Twice the same."""
    assert entity(data) == entity(data)


@pytest.mark.parametrize(
    ("heading", "is_reported"),
    [
        ("## Relation", True),
        ("## Relationships", True),
        ("## Facts:", True),
        ("# Facts", True),
        ("### Relations", True),
        ("## Related", False),
        ("## Relations", False),
    ],
)
def test_a_heading_that_is_nearly_a_section(heading: str, is_reported: bool) -> None:
    """Statements under a heading that is nearly a section's are not dropped in silence; other lists are nobody's."""
    _, diagnostics = entity(f"{HEAD}{heading}\n\n- mentors:: [B](b.md)\n")
    assert ("KB141" in [finding.code for finding in diagnostics]) is is_reported
    _, diagnostics = entity(f"{HEAD}{heading}\n\n- just a list\n\n## Other\n\n- a:: b\n")
    assert "KB141" not in [finding.code for finding in diagnostics]


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("merged-into", "merged_into"),
        ("alias", "aliases"),
        ("Name", "name"),
        ("key", "keys"),
        ("keywords", None),
    ],
)
def test_a_field_that_is_nearly_reserved(field: str, meant: str | None) -> None:
    """A field that is nearly one that means something is reported with that; others are the author's."""
    _, diagnostics = entity(f"---\nid: a\n{field}: x\n---\n")
    hints = [finding.hint for finding in diagnostics if finding.code == "KB221"]
    assert hints == ([f'did you mean "{meant}"?'] if meant else [])
