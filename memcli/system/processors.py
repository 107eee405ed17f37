"""How many processors there are for us."""

from __future__ import annotations

import os


def usable_processors() -> int:
    """Those that this process may use; where that cannot be asked, all."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
