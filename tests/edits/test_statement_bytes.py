"""Statement edits over any text: no crash, no other byte changed, what is refused is untouched, nothing new is wrong."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.checks import check_knowledge_base
from kb.diagnostics import Severity
from kb.edits.apply import Plan
from kb.edits.edit import Edit
from kb.edits.relate import Saying, plan_fact, plan_relate
from kb.edits.retire import plan_cite, plan_confirm, plan_retire, plan_unrelate
from kb.edits.workspace import Workspace
from kb.errors import KbError
from kb.graph.drafts import draft_statements
from kb.graph.graph import Statement
from kb.knowledge_base import KnowledgeBase, open_knowledge_base
from kb.syntax.entity_file import parse_entity_file
from kb.syntax.source import decode
from tests.checks.test_bad_inputs import ROWS
from tests.conftest import NOW, SHARED, entity, observation, write_kb
from tests.syntax.test_bad_files import FILES

A, B, C = (f"entities/person/{id}.md" for id in "abc")
SEEN = "observations/2026/01/2026-01-15-seen.md"
SAID = Saying(observations=("2026-01-15-seen",))
AROUND: Mapping[str, str] = {
    B: entity("b", name="Bob Ray"),
    C: entity("c", name="Cay"),
    SEEN: observation("2026-01-15-seen", "Said.\n", said_by="b", title="Seen"),
}


def edits_of(statement: Statement) -> Iterator[Plan]:
    """Every edit of a statement that stands."""
    id = f"{statement.file_id}/^{statement.id}"
    for how in (
        {"until": "2030-05"},
        {"is_ended": True},
        {"retract": True},
        {"superseded_by": "a/^later"},
    ):
        yield lambda w, how=how: plan_retire(w, id, **how)  # type: ignore[misc]
    yield lambda w: plan_cite(w, id, ["2026-01-15-seen"])
    yield lambda w: plan_confirm(w, id)
    for said in (
        SAID,
        SAID._replace(reason="because", confidence=70, valid_until="2031"),
        Saying(said="It is so.", by="b", since="1990", supersede=id),
    ):
        if statement.object is not None:
            ends = (statement.subject, statement.predicate, statement.object)
            yield lambda w, said=said, ends=ends: plan_relate(w, *ends, said)  # type: ignore[misc]
        else:
            what = (statement.subject, statement.predicate, statement.value or "")
            yield lambda w, said=said, what=what: plan_fact(w, *what, said)  # type: ignore[misc]
    if statement.object is not None:
        ends = (statement.subject, statement.predicate, statement.object)
        for until, delete in (("", False), ("2030", False), ("", True)):
            yield lambda w, u=until, d=delete, ends=ends: plan_unrelate(w, *ends, u, d)  # type: ignore[misc]


def new_edits() -> Iterator[Plan]:
    """Statements that are new at ``a``."""
    yield lambda w: plan_relate(w, "a", "mentors", "c", SAID._replace(since="2024"))
    yield lambda w: plan_relate(w, "b", "manages", "a", SAID)
    yield lambda w: plan_relate(w, "c", "meets-with", "a", Saying(said="We met.", when="yesterday"))
    yield lambda w: plan_relate(
        w, "a", "possibly-caused-by", "c", SAID._replace(reason="x ^y [^z]")
    )
    yield lambda w: plan_fact(w, "a", "title", "VP (acting) — all", SAID)
    yield lambda w: plan_fact(w, "a", "decided", "`x` [b](b.md)", SAID._replace(confidence=3))


def planned(base: KnowledgeBase, plan: Plan) -> Edit | None:
    """Plan an edit; ``None`` where it is refused."""
    try:
        return plan(Workspace(base))
    except KbError:
        return None


def _lines(data: bytes) -> list[bytes]:
    """Take a text into lines; one that has no line end may get one when something follows it."""
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    return (data if data.endswith((b"\n", b"\r")) else data + newline).splitlines(keepends=True)


def assert_only_statements_change(base: KnowledgeBase, edit: Edit) -> None:
    """Whatever an edit changes in an entity's file lies in the lines of its statements, their details and definitions."""
    for change in edit.changes:
        if change.before is None:
            assert change.path.startswith("observations/")
            continue
        assert change.after is not None
        assert change.before.startswith(b"\xef\xbb\xbf") == change.after.startswith(b"\xef\xbb\xbf")
        file, _ = parse_entity_file(decode(change.path, change.before))
        resolution = base.resolution
        drafts = draft_statements(file, resolution.links, base.vocabulary)
        edited = {one.id for one in edit.statements}
        source = decode(change.path, change.before)
        allowed = set()
        for draft in drafts:
            if draft.id in edited:
                first, last = source.span(draft.line.start).line, source.span(draft.line.end).line
                last += sum(1 for _ in draft.line.sub_items) if edit.name == "unrelate" else 0
                allowed |= set(range(first - 1, last))
        rest = iter(_lines(change.after))
        for number, line in enumerate(_lines(change.before)):
            is_definition = edit.name == "unrelate" and (line.startswith(b"[^") or not line.strip())
            if number not in allowed and not is_definition:
                assert line in rest, (number, line, edit)


