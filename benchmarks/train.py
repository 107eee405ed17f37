"""Fit the weights of recall's signals, and tell how well such a fit holds elsewhere.

    python -m benchmarks.train --data PATH [--only locomo,beam,prefeval]
                               [--keep DIR] [--cache DIR]

Each question is asked once, by weights of 1 and without floor, diversity and
limit: the parts of every candidate are then its bare signals, and any other
weights only sum them anew.

Fitted: the numbers of `recall.ranking.signals.Weights`, by coordinate ascent
in steps of 0.05 to 0.2 on the sum over collections of R@10 + nDCG@10 / 2, each
weighing the same. `meaning` stays 1, which sets the scale. A step must gain a
tenth of a point of one collection, so that noise moves little.

Not fitted here, so not cross-validated either: which signals there are and
their shapes, stop-words and patterns, the other constants of `ranking/` (CENTRE,
CONTENT_VECTOR, HALF_SELF_CONTAINED, WINDOW), the depth of the candidates, the
bounds of `factors`, the floor's calibration. They were chosen by hand on the
same development data, so the numbers left out are still a little too good.

Leaving one out: for each conversation (PrefEval: each topic) the weights are
fitted to all others, from small round numbers with the shipped signs, and
measured on it. Prints those, the shipped ones, the fit to everything, and its
constants to paste.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.conversations import Question
from benchmarks.data import Built, arguments, opened
from memcli.recall.ranking.signals import Weights
from memcli.recall.ranking.vectors import Floats
from memcli.recall.results import RankingSettings

NAMES = Weights._fields
STEPS = (-0.2, -0.1, -0.05, 0.05, 0.1, 0.2)
# A step must gain a tenth of a point of one collection, and so many rounds end it.
GAIN = 1e-3
ROUNDS = 8
# Where the ascents of leaving one out begin, with the signs of the shipped weights.
START = 0.25

BARE = RankingSettings(limit=100_000, min_score=0.0, weights=Weights(*[1.0] * len(NAMES)), diverse=False)
Numbers = NDArray[np.float64]


def main() -> None:
    """Collect, fit, cross-validate, and print all of it."""
    given = arguments(__doc__ or "")
    with opened(given) as builts:
        table = Table([(built, question) for built in builts for question in built.talk.questions])
    print(
        f"{len(table.sets)} questions; {100 * table.reachable:.1f} % of the evidence is among the candidates"
    )
    print("\n| weights | " + " | ".join(f"{name} R@10 | nDCG@10" for name in table.names) + " |")
    print("|---|" + "--:|--:|" * len(table.names))
    everything = np.ones(len(table.sets), dtype=bool)
    shipped = np.asarray(Weights(), dtype=np.float32)
    print(line("shipped", table, table.measure(shipped)), flush=True)
    start = np.where(shipped == 0, 0, START * np.sign(shipped)).astype(np.float32)
    start[NAMES.index("meaning")] = 1
    print(line("round start", table, table.measure(start)), flush=True)
    fitted = ascend(table, start, everything)
    print(line("fitted from there", table, table.measure(fitted)), flush=True)
    better = ascend(table, shipped, everything)
    print(line("fitted from shipped", table, table.measure(better)), flush=True)
    left_out, seen = leave_one_out(table, start)
    print(line("leaving one out", table, left_out), flush=True)
    best = max((fitted, better), key=lambda weights: table.goal(weights, everything))
    print("\nbest fit to everything (range over the fits of leaving one out):\n")
    for name, weight, each in zip(NAMES, best, np.transpose(seen), strict=True):
        print(f"    {name}: float = {weight:.2f}  # {each.min():.2f} to {each.max():.2f}")


class Table:
    """Every question's candidates: their bare signals, and which of them are evidence."""

    def __init__(self, asked: Sequence[tuple[Built, Question]]) -> None:
        rows = [_signals(built, question) for built, question in asked]
        deepest = max(len(held) for _, _, held in rows)
        self._signals = np.zeros((len(rows), deepest, len(NAMES)), dtype=np.float32)
        # What no weight touches: the factors; below everything where there is no candidate.
        self._rest = np.full((len(rows), deepest), -100, dtype=np.float32)
        self._held = np.zeros((len(rows), deepest), dtype=bool)
        for row, (signals, rest, held) in enumerate(rows):
            self._signals[row, : len(held)] = signals
            self._rest[row, : len(held)] = rest
            self._held[row, : len(held)] = held
        self._pieces = np.asarray([len(built.answers(question)) for built, question in asked])
        self._gains = 1 / np.log2(np.arange(10) + 2)
        self._ideal = np.cumsum(self._gains)[np.minimum(self._pieces, 10) - 1]
        self.sets = np.asarray([built.talk.data for built, _ in asked])
        self.names = list(dict.fromkeys(self.sets.tolist()))
        self.folds = np.asarray(
            [
                question.category if built.talk.data == "prefeval" else built.talk.name
                for built, question in asked
            ]
        )
        self.reachable = float(self._held.sum() / self._pieces.sum())

    def measure(self, weights: Floats) -> Numbers:
        """R@10 and nDCG@10 of each question, shape (questions, 2)."""
        sums = self._signals @ weights + self._rest
        some = np.argpartition(-sums, 10, axis=1)[:, :10]
        order = np.argsort(-np.take_along_axis(sums, some, axis=1), axis=1, kind="stable")
        held = np.take_along_axis(self._held, np.take_along_axis(some, order, axis=1), axis=1)
        return np.stack([held.sum(axis=1) / self._pieces, held @ self._gains / self._ideal], axis=1)

    def goal(self, weights: Floats, among: NDArray[np.bool_]) -> float:
        """What is to be made large, over the questions `among`: 1.5 a collection at best."""
        values = self.measure(weights) @ np.asarray([1.0, 0.5])
        means = [
            values[chosen].mean() for name in self.names if (chosen := among & (self.sets == name)).any()
        ]
        return float(np.sum(means))


