"""How kb and its peers are run: commands, variables, how often. What is measured stands in ``rows.py``."""

import json
import shutil
import statistics
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .bases import Base, Bases
from .exports import HUB_DEGREE
from .measuring import Effort, Failed, Figure, capture, environment, measure, percentile
from .memory_server import MemoryServer
from .peers import Peers

PROGRAMS = Path(__file__).with_name("programs")

#: What an installed ``kb`` runs, without the search for it on ``PATH``.
CONSOLE_SCRIPT = "import sys; from kb.cli import main; sys.exit(main())"

#: A program that runs longer than so many seconds is given up.
PATIENCE = 1200


class Bench:
    """One run of the benchmark."""

    def __init__(
        self, clone: Path, python: str, cache: Path, peers: Peers, quick: bool = False
    ) -> None:
        self._python, self.peers, self._bases = python, peers, Bases(cache / "bases")
        #: For what takes less than a second or so, and for what takes longer.
        self.effort = Effort(3, 2) if quick else Effort(11, 20)
        self.long_effort = Effort(1, 0) if quick else Effort(3, 30)
        # The clone is put on the path of every Python measured here, so that each pays the same for it.
        self.variables = environment(PYTHONPATH=str(clone))

    def base(self, entities: int) -> Base:
        """Return the knowledge base of a size."""
        return self._bases.get(entities)

    # -- kb ----------------------------------------------------------------------------------------

    def python(self, *arguments: str) -> list[str]:
        """Return a command line of kb's own Python."""
        return [self._python, "-P", *arguments]

    def kb(self, *arguments: str) -> list[str]:
        """Return the command line of a kb command, as an installed ``kb`` would run it."""
        return self.python("-c", CONSOLE_SCRIPT, *arguments)

    def time_kb(
        self,
        base: Base,
        *arguments: str,
        is_long: bool = False,
        says: str = "",
        before: Callable[[], None] | None = None,
    ) -> Figure:
        """Measure a kb command after one unmeasured run, whose answer must hold some words."""
        command = self.kb(*arguments)
        effort = self.long_effort if is_long else self.effort
        if says or not is_long:
            printed = capture(command, base.root, self.variables)
            if says not in printed:
                raise Failed(f"kb {arguments[0]} did not answer with {says}")
        return measure(command, base.root, effort, self.variables, before)

    def program(self, name: str, *arguments: str) -> list[str]:
        """Return the command line of one of our programs under kb's own Python."""
        return self.python(str(PROGRAMS / name), *arguments)

    def time_program(self, base: Base, name: str, *arguments: str, is_long: bool = False) -> Figure:
        """Measure one of our programs under kb's own Python."""
        effort = self.long_effort if is_long else self.effort
        return measure(self.program(name, *arguments), base.root, effort, self.variables)

    def can_rebuild(self, option: str) -> bool:
        """Whether ``kb rebuild`` has an option."""
        return option in capture(self.kb("rebuild", "--help"), PROGRAMS, self.variables)

    # -- peers -------------------------------------------------------------------------------------

    def peer(self, module: str, name: str, *arguments: str) -> list[str]:
        """Return the command line of a peer's program, fetching the peer first."""
        return [self.peers.python_with(module), str(PROGRAMS / name), *arguments]

    def time_command(self, base: Base, command: Sequence[str], is_long: bool = False) -> Figure:
        """Measure any command in the knowledge base's folder after one unmeasured run, where that is short."""
        if not is_long:
            capture(command, base.root, self.variables)
        effort = self.long_effort if is_long else self.effort
        return measure(command, base.root, effort, self.variables)

    def prepared(self, base: Base, name: str, command: Callable[[str], Sequence[str]]) -> str:
        """Return what a peer made of the knowledge base, made by a command on first use."""
        place = base.beside(name)
        mark = base.beside(f"{name}.finished")
        if not mark.exists():
            if place.is_dir():
                shutil.rmtree(place)  # half made: it was interrupted
            place.unlink(missing_ok=True)
            capture(command(str(place)), base.root, self.variables)
            mark.touch()
        return str(place)

    # -- warm --------------------------------------------------------------------------------------

    def time_warm_kb(self, base: Base, pairs: Sequence[tuple[str, str]], hops: int) -> Figure:
        """Measure paths of many pairs in one process of kb."""
        return self._time_pairs(
            self.program("kb_warm_paths.py", str(base.root), str(hops)), base, pairs
        )

    def time_warm_peer(
        self, library: str, base: Base, pairs: Sequence[tuple[str, str]], hops: int
    ) -> Figure:
        """Measure paths of many pairs in one process of a library for graphs."""
        edges = base.exported("edges.jsonl")
        arguments = (library, edges, str(hops), str(HUB_DEGREE))
        return self._time_pairs(self.peer(library, "graph_peer.py", *arguments), base, pairs)

    def _time_pairs(
        self, command: Sequence[str], base: Base, pairs: Sequence[tuple[str, str]]
    ) -> Figure:
        try:
            done = subprocess.run(
                list(command),
                cwd=base.root,
                env=self.variables,
                input=json.dumps(pairs),
                capture_output=True,
                text=True,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired as error:
            raise Failed(f"given up after {PATIENCE} s") from error
        if done.returncode:
            raise Failed((done.stderr.strip().splitlines() or ["it said nothing"])[-1][:200])
        answered: dict[str, Any] = json.loads(done.stdout)
        if not any(answered["paths"]):
            raise Failed("no path was found")
        seconds = answered["seconds"]
        return Figure(statistics.median(seconds), runs=len(seconds), p95=percentile(seconds, 0.95))

    def time_memory_server(self, base: Base, id: str) -> Figure:
        """Measure a warm look-up of one entity in the MCP memory server."""
        command = self.peers.memory_server()
        memory = Path(base.exported("memory.jsonl"))
        with MemoryServer(command, memory, self.variables) as server:
            calls = [server.time_call("open_nodes", {"names": [id]}) for _ in range(4)]
        return Figure(statistics.median(calls[1:]), runs=len(calls) - 1)