CORPUS = [
    *((f"file {row}", {A: text}) for row, text, _, _ in FILES),
    *((f"base {row}", files) for row, files, _ in ROWS),
]


@pytest.mark.parametrize(
    "name, files", CORPUS, ids=[f"{n}-{name}" for n, (name, _) in enumerate(CORPUS)]
)
def test_bad_inputs_under_every_edit(
    make_kb: Callable[..., KnowledgeBase], name: str, files: dict[str, str]
) -> None:
    """Each row of the corpora: an edit changes its own lines, or is refused; a broken file is never written."""
    base = make_kb({**AROUND, **files})
    plans = list(new_edits())
    for statement in base.graph.iter_statements():
        plans += edits_of(statement)
    plans = plans[:2] if len(next(iter(files.values()))) > 100_000 else plans
    broken = {file.path for file in base.corpus.entities if file.is_broken}
    for plan in plans:
        edit = planned(base, plan)
        if edit is not None:
            assert not broken & {change.path for change in edit.changes}
            assert_only_statements_change(base, edit)


@pytest.mark.skipif(not (SHARED / "cases").is_dir(), reason="the cases do not lie here")
def test_the_cases_files_under_every_edit(make_kb: Callable[..., KnowledgeBase]) -> None:
    """Each Markdown file of the cases, as an entity under its own name."""
    paths = sorted((SHARED / "cases").glob("B*/**/*.md"))
    files = {f"entities/x/{n}/{path.name}": path.read_bytes() for n, path in enumerate(paths)}
    base = make_kb({**AROUND, A: entity("a"), **files})
    plans = list(new_edits())
    for id in base.graph.entities:
        plans.append(lambda w, id=id: plan_fact(w, id, "status", "done", SAID))  # type: ignore[misc]
        plans.append(lambda w, id=id: plan_relate(w, id, "related-to", "b", SAID))  # type: ignore[misc]
    for statement in base.graph.iter_statements():
        plans += edits_of(statement)
    for plan in plans:
        edit = planned(base, plan)
        if edit is not None:
            assert_only_statements_change(base, edit)


# -- any formatting ----------------------------------------------------------------------------------------------

_SPACE = st.sampled_from((" ", "  ", "\t", " "))
_TIMES = st.sampled_from(
    ("2015/..", "2015", "2014-05/2016", "/2016", "/..", "ended", "2020~/", "2015-12-03/..")
)
_QUALIFIERS = st.lists(
    st.one_of(
        _TIMES.map(lambda time: ("time", time)),
        st.sampled_from(("90%", "5 %", "100%")).map(lambda text: ("confidence", text)),
        st.just(("by", "by  c")),
        st.sampled_from(("auto-high", "auto-low")).map(lambda text: ("auto", text)),
        st.just(("retracted", "retracted")),
    ),
    max_size=4,
    unique_by=lambda pair: pair[0],
)
_OBJECTS = st.sampled_from(
    (
        ("relations", "mentors:: {}", "[Bob](b.md)"),
        ("relations", "Collaborates_With :: {}", "[[b|the *Bob*]]"),
        ("relations", "reports-to::  {}", '[B\\]ob](<b.md> "title")'),
        ("relations", "related-to::{}", "[[Bob Ray]]"),
        ("relations", "custom:: {}", "[C](c.md#part)"),
        ("facts", "title:: {}", "`VP (acting) — EMEA`"),
        ("facts", "Title ::{}", "Head of *all* (us)"),
        ("facts", "decided:: {}", "to go [C](c.md) — not"),
        ("facts", "role:: {}", "a \\[b\\] &amp; c"),
    )
)
_NOTES = st.sampled_from(("", "plain", "`a [^x]`", "wrapped\n  on a second line", "an em — dash"))
_CITED = st.sampled_from(("", "[^2026-01-15-seen]", "[^other], [^2026-01-15-seen]", "[^other]"))
_BETWEEN = st.sampled_from(
    (
        "",
        "\n",
        "\n\n",
        "\n<!-- a comment -->\n",
        "\n### Group\n",
        "  - detail:: kept\n",
        "    - detail:: a\n",
    )
)


