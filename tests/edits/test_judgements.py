"""merge, unmerge, distinct and decide: one line in one file, a decision on record, and nothing that cannot be undone."""

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.checks import check_knowledge_base
from kb.cli.program import program
from kb.edits.decisions import Reason, plan_decide
from kb.edits.edit import Edit
from kb.edits.judgements import plan_distinct, plan_merge, plan_unmerge
from kb.edits.observe import plan_observe
from kb.edits.relate import Saying, plan_fact
from kb.edits.set_fields import How, plan_set
from kb.edits.undo import undo_last
from kb.edits.workspace import Ambiguous, Refused, Workspace
from kb.errors import UsageError
from kb.graph.decided import PARTING, find_parting, foresee_taking_back
from kb.knowledge_base import open_for_reading, open_knowledge_base
from kb.model.observation import ObservationFile
from kb.queries.candidates import list_candidates
from kb.queries.show import show
from tests.conftest import NOW, REPOSITORY, entity, observation, write_kb
from tests.edits.editing import WHY, do, tree, workspace

Plan = Callable[[Workspace], Edit]

ADA, BOB, EVE = (f"entities/person/{id}.md" for id in ("ada", "bob", "eve"))
SEEN = "observations/2026/01/2026-01-01-seen.md"


def people(root: Path, **fields: dict[str, str]) -> Path:
    """Write three people with fields, and an observation."""
    files = {
        f"entities/person/{id}.md": entity(id, **{"name": id.title(), **fields.get(id, {})})
        for id in ("ada", "bob", "eve")
    }
    return write_kb(root, {**files, SEEN: observation("2026-01-01-seen")})


def decisions(root: Path) -> list[ObservationFile]:
    """Read the decisions on record, by id."""
    base = open_knowledge_base(str(root), NOW)
    return [one for one in base.corpus.observations if one.kind == "decision"]


def errors(root: Path) -> list[str]:
    """List the errors of ``kb check``, and warnings about decisions."""
    found = check_knowledge_base(open_knowledge_base(str(root), NOW))
    return [f"{one.path} {one.code}" for one in found if one.severity.value == "error" or one.code == "KB411"]  # fmt: skip


def test_a_merge_is_a_line_and_a_decision(tmp_path: Path) -> None:
    """The redirect stands in the other's file, the decision is sealed and says all that a program wants to know."""
    root = people(tmp_path)
    before = tree(root)
    reason = Reason("I asked her.\n", ("2026-01-01-seen",), "ada", happened_at="2026-11-29")
    done = do(root, plan_merge, "ada", "Bob", reason)
    after = tree(root)
    (made,) = set(after) - set(before)
    assert done.edit.paths == (made, BOB)  # the observation is written first
    assert after[BOB] == before[BOB].replace(b"---\n\n", b"merged_into: ada\n---\n\n")
    assert {**after, BOB: b"", made: b""} == {**before, BOB: b"", made: b""}
    (decision,) = decisions(root)
    assert decision.is_sealed
    assert decision.decision
    assert decision.decision.text == "merge"
    assert [name.text for name in decision.about] == ["bob", "ada"]
    assert (decision.said_by, decision.title) == ("ada", "Bob is Ada")
    assert decision.body.strip() == "I asked her."
    assert "evidence: [2026-01-01-seen]\n" in decision.text
    assert open_for_reading(str(root), NOW).graph.survivors == {"bob": "ada"}
    assert errors(root) == []
    assert not do(root, plan_merge, "ada", "bob", WHY).edit.changes


def test_unmerge_restores_the_bytes(tmp_path: Path) -> None:
    """The file is as it was before, whatever stood in it; both decisions stay on record."""
    root = people(tmp_path)
    odd = "\ufeff---\r\nid: bob # him\r\naliases: [ 'B' ,]\r\n\r\n# end\r\n--- \r\nno end".encode()
    (root / BOB).write_bytes(odd)
    do(root, plan_merge, "ada", "bob", WHY)
    assert (root / BOB).read_bytes() == odd.replace(
        b"--- \r\nno", b"merged_into: ada\r\n--- \r\nno"
    )
    do(root, plan_unmerge, "bob", WHY)
    assert (root / BOB).read_bytes() == odd
    assert [one.decision.text for one in decisions(root) if one.decision] == ["merge", "unmerge"]
    with pytest.raises(Refused, match="not merged"):
        do(root, plan_unmerge, "bob", WHY)


@pytest.mark.parametrize(
    ("survivor", "other", "fields", "why"),
    [
        ("ada", "ada", {}, "into itself"),
        ("ada", "bob", {"bob": {"merged_into": "ada"}, "ada": {}}, ""),
        ("bob", "ada", {"bob": {"merged_into": "ada"}}, "into itself"),
        ("ada", "bob", {"bob": {"merged_into": "eve"}}, "merged into eve already"),
        ("ada", "bob", {"ada": {"distinct_from": "[bob]"}}, "judged distinct"),
        ("ada", "bob", {"bob": {"distinct_from": "[ada, eve]"}}, "judged distinct"),
        ("ada", "bob", {"bob": {"distinct_from": "[eve]"}, "eve": {"merged_into": "ada"}}, "judged distinct"),
        ("bob", "ada", {"bob": {"distinct_from": "[eve]"}, "eve": {"merged_into": "ada"}}, "judged distinct"),
        ("ada", "bob", {"ada": {"keys": "[orcid:1]"}, "bob": {"keys": "[orcid:2]"}}, "of which one has one"),
        ("ada", "bob", {"ada": {"keys": "[crm:1]"}, "bob": {"keys": "[crm:2]"}}, "of which one has one"),
        ("ada", "bob", {"ada": {"keys": "[orcid:1]"}, "bob": {"keys": "[orcid:1]"}}, ""),
        ("ada", "bob", {"ada": {"keys": "[email:a@x.example]"}, "bob": {"keys": "[email:b@x.example]"}}, ""),
        ("ada", "bob", {"ada": {"keys": "[crm:1, crm:3]"}, "bob": {"keys": "[crm:2]"}}, ""),
        ("ada", "bob", {"bob": {"merged_into": "bob"}}, "redirect that is not followed"),
        ("ada", "nobody", {}, "no entity"),
    ],
)  # fmt: skip
def test_what_is_not_merged(
    tmp_path: Path, survivor: str, other: str, fields: dict[str, dict[str, str]], why: str
) -> None:
    """Selves, circles, judgements over whole groups, keys that one has one of: refused, and nothing is written."""
    root = people(tmp_path, **fields)
    before = tree(root)
    if not why:
        do(root, plan_merge, survivor, other, WHY)
        assert errors(root) == []
        return
    with pytest.raises(Refused, match=why):
        do(root, plan_merge, survivor, other, WHY)
    assert tree(root) == before


