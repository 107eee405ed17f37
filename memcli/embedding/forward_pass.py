"""What a model makes of one text in one pass: its vectors, and how it is said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memcli.named_tuple import NamedTuple

if TYPE_CHECKING:
    from memcli.embedding import Embedder, Floats


class Reading(NamedTuple):
    """The vectors of a text, and how it is said."""

    vectors: Floats
    """One a window: (windows, dimensions), as the model normalises them."""
    middle: Floats | None
    """The mean of the first window's tokens in a middle layer, which tells grammar and mood where `vectors`
    tell the topic: (width,), of no certain length. None where the model gives none out."""


@runtime_checkable
class LayerReader(Protocol):
    """An `Embedder` that gives out its middle layer, too."""

    def readings(self, texts: Sequence[str]) -> Iterator[Reading]:
        """As `documents`, with the middle layer of each text, in the same pass."""


def readings(embedder: Embedder, texts: Sequence[str]) -> Iterator[Reading]:
    """What any model makes of texts, in order; one that gives no layer out makes vectors alone."""
    if isinstance(embedder, LayerReader):
        return embedder.readings(texts)
    return (Reading(vectors, None) for vectors in embedder.documents(texts))
