"""What a benchmark ran on, in words that name no path and nobody."""

import os
import platform
import subprocess
from datetime import UTC, datetime


def describe_machine(python: str) -> dict[str, str]:
    """Describe the machine, the versions of what is measured, and the day."""
    version = subprocess.check_output([python, "-c", "import sys; print(sys.version.split()[0])"])
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}",
        "Python": version.decode().strip(),
        "date": datetime.now(UTC).date().isoformat(),
    }


def _processor() -> str:
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemTotal"):
            return f"{int(line.split()[1]) / 2**20:.0f} GiB"
    return "unknown"


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []
