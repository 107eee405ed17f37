"""What is read of a text once, and scored for all questions at once, judges as if it were read each time."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from memcli.judgement import weights
from memcli.judgement.pair_features import cosine_features, frame_words, pair_features, pair_pieces
from memcli.judgement.pair_forms import _may_say_the_same
from memcli.judgement.pair_words import PairWords
from memcli.judgement.pairs import PairJudgement, judge_pair, judge_pairs
from memcli.judgement.statements import StatementJudgement
from memcli.judgement.text_features import text_features
from memcli.text.comparison import alignment
from memcli.text.english.vocabulary import NEGATION
from memcli.text.semantics.senses import has_any_sense, has_sense

_LISTS = Path(__file__).parents[2] / "benchmarks"


def _pairs() -> list[tuple[str, str]]:
    """Some hundred pairs: those of two lists, and each text beside that of another pair."""
    found = []
    for name in ("changes.txt", "contradictions.txt"):
        for line in (_LISTS / name).read_text(encoding="utf-8").splitlines():
            if line.count(" | ") == 2 and not line.startswith("#"):
                _, old, new = line.split(" | ")
                found.append((new, old))
    return [*found, *((one[0], other[1]) for one, other in pairwise(found))][::2]


def _forget() -> None:
    alignment.align_texts.cache_clear()
    alignment.plain_reading.cache_clear()


def test_a_text_that_was_read_beside_others_is_judged_as_one_that_was_not() -> None:
    pairs = _pairs()
    assert len(pairs) > 200
    together = [judge_pair(*pair, 0.7) for pair in pairs]
    for pair, judged in zip(pairs, together, strict=True):
        _forget()
        assert judge_pair(*pair, 0.7) == judged


def test_pairs_are_judged_together_as_each_by_itself() -> None:
    numbered = ("Server 1 is down since noon", "Server 2 is down since noon")
    pairs = [numbered, *_pairs()[:150], numbered]
    for cosine in (0.7, None):
        alone = [judge_pair(*pair, cosine) for pair in pairs]
        together = judge_pairs([(*pair, cosine) for pair in pairs])
        for one, other in zip(together, alone, strict=True):
            assert one == pytest.approx(other, abs=1e-5)
        assert together[0] == together[-1] == PairJudgement(same=0.0, update=0.0, both=1.0)
        assert judge_pairs([(*numbered, cosine)]) == together[:1]
    assert judge_pairs([]) == []


def test_the_words_of_pairs_are_scored_as_the_linear_judge_scores_their_pieces() -> None:
    linear = weights.load_linear("pair-words")["relation"]
    words = PairWords(linear)
    for pair in _pairs():
        assert words.scores(*pair, frame_words(*pair)) == pytest.approx(
            linear.scores(pair_pieces(*pair)), abs=1e-6
        )


def test_a_network_judges_by_what_is_named_and_by_what_is_not() -> None:
    network = weights.load_network("pair")
    for pair in _pairs():
        features = pair_features(*pair)
        features |= cosine_features(0.8, features["words in common"]) | {"nobody has learned of this": 1.0}
        row = np.array([features.get(name, 0.0) for name in network.features])
        row = np.clip((row - network.mean) * network.scale, -weights.FARTHEST, weights.FARTHEST)
        scores = np.maximum(row @ network.hidden[:-1] + network.hidden[-1], 0) @ network.output[:-1]
        likely = np.exp(scores + network.output[-1])
        expected = dict(zip(network.answers, (likely / likely.sum()).tolist(), strict=True))
        assert network.probabilities(features) == pytest.approx(expected, abs=1e-5)


def test_what_cannot_be_said_word_for_word_is_not_matched_for_it() -> None:
    pairs = [
        *_pairs(),
        ("I never eat fish", "I eat fish"),
        ("The lift is not working.", "The lift is working"),
    ]
    denied = [
        (newer, older)
        for newer, older in pairs
        for pair in [alignment.align_texts(newer, older)]
        if all(token.folded in NEGATION for token in (*pair.telling_new, *pair.telling_old))
    ]
    assert len(denied) > 2
    for newer, older in denied:
        assert _may_say_the_same(alignment.plain_reading(newer), alignment.plain_reading(older))
    long = "The bathroom on the second floor has white metro tiles from Seville since spring"
    assert not _may_say_the_same(alignment.plain_reading("not today"), alignment.plain_reading(long))


def test_a_word_of_several_senses_is_found_as_by_each_of_them() -> None:
    senses = ("owing", "on loan", "repaid", "back")
    words = {word for pair in _pairs() for text in pair for word in text.lower().split()}
    for word in words | {"owes", "borrowed", "geliehen", "returned", "back", "zuruck", "rendu", "backgammon"}:
        assert has_any_sense(word, senses) is any(has_sense(word, sense) for sense in senses)


def test_questions_asked_at_once_are_answered_as_each_by_itself() -> None:
    middles = np.random.default_rng(1).normal(0, 0.3, (50, 384)).astype(np.float32)
    for (text, _), middle in zip(_pairs(), middles, strict=False):
        for name, layer in (("statement", middle), ("statement-by-words", None)):
            asked = weights.load_linear(name)
            judged = StatementJudgement(text, layer)
            found = {"kind": judged.kinds, "state": judged.states, "about": judged.about}
            for question, answers in found.items():
                alone = asked[question].probabilities(text_features(text), layer)
                assert answers == pytest.approx(alone, abs=1e-5)
            alone = {
                each: asked[each].probabilities(text_features(text), layer)["yes"]
                for each in ("due", "promise")
            }
            assert {"due": judged.due, "promise": judged.promise} == pytest.approx(alone, abs=1e-5)