def test_two_types_are_never_merged(tmp_path: Path) -> None:
    """Nor through one without a type; nothing forces it, since nobody would follow it."""
    root = write_kb(
        tmp_path,
        {
            ADA: entity("ada"),
            "entities/company/firm.md": entity("firm", type="company"),
            "entities/x/none.md": entity("none", type=None, merged_into="firm"),
            "entities/x/bare.md": entity("bare", type=None),
        },
    )
    before = tree(root)
    for survivor, other in (("ada", "firm"), ("bare", "firm")):
        if survivor == "bare":
            do(root, plan_merge, survivor, other, WHY)
            before = tree(root)
            survivor, other = "ada", "bare"
        for force in (False, True):
            with pytest.raises(Refused, match="cannot be one"):
                do(root, plan_merge, survivor, other, WHY, force=force)
        assert tree(root) == before
    assert errors(root) == []


def test_a_reason_is_needed_and_evidence_must_be_there(tmp_path: Path) -> None:
    """No judgement without its why; what it rests on must be filed."""
    root = people(tmp_path)
    before = tree(root)
    plans: list[tuple[Callable[..., Edit], tuple[str, ...]]] = [
        (plan_merge, ("ada", "bob")),
        (plan_distinct, ("ada", "bob")),
    ]
    for plan, ids in plans:
        with pytest.raises(UsageError, match="reason"):
            do(root, plan, *ids, Reason("  "))
        with pytest.raises(Refused, match="no observation"):
            do(root, plan, *ids, Reason("x", ("nope",)))
    assert tree(root) == before


@pytest.mark.parametrize("form", ["[bob]", "[eve, bob]", "[bob, eve]", "\n  - bob\n  - eve", "bob"])
def test_a_forced_merge_takes_the_judgement_back_and_unmerge_puts_it_in_again(
    tmp_path: Path, form: str
) -> None:
    """A judgement would beat the merge; so it is taken out, named in the decision, and comes back with the unmerge."""
    root = people(tmp_path, ada={"distinct_from": form, "zodiac": "sagittarius"})
    before = tree(root)
    with pytest.raises(Refused, match="judged distinct"):
        do(root, plan_merge, "ada", "bob", WHY)
    done = do(root, plan_merge, "ada", "bob", WHY, force=True)
    assert "taken back" in done.edit.notes[0]
    assert open_for_reading(str(root), NOW).graph.survivors == {"bob": "ada"}
    assert errors(root) == []
    do(root, plan_unmerge, "bob", WHY)
    assert open_for_reading(str(root), NOW).graph.are_distinct("ada", "bob")
    if form in ("[bob]", "[eve, bob]"):
        assert {path: data for path, data in tree(root).items() if path in before} == before
    for _ in (1, 2):
        undo_last(str(root))
    assert tree(root) == before


def test_a_forced_merge_over_keys_says_so(tmp_path: Path) -> None:
    """``force`` is noted, and undone like any other."""
    root = people(tmp_path, ada={"keys": "[orcid:1]"}, bob={"keys": "[orcid:2]"})
    done = do(root, plan_merge, "ada", "bob", WHY, force=True)
    assert "in spite of orcid:1 and orcid:2" in done.edit.notes[0]


def test_two_of_one_name_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    """In the titles, and so in the ids and subjects, of whatever is judged of them, however their names are written."""
    root = people(tmp_path, ada={"name": "Kim Ito"}, bob={"name": "kim ito"})
    plans: tuple[tuple[Callable[..., Edit], tuple[str, ...], dict[str, bool], str], ...] = (
        (plan_distinct, ("bob", "ada"), {}, "ada and bob are two"),
        (plan_distinct, ("bob", "ada"), {"withdraw": True}, "ada and bob may be one after all"),
        (plan_merge, ("ada", "bob"), {}, "bob is ada"),
        (plan_unmerge, ("bob",), {}, "bob is not ada"),
        (plan_distinct, ("eve", "ada"), {}, "Kim Ito and Eve are two"),
    )
    for plan, ids, options, title in plans:
        edit = do(root, plan, *ids, WHY, **options).edit
        assert edit.subject.endswith(f": {title}")
        (decision,) = (one for one in decisions(root) if one.id == edit.observations[0])
        assert decision.title == title


# -- distinct ----------------------------------------------------------------------------------------------------


def test_distinct_stands_in_the_lesser_file(tmp_path: Path) -> None:
    """Whichever comes first; said twice it is nothing to do; withdrawn, the bytes are as before."""
    root = people(tmp_path)
    before = tree(root)
    do(root, plan_distinct, "bob", "ada", WHY)
    assert (root / ADA).read_bytes() == before[ADA].replace(
        b"---\n\n", b"distinct_from: [bob]\n---\n\n"
    )
    assert (root / BOB).read_bytes() == before[BOB]
    assert not do(root, plan_distinct, "ada", "bob", WHY).edit.changes
    do(root, plan_distinct, "ada", "eve", WHY)
    assert b"distinct_from: [bob, eve]\n" in (root / ADA).read_bytes()
    do(root, plan_distinct, "ada", "eve", WHY, withdraw=True)
    do(root, plan_distinct, "ada", "bob", WHY, withdraw=True)
    assert (root / ADA).read_bytes() == before[ADA]
    assert not do(root, plan_distinct, "ada", "bob", WHY, withdraw=True).edit.changes
    assert errors(root) == []


