"""Listener: notification of writes to a store whose server provides it; see `Store.listening`."""

from __future__ import annotations

from typing import Protocol


class Listener(Protocol):
    """A connection of its own that receives the notifications."""

    def fileno(self) -> int:
        """Return a descriptor that is readable after a notification. Raises StoreUnusable."""

    def drain(self) -> None:
        """Consume the notifications, so that the descriptor waits for the next. Raises StoreUnusable."""
