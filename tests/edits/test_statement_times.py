"""Times as arguments give them: what words were read as is said, and hints say what works there."""

import re
from pathlib import Path

import pytest

from kb.edits.decisions import Reason, plan_decide
from kb.edits.judgements import plan_distinct, plan_merge, plan_unmerge
from kb.edits.observe import plan_observe
from kb.edits.relate import Saying, plan_fact
from kb.edits.retire import plan_retire
from kb.edits.statement_times import read_end, read_happened_at, read_start, read_time
from kb.errors import UsageError
from kb.model.time import Date
from kb.syntax.edtf import parse_date
from tests.conftest import NOW, entity, observation, write_kb
from tests.edits.editing import do

DAY = parse_date("2026-11-17")
assert isinstance(DAY, Date)

#: Words, as they are read on 2026-11-17: as one date, and as the start and the end of a stretch.
WORDS = [
    ("yesterday", "2026-11-16", "2026-11-16"),
    ("last month", "2026-10", "2026-10"),
    ("5 March 2026", "2026-03-05", "2026-03-05"),
    ("end of last month", "2026-10-21", "2026-10-31"),
    ("week 10", "2026-03-02", "2026-03-08"),
    ("week 10 of 2025", "2025-03-03", "2025-03-09"),
    ("last spring", "2026-03", "2026-05"),
    ("first half of 2025", "2025-01", "2025-06"),
    ("early May", "2026-05-01", "2026-05-10"),
]


@pytest.mark.parametrize("text, start, end", WORDS)
def test_what_words_were_read_as_is_noted(text: str, start: str, end: str) -> None:
    """The note names the option, the words, the date that is written, and the stretch that it is a side of."""
    for option, read, date in (("--since", "start", start), ("--until", "end", end)):
        notes: list[str] = []
        if read == "start":
            assert read_start(text, (DAY,), notes).text == date
        else:
            assert read_end(option, text, (DAY,), notes).text == date
        (note,) = notes
        assert note.startswith(f'{option} "{text}" was read as {date}')
        assert (f", the {read} of " in note) == (start != end)
    assert read_time("", "", text, (DAY,)).notes[0].startswith(f'--when "{text}" was read as {start}')  # fmt: skip


@pytest.mark.parametrize("text", ["2026", "2026-03", "2026-03-05", "2026-03-05T10:00Z"])
def test_a_date_as_it_is_written_needs_no_note(text: str) -> None:
    """EDTF says what it is."""
    notes: list[str] = []
    read_start(text, (DAY,), notes)
    read_happened_at(text, NOW, notes)
    assert (notes, read_time(text, "", "", (DAY,)).notes) == ([], ())


@pytest.mark.parametrize(
    "text",
    [
        *("Monday", "3/4/2026", "03/04/26", "2026-03/2026-05", "2024/..", "a few weeks ago", "recently"),
        *("around May", "by Friday", "last week", "last spring", "christmas", "soon"),
        *("tomorrow 3pm", "yesterday 14:00", "2026-02-30", "next"),
    ],
)  # fmt: skip
def test_a_hint_about_when_something_happened_says_what_works(text: str) -> None:
    """Every date, and all words in double quotes, that a refusal proposes are read as one date, or are of what lasts."""
    with pytest.raises(UsageError) as refused:
        read_happened_at(text, NOW, [])
    hint = refused.value.hint.partition("; of what lasts")[0]
    proposed = re.findall(r'"([^"]+)"', hint)
    proposed += re.findall(r"(?<![\w:+/-])\d{4}(?:-\d\d){0,2}(?![\w:/-])", hint)
    assert hint
    assert proposed
    for one in proposed:
        assert read_happened_at(one, NOW, []), one


def test_every_edit_says_what_words_were_read_as(tmp_path: Path) -> None:
    """A statement's time, its end, a date as a value, when something was said, and when it was decided."""
    root = write_kb(
        tmp_path,
        {
            "entities/person/ada.md": entity(
                "ada", "## Facts", "", "- title:: A (2020/..) ^a", name="Ada"
            ),
            "entities/person/bob.md": entity("bob", name="Bob"),
            "observations/2026/01/2026-01-15-seen.md": observation("2026-01-15-seen"),
        },
        "kb: 1\nfacts:\n  launch: {value: date}\n",
    )
    cited = Saying(("2026-01-15-seen",))
    why = Reason("Seen.", by="Ada", happened_at="2026-11-28", notes=("read as 2026-11-28",))
    edits = [
        do(root, plan_fact, "ada", "role", "X", cited._replace(since="last week")),
        do(root, plan_fact, "ada", "launch", "next Monday", cited),
        do(root, plan_retire, "^a", until="last week"),
        do(root, plan_observe, "Said.", happened_at="yesterday"),
        do(root, plan_distinct, "ada", "bob", why),
        do(root, plan_distinct, "ada", "bob", why, withdraw=True),
        do(root, plan_merge, "ada", "bob", why),
        do(root, plan_unmerge, "bob", why),
        do(root, plan_decide, "correct", ["ada"], why),
    ]
    for done in edits:
        assert any("read as 202" in note for note in done.edit.notes), done.edit
