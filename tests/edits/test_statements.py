"""Statements through edits: said at their canonical place, added to, ended, superseded, cited; each reply says what was done."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kb.checks import check_knowledge_base
from kb.edits import apply
from kb.edits.apply import Applied, WriteOptions, apply_edit
from kb.edits.decisions import plan_decide
from kb.edits.edit import Edit
from kb.edits.relate import Saying, plan_fact, plan_relate
from kb.edits.retire import plan_cite, plan_confirm, plan_retire, plan_unrelate
from kb.edits.undo import undo_last
from kb.edits.workspace import InUse, Refused, Workspace
from kb.errors import KbError, UsageError
from kb.knowledge_base import open_knowledge_base
from tests.conftest import NOW, entity, git, observation, write_kb
from tests.edits.editing import WHY
from tests.syntax.test_bad_files import FILES

ADA, BOB, CAY = (f"entities/person/{id}.md" for id in ("ada", "bob", "cay"))
ACME = "entities/company/acme.md"
SEEN, LATER = "observations/2026/01/2026-01-15-seen.md", "observations/2026/03/2026-03-02-later.md"
SAID = "2026-01-15-seen"
CONFIG = "kb: 1\nfacts:\n  budget: {value: number}\n  home: {value: url}\n  launch: {value: date, single: true}\n"


def base(root: Path, *lines: str, config: str = CONFIG, **files: str) -> Path:
    """Three people, a company, two observations; the lines are Ada's body."""
    return write_kb(
        root,
        {
            ADA: entity("ada", *lines, name="Ada"),
            BOB: entity("bob", name="Bob"),
            CAY: entity("cay", name="Cay"),
            ACME: entity("acme", name="Acme", type="company"),
            SEEN: observation(SAID, "Ada reports to Bob.\n", said_by="bob", title="Seen"),
            LATER: observation("2026-03-02-later", "So it is.\n", title="Later"),
            **files,
        },
        config,
    )


def do(root: Path, plan: apply.Plan, **options: object) -> Applied:
    """Apply an edit."""
    return apply_edit(str(root), NOW, plan, WriteOptions(**options))  # type: ignore[arg-type]


def relate(root: Path, subject: str, predicate: str, object: str, **said: object) -> Applied:
    """Relate two entities; the first observation is cited unless another source is given."""
    saying = _saying(said)
    return do(root, lambda workspace: plan_relate(workspace, subject, predicate, object, saying))


def fact(root: Path, subject: str, predicate: str, value: str, **said: object) -> Applied:
    """Say a fact."""
    saying = _saying(said)
    return do(root, lambda workspace: plan_fact(workspace, subject, predicate, value, saying))


def _saying(said: dict[str, object]) -> Saying:
    if "said" not in said:
        said.setdefault("observations", (SAID,))
    return Saying(**said)  # type: ignore[arg-type]


def retire(root: Path, id: str, **how: object) -> Applied:
    """Retire a statement."""
    return do(root, lambda workspace: plan_retire(workspace, id, **how))  # type: ignore[arg-type]


def unrelate(root: Path, *ends: str, until: str = "", delete: bool = False) -> Applied:
    """Unrelate two entities."""
    return do(root, lambda workspace: plan_unrelate(workspace, *ends, until, delete))


def items(root: Path, path: str = ADA) -> list[str]:
    """List the items of a file, without their ids."""
    lines = (root / path).read_text().splitlines()
    return [line.rpartition(" ^")[0] or line for line in lines if line.startswith("- ")]


def id_of(done: Applied) -> str:
    return f"^{done.edit.statements[0].id}"


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.md"))}


# -- relate ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ends",
    [("ada", "reports-to", "bob"), ("bob", "manages", "ada"), ("Bob", "Manages", "Ada")],
)
def test_a_relation_is_stored_at_its_canonical_subject(
    tmp_path: Path, ends: tuple[str, ...]
) -> None:
    """Whoever is named first, the statement stands at the subject of the canonical direction, with its definition."""
    root = base(tmp_path)
    done = relate(root, *ends, since="2026-01")
    line = f"- reports-to:: [Bob](bob.md) (2026-01/..) [^{SAID}]"
    assert items(root) == [line]
    assert done.edit.changes[0].path == ADA
    assert done.edit.entities == ("ada", "bob")
    tail = f"{line} {id_of(done)}\n\n[^{SAID}]: [Seen, 2026-01-15](../../{SEEN})"
    assert (root / ADA).read_text().rstrip().endswith(f"## Relations\n\n{tail}")


def test_a_symmetric_relation_stands_at_the_lesser_id(tmp_path: Path) -> None:
    """Said from either end, it is one statement."""
    root = base(tmp_path)
    relate(root, "cay", "collaborates-with", "bob")
    before = snapshot(root)
    again = relate(root, "bob", "collaborates-with", "cay")
    assert again.edit.changes == ()
    assert snapshot(root) == before
    assert items(root, BOB) == [f"- collaborates-with:: [Cay](cay.md) [^{SAID}]"]


def test_a_merged_id_is_written_at_its_survivor(tmp_path: Path) -> None:
    """The file of what was merged stays as it is; the link leads to the survivor."""
    root = base(tmp_path, **{CAY: entity("cay", merged_into="ada")})
    relate(root, "cay", "works-for", "acme")
    relate(root, "acme", "employs", "cay")
    assert items(root) == [f"- works-for:: [Acme](../company/acme.md) [^{SAID}]"]
    assert (root / CAY).read_text() == entity("cay", merged_into="ada")