def test_distinct_of_what_is_merged_is_refused(tmp_path: Path) -> None:
    """The merge goes first."""
    root = people(tmp_path, bob={"merged_into": "ada"})
    with pytest.raises(Refused) as refused:
        do(root, plan_distinct, "ada", "bob", WHY)
    assert "kb unmerge bob" in refused.value.hint
    do(root, plan_distinct, "bob", "eve", WHY)  # its survivor is meant
    assert b"distinct_from: [eve]" in (root / ADA).read_bytes()


# -- decide ------------------------------------------------------------------------------------------------------


def test_other_decisions_change_no_entity(tmp_path: Path) -> None:
    """About entities, observations and statements; the findings of ``kb check`` are none."""
    root = people(tmp_path)
    (root / EVE).write_text(entity("eve", "## Facts", "", "- title:: X [^2026-01-01-seen] ^aa"))
    before = tree(root)
    do(root, plan_decide, "reject", ("Ada", "bob"), WHY)
    do(root, plan_decide, "not-mentioned", ("ada", "2026-01-01-seen"), WHY)
    do(root, plan_decide, "correct", ("^aa",), WHY, "Not X")
    assert {path: data for path, data in tree(root).items() if path in before} == before
    found = [[name.text for name in one.about] for one in decisions(root)]
    assert sorted(found) == [["ada", "2026-01-01-seen"], ["ada", "bob"], ["eve/^aa"]]
    assert errors(root) == []
    with pytest.raises(Refused, match="nobody"):
        do(root, plan_decide, "reject", ("ada", "nobody"), WHY)


@pytest.mark.parametrize(
    "decision, about",
    [
        ("merge", "ada bob"),
        ("nope", "ada bob"),
        ("reject", ""),
        ("reject", "ada"),
        ("reject", "ada Ada"),
        ("reject", "ada bob eve"),
        ("reject", "ada 2026-01-01-seen"),
        ("reject", "2026-01-01-seen"),
        ("reject", "ada ^aa"),
        ("not-mentioned", ""),
        ("not-mentioned", "ada"),
        ("not-mentioned", "2026-01-01-seen"),
        ("not-mentioned", "ada bob"),
        ("not-mentioned", "ada bob 2026-01-01-seen"),
        ("not-mentioned", "^aa 2026-01-01-seen"),
        ("correct", ""),
    ],
)
def test_a_decision_is_about_what_it_can_be_about(
    tmp_path: Path, decision: str, about: str
) -> None:
    """Another number or kind of things is wrong usage, and the message says what is wanted; so is no reason."""
    root = people(tmp_path)
    (root / EVE).write_text(entity("eve", "## Facts", "", "- title:: X [^2026-01-01-seen] ^aa"))
    before = tree(root)
    with pytest.raises(UsageError, match=r"is about|is no decision|is not decided here"):
        do(root, plan_decide, decision, about.split(), WHY)
    with pytest.raises(UsageError, match="needs its reason"):
        do(root, plan_decide, "correct", ["ada"], WHY._replace(why=" "))
    assert tree(root) == before


def test_a_decision_is_not_merely_observed(tmp_path: Path) -> None:
    """It would not say what it decides: the commands that do are named."""
    with pytest.raises(UsageError, match="says what it decides"):
        do(people(tmp_path), plan_observe, "Said.", kind="decision")


def test_several_statements_are_rejected_at_once(tmp_path: Path) -> None:
    """Suggestions are statements, and one reason may be that of many."""
    root = people(tmp_path)
    facts = ("- title:: X (auto-low) ^aa", "- title:: Y (auto-low) ^bb")
    (root / EVE).write_text(entity("eve", "## Facts", "", *facts))
    do(root, plan_decide, "reject", ("^aa", "eve/^bb"), WHY)
    assert [[name.text for name in one.about] for one in decisions(root)] == [
        ["eve/^aa", "eve/^bb"]
    ]


# -- who says it -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["Dana", "dana ", "email:office@x.example"])
def test_whoever_could_be_two_is_asked_about(tmp_path: Path, name: str) -> None:
    """A speaker, a participant, one who decides: a name or key of several is refused, with their ids; an id is taken."""
    root = people(tmp_path)
    for id in ("dana-reyes", "dana-whitfield"):
        fields = {"aliases": "[Dana]", "keys": "[email:office@x.example]"}
        (root / f"entities/person/{id}.md").write_text(entity(id, name=id.title(), **fields))
    before = tree(root)
    plans: tuple[Plan, ...] = (
        lambda w: plan_observe(w, "Said.", said_by=name),
        lambda w: plan_observe(w, "Said.", said_by="ada", participants=["ada", name]),
        lambda w: plan_decide(w, "correct", ["ada"], WHY._replace(by=name)),
        lambda w: plan_fact(w, "ada", "title", "X", Saying(said="Said.", by=name)),
    )
    for plan in plans:
        with pytest.raises(Ambiguous) as refused:
            do(root, plan)
        assert "(dana-reyes)" in refused.value.message
        assert "(dana-whitfield)" in refused.value.message
    assert tree(root) == before
    for who in ("dana-reyes", "Somebody Else"):
        (seen,) = do(root, plan_observe, "Said.", said_by=who).edit.observations
        assert workspace(root).graph.observations[seen].said_by == who


# -- what is undone ----------------------------------------------------------------------------------------------


