"""Talks to an MCP memory server over its standard input and output: one process, many calls."""

import json
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from .measuring import Failed

PROTOCOL = "2025-03-26"


class MemoryServer:
    """A running server that answers from a memory file."""

    def __init__(self, command: Sequence[str], memory: Path, variables: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            list(command),
            env=dict(variables) | {"MEMORY_FILE_PATH": str(memory)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._count = 0

    def __enter__(self) -> Self:
        client = {"name": "kb-bench", "version": "1"}
        self._ask(
            "initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def time_call(self, tool: str, arguments: Mapping[str, Any]) -> float:
        """Call a tool and give the seconds until its whole answer was read."""
        start = time.perf_counter()
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        end = time.perf_counter()
        if "error" in answer or answer["result"].get("isError"):
            raise Failed(f"the memory server refused {tool}")
        return end - start

    def _ask(self, method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        self._count += 1
        self._send(
            {"jsonrpc": "2.0", "id": self._count, "method": method, "params": dict(parameters)}
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._count:
                return answer
        raise Failed("the memory server ended")

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()
