"""Completion: what shells are offered while somebody types, and that nothing ever goes wrong in the prompt."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kb.cli.program import COMMANDS
from tests.conftest import REPOSITORY, entity, observation, write_kb

FILES = {
    "entities/person/ada.md": entity("ada", name="Ada"),
    "entities/person/adam.md": entity("adam", name="Adam"),
    "entities/person/bob.md": entity("bob", name="Bob"),
    "observations/2026/01/2026-01-01-seen.md": observation("2026-01-01-seen"),
}
CONFIGURATION = (
    "kb: 1\nname: Test\nrelations:\n  menaces: {inverse: menaced-by}\nfacts:\n  menu: {}\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A knowledge base of three people, with words of its own."""
    return write_kb(tmp_path / "kb", FILES, CONFIGURATION)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A ``PATH`` on which ``kb`` is."""
    program = tmp_path / "bin" / "kb"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m kb "$@"\n')
    program.chmod(0o755)
    return f"{program.parent}:{os.environ['PATH']}"


def ask(cwd: Path, **asked: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a shell's script does, with the variables given."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "kb"],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), **asked},
        capture_output=True,
        text=True,
    )


def offered(cwd: Path, *words: str) -> list[str]:
    """Give what is offered for the last word, as bash is told it: kinds other than words with their kind."""
    done = ask(
        cwd,
        _KB_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(("kb", *words)),
        COMP_CWORD=str(len(words)),
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [line.removeprefix("plain,") for line in done.stdout.splitlines() if line]


def test_commands_and_options(root: Path) -> None:
    """Commands of the program and of its groups, options, and their choices."""
    assert offered(root, "") == list(COMMANDS)
    assert offered(root, "re") == [name for name in COMMANDS if name.startswith("re")]
    assert offered(root, "import", "") == ["jsonl"]
    assert offered(root, "paths", "--max") == ["--max-hops"]
    assert offered(root, "check", "--format", "g") == ["github", "gcc"]
    assert offered(root, "completion", "z") == ["zsh"]


@pytest.mark.parametrize(
    "words, expected",
    [
        (("facts", "ad"), ["ada", "adam"]),
        (("paths", "ada", "b"), ["bob"]),
        (("show", ""), ["2026-01-01-seen", "ada", "adam", "bob"]),
        (("seal", "2026"), ["2026-01-01-seen"]),
        (("facts", "ada", "--source", "2"), ["2026-01-01-seen"]),
        (("facts", "-p", "men"), ["menaced-by", "menaces", "mentored-by", "mentors", "menu"]),
        (("find", "x", "--type", "pers"), ["person"]),
        (("explain", "KB30"), [f"KB30{digit}" for digit in range(1, 10)]),
        (("check", "ent"), ["file,ent"]),
        (("check", "--root", "ent"), ["dir,ent"]),
    ],
)
def test_words_of_the_knowledge_base(
    root: Path, words: tuple[str, ...], expected: list[str]
) -> None:
    """Entities, observations, predicates, types and codes where each is meant; paths are the shell's."""
    assert offered(root, *words) == expected


def test_the_root_that_is_typed_is_meant(root: Path, tmp_path: Path) -> None:
    """``--root`` counts in both of its places, and the folder one stands in otherwise."""
    assert offered(tmp_path, "--root", "kb", "show", "b") == ["bob"]
    assert offered(tmp_path, "show", "--root", "kb", "b") == ["bob"]
    assert offered(root / "entities" / "person", "show", "b") == ["bob"]


def test_files_are_not_read(root: Path) -> None:
    """Ids come from file names alone: a file that does not parse is offered as any other."""
    (root / "entities" / "broken.md").write_bytes(b"\xff\x00")
    assert offered(root, "show", "br") == ["broken"]


def test_nothing_is_offered_that_a_shell_would_obey(root: Path) -> None:
    """A completion goes into the line as it is, so a name that is no id, or no plain word, is left out."""
    for name in ("$(touch x)", "a;reboot", "a b", "a\nb", "*", "-rf", "ada\x1b[2J", "`x`"):
        (root / "entities" / f"{name}.md").write_text("")
    (root / "kb.yaml").write_text('kb: 1\nfacts:\n  "men$(x)": {}\n  "men;u": {}\n')
    assert offered(root, "show", "") == ["2026-01-01-seen", "ada", "adam", "bob"]
    assert all(word.replace("-", "").isalnum() for word in offered(root, "facts", "-p", "men"))


