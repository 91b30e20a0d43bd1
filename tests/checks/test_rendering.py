"""How findings are shown: as lines, with excerpts, as JSON, and safely in a terminal."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.diagnostics import WHOLE_FILE, Diagnostic, Severity, Span
from kb.errors import UsageError
from kb.render.diagnostics import DIAGNOSTIC_FORMATS, render_diagnostics, render_summary
from kb.render.terminal import _UNSAFE_BUT_PRINTABLE, _unsafe, escape_terminal, width
from kb.syntax.source import decode

PATH = "entities/person/ada.md"


def finding(line: int = 1, column: int = 1, end: int = 1, **fields) -> Diagnostic:
    """Give a finding at a place in Ada's file."""
    fields = {"message": 'no entity "babage"', "hint": 'did you mean "babbage"?', **fields}
    span = Span(line, column, end)
    return Diagnostic("KB301", Severity.ERROR, fields.pop("path", PATH), span, **fields)


def excerpt(text: str, column: int, end: int) -> list[str]:
    """Render a finding in a line of text with its excerpt; give line and carets."""
    found = finding(1, column, end, hint="")
    rendered = render_diagnostics(
        [found], "full", {PATH: decode(PATH, text.encode("utf-8", "surrogateescape"))}
    )
    return rendered.splitlines()[1:]


def test_text_is_one_line_and_a_hint() -> None:
    """The line begins as compilers write it, so that editors can follow it."""
    assert render_diagnostics([finding(12, 8, 20)], "text", {}) == (
        'entities/person/ada.md:12:8: error[KB301] no entity "babage" (dangling-link)\n'
        '  hint: did you mean "babbage"?\n'
    )


def test_no_findings_are_no_text() -> None:
    """Silence means clean; only JSON always says something."""
    assert render_diagnostics([], "text", {}) == ""
    assert render_diagnostics([], "full", {}) == ""
    assert json.loads(render_diagnostics([], "json", {}))["diagnostics"] == []


def test_excerpt_marks_the_words() -> None:
    """Carets stand under the words at fault."""
    assert excerpt("see [babage](b.md) there\nnext\n", 5, 19) == [
        "    1 | see [babage](b.md) there",
        "      |     ^^^^^^^^^^^^^^",
    ]


def test_excerpt_minds_wide_characters_and_tabs() -> None:
    """Carets count columns, not characters: wide ones take two, marks none, tabs four, escapes their length."""
    assert excerpt("山田\tx", 4, 5) == ["    1 | 山田    x", "      |         ^"]
    assert excerpt("e\u0301 山 x", 4, 5) == ["    1 | e\u0301 山 x", "      |   ^^"]
    assert excerpt("\x1b[1m x", 6, 7) == ["    1 | \\x1b[1m x", "      |         ^"]


def test_excerpt_of_a_place_without_width() -> None:
    """A place between two characters gets one caret."""
    assert excerpt("title::", 8, 8) == ["    1 | title::", "      |        ^"]


def test_excerpt_of_a_long_line_is_cut() -> None:
    """A line of any length is shown around the place only."""
    line, carets = excerpt("a" * 1_000_000 + "bad" + "c" * 1_000_000, 1_000_001, 1_000_004)
    assert line == f"    1 | …{'a' * 60}bad{'c' * 60}…"
    assert carets.index("^") == line.index("bad")
    line, _ = excerpt("b" * 1_000, 1, 1_001)
    assert len(line) < 200


def test_whole_file_has_no_excerpt() -> None:
    """What is about a file as a whole marks no words in it."""
    assert excerpt("text", 1, 1) == []


def test_related_places_are_shown() -> None:
    """A finding about several places names them all, in full and in JSON."""
    related = (("entities/b.md", Span(2, 5, 6)), ("entities/c.md", WHOLE_FILE))
    sources = {"entities/b.md": decode("entities/b.md", b"---\nid: b\n")}
    rendered = render_diagnostics([finding(hint="", related=related)], "full", sources)
    assert rendered.splitlines()[1:] == [
        "  see: entities/b.md:2:5",
        "    2 | id: b",
        "      |     ^",
        "  see: entities/c.md:1:1",
    ]
    document = json.loads(render_diagnostics([finding(related=related)], "json", sources))
    assert document["diagnostics"][0]["related"][0] == {
        "path": "entities/b.md",
        "line": 2,
        "column": 5,
        "end_column": 6,
    }


def test_json_is_one_object() -> None:
    """Each finding with its catalogue name, and counts of them all."""
    document = json.loads(render_diagnostics([finding(12, 8, 20)], "json", {}))
    assert document == {
        "diagnostics": [
            {
                "code": "KB301",
                "name": "dangling-link",
                "severity": "error",
                "path": PATH,
                "line": 12,
                "column": 8,
                "end_column": 20,
                "message": 'no entity "babage"',
                "hint": 'did you mean "babbage"?',
                "related": [],
            }
        ],
        "summary": {"errors": 1, "warnings": 0, "files": 1},
    }


