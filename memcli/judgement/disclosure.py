"""Whether a sentence of a turn discloses something of who speaks that is worth knowing for good.

Of a speaker's sentence that alone says little: whoever dictates a letter for somebody else, plays a part or
tells a story says "I" as well. So what else the turn says is read with it, and what the speaker said before.
What that tells is weighed with what the judge of statements makes of the sentence (stacking: Wolpert,
"Stacked generalization", Neural Networks 5, 1992).
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from memcli.judgement.statements import StatementJudgement
from memcli.judgement.text_features import Features, side_by_side, text_features
from memcli.judgement.weights import load_linear, load_logistic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# So many turns before are read.
TURNS_BEFORE = 2
# How much the turn, and what was said before it, weigh beside the sentence. (Of 0.5 and 1, 0 and 0.3 what
# judged best by cross-validation over authors.)
_OF_TURN, _OF_BEFORE = 0.5, 0.3
# The logarithm of what is less likely says no more.
_LEAST = 0.0001
_QUOTING = frozenset('"“”„«»')


def disclosed(sentence: str, middle: Floats, turn: str, before: str) -> float:
    """How likely (0 to 1) a sentence states something of the speaker or the speaker's kin for good.

    `middle` is that of the sentence's `Reading` by the default model; `turn` is all that was said with it,
    `before` the speaker's last TURNS_BEFORE turns in that session, in one text.
    """
    judge = load_linear("disclosure")["disclosed"]
    likely = judge.probabilities(disclosure_features(sentence, turn, before), middle)["yes"]
    judged = StatementJudgement(sentence, middle)
    return load_logistic("disclosed")["disclosed"].probability(
        weighed(likely, judged, sentence, turn, before)
    )


def disclosed_by_words(sentence: str) -> float:
    """The same, roughly, by the words of the sentence alone: whether it is worth reading."""
    return load_linear("disclosure")["by words"].probabilities(text_features(sentence))["yes"]


def disclosure_features(sentence: str, turn: str, before: str) -> Features:
    """What the words of a sentence, its turn and what was before tell; three times a text's columns."""
    of_turn, of_before = text_features(turn), text_features(before or ".")
    return side_by_side(
        [
            text_features(sentence),
            of_turn._replace(values=of_turn.values * _OF_TURN),
            of_before._replace(values=of_before.values * _OF_BEFORE),
        ]
    )


def weighed(
    likely: float, judged: StatementJudgement, sentence: str, turn: str, before: str
) -> dict[str, float]:
    """What `disclosed` weighs at last: how `likely` it is by words and layer, and what is `judged` of it."""
    answers = (*judged.kinds.items(), *judged.states.items(), *judged.about.items())
    words = sentence.split()
    return {
        "likely": log(max(likely, _LEAST) / max(1 - likely, _LEAST)),
        **{answer: log(each + _LEAST) for answer, each in answers},
        "due": judged.due,
        "promise": judged.promise,
        "change": judged.change,
        "words": len(words),
        "words of the turn": len(turn.split()),
        "words before": len(before.split()),
        "place in the turn": max(turn.find(sentence), 0) / max(len(turn), 1),
        "question marks": sentence.count("?"),
        "quotation marks": sum(each in _QUOTING for each in sentence),
        "digits": sum(map(str.isdigit, sentence)),
        "capitals": sum(word[:1].isupper() for word in words[1:]),
    }
