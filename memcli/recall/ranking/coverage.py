"""Coverage: the share of a question's information that a memory contains, its words weighted by rarity."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from memcli.model import Ref


def rarity(holders: int, total: int) -> float:
    """Return the weight of a word that `holders` of `total` memories hold: BM25's idf, as in Lucene.

    ln(1 + (N - n + 0.5) / (n + 0.5)): never negative, so that a word that half of them hold still counts a
    little.
    """
    return log(1 + (total - holders + 0.5) / (holders + 0.5))


def term_weights(holders: Sequence[int], total: int) -> list[float]:
    """Return the share of the question's information that each of its terms carries; they sum to 1.

    `holders` is how many of `total` memories hold each.
    """
    raw = [rarity(number, total) for number in holders]
    whole = sum(raw) or 1.0
    return [each / whole for each in raw]


def coverage(held: Sequence[frozenset[Ref]], shares: Sequence[float]) -> dict[Ref, float]:
    """Return the share of the question's information that each memory contains, 0 to 1.

    `held` are the holders of each term, `shares` the terms' weights. This is BM25 with k1 -> 0 divided by its
    own upper bound: term frequency and length are ignored, and the score is relative to what a memory *could*
    have scored, so that words do not mislead where the answer shares none. `Store.top_by_words` finds the
    memories that contain most.
    """
    covered: dict[Ref, float] = {}
    for share, holders in zip(shares, held, strict=True):
        for ref in holders:
            covered[ref] = covered.get(ref, 0.0) + share
    return covered
