"""A deterministic stand-in for a model, where meaning is not the subject of a test."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from memcli.errors import ModelUnusable
from memcli.model import ModelIdentity
from memcli.text import words

WIDTH = 64


def no_model(name: str) -> NoReturn:
    """Stands in for opening a model that is not there."""
    raise ModelUnusable(f"no model {name}")


class StandIn:
    """An `Embedder` in which texts are as alike as the words they share."""

    max_tokens = 256

    def __init__(self, name: str = "stand-in") -> None:
        self.identity = ModelIdentity(
            name=name, weights=hashlib.sha256(name.encode()).hexdigest(), dimensions=WIDTH
        )

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> NDArray[np.float32]:
        vector = np.zeros(WIDTH, dtype=np.float32)
        for token in words.index_text(text).split():
            vector[int(hashlib.sha256(token.encode()).hexdigest(), 16) % WIDTH] += 1
        return vector / max(float(np.linalg.norm(vector)), 1e-9)

    def documents(self, texts: Sequence[str]) -> Iterator[NDArray[np.float32]]:
        for text in texts:
            yield self.queries(self.windows(text))

    def windows(self, text: str) -> list[str]:
        return [text[start : start + 2400] for start in range(0, max(len(text), 1), 2400)]

    def count_tokens(self, text: str) -> int:
        return len(text.split())