def test_links_are_written_as_the_knowledge_base_wants(tmp_path: Path) -> None:
    """``links: wiki`` gives wiki links."""
    root = base(tmp_path, config="kb: 1\nlinks: wiki\n")
    relate(root, "ada", "works-for", "acme")
    assert items(root) == [f"- works-for:: [[acme|Acme]] [^{SAID}]"]


def test_an_identical_call_does_nothing(tmp_path: Path) -> None:
    """The second call says which statement stands, and no byte changes; so with words that are said on the spot."""
    root = base(tmp_path)
    for said in ({"since": "2024"}, {"said": "Ada works for Acme.", "since": "2024"}):
        first = relate(root, "ada", "works-for", "acme", **said)
        before = snapshot(root)
        second = relate(root, "ada", "works-for", "acme", **said)
        assert second.edit.changes == ()
        assert id_of(first) == id_of(second)
        assert snapshot(root) == before
    assert len(items(root)) == 1


STANDING = "- works-for:: [Acme](../company/acme.md)"


@pytest.mark.parametrize(
    "tail, said, wanted",
    [
        ("", {}, f" [^{SAID}]"),
        (" ^x", {}, f" [^{SAID}]"),
        (" (2024/..) ^x", {}, f" (2024/..) [^{SAID}]"),
        (" (2024/..) ^x", {"valid_until": "2026-02"}, f" (2024/2026-02) [^{SAID}]"),
        (" (2024/2025) ^x", {"since": "2024", "valid_until": "2026"}, f" (2024/2026) [^{SAID}]"),
        (" (/2025) ^x", {"since": "2023"}, f" (2023/2025) [^{SAID}]"),
        (" (/..) ^x", {"since": "2023", "valid_until": "2024"}, f" (2023/2024) [^{SAID}]"),
        (" ^x", {"since": "2023"}, f" (2023/..) [^{SAID}]"),
        (" (2024/..) ^x", {"since": "2025"}, f" (2024/..) [^{SAID}]"),
        (" (2024/..) ^x", {"when": "2025-05"}, f" (2024/..) [^{SAID}]"),
        (" (2024/..) ^x", {"when": "2024/"}, f" (2024/) [^{SAID}]"),
        (" (  80% ,2024/..) ^x", {"confidence": 90}, f" (  90% ,2024/..) [^{SAID}]"),
        (" (2024/..) ^x", {"confidence": 0}, f" (2024/.., 0%) [^{SAID}]"),
        (" (by bob) ^x", {"confidence": 50, "since": "2023"}, f" (2023/.., 50%, by bob) [^{SAID}]"),
        (" — old one [^2026-03-02-later] ^x", {"reason": "new"}, f" — new [^2026-03-02-later] [^{SAID}]"),
        (" — old ^x", {"reason": "left (2025)"}, f" — `left (2025)` [^{SAID}]"),
        (f" [^{SAID}] ^x", {"reason": "a  b"}, f" — a b [^{SAID}]"),
    ],
)  # fmt: skip
def test_what_stands_at_an_overlapping_time_is_added_to(
    tmp_path: Path, tail: str, said: dict[str, object], wanted: str
) -> None:
    """The source and what was given go into the line that stands; its start and its id stay."""
    root = base(tmp_path, "## Relations", "", f"{STANDING}{tail}")
    done = relate(root, "ada", "works-for", "acme", **said)
    assert items(root) == [f"{STANDING}{wanted}"]
    if tail.endswith("^x"):
        assert id_of(done) == "^x"


def test_what_is_kept_against_the_arguments_is_said(tmp_path: Path) -> None:
    """A start that contradicts the one that stands is not written; the reply says how to correct it."""
    root = base(tmp_path, "## Relations", "", f"{STANDING} (2024/..) ^x")
    assert "keeps its start" in relate(root, "ada", "works-for", "acme", since="2025").edit.notes[0]
    assert relate(root, "ada", "works-for", "acme", when="2025-05").edit.notes == ()


def test_another_time_is_a_second_period(tmp_path: Path) -> None:
    """Where the times do not overlap, a line of its own follows; sharing the unit of a change is no overlap."""
    root = base(tmp_path, "## Relations", "", f"{STANDING} (2015/2018) ^x")
    relate(root, "ada", "works-for", "acme", since="2018")
    assert items(root) == [f"{STANDING} (2015/2018)", f"{STANDING} (2018/..) [^{SAID}]"]


def test_another_object_where_there_is_one_at_a_time_is_contested(tmp_path: Path) -> None:
    """It is added beside the other and named; with ``supersede`` the other line is marked, and a repeat does nothing."""
    root = base(
        tmp_path,
        "## Relations",
        "",
        "- reports-to:: [Bob](bob.md) (2024/..) — so [^2026-03-02-later] ^old",
    )
    done = relate(root, "ada", "reports-to", "cay", since="2025")
    assert done.edit.notes == (
        "contested: ^old says Bob (2024 → now); to replace it: --supersede ^old",
    )
    undo_last(str(root))
    done = relate(root, "ada", "reports-to", "cay", since="2025", supersede="^old")
    assert done.edit.notes == ()
    old = f"- reports-to:: [Bob](bob.md) (2024/.., superseded by {id_of(done)}) — so [^2026-03-02-later]"
    assert items(root) == [old, f"- reports-to:: [Cay](cay.md) (2025/..) [^{SAID}]"]
    again = relate(root, "ada", "reports-to", "cay", since="2025", supersede="ada/^old")
    assert (again.edit.changes, id_of(again)) == ((), id_of(done))
    with pytest.raises(Refused, match="superseded by"):
        relate(root, "ada", "reports-to", "bob", since="2025", supersede="^old")
    assert [
        one.code
        for one in check_knowledge_base(open_knowledge_base(str(root), NOW))
        if one.code == "KB216"
    ] == []


