"""Nearest neighbours among many vectors, by blocked matrix products instead of one search per row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memcli.named_tuple import NamedTuple

if TYPE_CHECKING:
    from memcli.embedding.vectors import Floats

# Rows of one product: 2,048 × 8,192 float32 are 64 MB, the most memory that is held at once.
NEW_ROWS, OLD_ROWS = 2048, 8192
# At most so many cosines are sorted in the first step, in case all rows are near each other.
_FIRST_HITS = 1 << 19
# Larger values are no cosines: they come from vectors that are not finite.
_BEYOND = 1.5


class VectorMatch(NamedTuple):
    """A new row, a row that it is near to, and their cosine.

    `among_new` says whether `other` counts the new rows or the existing ones.
    """

    row: int
    other: int
    among_new: bool
    cosine: float


def nearest_in_batch(new: Floats, existing: Floats, threshold: float, limit: int = 5) -> list[VectorMatch]:
    """Return, for each new row, the `limit` nearest with cosine ≥ threshold, best first.

    `new` and `existing` are unit vectors, one per row. A new row is compared with all existing rows and with
    the new rows before it, so that of two similar ones in a batch the second is near the first; ties keep the
    first. Memory stays bounded whatever the number of rows; a row that is not finite is near nothing.
    """
    import numpy as np

    found: list[VectorMatch] = []
    for start in range(0, len(new), NEW_ROWS):
        block = np.ascontiguousarray(new[start : start + NEW_ROWS], dtype=np.float32)
        best = _Best(len(block), threshold, limit)
        for begin, end in _spans(len(block), len(existing)):
            best.look_at(_cosines(block, existing[begin:end]), begin)
        for begin, end in _spans(len(block), start + len(block)):
            cosines = _cosines(block, new[begin:end])
            if end > start:
                later = np.arange(max(begin, start), end)
                of_itself = later[None, :] >= np.arange(start, start + len(block))[:, None]
                cosines[:, max(0, start - begin) :][of_itself] = -np.inf
            best.look_at(cosines, len(existing) + begin)
        found += best.neighbours(start, len(existing))
    return found


def _spans(block: int, rows: int) -> Iterator[tuple[int, int]]:
    """Yield the rows in parts, the first one small: rows that find enough neighbours there sort few later."""
    begin, size = 0, min(max(_FIRST_HITS // block, 1), OLD_ROWS)
    while begin < rows:
        yield begin, min(begin + size, rows)
        begin, size = begin + size, min(2 * size, OLD_ROWS)


def _cosines(block: Floats, rows: Floats) -> Floats:
    import numpy as np

    with np.errstate(invalid="ignore", over="ignore"):
        found: Floats = block @ np.asarray(rows, dtype=np.float32).T
    return found


class _Best:
    """The nearest others of some rows so far; a cosine counts only if it exceeds the last of them."""

    def __init__(self, rows: int, threshold: float, limit: int) -> None:
        import numpy as np

        self._limit = limit
        self._values = np.full((rows, limit), -np.inf, dtype=np.float32)
        self._others = np.zeros((rows, limit), dtype=np.int64)
        self._least = np.full(rows, threshold, dtype=np.float32)

    def look_at(self, cosines: Floats, offset: int) -> None:
        """Take in the cosines of all rows with the next others, which are numbered from `offset` on."""
        import numpy as np

        with np.errstate(invalid="ignore"):
            near = np.flatnonzero(cosines >= self._least[:, None])
        if not len(near):
            return
        rows, places = np.divmod(near, cosines.shape[1])
        values = cosines.ravel()[near]
        sound = values < _BEYOND
        rows, others, values = rows[sound], places[sound] + offset, values[sound]
        touched = np.unique(rows)
        if not len(touched):
            return
        known = self._values[touched] > -np.inf
        rows = np.concatenate([np.repeat(touched, known.sum(axis=1)), rows])
        values = np.concatenate([self._values[touched][known], values])
        others = np.concatenate([self._others[touched][known], others])
        order = np.lexsort((others, -values, rows))
        rows, values, others = rows[order], values[order], others[order]
        rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
        kept = rank < self._limit
        rows, rank = rows[kept], rank[kept]
        self._values[rows, rank], self._others[rows, rank] = values[kept], others[kept]
        full = touched[self._values[touched, -1] > -np.inf]
        # Ties keep the first.
        self._least[full] = np.nextafter(self._values[full, -1], np.float32(np.inf))

    def neighbours(self, start: int, existing: int) -> list[VectorMatch]:
        """Return the nearest of each row, best first; rows are numbered from `start` on."""
        import numpy as np

        rows, places = np.nonzero(self._values > -np.inf)
        values = np.minimum(self._values[rows, places], 1.0).tolist()
        others = self._others[rows, places].tolist()
        return [
            VectorMatch(
                start + row, other - existing if other >= existing else other, other >= existing, value
            )
            for row, other, value in zip(rows.tolist(), others, values, strict=True)
        ]
