"""Processors that are available to this process, and the priority of its threads."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

# A niceness that leaves a thread a third of the time of another one beside it (sched(7): 1.25 a step).
_NICER = 5


def usable_processors() -> int:
    """Return how many processors this process may use; all of them if that is unknown."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def let_others_go_first() -> None:
    """Lower the priority of this thread, and of those that it starts, below the other threads'.

    Only Linux has a niceness for each thread (setpriority(2)); elsewhere this does nothing.
    """
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + _NICER)
