"""From two lists of candidates to one order: score fusion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memcli.model import Match

# How much words may add to meaning (../shared/MEASURED.md: score fusion beats rank fusion).
WORDS_WEIGHT = 0.3


class Scored(NamedTuple):
    """A candidate with the scores that found it; None where that search did not."""

    id: str
    score: float
    words: float | None
    meaning: float | None


def fuse(by_words: Sequence[Match], by_meaning: Sequence[Match]) -> list[Scored]:
    """Cosine + 0.3 × BM25 / best BM25 of this query, scaled to 0..1, best first."""
    best = max((match.score for match in by_words), default=0.0) or 1.0
    words = {match.id: match.score / best for match in by_words}
    meaning = {match.id: max(match.score, 0.0) for match in by_meaning}
    whole = (1.0 if by_meaning else 0.0) + WORDS_WEIGHT if words or meaning else 1.0
    scored = [
        Scored(
            memory_id,
            (meaning.get(memory_id, 0.0) + WORDS_WEIGHT * words.get(memory_id, 0.0)) / whole,
            words.get(memory_id),
            meaning.get(memory_id),
        )
        for memory_id in {**words, **meaning}
    ]
    return sorted(scored, key=lambda each: (-each.score, each.id))
