"""What the default model makes of a text: what the judges learn from beside its words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memcli.config.settings import DEFAULT_MODEL
from memcli.embedding import open_embedder
from memcli.embedding.forward_pass import readings

Array = NDArray[np.float64]


class Model:
    """The default model: vectors and middle layer of each text, once."""

    def __init__(self, cache: Path) -> None:
        self._embedder = open_embedder(DEFAULT_MODEL, cache)

    def read(self, texts: Sequence[str]) -> tuple[Array, Array]:
        """Unit vectors and middle layers, (texts, width) each."""
        if not texts:
            return np.zeros((0, 1)), np.zeros((0, 1))
        read = list(readings(self._embedder, texts))
        vectors = np.array([each.vectors[0] for each in read], dtype=np.float64)
        middle = np.array([each.middle for each in read], dtype=np.float64)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True), middle
