"""``ladybug_peer.py build EDGES FILE`` | ``neighbors FILE ID``: an embedded graph database."""

import csv
import json
import os
import sys
import tempfile

import ladybug


def build(edges: str, path: str) -> None:
    """Load the edges and the entities at their ends."""
    with open(edges, encoding="utf-8") as lines:
        rows = [json.loads(line)[:3] for line in lines]
    base = ladybug.Connection(ladybug.Database(path))
    base.execute("create node table Entity(id string primary key)")
    base.execute("create rel table Relation(from Entity to Entity, predicate string)")
    with tempfile.TemporaryDirectory() as folder:
        for table, values in (
            ("Entity", [[id] for id in sorted({id for row in rows for id in row[:2]})]),
            ("Relation", rows),
        ):
            source = os.path.join(folder, f"{table}.csv")
            with open(source, "w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(values)
            base.execute(f"copy {table} from '{source}'")


def neighbors(path: str, id: str) -> None:
    """Print what an entity is related to."""
    base = ladybug.Connection(ladybug.Database(path, read_only=True))
    query = "match (a:Entity {id: $id})-[r:Relation]-(b:Entity) return r.predicate, b.id"
    for row in base.execute(query, {"id": id}):
        print(*row)


if __name__ == "__main__":
    {"build": build, "neighbors": neighbors}[sys.argv[1]](*sys.argv[2:])
