"""What is current stands before what it replaced: decided by pairs, not by age.

Where two of the best are judged an old and a new value of one thing, or were when the newer
was written, the newer is put just before the older, and into the page where only the older
stood there. Nothing else moves, and nothing is left out but what the newer pushes off the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memcli.model import UPDATE_OF, is_statement, judged_likely, judged_updates
from memcli.recall.results import Hit

if TYPE_CHECKING:
    from memcli.recall.ranking.vectors import Floats

# So many of the best that did not come onto the page may still be newer than something on it.
REACH = 20
# Pairs nearer than any unrelated ones mostly are; judged are the nearest of them (half a millisecond each).
_NEAR, _MOST = 0.3, 16
# The newer has at least this part of the older one's total. (Six people's 40 notes in four languages,
# MRR: 51.5 without this line, 57.5 by the ranking alone.)
ABOUT = 0.5
# Only the order is at stake, and a wrong one costs little, for both stay on the page: much less sureness
# is enough than for telling its owner.
LIKELY = 0.25
# So likely is the older said to be updated: as its owner is told when the newer is written (`judge_update`).
SAID = 0.55
# What comes onto the page pushes another off: that takes more. (Of sixty updates in other words, written for
# this, the newer stands first in 16 with 0.6 and 0.7 of the older one's total, in 20 with these; R@10 on
# PrefEval, where five hundred people's tastes are one store, is 45.7 and 45.5.)
CERTAIN = 0.45


def beside(page: Sequence[Hit], above: Sequence[Hit], told: Sequence[Hit]) -> list[Hit]:
    """What is not on a page and may be newer than something on it.

    Of what stands `above` the floor the best statements, and what a judge `told` when it was written.
    """
    shown = {hit.memory.id for hit in page}
    best = [hit for hit in above if hit.memory.id not in shown][:REACH]
    found = {hit.memory.id: hit for hit in best if is_statement(hit.memory)}
    found.update({hit.memory.id: hit for hit in told if hit.memory.id not in shown})
    return list(found.values())


def newer_first(page: Sequence[Hit], others: Sequence[Hit], vectors: Floats | None, room: int) -> list[Hit]:
    """The hits of a page, the newer of an old and a new value of one thing before the older.

    `others` are what `beside` finds; `vectors` (page and others, d) are unit, by the default model, in their
    order. None: nothing is judged anew. The page holds no more than `room` of them. The older names the newer
    (`Hit.updated_by`) where that is likely enough to be said.
    """
    hits = [*page, *others]
    likely = _told(page, hits)
    if vectors is not None:
        # The newer stands behind the older, or not on the page at all.
        behind = [(newer, older) for older in range(len(page)) for newer in range(older + 1, len(hits))]
        likely |= _judged(hits, [pair for pair in behind if pair not in likely], vectors @ vectors.T)
    order = list(range(len(page)))
    for newer, older in likely:
        # What stands before it already, as before another that it replaced, moves no more.
        shown = newer in order
        if shown and order.index(newer) < order.index(older):
            continue
        if likely[newer, older] >= (LIKELY if shown else CERTAIN):
            if shown:
                order.remove(newer)
            order.insert(order.index(older), newer)
    return [_naming_the_newer(hits, place, order[:room], likely) for place in order[:room]]


def _naming_the_newer(
    hits: Sequence[Hit], older: int, shown: Sequence[int], likely: Mapping[tuple[int, int], float]
) -> Hit:
    """The hit at a place; with the id of what most likely updates it, of what is shown."""
    best = max(shown, key=lambda newer: likely.get((newer, older), 0.0))
    if likely.get((best, older), 0.0) < SAID:
        return hits[older]
    return hits[older]._replace(updated_by=hits[best].memory.id)


def _told(page: Sequence[Hit], hits: Sequence[Hit]) -> dict[tuple[int, int], float]:
    """How likely one updates another of the page by what a judge said when it was written."""
    places = {hit.memory.id: place for place, hit in enumerate(page)}
    return {
        (newer, places[old]): judged_likely(hit.memory, f"{UPDATE_OF}{old}")
        for newer, hit in enumerate(hits)
        for old in judged_updates(hit.memory)
        if old in places and _may_replace(hit, page[places[old]])
    }


def _judged(
    hits: Sequence[Hit], pairs: Sequence[tuple[int, int]], cosines: Floats
) -> dict[tuple[int, int], float]:
    """How likely the newer of each of the nearest pairs updates the older, the nearest first."""
    from memcli.judgement.pairs import judge_pair

    near = [
        (float(cosines[newer, older]), newer, older)
        for newer, older in pairs
        if cosines[newer, older] >= _NEAR and _both_answer(hits[newer], hits[older])
    ]
    return {
        (newer, older): judge_pair(hits[newer].memory.text, hits[older].memory.text, cosine).update
        for cosine, newer, older in sorted(near, reverse=True)[:_MOST]
    }


def _both_answer(newer: Hit, older: Hit) -> bool:
    # What is far from the question has no other value of what it asks for.
    near_enough = newer.total >= ABOUT * older.total
    return near_enough and is_statement(newer.memory) and _may_replace(newer, older)


def _may_replace(newer: Hit, older: Hit) -> bool:
    new, old = newer.memory, older.memory
    return (
        new.happened_at > old.happened_at
        and is_statement(old)
        # How something is done is no value of anything but of how it was.
        and (new.kind == "procedure") is (old.kind == "procedure")
        # What an untrusted source says never weakens what a trusted one said.
        and (new.trusted or not old.trusted)
        and new.space == old.space
    )
