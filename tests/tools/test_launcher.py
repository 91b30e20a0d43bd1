"""``tools/kb`` makes its environment in every situation, or says in one line what to do."""

import ast
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.mini_clone import TOOLS, MiniClone

FIRST_USE = "kb: first use: making the virtual environment in .venv (about a minute)…\n"


@pytest.fixture
def clone(tmp_path: Path) -> MiniClone:
    """A clone that was never used, without ``.git``, as from a ZIP."""
    return MiniClone(tmp_path)


@pytest.fixture
def ready(clone: MiniClone) -> MiniClone:
    """A clone whose environment is ready."""
    assert clone.run().returncode == 0
    return clone


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> MiniClone:
    """A ready clone that tests share and leave as it is."""
    clone = MiniClone(tmp_path_factory.mktemp("used"))
    assert clone.run().returncode == 0
    return clone


def wait_until(happened: Callable[[], object]) -> None:
    """Wait for another process to get somewhere."""
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


# First use and later uses


def test_first_use_chats_on_standard_error_only(clone: MiniClone) -> None:
    """Standard output is the command's alone; the first use tells of itself on standard error."""
    del clone.variables["PYTHONPATH"]
    first = clone.run("a", "b c")
    assert (first.returncode, first.stdout) == (0, "kb got ['a', 'b c']\n")
    assert first.stderr == FIRST_USE


def test_completion_makes_no_environment(clone: MiniClone) -> None:
    """Whoever presses Tab before the first use waits for nothing and reads nothing."""
    asked = clone.run(_KB_COMPLETE="bash_complete", COMP_WORDS="kb ", COMP_CWORD="1")
    assert (asked.returncode, asked.stdout, asked.stderr) == (1, "", "")
    assert not clone.venv.exists()


def test_later_uses_are_silent_and_need_no_setup(ready: MiniClone) -> None:
    """A later use checks the stamp and starts: the module that makes things is not even read."""
    (ready.root / "tools" / "environment_setup.py").unlink()
    later = ready.run("x", PATH="")
    assert (later.returncode, later.stdout, later.stderr) == (0, "kb got ['x']\n", "")


def test_exit_status_passes_through(used: MiniClone) -> None:
    """The exit status is the command's."""
    assert used.run("exit", "7").returncode == 7


def test_folder_named_kb_where_the_user_stands_is_not_run(used: MiniClone) -> None:
    """What is run is the clone's package, never one of the same name in the working folder."""
    (used.folder / "kb").mkdir()
    (used.folder / "kb" / "__main__.py").write_text("print('foreign')")
    (used.folder / "kb" / "__init__.py").touch()
    assert used.run().stdout == "kb got []\n"


def test_symbolic_link_to_the_launcher(used: MiniClone) -> None:
    """The launcher can be linked to from a folder on ``PATH``."""
    link = used.folder / "home" / "kb"
    link.symlink_to(used.root / "tools" / "kb")
    assert subprocess.check_output([str(link), "y"], env=used.variables) == b"kb got ['y']\n"


# What makes an environment stale


def test_changed_project_file_is_installed_again(ready: MiniClone) -> None:
    """A changed ``pyproject.toml`` is installed into the environment that is there."""
    ready.write_project(more="# changed\n")
    renewed = ready.run()
    assert renewed.returncode == 0
    assert renewed.stderr == "kb: bringing the virtual environment in .venv up to date…\n"
    assert ready.builds() == 2
    assert ready.run().stderr == ""


def test_moved_clone_gets_a_new_environment(ready: MiniClone) -> None:
    """Environments know their path, so a clone that moved makes its own anew and runs its own code."""
    old, new = ready.root, ready.folder / "moved"
    shutil.copytree(old, new, symlinks=True)
    ready.root = new
    (new / "kb" / "__main__.py").write_text("print('new code')")
    moved = ready.run()
    assert (moved.returncode, moved.stdout) == (0, "new code\n")
    assert "moved or changed: making the virtual environment" in moved.stderr


def test_vanished_python_is_replaced(ready: MiniClone) -> None:
    """When the Python that an environment was made with is gone, the environment is made anew."""
    for link in (ready.venv / "bin").glob("python*"):
        link.unlink()
    (ready.venv / "bin" / "python").symlink_to(ready.folder / "gone")
    assert ready.run().stdout == "kb got []\n"


