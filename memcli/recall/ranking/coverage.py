"""Words: which part of the question's information a memory contains."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from memcli.model import Ref


def rarity(holders: int, total: int) -> float:
    """How much a word tells that `holders` of `total` memories hold: BM25's idf, as in Lucene.

    ln(1 + (N - n + 0.5) / (n + 0.5)): never negative, so that a word which
    half of them hold still counts a little.
    """
    return log(1 + (total - holders + 0.5) / (holders + 0.5))


def term_weights(holders: Sequence[int], total: int) -> list[float]:
    """The share of the question's information that each of its terms carries; sums to 1.

    In: how many of `total` memories hold each.
    """
    raw = [rarity(number, total) for number in holders]
    whole = sum(raw) or 1.0
    return [each / whole for each in raw]


def coverage(held: Sequence[frozenset[Ref]], shares: Sequence[float]) -> dict[Ref, float]:
    """The share of the question's information that each memory contains, 0 to 1.

    In: who holds each term, and its share. BM25 with k1 -> 0 over its own upper bound: how
    often a word is repeated and how long a memory is say nothing here, and what a memory
    *could* have scored is taken into account, so that words do not mislead where the
    answer shares none. `Store.top_by_words` finds the memories that contain most.
    """
    covered: dict[Ref, float] = {}
    for share, holders in zip(shares, held, strict=True):
        for ref in holders:
            covered[ref] = covered.get(ref, 0.0) + share
    return covered
