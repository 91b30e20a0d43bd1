"""`kb import jsonl`: what each field becomes, what cannot be kept, and that a second run adds nothing."""

import fcntl
import json
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import networkx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.edits.format_files import format_files
from kb.edits.import_writes import iter_writing_order
from kb.edits.records import Import
from kb.edits.workspace import Refused
from kb.ingest.jsonl import import_jsonl, read_records
from kb.knowledge_base import KnowledgeBase, open_knowledge_base
from kb.model.names import fold
from kb.queries.show_observation import names_observation
from tests.conftest import NOW, entity, observation, write_kb

OBS = {
    "kind": "observation",
    "ref": "o/pep-1",
    "happened_at": "2000-06-13",
    "said_by": None,
    "title": "T",
    "text": "x\n",
}
ADA = {
    "kind": "entity",
    "ref": "person/ada",
    "type": "person",
    "name": "Ada",
    "keys": {},
    "aliases": [],
}
BOB = {**ADA, "ref": "person/bob", "name": "Bob"}
TEAM = {**ADA, "ref": "team/core", "type": "team", "name": "Core"}
MEMBER = {
    "kind": "relation",
    "subject": "person/ada",
    "predicate": "member_of",
    "object": "team/core",
    "source": "o/pep-1",
}
TITLE = {
    "kind": "fact",
    "subject": "person/ada",
    "predicate": "title",
    "value": "Head",
    "source": "o/pep-1",
}

Run = Callable[..., tuple[Import, KnowledgeBase]]

#: Any text, and often one of those that the statement syntax could take for its own.
_TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.lists(
        st.sampled_from(
            (
                "a",
                " ",
                "—",
                "(",
                ")",
                "2015",
                "[^x]",
                "^y",
                "`",
                "\\",
                "[",
                "]",
                "::",
                "&lt;",
                '"',
                "*",
                "_",
                "<",
                "#",
                "\n",
                "90%",
                "![",
                "](",
                ",",
            )
        ),
        max_size=9,
    ).map("".join),
)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Import records into a knowledge base, twice, and hand out the first result and what is there then."""
    root = write_kb(tmp_path / "kb", {})

    def imported(*records: object, add_words: bool = False) -> tuple[Import, KnowledgeBase]:
        source = tmp_path / "kb.jsonl"
        lines = [
            one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in records
        ]
        source.write_text("\n".join(lines), encoding="utf-8")
        done = import_jsonl(open_knowledge_base(str(root), NOW), str(source), add_words=add_words)
        base = open_knowledge_base(str(root), NOW)
        again = import_jsonl(base, str(source), add_words=add_words)
        assert (again.made, again.changed) == ((), ())
        assert not [found for found in base.corpus.diagnostics if found.severity is Severity.ERROR]
        formatting = format_files(base, check=True)
        assert (formatting.changed, formatting.skipped) == ((), ())
        return done, base

    return imported


def messages(done: Import) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in done.problems]


def only_time(base: KnowledgeBase) -> str | None:
    (statement,) = tuple(base.graph.iter_statements())
    return statement.interval.text if statement.interval else None


# -- entities and observations -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ref, name, id",
    [
        ("person/ukasz-langa", "Łukasz Langa", "lukasz-langa"),
        ("person/micha-gorny", "Michał Górny", "michal-gorny"),
        ("person/alexceleste", "Alex Eris Celeste née Gilding", "alexceleste"),
        ("document/pep-1", "PEP Purpose and Guidelines", "pep-1"),
        ("team/wg-rls-2.0", "RLS", "wg-rls-2-0"),
        ("person/..", "田中", "tianzhong"),
        ("person/con", "Con", "con-x"),
        ("person/../../evil", "E", "evil"),
    ],
)
def test_an_id_is_the_refs_last_part_made_safe(run: Run, ref: str, name: str, id: str) -> None:
    """The ref's last part gives the id, unless it lost letters of the name; the ref itself is kept."""
    _, base = run({**ADA, "ref": ref, "name": name})
    (file,) = base.corpus.entities
    assert (file.id, file.path, file.name) == (id, f"entities/person/{id}.md", name)
    assert ("import_ref", ref) in file.fields


def test_an_id_that_is_taken_gets_its_type(run: Run, tmp_path: Path) -> None:
    """The type, then a number, tells ids apart, and the change is reported."""
    write_kb(tmp_path / "kb", {"entities/x/core.md": entity("core", type="place")})
    done, base = run(TEAM, {**TEAM, "ref": "t/core", "name": "Another"})
    assert {file.id for file in base.corpus.entities} == {"core", "core-team", "core-team-2"}
    assert messages(done)[0] == (1, "the id core is taken: team/core is core-team")


