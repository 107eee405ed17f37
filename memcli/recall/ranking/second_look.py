"""The first of a ranking in another order: by what reads each together with the question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.recall.results import Hit

# So many are looked at again.
FIRST = 30


def second_order(scores: Sequence[float], total: int) -> list[int]:
    """The places of all `total`: those looked at again by their scores, best first, then the rest."""
    looked = sorted(range(len(scores)), key=lambda place: -scores[place])
    return [*looked, *range(len(scores), total)]


def in_order(hits: Sequence[Hit], order: Sequence[int]) -> list[Hit]:
    """Hits in the order of these places. A place keeps its score and its total, by which the floor and the
    page judge; who comes to stand there has a part more, with which its own add up to that."""
    found = []
    for here, place in zip(hits, order, strict=True):
        came = hits[place]
        moved = here.total - came.total
        parts = {**came.parts, "rerank": moved} if moved else came.parts
        found.append(came._replace(score=here.score, total=here.total, parts=parts))
    return found
