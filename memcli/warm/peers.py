"""Peers: whether a caller has just the keeper's authority, and so gains none by a call that is done there."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

# Lines of /proc/PID/status (proc(5)) on a process's identity and rights, which must be equal.
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
# Lines that must be 0. A Landlock sandbox has no line, but NoNewPrivs is set before one is entered (needed
# unless the process has CAP_SYS_ADMIN).
_ZERO = ("NoNewPrivs", "TracerPid")
_NAMESPACES = ("mnt", "pid", "user", "net", "ipc", "uts")


def has_our_authority(process: int) -> bool:
    """True if a process of our own user has the same rights as we have, and sees the same files.

    On Linux: same groups, capabilities, seccomp filters, namespaces, root directory and security label, and
    no sandbox; nor is it traced, for its debugger is to see the work done. Elsewhere only the user is
    compared.
    """
    if sys.platform != "linux":
        return True
    try:
        status = _status(process)
        return _is_unbound(status) and _authority(process, status) == own_authority()
    except OSError:
        return False


def is_unbound(process: int) -> bool:
    """True if a process is in no sandbox and is not traced. Raises OSError if that cannot be told."""
    if sys.platform != "linux":
        return True
    return _is_unbound(_status(process))


def _is_unbound(status: dict[str, str]) -> bool:
    return all(status.get(name, "0") == "0" for name in _ZERO)


@cache
def own_authority() -> list[object]:
    """Return all that must be equal in a caller, for this process and those it forks. Raises OSError."""
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
    """Return a process's security label (SELinux, AppArmor); empty if there is none."""
    try:
        return Path(f"/proc/{process}/attr/current").read_bytes()
    except OSError:
        return b""
