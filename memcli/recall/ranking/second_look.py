"""Second look: rerank the first hits by the scores of a model that reads each together with the question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.recall.results import Hit

# How many hits are reranked.
FIRST = 30


def second_order(scores: Sequence[float], total: int) -> list[int]:
    """Return the places of all `total` hits: the reranked ones by their scores, best first, then the rest."""
    looked = sorted(range(len(scores)), key=lambda place: -scores[place])
    return [*looked, *range(len(scores), total)]


def in_order(hits: Sequence[Hit], order: Sequence[int]) -> list[Hit]:
    """Return the hits in the order of these places.

    Score and total stay with the place, because the floor and the page judge by them; a hit that moves gets a
    part `rerank` that makes its parts add up to the total of its new place.
    """
    found = []
    for here, place in zip(hits, order, strict=True):
        came = hits[place]
        moved = here.total - came.total
        parts = {**came.parts, "rerank": moved} if moved else came.parts
        found.append(came._replace(score=here.score, total=here.total, parts=parts))
    return found
