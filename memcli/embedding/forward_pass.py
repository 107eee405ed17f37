"""Forward pass: the vectors of a text, and its middle layer, from one run of a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memcli.named_tuple import NamedTuple

if TYPE_CHECKING:
    from memcli.embedding import Embedder, Floats


class Reading(NamedTuple):
    """The vectors of a text, and the mean of a middle layer."""

    vectors: Floats
    """One per window: (windows, dimensions), as the model normalises them."""
    middle: Floats | None
    """The mean of the first window's tokens in a middle layer, which shows grammar and mood, while `vectors`
    show the topic: (width,), not normalised. None if the model has no such output."""


@runtime_checkable
class LayerReader(Protocol):
    """An `Embedder` that also returns its middle layer."""

    def readings(self, texts: Sequence[str]) -> Iterator[Reading]:
        """Yield what `documents` does, with the middle layer of each text, from the same pass."""


def readings(embedder: Embedder, texts: Sequence[str]) -> Iterator[Reading]:
    """Yield the readings of texts by any model, in order; without middle layers if it has no such output."""
    if isinstance(embedder, LayerReader):
        return embedder.readings(texts)
    return (Reading(vectors, None) for vectors in embedder.documents(texts))