def test_a_start_is_corrected_by_superseding(tmp_path: Path) -> None:
    """The same relation with another start takes the place of the one named."""
    root = base(tmp_path, "## Relations", "", f"{STANDING} (2024/..) ^x")
    done = relate(root, "ada", "works-for", "acme", since="2023", supersede="^x")
    assert items(root) == [f"{STANDING} (2023/..) [^{SAID}]", f"{STANDING} (2024/.., superseded by {id_of(done)})"]  # fmt: skip


def test_words_that_the_vocabulary_lacks_are_refused(tmp_path: Path) -> None:
    """The nearest word is offered; a fact's word is no relation's."""
    root = base(tmp_path)
    with pytest.raises(UsageError, match="no relation") as refused:
        relate(root, "ada", "report-to", "bob")
    assert 'did you mean "reports-to"?' in refused.value.hint
    with pytest.raises(UsageError, match="is a fact"):
        relate(root, "ada", "title", "bob")
    with pytest.raises(UsageError, match="is a relation"):
        fact(root, "ada", "reports-to", "Bob")
    with pytest.raises(UsageError, match="no fact"):
        fact(root, "ada", "nickname", "A")


def test_a_word_that_has_been_replaced_is_noted(tmp_path: Path) -> None:
    """It is written all the same."""
    root = base(tmp_path, config="kb: 1\nrelations:\n  knows: {replaced_by: meets-with}\n")
    assert 'replaced by "meets-with"' in relate(root, "ada", "knows", "bob").edit.notes[0]


def test_types_that_do_not_fit_are_noted_and_refused_when_strict(tmp_path: Path) -> None:
    """The note and the refusal say what the relation admits."""
    message = r'"reports-to" leads from person to person, but Acme is a company'
    root = base(tmp_path / "a")
    assert relate(root, "ada", "reports-to", "acme").edit.notes == (message,)
    strict = base(tmp_path / "b", config="kb: 1\nstrict: true\n")
    with pytest.raises(Refused, match=message):
        relate(strict, "ada", "reports-to", "acme")


def test_a_relation_to_itself_and_a_circle_are_refused(tmp_path: Path) -> None:
    """Through merges too; what has ended, or is superseded by the edit, leads nowhere."""
    root = base(tmp_path, **{CAY: entity("cay", merged_into="ada")})
    for object in ("ada", "cay"):
        with pytest.raises(Refused, match="itself"):
            relate(root, "ada", "related-to", object)
    done = relate(root, "ada", "reports-to", "bob", since="2024")
    with pytest.raises(Refused, match="circle: bob → ada → bob"):
        relate(root, "bob", "reports-to", "cay")
    relate(root, "bob", "reports-to", "ada", when="2010/2012")
    relate(root, "bob", "reports-to", "ada", since="2025", supersede=id_of(done))


def test_a_custom_relation_needs_a_note_and_is_told_by_it(tmp_path: Path) -> None:
    """Two notes are two relations between the same two."""
    root = base(tmp_path)
    with pytest.raises(Refused, match="needs a note"):
        relate(root, "ada", "custom", "bob")
    for reason in ("taught her chess", "sold him a horse", "Taught  her chess"):
        relate(root, "ada", "custom", "bob", reason=reason)
    assert len(items(root)) == 2


def test_an_established_cause_rests_on_a_person(tmp_path: Path) -> None:
    """A cited observation must be said by somebody who may be a person."""
    root = base(
        tmp_path,
        **{"observations/2026/01/2026-01-16-log.md": observation("2026-01-16-log", said_by="acme")},
    )
    for id in ("2026-01-16-log", "2026-03-02-later"):
        with pytest.raises(Refused, match="a person said"):
            relate(root, "ada", "caused-by", "bob", observations=(id,))
    relate(root, "ada", "caused-by", "bob", observations=("2026-01-16-log", SAID))


def test_a_quote_must_be_what_a_source_says(tmp_path: Path) -> None:
    """A note in double quotes is proved before it is written."""
    root = base(tmp_path)
    with pytest.raises(Refused, match="word for word"):
        relate(root, "ada", "reports-to", "bob", reason='"She reports to Bob."')
    relate(root, "ada", "reports-to", "bob", reason='"Ada reports  to Bob."')
    assert '— "Ada reports to Bob."' in (root / ADA).read_text()


# -- sources -----------------------------------------------------------------------------------------------------


def test_a_statement_cites_a_source_that_is_there(tmp_path: Path) -> None:
    """Without one, or with one that does not exist, nothing is written."""
    root = base(tmp_path)
    before = snapshot(root)
    with pytest.raises(UsageError, match="cites its source"):
        relate(root, "ada", "reports-to", "bob", observations=())
    with pytest.raises(Refused, match="no observation"):
        relate(root, "ada", "reports-to", "bob", observations=("nope",))
    assert snapshot(root) == before


def test_what_is_said_here_is_filed_first(tmp_path: Path) -> None:
    """A sealed observation of now, said by whoever is named, comes before the statement that cites it."""
    root = base(tmp_path)
    done = relate(
        root,
        "ada",
        "reports-to",
        "bob",
        said="Ada has reported to me since last month.",
        by="Bob",
        since="last month",
    )
    made, changed = done.edit.changes
    id = "2026-11-29-ada-has-reported-to-me-since-last-month"
    assert made.path == f"observations/2026/11/{id}.md"
    text = (root / made.path).read_text()
    for line in ("kind: note", "happened_at: 2026-11-29T12:00:00Z", "said_by: bob", "sha256: "):
        assert f"\n{line}" in text
    assert text.endswith("---\n\nAda has reported to me since last month.\n")
    assert (changed.path, done.edit.observations) == (ADA, (id,))
    assert items(root) == [f"- reports-to:: [Bob](bob.md) (2026-10/..) [^{id}]"]
    codes = {one.code for one in check_knowledge_base(open_knowledge_base(str(root), NOW))}
    assert codes <= {"KB405"}


