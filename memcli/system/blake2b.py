"""BLAKE2b (RFC 7693), as in `hashlib`, but without importing `hashlib`, which loads OpenSSL as well: 3 ms."""

try:
    from _blake2 import blake2b
except ImportError:  # another Python than CPython or PyPy
    from hashlib import blake2b

__all__ = ["blake2b"]
