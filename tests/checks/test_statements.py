"""Statements: predicates, types, keys, values, hierarchies, causes, references."""

import re
import time

import pytest

from kb.checks import check_knowledge_base
from kb.checks.hierarchy import find_knots
from kb.edits.statement_words import read_word
from kb.edits.workspace import Workspace
from kb.errors import UsageError
from kb.model.statement import Section
from tests.checks.found import found, marked, said
from tests.conftest import entity, observation

SAID = {
    "observations/2026/01/2026-01-15-offsite.md": observation("2026-01-15-offsite", said_by="Dana")
}
CITE = "[^2026-01-15-offsite]"


def stating(
    *lines: str, section: str = "Relations", type: str | None = "person", **fields: str
) -> dict[str, str]:
    """Give Ada with some statements, and Bob, Cem, Northpeak and an untyped gate to relate her to."""
    return {
        "entities/ada.md": entity("ada", f"## {section}", "", *lines, type=type, **fields),
        "entities/bob.md": entity("bob"),
        "entities/cem.md": entity("cem"),
        "entities/gate.md": entity("gate", type=None),
        "entities/northpeak.md": entity("northpeak", type="company"),
        **SAID,
    }


def test_retired_statements_owe_nothing(make_kb) -> None:
    """A record that was wrong is retracted, not mended: what it says is not judged any more."""
    kb = make_kb(
        stating(
            "- reports-to:: [Ada](ada.md) (retracted)",
            "- reports-to:: [Northpeak](northpeak.md) (retracted)",
            "- custom:: [Bob](bob.md) (retracted)",
            "- caused-by:: [Bob](bob.md) (retracted)",
            "- possibly-caused-by:: [Bob](bob.md) (retracted)",
        )
    )
    assert found(kb) == []
    assert found(kb, "KB402") == []


def test_untyped_entities_are_admitted(make_kb) -> None:
    """A relation takes what has no type at either end."""
    assert found(make_kb(stating("- reports-to:: [Gate](gate.md)"))) == []
    assert found(make_kb(stating("- reports-to:: [Bob](bob.md)", type=None))) == []


def test_unknown_type_is_no_misfit_on_top(make_kb) -> None:
    """A type that the vocabulary lacks is one finding, not one at every relation too."""
    assert found(make_kb(stating("- reports-to:: [Bob](bob.md)", type="persn"))) == [
        "ada.md:3:7 KB205"
    ]


def test_misfit_is_told_at_the_end_that_does_not_fit(make_kb) -> None:
    """At the link where the object does not fit, at the predicate where the subject does not."""
    assert marked(make_kb(stating("- reports-to:: [N](northpeak.md)")), "KB207") == [
        "[N](northpeak.md)"
    ]
    assert marked(make_kb(stating("- manages:: [N](northpeak.md)")), "KB207") == [
        "[N](northpeak.md)"
    ]
    kb = make_kb(stating("- reports-to:: [Bob](bob.md)", type="company"))
    assert marked(kb, "KB207") == ["reports-to"]
    kb = make_kb(stating("- employs:: [N](northpeak.md)", type="person"))
    assert marked(kb, "KB207") == ["employs"]
    assert said(kb, "KB207")[0][0] == (
        '"works-for" leads from person to company, but "ada" is a person and "northpeak" is a company'
    )


def test_wider_types_admit_narrower_ones(make_kb) -> None:
    """A ticket may stand wherever a work may."""
    kb = make_kb(
        {
            "entities/t.md": entity(
                "t", "## Relations", "", "- blocks:: [T](t2.md)", type="ticket"
            ),
            "entities/t2.md": entity("t2", type="feature"),
        },
        config="kb: 1\ntypes:\n  ticket: {is: work}\n",
    )
    assert found(kb) == []


def test_redirected_files_are_checked_like_others(make_kb) -> None:
    """A redirect does not excuse the statements that its file keeps."""
    kb = make_kb(stating("- reprts-to:: [Bob](bob.md)", merged_into="cem"))
    assert found(kb) == ["ada.md:9:3 KB206"]


def test_guess_of_predicates_stays_in_the_section(make_kb) -> None:
    """The nearest word of the same section is offered."""
    assert said(make_kb(stating("- titel:: x", section="Facts")), "KB206") == [
        ('there is no fact "titel"', 'did you mean "title"?')
    ]


