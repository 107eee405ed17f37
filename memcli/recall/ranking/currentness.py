"""What is current stands before what it replaced: decided by pairs, not by age.

Of the first hits of a page the nearest newer ones are looked at, and judged twice: whether the two are
of one thing, by how they stand among all else that was found, and whether the newer tells of a change of it.
Then the newer is put just before the older, and into the page where only the older stood there; so is what
was judged to update it when it was written, or behind it where that was less sure. Nothing else moves, and
nothing is left out but what the newer pushes off the end.
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

# So many of the best may be newer than something on the page, wherever the floor is: a later remark often
# shares no word with the question.
REACH = 40
# Looked at are the first of the page, and beside each the nearest newer ones, if they are as near (cosine) as
# unrelated ones mostly are not.
_FIRST, _NEAREST, _NEAR = 3, 8, 0.2
# So likely are the two of one thing, and the newer an update of it. Only order and company are at stake: both
# stay on the page. (Each of thirteen authors judged as the others taught: of 472 updates that were looked at
# 229 are taken for one, of 536 that merely stand beside each other 71, of 14,223 others 211, from 0.5 on;
# from 0.4 on three more of 131 of six others', one more of 160, two more of 3,300.)
RELATED, UPDATES = 0.25, 0.4
# What merely tells of a change is an update of little that is judged less likely one than this by the pair.
_HARDLY = 0.1
# Before the older one nothing is put that is less near to it than this, unless it was told when it was
# written: in 140 stores of ten notes (seven authors) 8 of 26 such pairs had nothing to do with each other, of
# those that are nearer 11 of 165. It is shown behind the older one.
_FIRST_FROM = 0.3
# So likely was it an update when it was written: then it is put first whatever stands around the two, which
# was looked at then (`memcli.judgement.referents`). What was less likely is put first by what does, alone
# (`_judged`). In those stores the right one of a pair stands first in as many.
TOLD = 0.65
# And so likely, that it is put first whether or not it answers as well.
_ALMOST_SURE = 0.8
# Told of less surely, the newer is put first where it answers as well: it has no less of the question's words
# than this part of the older one's, or none (who writes "we took on Sana" leaves out of what), or so much of
# its score. What nothing was told of has this part of the score at least. (Of 131 updates of six authors 64
# are put first for 56 by 0.6 and 0.75, and one more of 160 others.)
_WORDS, _AS_WELL, _UNTOLD = 0.4, 0.6, 0.35
# Where few others were found, these cosines stand in: of statements that merely share a subject.
_ELSEWHERE = (0.25, 0.22, 0.2, 0.18, 0.16)
# A pair is compared with so many of the nearest others.
_REST = 5
# The logarithm of what is less likely says no more.
_LEAST = 0.02


def beside(page: Sequence[Hit], best: Sequence[Hit], told: Sequence[Hit]) -> list[Hit]:
    """What is not on a page and may be newer than something on it.

    Of the `best` of all that was found the first statements, and what a judge `told` when it was written.
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
    """The hits of a page, the newer of an old and a new value of one thing before the older.

    `others` are what `beside` finds; `vectors` (page and others, d) are unit, by the default model, in their
    order. None: nothing is judged anew. The page holds no more than `room` of them. The older names the newer
    (`Hit.updated_by`) where that is likely enough to be said, also one for which there is no room; not where
    `both_hold`, by id. What scores less than `least` comes only then.
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
        # What stands before it already, as before another that it replaced, moves no more.
        if older not in order or (newer in order and order.index(newer) < order.index(older)):
            continue
        if (newer, older) in moving and _answers_as_well(
            hits[newer], hits[older], likely[newer, older], least
        ):
            if newer in order:
                order.remove(newer)
            order.insert(order.index(older), newer)
        # What is less likely, or answers less, pushes nothing off a page.
        elif newer not in order and len(order) < room:
            order.insert(order.index(older) + 1, newer)
    return [_naming_the_newer(hits, place, likely) for place in order[:room]]


def _answers_as_well(newer: Hit, older: Hit, update: float, floor: float) -> bool:
    """Whether the newer belongs before the older, which it updates so likely: for what is asked, too.

    Asked what Giulia cannot stand, where she runs is no newer answer, whoever took it for an update. What
    scores less than the `floor` is none by itself, and stands before none on the word of such a judge.
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
    """The hit at a place; with the id of what most likely updates it."""
    updates = {newer: update for (newer, old), update in likely.items() if old == older and update >= SAID}
    if not updates:
        return hits[older]
    return hits[older]._replace(updated_by=hits[max(updates, key=updates.__getitem__)].memory.id)


def _told(hits: Sequence[Hit]) -> dict[tuple[int, int], float]:
    """How likely one updates another by what a judge said as it was written, in the order of time."""
    places = {hit.memory.id: place for place, hit in enumerate(hits)}
    found = {
        (newer, places[old]): judged_likely(hits[newer].memory, f"{UPDATE_OF}{old}")
        for newer in sorted(range(len(hits)), key=lambda place: hits[place].memory.happened_at)
        for old in judged_updates(hits[newer].memory)
        if old in places and may_replace(hits[newer].memory, hits[places[old]].memory)
    }
    return {pair: likely for pair, likely in found.items() if likely >= SAID}


def _judged(shown: int, hits: Sequence[Hit], cosines: Floats) -> dict[tuple[int, int], float]:
    """By pair of one subject (newer, older), how likely the newer is an update; the surest first."""
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
    """A newer and an older hit, by their places, and how they stand among all else that was found."""

    newer: int
    older: int
    features: dict[str, float]


def standings(shown: int, hits: Sequence[Hit], cosines: Floats) -> Iterator[Standing]:
    """The pairs of hits in which one may be a newer value of one of the first on the page.

    The first `shown` hits are the page; `cosines` (hits, hits) compare their vectors. That two hits are near
    says little where all are near, and much where no other is nearly as near.
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
    """What tells an update from a neighbour: the judged pair, and what was noted of the newer hit."""
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
