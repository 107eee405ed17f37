"""A model and a store that tell when slow work is done while others wait for the store."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from memcli.memories import Memories
from tests.standin import StandIn


class Watched(StandIn):
    """A model that must not be asked while others wait for the store."""

    holding = 0

    def documents(self, texts: Sequence[str]) -> Iterator[np.ndarray[Any, np.dtype[np.float32]]]:
        assert not Watched.holding, "embedded inside a transaction"
        return super().documents(texts)


def watch_writing(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `Watched` count the transactions that are open."""
    opened = memories.store.writing

    @contextmanager
    def watched(patience: float | None = None) -> Iterator[None]:
        with opened(patience):
            Watched.holding += 1
            try:
                yield
            finally:
                Watched.holding -= 1

    monkeypatch.setattr(memories.store, "writing", watched)