def test_nothing_to_offer_is_no_error(root: Path, tmp_path: Path) -> None:
    """No knowledge base, a broken one or a command that is none: nothing is offered, nothing is said."""
    assert offered(tmp_path, "show", "a") == []
    assert offered(root, "--root", "nowhere", "show", "a") == []
    assert offered(root, "bogus", "a") == []
    (root / "kb.yaml").write_bytes(b"\xff: [\x00")
    assert offered(root, "show", "b") == ["bob"]
    assert "mentors" in offered(root, "facts", "-p", "men")


@pytest.mark.parametrize(
    "asked",
    [
        {"_KB_COMPLETE": "bash_complete"},
        {"_KB_COMPLETE": "bash_complete", "COMP_WORDS": "kb", "COMP_CWORD": "x"},
        {"_KB_COMPLETE": "tcsh_complete", "COMP_WORDS": "kb", "COMP_CWORD": "1"},
        {"_KB_COMPLETE": "nonsense"},
    ],
)
def test_a_question_that_is_none_is_met_with_silence(root: Path, asked: dict[str, str]) -> None:
    """Whatever fails while somebody types, the prompt stays as it is."""
    done = ask(root, **asked)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")


def test_a_fault_of_ours_is_silent_too(root: Path, tmp_path: Path) -> None:
    """A fault that would end a command with a message and a log ends a completion without either."""
    code = (
        "import kb.cli.program as p; p.Program.shell_complete = lambda *a: 1 / 0;"
        "from kb.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        env={
            **os.environ,
            "PYTHONPATH": str(REPOSITORY),
            "TMPDIR": str(tmp_path),
            "_KB_COMPLETE": "bash_complete",
            "COMP_WORDS": "kb s",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    assert not list(tmp_path.glob("kb-fault-*"))


def test_the_variable_that_is_empty_asks_nothing(root: Path) -> None:
    """Only a question is answered as one: with an empty variable the program runs as ever."""
    done = ask(root, _KB_COMPLETE="")
    assert "Usage: kb" in done.stdout + done.stderr


def test_bash_completes_with_the_script(root: Path, path: str) -> None:
    """The script that ``kb completion bash`` prints registers itself and fills in ids."""
    script = """
        source <(kb completion bash)
        complete -p kb
        COMP_WORDS=(kb facts ad) COMP_CWORD=2
        _kb_completion kb facts ad
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script],
        cwd=root,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    registered, *completions = done.stdout.splitlines()
    assert registered.endswith("-F _kb_completion kb")
    assert completions == ["ada", "adam"]
    assert done.stderr == ""


@pytest.mark.parametrize("shell, mark", [("zsh", "#compdef kb"), ("fish", "complete --no-files")])
def test_zsh_and_fish_have_scripts(root: Path, path: str, shell: str, mark: str) -> None:
    """Each script asks this program by its variable, and is one that the shell itself can read."""
    done = subprocess.run(
        ["kb", "completion", shell],
        env={**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert mark in done.stdout
    assert f"_KB_COMPLETE={shell}_complete" in done.stdout
    if shutil.which(shell):
        read = subprocess.run([shell, "-n"], input=done.stdout, capture_output=True, text=True)
        assert (read.returncode, read.stderr) == (0, "")


def test_zsh_is_told_words_with_their_help(root: Path) -> None:
    """Three lines a completion: its kind, the word, and what it is or ``_``."""
    asked = {"_KB_COMPLETE": "zsh_complete", "COMP_CWORD": "1", "COMP_WORDS": "kb sta"}
    assert ask(root, **asked).stdout.splitlines() == ["plain", "stats", COMMANDS["stats"][1]]
    asked = {"_KB_COMPLETE": "zsh_complete", "COMP_CWORD": "2", "COMP_WORDS": "kb show bo"}
    assert ask(root, **asked).stdout.splitlines() == ["plain", "bob", "_"]


def test_fish_is_told_words_with_their_help(root: Path) -> None:
    """A line a completion: its kind, the word, and after a tab what it is."""
    asked = {"_KB_COMPLETE": "fish_complete", "COMP_CWORD": "sta", "COMP_WORDS": "kb sta"}
    assert ask(root, **asked).stdout == f"plain,stats\t{COMMANDS['stats'][1]}\n"
    asked = {"_KB_COMPLETE": "fish_complete", "COMP_CWORD": "bo", "COMP_WORDS": "kb show bo"}
    assert ask(root, **asked).stdout == "plain,bob\n"
