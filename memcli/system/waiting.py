"""Waiting while somebody listens: until a time is over, or whoever reads us or called us is gone."""

from __future__ import annotations

import os
import select
import stat
import sys
import time

_DISCARDED = 1 << 16


def wait_for_listener(seconds: float, descriptor: int | None = None) -> bool:
    """Wait so long, or until a descriptor can be read; False once our reader is gone, or our input ended.

    Input that ends is a pipe's or, in the foreground, a terminal's: /dev/null says nothing.
    """
    if not hasattr(select, "poll"):
        time.sleep(seconds if descriptor is None else min(seconds, 0.2))
        return True
    waiting = select.poll()
    reader, caller = _number(sys.stdout), _caller()
    if reader is not None:
        waiting.register(reader, 0)  # what is wrong is told unasked
    if caller is not None:
        waiting.register(caller, select.POLLIN)
    if descriptor is not None:
        waiting.register(descriptor, select.POLLIN)
    for number, events in waiting.poll(seconds * 1000):
        if number == reader and events & (select.POLLERR | select.POLLHUP | select.POLLNVAL):
            return False
        if number == caller and not os.read(number, _DISCARDED):
            return False
    return True


def _number(stream: object) -> int | None:
    try:
        number: int = stream.fileno()  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):
        return None
    return number


def _caller() -> int | None:
    """Our input, where it ends when our caller does."""
    number = _number(sys.stdin)
    if number is None:
        return None
    try:
        mode = os.fstat(number).st_mode
        if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode):
            return number
        return number if os.isatty(number) and os.tcgetpgrp(number) == os.getpgrp() else None
    except OSError:
        return None
