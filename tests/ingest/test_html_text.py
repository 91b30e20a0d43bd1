"""HTML of mails becomes text that reads well."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.ingest.html_text import html_to_text


@pytest.mark.parametrize(
    "markup, text",
    [
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("one<br>two<BR/>three", "one\ntwo\nthree"),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("a  \n b", "a b"),
        ("<b>a</b><i>b</i> c", "ab c"),
        ("<style>p {x: y}</style><script>if (a < b) {}</script>x", "x"),
        ("<head><title>t</title></head><body>x</body>", "x"),
        ("<!-- <p>hidden</p> -->x", "x"),
        ("<!--[if mso]>no<![endif]-->x", "x"),
        ("<!DOCTYPE html><?xml x?>x", "x"),
        (
            '<a href="https://x.example/a?b=1&amp;c=2">here</a>.',
            "here <https://x.example/a?b=1&c=2>.",
        ),
        ("<a href='https://x.example'>https://x.example/</a>", "https://x.example/"),
        ('<a href="mailto:d@x.example">d@x.example</a>', "d@x.example"),
        ('<a href="javascript:alert(1)">here</a>', "here"),
        ('<a name="top">here</a>', "here"),
        ("<a href=https://x.example>here", "here <https://x.example>"),
        ('<img src="x.png" alt="a chart">', "a chart"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n\n  - c"),
        ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
        ("<table><tr><td>a<td>b</tr><tr><td>c<td>d</tr></table>", "a\tb\nc\td"),
        ("<pre>  a\n    b</pre>", "  a\n    b"),
        ("&lt;b&gt; &eacute;&#8364;&nbsp;x", "<b> é€ x"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ('<p title="a > b">x</p>', "x"),
        ('<p title="unclosed>x</p>', "x"),
        ("<script>never closed", ""),
        ("x <unclosed", "x <unclosed"),
        ("x <!-- unclosed <b>y</b>", "x y"),
        ("", ""),
    ],
)
def test_html(markup: str, text: str) -> None:
    """What a reader would see is kept, with its links; what a program would read is not."""
    assert html_to_text(markup) == text


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<a ",
        '<a "',
        "<!--",
        "<![",
        "</",
        "<script>",
        "<a href='",
        "&#",
        "<ul>",
        "<a href=http://x>",
        "<a \"'>",
    ],
)
def test_hostile_markup_takes_no_time(piece: str) -> None:
    """Reading is linear: a hundred thousand unfinished tags take no longer than as many finished ones."""
    start = time.perf_counter()
    html_to_text(piece * 50_000)
    html_to_text(piece * 50_000 + ">")
    assert time.perf_counter() - start < 10


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "<",
                ">",
                "<a",
                "</a>",
                "<p>",
                "<!--",
                "-->",
                "'",
                '"',
                " href=x",
                "&",
                "<li>",
                "<pre>",
                "é",
                "\n",
            ]
        ),
        max_size=25,
    )
)
def test_any_markup_is_read(pieces: list[str]) -> None:
    """Whatever the markup, there is a text."""
    html_to_text("".join(pieces))
