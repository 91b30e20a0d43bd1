"""A clone so small that its environment is made in a second, and without network.

It has the real launcher, a package ``kb`` that prints its arguments, and a build backend of its own,
which needs nothing installed. The backend notes each build in ``builds``, waits for as long as there is a
file ``slow``, and fails if there is a file ``broken``.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"

PROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "mini"
version = "1.0"
dependencies = [{dependencies}]

[project.optional-dependencies]
dev = []
"""

BACKEND = """\
import os, time, tomllib, zipfile

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    with open("builds", "a") as builds:
        builds.write("built\\n")
    while os.path.exists("slow"):
        time.sleep(0.05)
    if os.path.exists("broken"):
        raise ValueError("broken")
    with open("pyproject.toml", "rb") as file:
        needed = tomllib.load(file)["project"]["dependencies"]
    metadata = ["Metadata-Version: 2.1", "Name: mini", "Version: 1.0", "Provides-Extra: dev"]
    metadata += ["Requires-Dist: " + one for one in needed]
    files = {
        "mini.pth": os.getcwd(),
        "mini-1.0.dist-info/METADATA": "\\n".join(metadata),
        "mini-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any",
    }
    record = "".join(name + ",,\\n" for name in files) + "mini-1.0.dist-info/RECORD,,\\n"
    with zipfile.ZipFile(os.path.join(wheel_directory, "mini-1.0-py3-none-any.whl"), "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text + "\\n")
        wheel.writestr("mini-1.0.dist-info/RECORD", record)
    return "mini-1.0-py3-none-any.whl"
"""

MAIN = """\
import sys
print("kb got", sys.argv[1:])
sys.exit(int(sys.argv[2]) if sys.argv[1:2] == ["exit"] else 0)
"""


class MiniClone:
    """A clone in a folder of its own, with a home and a temporary folder beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "clone"
        self.variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder / "home"),
            "TMPDIR": str(folder / "tmp"),
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
        }
        for name in ("home", "tmp", "clone/kb", "clone/tools"):
            (folder / name).mkdir(parents=True)
        for name in ("kb", "environment.py", "environment_setup.py"):
            shutil.copy2(TOOLS / name, self.root / "tools" / name)
        (self.root / "kb" / "__init__.py").touch()
        (self.root / "kb" / "__main__.py").write_text(MAIN)
        (self.root / "backend.py").write_text(BACKEND)
        self.write_project()
        # Without ensurepip an environment is made in a fraction of the time.
        self.hide_modules("ensurepip")

    @property
    def venv(self) -> Path:
        """The environment's folder in the clone."""
        return self.root / ".venv"

    def write_project(self, dependencies: str = "", more: str = "") -> None:
        """Write ``pyproject.toml``."""
        text = PROJECT.format(dependencies=dependencies) + more
        (self.root / "pyproject.toml").write_text(text)

    def hide_modules(self, *names: str) -> None:
        """Let just these modules be missing from the Python that runs the launcher."""
        hidden = self.folder / "-".join(["without", *names])
        hidden.mkdir()
        for name in names:
            (hidden / f"{name}.py").write_text(f"raise ImportError('no {name}')\n")
        self.variables["PYTHONPATH"] = str(hidden)

    def command(self, *arguments: str) -> list[str]:
        """Return the command line that runs the launcher under this Python."""
        return [sys.executable, str(self.root / "tools" / "kb"), *arguments]

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the launcher from the folder above the clone."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.variables | variables,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start the launcher in a process group of its own."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def builds(self) -> int:
        """Return how often the project was installed."""
        builds = self.root / "builds"
        return len(builds.read_text().splitlines()) if builds.exists() else 0
