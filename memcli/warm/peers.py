"""Whether a caller has the keeper's own authority, and does nothing by it that he may not do himself."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

# Lines of /proc/PID/status (proc(5)): who somebody is, and what he may do.
_SAME = (
    "Uid",
    "Gid",
    "Groups",
    "Seccomp",
    "Seccomp_filters",
    "CapInh",
    "CapPrm",
    "CapEff",
    "CapBnd",
    "CapAmb",
)
# A sandbox by Landlock does not show; but none can be entered without giving up new privileges first.
_ZERO = ("NoNewPrivs", "TracerPid")
_NAMESPACES = ("mnt", "pid", "user", "net", "ipc", "uts")


def has_our_authority(process: int) -> bool:
    """Whether a process of our own user may do just what we may, in the same world of files.

    On Linux: same groups, capabilities, filters, namespaces, root and label, and no sandbox; nor is it
    traced, for who debugs it wants to see it work. Elsewhere the user alone is known.
    """
    if sys.platform != "linux":
        return True
    try:
        status = _status(process)
        return _is_unbound(status) and _authority(process, status) == own_authority()
    except OSError:
        return False


def is_unbound(process: int) -> bool:
    """Whether a process stands in no sandbox and is not traced. Raises OSError where it cannot be told."""
    if sys.platform != "linux":
        return True
    return _is_unbound(_status(process))


def _is_unbound(status: dict[str, str]) -> bool:
    return all(status.get(name, "0") == "0" for name in _ZERO)


@cache
def own_authority() -> list[object]:
    """All in which a caller must be as this process, and as the processes that it forks. Raises OSError."""
    process = os.getpid()
    return _authority(process, _status(process))


def _authority(process: int, status: dict[str, str]) -> list[object]:
    root = os.stat(f"/proc/{process}/root")
    return [
        *(status.get(name) for name in _SAME),
        *(os.readlink(f"/proc/{process}/ns/{name}") for name in _NAMESPACES),
        (root.st_dev, root.st_ino),
        _label(process),
    ]


def _status(process: int) -> dict[str, str]:
    lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    return {name: text.strip() for name, _, text in (line.partition(":") for line in lines)}


def _label(process: int) -> bytes:
    """What a security module calls it; nothing where there is none."""
    try:
        return Path(f"/proc/{process}/attr/current").read_bytes()
    except OSError:
        return b""
