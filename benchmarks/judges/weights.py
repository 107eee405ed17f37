"""Sparse features as a matrix, and weights as they are kept in the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.judges.model import Array
from memcli.judgement.text_features import Features
from memcli.judgement.weights import FOLDER

# What the sparse features are multiplied by, so that they count about as much as the dense ones.
SPARSE = 3.0


def matrix(rows: Sequence[Features], width: int) -> Any:
    """Features, their columns below `width`, as a sparse matrix (rows, width)."""
    values = np.concatenate([row.values for row in rows]).astype(np.float64)
    places = np.repeat(np.arange(len(rows)), [len(row.columns) for row in rows])
    columns = np.concatenate([row.columns for row in rows])
    return sparse.csr_matrix((values, (places, columns)), shape=(len(rows), width))


def save(name: str, kept: dict[str, NDArray[np.generic]]) -> None:
    """Write the weights of one judge into the package."""
    file = FOLDER / f"{name}.npz"
    np.savez_compressed(file, **kept)  # type: ignore[arg-type]  # its stub takes the names for options
    print(f"{file.name}: {file.stat().st_size / 1000:.0f} kB")


def kept_question(
    question: str, answers: Any, columns: Array, bias: Array, dense: Array | None = None
) -> dict[str, NDArray[np.generic]]:
    """One question of a linear judge as it is kept: columns in steps of a 127th of the largest."""
    step = float(np.abs(columns).max() / 127)
    return {
        f"{question}/answers": np.array(answers),
        f"{question}/bias": bias.astype(np.float32),
        f"{question}/sparse": np.round(columns / step).astype(np.int8),
        f"{question}/step": np.array(step, dtype=np.float32),
        f"{question}/dense": (np.zeros((0, len(bias))) if dense is None else dense).astype(np.float32),
    }
