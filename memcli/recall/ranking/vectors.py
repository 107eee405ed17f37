"""Vectors of questions and memories, and their similarities: the only stages that need numpy.

They are imported only where meaning is searched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memcli.embedding.vectors import unit_vectors, vector_rows, without_common, without_part

Floats = NDArray[np.float32]

# Weight of the content words' vector beside the whole question's (0.25 to 1 rank alike).
CONTENT_VECTOR = 0.5
# The part of the store's mean vector that is subtracted from every memory: what all share tells none apart
# (0.3 instead: conversations +0.3, standing facts -0.7 points of R@10).
CENTRE = 0.5
# The size of sample at which its mean counts half: see `sample_mean`.
SETTLED = 16
# A long text has many windows, one of which may be near by chance: a later one must be nearer to the question
# than the first by this (cosine) to represent the text. 0 costs BEAM's long messages 1 point of R@10.
CLEARLY_NEARER = 0.2
# The weight of each neighbour in a turn's context.
BESIDE = 0.5


def question_vector(statement: Floats, content: Floats) -> Floats:
    """Return the unit vector to search with, (d,): the whole question, and half as much its content words."""
    return unit_vectors(statement + CONTENT_VECTOR * content)


def unit_beginnings(kept: Mapping[int, Sequence[bytes]], refs: Sequence[int]) -> Floats:
    """Return the unit vectors of memories' first windows, in the order of `refs`; zero if none. (n, d)"""
    width = next((len(windows[0]) // 4 for windows in kept.values() if windows), 1)
    nothing = bytes(4 * width)
    return unit_vectors(vector_rows([next(iter(kept.get(ref, ())), nothing) for ref in refs]))


def sample_mean(sample: Sequence[bytes], width: int) -> Floats:
    """Return the mean of a sample of vectors, shrunk towards zero if the sample is small. (width,)

    What three memories have in common is not yet common to all: the mean of SETTLED vectors counts half.
    """
    if not sample:
        return np.zeros(width, dtype=np.float32)
    middle: Floats = vector_rows(sample).mean(axis=0)
    return middle * np.float32(len(sample) / (len(sample) + SETTLED))


def judged_windows(kept: Iterable[Sequence[bytes]], question: Floats) -> Floats:
    """Return the window by which each text is compared, a row each; for at least one text. (n, d)"""
    texts = list(kept)
    # Nearly all texts have only one window.
    judges: Floats = vector_rows([windows[0] for windows in texts]).copy()
    for row, windows in enumerate(texts):
        if len(windows) > 1:
            judges[row] = judged_window(windows, question)
    return judges


def judged_window(windows: Sequence[bytes], question: Floats) -> Floats:
    """Return the window by which a text is compared: its first, or one that is clearly nearer. (d,)"""
    each = vector_rows(windows)
    nearness = each @ question
    nearness[1:] -= CLEARLY_NEARER
    judge: Floats = each[int(np.argmax(nearness))]
    return judge


def nearest_cosine(windows: Sequence[bytes], question: Floats) -> float:
    """Return the greatest cosine of any window to the question as asked; 0 without windows."""
    if not windows:
        return 0.0
    return float((unit_vectors(vector_rows(windows)) @ unit_vectors(question)).max())


def centred_vectors(vectors: Floats, middle: Floats) -> Floats:
    """Return unit vectors after part of the mean is subtracted; zero stays zero. (C, d), (d,) -> (C, d)"""
    return without_part(vectors, CENTRE * middle)


def windows_without_common(kept: Mapping[int, Sequence[bytes]], common: Floats) -> dict[int, list[bytes]]:
    """Return the vectors of memories, by number, without the component (`common`) that all have in common."""
    return {
        ref: [row.tobytes() for row in without_common(vector_rows(windows), common)]
        for ref, windows in kept.items()
    }


def blended_with_neighbours(
    own: Floats, before: Sequence[int], after: Sequence[int], others: Floats
) -> Floats:
    """Return each vector blended with its neighbours': unit(own + 0.5 x before + 0.5 x after).

    `before` and `after` give, for each row of `own`, a row of `others`, or -1 for none. (C, d), (C,), (C,),
    (N, d) -> (C, d)
    """
    with_none: Floats = np.vstack([others, np.zeros_like(others[:1])])
    together: Floats = own + BESIDE * with_none[list(before)] + BESIDE * with_none[list(after)]
    return unit_vectors(together)