def test_killed_setup_is_redone(clone: MiniClone) -> None:
    """The stamp comes last, so what a killed run left half-made is made anew."""
    (clone.root / "slow").touch()
    process = clone.start()
    wait_until(clone.builds)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    (clone.root / "slow").unlink()
    (clone.venv / "left-over").touch()
    again = clone.run()
    assert (again.returncode, again.stdout, again.stderr) == (0, "kb got []\n", FIRST_USE)
    assert not (clone.venv / "left-over").exists()


def test_extras_are_added_and_kept(ready: MiniClone) -> None:
    """An extra that is missing is installed; from then on a changed project renews it, too."""
    tools = ready.root / "tools"
    script = f"import sys; sys.path.insert(0, {str(tools)!r}); import environment; "
    more = [sys.executable, "-c", script + "environment.run(['-c', ''], extras=('dev',))"]
    stamp = ready.venv / "kb-launcher" / "stamp"
    subprocess.run(more, env=ready.variables, check=True, capture_output=True)
    assert "extras dev\n" in stamp.read_text()
    ready.write_project(more="# changed\n")
    ready.run()
    assert "extras dev\n" in stamp.read_text()


# Two at once, and interruption


def test_second_first_use_waits_for_the_first(clone: MiniClone) -> None:
    """Of two first uses at once one makes the environment, and the other waits and says so."""
    (clone.root / "slow").touch()
    first = clone.start("first")
    wait_until(clone.builds)
    second = clone.start("second")
    assert second.stderr
    assert "another run is making the virtual environment" in second.stderr.readline()
    (clone.root / "slow").unlink()
    assert first.communicate(timeout=60)[0] == "kb got ['first']\n"
    assert second.communicate(timeout=60)[0] == "kb got ['second']\n"
    assert clone.builds() == 1


def test_interruption_is_no_traceback(clone: MiniClone) -> None:
    """Ctrl-C while the environment is made ends with status 130 and one line."""
    (clone.root / "slow").touch()
    process = clone.start()
    wait_until(clone.builds)
    os.killpg(process.pid, signal.SIGINT)
    output, chatter = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert chatter == FIRST_USE + "kb: interrupted; the next run makes the environment anew\n"


# Machines that lack something


def test_python_without_venv_says_what_to_install(clone: MiniClone) -> None:
    """Where nothing can make an environment, one line names the package to install."""
    clone.hide_modules("ensurepip", "venv", "virtualenv")
    run = clone.run(PATH="")
    assert (run.returncode, run.stdout) == (1, "")
    assert "apt install python3-venv" in run.stderr.removeprefix(FIRST_USE)
    assert run.stderr.count("\n") == 2


def test_python_without_ensurepip_borrows_pip(clone: MiniClone) -> None:
    """Debian's Python lacks ensurepip: a pip from outside installs into an environment without."""
    assert clone.run().stdout == "kb got []\n"
    assert not list(clone.venv.glob("lib/python*/site-packages/pip"))


def test_no_network_is_one_line_and_a_log(clone: MiniClone) -> None:
    """Without a connection the launcher says so in one line that names pip's log; no traceback."""
    clone.write_project(dependencies='"click>=8"')
    del clone.variables["PIP_NO_INDEX"]
    run = clone.run(PIP_INDEX_URL="http://127.0.0.1:9/simple", PIP_RETRIES="0")
    assert (run.returncode, run.stdout) == (1, "")
    told = run.stderr.removeprefix(FIRST_USE)
    assert told.startswith("kb: cannot reach the package index")
    assert told.endswith("(details: .venv/kb-launcher/log)\n")
    assert told.count("\n") == 1
    assert "click" in (clone.venv / "kb-launcher" / "log").read_text()


def test_failure_of_pip_is_one_line(clone: MiniClone) -> None:
    """Any other failure of pip is one line that names the log, and the next run tries again."""
    (clone.root / "broken").touch()
    run = clone.run()
    assert run.returncode == 1
    told = run.stderr.removeprefix(FIRST_USE)
    assert told.startswith("kb: pip could not install what kb needs: ")
    assert told.count("\n") == 1
    (clone.root / "broken").unlink()
    assert clone.run().returncode == 0


def test_missing_home_is_no_matter(clone: MiniClone) -> None:
    """A home folder that does not exist and cannot be made changes nothing, and nothing warns."""
    run = clone.run(HOME=str(clone.root / "backend.py" / "home"))
    assert (run.returncode, run.stdout, run.stderr) == (0, "kb got []\n", FIRST_USE)
    assert "WARNING" not in (clone.venv / "kb-launcher" / "log").read_text()


