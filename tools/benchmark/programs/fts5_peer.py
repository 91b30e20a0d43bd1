"""``fts5_peer.py build DOCUMENTS FILE`` | ``search FILE WORDS``: SQLite's full text, from the standard library."""

import json
import sqlite3
import sys

LIMIT = 50


def build(documents: str, path: str) -> None:
    """Index the documents, one JSON object a line."""
    base = sqlite3.connect(path)
    base.execute("create virtual table documents using fts5(id unindexed, names, body)")
    with open(documents, encoding="utf-8") as lines:
        rows = (tuple(json.loads(line).values()) for line in lines)
        base.executemany("insert into documents values (?, ?, ?)", rows)
    base.commit()


def search(path: str, text: str) -> None:
    """Print the ids of the best documents."""
    words = " ".join(f'"{word}"' for word in text.split())
    found = sqlite3.connect(path).execute(
        "select id from documents where documents match ? order by rank limit ?", (words, LIMIT)
    )
    for (id,) in found:
        print(id)


if __name__ == "__main__":
    {"build": build, "search": search}[sys.argv[1]](*sys.argv[2:])
