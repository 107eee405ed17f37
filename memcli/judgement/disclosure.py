"""Disclosure: whether a sentence of a turn says something about its speaker that is worth keeping for good.

The speaker's sentence alone is not enough: whoever dictates a letter for somebody else, plays a part or tells
a story says "I" as well. So the rest of the turn and the speaker's turns before are features, too, and their
result is combined with that of the judge of statements (stacking: Wolpert, "Stacked generalization", Neural
Networks 5, 1992).
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

# How many of the speaker's earlier turns are read.
TURNS_BEFORE = 2
# Weights of the turn, and of the turns before, beside the sentence. (The best of 0.5 and 1, and of 0 and 0.3,
# by cross-validation over authors.)
_OF_TURN, _OF_BEFORE = 0.5, 0.3
# Smaller probabilities are not told apart: it keeps logarithms finite.
_LEAST = 0.0001
_QUOTING = frozenset('"“”„«»')


def disclosed(sentence: str, middle: Floats, turn: str, before: str) -> float:
    """Return the probability (0 to 1) that a sentence says something lasting about the speaker or their kin.

    `middle` is the middle layer of the sentence's `Reading` by the default model; `turn` is the whole turn,
    `before` the speaker's last TURNS_BEFORE turns in that session, as one text.
    """
    judge = load_linear("disclosure")["disclosed"]
    likely = judge.probabilities(disclosure_features(sentence, turn, before), middle)["yes"]
    judged = StatementJudgement(sentence, middle)
    return load_logistic("disclosed")["disclosed"].probability(
        weighed(likely, judged, sentence, turn, before)
    )


def disclosed_by_words(sentence: str) -> float:
    """Return a rougher probability from the words of the sentence alone, to decide whether to read on."""
    return load_linear("disclosure")["by words"].probabilities(text_features(sentence))["yes"]


def disclosure_features(sentence: str, turn: str, before: str) -> Features:
    """Return the word features of a sentence, its turn and the turns before; three times a text's columns."""
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
    """Return the features that `disclosed` combines: the words' result `likely`, and the judged statement."""
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