@pytest.fixture
def northpeak(tmp_path: Path) -> Path:
    """A copy of the shipped knowledge base."""
    root = tmp_path / "northpeak"
    for name in ("entities", "observations"):
        shutil.copytree(REPOSITORY / name, root / name)
    shutil.copy(REPOSITORY / "kb.yaml", root)
    return root


#: The commands that ask.
ASKING = {
    *("find", "show", "facts", "relations", "neighbors", "paths", "timeline", "search"),
    *("resolve", "stats", "vocabulary", "candidates", "check"),
}


def iter_questions(root: Path) -> Iterator[list[str]]:
    """Yield commands that ask all there is to ask, of everything."""
    graph = open_for_reading(str(root), NOW).graph
    entities = [graph.entities[id] for id in sorted(graph.entities)]
    yield from (["stats"], ["vocabulary"], ["candidates"], ["check"])
    for text in ("Dana", "pilot start"):
        yield from (["search", text], ["find", text], ["resolve", "--name", text])
    for id in sorted({*graph.entities, *graph.survivors}):
        yield ["show", id, "--history", "--include-ended"]
        yield ["facts", id, "--history", "--limit", "0"]
        yield ["neighbors", id]
        yield ["neighbors", id, "--at", "2025-06"]
        yield ["relations", id, "--include-ended", "--limit", "0"]
        yield ["timeline", id, "--limit", "0"]
        yield ["candidates", id]
        yield ["search", "the", "--entity", id, "--expand", "--limit", "5"]
        yield from (["paths", end, id, "--limit", "3"] for end in ("dana-reyes", "fairline") if id != end)  # fmt: skip
    for one in entities:
        yield ["find", one.name]
        yield ["resolve", "--name", one.name, "--type", one.type or "other"]
        yield ["search", one.name, "--limit", "5"]
        for key in one.normalized_keys:
            yield from (["find", key], ["resolve", "--key", key])
    yield from (["show", id] for id in sorted(graph.observations))
    yield from (["relations", "-p", name] for name in sorted(dict(graph.count_predicates())))


def answers(root: Path, questions: list[list[str]]) -> dict[str, str]:
    """Answer each question, as JSON."""
    base = open_for_reading(str(root), NOW)
    found = {}
    for question in questions:
        result = CliRunner().invoke(program, [*question, "--json"], obj=base)
        assert result.exit_code in (0, 1), result.output
        found[" ".join(question)] = result.stdout
    return found


@pytest.mark.parametrize(
    ("survivor", "other"), [("dana-reyes", "dana-whitfield"), ("priya-raman", "sam-okafor"), ("northpeak", "fairline")]
)  # fmt: skip
def test_a_forced_false_merge_is_undone(northpeak: Path, survivor: str, other: str) -> None:
    """Every query answers after the unmerge as before the merge, byte for byte, the decisions apart."""
    before = tree(northpeak)
    questions = list(iter_questions(northpeak))
    assert {question[0] for question in questions} == ASKING
    expected = answers(northpeak, questions)
    do(northpeak, plan_merge, survivor, other, WHY, force=True)
    about = [question for question in questions if {survivor, other, "stats"} & {*question}]
    merged = answers(northpeak, about)
    changed = {question.split()[0] for question in merged if merged[question] != expected[question]}
    assert changed >= {"stats", "show", "facts", "relations", "neighbors", "paths", "timeline"}
    do(northpeak, plan_unmerge, other, WHY)
    after = tree(northpeak)
    assert {path: data for path, data in after.items() if path in before} == before
    for path in set(after) - set(before):
        assert b"kind: decision" in after[path]
        (northpeak / path).unlink()
    assert answers(northpeak, questions) == expected


def test_unmerge_beside_the_decisions_changes_nothing_but_them(northpeak: Path) -> None:
    """With the two decisions on record, all answers about others are what they were."""
    questions = [["neighbors", "northpeak"], ["facts", "sam-okafor"], ["timeline", "priya-raman"], ["paths", "dana-reyes", "fairline"]]  # fmt: skip
    expected = answers(northpeak, questions)
    do(northpeak, plan_merge, "priya-raman", "sam-okafor", WHY)
    do(northpeak, plan_unmerge, "sam-okafor", WHY)
    assert answers(northpeak, questions) == expected