@pytest.mark.parametrize(
    "there",
    [
        {},
        {"observations/2000/06/2000-06-13-pep-1.md": observation("2000-06-13-pep-1")},
        {"entities/person/2000-06-13-pep-1.md": entity("2000-06-13-pep-1")},
    ],
)
def test_an_id_is_an_entitys_or_an_observations(
    run: Run, tmp_path: Path, there: dict[str, str]
) -> None:
    """Ids that are there, of either kind, and those of the same import are taken for both: neither hides the other."""
    write_kb(tmp_path / "kb", there)
    _, base = run({**ADA, "ref": "person/2000-06-13-pep-1", "name": "P"}, OBS)
    ids = [file.id for file in (*base.corpus.entities, *base.corpus.observations)]
    assert len(ids) == len({*ids}) == len(there) + 2
    assert not [found for found in check_knowledge_base(base) if found.severity is Severity.ERROR]
    assert all(names_observation(base.graph, seen.id) for seen in base.corpus.observations)


@pytest.mark.parametrize(
    "called, ids",
    [
        ({"company/c-17": "Zedline", "place/zedline": "Zedline HQ"}, {"c-17", "zedline-place"}),
        ({"company/c-17": "ＺＥＤＬＩＮＥ", "x/zedline": "Zedline"}, {"c-17", "zedline-x"}),
        ({"x/guido": "Guido", "x/y/guido": "guido"}, {"guido", "guido-x"}),
        ({"x/guido": "Guido", "x/g-1": "Guido"}, {"g-1", "guido-x"}),
        ({"x/kim": "Ito", "x/ito": "Kim"}, {"ito-x", "kim-x"}),
        ({"x/kim-ito": "Kim Ito", "x/kim": "Kim"}, {"kim", "kim-ito"}),
        ({"x/c-17": "2026-01-02-hi"}, {"c-17"}),
        ({"x/2026-01-02-hi": "2026-01-02-Hi"}, {"2026-01-02-hi"}),
    ],
)
def test_an_id_is_no_other_records_name(
    tmp_path: Path, called: dict[str, str], ids: set[str]
) -> None:
    """In whatever order they come, of entities and observations alike. Of several called as their ids would be the first gets it."""
    records: list[dict[str, object]] = [
        {**ADA, "ref": ref, "type": ref.split("/")[0], "name": name} for ref, name in called.items()
    ]
    records.append({**OBS, "ref": "hi", "happened_at": "2026-01-02"})
    for number, order in enumerate(permutations(records)):
        root, source = write_kb(tmp_path / str(number), {}), tmp_path / "a.jsonl"
        source.write_text("\n".join(map(json.dumps, order)))
        import_jsonl(open_knowledge_base(str(root), NOW), str(source))
        graph = open_knowledge_base(str(root), NOW).graph
        assert {*graph.entities} == ids
        for id in (*graph.entities, *graph.observations):
            borne = [one for one in graph.entities.values() if id in map(fold, one.names)]
            assert id in (one.id for one in borne) or not borne


def test_a_name_whose_id_a_broken_file_claims_is_no_observations_id(tmp_path: Path) -> None:
    """The entity gets another id, and is called so all the same."""
    broken = entity("hi", name="[Hi").replace("id: hi", "id: 'hi'")
    root, source = write_kb(tmp_path / "kb", {"entities/x/a.md": broken}), tmp_path / "a.jsonl"
    records = ({**ADA, "ref": "x/hi", "name": "Hi"}, {**OBS, "ref": "hi", "happened_at": None})
    source.write_text("\n".join(map(json.dumps, records)))
    import_jsonl(open_knowledge_base(str(root), NOW), str(source))
    graph = open_knowledge_base(str(root), NOW).graph
    assert ({*graph.entities} - {"a"}, {*graph.observations}) == ({"hi-person"}, {"hi-2"})