def test_pip_settings_that_lead_elsewhere_are_not_followed(clone: MiniClone) -> None:
    """A user's setting to install per user or into a folder does not apply to the environment."""
    run = clone.run(PIP_USER="1", PIP_TARGET=str(clone.folder / "target"))
    assert run.stdout == "kb got []\n"
    assert not (clone.folder / "target").exists()


def test_environment_of_the_user_is_kept(clone: MiniClone) -> None:
    """A ``.venv`` that somebody else made is installed into, and nothing in it is deleted."""
    subprocess.run([sys.executable, "-m", "venv", str(clone.venv)], check=True)
    (clone.venv / "mine").touch()
    assert clone.run().stdout == "kb got []\n"
    assert (clone.venv / "mine").exists()


# Read-only clones


def test_read_only_clone_uses_the_cache(clone: MiniClone) -> None:
    """Where the clone cannot hold the environment, the user's cache folder does."""
    clone.venv.touch()
    first = clone.run("a")
    assert (first.returncode, first.stdout) == (0, "kb got ['a']\n")
    cache = clone.folder / "home" / ".cache" / "kb-environments"
    assert f"in {cache}/clone-" in first.stderr
    assert clone.builds() == 0, "nothing was built in the clone"
    assert clone.run().stderr == ""


def test_read_only_clone_without_home_uses_the_temporary_folder(clone: MiniClone) -> None:
    """Where there is no cache folder either, the temporary folder holds the environment."""
    clone.venv.touch()
    clone.variables["HOME"] = str(clone.venv / "home")
    assert clone.run().stdout == "kb got []\n"
    assert list((clone.folder / "tmp").glob("kb-environments-*/clone-*"))
    assert clone.run().stderr == ""


def test_folder_that_others_can_write_is_not_used(clone: MiniClone) -> None:
    """Outside the clone, programs are never run from a folder that other users can write."""
    clone.venv.touch()
    shared = clone.folder / "home" / ".cache" / "kb-environments"
    shared.mkdir(parents=True)
    shared.chmod(0o777)
    assert clone.run().stdout == "kb got []\n"
    assert not list(shared.iterdir())


def test_nowhere_to_write_is_one_line(clone: MiniClone) -> None:
    """Where no folder can be written, one line says which were tried."""
    clone.venv.touch()
    nowhere = str(clone.venv / "below-a-file")
    run = clone.run(HOME=nowhere, TMPDIR=nowhere)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("kb: no folder for the virtual environment can be written")
    assert run.stderr.count("\n") == 1


# Old Pythons


def run_as_old_python(clone: MiniClone, path: str) -> subprocess.CompletedProcess[str]:
    """Run the launcher in a Python that takes itself for 3.8."""
    pretence = (
        "import runpy, sys; sys.version_info = (3, 8, 1, 'final', 0); sys.argv = sys.argv[1:]; "
        "runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    return subprocess.run(
        [sys.executable, "-c", pretence, str(clone.root / "tools" / "kb"), "z"],
        env=clone.variables | {"PATH": path},
        capture_output=True,
        text=True,
    )


def test_old_python_says_what_is_needed(clone: MiniClone) -> None:
    """On a Python that is too old, one line says which is needed and which this is."""
    run = run_as_old_python(clone, path="")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == (
        "kb: Python 3.11 or newer is needed; this is Python 3.8.1: install one and run again\n"
    )


def test_old_python_finds_a_newer_one(clone: MiniClone) -> None:
    """A newer Python that is on ``PATH`` under its own name is used in its place."""
    programs = clone.folder / "programs"
    programs.mkdir()
    (programs / "python3.12").symlink_to("/bin/false")
    newer = programs / "python3.11"
    newer.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    newer.chmod(0o755)
    run = run_as_old_python(clone, path=str(programs))
    assert (run.returncode, run.stdout) == (0, "kb got ['z']\n")


@pytest.mark.parametrize("name", ["kb", "test", "check", "environment.py", "environment_setup.py"])
def test_launcher_parses_on_old_python(name: str) -> None:
    """What runs before a Python is chosen has no syntax newer than 3.8."""
    ast.parse((TOOLS / name).read_text(encoding="utf-8"), feature_version=(3, 8))
