"""Calls that end without an answer: their exit status, and the object that JSON has for them."""

import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

import kb
from kb.cli.program import COMMANDS, main, program
from kb.errors import ErrorCode, KbError
from tests.conftest import entity, observation, write_kb

SEEN = "2026-01-01-seen"
FILES = {
    "entities/person/ada.md": entity(
        "ada",
        "## Relations",
        "",
        f"- mentors:: [Bob](bob.md) [^{SEEN}] ^m1",
        name="Ada",
        keys="[github:ada]",
    ),
    "entities/person/bob.md": entity(
        "bob", "## Facts", "", f"- title:: X [^{SEEN}] ^m1", name="Bob", aliases="[Twin]"
    ),
    "entities/person/cay.md": entity("cay", name="Cay", aliases="[Twin]"),
    f"observations/2026/01/{SEEN}.md": observation(SEEN),
}
RELATION = ("ada", "-p", "mentors", "--target", "cay")
#: A call of each command that takes a time, but for that.
CALLS: dict[str, tuple[str, ...]] = {
    "show": ("ada",),
    "facts": ("ada",),
    "relations": ("ada",),
    "neighbors": ("ada",),
    "paths": ("ada", "bob"),
    "timeline": ("ada",),
    "search": ("ada",),
    "relate": (*RELATION, "--observation", SEEN),
    "fact": ("ada", "title", "X", "--observation", SEEN),
    "unrelate": ("ada", "-p", "mentors", "--target", "bob"),
    "retire": ("ada/^m1",),
    "merge": ("ada", "bob", "--why", "x"),
    "unmerge": ("ada", "--why", "x"),
    "distinct": ("ada", "bob", "--why", "x"),
    "decide": ("reject", "ada", "--why", "x"),
    "observe": ("Said.",),
}
_TIMES = frozenset(("DATE", "WHEN", "TIME"))


def times() -> Iterator[tuple[str, str]]:
    """Yield each command with each of its options that takes a time."""
    context = click.Context(program)
    for name in COMMANDS:
        command = program.get_command(context, name)
        assert command is not None
        for option in command.params:
            if option.metavar in _TIMES:
                yield name, option.opts[-1]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_kb(tmp_path / "kb", FILES)


