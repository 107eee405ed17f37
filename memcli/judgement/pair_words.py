"""Pair words: a linear judge of a pair by its words, with the part of each single text cached.

The scores equal those of `Linear` on `pair_pieces`. There each column of a text is weighted by what the other
text lacks of it, so a text's own score can be kept, and for a pair only the columns that both have are read,
some dozens of six hundred.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from memcli.judgement.text_features import WIDTH, frame_features, text_features

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memcli.judgement.weights import Linear

    Scores = NDArray[np.float64]


class PairWords:
    """The judge of pairs by words, prepared for quick calls; `linear` holds the trained weights."""

    def __init__(self, linear: Linear) -> None:
        self.answers = linear.answers
        self._linear = linear
        import numpy as np

        new, old, both, self._frame = (
            linear.sparse.astype(float).reshape(-1, WIDTH, len(linear.answers)) * linear.step
        )
        self._apart = np.hstack((new, old))
        self._shared = both - new - old
        # Cached, because one statement is compared with many.
        self._alone = lru_cache(maxsize=1 << 13)(self._of_one)

    def scores(self, newer: str, older: str, frame: Sequence[str]) -> dict[str, float]:
        """Return the score of each answer, in units of log odds; `frame`: the words around the difference."""
        [scores] = self.scores_of([(newer, older, frame)])
        return dict(zip(self.answers, scores.tolist(), strict=True))

    def scores_of(self, pairs: Sequence[tuple[str, str, Sequence[str]]]) -> Scores:
        """Return the scores of pairs (newer text, older text, frame words), a row each. (pairs, answers)"""
        import numpy as np

        scores: Scores = np.tile(self._linear.bias.astype(float), (len(pairs), 1))
        there = np.zeros(WIDTH, np.float32)
        for row, (newer, older, frame) in enumerate(pairs):
            new, old = text_features(newer), text_features(older)
            there[new.columns] = new.values
            both = np.minimum(there.take(old.columns), old.values)
            there[new.columns] = 0
            scores[row] += both @ self._shared.take(old.columns, axis=0)
            scores[row] += self._alone(newer)[0] + self._alone(older)[1]
            if frame:
                columns, values = frame_features(frame)
                scores[row] += values @ self._frame.take(columns, axis=0)
        return scores

    def _of_one(self, text: str) -> Scores:
        """Return the scores of a text by itself, as the newer and as the older. (2, answers)"""
        columns, values = text_features(text)
        found: Scores = values @ self._apart.take(columns, axis=0)
        return found.reshape(2, -1)
