"""Currentness: rank a newer value before the older one that it replaces, decided pair by pair, not by age.

Each of the first hits is compared with the nearest newer ones, by two judges: are both about the same thing,
by how they stand among all candidates, and does the newer one tell of a change. If so, the newer is put just
before the older, or onto the page if only the older stood there. So is a memory that was judged to update it
when it was written, or just behind it if that was less sure. Nothing else moves, and nothing is left out but
what the newer one pushes off the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log, log1p
from typing import TYPE_CHECKING

from memcli.model import UPDATE_OF, is_statement, judged_likely, judged_updates
from memcli.named_tuple import NamedTuple
from memcli.recall.ranking.replacement import SAID, may_replace
from memcli.recall.results import Hit

if TYPE_CHECKING:
    from memcli.judgement.pairs import PairJudgement
    from memcli.recall.ranking.vectors import Floats

# At most so many of the best candidates are considered as newer values, even below the floor: a later remark
# often shares no word with the question.
REACH = 40
# How many of the page's first hits are examined, with how many of the nearest newer ones each, and the least
# cosine of such a pair, which unrelated pairs mostly do not reach.
_FIRST, _NEAREST, _NEAR = 3, 8, 0.2
# Least probabilities that the two are about the same thing, and that the newer updates the older. Low,
# because only the order is at stake: both stay on the page. (Each of thirteen authors judged by a model
# trained on the others: of 472 updates examined 229 are recognised, of 536 pairs that both hold 71 are taken
# for one, of 14,223 others 211, from 0.5 on; from 0.4 on three more of 131 of six others', one more of 160,
# two more of 3,300.)
RELATED, UPDATES = 0.25, 0.4
# What merely tells of a change is an update of little that is judged less likely one than this by the pair.
_HARDLY = 0.1
# Before the older one nothing is put that is less near to it than this, unless it was told when it was
# written: in 140 stores of ten notes (seven authors) 8 of 26 such pairs had nothing to do with each other, of
# those that are nearer 11 of 165. It is shown behind the older one.
_FIRST_FROM = 0.3
# From this probability on, noted when the newer was written, it is put first whatever is near the two, which
# was considered then (`memcli.judgement.referents`). Below it, only the judges here (`_judged`) put it first.
# In those stores the right one of a pair is first in 401 of 560, for 404 without these limits; what is
# neither of the two in 23 for 29.
TOLD = 0.65
# From this probability on, it is put first whether or not it answers as well.
_ALMOST_SURE = 0.8
# A less sure update is put first only if it answers the question as well: if it holds at least the share
# `_WORDS` of the older one's question words, or none at all ("we took on Sana" leaves out as what), or has
# `_AS_WELL` of its score. One that no judge was sure enough of needs `_UNTOLD` of the score. (Of 131 updates
# of six authors 64 are put first, before 56 by 0.6 and 0.75, and one more of 160 others.)
_WORDS, _AS_WELL, _UNTOLD = 0.4, 0.6, 0.35
# If few others were found, these cosines are used instead: of statements that merely share a subject.
_ELSEWHERE = (0.25, 0.22, 0.2, 0.18, 0.16)
# A pair is compared with so many of the nearest others.
_REST = 5
# Added before the logarithm, so that very small probabilities are not told apart.
_LEAST = 0.02


def beside(page: Sequence[Hit], best: Sequence[Hit], told: Sequence[Hit]) -> list[Hit]:
    """Return the candidates off a page that may be newer than something on it.

    These are the first statements among the `best` of all that was found, and what a judge noted as an update
    when it was written (`told`).
    """
    shown = {hit.memory.id for hit in page}
    found = {hit.memory.id: hit for hit in best[:REACH] if is_statement(hit.memory)}
    found.update({hit.memory.id: hit for hit in told})
    return [hit for memory_id, hit in found.items() if memory_id not in shown]


def newer_first(
    page: Sequence[Hit],
    others: Sequence[Hit],
    vectors: Floats | None,
    room: int,
    least: float = 0.0,
    both_hold: Callable[[str, str], bool] = lambda older, newer: False,
) -> list[Hit]:
    """Return the hits of a page, with the newer of two values of one thing before the older.

    `others` are what `beside` found; `vectors` (page and others, d) are unit vectors of the default model, in
    their order; None: only what was noted at writing counts. The page holds no more than `room` hits. The
    older names the newer (`Hit.updated_by`) if the update is likely enough to be said, even if the newer has
    no room, and not if `both_hold` is true of the two ids. A newer hit that scores less than `least` is added
    only then.
    """
    hits = [*page, *others]
    told = _told(hits)
    moving = {pair: update for pair, update in told.items() if update >= TOLD}
    judged: dict[tuple[int, int], float] = {}
    if vectors is not None:
        cosines = vectors @ vectors.T
        judged = _judged(len(page), hits, cosines)
        moving = {pair: update for pair, update in judged.items() if cosines[pair] >= _FIRST_FROM} | moving
    likely = {
        pair: max(update, told.get(pair, 0.0))
        for pair, update in (judged | moving | told).items()
        if hits[pair[0]].score >= least or max(update, told.get(pair, 0.0)) >= SAID
    }
    likely = {
        (newer, older): update
        for (newer, older), update in likely.items()
        if not both_hold(hits[older].memory.id, hits[newer].memory.id)
    }
    order = list(range(len(page)))
    for newer, older in likely:
        # The newer stands before the older already, perhaps moved there before another that it replaces.
        if older not in order or (newer in order and order.index(newer) < order.index(older)):
            continue
        if (newer, older) in moving and _answers_as_well(
            hits[newer], hits[older], likely[newer, older], least
        ):
            if newer in order:
                order.remove(newer)
            order.insert(order.index(older), newer)
        # A less likely update, or one that answers less well, pushes nothing off a page.
        elif newer not in order and len(order) < room:
            order.insert(order.index(older) + 1, newer)
    return [_naming_the_newer(hits, place, likely) for place in order[:room]]


def _answers_as_well(newer: Hit, older: Hit, update: float, floor: float) -> bool:
    """True if the newer hit belongs before the older that it updates: it answers as well.

    For a question what Giulia cannot stand, where she runs is no newer answer, whatever a judge made of it. A
    newer hit that scores less than the `floor` does not answer by itself, and needs a surer judgement
    (`_ALMOST_SURE`).
    """
    if update >= _ALMOST_SURE:
        return True
    if newer.score < floor <= older.score:
        return False
    shared, asked = newer.words or 0.0, older.words or 0.0
    less = 0 < shared < _WORDS * asked
    least = _AS_WELL if less else _UNTOLD if update < SAID else 0.0
    return newer.score >= least * older.score


def _naming_the_newer(hits: Sequence[Hit], older: int, likely: Mapping[tuple[int, int], float]) -> Hit:
    """Return the hit at a place, with the id of its most likely update."""
    updates = {newer: update for (newer, old), update in likely.items() if old == older and update >= SAID}
    if not updates:
        return hits[older]
    return hits[older]._replace(updated_by=hits[max(updates, key=updates.__getitem__)].memory.id)


def _told(hits: Sequence[Hit]) -> dict[tuple[int, int], float]:
    """Return, by pair (newer, older), the probability of an update as noted at writing, in order of time."""
    places = {hit.memory.id: place for place, hit in enumerate(hits)}
    found = {
        (newer, places[old]): judged_likely(hits[newer].memory, f"{UPDATE_OF}{old}")
        for newer in sorted(range(len(hits)), key=lambda place: hits[place].memory.happened_at)
        for old in judged_updates(hits[newer].memory)
        if old in places and may_replace(hits[newer].memory, hits[places[old]].memory)
    }
    return {pair: likely for pair, likely in found.items() if likely >= SAID}


def _judged(shown: int, hits: Sequence[Hit], cosines: Floats) -> dict[tuple[int, int], float]:
    """Return, by pair (newer, older) about one thing, the probability of an update; surest pairs first."""
    from memcli.judgement.pairs import judge_pair
    from memcli.judgement.weights import load_logistic

    related, updates = (load_logistic("current")[question] for question in ("related", "updates"))
    found = []
    for pair in standings(shown, hits, cosines):
        likely = related.probability(pair.features)
        if likely < RELATED:
            continue
        newer, older = hits[pair.newer].memory, hits[pair.older].memory
        cosine = pair.features["cosine"]
        judged = judge_pair(newer.text, older.text, cosine)
        told = updates.probability(update_features(hits[pair.newer], judged, cosine))
        if (told >= UPDATES and judged.update >= _HARDLY) or judged.update >= SAID:
            found.append((likely, pair.newer, pair.older, judged.update))
    return {(newer, older): update for _, newer, older, update in sorted(found, reverse=True)}


class Standing(NamedTuple):
    """A newer and an older hit, by place, with the features of their similarity among all candidates."""

    newer: int
    older: int
    features: dict[str, float]


def standings(shown: int, hits: Sequence[Hit], cosines: Floats) -> Iterator[Standing]:
    """Yield the pairs of hits in which one may be a newer value of one of the first on the page.

    The first `shown` hits are the page; `cosines` (hits, hits) compare their vectors. That two hits are near
    says little if all are near, and much if no other is nearly as near.
    """
    places = sorted(range(len(hits)), key=lambda place: -hits[place].total)
    ranks = {place: rank for rank, place in enumerate(places)}
    best = max((hit.total for hit in hits), default=0.0)
    for older in range(min(_FIRST, shown)):
        near = [
            (float(cosines[older, newer]), newer)
            for newer in range(len(hits))
            if is_statement(hits[newer].memory) and may_replace(hits[newer].memory, hits[older].memory)
        ]
        near.sort(reverse=True)
        for cosine, newer in near[:_NEAREST]:
            if cosine < _NEAR:
                break
            rest = sorted(
                [*(other for other, place in near[:_NEAREST] if place != newer), *_ELSEWHERE], reverse=True
            )
            elsewhere = [float(cosines[newer, each]) for each in places if each not in (newer, older)]
            yield Standing(
                newer,
                older,
                {
                    "cosine": cosine,
                    "nearer ones": log1p(sum(other > cosine for other in rest)),
                    "ahead of the next": cosine - rest[0],
                    "ahead of the rest": cosine - sum(rest[:_REST]) / _REST,
                    "ahead of the newer's next": cosine - max(elsewhere, default=_ELSEWHERE[0]),
                    "rank": log1p(ranks[newer]),
                    "rank of the older": float(older),
                    "share of the best": hits[newer].total / best if best > 0 else 1.0,
                },
            )


def update_features(newer: Hit, judged: PairJudgement, cosine: float) -> dict[str, float]:
    """Return the features by which an update is told from a neighbour: of the pair, and of the newer hit."""
    from memcli.judgement.notes import told_change

    change = told_change(newer.memory)
    return {
        "tells of a change": change,
        "noted": float(change > 0),
        "cosine": cosine,
        "same": log(judged.same + _LEAST),
        "update": log(judged.update + _LEAST),
        "both": log(judged.both + _LEAST),
    }
