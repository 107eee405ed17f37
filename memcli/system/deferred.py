"""Deferred work: run after the caller has its answer, which is possible if that is another process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

_actions: list[Callable[[], None]] | None = None


def enable() -> None:
    """Allow work to be deferred from now on; the caller must call `run_all` later."""
    global _actions  # noqa: PLW0603 - of this process
    _actions = []


def is_enabled() -> bool:
    """True if work may be deferred."""
    return _actions is not None


def defer(action: Callable[[], None]) -> None:
    """Have `run_all` run an action. Only allowed if `is_enabled`."""
    assert _actions is not None  # noqa: S101 - who calls has asked
    _actions.append(action)


def run_all() -> None:
    """Run the deferred actions in order. Errors are dropped, because nobody is left to report them to."""
    for action in _actions or ():
        with suppress(Exception):
            action()
