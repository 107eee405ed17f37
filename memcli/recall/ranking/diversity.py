"""Diversity: keep near-copies from filling the page, by maximal marginal relevance (MMR).

Carbonell & Goldstein, "The use of MMR" (SIGIR 1998), with the penalty applied only to near-copies, because
the neighbours of a good turn are often good too. Two of a kind stay: the second may be the correction of the
first, or its opposite ("I like hot food", "I dislike hot food" are near-copies to a small model).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memcli.recall.ranking.vectors import Floats

# The cosine from which two memories count as near-copies.
NEAR_COPY = 0.90
# The penalty for an exact copy, in units of cosine.
PENALTY = 1.0
# At most so many near-copies of a memory go without penalty (0: 0.6 points of R@10 less on PrefEval's
# preferences, many of them alike; 1 and 2: no loss).
TWINS = 1


def diversify(ranked: Sequence[int], sums: Sequence[float], vectors: Floats, limit: int) -> list[int]:
    """Choose up to `limit` of `ranked` (positions, best first), with near-copies moved down.

    `sums` (C,) are the totals by position, `vectors` (C, d) are of unit length. Each choice has the greatest
    sum less PENALTY times how far its cosine to the chosen exceeds NEAR_COPY; the TWINS most alike do not
    count.
    """
    pool = list(ranked[: 4 * limit])
    chosen: list[int] = []
    if not pool:
        return chosen
    # For each candidate its greatest cosines to the chosen: TWINS + 1 rows, of which only the least counts.
    nearest = np.full((TWINS + 1, len(pool)), NEAR_COPY, dtype=np.float32)
    values = np.asarray([sums[position] for position in pool], dtype=np.float32)
    rows = vectors[pool]
    taken = np.zeros(len(pool), dtype=bool)
    while len(chosen) < min(limit, len(pool)):
        penalties = PENALTY * (nearest[0] - NEAR_COPY) / (1 - NEAR_COPY)
        place = int(np.argmax(np.where(taken, -np.inf, values - penalties)))
        taken[place] = True
        chosen.append(pool[place])
        nearest = np.sort(np.vstack([nearest, rows @ rows[place]]), axis=0)[1:]
    return chosen
