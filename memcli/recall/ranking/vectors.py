"""Vectors of questions and memories; the only stages that need numpy, loaded where meaning is searched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from memcli.embedding.vectors import unit_vectors, vector_rows, without_common, without_part

Floats = NDArray[np.float32]

# Weight of the content words' vector beside the whole question's (0.25 to 1: alike).
CONTENT_VECTOR = 0.5
# Part of the store's mean vector that is taken off every memory: what all memories share
# tells none apart (0.3 instead: conversations +0.3, standing facts -0.7 points of R@10).
CENTRE = 0.5
SETTLED = 16
# With many windows a long text draws many lots: a later one must be nearer to the question by
# this (cosine) to speak for the whole. 0 costs BEAM's long messages 1 point of R@10.
CLEARLY_NEARER = 0.2
# The neighbours' part in a turn's context.
BESIDE = 0.5


def question_vector(statement: Floats, content: Floats) -> Floats:
    """The vector searched with, unit: the whole question, and a little its content words. (d,)"""
    return unit_vectors(statement + CONTENT_VECTOR * content)


def unit_beginnings(kept: Mapping[int, Sequence[bytes]], refs: Sequence[int]) -> Floats:
    """The vectors of the beginnings of memories, in the order of `refs`, unit; zero where none is. (n, d)"""
    width = next((len(windows[0]) // 4 for windows in kept.values() if windows), 1)
    nothing = bytes(4 * width)
    return unit_vectors(vector_rows([next(iter(kept.get(ref, ())), nothing) for ref in refs]))


def sample_mean(sample: Sequence[bytes], width: int) -> Floats:
    """The mean of a sample of vectors, drawn to zero where the sample is small. (width,)

    What three memories have in common is no commonplace yet: a sample of
    SETTLED vectors counts half.
    """
    if not sample:
        return np.zeros(width, dtype=np.float32)
    middle: Floats = vector_rows(sample).mean(axis=0)
    return middle * np.float32(len(sample) / (len(sample) + SETTLED))


def judged_windows(kept: Iterable[Sequence[bytes]], question: Floats) -> Floats:
    """The windows by which texts are judged, a row each; at least one text. (n, d)"""
    texts = list(kept)
    # Nearly all have but one.
    judges: Floats = vector_rows([windows[0] for windows in texts]).copy()
    for row, windows in enumerate(texts):
        if len(windows) > 1:
            judges[row] = judged_window(windows, question)
    return judges


def judged_window(windows: Sequence[bytes], question: Floats) -> Floats:
    """The window by which a text is judged: its first, or one that is clearly nearer. (d,)"""
    each = vector_rows(windows)
    nearness = each @ question
    nearness[1:] -= CLEARLY_NEARER
    judge: Floats = each[int(np.argmax(nearness))]
    return judge


def nearest_cosine(windows: Sequence[bytes], question: Floats) -> float:
    """The greatest cosine of any window to the question as asked; 0 where there is none."""
    if not windows:
        return 0.0
    return float((unit_vectors(vector_rows(windows)) @ unit_vectors(question)).max())


def centred_vectors(vectors: Floats, middle: Floats) -> Floats:
    """Vectors without part of what all have in common, unit; zero stays zero. (C, d), (d,) -> (C, d)"""
    return without_part(vectors, CENTRE * middle)


def windows_without_common(kept: Mapping[int, Sequence[bytes]], common: Floats) -> dict[int, list[bytes]]:
    """The vectors of memories, by number, without the part (`common`) that all have in common."""
    return {
        ref: [row.tobytes() for row in without_common(vector_rows(windows), common)]
        for ref, windows in kept.items()
    }


def blended_with_neighbours(
    own: Floats, before: Sequence[int], after: Sequence[int], others: Floats
) -> Floats:
    """Each vector with half of those beside it: unit(own + 0.5 x before + 0.5 x after).

    `before` and `after` give, for each row of `own`, a row of `others`, or -1
    for none. (C, d), (C,), (C,), (N, d) -> (C, d)
    """
    with_none: Floats = np.vstack([others, np.zeros_like(others[:1])])
    together: Floats = own + BESIDE * with_none[list(before)] + BESIDE * with_none[list(after)]
    return unit_vectors(together)