@pytest.mark.parametrize(
    "line, section",
    [
        ("- Fond_of:: [Bob](bob.md)", "Relations"),
        ("- budget:: 3", "Facts"),
        ("- größe:: 3", "Facts"),
        ("- on:: 3", "Facts"),
    ],
)
def test_the_line_that_makes_a_word_known_is_told(make_kb, line: str, section: str) -> None:
    """Where no word is near: by ``check`` and by the commands alike; in ``kb.yaml``, it does so."""
    kb = make_kb(stating(line, section=section))
    ((_, hint),) = said(kb, "KB206")
    word = line.split()[1].removesuffix("::")
    with pytest.raises(UsageError) as refused:
        read_word(Workspace(kb), word, Section(section.lower()))
    added, table = re.findall(r'add "(.+)" under "(.+):" in kb.yaml', hint)[0]
    assert refused.value.hint.endswith(f'add "{added}" under "{table}:" in kb.yaml')
    known = make_kb({}, config=f"kb: 1\n{table}:\n  {added}\n")
    assert found(known, "KB206", "KB904", "KB905") == []
    assert read_word(Workspace(known), word, Section(section.lower())).is_known
    with pytest.raises(UsageError) as refused:
        read_word(Workspace(kb), "a: b", Section(section.lower()))
    assert "letters and digits" in refused.value.hint


@pytest.mark.parametrize("bullet", ["-", "*", "  -", "-  "])
def test_predicate_is_marked_behind_any_bullet(make_kb, bullet: str) -> None:
    """The very word is marked, however the item is indented."""
    assert marked(make_kb(stating(f"{bullet} relatd :: [Bob](bob.md)")), "KB206") == ["relatd"]


@pytest.mark.parametrize(
    "key, type, word",
    [
        ("phone:+43 1 234", "person", "phone"),
        ("Tel:123", "contact", "Tel"),
        ("email:Info@x.example", "person", "Info@x.example"),
        ("email:no-reply+x@x.example", "person", "no-reply+x@x.example"),
        ("domain:GMAIL.com", "company", "GMAIL.com"),
        ("domain:northpeak.example", "person", "domain"),
        ("crm:4711", "company", "4711"),
        ("email:ada", "person", "ada"),
        ("email:ada l@x.example", "contact", "ada l@x.example"),
        ("email:@x.example", "contact", "@x.example"),
        ("domain:x.example/y", "company", "x.example/y"),
        ("domain:two words", "company", "two words"),
        ("email:mailto:Ada@x.example", "person", "mailto:Ada@x.example"),
        ("email:<ada@x.example>", "person", "<ada@x.example>"),
        ("github:https://github.com/ada", "person", "https://github.com/ada"),
        ("orcid:0000-0002-1825-0098", "person", "0000-0002-1825-0098"),
        ("email:\u0430da@x.example", "person", "\u0430da@x.example"),
    ],
)
def test_keys_that_do_not_fit(make_kb, key: str, type: str, word: str) -> None:
    """Phone numbers, no addresses, shared mailboxes, anybody's domains, foreign kinds, more than a key, look-alikes are no keys."""
    kb = make_kb(
        {"entities/x.md": entity("x", type=type, keys=f'["{key}"]')},
        config='kb: 1\nkeys:\n  crm: {pattern: "C-[0-9]+"}\n',
    )
    assert marked(kb, "KB210") == [word]
    assert len(found(kb)) == 1


@pytest.mark.parametrize(
    "key, type",
    [
        ("email:ada@localhost", "person"),
        ('email:\\"ada l\\"@x.example', "person"),
        ("email:ähm@müller.example", "person"),
        ("domain:intranet", "company"),
        ("domain:WWW.x.example.", "company"),
    ],
)
def test_keys_that_fit_by_a_hair(make_kb, key: str, type: str) -> None:
    """What mail may be delivered to is an address, and what a name server may know a domain."""
    assert found(make_kb({"entities/x.md": entity("x", type=type, keys=f'["{key}"]')})) == []


@pytest.mark.parametrize("pattern", ["(a|aa)+$", "(a+)+"])
def test_pattern_that_takes_too_long(make_kb, pattern: str) -> None:
    """A pattern never hangs the check; one without an answer is told once, and not tried on the next key."""
    values = ["a" * 60 + sign for sign in "!?"]
    kb = make_kb(
        {
            f"entities/{id}.md": entity(id, type="team", keys=f'["crm:{value}"]')
            for id, value in zip("xy", values, strict=True)
        },
        config=f'kb: 1\nkeys:\n  crm: {{pattern: "{pattern}"}}\n',
    )
    started = time.monotonic()
    told = marked(kb, "KB904")
    assert time.monotonic() - started < 20
    assert told == (values[:1] if pattern.endswith("$") else [])


@pytest.mark.parametrize(
    "key, type",
    [
        ("email:info@x.example", "contact"),
        ("email:info@x.example", "company"),
        ("email:infora@x.example", "person"),
        ("email:ada@gmail.com", "person"),
        ("domain:x.example", None),
        ("github:sales", "person"),
    ],
)
def test_keys_that_fit(make_kb, key: str, type: str | None) -> None:
    """A shared mailbox belongs to a contact, and a person may write from a free-mail address."""
    assert found(make_kb({"entities/x.md": entity("x", type=type, keys=f'["{key}"]')})) == []


