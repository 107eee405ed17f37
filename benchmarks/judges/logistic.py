"""Logistic regression on a few named features: how it is learned, asked, and kept for `load_logistic`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.judges.model import Array
from benchmarks.judges.weights import Kept

_C = 0.3


class Learned(NamedTuple):
    """What was learned of features, each by its mean and scale."""

    names: tuple[str, ...]
    mean: Array
    scale: Array
    learner: LogisticRegression

    def probability(self, features: Sequence[Mapping[str, float]]) -> Array:
        """How likely "yes" is for each of these."""
        table = (_table(self.names, features) - self.mean) * self.scale
        likely: Array = self.learner.predict_proba(table)[:, 1]
        return likely

    def kept(self, question: str) -> Kept:
        """It as `question` in a file of weights."""
        weights = np.append(self.learner.coef_[0], self.learner.intercept_)
        numbers = {"mean": self.mean, "scale": self.scale, "weights": weights}
        tensors = {f"{question}/{name}": some.astype(np.float32) for name, some in numbers.items()}
        return Kept(tensors, {question: self.names})


def learn(features: Sequence[Mapping[str, float]], answers: Sequence[bool]) -> Learned:
    """Learn yes or no, one answer for each of the features."""
    names = tuple(features[0])
    table = _table(names, features)
    mean, scale = table.mean(axis=0), 1 / (table.std(axis=0) + 1e-9)
    return Learned(
        names, mean, scale, LogisticRegression(C=_C, max_iter=1000).fit((table - mean) * scale, answers)
    )


def _table(names: Sequence[str], features: Sequence[Mapping[str, float]]) -> Array:
    return np.array([[each[name] for name in names] for each in features])