def test_what_nobody_is_named_for_is_said_by_gits_user(tmp_path: Path) -> None:
    """The key of the user's address stands as the speaker."""
    root = base(tmp_path)
    git(root, "init", "--quiet")
    git(root, "config", "user.email", "eve@northpeak.example")
    done = relate(root, "ada", "reports-to", "bob", said="It is so.")
    assert b"said_by: email:eve@northpeak.example" in (done.edit.changes[0].after or b"")


def test_one_text_supports_several_statements(tmp_path: Path) -> None:
    """The same words on the same day are one observation; other words with the same beginning are another."""
    root = base(tmp_path)
    ids = [
        relate(root, "ada", predicate, goal, said=said).edit.observations
        for predicate, goal, said in (
            ("reports-to", "bob", "So it is"),
            ("works-for", "acme", "So it is"),
            ("mentors", "cay", "So it is\nand more"),
            ("meets-with", "cay", "So it is\nand more"),
        )
    ]
    assert ids[0] == ids[1] == ("2026-11-29-so-it-is",)
    assert ids[2] == ids[3] == ("2026-11-29-so-it-is-2",)


# -- times -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given, wanted",
    [
        ({"since": "2024"}, "2024/.."),
        ({"valid_until": "2024-05"}, "/2024-05"),
        ({"since": "2024~", "valid_until": "2025"}, "2024~/2025"),
        ({"when": "2024-05-06"}, "2024-05-06"),
        ({"when": "../2024"}, "../2024"),
        ({"when": "ended"}, "ended"),
        ({"since": "yesterday"}, "2026-01-14/.."),
        ({"valid_until": "last week"}, "/2026-01-11"),
        ({"since": "last week"}, "2026-01-05/.."),
        ({"when": "last week"}, "2026-01-05/2026-01-11"),
        ({"when": "next Tuesday"}, "2026-01-20"),
        ({"when": "31/01/2026"}, "2026-01-31"),
    ],
)
def test_times_are_read_from_the_day_of_the_source(
    tmp_path: Path, given: dict[str, object], wanted: str
) -> None:
    """EDTF as typed; what is relative counts from the observation's day, and the reply says how it was read."""
    root = base(tmp_path)
    done = relate(root, "ada", "works-for", "acme", **given)
    assert items(root) == [f"{STANDING} ({wanted}) [^{SAID}]"]
    is_plain = next(iter(given.values())) in wanted or len(given) > 1
    assert bool(done.edit.notes) is not is_plain


@pytest.mark.parametrize(
    "given, message",
    [
        ({"since": "03/04/2026"}, "ambiguous"),
        ({"since": "2024", "when": "2025"}, "whole time"),
        ({"since": "2024/2025"}, "one date"),
        ({"since": "2025", "valid_until": "2024"}, "--valid-until 2024 is before --since 2025"),
        ({"when": "soon"}, "soon"),
        ({"when": "yesterday", "observations": ("2026-01-01-undated",)}, "no time to count from"),
        ({"when": "yesterday", "observations": (SAID, "2026-03-02-later")}, "different days"),
    ],
)
def test_times_that_are_unclear_are_refused(
    tmp_path: Path, given: dict[str, object], message: str
) -> None:
    """Nothing is guessed, and nothing written."""
    undated = "---\nid: 2026-01-01-undated\nkind: note\n---\nSo.\n"
    root = base(tmp_path, **{"observations/2026/01/2026-01-01-undated.md": undated})
    before = snapshot(root)
    with pytest.raises(UsageError, match=message):
        relate(root, "ada", "works-for", "acme", **given)
    assert snapshot(root) == before


# -- facts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "predicate, value, written",
    [
        ("title", "Head of X", "Head of X"),
        ("title", "VP (acting) — EMEA", "`VP (acting) — EMEA`"),
        ("title", "a [^x] ^y", "`a [^x] ^y`"),
        ("title", "x (2024)", "`x (2024)`"),
        ("budget", "-1.5e3", "-1.5e3"),
        ("home", "https://acme.example/x", "https://acme.example/x"),
        ("launch", "2026-12", "2026-12"),
        ("launch", "tomorrow", "2026-01-16"),
    ],
)
def test_values_are_written_so_that_they_read_back(
    tmp_path: Path, predicate: str, value: str, written: str
) -> None:
    """What could be misread stands in a code span; a relative date is resolved. Again, it is the same fact."""
    root = base(tmp_path)
    fact(root, "ada", predicate, value)
    assert items(root) == [f"- {predicate}:: {written} [^{SAID}]"]
    assert fact(root, "ada", predicate, value).edit.changes == ()


@pytest.mark.parametrize(
    "predicate, value, message",
    [
        ("budget", "much", "no number"),
        ("home", "acme", "no address"),
        ("launch", "soon", "soon"),
        ("launch", "2024/2025", "one date"),
        ("title", " ", "not empty"),
        ("title", "a\nb", "one line"),
        ("title", "a\udcff", "UTF-8"),
    ],
)
def test_values_of_another_kind_are_refused(
    tmp_path: Path, predicate: str, value: str, message: str
) -> None:
    """The vocabulary says what a value is."""
    root = base(tmp_path)
    with pytest.raises(UsageError, match=message):
        fact(root, "ada", predicate, value)


