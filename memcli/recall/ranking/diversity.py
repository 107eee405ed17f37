"""Ten paraphrases must not fill the page: maximal marginal relevance.

Carbonell & Goldstein, "The use of MMR" (SIGIR 1998), with the penalty kept for
what is nearly the same: the neighbours of a good turn are often good too. Two of
a kind stay: the second may be the correction of the first, or its opposite
("I like hot food", "I dislike hot food" are near-copies to a small model).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memcli.recall.ranking.vectors import Floats

# Two memories less alike than this are different things.
NEAR_COPY = 0.90
# What full likeness costs, in units of cosine.
PENALTY = 1.0
# So many near-copies of a memory stand beside it without penalty (0: 0.6 points of R@10 less
# on PrefEval's preferences, many of them alike; 1 and 2: none).
TWINS = 1


def diversify(ranked: Sequence[int], sums: Sequence[float], vectors: Floats, limit: int) -> list[int]:
    """Choose up to `limit` of `ranked` (positions, best first), near-copies moved down.

    In: sums (C,) by position, unit vectors (C, d). Each choice is the best by
    its sum less PENALTY for how far its likeness to what is chosen, the TWINS most alike
    left out, exceeds ALIKE.
    """
    pool = list(ranked[: 4 * limit])
    chosen: list[int] = []
    if not pool:
        return chosen
    # Of each, how alike the chosen ones are that count: a row for the most alike, and each twin.
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
