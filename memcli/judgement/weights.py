"""Weights of the judges: load them from the package, and compute probabilities with them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.named_tuple import NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memcli.judgement.text_features import Features
    from memcli.system.safetensors import Content

    Floats = NDArray[np.float32]

# Makes zlib expect a gzip header.
_GZIP = zlib.MAX_WBITS | 16


class Linear(NamedTuple):
    """A linear judge of one question: the scores of its answers are `sparse + dense + bias`."""

    answers: tuple[str, ...]
    bias: Floats
    """(answers,)"""
    sparse: NDArray[np.int8]
    """(columns, answers), in steps of `step`."""
    step: float
    dense: Floats
    """(width, answers); width is 0 if only the words are judged."""

    def probabilities(self, sparse: Features, dense: Floats | None = None) -> dict[str, float]:
        """Return the probability of each answer, 0 to 1, which sum to 1: the softmax of the scores."""
        return dict(zip(self.answers, _softmax(self._scores(sparse, dense)).tolist(), strict=True))

    def scores(self, sparse: Features) -> dict[str, float]:
        """Return the score of each answer, in units of log odds."""
        return dict(zip(self.answers, self._scores(sparse, None).tolist(), strict=True))

    def _scores(self, sparse: Features, dense: Floats | None) -> Floats:
        # In double precision: the sum does not depend on the order of the columns.
        scores: Floats = self.bias + sparse.values @ self.sparse[sparse.columns].astype(float) * self.step
        return scores if dense is None else scores + dense @ self.dense


class Questions:
    """Several linear judges that are asked about one text, with one lookup of its columns."""

    def __init__(self, asked: Mapping[str, Linear]) -> None:
        import numpy as np

        every = asked.values()
        self._answers: dict[str, tuple[tuple[str, ...], slice]] = {}
        end = 0
        for question, each in asked.items():
            begin, end = end, end + len(each.answers)
            self._answers[question] = (each.answers, slice(begin, end))
        self._bias = np.concatenate([each.bias for each in every])
        self._sparse = np.hstack([each.sparse for each in every])
        self._steps = np.repeat([each.step for each in every], [len(each.answers) for each in every])
        self._dense = np.hstack([each.dense for each in every])

    def scores(self, sparse: Features, dense: Floats | None = None) -> Floats:
        """Return the scores of all answers to all questions, in units of log odds; for `probabilities`."""
        scores: Floats = self._bias + sparse.values @ self._sparse[sparse.columns].astype(float) * self._steps
        return scores if dense is None else scores + dense @ self._dense

    def probabilities(self, question: str, scores: Floats) -> dict[str, float]:
        """Return the probability of each answer to a question, 0 to 1, which sum to 1."""
        answers, place = self._answers[question]
        return dict(zip(answers, _softmax(scores[place]).tolist(), strict=True))


class Network(NamedTuple):
    """A judge of one question with one hidden layer, on named features."""

    answers: tuple[str, ...]
    features: tuple[str, ...]
    mean: Floats
    """(features,); a feature not named in a call is 0 before the mean is subtracted."""
    scale: Floats
    """(features,); the inverse of the standard deviation."""
    hidden: Floats
    """(features + 1, units), the last row the bias; units are rectified (max(0, x))."""
    output: Floats
    """(units + 1, answers), the last row the bias."""

    def probabilities(self, features: Mapping[str, float]) -> dict[str, float]:
        """Return the probability of each answer, 0 to 1, which sum to 1."""
        [likely] = self.probabilities_of([features])
        return likely

    def probabilities_of(self, asked: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
        """Return the probabilities of each of several inputs, by one matrix product."""
        import numpy as np

        columns = _columns(self.features)
        numbers = [len(features) for features in asked]
        rows, many = np.arange(len(asked)).repeat(numbers), sum(numbers)
        # Unknown features go into an extra column, which is not used.
        beside = len(columns)
        places = map(columns.get, chain.from_iterable(asked), repeat(beside))
        values = chain.from_iterable([features.values() for features in asked])
        named = np.zeros((len(asked), beside + 1), np.float32)
        named[rows, np.fromiter(places, np.intp, many)] = np.fromiter(values, float, many)
        given = (named[:, :beside] - self.mean) * self.scale
        np.minimum(np.maximum(given, -FARTHEST, out=given), FARTHEST, out=given)
        units = given @ self.hidden[:-1]
        units += self.hidden[-1]
        np.maximum(units, 0.0, out=units)
        scores = units @ self.output[:-1] + self.output[-1]
        return [dict(zip(self.answers, row, strict=True)) for row in _softmax(scores).tolist()]


@lru_cache(maxsize=8)
def _columns(features: tuple[str, ...]) -> dict[str, int]:
    return {name: column for column, name in enumerate(features)}


class Logistic(NamedTuple):
    """A logistic judge of one yes-or-no question, on a few named features."""

    features: tuple[str, ...]
    mean: Floats
    """(features,)"""
    scale: Floats
    """(features,); the inverse of the standard deviation."""
    weights: Floats
    """(features + 1,), the last the bias."""

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the probability of "yes", 0 to 1."""
        import numpy as np

        columns = _columns(self.features)
        # A call names a few of thousands of features; unknown ones are ignored.
        known = {column: features[name] for name in features if (column := columns.get(name)) is not None}
        given = np.zeros(len(columns), np.float32)
        given[list(known)] = list(known.values())
        given = np.clip((given - self.mean) * self.scale, -FARTHEST, FARTHEST)
        return float(1 / (1 + np.exp(-(given @ self.weights[:-1] + self.weights[-1]))))


