"""``whoosh_peer.py build DOCUMENTS INDEX`` | ``search INDEX WORDS``: stock Whoosh, as its documentation begins."""

import json
import os
import sys

from whoosh.fields import ID, TEXT, Schema
from whoosh.index import create_in, open_dir
from whoosh.qparser import MultifieldParser

LIMIT = 50


def build(documents: str, folder: str) -> None:
    """Index the documents, one JSON object a line."""
    os.makedirs(folder, exist_ok=True)
    schema = Schema(id=ID(stored=True, unique=True), names=TEXT(stored=True), body=TEXT)
    writer = create_in(folder, schema).writer()
    with open(documents, encoding="utf-8") as lines:
        for line in lines:
            writer.add_document(**json.loads(line))
    writer.commit()


def search(folder: str, text: str) -> None:
    """Print the ids of the best documents."""
    index = open_dir(folder)
    query = MultifieldParser(["names", "body"], index.schema).parse(text)
    with index.searcher() as searcher:
        for hit in searcher.search(query, limit=LIMIT):
            print(hit["id"])


if __name__ == "__main__":
    {"build": build, "search": search}[sys.argv[1]](*sys.argv[2:])
