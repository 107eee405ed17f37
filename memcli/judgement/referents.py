"""Referents: which of the notes near a new one it updates, by how each compares with the others.

"We've been shifted to Bramley clinic" tells of a change, whatever it is compared with, so the judge of pairs
takes it for an update of many notes. The one that it updates is mostly much nearer to it than the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log, log1p

from memcli.judgement.pairs import PairJudgement
from memcli.judgement.weights import load_logistic
from memcli.named_tuple import NamedTuple

# The cosine of statements that merely share a subject, used if there is no further note.
_ELSEWHERE = 0.25
# Probabilities are bounded by this before the logarithm.
_LEAST = 0.01


class Near(NamedTuple):
    """A note near a new one: the judgement of the two as a pair, and the cosine of their vectors."""

    judged: PairJudgement
    cosine: float
    changed: bool = False
    """The two differ in a value alone (`compare_texts`), so they are about one thing."""


def likely_updated(near: Sequence[Near], beyond: float | None) -> list[float]:
    """Return the probabilities (0 to 1) that a new note updates each of the notes `near` it, nearest first.

    `beyond` is the cosine of the next note, which was not judged; None if there is none. A pair whose form
    shows an update for certain (`PairJudgement.certain`) keeps its probability, and one that differs in a
    value alone gets no less than it has as a pair.
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
    """Yield the features, by name, of how each note near a new one (nearest first) compares to the others."""
    after = _ELSEWHERE if beyond is None else beyond
    for rank, each in enumerate(near):
        # Copies of the same text do not compete with each other.
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
