"""``search``: what is found, in which order, near whom, and what is said where nothing is."""

import contextlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner

from kb.cli.program import program
from kb.errors import UsageError
from kb.index import lookup
from kb.index.question import BadQuery
from kb.knowledge_base import KnowledgeBase
from kb.queries.answers import Answer
from kb.queries.search import Search, search
from kb.queries.selection import Selection
from kb.render.as_json import answer_as_json
from kb.render.as_text import render_text
from tests.conftest import entity, observation

Make = Callable[..., KnowledgeBase]


def found(answer: Answer[Search]) -> list[str]:
    """The ids of the hits in their order; none that is only offered as weak."""
    if answer.results.is_weak:
        return []
    return ids(answer)


def ids(answer: Answer[Search]) -> list[str]:
    return [
        hit.entity.id if hit.entity else hit.observation.id if hit.observation else ""
        for hit in answer.results.hits
    ]


def note(body: str, title: str = "A note") -> dict[str, str]:
    return {"observations/2026/01/2026-01-01-o.md": observation("2026-01-01-o", body, title=title)}


def ask(base: KnowledgeBase, text: str) -> list[str]:
    return found(search(base, text))


def test_b26_a_name_in_running_text(make_kb: Make) -> None:
    """A Chinese name inside running text is found."""
    base = make_kb(
        {
            **note("这是一段测试内容\n"),
            "entities/other/ce-shi.md": entity("ce-shi", type=None, name="测试"),
        }
    )
    assert ask(base, "测试") == ["ce-shi", "2026-01-01-o"]


