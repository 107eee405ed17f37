"""Batches: lists of limited size, for bulk reads, requests and writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
# One transaction of a bulk write: small enough that another writer never waits for a second.
BATCH = 512


def in_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of up to `size` items, in order (itertools.batched exists since Python 3.12)."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
