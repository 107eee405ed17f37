"""What a call may do when its caller has gone on: where that is somebody else than this process."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

_put_off: list[Callable[[], None]] | None = None


def want() -> None:
    """From now on things may be put off: `catch_up` is going to be called."""
    global _put_off  # noqa: PLW0603 - of this process
    _put_off = []


def are_wanted() -> bool:
    """Whether something may be put off."""
    return _put_off is not None


def put_off(action: Callable[[], None]) -> None:
    """Do it later."""
    assert _put_off is not None  # noqa: S101 - who calls has asked
    _put_off.append(action)


def catch_up() -> None:
    """Do what was put off, in its order. Nobody is there any more to be told of an error."""
    for action in _put_off or ():
        with suppress(Exception):
            action()