@given(st.text(), st.integers(1, 30), st.integers(0, 30))
def test_any_place_in_any_line_can_be_shown(text: str, column: int, length: int) -> None:
    """An excerpt never fails, and sends nothing to the terminal that is not meant to be seen."""
    lines = excerpt(text, column, column + length)
    assert all(escape_terminal(line) == line for line in lines)


@pytest.mark.parametrize("format", DIAGNOSTIC_FORMATS)
def test_hostile_text_cannot_steer_a_terminal(format: str) -> None:
    """Paths and messages come from files: controls, bidi overrides and line ends are shown, never sent."""
    hostile = finding(path="entities/\x1b]0;x\x07\nbad\udcff\u202e.md", message="\x9b2J\r\u2066x")
    rendered = render_diagnostics([hostile], format, {})
    assert not set("\x1b\x07\x9b\r\u202e\u2066\udcff") & set(rendered)
    assert rendered.encode("utf-8")
    if format in ("text", "full"):
        assert rendered.startswith(
            "entities/\\x1b]0;x\\x07\\nbad\\xff\\u202e.md:1:1: error[KB301] \\x9b2J"
        )


def test_unknown_format_is_a_usage_error() -> None:
    """The formats that exist are named."""
    with pytest.raises(UsageError, match="there is no format"):
        render_diagnostics([], "xml", {})


def test_summary() -> None:
    """Counts of what was found; what was looked at where nothing was."""
    warning = Diagnostic("KB405", Severity.WARNING, "a.md", WHOLE_FILE, "unsealed")
    assert render_summary([finding(), finding(2), warning]) == "2 errors, 1 warning in 2 files"
    assert render_summary([warning]) == "1 warning in 1 file"
    assert render_summary([], 37, 1) == "clean: 37 entities, 1 observation"
    assert render_summary([]) == "clean"


@pytest.mark.parametrize(
    "text",
    [
        "plain, “quoted” — £1 → 2",
        "Zoë Müller, Łukasz, Σίσυφος, Пушкин",
        "山田太郎、悬空。한국어 ｶﾅ",
        "مرحبا بالعالم — שלום",
        "می\u200cخواهم",  # Persian: the joiner is part of the word
        "क्\u200dष தமிழ் ไทย བོད",
        "👩\u200d👩\u200d👧 ❤\ufe0f 🇦🇹",
        "葛\U000e0100城",  # a variant of an ideograph
        "e\u0301",
    ],
)
def test_ordinary_text_of_all_scripts_is_untouched(text: str) -> None:
    """Escaping is for what steers or hides, never for somebody's language."""
    assert escape_terminal(text) == text


@pytest.mark.parametrize(
    "text, shown",
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m", "\\x9b31m"),
        ("a\x00b\x7f", "a\\x00b\\x7f"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("pass\u200bword", "pass\\u200bword"),
        ("pass\u200dword", "pass\\u200dword"),
        ("\ufeffx", "\\ufeffx"),
        ("x\U000e0041\U000e0042", "x\\U000e0041\\U000e0042"),
        ("x\ufe00\ufe01", "x\ufe00\\ufe01"),
        ("x\U000e0101", "x\\U000e0101"),
        ("bad\udcff", "bad\\xff"),
        ("a\u2028b", "a\\u2028b"),
    ],
)
def test_what_steers_or_hides_is_shown(text: str, shown: str) -> None:
    """Controls, escape sequences, bidi overrides, zero-width, tag and broken characters become escapes."""
    assert escape_terminal(text) == shown


def test_what_is_not_looked_at_closely_is_safe() -> None:
    """A text that is taken for safe at a glance holds no character that the patterns know."""
    every = map(chr, range(sys.maxunicode + 1))
    glanced_at = "".join(c for c in every if c.isprintable() and c not in _UNSAFE_BUT_PRINTABLE)
    assert escape_terminal(glanced_at) is glanced_at
    assert _unsafe(False).search(glanced_at) is None


def test_lines_may_be_kept() -> None:
    """Text that is meant to have lines keeps them, and nothing else."""
    assert escape_terminal("a\n\tb\r\x1b", lines=True) == "a\n\tb\\r\\x1b"


def test_width() -> None:
    """Wide characters take two columns, marks and joiners none."""
    assert [width(text) for text in ("abc", "山田", "e\u0301", "می\u200cخ")] == [3, 4, 1, 3]


def test_a_message_that_quotes_a_whole_long_line_is_cut() -> None:
    """Text shows its both ends; JSON has all of it."""
    long = finding(message="a" * 50_000 + "z", hint="b" * 50_000)
    for form in ("text", "full"):
        lines = render_diagnostics([long], form, {}).splitlines()
        assert all(len(line) < 1000 for line in lines)
        assert "aaa … aaa" in lines[0]
        assert "az (dangling-link)" in lines[0]
    assert long.message in render_diagnostics([long], "json", {})