def test_keys_aliases_and_dates_are_kept(run: Run) -> None:
    """Keys, aliases, a moment with its offset and the text's line ends stand in the files as in the source."""
    keys = {"email": ["a@b.example"], "url": ["https://b.example/a: b"]}
    moment = {
        **OBS,
        "happened_at": "2018-11-04T21:28:43+01:00",
        "said_by": "person/ada",
        "text": "a\r\nb\r\n",
    }
    _, base = run({**ADA, "keys": keys, "aliases": ["NO", "A. L."]}, moment)
    (file,) = base.corpus.entities
    assert [key.text for key in file.keys] == ["email:a@b.example", "url:https://b.example/a: b"]
    assert [alias.text for alias in file.aliases] == ["NO", "A. L."]
    (seen,) = base.corpus.observations
    assert (seen.id, seen.kind, seen.said_by, seen.is_sealed) == (
        "2018-11-04-pep-1",
        "import",
        "ada",
        True,
    )
    assert seen.happened_at is not None
    assert seen.happened_at.text == "2018-11-04T21:28:43+01:00"
    assert seen.body == "\r\na\r\nb\r\n"


def test_an_observations_id_begins_with_its_date(run: Run) -> None:
    """The date gives id and folder; an observation without one is filed as undated."""
    _, base = run(
        OBS,
        {**OBS, "ref": "p/pep-1", "happened_at": "2000-06-13"},
        {**OBS, "ref": "u", "happened_at": None},
    )
    assert sorted(seen.path for seen in base.corpus.observations) == [
        "observations/2000/06/2000-06-13-pep-1-2.md",
        "observations/2000/06/2000-06-13-pep-1.md",
        "observations/undated/u.md",
    ]


# -- statements --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "since, until, time",
    [
        ("2019-01-01", None, "2019-01-01/.."),
        ("2019-01-01", "2019-03-31", "2019-01-01/2019-03-30"),
        ("2019-01-01", "2019-03-01", "2019-01-01/2019-02-28"),
        ("2018", "2019", "2018/2018"),
        ("2018-11", "2019-01", "2018-11/2018-12"),
        ("2019-01-01", "2019-03-31T12:00:00Z", "2019-01-01/2019-03-31T12:00:00Z"),
        ("2019-01-01", "2019-01-01", "2019-01-01/2019-01-01"),
        ("2019-03-15", "2019-03", "2019-03-15/2019-03"),
        (None, "2019-03-31", "/2019-03-30"),
        (None, None, None),
        ("2019-13-01", None, None),
        ("2019-01-01", "2018-01-01", None),
        ("2019-01-01", "soon", "2019-01-01/"),
        ("2019-01-01T10:00:00", None, "2019-01-01/.."),
    ],
)
def test_until_is_exclusive(
    run: Run, since: str | None, until: str | None, time: str | None
) -> None:
    """The last day is the one before "until", at the precision that it is written in."""
    _, base = run(ADA, TEAM, {**MEMBER, "since": since, "until": until, "source": None})
    assert only_time(base) == time


def test_what_is_odd_about_times_is_reported(run: Run) -> None:
    """An empty period is kept as its one day, and that is said."""
    done, _ = run(ADA, TEAM, OBS, {**MEMBER, "since": "2019-01-01", "until": "2019-01-01"})
    assert messages(done) == [(4, '"since" and "until" are both 2019-01-01: kept as that one day')]


def test_a_fact_at_a_time_is_an_event(run: Run) -> None:
    """The field "at" is a single date, with no open end."""
    _, base = run(ADA, OBS, {**TITLE, "at": "2019-01-01"})
    assert only_time(base) == "2019-01-01"


def test_a_statement_gets_an_id_a_citation_and_its_definition(run: Run) -> None:
    """A new statement is as complete as after formatting, and its note stays text."""
    _, base = run(
        ADA, TEAM, OBS, {**MEMBER, "since": "2019", "confidence": 0.9, "text": "as [^x] said ^y"}
    )
    (statement,) = tuple(base.graph.iter_statements())
    assert (statement.predicate, statement.object, statement.confidence) == (
        "member-of",
        "core",
        90,
    )
    assert (statement.note, statement.observations) == ("as [^x] said ^y", ("2000-06-13-pep-1",))
    assert not statement.is_provisional
    text = (Path(base.root) / statement.path).read_text()
    assert (
        "\n[^2000-06-13-pep-1]: [T, 2000-06-13](../../observations/2000/06/2000-06-13-pep-1.md)\n"
        in text
    )