@st.composite
def _items(draw: st.DrawFn) -> tuple[str, str]:
    section, form, object = draw(_OBJECTS)
    space = draw(_SPACE)
    parts = [form.format(object)]
    qualifiers = [text for _, text in draw(_QUALIFIERS)]
    if qualifiers:
        comma = draw(st.sampled_from((", ", ",", " , ")))
        inner = draw(st.sampled_from(("", " ")))
        parts.append(f"({inner}{comma.join(qualifiers)}{inner})")
    note = draw(_NOTES)
    parts += [f"— {note}"] if note else []
    cited = draw(_CITED)
    parts += [cited] if cited else []
    id = draw(st.sampled_from(("", "^k1", "^k2", "^k3", "^k4")))
    parts += [id] if id else []
    bullet = draw(st.sampled_from(("- ", "* ", "+ ", "-   ")))
    end = draw(st.sampled_from(("", "", "  ")))
    return section, f"{bullet}{space.join(parts)}{end}\n{draw(_BETWEEN)}"


@st.composite
def _texts(draw: st.DrawFn) -> bytes:
    items = draw(st.lists(_items(), min_size=1, max_size=5))
    head = draw(
        st.sampled_from(("id: a\ntype: person\n", "# c\nname:   'A' # why\nid: a\nmood: [x,  y]\n"))
    )
    sections = []
    for section, title in (("relations", "## Relations"), ("facts", "##  facts ##")):
        inside = [text for kind, text in items if kind == section]
        if inside or draw(st.booleans()):
            sections.append(f"{title}\n{draw(st.sampled_from(('', chr(10))))}{''.join(inside)}\n")
    if draw(st.booleans()):
        sections.reverse()
    prose = draw(st.sampled_from(("", "Free text  \nof mine.\n\n", "- a list\n- of mine\n\n")))
    tail = draw(st.sampled_from(("", "## Notes\n\nMore.\n", "[^other]: mine\n", "\n\n\n")))
    text = f"---\n{head}---\n{prose}{''.join(sections)}{tail}"
    if draw(st.booleans()):
        text = text.rstrip("\n")
    text = text.replace("\n", draw(st.sampled_from(("\n", "\r\n"))))
    return (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=_texts(), choose=st.randoms(use_true_random=False))
def test_any_formatting_under_any_edit(tmp_path: Path, data: bytes, choose: "object") -> None:
    """Only the statement's own lines differ, it is found by its id, and no error is there that was not there before."""
    root = tmp_path / "kb"
    base = open_knowledge_base(str(write_kb(root, {**AROUND, A: data})), NOW)
    errors = _errors(base)
    statements = list(base.graph.iter_statements())
    plans = list(new_edits())
    for statement in statements:
        plans += edits_of(statement)
    choose.shuffle(plans)  # type: ignore[attr-defined]
    for plan in plans[:3]:
        edit = planned(base, plan)
        if edit is None or not edit.changes:
            continue
        assert_only_statements_change(base, edit)
        after = open_knowledge_base(str(_written(tmp_path / "after", root, edit)), NOW)
        assert not _errors(after) - errors, (edit, _errors(after) - errors)
        told = {(one.file_id, one.id) for one in after.graph.iter_statements()}
        if edit.subject.endswith(": deleted"):
            assert (edit.statements[0].entity, edit.statements[0].id) not in told
        else:
            assert all((one.entity, one.id) in told for one in edit.statements)
        others = {(s.file_id, s.id): _said(s) for s in statements}
        now = {(s.file_id, s.id): _said(s) for s in after.graph.iter_statements()}
        for key in others.keys() - {(one.entity, one.id) for one in edit.statements}:
            assert now[key] == others[key]
        again = planned(after, plan)
        if again is not None and "deleted" not in edit.subject and "supersede" not in edit.subject:
            assert again.changes == (), (edit, again)


def _said(statement: Statement) -> Statement:
    return statement._replace(line=0, ordinal=0)


def _errors(base: KnowledgeBase) -> Counter[str]:
    found = check_knowledge_base(base)
    return Counter(one.code for one in found if one.severity is Severity.ERROR)


def _written(target: Path, root: Path, edit: Edit) -> Path:
    """Write what an edit makes of a knowledge base into another folder."""
    import shutil

    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root, target)
    for change in edit.changes:
        path = target / change.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(change.after or b"")
    return target
