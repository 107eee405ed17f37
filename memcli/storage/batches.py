"""Many things in portions: what is read, asked for or written at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
# Memories per transaction of a bulk write: few enough that another process never waits for a second.
BATCH = 512


def in_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of up to `size` items, in order (itertools.batched exists since Python 3.12)."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