def test_two_danas_stay_two_until_a_key_says_otherwise(northpeak: Path) -> None:
    """A name never joins them: neither an alias nor a new one; a shared key makes them a question, and a person decides."""
    (northpeak / "entities/person/dana-reyes.md").write_text(
        (northpeak / "entities/person/dana-reyes.md")
        .read_text("utf-8")
        .replace("distinct_from: [dana-whitfield]\n", ""),
        "utf-8",
    )
    (northpeak / "observations/2025/06/2025-06-03-two-danas.md").unlink()
    do(northpeak, plan_set, "dana-whitfield", "alias", ("Dana Reyes",), How.SET)
    graph = open_for_reading(str(northpeak), NOW).graph
    assert {"dana-reyes", "dana-whitfield"} <= set(graph.entities)
    assert graph.bearers_of_name("Dana") == ("dana-reyes", "dana-whitfield")
    with pytest.raises(Refused, match="could be any of 2"):
        do(northpeak, plan_set, "Dana", "note", ("x",))
    with pytest.raises(Refused, match="is a key of Dana Reyes"):
        do(northpeak, plan_set, "dana-whitfield", "key", ("email:dana@northpeak.example",))
    key = "email:dana@northpeak.example"
    asked = [["resolve", "--name", "Dana"], ["resolve", "--name", "Dana", "--key", key]]
    by_name, by_key = (json.loads(one)["results"] for one in answers(northpeak, asked).values())
    assert (by_name["verdict"], by_name["entity"]) == ("question", None)
    assert (by_key["verdict"], by_key["entity"]["id"]) == ("existing", "dana-reyes")
    path = northpeak / "entities/person/dana-whitfield.md"
    path.write_text(path.read_text("utf-8").replace("keys: [", f"keys: [{key}, "), "utf-8")
    assert "dana-whitfield" in open_for_reading(str(northpeak), NOW).graph.entities
    asked = [["candidates", "dana-reyes"], ["resolve", "--key", key]]
    pairs, by_key = (json.loads(one)["results"] for one in answers(northpeak, asked).values())
    assert key in json.dumps(pairs)
    assert by_key["verdict"] == "question"
    do(northpeak, plan_merge, "dana-reyes", "dana-whitfield", WHY)
    assert open_for_reading(str(northpeak), NOW).graph.survivors["dana-whitfield"] == "dana-reyes"


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.sampled_from(("merge", "unmerge", "distinct", "withdraw")), st.sampled_from("abcd"), st.sampled_from("abcd")), max_size=8))  # fmt: skip
def test_judgements_never_leave_a_fault(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str]]
) -> None:
    """Whatever is judged in whatever order: each is done or refused, ``check`` finds no error, and undoing all restores the bytes."""
    root = tmp_path_factory.mktemp("kb")
    write_kb(root, {f"entities/person/{id}.md": entity(id, name=id.upper()) for id in "abcd"})
    before, done = tree(root), 0
    for what, one, other in steps:
        try:
            match what:
                case "merge":
                    edit = do(root, plan_merge, one, other, WHY, force=one < "c").edit
                case "unmerge":
                    edit = do(root, plan_unmerge, other, WHY).edit
                case _:
                    edit = do(
                        root, plan_distinct, one, other, WHY, withdraw=what == "withdraw"
                    ).edit
        except Refused:
            continue
        done += bool(edit.changes)
        assert errors(root) == []
    for _ in range(done):
        undo_last(str(root))
    assert tree(root) == before


def test_commands_file_who_decided(northpeak: Path) -> None:
    """``--by`` is an entity where one is meant; without it the decision names whoever is at the keyboard."""
    for by, said in ((["--by", "Ruth Adeyemi"], "ruth-adeyemi"), ([], None)):
        result = CliRunner().invoke(
            program,
            ["--root", str(northpeak), "distinct", "sam-okafor", "henrik-moe", "--why", "x", "--json", *by],
        )  # fmt: skip
        assert result.exit_code == 0, result.output
        (path,) = (
            one["path"]
            for one in json.loads(result.stdout)["changes"]
            if one["path"].startswith("observations/")
        )
        text = (northpeak / path).read_text("utf-8")
        assert f"said_by: {said}\n" in text if said else "said_by: " in text
        undo_last(str(northpeak))


def test_a_merge_by_way_of_a_merged_one_says_so(tmp_path: Path) -> None:
    """Who is merged into somebody that was merged reads as the survivor, and stays so when that one is unmerged."""
    root = people(tmp_path)
    do(root, plan_merge, "ada", "bob", WHY)
    done = do(root, plan_merge, "bob", "eve", WHY)
    assert any("whatever becomes of bob" in note for note in done.edit.notes)
    do(root, plan_unmerge, "bob", WHY)
    assert open_knowledge_base(str(root), NOW).graph.survivors == {"eve": "ada"}


def test_a_merge_names_whom_it_joins_through_others(tmp_path: Path) -> None:
    """Whatever was merged into either before comes along, and is said."""
    root = people(tmp_path)
    do(root, plan_merge, "bob", "ada", WHY)
    done = do(root, plan_merge, "eve", "bob", WHY)
    assert done.edit.notes == ("joined too: ada, which was merged into bob",)


@pytest.mark.parametrize(
    "parted, survivor, other, through",
    [
        ("unmerge ada", "bob", "ada", "eve and ada"),
        ("unmerge ada", "ada", "eve", "ada and eve"),
        ("unmerge bob", "eve", "bob", ""),
        ("unmerge bob", "ada", "eve", ""),
        ("unmerge bob", "eve", "ada", None),
        ("distinct", "bob", "eve", ""),
        ("distinct", "eve", "bob", ""),
        ("reject", "bob", "eve", "bob and eve"),
        ("reject", "eve", "ada", None),
        ("reject", "eve", "bob", "eve and bob"),
        ("erased", "bob", "eve", ""),
    ],
)
def test_what_was_parted_is_not_joined_again_in_silence(
    tmp_path: Path, parted: str, survivor: str, other: str, through: str | None
) -> None:
    """A pair that an undone merge or a judgement keeps apart is not joined, directly or through others, and the decision is named.

    By force it is, which takes the decision back; undoing that parts them again.
    """
    root = people(tmp_path)
    do(root, plan_merge, "bob", "ada", WHY)
    if parted == "reject":
        do(root, plan_decide, "reject", ("ada", "eve"), WHY)
    elif parted in ("distinct", "erased"):
        do(root, plan_distinct, "ada", "eve", WHY)
        if parted == "erased":  # by hand: it is on record all the same
            for path in (BOB, EVE):
                text = (root / path).read_text()
                (root / path).write_text(re.sub(r"distinct_from: .*\n", "", text))
    else:
        do(root, plan_merge, "eve", "bob", WHY)
        do(root, plan_unmerge, parted.removeprefix("unmerge "), WHY)
    before = tree(root)
    with pytest.raises(Refused) as refused:
        do(root, plan_merge, survivor, other, WHY)
    assert tree(root) == before
    if through is None:  # it is merged into another, which is said first
        assert "is merged into" in refused.value.message
        return
    (decision,) = (
        one for one in workspace(root).graph.observations.values() if one.decision in PARTING
    )
    assert f"({decision.id})" in refused.value.message
    assert refused.value.message.endswith(f"through {through}") or not through
    done = do(root, plan_merge, survivor, other, WHY, force=True)
    assert f"taken back: {decision.id}" in done.edit.notes
    (merge,) = (one for one in decisions(root) if one.id == done.edit.observations[0])
    assert decision.id in [name.text for name in merge.about]
    assert errors(root) == []
    do(root, plan_unmerge, other, WHY)
    with pytest.raises(Refused):
        do(root, plan_merge, survivor, other, WHY)
    do(root, plan_decide, "correct", [one.id for one in decisions(root)], WHY)
    if parted != "distinct":  # which a file says, too
        do(root, plan_merge, survivor, other, WHY)


