"""Command transcripts that anybody can read: each ``console`` block of a scenario is run and compared.

A scenario works in a new folder. ``$ command`` lines are run by bash, with ``kb`` on the path; what follows is their
standard output; a command goes on in lines that begin with ``>``. ``KB_SCENARIOS=write`` in the environment writes the outputs into the files instead.
"""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from kb.cli.program import COMMANDS
from tests.conftest import REPOSITORY

FOLDER = Path(__file__).parent
SCENARIOS = sorted(FOLDER.glob("*.md"))
COMMAND = re.compile(r"^\$ .*\n(?:^>.*\n)*", re.M)
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.M | re.S)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a copy of the shipped knowledge base in it, and ``kb`` on the path."""
    for name in ("kb.yaml", "entities", "observations"):
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / "northpeak" / name)
        else:
            (tmp_path / "northpeak").mkdir()
            shutil.copy(source, tmp_path / "northpeak" / name)
    program = tmp_path / "bin" / "kb"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kb "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return tmp_path


def run_block(block: str, shell: "subprocess.Popen[str]") -> str:
    """Run the commands of a block in one shell; give the block with their real outputs."""
    shown = []
    for command in COMMAND.findall(block):
        shown += command.splitlines()
        typed = "\n".join(line[2:] for line in command.splitlines())
        assert shell.stdin
        assert shell.stdout
        shell.stdin.write(f"{typed}\nprintf '\\n==%s==\\n' $?\n")
        shell.stdin.flush()
        output = []
        for answered in shell.stdout:
            if ended := re.fullmatch(r"==(\d+)==\n", answered):
                if int(ended.group(1)):
                    output.append(f"[exit {ended.group(1)}]\n")
                break
            output.append(answered)
        text = "".join(output)
        shown += re.sub(r"\n(?=\[exit \d+\]\n\Z)|\n\Z", "", text, count=1).splitlines()
    return "".join(f"{line}\n" for line in shown)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.stem)
def test_scenario(scenario: Path, place: Path) -> None:
    """Each command of a scenario prints what the file shows."""
    text = scenario.read_text("utf-8")
    environment = {
        **os.environ,
        "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(REPOSITORY),
        "HOME": str(place),
    }
    with subprocess.Popen(
        ["bash", "--norc"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=place,
        env=environment,
        text=True,
    ) as shell:
        actual = BLOCK.sub(lambda match: run_block(match.group(1), shell), text)
        assert shell.stdin
        shell.stdin.close()
    if os.environ.get("KB_SCENARIOS") == "write":
        scenario.write_text(actual, "utf-8")
    assert actual == text


def test_every_command_has_a_scenario() -> None:
    """Each command of the program stands in a transcript."""
    blocks = "".join(
        block for path in SCENARIOS for block in BLOCK.findall(path.read_text("utf-8"))
    )
    for command in COMMANDS:
        assert re.search(rf"^\$ .*\bkb {command}\b", blocks, re.M), command
