"""Who is near whom among many vectors: blocked matrix products instead of one search a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memcli.embedding.vectors import Floats

# Rows of one product: 2,048 × 8,192 float32 are 64 MB, the most that is held at once.
NEW_ROWS, OLD_ROWS = 2048, 8192


class Neighbour(NamedTuple):
    """A new row, a row that it is near to, and their cosine.

    `among_new` says whether `other` counts the new rows or the existing ones.
    """

    row: int
    other: int
    among_new: bool
    cosine: float


def nearest_in_batch(new: Floats, existing: Floats, threshold: float, limit: int = 5) -> list[Neighbour]:
    """For each new row the `limit` nearest of cosine ≥ threshold, best first.

    `new` and `existing` are unit vectors, a row each. A new row is compared
    with all existing rows and with the new rows before it, so that of two
    alike in one batch the second is near the first. Memory stays bounded
    whatever the number of rows; a row that is not finite is near nothing.
    """
    import numpy as np

    found: list[list[Neighbour]] = [[] for _ in range(len(new))]
    for start in range(0, len(new), NEW_ROWS):
        block = np.ascontiguousarray(new[start : start + NEW_ROWS], dtype=np.float32)
        for among_new, rows in ((False, existing), (True, new[: start + len(block)])):
            for offset in range(0, len(rows), OLD_ROWS):
                part = np.asarray(rows[offset : offset + OLD_ROWS], dtype=np.float32)
                with np.errstate(invalid="ignore", over="ignore"):
                    cosines = block @ part.T
                if among_new:
                    others = np.arange(offset, offset + len(part))
                    cosines[others[None, :] >= np.arange(start, start + len(block))[:, None]] = -np.inf
                for here, there, cosine in _hits(cosines, threshold, limit):
                    near = Neighbour(start + here, offset + there, among_new, min(cosine, 1.0))
                    found[near.row].append(near)
    return [near for row in found for near in _best(row, limit)]


def _hits(cosines: Floats, threshold: float, limit: int) -> Iterator[tuple[int, int, float]]:
    """Place and value of up to `limit` of the highest in each row, none below the threshold."""
    import numpy as np

    with np.errstate(invalid="ignore"):
        # What is no number is near nothing; what is not finite is beyond any cosine.
        close = (cosines >= threshold) & (cosines < 1.5)
    for row in np.flatnonzero(close.any(axis=1)).tolist():
        places = np.flatnonzero(close[row])
        values = cosines[row, places]
        if len(places) > limit:
            best = np.argpartition(-values, limit - 1)[:limit]
            places, values = places[best], values[best]
        for place, cosine in zip(places.tolist(), values.tolist(), strict=True):
            yield row, place, cosine


def _best(near: list[Neighbour], limit: int) -> list[Neighbour]:
    return sorted(near, key=lambda each: (-each.cosine, each.among_new, each.other))[:limit]
