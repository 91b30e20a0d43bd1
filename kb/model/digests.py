"""The hash functions behind ids, seals and derived state, without the OpenSSL that ``hashlib`` loads first.

Loading that takes longer than reading a file, and a cold command reads few. Each is looked for when it is imported; where
Python comes without its own, it is that of ``hashlib`` after all.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hashlib import blake2b, sha1, sha256

#: Where Python has them, newest version first.
_MODULES = {
    "blake2b": ("_blake2", "hashlib"),
    "sha1": ("_sha1", "hashlib"),
    "sha256": ("_sha2", "_sha256", "hashlib"),
}

__all__ = ("blake2b", "sha1", "sha256")


def __getattr__(name: str) -> Any:
    for module in _MODULES.get(name, ()):
        try:
            return getattr(__import__(module), name)
        except ImportError:
            continue
    raise AttributeError(name)