# -- what takes a decision back ----------------------------------------------------------------------------------

#: When something was decided: a moment, its day, a day before and one after; "" is now.
WHENS = ("", "2026-11-29", "2026-11-29T12:00:00Z", "2026-11-28", "2026-12-03", "2026")


def parted(root: Path, first: str = "ada", second: str = "bob") -> str:
    """Name what on record parts two, and check that whatever asks agrees."""
    base = open_for_reading(str(root), NOW)
    found = find_parting(base.graph, first, second)
    fresh = find_parting(open_knowledge_base(str(root), NOW).graph, first, second)
    assert (found and found.id) == (fresh and fresh.id)
    if not base.graph.are_distinct(first, second):
        offered = [{pair.first.id, pair.second.id} for pair in list_candidates(base).results]
        assert ({first, second} in offered) is (found is None)
    return found.decision if found else ""


def namesakes(root: Path, **fields: dict[str, str]) -> Path:
    """Write two people of one name."""
    files = {f"entities/person/{id}.md": entity(id, **{"name": "Same", **fields.get(id, {})}) for id in ("ada", "bob")}  # fmt: skip
    return write_kb(root, files)


@pytest.mark.parametrize("when", WHENS)
@pytest.mark.parametrize("parting", ["unmerge", "reject", "distinct"])
@pytest.mark.parametrize("by", ["decide", "withdraw", "name"])
def test_what_is_taken_back_is_taken_back_whenever_it_was_decided(
    tmp_path: Path, parting: str, when: str, by: str
) -> None:
    """A correction names what it takes back, so that no date has to tell which came after; what is parted later is parted."""
    root = namesakes(tmp_path)
    reason = WHY._replace(happened_at=when)

    def part(reason: Reason) -> None:
        match parting:
            case "unmerge":
                do(root, plan_merge, "ada", "bob", reason, force=True)
                do(root, plan_unmerge, "bob", reason)
            case "reject":
                do(root, plan_decide, "reject", ("ada", "bob"), reason)
            case _:
                do(root, plan_distinct, "ada", "bob", reason)
                path = root / ADA
                path.write_text(path.read_text().replace("distinct_from: [bob]\n", ""))

    part(WHY._replace(happened_at=""))
    assert parted(root) == parting
    (decision,) = (one.id for one in decisions(root) if one.decision and one.decision.text == parting)  # fmt: skip
    if by == "withdraw":
        done = do(root, plan_distinct, "ada", "bob", reason, withdraw=True)
    else:
        about = ("bob", "ada") if by == "decide" else (decision,)
        done = do(root, plan_decide, "correct", about, reason)
    assert done.edit.notes == (f"taken back: {decision}",)
    assert parted(root) == ""
    assert errors(root) == []
    do(root, plan_merge, "ada", "bob", WHY)
    do(root, plan_unmerge, "bob", WHY)
    assert parted(root) == "unmerge"
    (again,) = (one for one in do(root, plan_decide, "correct", ("ada", "bob"), WHY).edit.notes)
    assert "taken back" in again
    assert parted(root) == ""
    part(WHY)
    assert parted(root) == parting


def test_a_correction_can_be_taken_back(tmp_path: Path) -> None:
    """Then what it took back stands again, and so on; those that name each other end nowhere."""
    root = namesakes(tmp_path)
    do(root, plan_decide, "reject", ("ada", "bob"), WHY)
    about: tuple[str, ...] = ("ada", "bob")
    for left in ("", "reject", "", "reject"):
        about = do(root, plan_decide, "correct", about, WHY).edit.observations
        assert parted(root) == left
    (last,) = about
    path = root / workspace(root).graph.observations[last].path
    path.write_text(path.read_text().replace("about: [", f"about: [{last}, "))
    assert parted(root) in ("", "reject")


@pytest.mark.parametrize(
    "decided, is_parted",
    [
        ("unmerge, correct", True),
        ("unmerge, merge", True),
        ("unmerge, correct 0", False),
        ("unmerge, merge 0", False),
        ("correct 1, unmerge", False),
        ("unmerge, correct nobody", True),
        ("unmerge, unmerge, correct 0", True),
        ("unmerge, unmerge, correct 0 1", False),
        ("unmerge, correct 0, correct 1", True),
        ("unmerge, correct 0, correct 1, correct 2", False),
        ("reject, merge 0, unmerge 1", True),
        ("reject, merge 0, unmerge 1, correct 2", True),
        ("reject, merge 0, unmerge 1, correct 0 2", False),
        ("reject, merge 0, correct 1", True),
        ("reject, distinct 0, correct 1", True),
        ("reject, not-mentioned 0", True),
        ("reject, correct 0 1", False),
        ("reject, correct 1 0", False),
    ],
)
def test_only_what_names_a_decision_takes_it_back(
    tmp_path: Path, decided: str, is_parted: bool
) -> None:
    """A correction or a merge, an unmerge a merge; written by hand, and whatever their dates are."""
    listed = [one.split() for one in decided.split(", ")]
    for dates in (("02", "03", "04", "05", "06"), ("06", "05", "04", "03", "02"), ("02",) * 5):
        root = namesakes(tmp_path / "-".join(dates))
        for number, (decision, *named) in enumerate(listed):
            about = ", ".join(("ada", "bob", *(f"decided-{other}" for other in named)))
            fields = {"decision": decision, "said_by": "ada", "about": f"[{about}]"}
            fields |= {"kind": "decision", "happened_at": f"2026-11-{dates[number]}"}
            id = f"decided-{number}"
            write_kb(root, {f"observations/2026/11/{id}.md": observation(id, **fields)})
        assert bool(parted(root)) is is_parted
        for number, _ in enumerate(listed):
            do(root, plan_decide, "correct", (f"decided-{number}",), WHY)
        assert errors(root) in ([], ["observations/2026/11/decided-1.md KB411"])


