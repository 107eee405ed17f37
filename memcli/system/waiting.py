"""Waiting for some time, or until the reader of our output or our caller is gone."""

from __future__ import annotations

import os
import select
import stat
import sys
import time

_DISCARDED = 1 << 16


def wait_for_listener(seconds: float, descriptor: int | None = None) -> bool:
    """Wait so long, or until `descriptor` is readable; False once our reader is gone or our input ended.

    Input counts as ended if it is a pipe or, in the foreground, a terminal: /dev/null says nothing.
    """
    if not hasattr(select, "poll"):
        time.sleep(seconds if descriptor is None else min(seconds, 0.2))
        return True
    waiting = select.poll()
    reader, caller = _number(sys.stdout), _caller()
    if reader is not None:
        waiting.register(reader, 0)  # errors are reported without being asked for
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
    """Return our stdin if it ends when our caller does; None otherwise."""
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
