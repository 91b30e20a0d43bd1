"""The root of a knowledge base, and what lies in it."""

import os

from kb.errors import NoKnowledgeBase

CONFIGURATION = "kb.yaml"
ENTITIES = "entities"
OBSERVATIONS = "observations"


def with_flags(flags: int, *names: str) -> int:
    """Add to the flags of an opening those that the system has, by name."""
    for name in names:
        flags |= getattr(os, name, 0)
    return flags


def find_root(start: str) -> str:
    """Find the nearest folder upwards that holds a ``kb.yaml``."""
    folder = os.path.abspath(start)
    while not os.path.isfile(os.path.join(folder, CONFIGURATION)):
        parent = os.path.dirname(folder)
        if parent == folder:
            raise NoKnowledgeBase(start)
        folder = parent
    return folder