def _signals(built: Built, question: Question) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """The bare signals of each candidate, what else adds to its total, and whether it is evidence."""
    answer = built.memories.recall(question.text, touch=False, settings=BARE)
    if answer.degraded:
        raise SystemExit(f"{built.talk.name}: {answer.degraded}")
    answers = built.answers(question)
    signals = np.asarray([[hit.parts[name] for name in NAMES] for hit in answer.hits], dtype=np.float32)
    totals = np.asarray([hit.total for hit in answer.hits], dtype=np.float32)
    held = np.asarray([hit.memory.id in answers for hit in answer.hits], dtype=bool)
    return signals, totals - signals.sum(axis=1), held


def ascend(table: Table, weights: Floats, among: NDArray[np.bool_]) -> Floats:
    """Better weights for the questions `among`, one weight at a time, the best step of each."""
    best = table.goal(weights, among)
    for _ in range(ROUNDS):
        before = best
        for place, name in enumerate(NAMES):
            if name == "meaning":
                continue
            tried = []
            for step in STEPS:
                other = weights.copy()
                other[place] += step
                tried.append((table.goal(other, among), step))
            goal, step = max(tried)
            if goal > best + GAIN:
                best = goal
                weights = weights.copy()
                weights[place] += step
        if best == before:
            break
    return weights


def leave_one_out(table: Table, start: Floats) -> tuple[Numbers, list[Floats]]:
    """The measures of each question by weights fitted without its conversation; and all those weights."""
    measured = np.zeros((len(table.sets), 2))
    seen = []
    for fold in dict.fromkeys(table.folds.tolist()):
        out = table.folds == fold
        weights = ascend(table, start, ~out)
        seen.append(weights)
        measured[out] = table.measure(weights)[out]
    return measured, seen


def line(what: str, table: Table, measured: Numbers) -> str:
    """The means of each collection as a line of the table."""
    means = [100 * measured[table.sets == name].mean(axis=0) for name in table.names]
    return f"| {what} | {' | '.join(f'{recall:.1f} | {ndcg:.1f}' for recall, ndcg in means)} |"


if __name__ == "__main__":
    main()