def test_one_end_is_stored_in_the_canonical_direction(run: Run) -> None:
    """An inverse is stored at the other end, a symmetric relation at the end whose id comes first."""
    _, base = run(
        ADA,
        BOB,
        {**MEMBER, "predicate": "mentored_by", "object": "person/bob", "source": None},
        {
            **MEMBER,
            "predicate": "meets-with",
            "subject": "person/bob",
            "object": "person/ada",
            "source": None,
        },
    )
    stored = {(s.file_id, s.predicate, s.subject, s.object) for s in base.graph.iter_statements()}
    assert stored == {("bob", "mentors", "bob", "ada"), ("ada", "meets-with", "ada", "bob")}


def test_said_by_becomes_by_only_for_an_entity(run: Run) -> None:
    """A speaker that is no entity is reported and left out."""
    fact = {**TITLE, "value": "A", "said_by": "person/bob"}
    done, base = run(ADA, BOB, OBS, fact, {**TITLE, "value": "B", "said_by": "Somebody"})
    assert {(s.value, s.by) for s in base.graph.iter_statements()} == {("A", "bob"), ("B", None)}
    assert messages(done) == [(5, 'said_by "Somebody" is no entity and is not kept')]


def test_identical_records_are_one_statement(run: Run) -> None:
    """Records that say the same become one statement, which cites the sources of all."""
    other = {**OBS, "ref": "o/pep-2"}
    done, base = run(ADA, OBS, other, TITLE, TITLE, {**TITLE, "source": ["o/pep-1", "o/pep-2"]})
    (statement,) = tuple(base.graph.iter_statements())
    assert done.identical == 2
    assert statement.observations == ("2000-06-13-pep-1", "2000-06-13-pep-2")
    assert messages(done)[0] == (5, "line 4 is identical: one statement is kept")


def test_disjoint_periods_stay_apart(run: Run) -> None:
    """Two periods of one relation are two statements."""
    first = {**MEMBER, "since": "2024-01-01", "until": "2024-06-01"}
    _, base = run(ADA, TEAM, OBS, first, {**MEMBER, "since": "2026-01-01"})
    assert [s.interval.text for s in base.graph.iter_statements() if s.interval] == [
        "2024-01-01/2024-05-31",
        "2026-01-01/..",
    ]


@pytest.mark.parametrize(
    "value", ["VP (acting) — EMEA", "x [^a]", "y ^abc", "`q", "(2015)", "a\\*b", "- [ ] z", "&amp;"]
)
def test_any_value_reads_back(run: Run, value: str) -> None:
    """A value reads back as the source has it, whatever signs it holds."""
    _, base = run(ADA, OBS, {**TITLE, "value": value})
    assert [statement.value for statement in base.graph.iter_statements()] == [value]


def test_a_note_in_quotes_that_no_source_holds_loses_them(run: Run) -> None:
    """Quotes mean verbatim, so a text that no source holds is kept without them, and that is said."""
    held, other = {**TITLE, "text": '"x"'}, {**TITLE, "value": "B", "text": '"not there"'}
    done, base = run(ADA, {**OBS, "text": "so x it is"}, held, other)
    assert {statement.note for statement in base.graph.iter_statements()} == {'"x"', "not there"}
    assert messages(done) == [(4, "its text stands in quotes and in no source: kept without them")]


# -- a second run ------------------------------------------------------------------------------------------------


def test_only_what_is_new_is_added_and_no_line_moves(run: Run) -> None:
    """A second import adds new statements between lines that stay as they are."""
    old, new = {**MEMBER, "since": "2020"}, {**MEMBER, "since": "2019", "source": "o/pep-2"}
    _, base = run(ADA, TEAM, OBS, old, TITLE)
    path = Path(base.root) / "entities/person/ada.md"
    path.write_text(path.read_text().replace("---\n\n## Rel", "---\n\nMine.\n\n## Rel"))
    before = path.read_text().splitlines()
    done, base = run(ADA, TEAM, OBS, old, TITLE, {**OBS, "ref": "o/pep-2"}, new)
    assert (done.relations.made, done.relations.there, done.facts.there) == (1, 1, 1)
    assert done.changed == ("entities/person/ada.md",)
    after = path.read_text().splitlines()
    assert [line for line in after if line and line in before] == [line for line in before if line]
    assert [s.interval.text for s in base.graph.iter_statements() if s.interval] == [
        "2019/..",
        "2020/..",
    ]