@pytest.mark.parametrize("apostrophe", ["'", "’"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_b46_an_exact_title(make_kb: Make, apostrophe: str, quote: str) -> None:
    """A title with "and" and apostrophes of either form is found by itself, as words and as a phrase."""
    title = "Tennessee Walking Horse Breeder's and Exhibitor's Association"
    base = make_kb(note("Text.\n", f'"{title}"'))
    assert ask(base, quote + title.replace("'", apostrophe) + quote) == ["2026-01-01-o"]


@pytest.mark.parametrize("text", ["悬空", "修复", "itgc", "gen-itgc", "清", "步"])
def test_b48_chinese_with_glued_identifiers(make_kb: Make, text: str) -> None:
    """Chinese words, single characters and identifiers glued to them are found."""
    assert ask(make_kb(note("步2 重跑gen-itgc后50条悬空引用清零，修复已验证\n")), text) == [
        "2026-01-01-o"
    ]


@pytest.mark.parametrize("text", ["Прив*", "東京", "مرح*", "café résumé", "cafe resume", "МИР"])
def test_b50_every_script(make_kb: Make, text: str) -> None:
    """Cyrillic, Arabic and Japanese are words, and accents are no letters."""
    body = "Привет мир\n東京駅\nمرحبا بالعالم\ncafé résumé\n"
    assert ask(make_kb(note(body)), text) == ["2026-01-01-o"]


def test_a_phrase_goes_over_line_ends(make_kb: Make) -> None:
    """A line wrap in a phrase is a space; the words must stand one after another."""
    base = make_kb(note("structural\n  pattern\nmatching\n"))
    assert ask(base, '"structural pattern matching"') == ["2026-01-01-o"]
    assert ask(base, '"structural matching"') == []


@pytest.mark.parametrize(
    "text",
    ["AND OR", "name:", "[a TO", "foo~9", "a " * 5000, "a" * 5000, "the of and", "NOT", "x" * 19_000, "\x00", "𝔸*b"],
)  # fmt: skip
def test_odd_texts_are_answered(make_kb: Make, text: str) -> None:
    """Odd texts are ordinary ones, or bad queries (BAD-INPUTS 62)."""
    with contextlib.suppress(BadQuery):
        search(make_kb(note("the of and a\n")), text)


def test_a_beginning_costs_a_bounded_number_of_lookups(
    make_kb: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A beginning with many endings looks so many up and no more, and says so; a repeated word is looked up once."""
    monkeypatch.setattr(lookup, "MOST_ENDINGS", 10)
    looked_up: list[object] = []
    real = lookup._iter_places

    def counted(searcher: Any, words: tuple[str, ...], only: Any) -> Any:
        looked_up.extend(words)
        return real(searcher, words, only)

    monkeypatch.setattr(lookup, "_iter_places", counted)
    base = make_kb(
        note(" ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(200)) + "\n")
    )
    answer = search(base, "wo* " * 100)
    assert found(answer) == ["2026-01-01-o"]
    assert len(looked_up) == 10
    assert "looked up in part" in answer.notes[0]


PEOPLE = {
    "entities/person/ada.md": entity(
        "ada", "## Relations", "", "- works-for:: [Acme](../company/acme.md) ^r1", "",
        "## Facts", "", "- title:: Keeper of engines (2026-01/..) — \"keeps them\" [^2026-01-01-o] ^f1", name="Ada",
    ),
    "entities/company/acme.md": entity("acme", "Makes engines.", type="company", name="Acme"),
    "entities/company/far.md": entity("far", "Buys engines.", type="company", name="Far Ltd"),
    "observations/2026/01/2026-01-01-o.md": observation("2026-01-01-o", "Ada oiled the engine.\n"),
    "observations/2026/02/2026-02-01-p.md": observation("2026-02-01-p", "Acme sold an engine.\n", kind="email"),
    "observations/2026/03/2026-03-01-q.md": observation("2026-03-01-q", "Nobody saw the engine.\n"),
}  # fmt: skip
NEAR_ADA = {"ada", "acme", "2026-01-01-o"}


def test_what_is_unwanted_is_taken_away(make_kb: Make) -> None:
    """``-word`` takes away what holds the word, whatever else is asked for."""
    base = make_kb(
        {
            "entities/person/a.md": entity("a", "", name="x"),
            "entities/person/b.md": entity("b", "don't x", name="B x"),
            "entities/person/c.md": entity("c", "don't", name="C"),
        }
    )
    assert ask(base, "-x don’t") == ["c"]
    assert ask(base, '"don\'t" -x') == ["c"]


def test_entity_keeps_what_mentions_it(make_kb: Make) -> None:
    """Of observations, those that mention the entity; of entities, itself and those linked to it."""
    answer = search(make_kb(PEOPLE), "engine", entity="Ada")
    assert set(found(answer)) == NEAR_ADA
    assert answer.total == 3
    assert answer.resolved[0].entities[0].id == "ada"


def test_expand_adds_what_mentions_related_ones(make_kb: Make) -> None:
    """Over relations that expand, a hop's hits count 0.7 of their score, and the relation is named."""
    base = make_kb(PEOPLE)
    plain = search(base, "engine")
    answer = search(base, "engine", entity="ada", expand=True, explain=True)
    assert set(found(answer)) == {*NEAR_ADA, "2026-02-01-p"}
    hit = next(
        hit
        for hit in answer.results.hits
        if hit.observation and hit.observation.id == "2026-02-01-p"
    )
    full = next(
        hit
        for hit in plain.results.hits
        if hit.observation and hit.observation.id == "2026-02-01-p"
    )
    assert hit.score == pytest.approx(full.score * 0.7)
    assert [view.statement.id for view in hit.via] == ["r1"]
    with pytest.raises(UsageError, match="--expand"):
        search(base, "engine", expand=True)


@pytest.mark.parametrize(
    "how, expected",
    [
        ({"kind": "entity"}, {"ada", "acme", "far"}),
        ({"kind": "observation"}, {"2026-01-01-o", "2026-02-01-p", "2026-03-01-q"}),
        ({"kind": "email"}, {"2026-02-01-p"}),
        ({"selection": Selection(type="company")}, {"acme", "far"}),
        ({"selection": Selection(since="2026-02")}, {"ada", "2026-02-01-p", "2026-03-01-q"}),
        ({"selection": Selection(until="2026-01")}, {"ada", "2026-01-01-o"}),
        ({"selection": Selection(source="2026-01-01-o")}, {"ada", "2026-01-01-o"}),
        ({"selection": Selection(source="email")}, {"2026-02-01-p"}),
    ],
)
def test_filters(make_kb: Make, how: dict[str, Any], expected: set[str]) -> None:
    """A kind, a type, a window and a source each keep what has them; an entity's times are its statements'."""
    assert set(found(search(make_kb(PEOPLE), "engine", **how))) == expected


def test_limit_cuts_and_total_counts(make_kb: Make) -> None:
    """The total is of all hits, whatever is shown; a limit of 0 shows all."""
    base = make_kb(PEOPLE)
    answer = search(base, "engine", limit=2)
    assert (len(answer.results.hits), answer.total, answer.truncated) == (2, 6, True)
    answer = search(base, "engine", limit=0)
    assert (len(answer.results.hits), answer.total, answer.truncated) == (6, 6, False)


def test_nothing_holds_all(make_kb: Make) -> None:
    """Weak hits are offered as weak, and words that occur nowhere are named."""
    answer = search(make_kb(PEOPLE), "oiled zeppelin", explain=True)
    assert answer.results.is_weak
    assert ids(answer) == ["2026-01-01-o"]
    assert answer.results.nowhere == ("zeppelin",)
    assert answer.results.hits[0].share == 0.5
    assert answer.notes == (
        "nothing holds all 2 of what was asked for; these hold some of it",
        'occurs nowhere: "zeppelin"',
    )
    answer = search(make_kb(PEOPLE), "zeppelin")
    assert (ids(answer), answer.total, answer.notes[0]) == ([], 0, "nothing found")


def test_retracted_statements_are_not_searched(make_kb: Make) -> None:
    """What a statement said is not found once it is retracted."""
    lines = ("## Facts", "", "- title:: Keeper of engines (retracted) ^f1")
    assert (
        ask(make_kb({"entities/person/ada.md": entity("ada", *lines, name="Ada")}), "engines") == []
    )


def test_what_was_merged_is_found_as_its_survivor(make_kb: Make) -> None:
    """Words of a merged file and of its survivor's count as one entity's."""
    base = make_kb(
        {
            "entities/person/ada.md": entity("ada", "Oils engines.", name="Ada"),
            "entities/person/a-l.md": entity(
                "a-l", "Reads tables.", name="A. L.", merged_into="ada"
            ),
        }
    )
    assert ask(base, "engines tables") == ["ada"]


def test_highlights_are_what_was_asked_for(make_kb: Make) -> None:
    """Each range of an excerpt is a word or phrase that was asked for, in any form; the excerpt is one line."""
    base = make_kb(
        note("x " * 400 + "the Engines\nof a\n\nlarge  ship hum 東京駅 " + "y " * 400 + "\n")
    )
    answer = search(base, 'engine "large ship" 東京')
    excerpt = answer.results.hits[0].excerpt
    assert "\n" not in excerpt.text
    assert [excerpt.text[start:end] for start, end in excerpt.highlights] == [
        "Engines",
        "large ship",
        "東京",
    ]


def test_text_is_escaped_and_bold_only_where_asked(make_kb: Make) -> None:
    """What files say cannot steer the terminal; bold marks what was searched, on a terminal alone."""
    base = make_kb(note("an \x1b[2J engine\n"))
    answer: Answer[Any] = search(base, "engine")
    assert "\x1b" not in render_text(answer)
    bold = render_text(answer, True)
    assert "\x1b[1mengine\x1b[22m" in bold
    assert "\x1b" not in re.sub(r"\x1b\[(?:1|22)m", "", bold)


def test_json_is_a_contract(make_kb: Make) -> None:
    """Each hit says what it is, where it stands, and why."""
    answer: Answer[Any] = search(make_kb(PEOPLE), "oiled", explain=True)
    shown = answer_as_json(answer)
    (hit,) = shown["results"]
    assert hit["kind"] == "observation"
    assert hit["observation"] == {"id": "2026-01-01-o", "kind": "note", "title": "2026-01-01-o"}
    assert hit["excerpt"] == "Ada oiled the engine."
    assert hit["highlights"] == [[4, 9]]
    assert hit["statements"][0]["id"] == "f1"
    assert hit["explain"]["parts"][0]["text"] == "oiled"
    assert (shown["total"], shown["weak"], shown["nowhere"]) == (1, False, [])


def test_the_command_warns_on_standard_error(
    make_kb: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index that cannot be kept is a warning beside the answer, which stays clean; a bad query is wrong usage."""
    base = make_kb(PEOPLE)
    monkeypatch.setattr("kb.index.opening.why_distrusted", lambda _: "no trust")
    result = CliRunner().invoke(program, ["search", "oiled", "--root", base.root])
    assert result.exit_code == 0
    assert "no trust; searching in memory" in result.stderr
    assert "no trust" not in result.stdout
    with pytest.raises(BadQuery):
        CliRunner().invoke(
            program,
            ["search", "*", "--root", base.root],
            standalone_mode=False,
            catch_exceptions=False,
        )
