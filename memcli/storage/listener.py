"""Hearing that somebody has written to a store, where its server says so: see `Store.listening`."""

from __future__ import annotations

from typing import Protocol


class Listener(Protocol):
    """A connection of its own on which that is heard."""

    def fileno(self) -> int:
        """A descriptor that can be read once something was said. Raises StoreUnusable."""

    def drain(self) -> None:
        """Take what was said, so that the descriptor waits for what comes next. Raises StoreUnusable."""