def ended(
    root: Path,
    arguments: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> tuple[int, str, str]:
    """Run the program as a process would; give its status, standard output and standard error."""
    monkeypatch.setattr(sys, "argv", ["kb", "--root", str(root), *arguments])
    with pytest.raises(SystemExit) as exit:
        main()
    out, err = capsys.readouterr()
    return int(exit.value.code or 0), out, err


@pytest.mark.parametrize(("command", "option"), list(times()))
def test_a_time_that_cannot_be_read_is_wrong_usage(
    root: Path,
    command: str,
    option: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever the command, and whatever else would be wrong with the call: 2, and nothing is written."""
    call = (command, *CALLS[command], option, "soonish")
    status, out, err = ended(root, (*call, "--json"), monkeypatch, capsys)
    error = json.loads(out)["error"]
    assert (status, error["code"], error["exit_status"]) == (2, "wrong-usage", 2)
    assert "soonish" in error["message"]
    assert f"kb: {error['message']}\n" in err
    assert not list((root / "observations").rglob("*said*"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("show",),
        ("nonsense",),
        ("show", "ada", "--nonsense"),
        ("paths", "ada", "bob", "--max-hops", "9"),
        ("find", "ada", "--type", "nonsense"),
        ("find", "ada", "--limit", "x"),
        ("relations",),
        ("resolve", "--key", "nonsense"),
        ("check", "entities/nonsense.md"),
        ("check", "../x"),
        ("fmt", "nonsense"),
        ("seal", "nonsense"),
        ("explain", "KB000"),
        ("completion", "nonsense"),
        ("new", "person", " "),
        ("new", "person", "A\nB"),
        ("new", " ", "X"),
        ("new", "person", "X", "--id", "X Y"),
        ("new", "person", "X", "--key", "nonsense"),
        ("new", "person", "X", "--key", "github:a\nb"),
        ("new", "person", "X", "--alias", "A\nB"),
        ("new", "person", "X", "--by", "A\nB"),
        ("set", "ada", "id", "x"),
        ("set", "ada", "name"),
        ("set", "ada", "name", "A", "B"),
        ("set", "ada", "alias", "A\nB"),
        ("set", "ada", "stage", "x", "--unset"),
        ("set", "ada", "tags", "x", "--add", "--remove"),
        ("set", "ada", "tags", "x", "--remove", "--unset"),
        ("rename", "ada", ""),
        ("rename", "ada", "A\nB"),
        ("move", "ada"),
        ("move", "ada", "--to", "elsewhere"),
        ("relate", *RELATION),
        ("relate", *RELATION, "--observation", SEEN, "--confidence", "101"),
        ("relate", *RELATION, "--observation", SEEN, "--reason", "one\ntwo"),
        ("relate", "ada", "-p", "nonsense", "--target", "bob", "--observation", SEEN),
        ("fact", "ada", "nonsense", "x", "--observation", SEEN),
        ("fact", "ada", "title", "one\ntwo", "--observation", SEEN),
        ("unrelate", *RELATION, "--until", "2026", "--delete"),
        ("retire", "ada/^m1"),
        ("observe",),
        ("observe", " "),
        ("observe", "x", "--kind", "nonsense"),
        ("observe", "x", "--title", "one\ntwo"),
        ("observe", "x", "--happened-at", "2025/2026"),
        ("merge", "ada", "bob", "--why", " "),
        ("decide", "nonsense", "ada", "--why", "x"),
        ("decide", "reject", "ada", "--why", "x", "--title", "one\ntwo"),
        ("import", "jsonl", "nonsense"),
    ],
)
def test_a_call_that_is_wrong_by_itself_is_wrong_usage(
    root: Path,
    arguments: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What no knowledge base could answer ends with 2, in words and as JSON."""
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    status, out, err = ended(root, arguments, monkeypatch, capsys)
    assert (status, out) == (2, "")
    assert err
    json_asked = ("--json", *arguments) if arguments == ("nonsense",) else (*arguments, "--json")
    status, out, _ = ended(root, json_asked, monkeypatch, capsys)
    assert (status, json.loads(out)["error"]["code"]) == (2, "wrong-usage")
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("not-found", ("show", "nobody")),
        ("not-found", ("relate", "ada", "-p", "mentors", "--target", "nobody", "--said", "x")),
        ("not-found", ("cite", "ada/^m1", "nothing")),
        ("not-found", ("retire", "^nothing", "--retract")),
        ("not-found", ("unrelate", "ada", "-p", "mentors", "--target", "cay")),
        ("ambiguous", ("set", "Twin", "stage", "x")),
        ("ambiguous", ("retire", "^m1", "--retract")),
        ("taken", ("new", "person", "X", "--id", "ada")),
        ("taken", ("new", "person", "X", "--key", "github:ada")),
        ("in-use", ("remove", "bob")),
        ("concurrent-modification", ("set", "ada", "stage", "x", "--if-revision", "other")),
        ("left-alone", ("set", "ada", "keys", "github:x")),
        ("refused", ("merge", "ada", "ada", "--why", "x")),
        ("refused", ("relate", "ada", "-p", "mentors", "--target", "ada", "--said", "x")),
        ("refused", ("new", "person", "X", "--key", "email:x")),
        ("no-knowledge-base", ("--root", "/nowhere", "stats")),
    ],
)
def test_a_call_that_cannot_be_done_here_is_refused(
    root: Path,
    code: str,
    arguments: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It ends with 1, and says by its code why."""
    if code == "left-alone":
        (root / "entities/person/ada.md").write_text("---\nid: ada\nname: [\n---\n")
    status, out, err = ended(root, (*arguments, "--format=json"), monkeypatch, capsys)
    if arguments[0] not in ("show", "--root"):  # edits know --json alone
        status, out, err = ended(root, (*arguments, "--json"), monkeypatch, capsys)
    error = json.loads(out)["error"]
    assert (status, error["code"], error["exit_status"]) == (1, code, 1)
    assert list(error) == ["code", "message", "hint", "exit_status"]
    assert err == f"kb: {error['message']}\n" + (
        f"  hint: {error['hint']}\n" if error["hint"] else ""
    )


def test_an_answer_in_text_has_no_json(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Behind ``--`` nothing is an option, and a form that is no JSON asks for none."""
    for arguments in (("search", "--", "*", "--json"), ("check", "nonsense", "--format", "sarif")):
        assert ended(root, arguments, monkeypatch, capsys)[:2] == (2, "")


def test_a_bad_query_and_a_lock_have_codes(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A search that asks nothing is wrong by itself; a lock that cannot be made says where it lies, and what to do."""
    status, out, _ = ended(root, ("search", "*", "--json"), monkeypatch, capsys)
    assert (status, json.loads(out)["error"]["code"]) == (2, "bad-query")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    for make in (Path.touch, lambda place: place.symlink_to("/nowhere")):
        place = root / ".git/kb"
        make(place)
        status, out, _ = ended(root, ("new", "person", "X", "--json"), monkeypatch, capsys)
        error = json.loads(out)["error"]
        assert (status, error["code"]) == (1, "not-written")
        assert error["hint"].startswith(f"{place} must be a folder")
        place.unlink()


def test_every_error_has_a_code_of_the_table() -> None:
    """Each class of errors has one, each code of the table is some class's or the program's own; the root has none."""
    for module in pkgutil.walk_packages(kb.__path__, "kb."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    assert not hasattr(KbError, "code")
    classes = KbError.__subclasses__()
    for one in classes:
        classes += one.__subclasses__()
    own = {ErrorCode.FAULT, ErrorCode.INTERRUPTED}
    assert {one.code for one in classes} | own == set(ErrorCode)
    names = [code.kebab for code in ErrorCode]
    assert len(set(names)) == len(names)