def test_what_was_edited_by_hand_stays_and_is_reported(run: Run) -> None:
    """What the files say otherwise than the source is not overwritten."""
    _, base = run(ADA, TEAM, OBS, {**MEMBER, "since": "2020"})
    path = Path(base.root) / "entities/person/ada.md"
    path.write_text(path.read_text().replace("2020/..", "2020/2021"))
    done, _ = run({**ADA, "aliases": ["Countess"]}, TEAM, OBS, {**MEMBER, "since": "2020"})
    assert done.changed == ()
    assert "lacks Countess" in messages(done)[0][1]
    assert "another end" in messages(done)[1][1]


def test_after_a_merge_new_statements_go_to_the_survivor(run: Run) -> None:
    """A ref of an entity that was merged stands for the one that it was merged into."""
    _, base = run(ADA, BOB, OBS, TITLE)
    path = Path(base.root) / "entities/person/ada.md"
    path.write_text(path.read_text().replace("import_ref", "merged_into: bob\nimport_ref"))
    done, base = run(ADA, BOB, OBS, TITLE, {**TITLE, "value": "Chair"})
    assert done.changed == ("entities/person/bob.md",)
    assert done.facts.there == 1


def test_a_broken_file_is_not_made_a_second_time(run: Run, tmp_path: Path) -> None:
    """A file that does not parse still holds its ref: nothing is written for it."""
    write_kb(
        tmp_path / "kb", {"entities/person/ada.md": "---\nid: [ada\nimport_ref: person/ada\n---\n"}
    )
    source = tmp_path / "kb.jsonl"
    source.write_text("\n".join(map(json.dumps, (ADA, TITLE))))
    done = import_jsonl(open_knowledge_base(str(tmp_path / "kb"), NOW), str(source))
    assert (done.made, done.changed, done.unresolved) == ((), (), 1)


def test_a_key_that_somebody_bears_is_reported(run: Run, tmp_path: Path) -> None:
    """Both are kept, since refs say who is who; a phone number, which several may share, says nothing."""
    keys = {"email": "ADA@x.example", "phone": "+1 202 555 0100"}
    ada = entity("ada-l", keys="[email:ada@x.example, 'phone:+1 202 555 0100']")
    write_kb(tmp_path / "kb", {"entities/person/ada-l.md": ada})
    done, base = run({**ADA, "keys": keys}, {**BOB, "keys": {"email": "bob@x.example"}})
    (message,) = (text for line, text in messages(done) if line == 1)
    assert message.startswith("email:ADA@x.example of person/ada is a key of ada-l too")
    assert {"ada", "ada-l", "bob"} == {*base.graph.entities}


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    """A dry run counts as a real one does."""
    root = write_kb(tmp_path / "kb", {})
    (tmp_path / "kb.jsonl").write_text("\n".join(map(json.dumps, (ADA, OBS, TITLE))))
    done = import_jsonl(
        open_knowledge_base(str(root), NOW), str(tmp_path / "kb.jsonl"), dry_run=True
    )
    assert (done.entities.made, done.observations.made, done.facts.made, done.is_written) == (
        1,
        1,
        1,
        False,
    )
    assert sorted(path.name for path in root.rglob("*")) == ["kb.yaml"]


# -- words -------------------------------------------------------------------------------------------------------


def test_words_that_are_lacking_are_listed_and_added_on_request(run: Run, tmp_path: Path) -> None:
    """Unknown words are listed with the types that they were used with, and written only on request."""
    group = {**TEAM, "type": "working-group", "keys": {"matrix": ["#a"]}}
    records = (
        ADA,
        group,
        OBS,
        {**MEMBER, "predicate": "alumni_of"},
        {**TITLE, "predicate": "topic"},
    )
    done, _ = run(*records)
    assert [(word.table, word.name, word.form) for word in done.words] == [
        ("types", "working-group", "{is: team}"),
        ("keys", "matrix", "{types: [working-group]}"),
        ("relations", "alumni-of", "{from: [person], to: [working-group]}"),
        ("facts", "topic", "{}"),
    ]
    assert (tmp_path / "kb/kb.yaml").read_text() == "kb: 1\nname: Test\n"
    source = tmp_path / "kb.jsonl"
    done = import_jsonl(open_knowledge_base(str(tmp_path / "kb"), NOW), str(source), add_words=True)
    assert done.changed == ("kb.yaml",)
    assert (
        (tmp_path / "kb/kb.yaml")
        .read_text()
        .startswith("kb: 1\nname: Test\n\ntypes:\n  working-group: {is: team}\n")
    )


