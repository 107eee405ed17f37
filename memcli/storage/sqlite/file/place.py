"""Place of a file: its machine, its path, and its identity."""

from __future__ import annotations

import platform
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path


def place_of(file: Path) -> dict[str, str]:
    """See `memcli.storage.Store.place`; `file` is the real one."""
    place = {"host": platform.node(), "path": str(file), "file": "", "machine": _machine()}
    with suppress(OSError):
        there = file.stat()
        place["file"] = f"{there.st_dev}:{there.st_ino}"
    return place


def _machine() -> str:
    """Return a hash of the machine id (https://man7.org/linux/man-pages/man5/machine-id.5.html).

    It distinguishes machines with the same name; empty if there is none.
    """
    with suppress(OSError):
        if told := Path("/etc/machine-id").read_bytes().strip():
            return blake2b(told, key=b"memcli replica", digest_size=8).hexdigest()
    return ""
