"""Whether a sentence of a turn discloses something of who speaks that is worth knowing for good.

Of a speaker's sentence that alone says little: whoever dictates a letter for somebody else, plays a part or
tells a story says "I" as well. So what else the turn says is read with it, and what the speaker said before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.judgement.text_features import Features, side_by_side, text_features
from memcli.judgement.weights import load_linear

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# So many turns before are read.
TURNS_BEFORE = 2
# How much the turn, and what was said before it, weigh beside the sentence. (Of 0.5 and 1, 0 and 0.3 what
# judged best by cross-validation over authors.)
_OF_TURN, _OF_BEFORE = 0.5, 0.3


def disclosed(sentence: str, middle: Floats, turn: str, before: str) -> float:
    """How likely (0 to 1) a sentence states something of the speaker or the speaker's kin for good.

    `middle` is that of the sentence's `Reading` by the default model; `turn` is all that was said with it,
    `before` the speaker's last TURNS_BEFORE turns in that session, in one text.
    """
    judge = load_linear("disclosure")["disclosed"]
    return judge.probabilities(disclosure_features(sentence, turn, before), middle)["yes"]


def disclosed_by_words(sentence: str) -> float:
    """The same, roughly, by the words of the sentence alone: whether it is worth reading."""
    return load_linear("disclosure")["by words"].probabilities(text_features(sentence))["yes"]


def disclosure_features(sentence: str, turn: str, before: str) -> Features:
    """What `disclosed` looks at beside the middle layer; three times as many columns as a text has."""
    of_turn, of_before = text_features(turn), text_features(before or ".")
    return side_by_side(
        [
            text_features(sentence),
            of_turn._replace(values=of_turn.values * _OF_TURN),
            of_before._replace(values=of_before.values * _OF_BEFORE),
        ]
    )
