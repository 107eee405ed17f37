"""Which of the notes that are near a new one it updates, by how each stands among the others.

"We've been shifted to Bramley clinic" tells of a change, whatever it is set against: a judge of two texts
takes it for an update of many. What it updates mostly is nearer to it than all else that is near.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log, log1p

from memcli.judgement.pairs import PairJudgement
from memcli.judgement.weights import load_logistic
from memcli.named_tuple import NamedTuple

# Where fewer notes are near this cosine stands in: that of statements that merely share a subject.
_ELSEWHERE = 0.25
# The logarithm of what is less likely says no more.
_LEAST = 0.01


class Near(NamedTuple):
    """A note near a new one: how the two are judged by themselves, and the cosine of their vectors."""

    judged: PairJudgement
    cosine: float
    changed: bool = False
    """By their words the two differ in a value alone (`compare_texts`): then they are of one thing."""


def likely_updated(near: Sequence[Near], beyond: float | None) -> list[float]:
    """How likely (0 to 1) a new note updates each of the notes `near` it, the nearest first.

    `beyond` is the cosine of the next one that was not judged; None where there is none. What the form of two
    texts tells for certain (`PairJudgement.certain`) stays, and where they differ in a value alone it is no
    less likely than by themselves.
    """
    updated = load_logistic("referent")["updated"]
    found = []
    for each, features in zip(near, standings(near, beyond), strict=True):
        likely = each.judged.update
        if not each.judged.certain:
            likely = max(float(updated.probability(features)), likely if each.changed else 0.0)
        found.append(likely)
    return found


def standings(near: Sequence[Near], beyond: float | None) -> Iterator[dict[str, float]]:
    """How each of the notes near a new one, the nearest first, stands among the others; by name."""
    after = _ELSEWHERE if beyond is None else beyond
    for rank, each in enumerate(near):
        # One text noted twice stands in nobody's way.
        others = [other.cosine for other in near if other[:2] != each[:2]]
        yield {
            "update": _log_odds(each.judged.update),
            "same": _log_odds(each.judged.same),
            "cosine": each.cosine,
            "ahead of the next": each.cosine - max([*others, after]),
            "ahead of the rest": each.cosine - after,
            "rank": log1p(rank),
        }


def _log_odds(likely: float) -> float:
    bounded = min(max(likely, _LEAST), 1 - _LEAST)
    return log(bounded / (1 - bounded))
