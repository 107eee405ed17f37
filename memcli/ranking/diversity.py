"""Ten paraphrases must not fill the page: maximal marginal relevance.

Carbonell & Goldstein, "The use of MMR" (SIGIR 1998), with the penalty kept for
what is nearly the same: the neighbours of a good turn are often good too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memcli.ranking.vectors import Floats

# Two memories less alike than this are different things.
ALIKE = 0.90
# What full likeness costs, in units of cosine.
PENALTY = 1.0


def diversify(ranked: Sequence[int], sums: Sequence[float], vectors: Floats, limit: int) -> list[int]:
    """Choose up to `limit` of `ranked` (positions, best first), near-copies moved down.

    In: sums (C,) by position, unit vectors (C, d). Each choice is the best by
    its sum less PENALTY for how far its likeness to what is chosen exceeds ALIKE.
    """
    pool = list(ranked[: 4 * limit])
    chosen: list[int] = []
    if not pool:
        return chosen
    penalties = np.zeros(len(pool), dtype=np.float32)
    values = np.asarray([sums[position] for position in pool], dtype=np.float32)
    rows = vectors[pool]
    taken = np.zeros(len(pool), dtype=bool)
    while len(chosen) < min(limit, len(pool)):
        place = int(np.argmax(np.where(taken, -np.inf, values - penalties)))
        taken[place] = True
        chosen.append(pool[place])
        excess = np.maximum(rows @ rows[place] - ALIKE, 0) / (1 - ALIKE)
        penalties = np.maximum(penalties, PENALTY * excess)
    return chosen
