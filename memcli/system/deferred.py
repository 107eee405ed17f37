"""Work that a call defers until its caller has gone on: possible where that is another process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

_actions: list[Callable[[], None]] | None = None


def enable() -> None:
    """From now on work may be deferred: whoever enables it promises to call `run_all`."""
    global _actions  # noqa: PLW0603 - of this process
    _actions = []


def is_enabled() -> bool:
    """Whether work may be deferred."""
    return _actions is not None


def defer(action: Callable[[], None]) -> None:
    """Have `run_all` do it. Only where `is_enabled`."""
    assert _actions is not None  # noqa: S101 - who calls has asked
    _actions.append(action)


def run_all() -> None:
    """Do what was deferred, in order. Errors are dropped: nobody is there any more to be told of them."""
    for action in _actions or ():
        with suppress(Exception):
            action()
