"""What the words of two texts say of how they are related: a linear judge, of each text asked once.

The scores are those of `Linear` on `pair_pieces`. There each column of a text is weighed by what
the other text does not have of it; so a text's own score can be kept, and of a pair only the
columns are read that both have, some dozens of six hundred.
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
    """The judge by words, made ready; `linear` is what it has learned."""

    def __init__(self, linear: Linear) -> None:
        self.answers = linear.answers
        self._linear = linear
        import numpy as np

        new, old, both, self._frame = (
            linear.sparse.astype(float).reshape(-1, WIDTH, len(linear.answers)) * linear.step
        )
        self._apart = np.hstack((new, old))
        self._shared = both - new - old
        # A statement is set against all that are like it.
        self._alone = lru_cache(maxsize=1 << 13)(self._of_one)

    def scores(self, newer: str, older: str, frame: Sequence[str]) -> dict[str, float]:
        """What speaks for each answer, in units of log odds; `frame`: the words around what differs."""
        [scores] = self.scores_of([(newer, older, frame)])
        return dict(zip(self.answers, scores.tolist(), strict=True))

    def scores_of(self, pairs: Sequence[tuple[str, str, Sequence[str]]]) -> Scores:
        """The same of pairs of a newer and an older text, with their frames: a row each. (pairs, answers)"""
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
        """What a text says by itself, as the newer and as the older. (2, answers)"""
        columns, values = text_features(text)
        found: Scores = values @ self._apart.take(columns, axis=0)
        return found.reshape(2, -1)
