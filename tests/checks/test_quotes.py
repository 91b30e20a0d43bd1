"""Verbatim quotes are proved against the observations that a statement cites."""

import pytest

from tests.checks.found import found, marked
from tests.conftest import entity, observation

PATH = "observations/2026/01/2026-01-15-offsite.md"


def quoting(note: str, body: str, cites: str = "[^2026-01-15-offsite]") -> dict[str, str]:
    """Give a statement with a note, and what it cites."""
    return {
        "entities/ada.md": entity("ada", "## Facts", "", f"- title:: Head — {note} {cites}"),
        PATH: observation("2026-01-15-offsite", body),
    }


@pytest.mark.parametrize(
    "note, body",
    [
        ('"Dana heads it."', "So: Dana heads it. Good.\n"),
        ("“Dana heads it.”", "So: Dana heads it. Good.\n"),
        ('"Dana heads it."', "So: Dana\n   heads\u00a0it. Good.\n"),
        ('"Dana  heads it."', "Dana heads it.\n"),
        (r'"3 \* 4 = 12"', "3 * 4 = 12\n"),
        ('"3 * 4 = 12"', "3 \\* 4 = 12\n"),
        (r'"3 \* 4 = 12"', "3 \\* 4 = 12\n"),
        ('"R&D"', "The R&amp;D budget\n"),
        ('"call `kb check` now"', "call `kb check` now\n"),
        ('"Zoë"', "Zoe\u0308\n"),
        ('She said "so"', "nothing of the kind\n"),
        ("unquoted", "nothing of the kind\n"),
    ],
)
def test_quotes_that_occur(make_kb, note: str, body: str) -> None:
    """White space is folded and Markdown unescaped on both sides; a note that is not all quote is no quote."""
    assert found(make_kb(quoting(note, body))) == []


@pytest.mark.parametrize(
    "note, body",
    [
        ('"Dana heads it."', "Dana leads it.\n"),
        ('"dana heads it."', "Dana heads it.\n"),
        ('"it’s so"', "it's so\n"),
    ],
)
def test_quotes_that_do_not_occur(make_kb, note: str, body: str) -> None:
    """Verbatim is verbatim: letters, case and inner quotation marks count. The note is marked."""
    kb = make_kb(quoting(note, body))
    assert marked(kb, "KB404") == [note]
    assert len(found(kb)) == 1


def test_one_of_the_cited_observations_is_enough(make_kb) -> None:
    """A quote needs to occur in one of several sources."""
    other = {
        "observations/2026/01/2026-01-16-call.md": observation(
            "2026-01-16-call", "Dana heads it.\n"
        )
    }
    cites = "[^2026-01-15-offsite] [^2026-01-16-call]"
    assert found(make_kb({**quoting('"Dana heads it."', "No.\n", cites), **other})) == []


def test_quote_is_not_judged_while_a_source_is_missing(make_kb) -> None:
    """The missing observation is the finding; it may well hold the quote. Nor is an uncited quote judged."""
    kb = make_kb(quoting('"Dana heads it."', "No.\n", "[^2026-01-15-offsite] [^2026-01-16-call]"))
    assert found(kb) == ["ada.md:8:57 KB403"]
    assert found(make_kb(quoting('"Dana heads it."', "No.\n", "")), "KB402", "KB404") == [
        "ada.md:8:3 KB402"
    ]