def test_a_second_value_is_contested_unless_it_supersedes(tmp_path: Path) -> None:
    """Values of a predicate that has one at a time contend; those of others stand beside each other."""
    root = base(tmp_path, "## Facts", "", "- title:: Head ^old", "- decided:: A ^a")
    assert "contested" in fact(root, "ada", "title", "Chief").edit.notes[0]
    assert fact(root, "ada", "decided", "B").edit.notes == ()
    assert fact(root, "ada", "title", "Boss", when="1990/1991", supersede="^old").edit.notes == ()


# -- retire, unrelate, cite, confirm -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tail, how, wanted",
    [
        ("", {"until": "2026-05"}, " (/2026-05)"),
        (" (2024/..)", {"until": "2026-05"}, " (2024/2026-05)"),
        (" (2024/..)", {"until": "yesterday"}, " (2024/2026-11-28)"),
        (" (2024)", {"until": "2026"}, " (2024/2026)"),
        (" (../..)", {"until": "2026"}, " (../2026)"),
        (" (2024/)", {"until": "2026"}, " (2024/2026)"),
        ("", {"is_ended": True}, " (ended)"),
        (" (2024/..)", {"is_ended": True}, " (2024/)"),
        (" (/..)", {"is_ended": True}, " (ended)"),
        (" (2024)", {"is_ended": True}, " (2024/)"),
        (" (2024/2025)", {"is_ended": True}, " (2024/2025)"),
        (" (auto-low, 2024/..)", {"retract": True}, " (auto-low, 2024/.., retracted)"),
        ("", {"retract": True}, " (retracted)"),
        (" (retracted)", {"retract": True}, " (retracted)"),
        (" (90%)", {"superseded_by": "^new"}, " (90%, superseded by ^new)"),
    ],
)
def test_a_statement_is_retired(
    tmp_path: Path, tail: str, how: dict[str, object], wanted: str
) -> None:
    """The line stays and says how it ended; again, there is nothing to do."""
    other = "- mentors:: [Cay](cay.md) ^new"
    root = base(tmp_path, "## Relations", "", f"{STANDING}{tail} — note ^x  ", other)
    retire(root, "^x", **how)
    assert items(root)[0] == f"{STANDING}{wanted} — note"
    assert f"{other}\n" in (root / ADA).read_text()
    assert "note ^x  \n" in (root / ADA).read_text()
    assert retire(root, "ada/^x", **how).edit.changes == ()


def test_retiring_asks_for_one_way_and_a_real_successor(tmp_path: Path) -> None:
    """Two ways, none, itself, a circle, a statement that is not there: each refused."""
    root = base(tmp_path, "## Facts", "", "- title:: A ^a", "- title:: B (superseded by ^a) ^b")
    for how in ({}, {"until": "2026", "retract": True}):
        with pytest.raises(UsageError, match="one way"):
            retire(root, "^a", **how)
    circle = r"circle: \^a → \^b → \^a"
    for other, message in (("^a", "its own place"), ("^b", circle), ("^c", "no statement")):
        with pytest.raises(Refused, match=message):
            retire(root, "^a", superseded_by=other)
    with pytest.raises(UsageError, match="the end 2025 is before its start, 2026"):
        retire(base(tmp_path / "x", "## Facts", "", "- title:: A (2026/..) ^a"), "^a", until="2025")


@pytest.mark.parametrize("how", [{"until": "2026"}, {"is_ended": True}])
def test_what_was_never_so_neither_ends_nor_is_confirmed(
    tmp_path: Path, how: dict[str, object]
) -> None:
    """A retracted or superseded statement says nothing more; the refusal names what took its place."""
    facts = ("- title:: A (auto-low, retracted) ^a", "- title:: B (auto-low, superseded by ^c) ^b", "- title:: C ^c")  # fmt: skip
    root = base(tmp_path, "## Facts", "", *facts)
    before = snapshot(root)
    for id, message in (("^a", "never so"), ("^b", r"superseded by \^c")):
        with pytest.raises(Refused, match=message):
            retire(root, id, **how)
        with pytest.raises(Refused, match=message):
            do(root, lambda workspace: plan_confirm(workspace, id))  # noqa: B023
    assert snapshot(root) == before


@pytest.mark.parametrize(
    "time, said, message",
    [
        ("", {"since": "2026", "valid_until": "2025"}, "--valid-until 2025 is before --since 2026"),
        (" (/2024)", {"since": "2023", "valid_until": "2022"}, "--valid-until 2022 is before"),
        ("", {"when": "2026/2025"}, "2025 is before 2026"),
    ],
)
def test_an_end_before_its_start_is_wrong_usage(
    tmp_path: Path, time: str, said: dict[str, object], message: str
) -> None:
    """The options that are at odds are named, or the start that stands."""
    root = base(tmp_path, "## Relations", "", f"{STANDING}{time} ^x")
    before = snapshot(root)
    with pytest.raises(UsageError, match=message):
        relate(root, "ada", "works-for", "acme", **said)
    assert snapshot(root) == before


def test_unrelate_ends_retracts_or_deletes(tmp_path: Path) -> None:
    """From either end; what is deleted takes its details and its definition along."""
    definition = f"[^{SAID}]: [Seen, 2026-01-15](../../{SEEN})"
    lines = ("## Relations", "", f"- reports-to:: [Bob](bob.md) [^{SAID}] ^x", "  - since:: long", "- mentors:: [Cay](cay.md) ^y", "", definition)  # fmt: skip
    root = base(tmp_path, *lines)
    before = snapshot(root)
    unrelate(root, "bob", "manages", "ada", until="2026-02")
    assert items(root)[0] == f"- reports-to:: [Bob](bob.md) (/2026-02) [^{SAID}]"
    undo_last(str(root))
    unrelate(root, "ada", "reports-to", "bob")
    assert items(root)[0] == f"- reports-to:: [Bob](bob.md) (retracted) [^{SAID}]"
    assert unrelate(root, "ada", "reports-to", "bob").edit.changes == ()
    undo_last(str(root))
    assert snapshot(root) == before
    unrelate(root, "ada", "reports-to", "bob", delete=True)
    assert (root / ADA).read_text() == entity("ada", "## Relations", "", "- mentors:: [Cay](cay.md) ^y", name="Ada")  # fmt: skip
    with pytest.raises(Refused, match="does not relate"):
        unrelate(root, "ada", "reports-to", "bob", delete=True)