def test_an_unmerge_leaves_the_record_as_it_was_before_the_merge(tmp_path: Path) -> None:
    """What the merge took back between others of the two groups parts these again, and is said."""
    root = people(tmp_path)
    do(root, plan_merge, "ada", "eve", WHY)
    (rejected,) = do(root, plan_decide, "reject", ("bob", "eve"), WHY).edit.observations
    with pytest.raises(Refused, match=f"^bob and eve .* \\({rejected}\\), and would be joined"):
        do(root, plan_merge, "bob", "ada", WHY)
    done = do(root, plan_merge, "bob", "ada", WHY, force=True)
    assert f"taken back: {rejected}" in done.edit.notes
    (merge,) = (id for id in done.edit.observations)
    assert [name.text for name in decisions(root)[0].about][:2] == ["ada", "bob"]
    done = do(root, plan_unmerge, "ada", WHY)
    assert done.edit.notes == (f"stands again: {rejected}",)
    with pytest.raises(Refused, match=r"^ada and bob are parted again"):
        do(root, plan_merge, "ada", "bob", WHY)
    do(root, plan_unmerge, "eve", WHY)
    (unmerge,) = (one for one in decisions(root) if [name.text for name in one.about] == ["ada", "bob", merge])  # fmt: skip
    assert parted(root, "bob", "eve") == "reject"
    done = do(root, plan_decide, "correct", (unmerge.id,), WHY)
    assert done.edit.notes == (f"taken back: {unmerge.id}",)
    assert parted(root, "bob", "eve") == "reject"
    assert errors(root) == []


@pytest.mark.parametrize(
    "named, is_parted",
    [
        ({0: [0]}, False),
        ({0: [1], 1: [0]}, True),
        ({0: [1], 1: [2], 2: [0]}, True),
        ({0: [], 1: [0], 2: [1], 3: [1, 2]}, False),
        ({0: [], 1: [0], 2: [1, 3], 3: [2]}, True),
        ({0: [], 1: [0], 2: [1], 3: [2, 4], 4: [3]}, False),
        ({number: [other for other in range(60) if other != number] for number in range(60)}, True),
        ({number: list(range(max(0, number - 2), number)) for number in range(61)}, False),
    ],
)
def test_decisions_that_take_one_another_back(
    tmp_path: Path, named: dict[int, list[int]], is_parted: bool
) -> None:
    """In a circle none counts, and what hangs on one goes on from there; however they name one another, an answer is there at once."""
    root = namesakes(tmp_path)
    (first,) = do(root, plan_decide, "reject", ("ada", "bob"), WHY).edit.observations
    for number, others in named.items():
        about = [f"decided-{other}" for other in others] + [first] * (number == 0)
        fields = {"kind": "decision", "decision": "correct", "said_by": "ada", "about": f"[{', '.join(about)}]"}  # fmt: skip
        id = f"decided-{number}"
        write_kb(root, {f"observations/2026/11/{id}.md": observation(id, **fields, happened_at="2026-11-29")})  # fmt: skip
    started = time.monotonic()
    assert bool(parted(root)) is is_parted
    (page,) = show(open_for_reading(str(root), NOW), "ada").results
    assert {one.observation: not one.is_taken_back for one in page.decisions}[first] is is_parted
    do(root, plan_decide, "correct", [first, *(f"decided-{number}" for number in named)], WHY)
    assert time.monotonic() - started < 10
    assert not parted(root)


def standing(root: Path) -> set[str]:
    """List the decisions that nobody took back, merges apart, which files make and undo."""
    graph = workspace(root).graph
    found = (one.id for one in graph.observations.values() if one.decision not in ("", "merge"))
    return {id for id in found if id in foresee_taking_back(graph, (id,)).taken}


#: What people do about whom, and when they say that it was.
STEPS = st.tuples(
    st.sampled_from(
        ("merge", "force", "unmerge", "distinct", "withdraw", "reject", "correct", "again", "erase")
    ),
    st.sampled_from(("ada bob", "bob ada", "ada eve", "eve ada", "bob eve", "eve bob")),
    st.sampled_from(("", "2026-11-29", "2026-11-20", "2026-12-03")),
    st.integers(0, 5),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=2, max_size=9))
def test_what_is_said_is_what_happens(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, str, int]]
) -> None:
    """In whatever order and at whatever dates: the decisions named as taken back, and as standing again, are those that are.

    Nothing else comes or goes, a pair that is named with a correction is parted by nothing on record, and an unmerge
    leaves on record what stood before its merge.
    """
    root = people(tmp_path_factory.mktemp("kb"))
    stood: dict[str, set[str]] = {}  #: who is merged → what stood before that

    def plan(space: Workspace, what: str, one: str, other: str, when: str, number: int) -> Edit:
        reason = WHY._replace(happened_at=when)
        match what:
            case "merge" | "force":
                return plan_merge(space, one, other, reason, force=what == "force")
            case "unmerge":
                return plan_unmerge(space, other, reason)
            case "distinct" | "withdraw":
                return plan_distinct(space, one, other, reason, withdraw=what == "withdraw")
            case "again":
                decided = sorted(o.id for o in space.graph.observations.values() if o.decision)
                about = decided[number : number + 1] or ["ada"]
                return plan_decide(space, "correct", about, reason)
            case _:
                return plan_decide(space, what, (one, other), reason)

    for what, pair, when, number in steps:
        one, other = pair.split()
        if what == "erase":  # by hand: what is on record is all that is left
            path = root / f"entities/person/{one}.md"
            path.write_text(entity(one, name=one.title()))
            stood.pop(one, None)
            continue
        before = standing(root)
        try:
            edit = do(root, plan, what, one, other, when, number).edit
        except (Refused, UsageError):
            continue
        after = standing(root)
        new = {*edit.observations[:1]} if edit.changes else set()
        notes = [note.partition(": ") for note in edit.notes]
        listed = {what: {id for said, _, id in notes if said == what and " is not " not in id} for what in ("taken back", "stands again")}  # fmt: skip
        graph = workspace(root).graph
        taken = {id for id in listed["taken back"] if graph.observations[id].decision != "merge"}
        assert taken == before - after
        assert listed["stands again"] == after - before - new
        if what in ("correct", "withdraw") and one not in graph.survivors and other not in graph.survivors:  # fmt: skip
            assert find_parting(graph, one, other) is None
        if what in ("merge", "force") and edit.changes:
            stood[other] = before
        elif what == "unmerge" and other in stood:
            assert stood.pop(other) <= after
        else:
            stood.clear()
        assert errors(root) == []