@pytest.mark.parametrize(
    "kind, value, fits",
    [
        ("date", "2026-09", True),
        ("date", "2026-09-07T10:00Z", True),
        ("date", "7 September 2026", False),
        ("date", "2026-02-30", False),
        ("number", "-14.5", True),
        ("number", "14 docks", False),
        ("number", "1,000", False),
        ("url", "https://x.example/a", True),
        ("url", "<https://x.example/a>", True),
        ("url", "[page](https://x.example/a)", True),
        ("url", "x.example", False),
        ("url", "javascript:alert(1)", False),
    ],
)
def test_kinds_of_value(make_kb, kind: str, value: str, fits: bool) -> None:
    """A fact's value is what the vocabulary says it is."""
    kb = make_kb(
        stating(f"- thing:: {value} {CITE}", section="Facts"),
        config=f"kb: 1\nfacts:\n  thing: {{value: {kind}}}\n",
    )
    assert found(kb, "KB211") == ([] if fits else ["ada.md:8:11 KB211"])


@pytest.mark.parametrize(
    "first, second, is_contested",
    [
        ("A", "B", True),
        ("A", "A", False),
        ("A (2020/2022)", "B (2022/..)", False),
        ("A (2020/..)", "B (2026-06/..)", True),
        ("A (../2022)", "B", False),
        ("A (2030/..)", "B", False),
        ("A (retracted)", "B", False),
        ("A (superseded by ^b7h2r4tc)", "B ^b7h2r4tc", False),
    ],
)
def test_contested_values(make_kb, first: str, second: str, is_contested: bool) -> None:
    """Current values of a single-valued predicate contend where their times clash."""
    kb = make_kb(stating(f"- title:: {first}", f"- title:: {second}", section="Facts"))
    assert found(kb) == (["ada.md:9:11 KB216"] if is_contested else [])


def test_contest_is_one_finding_over_files_and_directions(make_kb) -> None:
    """A contest names all its places, wherever and from whichever end it was written."""
    files = stating("- reports-to:: [Bob](bob.md)")
    files["entities/cem.md"] = entity("cem", "## Relations", "", "- manages:: [Ada](ada.md)")
    (finding,) = (one for one in check_knowledge_base(make_kb(files)) if one.code == "KB216")
    assert (finding.path, [path for path, _ in finding.related]) == (
        "entities/cem.md",
        ["entities/ada.md"],
    )
    assert finding.message == '"reports-to" of "ada" is contested: "bob" and "cem"'


def test_merge_that_turns_a_relation_on_itself_is_no_self_relation(make_kb) -> None:
    """Such a statement is hidden and counted; only what the file itself says is a fault."""
    assert found(make_kb(stating("- related-to:: [Bob](bob.md)", merged_into="bob"))) == []


def test_cycle_is_told_once(make_kb) -> None:
    """A circle of any length is one finding, with its other statements as related places."""
    files = {
        f"entities/{id}.md": entity(
            id, "## Relations", "", f"- part-of:: [x]({other}.md)", type="team"
        )
        for id, other in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"))
    }
    (finding,) = (one for one in check_knowledge_base(make_kb(files)) if one.code == "KB218")
    assert finding.message == '"part-of" leads in a circle: a → b → c → a'
    assert [path for path, _ in finding.related] == ["entities/a.md", "entities/b.md"]


def test_ended_relations_close_no_circle(make_kb) -> None:
    """Who reported to whom once may be the other way round now."""
    files = stating(
        "- reports-to:: [Bob](bob.md) (2020/2022)", "- manages:: [Bob](bob.md) (2022/..)"
    )
    assert found(make_kb(files)) == []


def test_long_circle() -> None:
    """A circle of thousands is found without recursion, and what leads into it is no part of it."""
    edges = {f"e{n}": {f"e{(n + 1) % 5000}": None} for n in range(5000)}
    (knot,) = find_knots({**edges, "x": {"e0": None}})
    assert set(knot) == set(edges)


def test_knots_that_touch_in_one_direction_are_two() -> None:
    """Circles are one knot only where each leads back to the other."""
    edges = {"a": "b", "b": "ac", "c": "d", "d": "c", "e": "a"}
    assert find_knots({node: dict.fromkeys(others) for node, others in edges.items()}) == [
        ("c", "d"),
        ("a", "b"),
    ]