def test_unrelate_refuses_to_choose(tmp_path: Path) -> None:
    """Several periods are named; of a current one and a past one, the current is meant; what has ended is not ended again."""
    root = base(
        tmp_path, "## Relations", "", f"{STANDING} (2010/2012) ^a", f"{STANDING} (2013/2014) ^b"
    )
    with pytest.raises(Refused, match=r"\^a \(2010/2012\), \^b"):
        unrelate(root, "ada", "works-for", "acme")
    before = snapshot(root)
    with pytest.raises(Refused, match="ended already"):
        unrelate(root, "ada", "works-for", "acme", until="2026")
    assert snapshot(root) == before
    assert unrelate(root, "ada", "works-for", "acme", until="2014").edit.changes == ()
    relate(root, "ada", "works-for", "acme", since="2099")
    assert unrelate(root, "ada", "works-for", "acme", until="2014").edit.changes == ()
    undo_last(str(root))
    relate(root, "ada", "works-for", "acme", since="2020")
    unrelate(root, "ada", "works-for", "acme", until="2021")
    assert items(root)[-1] == f"{STANDING} (2020/2021) [^{SAID}]"


def test_what_supersedes_another_is_not_deleted(tmp_path: Path) -> None:
    """Its predecessor would name a statement that is not there."""
    root = base(
        tmp_path,
        "## Relations",
        "",
        "- reports-to:: [Bob](bob.md) (superseded by ^y) ^x",
        "- reports-to:: [Cay](cay.md) ^y",
    )
    with pytest.raises(InUse, match=r"supersedes ada/\^x, which would have no successor"):
        unrelate(root, "ada", "reports-to", "cay", delete=True)


def test_what_supersedes_another_files_statement_is_not_deleted(tmp_path: Path) -> None:
    """A predecessor may stand in any file; one that has a statement of that id itself names that one."""
    bob = entity("bob", "## Facts", "", "- title:: X (superseded by ^y) ^x", name="Bob")
    cay = entity("cay", "## Facts", "", "- title:: X (superseded by ^y) ^x", "- title:: Y ^y")
    root = base(
        tmp_path, "## Relations", "", "- reports-to:: [Cay](cay.md) ^y", **{BOB: bob, CAY: cay}
    )
    with pytest.raises(InUse, match=r"\^y supersedes bob/\^x, which"):
        unrelate(root, "ada", "reports-to", "cay", delete=True)


def test_a_successor_is_one_that_the_file_can_name(tmp_path: Path) -> None:
    """Where an id is borne elsewhere too, the refusal says by whom; its hint can be followed."""
    bob = entity("bob", "## Facts", "", "- title:: X ^y", "- role:: Z ^only", name="Bob")
    cay = entity("cay", "## Facts", "", "- title:: X ^y", name="Cay")
    lines = ("- reports-to:: [Bob](bob.md) ^a", "- mentors:: [Bob](bob.md) ^only")
    root = base(tmp_path, "## Relations", "", *lines, **{BOB: bob, CAY: cay})
    with pytest.raises(
        Refused, match=r"cannot name \^y of bob: bob, cay have a statement \^y each"
    ):
        retire(root, "^a", superseded_by="bob/^y")
    with pytest.raises(
        Refused, match=r"cannot name \^only of bob: there, \^only is .* its own"
    ) as own:
        retire(root, "ada/^only", superseded_by="bob/^only")
    assert own.value.hint.endswith("kb retire ada/^only --retract")
    retire(root, "ada/^only", retract=True)


@pytest.mark.parametrize(
    "successor, message",
    [
        ("^cays", r"\^old says nothing of cay"),
        ("^gone", r"\^gone is retracted itself"),
        ("^past", r"\^past is superseded by \^new itself"),
        ("^new", ""),
        ("^ended", ""),
        ("^bobs", ""),
        ("^alike", ""),
    ],
)
def test_a_successor_stands_and_speaks_of_the_same(
    tmp_path: Path, successor: str, message: str
) -> None:
    """It says something of an end of what it replaces, from either end where both are alike, and is not retired itself."""
    cay = entity(
        "cay",
        "## Facts",
        "",
        "- title:: A ^cays",
        "",
        "## Relations",
        "",
        "- collaborates-with:: [Bob](bob.md) ^alike",
        name="Cay",
    )
    bob = entity("bob", "## Facts", "", "- title:: B ^bobs", name="Bob")
    facts = ("- title:: A (retracted) ^gone", "- title:: B (superseded by ^new) ^past", "- title:: C ^new", "- title:: D (2020/2021) ^ended")  # fmt: skip
    root = base(
        tmp_path,
        "## Relations",
        "",
        "- reports-to:: [Bob](bob.md) ^old",
        "",
        "## Facts",
        "",
        *facts,
        **{BOB: bob, CAY: cay},
    )
    if message:
        with pytest.raises(Refused, match=message):
            retire(root, "^old", superseded_by=successor)
    else:
        retire(root, "^old", superseded_by=successor)
        assert items(root)[0] == f"- reports-to:: [Bob](bob.md) (superseded by {successor})"


