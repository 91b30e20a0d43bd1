"""``import_click.py [--sweep|--read FOLDER…]``: import click; then look at each file under some folders, or read it."""

import os
import sys

import click  # noqa: F401


def sweep(folder: str, reads: bool) -> None:
    """Look at, or read, all that lies under a folder."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            sweep(entry.path, reads)
        elif reads:
            with open(entry.path, "rb", buffering=0) as file:
                file.read()
        else:
            entry.stat(follow_symlinks=False)


if __name__ == "__main__":
    for folder in sys.argv[2:]:
        sweep(folder, sys.argv[1] == "--read")
