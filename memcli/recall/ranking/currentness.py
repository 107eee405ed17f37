"""What is current stands before what it replaced: decided by pairs, not by age.

Where two of the best are judged an old and a new value of one thing, the newer is put
just before the older, and into the page where only the older stood there. Nothing else
moves, and nothing is left out but what the newer pushes off the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memcli.model import is_statement
from memcli.recall.results import Hit

if TYPE_CHECKING:
    from memcli.recall.ranking.vectors import Floats

# So many of the best that did not come onto the page may still be newer than something on it.
REACH = 20
# Pairs nearer than any unrelated ones mostly are; judged are the nearest of them (half a millisecond each).
_NEAR, _MOST = 0.3, 16
# The newer has at least this part of the older one's total. (Six people's 40 notes in four languages,
# MRR: 51.5 without this line, 57.5 by the ranking alone.)
ABOUT = 0.7
# Only the order is at stake, and a wrong one costs little, for both stay on the page: much less sureness
# is enough than for telling its owner.
LIKELY = 0.25
# What comes onto the page pushes another off: that takes more. (Where LIKELY was enough for it, too, R@10 on
# PrefEval fell from 48.9 to 41.4, and at 0.7 to 48.1; of forty updates the newer stands before the
# older in as many with all of these.)
CERTAIN = 0.8


def newer_first(page: Sequence[Hit], others: Sequence[Hit], vectors: Floats, room: int) -> list[Hit]:
    """The hits of a page, the newer of an old and a new value of one thing before the older.

    `others` are the best that are not on the page; `vectors` (page and others, d) are unit,
    by the default model, in their order. The page holds no more than `room` of them.
    """
    hits = [*page, *others]
    cosines = vectors @ vectors.T
    pairs = [
        (float(cosines[newer, older]), newer, older)
        for older in range(len(page))
        for newer in range(len(hits))
        # The newer stands behind the older, or not on the page at all.
        if newer > older and cosines[newer, older] >= _NEAR and _may_replace(hits[newer], hits[older])
    ]
    order = list(range(len(page)))
    for cosine, newer, older in sorted(pairs, reverse=True)[:_MOST]:
        # What stands before it already, as before another that it replaced, moves no more.
        shown = newer in order
        if shown and order.index(newer) < order.index(older):
            continue
        if _update(hits[newer], hits[older], cosine) >= (LIKELY if shown else CERTAIN):
            if shown:
                order.remove(newer)
            order.insert(order.index(older), newer)
    return [hits[place] for place in order[:room]]


def _may_replace(newer: Hit, older: Hit) -> bool:
    new, old = newer.memory, older.memory
    return (
        new.happened_at > old.happened_at
        # Both answer: what is far from the question has no other value of what it asks for.
        and newer.total >= ABOUT * older.total
        and is_statement(new)
        and is_statement(old)
        # What an untrusted source says never weakens what a trusted one said.
        and (new.trusted or not old.trusted)
        and new.space == old.space
    )


def _update(newer: Hit, older: Hit, cosine: float) -> float:
    """How likely the newer is another value of what the older says, 0 to 1."""
    from memcli.judgement.pairs import judge_pair

    return judge_pair(newer.memory.text, older.memory.text, cosine).update