def test_a_statement_superseded_already_stays_so(tmp_path: Path) -> None:
    """The same again does nothing, whatever became of the successor since."""
    facts = ("- title:: A (superseded by ^b) ^a", "- title:: B (superseded by ^c) ^b", "- title:: C ^c")  # fmt: skip
    root = base(tmp_path, "## Facts", "", *facts)
    assert retire(root, "^a", superseded_by="^b").edit.changes == ()


def test_what_a_new_statement_replaces_speaks_of_the_same(tmp_path: Path) -> None:
    """``--supersede`` goes by the rule of ``--superseded-by``."""
    bob = entity(
        "bob",
        "## Relations",
        "",
        "- collaborates-with:: [Cay](cay.md) ^x",
        "",
        "## Facts",
        "",
        "- title:: A ^bobs",
        name="Bob",
    )
    root = base(tmp_path, **{BOB: bob})
    for id in ("^bobs", "bob/^bobs"):
        with pytest.raises(Refused, match=r"no statement \^bobs of ada|\^bobs says nothing of ada"):
            fact(root, "ada", "title", "B", supersede=id)
    with pytest.raises(Refused, match=r"\^x says nothing of ada"):
        relate(root, "ada", "works-for", "acme", supersede="bob/^x")
    done = relate(root, "ada", "collaborates-with", "cay", supersede="^x")
    assert items(root, BOB)[0].endswith(f"(superseded by {id_of(done)})")


@pytest.mark.parametrize("id", ["", " ", "^", "^^", "/", "/^", "ada/", "ada/^", "^a b", "[^a]"])
def test_what_can_be_no_statements_id_is_wrong_usage(tmp_path: Path, id: str) -> None:
    """Every edit of a statement says so, before anything is looked for; nothing is written."""
    root = base(tmp_path, "## Facts", "", "- title:: A (auto-low) ^a")
    before = snapshot(root)
    plans: tuple[Callable[[Workspace], Edit], ...] = (
        lambda workspace: plan_retire(workspace, id, retract=True),
        lambda workspace: plan_retire(workspace, "^a", superseded_by=id or "^"),
        lambda workspace: plan_cite(workspace, id, [SAID]),
        lambda workspace: plan_confirm(workspace, id),
        lambda workspace: plan_fact(workspace, "ada", "title", "B", _saying({"supersede": id or "^"})),
        lambda workspace: plan_decide(workspace, "correct", [id if "^" in id else f"{id}^"], WHY),
    )  # fmt: skip
    for plan in plans:
        with pytest.raises(UsageError, match="is no statement's id"):
            do(root, plan)
    assert snapshot(root) == before


def test_of_two_statements_of_an_id_the_files_own_is_meant(tmp_path: Path) -> None:
    """A successor given by its id alone is the one that the file would name by it."""
    bob = entity("bob", "## Relations", "", "- mentors:: [Ada](ada.md) ^y", name="Bob")
    root = base(tmp_path, "## Facts", "", "- title:: A ^a", "- title:: B ^y", **{BOB: bob})
    retire(root, "^a", superseded_by="^y")
    assert items(root)[0] == "- title:: A (superseded by ^y)"


def test_a_citation_is_added_with_its_definition(tmp_path: Path) -> None:
    """Each is added once; a repetition is no second witness, and the reply says so."""
    again = observation("2026-01-16-again", derived_from=f"[{SAID}]")
    root = base(
        tmp_path,
        "## Facts",
        "",
        f"- title:: A  [^{SAID}]  ^a",
        **{"observations/2026/01/2026-01-16-again.md": again},
    )

    def plan(workspace: Workspace) -> Edit:
        return plan_cite(workspace, "^a", ["2026-01-16-again", SAID, "2026-01-16-again"])

    done = do(root, plan)
    assert f"- title:: A  [^{SAID}] [^2026-01-16-again]  ^a\n" in (root / ADA).read_text()
    assert done.edit.notes == (f"2026-01-16-again repeats {SAID}, so it is no second witness",)
    assert (root / ADA).read_text().count("\n[^2026-01-16-again]: ") == 1
    assert do(root, plan).edit.changes == ()


@pytest.mark.parametrize(
    "tail, wanted",
    [
        (" (auto-high)", ""),
        ("  ( auto-low )", ""),
        (" (2024, auto-high)", " (2024)"),
        (" (auto-high, 2024,  90%)", " (2024,  90%)"),
        (" (2024,auto-medium ,90%)", " (2024 ,90%)"),
        ("", ""),
    ],
)
def test_a_suggestion_is_confirmed(tmp_path: Path, tail: str, wanted: str) -> None:
    """It loses its mark, and nothing else."""
    root = base(tmp_path, "## Relations", "", f"{STANDING}{tail} — so ^a")

    def plan(workspace: Workspace) -> Edit:
        return plan_confirm(workspace, "^a")

    do(root, plan)
    assert items(root) == [f"{STANDING}{wanted} — so"]
    assert do(root, plan).edit.changes == ()


def test_a_statement_without_an_id_gets_the_one_it_was_shown_under(tmp_path: Path) -> None:
    """Its time may change, and its id would with it, so the id is written down."""
    root = base(tmp_path, "## Facts", "", "* title ::  A")
    (shown,) = open_knowledge_base(str(root), NOW).graph.iter_statements()
    retire(root, f"^{shown.id}", until="2026")
    assert f"* title ::  A (/2026) ^{shown.id}\n" in (root / ADA).read_text()


def test_a_statement_whose_id_stands_twice_is_left_alone(tmp_path: Path) -> None:
    """Which of them bears it is for ``kb fmt`` to say."""
    root = base(tmp_path, "## Facts", "", "- title:: A ^a", "- decided:: B ^a")
    before = snapshot(root)
    shown = [one.id for one in open_knowledge_base(str(root), NOW).graph.iter_statements()]
    with pytest.raises(Refused, match="stands twice"):
        retire(root, f"^{shown[1]}", retract=True)
    assert snapshot(root) == before


