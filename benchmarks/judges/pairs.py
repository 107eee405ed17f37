"""The judge of two statements: one hidden layer on what aligning them tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier

from benchmarks.judges.labels import LISTS, Pair
from benchmarks.judges.model import Array, Model
from benchmarks.judges.report import report_pairs
from benchmarks.judges.weights import SPARSE, Kept, kept_question, linear_of, matrix, save
from memcli.judgement.pair_features import PIECES, cosine_features, pair_features, pair_pieces
from memcli.judgement.pair_words import PairWords
from memcli.judgement.pairs import PairWeights
from memcli.judgement.text_features import WIDTH
from memcli.judgement.weights import FARTHEST, Network

_UNITS, _DECAY, _SEEDS = 48, 1.5, (1, 2, 3)
# What these wrote in few plain words counts twice: people note such things most, authors write them least.
_PLAIN = (LISTS, "p2", "p3", "p4")
# Authors are read in so many parts, each judged by what the others taught.
_PARTS = 5


class _Features(NamedTuple):
    """What is learned from: (n, features), as they are, and what only one of each two texts has."""

    names: tuple[str, ...]
    rows: Array
    apart: Any
    pairs: Sequence[Pair]

    def of(self, rows: NDArray[np.bool_]) -> _Features:
        """The same of some of the pairs."""
        pairs = [pair for pair, kept in zip(self.pairs, rows, strict=True) if kept]
        return self._replace(rows=self.rows[rows], apart=self.apart[rows], pairs=pairs)

    @property
    def authors(self) -> NDArray[np.str_]:
        return np.array([pair.author for pair in self.pairs])

    @property
    def relations(self) -> NDArray[np.str_]:
        return np.array([pair.relation for pair in self.pairs])


def _features(pairs: Sequence[Pair], model: Model, *, cosines: bool) -> _Features:
    newer, _ = model.read([pair.newer for pair in pairs])
    older, _ = model.read([pair.older for pair in pairs])
    found = []
    for pair, cosine in zip(pairs, (newer * older).sum(axis=1).tolist(), strict=True):
        features = pair_features(pair.newer, pair.older)
        if cosines:
            features |= cosine_features(cosine, features["words in common"])
        found.append(features)
    names = tuple(sorted({name for features in found for name in features}))
    apart = matrix([pair_pieces(pair.newer, pair.older) for pair in pairs], PIECES * WIDTH) * SPARSE
    return _Features(
        names, np.array([[each.get(name, 0.0) for name in names] for each in found]), apart, pairs
    )


def _words_judge(features: _Features) -> LogisticRegression:
    """The linear judge by words that only one of two texts has; its scores are features of the network."""
    return LogisticRegression(C=3.0, max_iter=200).fit(features.apart, features.relations)


def _with_words(features: _Features) -> Array:
    """The features with the scores of a judge by words that has not read the author."""
    scores = np.zeros((len(features.pairs), 3))
    for others, own in _by_authors(features, _PARTS):
        scores[own] = _words_judge(features.of(others)).decision_function(features.apart[own])
    return np.hstack([features.rows, scores])


def _by_authors(features: _Features, parts: int) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    """What some authors wrote, and what all others did; each author is once among the latter."""
    authors = sorted(set(features.authors))
    for part in range(parts):
        own = np.isin(features.authors, authors[part::parts])
        yield ~own, own


class _Scaling(NamedTuple):
    mean: Array
    scale: Array

    def of(self, rows: Array) -> Array:
        scaled: Array = np.clip((rows - self.mean) * self.scale, -FARTHEST, FARTHEST)
        return scaled


def _scaling(rows: Array) -> _Scaling:
    return _Scaling(rows.mean(axis=0), 1 / (rows.std(axis=0) + 1e-9))


def _networks(rows: Array, relations: NDArray[np.str_], authors: NDArray[np.str_]) -> list[MLPClassifier]:
    plain = np.isin(authors, _PLAIN)
    rows, relations = np.vstack([rows, rows[plain]]), np.concatenate([relations, relations[plain]])
    return [
        MLPClassifier((_UNITS,), alpha=_DECAY, max_iter=300, random_state=seed).fit(rows, relations)
        for seed in _SEEDS
    ]


def cross_validate(pairs: Sequence[Pair], model: Model) -> None:
    """Print how well each author is judged by what the others taught."""
    for cosines in (True, False):
        print(f"\n## Pairs, {'with the model' if cosines else 'by words alone'}\n")
        features = _features(pairs, model, cosines=cosines)
        likely = np.zeros((len(pairs), 3))
        names = [""]
        for others, own in _by_authors(features, _PARTS):
            taught, asked = features.of(others), features.of(own)
            rows = _with_words(taught)
            scaling = _scaling(rows)
            nets = _networks(scaling.of(rows), taught.relations, taught.authors)
            judged = np.hstack([asked.rows, _words_judge(taught).decision_function(asked.apart)])
            names = list(nets[0].classes_)
            likely[own] = _softmax(np.mean([_scores(net, scaling.of(judged)) for net in nets], axis=0))
        report_pairs(names, likely, pairs)


def _scores(net: MLPClassifier, rows: Array) -> Array:
    scores: Array = (
        np.maximum(rows @ net.coefs_[0] + net.intercepts_[0], 0) @ net.coefs_[1] + net.intercepts_[1]
    )
    return scores


def _softmax(scores: Array) -> Array:
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Array = likely / likely.sum(axis=1, keepdims=True)
    return shares


def write(pairs: Sequence[Pair], model: Model) -> None:
    """Learn from all pairs, and write the weights into the package."""
    for name, cosines in (("pair", True), ("pair-by-words", False)):
        features = _features(pairs, model, cosines=cosines)
        learned = _learned(features)
        kept = learned.network._asdict()
        kept["hidden"] = kept["hidden"].astype(np.float16)
        words = {each: kept.pop(each) for each in ("answers", "features")}
        save(name, Kept(kept, words))
    save("pair-words", _kept_words(_words_judge(features)))


def taught_by_others(pairs: Sequence[Pair], model: Model, authors: Set[str]) -> dict[str, PairWeights]:
    """By author what was learned from others, authors apart in so many parts."""
    features = _features(pairs, model, cosines=True)
    found = {}
    for others, own in _by_authors(features, _PARTS):
        if some := authors & {*features.authors[own].tolist()}:
            found.update(dict.fromkeys(some, _learned(features.of(others))))
    return found


def _learned(features: _Features) -> PairWeights:
    rows = _with_words(features)
    scaling = _scaling(rows)
    nets = _networks(scaling.of(rows), features.relations, features.authors)
    # Side by side they are one network of three times the units; its scores are the mean of theirs.
    hidden = np.hstack([np.vstack([net.coefs_[0], net.intercepts_[0]]) for net in nets])
    outputs = [net.coefs_[1] / len(nets) for net in nets]
    output = np.vstack([*outputs, np.mean([net.intercepts_[1] for net in nets], axis=0)[None]])
    words = _words_judge(features)
    network = Network(
        tuple(nets[0].classes_),
        (*features.names, *(f"words: {answer}" for answer in words.classes_)),
        *(each.astype(np.float32) for each in (scaling.mean, scaling.scale, hidden, output)),
    )
    return PairWeights(PairWords(linear_of(_kept_words(words), "relation")), network)


def _kept_words(words: LogisticRegression) -> Kept:
    return kept_question("relation", words.classes_, words.coef_.T * SPARSE, words.intercept_)