# -- lines that are not as they should be ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line, message",
    [
        ("nonsense", "no JSON"),
        ("[1", "no JSON"),
        ("7", "not an object"),
        ('{"kind": "thing"}', 'the kind "thing" is unknown'),
        ('{"type": "entity", "name": "A"}', '"kind" is missing'),
        ({**ADA, "ref": None}, '"ref" is missing'),
        ({**ADA, "nick": "x"}, "nothing reads 'nick'"),
        ({**ADA, "keys": ["a"]}, '"keys" must be an object'),
        ({**ADA, "keys": {"a b": ["c"]}}, "is no kind of key"),
        ({**ADA, "name": "A\nB"}, "line ends or odd white space"),
        ({**TITLE, "subject": "person/ghost"}, "person/ghost: no entity has that ref"),
        ({**MEMBER, "object": "team/ghost"}, "team/ghost: no entity has that ref"),
        ({**TITLE, "source": "o/ghost"}, "source o/ghost: no observation"),
        ({**TITLE, "value": None}, '"value" is missing'),
        ({**TITLE, "value": {"a": 1}}, '"value" must be a text'),
        ({**TITLE, "predicate": "::"}, "is no predicate"),
        ({**TITLE, "at": "12.03.2024"}, '"at" is not kept'),
        ({**TITLE, "confidence": 700}, '"confidence" 700'),
        ('{"kind": "fact", "kind": "fact"}', "stands twice"),
        (
            '{"kind": "entity", "ref": "person/x", "type": "person", "name": "\\ud800"}',
            "half a character",
        ),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_bad_line_is_reported_by_number_and_costs_nothing_else(
    run: Run, line: object, message: str
) -> None:
    """The lines around a bad one are imported."""
    done, base = run({**BOB, "ref": "person/ada", "name": "Ada"}, OBS, line, TEAM)
    assert {number for number, text in messages(done) if message in text} == {3}, messages(done)
    assert {"ada", "core"} <= {file.id for file in base.corpus.entities}


def test_a_half_written_last_line_and_two_objects_on_one(run: Run) -> None:
    """Every whole object is read, wherever it stands, and both oddities are reported."""
    done, base = run(json.dumps(ADA) + json.dumps(BOB), "", TEAM, '{"kind": "entity", "re')
    assert {file.id for file in base.corpus.entities} == {"ada", "bob", "core"}
    assert [line for line, _ in messages(done)] == [1, 4]
    assert "half-written" in messages(done)[1][1]


def test_a_ref_that_stands_twice_counts_once(run: Run) -> None:
    """The first record of a ref is kept, the others are reported."""
    done, base = run(ADA, ADA, {**ADA, "name": "Other"}, OBS, {**OBS, "text": "y"})
    assert [file.name for file in base.corpus.entities] == ["Ada"]
    assert [line for line, _ in messages(done)] == [2, 3, 5]


def test_a_bom_an_array_and_bytes_that_are_no_utf8_are_read() -> None:
    """Each record is read with the number of its line, and bytes that are no UTF-8 are replaced and reported."""
    line = json.dumps(ADA).encode()
    assert len(read_records(b"\xef\xbb\xbf" + line + b"\r\n").entities) == 1
    array = read_records(
        b"[\n" + line + b',\n {"kind": \n' + b"{},\n" + json.dumps(TEAM).encode() + b"\n]"
    )
    assert [(record.line, record.ref) for record in array.entities] == [
        (2, "person/ada"),
        (5, "team/core"),
    ]
    broken = read_records(line.replace(b"Ada", b"\xff") + b"\n" + json.dumps(TEAM).encode())
    assert [record.name for record in broken.entities] == ["\ufffd", "Core"]
    assert broken.problems[0].line == 1


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(_TEXTS, _TEXTS), min_size=1, max_size=8), _TEXTS, _TEXTS)
def test_any_texts_are_kept_or_reported(
    tmp_path: Path, pairs: list[tuple[str, str]], name: str, title: str
) -> None:
    """Whatever the texts, each record becomes a clean statement or is reported, and a second run adds nothing."""
    root = tmp_path / f"kb-{len(list(tmp_path.iterdir()))}"
    write_kb(root, {})
    facts = [{**TITLE, "value": value, "text": note} for value, note in pairs]
    relation = {
        **MEMBER,
        "subject": "team/core",
        "object": "person/ada",
        "predicate": "related-to",
        "text": title,
    }
    records = ({**ADA, "name": name}, TEAM, {**OBS, "title": title, "text": name}, relation, *facts)
    source = tmp_path / "kb.jsonl"
    source.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    done = import_jsonl(open_knowledge_base(str(root), NOW), str(source))
    base = open_knowledge_base(str(root), NOW)
    assert not [found for found in base.corpus.diagnostics if found.severity is Severity.ERROR]
    kept = done.facts.made + done.identical
    missing = [
        text for _, text in messages(done) if "is missing" in text or "cannot be written" in text
    ]
    assert kept + len(missing) >= len(facts)
    assert len(tuple(base.graph.iter_statements())) == done.facts.made + done.relations.made
    assert not any(statement.is_provisional for statement in tuple(base.graph.iter_statements()))
    again = import_jsonl(base, str(source))
    assert (again.made, again.changed) == ((), ())
    assert format_files(base, check=True).changed == ()