def test_an_id_of_several_statements_needs_its_entity(tmp_path: Path) -> None:
    """A bare id is good where it is one statement's."""
    files = {BOB: entity("bob", "## Facts", "", "- title:: B ^a")}
    root = base(tmp_path, "## Facts", "", "- title:: A ^a", **files)
    with pytest.raises(Refused, match="2 statements"):
        retire(root, "^a", retract=True)
    retire(root, "bob/^a", retract=True)
    assert items(root, BOB) == ["- title:: B (retracted)"]


# -- bytes -------------------------------------------------------------------------------------------------------


def test_the_line_keeps_its_authors_hand(tmp_path: Path) -> None:
    """Bullet, blanks, label, order of qualifiers, wrapped text, details, comments: only what is edited differs."""
    text = (
        "\ufeff---\r\n# the head\r\nid: ada\r\nmood:   'fine' # mine\r\ntype: person\r\n---\r\n\r\nText  \r\n\r\n"
        '##   Relations\r\n\r\n<!-- first -->\r\n*   Reports_To  ::  [B. \\[ob\\]](<bob.md> "t")  ( 90 % ,by cay, 2024/.. )\r\n'
        "    — a note\r\n    that wraps  [^2026-03-02-later],[^2026-01-15-seen]  ^mine  \r\n  - detail:: kept\r\n\r\ntail\r\n"
    )
    root = base(tmp_path, **{ADA: text})
    retire(root, "^mine", until="2026")
    assert (root / ADA).read_bytes().decode() == text.replace("2024/..", "2024/2026")
    undo_last(str(root))
    relate(root, "ada", "reports-to", "bob", reason="new", confidence=80, said="It is.", by="bob")
    cited = "[^2026-01-15-seen] [^2026-11-29-it-is]"
    wanted = (
        text.replace("90 %", "80%")
        .replace("a note\r\n    that wraps", "new")
        .replace("[^2026-01-15-seen]", cited)
    )
    definition = "\r\n\r\n[^2026-11-29-it-is]: [It is., 2026-11-29](../../observations/2026/11/2026-11-29-it-is.md)\r\n"
    assert (root / ADA).read_bytes().decode() == wanted[:-2] + definition


@pytest.mark.parametrize("case", ["B06/n.md", "B08/plan.md", "B10/m.md", "B10/double.md", "B12/n.md", "B14/sam.md", "B18/c.md", "B02/colon_mistake.md"])  # fmt: skip
def test_cases_of_frontmatter_survive_a_statement(tmp_path: Path, case: str) -> None:
    """cases B02, B06, B08, B10, B12, B14, B18: a file that parses keeps every line of its head; one that does not is refused."""
    from tests.conftest import SHARED

    path = SHARED / "cases" / case
    if not path.exists():
        pytest.skip("the cases do not lie here")
    text = path.read_text("utf-8")
    root = base(tmp_path, **{"entities/other/n.md": text.replace("id: p1\n", "id: n\n")})
    before = (root / "entities/other/n.md").read_text("utf-8")
    is_refused = open_knowledge_base(str(root), NOW).graph.broken != ()
    assert is_refused == (case in ("B02/colon_mistake.md", "B10/m.md", "B14/sam.md", "B18/c.md"))
    if is_refused:
        with pytest.raises(Refused, match="does not parse"):
            fact(root, "n", "status", "done")
        assert (root / "entities/other/n.md").read_text("utf-8") == before
    else:
        fact(root, open_knowledge_base(str(root), NOW).corpus.entities[-1].id, "status", "done")
        kept = before if before.endswith("\n") else f"{before}\n"
        assert (root / "entities/other/n.md").read_text("utf-8").startswith(kept)


@pytest.mark.parametrize("argument", ["..\\..\\..\\evil", "..%2F..%2Fevil", "~/evil", "../evil", "/etc/passwd", "ada/../bob", "entities/person/ada.md", ""])  # fmt: skip
def test_case_b32_no_argument_leads_out(tmp_path: Path, argument: str) -> None:
    """case B32: whatever stands in an entity's, a statement's or an observation's place, nothing is written."""
    root = base(tmp_path / "kb", "## Facts", "", "- title:: A ^a")
    before = snapshot(tmp_path)
    plans: list[apply.Plan] = [
        lambda w: plan_relate(w, argument, "mentors", "bob", Saying((SAID,))),
        lambda w: plan_relate(w, "ada", "mentors", argument, Saying((SAID,))),
        lambda w: plan_relate(w, "ada", argument, "bob", Saying((SAID,))),
        lambda w: plan_relate(w, "ada", "mentors", "bob", Saying((argument,))),
        lambda w: plan_fact(w, argument, "title", "X", Saying((SAID,))),
        lambda w: plan_retire(w, f"{argument}/^a", retract=True) if argument else plan_retire(w, "", retract=True),
        lambda w: plan_cite(w, "^a", [argument]),
    ]  # fmt: skip
    for plan in plans:
        with pytest.raises(KbError):
            do(root, plan)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("text", sorted({text for row, text, _, is_broken in FILES if is_broken and row != "B10"}))  # fmt: skip
def test_a_broken_file_is_refused(tmp_path: Path, text: str) -> None:
    """BAD-INPUTS: a file whose frontmatter does not parse is never written."""
    files: Mapping[str, str] = {ADA: text}
    root = base(tmp_path, **files)
    before = snapshot(root)
    with pytest.raises(KbError):
        fact(root, "ada", "title", "X")
    assert snapshot(root) == before
