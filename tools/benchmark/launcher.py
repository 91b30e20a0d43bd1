"""Runs one command several times and prints, a line a run: seconds, peak memory in bytes, exit status.

``python -I -S launcher.py FOLDER RUNS SECONDS ERRORS COMMAND…``: in a folder; no more runs once so many seconds are over;
what the command says on standard error goes to a file. It is a process of its own and imports next to nothing, since
Linux counts the peak of the process that starts another as the other's, also through ``vfork``: so its own size, some
9 MB, is the least peak that can be told, and not that of the whole benchmark.
"""

import os
import sys
import time


def main() -> int:
    """Run the command and return 0, whatever it returned."""
    folder, runs, seconds, errors, *command = sys.argv[1:]
    os.chdir(folder)
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, errors, write, 0o600),
    ]
    # ru_maxrss is in KiB but for macOS, where it is in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    begun = time.perf_counter()
    for _ in range(int(runs)):
        start = time.perf_counter()
        pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        end = time.perf_counter()
        print(end - start, usage.ru_maxrss * unit, os.waitstatus_to_exitcode(status), flush=True)
        if status or end - begun > float(seconds):
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