def test_a_correction_says_what_it_does_not_take_back(tmp_path: Path) -> None:
    """What files say, what is on record besides, and that there is nothing: never in silence."""
    root = people(tmp_path, ada={"distinct_from": "[bob]"}, eve={"merged_into": "bob"})

    def notes(*about: str) -> tuple[str, ...]:
        return do(root, plan_decide, "correct", about, WHY).edit.notes

    assert notes("ada", "bob") == ("ada and bob are judged distinct in a file, and stay so: kb distinct ada bob --withdraw",)  # fmt: skip
    assert notes("bob", "eve") == ("bob and eve are merged, and stay so: kb unmerge eve",)
    assert notes("ada") == notes("ada", "2026-01-01-seen") == ()
    do(root, plan_distinct, "ada", "eve", WHY, withdraw=True)
    assert notes("ada", "bob") == ("it takes no judgement back: none that parts them is on record",)
    ids = [do(root, plan_decide, "reject", ("ada", "bob"), WHY).edit.observations[0] for _ in (1, 2)]  # fmt: skip
    assert notes(ids[0]) == (f"taken back: {ids[0]}", f"still parted by {ids[1]}: kb decide correct {ids[1]}")  # fmt: skip
    assert notes(ids[0], ids[1]) == (f"taken back: {ids[1]}", f"{ids[0]} was taken back before")
    do(root, plan_merge, "ada", "bob", WHY)
    (merge,) = (one.id for one in decisions(root) if one.decision and one.decision.text == "merge")
    stays = "bob and ada are merged, and stay so: kb unmerge bob"
    assert notes(merge) == (f"taken back: {merge}", stays)
    assert notes(merge) == (f"{merge} was taken back before", stays)
    assert errors(root) == []


def test_a_rejection_of_two_that_are_merged_says_that_it_parts_nobody_yet(tmp_path: Path) -> None:
    """They stay merged, whichever is named first; of others there is nothing to say."""
    root = people(tmp_path, eve={"merged_into": "bob"})
    for about in (("bob", "eve"), ("eve", "bob")):
        done = do(root, plan_decide, "reject", about, WHY)
        stays = f"{' and '.join(about)} are merged, and stay so: kb unmerge eve"
        assert done.edit.notes == (stays,)
    assert do(root, plan_decide, "reject", ("ada", "eve"), WHY).edit.notes == ()
    assert parted(root, "ada", "bob") == "reject"
    do(root, plan_unmerge, "eve", WHY)
    assert parted(root, "bob", "eve") == "unmerge"
    assert parted(root, "ada", "eve") == "reject"


def test_what_an_unmerge_parted_is_withdrawn_by_distinct_too(tmp_path: Path) -> None:
    """It changes no file, says what it takes back, and is nothing to do a second time."""
    root = people(tmp_path)
    do(root, plan_merge, "ada", "bob", WHY)
    do(root, plan_unmerge, "bob", WHY)
    before = tree(root)
    done = do(root, plan_distinct, "ada", "bob", WHY, withdraw=True)
    assert done.edit.notes == ("taken back: 2026-11-29-bob-is-not-ada",)
    assert [path for path in done.edit.paths if path in before] == []
    again = do(root, plan_distinct, "bob", "ada", WHY, withdraw=True)
    assert (again.edit.changes, again.edit.subject) == ((), "ada and bob are not judged distinct")
    do(root, plan_merge, "ada", "bob", WHY)
    assert errors(root) == []


def test_a_merge_is_not_undone_before_it_was_made(tmp_path: Path) -> None:
    """An earlier date is refused, since the merge would count as the later decision; the same day is not."""
    root = namesakes(tmp_path)
    do(root, plan_merge, "ada", "bob", WHY._replace(happened_at=""))
    before = tree(root)
    with pytest.raises(Refused, match="before the merge that is undone"):
        do(root, plan_unmerge, "bob", WHY._replace(happened_at="2026-11-28"))
    assert tree(root) == before
    do(root, plan_unmerge, "bob", WHY)
    assert parted(root) == "unmerge"


def test_the_last_merge_is_the_one_that_is_undone(tmp_path: Path) -> None:
    """By the same rule as everywhere: a judgement that it was forced against is put in again, were it dated by its day."""
    root = people(tmp_path)
    do(root, plan_merge, "ada", "bob", WHY._replace(happened_at=""))
    do(root, plan_unmerge, "bob", WHY)
    do(root, plan_distinct, "ada", "bob", WHY)
    before = (root / ADA).read_bytes()
    do(root, plan_merge, "ada", "bob", WHY, force=True)
    assert (root / ADA).read_bytes() != before
    done = do(root, plan_unmerge, "bob", WHY)
    assert (root / ADA).read_bytes() == before
    assert "judged again: ada is not bob" in done.edit.notes
