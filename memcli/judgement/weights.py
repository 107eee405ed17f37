"""The weights of the judges: what they were learned to be, as they lie in the package."""

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

# With a header of gzip.
_GZIP = zlib.MAX_WBITS | 16


class Linear(NamedTuple):
    """One question with some answers, judged linearly: scores are `sparse + dense + bias`, one an answer."""

    answers: tuple[str, ...]
    bias: Floats
    """(answers,)"""
    sparse: NDArray[np.int8]
    """(columns, answers), in steps of `step`."""
    step: float
    dense: Floats
    """(width, answers); width is 0 where the words alone are judged."""

    def probabilities(self, sparse: Features, dense: Floats | None = None) -> dict[str, float]:
        """How likely each answer is, 0 to 1, together 1: the softmax of the scores."""
        return dict(zip(self.answers, _softmax(self._scores(sparse, dense)).tolist(), strict=True))

    def scores(self, sparse: Features) -> dict[str, float]:
        """What speaks for each answer, in units of log odds."""
        return dict(zip(self.answers, self._scores(sparse, None).tolist(), strict=True))

    def _scores(self, sparse: Features, dense: Floats | None) -> Floats:
        # In double precision: the sum does not depend on the order of the columns.
        scores: Floats = self.bias + sparse.values @ self.sparse[sparse.columns].astype(float) * self.step
        return scores if dense is None else scores + dense @ self.dense


class Questions:
    """Several linear questions that are asked of one text: its columns are looked up once for all."""

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
        """What speaks for each answer to each question, in units of log odds; for `probabilities`."""
        scores: Floats = self._bias + sparse.values @ self._sparse[sparse.columns].astype(float) * self._steps
        return scores if dense is None else scores + dense @ self._dense

    def probabilities(self, question: str, scores: Floats) -> dict[str, float]:
        """How likely each answer to a question is, 0 to 1, together 1."""
        answers, place = self._answers[question]
        return dict(zip(answers, _softmax(scores[place]).tolist(), strict=True))


class Network(NamedTuple):
    """One question with some answers, judged from named features through one hidden layer."""

    answers: tuple[str, ...]
    features: tuple[str, ...]
    mean: Floats
    """(features,); what is not named in a call is 0 before it is taken off."""
    scale: Floats
    """(features,); one over the standard deviation."""
    hidden: Floats
    """(features + 1, units), the last row the bias; units are rectified (max(0, x))."""
    output: Floats
    """(units + 1, answers), the last row the bias."""

    def probabilities(self, features: Mapping[str, float]) -> dict[str, float]:
        """How likely each answer is, 0 to 1, together 1."""
        [likely] = self.probabilities_of([features])
        return likely

    def probabilities_of(self, asked: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
        """The same of each of several, by one product of matrices."""
        import numpy as np

        columns = _columns(self.features)
        numbers = [len(features) for features in asked]
        rows, many = np.arange(len(asked)).repeat(numbers), sum(numbers)
        # What nobody has learned of is put beside the features, and not looked at.
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
    """One question with yes or no, judged from a few named features."""

    features: tuple[str, ...]
    mean: Floats
    """(features,)"""
    scale: Floats
    """(features,); one over the standard deviation."""
    weights: Floats
    """(features + 1,), the last the bias."""

    def probability(self, features: Mapping[str, float]) -> float:
        """How likely "yes" is, 0 to 1."""
        import numpy as np

        columns = _columns(self.features)
        # Of thousands that were learned a call names a few; what nobody has learned of is not looked at.
        known = {column: features[name] for name in features if (column := columns.get(name)) is not None}
        given = np.zeros(len(columns), np.float32)
        given[list(known)] = list(known.values())
        given = np.clip((given - self.mean) * self.scale, -FARTHEST, FARTHEST)
        return float(1 / (1 + np.exp(-(given @ self.weights[:-1] + self.weights[-1]))))


# In standard deviations: what is farther out than anything learned from counts as this.
FARTHEST = 4.0


def _softmax(scores: Floats) -> Floats:
    """What speaks for some answers as how likely each is, row by row. (…, answers)"""
    import numpy as np

    likely = np.exp(scores - scores.max(axis=-1, keepdims=True))
    found: Floats = likely / likely.sum(axis=-1, keepdims=True)
    return found


@cache
def load_linear(name: str) -> dict[str, Linear]:
    """The questions of a linear judge by name, from its file in the package."""
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
    """All questions of a linear judge, from its file in the package."""
    return Questions(load_linear(name))


@cache
def load_network(name: str) -> Network:
    """A judge with a hidden layer, from its file in the package."""
    kept = _load(name)
    answers, features = (tuple(kept.metadata[each].split("\n")) for each in ("answers", "features"))
    mean, scale, hidden, output = (kept.tensors[each] for each in ("mean", "scale", "hidden", "output"))
    # Kept in half precision, which is more than three seeds agree on.
    return Network(answers, features, mean, scale, hidden.astype("<f4"), output)


@cache
def load_logistic(name: str) -> dict[str, Logistic]:
    """The questions of a judge of few features by name, from its file in the package."""
    kept = _load(name)
    return {
        question: Logistic(
            tuple(features.split("\n")),
            *(kept.tensors[f"{question}/{each}"] for each in ("mean", "scale", "weights")),
        )
        for question, features in kept.metadata.items()
    }


def file_of(name: str) -> Path:
    """Where a judge's weights lie: gzip of safetensors, of whose metadata each text is a list of lines."""
    return Path(__file__).with_name(f"{name}.safetensors.gz")


def _load(name: str) -> Content:
    from memcli.system.safetensors import read_content

    return read_content(zlib.decompress(file_of(name).read_bytes(), _GZIP))
