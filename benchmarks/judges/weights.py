"""Sparse features as a matrix, and weights as they are kept in the package."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.judges.model import Array
from memcli.judgement.text_features import Features
from memcli.judgement.weights import Linear, file_of

# What the sparse features are multiplied by, so that they count about as much as the dense ones.
SPARSE = 3.0


def matrix(rows: Sequence[Features], width: int) -> Any:
    """Features, their columns below `width`, as a sparse matrix (rows, width)."""
    values = np.concatenate([row.values for row in rows]).astype(np.float64)
    places = np.repeat(np.arange(len(rows)), [len(row.columns) for row in rows])
    columns = np.concatenate([row.columns for row in rows])
    return sparse.csr_matrix((values, (places, columns)), shape=(len(rows), width))


class Kept(NamedTuple):
    """What is kept of a judge, by name: numbers, and lists of words."""

    tensors: dict[str, NDArray[Any]]
    words: dict[str, Sequence[str]]


def save(name: str, kept: Kept) -> None:
    """Write the weights of one judge into the package."""
    words = {each: "\n".join(some) for each, some in kept.words.items()}
    file = file_of(name)
    # Without the hour, that the same weights are the same file.
    file.write_bytes(gzip.compress(safetensors.numpy.save(kept.tensors, words), mtime=0))
    print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


def kept_question(
    question: str, answers: Sequence[str], columns: Array, bias: Array, dense: Array | None = None
) -> Kept:
    """One question of a linear judge as it is kept: columns in steps of a 127th of the largest."""
    step = float(np.abs(columns).max() / 127)
    tensors: dict[str, NDArray[Any]] = {
        f"{question}/bias": bias.astype(np.float32),
        f"{question}/sparse": np.round(columns / step).astype(np.int8),
        f"{question}/step": np.array(step, dtype=np.float32),
        f"{question}/dense": (np.zeros((0, len(bias))) if dense is None else dense).astype(np.float32),
    }
    return Kept(tensors, {question: list(answers)})


def linear_of(kept: Kept, question: str) -> Linear:
    """A question of a linear judge as the program reads it."""
    bias, columns, step, dense = (
        kept.tensors[f"{question}/{each}"] for each in ("bias", "sparse", "step", "dense")
    )
    return Linear(tuple(kept.words[question]), bias, columns, float(step), dense)
