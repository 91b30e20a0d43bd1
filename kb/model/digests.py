"""The hash functions behind ids, seals and derived state, without the OpenSSL that ``hashlib`` loads first.

Loading that takes longer than reading a file, and a cold command reads few. Where Python comes without its own, it is
``hashlib`` after all.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import blake2b, sha1, sha256
else:
    try:
        from _blake2 import blake2b
        from _sha1 import sha1

        try:
            from _sha2 import sha256
        except ImportError:  # Python 3.11
            from _sha256 import sha256
    except ImportError:
        from hashlib import blake2b, sha1, sha256

__all__ = ("blake2b", "sha1", "sha256")