def test_a_long_title_does_not_hide_the_ref(run: Run) -> None:
    """An observation is found again by its ref, however long the fields before it are."""
    done, _ = run({**OBS, "title": "t" * 20_000})
    assert len(done.made) == 1


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize(
    "config",
    ["kb: 1\n  bad: [\n", "kb: 99\n", "kb: 1\n<<<<<<< a\nname: A\n=======\n>>>>>>> b\n", None],
)
def test_nothing_is_imported_under_a_configuration_that_cannot_be_read(
    tmp_path: Path, config: str | None, dry_run: bool
) -> None:
    """Words would be read otherwise, were kb.yaml damaged or (``None``) a link: refused, before anything is planned."""
    root = write_kb(tmp_path / "kb", {}, config or "kb: 1\n")
    if config is None:
        (root / "kb.yaml").rename(tmp_path / "kb.yaml")
        (root / "kb.yaml").symlink_to(tmp_path / "kb.yaml")
    source = tmp_path / "kb.jsonl"
    source.write_text(json.dumps({**ADA, "type": "wizard"}), encoding="utf-8")
    base = open_knowledge_base(str(root), NOW)
    with pytest.raises(Refused, match=r"kb\.yaml"):
        import_jsonl(base, str(source), add_words=True, dry_run=dry_run)
    assert sorted(path.name for path in root.rglob("*")) == ["kb.yaml"]


# -- what is lost ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "record, lost",
    [
        (TITLE, 0),
        ({**TITLE, "confidence": 700, "said_by": "Somebody"}, 0),
        (ADA, 0),
        ("nonsense", 1),
        ({"kind": "fact"}, 1),
        ({"kind": "thing"}, 1),
        ({**MEMBER, "subject": "a/b", "object": "c/d"}, 1),
        ({**ADA, "name": "Other"}, 1),
        ({**OBS, "text": "other"}, 1),
        ({**TITLE, "predicate": "::"}, 1),
    ],
)
def test_lost_records_are_counted_once(run: Run, record: object, lost: int) -> None:
    """Lost is a record that is not kept, whatever it lacks; one that is kept otherwise is not."""
    done, _ = run(ADA, TEAM, OBS, record)
    assert done.lost == lost


def test_files_that_cannot_be_written_are_lost_and_not_counted(tmp_path: Path) -> None:
    """Counts are of what was written: a file in whose place something lies is none, nor what it would say."""
    root = write_kb(tmp_path / "kb", {})
    (tmp_path / "elsewhere").mkdir()
    (root / "entities").mkdir(exist_ok=True)
    (root / "entities/person").symlink_to(tmp_path / "elsewhere")
    source = tmp_path / "kb.jsonl"
    source.write_text("\n".join(map(json.dumps, (ADA, TEAM, OBS, TITLE))), encoding="utf-8")
    done = import_jsonl(open_knowledge_base(str(root), NOW), str(source))
    assert (done.entities.made, done.observations.made, done.facts.made) == (1, 1, 0)
    assert [path.split("/")[1] for path in done.made] == ["2000", "team"]
    assert done.lost == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


#: Two who name each other, one who names both, one who is named by nobody, and a source for each way to cite.
_KNOTTED = (
    ADA,
    BOB,
    {**ADA, "ref": "person/cy", "name": "Cy"},
    TEAM,
    OBS,
    {**OBS, "ref": "o/pep-2"},
    MEMBER,
    TITLE,
    {**MEMBER, "predicate": "reports-to", "object": "person/bob"},
    {**MEMBER, "subject": "person/bob", "predicate": "mentors", "object": "person/ada"},
    {**MEMBER, "subject": "person/cy", "predicate": "reports-to", "source": "o/pep-2", "object": "person/bob"},
    {**TITLE, "subject": "person/cy", "source": ["o/pep-1", "o/pep-2"], "said_by": "person/ada"},
    {**MEMBER, "subject": "team/old", "predicate": "part-of"},
    {**TITLE, "subject": "team/old", "predicate": "status", "value": "old"},
)  # fmt: skip


