"""Vectors as the store has them, bytes of little-endian float32, as rows of a matrix; and of length 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# What is shorter than this has no direction, and stays as short as it is.
_NOTHING = 1e-9
# Part of the mean that is taken off every vector of a model other than the default before anything is
# measured by it: the cosines of multilingual-e5 lie between 0.65 and 1, without this around 0.
_COMMON = 0.9


def vector_rows(vectors: Sequence[bytes]) -> Floats:
    """Vectors of one width, at least one, as the rows of a matrix. (n, d)"""
    import numpy as np

    matrix: Floats = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    return matrix


def unit_vectors(vectors: Floats) -> Floats:
    """Vectors, along the last axis, scaled to length 1; zero stays zero. (…, d)"""
    import numpy as np

    scaled: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), _NOTHING)
    return scaled


def unit_rows(vectors: Sequence[bytes]) -> Floats:
    """Vectors of one width, at least one, as the rows of a matrix, each of length 1. (n, d)"""
    return unit_vectors(vector_rows(vectors))


def without_part(vectors: Floats, part: Floats) -> Floats:
    """Vectors without what all have in common, unit; zero stays zero. (…, d), (d,) -> (…, d)"""
    import numpy as np

    there = vectors.any(axis=-1, keepdims=True)
    return np.where(there, unit_vectors(unit_vectors(vectors) - part), 0).astype(np.float32)


def without_common(vectors: Floats, common: Floats) -> Floats:
    """Vectors without what all that a model makes have in common, its mean, unit. (…, d), (d,) -> (…, d)"""
    return without_part(vectors, _COMMON * common)


def middle_and_high(rows: Floats) -> tuple[float, float]:
    """The cosines of unit vectors with one another: the middle one, and the most alike hundredth."""
    import numpy as np

    alike = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
    middle, high = (float(each) for each in np.percentile(alike, [50, 99]))
    return middle, high
