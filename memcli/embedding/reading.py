"""What a model makes of one text in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from memcli.embedding import Floats


class Reading(NamedTuple):
    """The vectors of a text, and how it is said."""

    vectors: Floats
    """One a window: (windows, dimensions), as the model normalises them."""
    middle: Floats | None
    """The mean of the first window's tokens in a middle layer, which tells grammar and mood where `vectors`
    tell the topic: (width,), of no certain length. None where the model gives none out."""