def _lines_of(root: Path) -> dict[str, list[bytes]]:
    """Give the lines of each file; definitions stand in the order in which sources were cited first."""
    return {
        path.relative_to(root).as_posix(): sorted(path.read_bytes().splitlines())
        for path in root.rglob("*.md")
        if path.is_file()
    }


@pytest.mark.parametrize("number", range(7))
def test_what_could_not_be_written_is_referred_to_by_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Whichever file cannot be written, what is written is sound, the rest is reported, and the same import adds it, once."""
    source = tmp_path / "kb.jsonl"
    source.write_text("\n".join(map(json.dumps, _KNOTTED)), encoding="utf-8")
    there = {"entities/team/old.md": entity("old", type="team", import_ref="team/old")}
    clean, root = (write_kb(tmp_path / name, there) for name in ("clean", "kb"))
    whole = import_jsonl(open_knowledge_base(str(clean), NOW), str(source))
    assert (whole.lost, len(whole.made), whole.changed) == (0, 6, (*there,))
    path = (*whole.made, *whole.changed)[number]
    base = open_knowledge_base(str(root), NOW)
    saved = (root / path).read_bytes() if path in there else None

    def lock(*arguments: Any) -> None:
        # By then all is planned: what lay there before would have been gone round.
        flock(*arguments)
        (root / path).unlink(missing_ok=True)
        (root / path).mkdir(parents=True)

    flock = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", lock)
    done = import_jsonl(base, str(source))
    monkeypatch.undo()
    left = len(whole.made) + len(whole.changed) - len(done.made) - len(done.changed)
    assert 0 < left <= done.lost
    (root / path).rmdir()
    if saved is not None:
        (root / path).write_bytes(saved)
    base = open_knowledge_base(str(root), NOW)
    found = check_knowledge_base(base)
    assert [one for one in found if one.severity is Severity.ERROR] == []
    assert import_jsonl(base, str(source)).lost == 0
    assert _lines_of(root) == _lines_of(clean)


@given(st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdefxy"))))
def test_what_is_needed_is_written_first(needs: dict[str, set[str]]) -> None:
    """Each comes whole once, after all that it needs; those that need each other, and no others, come without before."""
    links = [(id, other) for id in needs for other in needs[id] & needs.keys()]
    graph = networkx.DiGraph(links)
    graph.add_nodes_from(needs)
    circle_of = {
        id: group for group in networkx.strongly_connected_components(graph) for id in group
    }
    bare: set[str] = set()
    whole: set[str] = set()
    for id, is_bare in iter_writing_order(needs):
        assert id not in whole
        if is_bare:
            assert id not in bare
            bare.add(id)
        else:
            needed = needs[id] & needs.keys() - {id}
            assert needed - circle_of[id] <= whole
            assert needed & circle_of[id] <= bare
            whole.add(id)
    assert whole == needs.keys()
    assert bare == {id for id in needs if len(circle_of[id]) > 1}


def test_a_long_chain_is_no_deep_one() -> None:
    """However many need one another in a row, or all in one circle, the order is found."""
    chain = {str(number): {str(number + 1)} for number in range(20_000)}
    last = list(iter_writing_order(chain))
    assert (len(last), last[0], last[-1]) == (20_000, ("19999", False), ("0", False))
    assert len(list(iter_writing_order({**chain, "19999": {"0"}}))) == 40_000


def test_quotes_stay_where_check_finds_them(run: Run) -> None:
    """A text in quotes is proved as by check: letters composed or not, the source's Markdown escaped or not."""
    said = {**OBS, "text": "Cafe\u0301 \\*one\\*  &amp; more"}
    notes = ['"Caf\u00e9"', '"*one* & more"']
    facts = [
        {**TITLE, "value": value, "text": note} for value, note in zip("AB", notes, strict=True)
    ]
    done, base = run(ADA, said, *facts)
    assert messages(done) == []
    assert [statement.note for statement in base.graph.iter_statements()] == notes
    assert "KB404" not in {finding.code for finding in check_knowledge_base(base)}