@pytest.mark.parametrize(
    "fields, qualifiers, is_founded",
    [
        ({"said_by": "bob"}, "", True),
        ({"said_by": "gate"}, "", True),
        ({"said_by": "Bob Stone"}, "", True),
        ({"said_by": "email:b@x.example"}, "", True),
        ({}, "", False),
        ({"said_by": "northpeak"}, "", False),
        ({"said_by": "domain:x.example"}, "", False),
        ({"said_by": "email:noreply@x.example"}, "", False),
        ({}, " (by bob)", True),
        ({"said_by": "bob"}, " (by northpeak)", False),
        ({"said_by": "bob"}, " (auto-high)", False),
    ],
)
def test_established_causes(
    make_kb, fields: dict[str, str], qualifiers: str, is_founded: bool
) -> None:
    """A cause is established by what a person said, never by a suggestion."""
    kb = make_kb(
        {
            **stating(f"- caused-by:: [Bob](bob.md){qualifiers} [^2026-01-16-call]"),
            "observations/2026/01/2026-01-16-call.md": observation("2026-01-16-call", **fields),
        }
    )
    assert found(kb) == (
        [] if is_founded else [f"ada.md:8:{30 if 'auto' in qualifiers else 3} KB215"]
    )


def test_uncited_cause_is_one_finding(make_kb) -> None:
    """An established cause without a source is an error, not a warning on top."""
    kb = make_kb(stating("- caused-by:: [Bob](bob.md)"))
    assert found(kb, "KB215", "KB402") == ["ada.md:8:3 KB215"]


def test_hypothesis_with_an_alternative(make_kb) -> None:
    """A hypothesis that names what speaks against it is fine."""
    lines = (f"- possibly-caused-by:: [Bob](bob.md) {CITE}", "  - prediction:: it happens again")
    assert found(make_kb(stating(*lines))) == []


def test_successors(make_kb) -> None:
    """'superseded by' takes an id of the file, or one that is unique; never the statement's own."""
    kb = make_kb(
        {
            **stating(
                "- title:: A (superseded by ^bbbbbbbb) ^aaaaaaaa",
                "- title:: B (superseded by ^cccccccc) ^bbbbbbbb",
                "- title:: C (superseded by ^dddddddd) ^eeeeeeee",
                "- title:: D (superseded by ^ffffffff) ^ffffffff",
                "- title:: E (superseded by ^bbbbbbbc) ^gggggggg",
                section="Facts",
            ),
            "entities/bob.md": entity(
                "bob", "## Facts", "", "- role:: x ^cccccccc", "- title:: x ^dddddddd"
            ),
            "entities/cem.md": entity("cem", "## Facts", "", "- role:: x ^dddddddd"),
        }
    )
    assert marked(kb, "KB318") == ["^dddddddd", "^ffffffff", "^bbbbbbbc"]
    assert said(kb, "KB318")[2] == ("no statement ^bbbbbbbc", 'did you mean "bbbbbbbb"?')


def test_uncited_place_and_citation(make_kb) -> None:
    """What is claimed is marked; a cited statement is fine."""
    kb = make_kb(stating(f"- title:: Head {CITE}", "- role:: lead — says who?", section="Facts"))
    assert marked(kb, "KB402") == ["role:: lead"]


def test_missing_observation_is_told_once_a_file(make_kb) -> None:
    """At its first citation; not at later ones, nor at the derived footnote."""
    kb = make_kb(
        stating(
            "- title:: Head [^2026-01-15-offsit]",
            "- role:: lead [^2026-01-15-offsit] [^2026-01-15-offsite]",
            "",
            "[^2026-01-15-offsit]: [Offsite](../observations/2026/01/2026-01-15-offsit.md)",
            section="Facts",
        )
    )
    assert found(kb) == ["ada.md:8:16 KB403"]
    assert said(kb, "KB403") == [
        ('no observation "2026-01-15-offsit"', 'did you mean "2026-01-15-offsite"?')
    ]


def test_footnote_of_the_authors_own_is_no_citation(make_kb) -> None:
    """A label that the author defined otherwise is explained."""
    kb = make_kb(stating("- title:: Head [^1]", "", "[^1]: Who's Who, page 7", section="Facts"))
    assert "a footnote of your own" in said(kb, "KB403")[0][1]


def test_broken_observation_is_not_missing(make_kb) -> None:
    """A citation of a file that does not parse is no second finding, and a quote from it is not judged."""
    path = "observations/2026/01/2026-01-15-offsite.md"
    kb = make_kb(
        {**stating(f'- title:: Head — "So." {CITE}', section="Facts"), path: "no frontmatter\n"}
    )
    assert found(kb) == ["2026-01-15-offsite.md:1:1 KB102"]


def test_duplicate_statement_ids(make_kb) -> None:
    """The statement that the id was minted for keeps it; the other one is told, with the keeper's place."""
    kb = make_kb(
        stating(f"- title:: A {CITE} ^aaaaaaaa", f"- role:: B {CITE} ^aaaaaaaa", section="Facts")
    )
    (finding,) = (one for one in check_knowledge_base(kb) if one.code == "KB317")
    assert (finding.span.line, finding.related[0][1].line) == (9, 8)