# In standard deviations: values further out than the training data are clipped to this.
FARTHEST = 4.0


def _softmax(scores: Floats) -> Floats:
    """Return the softmax of scores, row by row. (…, answers)"""
    import numpy as np

    likely = np.exp(scores - scores.max(axis=-1, keepdims=True))
    found: Floats = likely / likely.sum(axis=-1, keepdims=True)
    return found


@cache
def load_linear(name: str) -> dict[str, Linear]:
    """Load the questions of a linear judge, by name, from its file in the package."""
    kept = _load(name)
    return {
        question: Linear(
            tuple(answers.split("\n")),
            kept.tensors[f"{question}/bias"],
            kept.tensors[f"{question}/sparse"],
            float(kept.tensors[f"{question}/step"]),
            kept.tensors[f"{question}/dense"],
        )
        for question, answers in kept.metadata.items()
    }


@cache
def load_questions(name: str) -> Questions:
    """Load all questions of a linear judge, from its file in the package."""
    return Questions(load_linear(name))


@cache
def load_network(name: str) -> Network:
    """Load a judge with a hidden layer, from its file in the package."""
    kept = _load(name)
    answers, features = (tuple(kept.metadata[each].split("\n")) for each in ("answers", "features"))
    mean, scale, hidden, output = (kept.tensors[each] for each in ("mean", "scale", "hidden", "output"))
    # Stored in half precision, which exceeds the agreement between training runs with three seeds.
    return Network(answers, features, mean, scale, hidden.astype("<f4"), output)


@cache
def load_logistic(name: str) -> dict[str, Logistic]:
    """Load the questions of a logistic judge, by name, from its file in the package."""
    kept = _load(name)
    return {
        question: Logistic(
            tuple(features.split("\n")),
            *(kept.tensors[f"{question}/{each}"] for each in ("mean", "scale", "weights")),
        )
        for question, features in kept.metadata.items()
    }


def file_of(name: str) -> Path:
    """Return the path of a judge's weights: gzipped safetensors, whose metadata are lists of lines."""
    return Path(__file__).with_name(f"{name}.safetensors.gz")


def _load(name: str) -> Content:
    from memcli.system.safetensors import read_content

    return read_content(zlib.decompress(file_of(name).read_bytes(), _GZIP))
