"""Whoosh keeps pickles in its files. Here they are read through an allow-list, so that a foreign index runs nothing.

Whoosh binds ``pickle.loads`` and ``load`` under several names when it is imported; ``guard_whoosh`` imports every
module that an index is read with and puts the guarded ones in their place. It must run before an index is opened.
"""

import io
import marshal
import pickle
import sys
from importlib import import_module
from types import ModuleType
from typing import IO, Any, NoReturn

#: All that an index of ours holds beside numbers, text and containers.
_ALLOWED = frozenset(
    (
        ("array", "_array_reconstructor"),
        ("array", "array"),
        ("builtins", "bytearray"),
        ("builtins", "bytes"),
        ("builtins", "frozenset"),
        ("builtins", "int"),
        ("builtins", "float"),
        ("builtins", "object"),
        ("builtins", "set"),
        ("__builtin__", "bytes"),
        ("__builtin__", "int"),
        ("__builtin__", "long"),
        ("__builtin__", "float"),
        ("__builtin__", "object"),
        ("__builtin__", "set"),
        ("_codecs", "encode"),
        ("collections", "defaultdict"),
        ("copy_reg", "_reconstructor"),
        ("copyreg", "_reconstructor"),
        ("whoosh.codec.whoosh3", "W3Codec"),
        ("whoosh.codec.whoosh3", "W3Segment"),
    )
)
#: What reading, writing and searching import, now or lazily.
_MODULES = (
    "whoosh.compat",
    "whoosh.util.loading",
    "whoosh.legacy",
    "whoosh.columns",
    "whoosh.formats",
    "whoosh.filedb.structfile",
    "whoosh.filedb.filetables",
    "whoosh.filedb.compound",
    "whoosh.filedb.filestore",
    "whoosh.codec",
    "whoosh.codec.base",
    "whoosh.codec.whoosh3",
    "whoosh.codec.memory",
    "whoosh.externalsort",
    "whoosh.index",
    "whoosh.reading",
    "whoosh.writing",
    "whoosh.searching",
    "whoosh.query",
    "whoosh.query.spans",
    "whoosh.sorting",
    "whoosh.spelling",
)


class ForbiddenPickle(pickle.UnpicklingError):
    """A pickle names something that no index of ours holds."""


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _ALLOWED:
            raise ForbiddenPickle(f"{module}.{name} is not read from an index")
        return super().find_class(module, name)

    def persistent_load(self, pid: Any) -> NoReturn:
        raise ForbiddenPickle("an index holds no persistent ids")


def load(file: IO[bytes], **_: Any) -> Any:
    """Read a pickle from a file."""
    return _Unpickler(file).load()


def loads(data: bytes, **_: Any) -> Any:
    """Read a pickle from bytes."""
    return _Unpickler(io.BytesIO(data)).load()


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise ForbiddenPickle("an index of this form is not read")


class _GuardedPickle(ModuleType):
    """Stands for the module ``pickle`` inside Whoosh."""

    def __init__(self) -> None:
        super().__init__("pickle")
        self.__dict__.update({name: getattr(pickle, name) for name in pickle.__all__})
        self.__dict__.update(load=load, loads=loads, Unpickler=_Unpickler)


_GUARDED = _GuardedPickle()


def guard_whoosh() -> None:
    """Put the guarded readers in place of pickle's in all of Whoosh. Harmless when repeated."""
    for name in _MODULES:
        try:
            import_module(name)
        except ImportError:  # not in every version
            continue
        _guard_loaded()


def _guard_loaded() -> None:
    for name, module in list(sys.modules.items()):
        if name.split(".", 1)[0] == "whoosh" and isinstance(module, ModuleType):
            _guard(module)


def _guard(module: ModuleType) -> None:
    space = vars(module)
    for name, value in list(space.items()):
        if value is pickle:
            space[name] = _GUARDED
        elif value is pickle.loads:
            space[name] = loads
        elif value is pickle.load:
            space[name] = load
        elif value in (marshal.load, marshal.loads) or name == "RenamingUnpickler":
            space[name] = _refuse
        elif name == "toc_loaders" and isinstance(value, dict):
            value.clear()  # indexes of older Whooshes
