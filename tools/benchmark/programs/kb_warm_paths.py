"""``kb_warm_paths.py ROOT HOPS``: pairs of ids come in as JSON; out goes JSON: seconds and number of paths of each.

The one place where the benchmark calls kb itself and not its command line, since this is measured in one process.
"""

import json
import sys
import time

from kb.knowledge_base import open_for_reading
from kb.queries.paths import find_paths


def main() -> None:
    """Answer each pair twice and time the second answer."""
    base = open_for_reading(sys.argv[1], int(time.time()))
    times, counts = [], []
    for start, end in json.load(sys.stdin):
        find_paths(base, start, end, int(sys.argv[2]))
        begun = time.perf_counter()
        answer = find_paths(base, start, end, int(sys.argv[2]))
        times.append(time.perf_counter() - begun)
        counts.append([[node.id for node in path.nodes] for path in answer.results.paths])
    json.dump({"seconds": times, "paths": counts}, sys.stdout)


if __name__ == "__main__":
    main()
