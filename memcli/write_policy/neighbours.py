"""Who is near whom among many vectors: blocked matrix products instead of one search a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# Rows of one product: 2,048 × 8,192 float32 are 64 MB, the most that is held at once.
NEW_ROWS, OLD_ROWS = 2048, 8192


class Near(NamedTuple):
    """A new row, a row that it is near to, and their cosine.

    `among_new` says whether `other` counts the new rows or the existing ones.
    """

    row: int
    other: int
    among_new: bool
    cosine: float


def nearest_in_batch(new: Floats, existing: Floats, threshold: float, limit: int = 5) -> list[Near]:
    """For each new row the `limit` nearest of cosine ≥ threshold, best first.

    `new` and `existing` are unit vectors, a row each. A new row is compared
    with all existing rows and with the new rows before it, so that of two
    alike in one batch the second is near the first. Memory stays bounded
    whatever the number of rows; a row that is not finite is near nothing.
    """
    import numpy as np

    found: list[list[Near]] = [[] for _ in range(len(new))]
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
                    near = Near(start + here, offset + there, among_new, min(cosine, 1.0))
                    found[near.row] = _best([*found[near.row], near], limit)
    return [near for row in found for near in row]


def _hits(cosines: Floats, threshold: float, limit: int) -> Iterator[tuple[int, int, float]]:
    """Place and value of up to `limit` of the highest in each row, none below the threshold."""
    import numpy as np

    rows = np.flatnonzero((cosines >= threshold).any(axis=1))
    if not len(rows):
        return
    chosen = np.nan_to_num(cosines[rows], nan=-np.inf, posinf=-np.inf, neginf=-np.inf)
    width = min(limit, chosen.shape[1])
    places = np.argpartition(-chosen, width - 1, axis=1)[:, :width]
    for row, best in zip(rows.tolist(), places.tolist(), strict=True):
        for place in best:
            if (cosine := float(cosines[row, place])) >= threshold and cosine < 1.5:
                yield row, place, cosine


def _best(near: list[Near], limit: int) -> list[Near]:
    return sorted(near, key=lambda each: (-each.cosine, each.among_new, each.other))[:limit]
