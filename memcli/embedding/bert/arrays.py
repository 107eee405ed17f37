"""Arrays: run a plain BERT encoder by numpy alone, for a few short texts.

A question is embedded in 10 to 20 ms, while importing and opening onnxruntime takes 40 to 60. Its graph,
which fuses operators that are separate here, is faster from some hundred tokens on. Both are float32 and
differ by 2e-7. The model is that of Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional
Transformers".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from memcli.embedding.bert.description import Bert
from memcli.embedding.bert.weights import Dense, Layer, Weights

if TYPE_CHECKING:
    from memcli.embedding import Floats

# A shorter vector is not normalised, as in torch.nn.functional.normalize.
_NOTHING = 1e-12


class BertArrays:
    """A plain BERT encoder over its memory-mapped weights."""

    def __init__(self, bert: Bert, weights: Weights) -> None:
        self._bert = bert
        self._weights = weights

    def run(self, texts: Sequence[Sequence[int]], middle: int | None) -> tuple[Floats, Floats | None]:
        """Return the vectors of texts, given by token ids, and the mean of the layer `middle`.

        (texts, width) each; None instead of the mean if `middle` is None. All tokens are in one matrix, text
        after text, the shorter ones first, so that nothing is padded.
        """
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        lengths = [len(texts[place]) for place in order]
        weights = self._weights
        states = weights.words[np.concatenate([texts[place] for place in order])]
        states += weights.positions[np.concatenate([np.arange(length) for length in lengths])]
        states += weights.types[0]
        _normalise(states, weights.norm, self._bert.epsilon)
        found = None
        for number, layer in enumerate(weights.layers, start=1):
            states = self._layer(states, layer, lengths)
            if number == middle:
                found = _means(states, lengths)
        starts = np.cumsum([0, *lengths[:-1]])
        vectors = states[starts] if self._bert.pooling == "cls" else _means(states, lengths)
        if self._bert.normalised:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(_NOTHING))
        back = np.argsort(order)
        return vectors[back], None if found is None else found[back]

    def _layer(self, states: Floats, layer: Layer, lengths: list[int]) -> Floats:
        """Return the states of all tokens after one more layer. (tokens, width) both."""
        epsilon = self._bert.epsilon
        attended = _apply(layer.attended, self._attention(states, layer, lengths))
        attended += states
        _normalise(attended, layer.attended_norm, epsilon)
        inner = _apply(layer.inner, attended)
        _gelu(inner)
        after = _apply(layer.outer, inner)
        after += attended
        _normalise(after, layer.outer_norm, epsilon)
        return after

    def _attention(self, states: Floats, layer: Layer, lengths: list[int]) -> Floats:
        """Return the multi-head attention of each token to the tokens of its text. (tokens, width)"""
        heads = self._bert.heads
        size = self._bert.width // heads
        asked, keys, values = (_apply(each, states) for each in (layer.query, layer.key, layer.value))
        asked *= np.float32(size**-0.5)
        taken = np.empty_like(states)
        start = 0
        for length, same in groupby(lengths):
            shape = (len(list(same)), length, heads, size)
            end = start + shape[0] * length
            # (texts, heads, tokens, size)
            q, k, v = (each[start:end].reshape(shape).swapaxes(1, 2) for each in (asked, keys, values))
            weights = q @ k.swapaxes(2, 3)
            weights -= weights.max(-1, keepdims=True)
            np.exp(weights, out=weights)
            weights /= weights.sum(-1, keepdims=True)
            taken[start:end] = (weights @ v).swapaxes(1, 2).reshape(end - start, -1)
            start = end
        return taken


def _apply(dense: Dense, states: Floats) -> Floats:
    # Equal to `states @ weight.T` to the bit, but the weights, which are most of the data, are read in memory
    # order. The other order of operands transposes them while copying to the cache, which takes a third
    # longer.
    out: Floats = np.add((dense.weight @ states.T).T, dense.bias, order="C")
    return out


def _means(states: Floats, lengths: list[int]) -> Floats:
    starts = np.cumsum([0, *lengths[:-1]])
    found: Floats = np.add.reduceat(states, starts, axis=0)
    found /= np.asarray(lengths, dtype=np.float32)[:, None]
    return found


def _normalise(states: Floats, norm: Dense, epsilon: float) -> None:
    """Layer normalization in place: Ba, Kiros and Hinton 2016."""
    states -= states.mean(-1, keepdims=True)
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", states, states) / np.float32(states.shape[1]) + epsilon)
    states /= lengths[:, None]
    states *= norm.weight
    states += norm.bias


def _gelu(x: Floats) -> None:
    """Compute GELU, x · Φ(x), in place: Hendrycks and Gimpel 2016.

    Φ by the error function of Abramowitz and Stegun 1964, 7.1.26, whose error is at most 1.5e-7.
    """
    z = np.abs(x)
    z *= np.float32(0.5**0.5)
    t = z * np.float32(0.3275911)
    t += np.float32(1)
    np.reciprocal(t, out=t)
    tail = t * np.float32(1.061405429)
    for constant in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        tail += np.float32(constant)
        tail *= t
    np.square(z, out=z)
    np.negative(z, out=z)
    np.exp(z, out=z)
    tail *= z
    # 1 - Φ(|x|) is half the tail.
    tail *= np.float32(0.5)
    np.multiply(tail, np.abs(x), out=tail)
    np.maximum(x, np.float32(0), out=x)
    x -= tail
