"""Vectors as matrices: from the stored bytes of little-endian float32 to rows, and to unit length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# A shorter vector has no direction, and is not scaled.
_NOTHING = 1e-9
# The part of the mean that is subtracted from every vector of a model other than the default before
# comparison: the cosines of multilingual-e5 are between 0.65 and 1, and without the mean around 0.
_COMMON = 0.9


def vector_rows(vectors: Sequence[bytes]) -> Floats:
    """Return vectors of one width, at least one, as the rows of a matrix. (n, d)"""
    import numpy as np

    matrix: Floats = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    return matrix


def unit_vectors(vectors: Floats) -> Floats:
    """Return vectors scaled to length 1 along the last axis; zero stays zero. (…, d)"""
    import numpy as np

    scaled: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), _NOTHING)
    return scaled


def unit_rows(vectors: Sequence[bytes]) -> Floats:
    """Return vectors of one width, at least one, as the rows of a matrix, each of length 1. (n, d)"""
    return unit_vectors(vector_rows(vectors))


def without_part(vectors: Floats, part: Floats) -> Floats:
    """Return unit vectors after a common part is subtracted; zero stays zero. (…, d), (d,) -> (…, d)"""
    import numpy as np

    there = vectors.any(axis=-1, keepdims=True)
    return np.where(there, unit_vectors(unit_vectors(vectors) - part), 0).astype(np.float32)


def without_common(vectors: Floats, common: Floats) -> Floats:
    """Return unit vectors after most of the model's mean (`common`) is subtracted. (…, d), (d,) -> (…, d)"""
    return without_part(vectors, _COMMON * common)


def middle_and_high(rows: Floats) -> tuple[float, float]:
    """Return the median cosine of unit vectors with one another, and that of the most similar hundredth."""
    import numpy as np

    alike = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
    middle, high = (float(each) for each in np.percentile(alike, [50, 99]))
    return middle, high
