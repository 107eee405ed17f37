"""Segments: files of records in JSON Lines, each with a trailer that proves it complete.

The first line names format, version, writer, and the segments that it replaces; the last holds the number
of lines and the SHA-256 of all bytes before it. Encrypted, it is an age file
(https://age-encryption.org/v1) around the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memcli.errors import BadInput, MemcliError
from memcli.named_tuple import NamedTuple
from memcli.sync.records.merge import canonical

# Version 2: a tag is a register of its own.
FORMAT, VERSION = "memcli-changes", 2
# Sizes in bytes: a writer ends a segment when it reaches LARGE; a reader refuses one above LARGEST.
LARGE, LARGEST = 4 * 2**20, 256 * 2**20

_NOT_WHOLE = "it is not whole: half-written or damaged"
_WRITTEN_ANEW = "the store that wrote it writes it anew when it syncs"

# The first bytes of an age file.
SEALED = b"age-encryption.org/v1\n"


class Segment(NamedTuple):
    """A parsed segment: its writer, the segments that it replaces (by name), and its lines."""

    replica: str
    replaces: tuple[str, ...]
    lines: Sequence[str]
    model: dict[str, Any] | None = None


class HalfWritten(BadInput):
    """Raised for an incomplete segment: it is still being written or copied, or was damaged."""


class Unreadable(HalfWritten):
    """Raised for a segment that the operating system cannot read now."""


class NewerSegment(BadInput):
    """Raised for a segment written by a newer memcli."""


def segment_bytes(segment: Segment) -> bytes:
    """Return a segment as the content of a file."""
    head = {
        "format": FORMAT, "version": VERSION, "replica": segment.replica, "replaces": list(segment.replaces),
        **({"model": segment.model} if segment.model else {}),
    }  # fmt: skip
    body = "".join(f"{line}\n" for line in (canonical(head), *segment.lines)).encode()
    tail = {"lines": len(segment.lines), "sha256": hashlib.sha256(body).hexdigest()}
    return body + f"{canonical(tail)}\n".encode()


def parsed_segment(content: bytes) -> Segment:
    """Parse the content of a file. Raises HalfWritten, NewerSegment, BadInput if it is no segment."""
    if b"\n" not in content:
        raise HalfWritten(_NOT_WHOLE, advice=_WRITTEN_ANEW)
    head = _head(content)
    if head is None:
        raise BadInput("not a change file of memcli; remove it if nobody needs it")
    version = head.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise NewerSegment(f"written by a newer memcli (version {version!r:.10}, this one reads {VERSION})")
    body, _, last = content.removesuffix(b"\n").rpartition(b"\n")
    body += b"\n"
    try:
        tail = json.loads(last)
        whole = content.endswith(b"\n") and tail["sha256"] == hashlib.sha256(body).hexdigest()
    except (ValueError, TypeError, KeyError, RecursionError):
        whole = False
    if not whole:
        raise HalfWritten(_NOT_WHOLE, advice=_WRITTEN_ANEW)
    replaces = head.get("replaces", [])
    model = head.get("model")
    lines = body.decode("utf-8", "replace").split("\n")[1:-1]
    return Segment(
        str(head.get("replica", "")),
        tuple(map(str, replaces)) if isinstance(replaces, list) else (),
        lines,
        model if isinstance(model, dict) else None,
    )


def writer_of(content: bytes) -> str | None:
    """Return the writer of a segment, complete or not; None if it is no segment."""
    head = _head(content)
    return str(head.get("replica", "")) if head else None


def _head(content: bytes) -> dict[str, Any] | None:
    try:
        head = json.loads(content.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return None
    return head if isinstance(head, dict) and head.get("format") == FORMAT else None


def read_bytes(path: Path) -> bytes:
    """Read a file. Raises Unreadable if it cannot be read now, BadInput if it is too large."""
    try:
        if path.stat().st_size > LARGEST:
            raise BadInput(f"it is larger than {LARGEST >> 20} MiB")
        return path.read_bytes()
    except OSError as error:
        raise Unreadable(f"it cannot be read ({error.strerror})") from error


class Sealing:
    """Encrypts and decrypts segments with an age identity, the same for all replicas of a folder."""

    def __init__(self, identity: str) -> None:
        try:
            import pyrage
        except ImportError as error:
            raise BadInput(
                "encrypted change files need the package pyrage: pip install 'memcli[age]'"
            ) from error
        self._errors = (pyrage.DecryptError, pyrage.EncryptError)
        self._age = pyrage
        try:
            self._identity = pyrage.x25519.Identity.from_str(identity.strip())
        except pyrage.IdentityError as error:
            raise BadInput("the key is not an age identity (AGE-SECRET-KEY-1…)") from error

    def sealed(self, content: bytes) -> bytes:
        """Return the content encrypted as an age file."""
        sealed: bytes = self._age.encrypt(content, [self._identity.to_public()])
        return sealed

    def opened(self, content: bytes) -> bytes:
        """Return the content decrypted. Raises CannotOpen for another key, HalfWritten if incomplete."""
        if not content.startswith(SEALED):
            raise HalfWritten(_NOT_WHOLE, advice=_WRITTEN_ANEW)
        try:
            opened: bytes = self._age.decrypt(content, [self._identity])
        except self._errors as error:
            # pyrage has one error for all; only its text distinguishes a wrong key from a truncated file.
            if "matching keys" in str(error):
                raise CannotOpen("another key than this one opens it") from error
            raise HalfWritten(_NOT_WHOLE, advice=_WRITTEN_ANEW) from error
        return opened


class CannotOpen(MemcliError):
    """Raised for an encrypted segment that is damaged, or that the given key does not open."""
