"""The judge of which of several near notes a new one updates: logistic regression on how each stands.

It learns from authors' pairs, put into stores: of each newer note the nearest older ones of its author, in
stores of several sizes, and whether its author wrote it as an update of just that one.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.judges import pairs
from benchmarks.judges.labels import LISTS, Pair, read_pairs
from benchmarks.judges.logistic import Learned, learn
from benchmarks.judges.model import Array, Model
from benchmarks.judges.unrelated import stated_pairs
from benchmarks.judges.weights import save
from memcli.judgement.pairs import PairJudgement, PairWeights, judge_pairs
from memcli.judgement.referents import Near, standings
from memcli.write_policy.related.lookup import FAR, JUDGED

# So many other notes stand in the stores; None: all of their author's.
_SIZES = (4, 30, None)
# An author has so many pairs at least, for a store.
_FEWEST = 20
_SEED = 3


class _Row(NamedTuple):
    author: str
    new: int
    """The newer note, by number."""
    features: dict[str, float]
    is_updated: bool


def write(labels: Path, model: Model) -> None:
    """Learn, print how well each author is judged by what the others taught, and write the weights."""
    written = [pair for pair in read_pairs(labels) if pair.author != LISTS]
    authors = {pair.author for pair in written}
    # As if its own author had taught nobody.
    judges = pairs.taught_by_others([*read_pairs(labels), *stated_pairs(labels, model)], model, authors)
    rows = [*_rows(written, model, judges)]
    likely = np.zeros(len(rows))
    for author in authors:
        own = np.array([row.author == author for row in rows])
        if own.any():
            learned = _learn([row for row, left_out in zip(rows, own, strict=True) if not left_out])
            likely[own] = learned.probability(
                [row.features for row, kept in zip(rows, own, strict=True) if kept]
            )
    _report(rows, likely)
    save("referent", _learn(rows).kept("updated"))


def _rows(written: Sequence[Pair], model: Model, judges: dict[str, PairWeights]) -> Iterator[_Row]:
    chance, number = random.Random(_SEED), 0
    for author in sorted({pair.author for pair in written}):
        own = [pair for pair in written if pair.author == author]
        if len(own) < _FEWEST:
            continue
        olds = list(dict.fromkeys(pair.older for pair in own))
        newer, _ = model.read([pair.newer for pair in own])
        older, _ = model.read(olds)
        for pair, cosines in zip(own, newer @ older.T, strict=True):
            # What repeats another is told so, and updates nothing.
            if pair.relation == "same":
                continue
            for size in _SIZES:
                others = [place for place, old in enumerate(olds) if old not in (pair.older, pair.newer)]
                some = others if size is None else chance.sample(others, min(size, len(others)))
                number += 1
                yield from _of_one(pair, olds, cosines, [olds.index(pair.older), *some], number, judges)


def _of_one(
    pair: Pair,
    olds: Sequence[str],
    cosines: Array,
    there: Sequence[int],
    number: int,
    judges: dict[str, PairWeights],
) -> Iterator[_Row]:
    near = sorted(there, key=lambda place: -cosines[place])[: JUDGED + 1]
    asked = near[:JUDGED]
    judged = judge_pairs(
        [(pair.newer, olds[place], float(cosines[place])) for place in asked], judges[pair.author]
    )
    # What is farther is not judged.
    apart = PairJudgement(same=0.0, update=0.0, both=1.0)
    judged = [each if cosines[place] >= FAR else apart for each, place in zip(judged, asked, strict=True)]
    beyond = float(cosines[near[JUDGED]]) if len(near) > JUDGED else None
    found = standings(
        [Near(each, float(cosines[place])) for each, place in zip(judged, asked, strict=True)], beyond
    )
    for place, features in zip(asked, found, strict=True):
        is_updated = pair.relation == "update" and olds[place] == pair.older
        yield _Row(pair.author, number, features, is_updated)


def _learn(rows: Sequence[_Row]) -> Learned:
    return learn([row.features for row in rows], [row.is_updated for row in rows])


def _report(rows: Sequence[_Row], likely: Array) -> None:
    """Print of how many newer notes the surest is the right one, from each probability on."""
    best: dict[int, tuple[float, bool]] = {}
    for row, each in zip(rows, likely.tolist(), strict=True):
        best[row.new] = max(best.get(row.new, (0.0, False)), (each, row.is_updated))
    updates = len({row.new for row in rows if row.is_updated})
    for least in (0.3, 0.4, 0.47, 0.6, 0.8):
        said = [right for each, right in best.values() if each >= least]
        print(f"from {least}: {sum(said)} right of {updates}, {len(said) - sum(said)} wrong")
