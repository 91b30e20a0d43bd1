"""Pickles of plain values only: numbers, texts, bytes and tuples of them. Nothing that one names is looked for.

Whoosh's posting lists are such pickles. Reading them here imports neither Whoosh nor ``pickle``.
"""

from _pickle import Unpickler, UnpicklingError
from io import BytesIO
from typing import Any, NoReturn


class ForbiddenPickle(UnpicklingError):
    """A pickle names something that no index of ours holds."""


class _Plain(Unpickler):
    def find_class(self, module: str, name: str) -> NoReturn:
        raise ForbiddenPickle(f"{module}.{name} is not read from an index")

    def persistent_load(self, pid: Any) -> NoReturn:
        raise ForbiddenPickle("an index holds no persistent ids")


def load_plain(data: bytes) -> tuple[Any, int]:
    """Read the pickle at the beginning of some bytes; give also how many it takes."""
    file = BytesIO(data)
    return _Plain(file).load(), file.tell()
