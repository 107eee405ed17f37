"""Pairs of statements: judge whether the newer says the same as the older, updates it, or both hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from memcli.judgement.pair_features import cosine_features, frame_words, pair_features
from memcli.judgement.pair_forms import Certain, certain_of, is_denied
from memcli.judgement.pair_words import PairWords
from memcli.judgement.weights import Network, load_linear, load_network
from memcli.named_tuple import NamedTuple
from memcli.text.comparison.alignment import align_texts
from memcli.text.comparison.differences import differences
from memcli.text.numbers.numbered import are_numbered
from memcli.text.semantics.debts import is_beside_debt, owe_apart
from memcli.text.semantics.reported import speak_apart
from memcli.text.semantics.settlements import settlement

# The rules of `differences` by which one value replaces another.
_VALUES = frozenset({"number", "opposite", "calendar", "name"})


class PairJudgement(NamedTuple):
    """The probabilities of the three relations of a pair, 0 to 1; they sum to 1."""

    same: float
    """The newer says nothing that the older does not, perhaps in other words."""
    update: float
    """The newer gives the same thing another value: the older is no longer true, or one of them never was."""
    both: float
    """Both hold: they are about two things, two attributes or two times, or have nothing in common."""
    certain: bool = False
    """The form of the two shows an update (`pair_forms`), so that other notes nearby do not matter."""


class PairWeights(NamedTuple):
    """The trained weights of a judge of pairs."""

    words: PairWords
    """The judge by words alone ("moved", "no longer"), whose scores are features of the network."""
    network: Network


def packaged_weights(*, by_words: bool) -> PairWeights:
    """Return the weights in the package: of the judge with the model's cosine, or that `by_words` alone."""
    return PairWeights(_packaged_words(), load_network("pair-by-words" if by_words else "pair"))


@cache
def _packaged_words() -> PairWords:
    return PairWords(load_linear("pair-words")["relation"])


def judge_pair(
    newer: str, older: str, cosine: float | None = None, weights: PairWeights | None = None
) -> PairJudgement:
    """Judge two statements; takes a third to a half of a millisecond.

    `cosine` is that of their vectors by the default model; without it only the words are judged, less surely.
    `weights`: those of another judge than the package's.
    """
    [judged] = judge_pairs([(newer, older, cosine)], weights)
    return judged


def judge_pairs(
    pairs: Sequence[tuple[str, str, float | None]], weights: PairWeights | None = None
) -> list[PairJudgement]:
    """Judge many pairs at once, each a newer text, an older one and their cosine: see `judge_pair`.

    Either all have a cosine or none has. Pairs with a text in common should be adjacent, because of the
    caches.
    """
    by_words = bool(pairs) and pairs[0][2] is None
    words, network = weights or packaged_weights(by_words=by_words)
    found = [PairJudgement(same=0.0, update=0.0, both=1.0)] * len(pairs)
    # The judge has seen too little of numbered things, debts and reported words: there the form decides.
    asked, read = [], []
    for place, (newer, older, _) in enumerate(pairs):
        if not _are_apart(newer, older):
            asked.append(place)
            read.append(_read(newer, older))
    if not asked:
        return found
    framed = [(*pairs[place][:2], frame) for place, (_, frame, _) in zip(asked, read, strict=True)]
    names = [f"words: {answer}" for answer in words.answers]
    for place, (features, *_), said in zip(asked, read, words.scores_of(framed).tolist(), strict=True):
        features.update(zip(names, said, strict=True))
        cosine = pairs[place][2]
        if cosine is not None:
            features.update(cosine_features(cosine, features["words in common"]))
    judged = network.probabilities_of([features for features, *_ in read])
    for place, likely, (*_, certain) in zip(asked, judged, read, strict=True):
        found[place] = _judgement(likely, certain)
    return found


def _read(newer: str, older: str) -> tuple[dict[str, float], list[str], Certain]:
    """Return the features of two texts without those of their words, their frame words, and what is certain.

    All three use one alignment, which is cached until another pair is read.
    """
    return pair_features(newer, older), frame_words(newer, older), certain_of(newer, older)


def _are_apart(newer: str, older: str) -> bool:
    """True if the form of two texts shows that they are about two things, so that both hold."""
    return are_numbered(newer, older) or speak_apart(newer, older) or _of_other_debts(newer, older)


def _of_other_debts(newer: str, older: str) -> bool:
    """True if two texts are about different debts, or about a debt and an unrelated sum."""
    if owe_apart(newer, older) or settlement(newer, older) == "other":
        return True
    return is_beside_debt(newer, older)


def _judgement(likely: Mapping[str, float], certain: Certain) -> PairJudgement:
    same, update, both = likely["same"], likely["update"], likely["both"]
    # A different number is never the same statement, and a number written otherwise (7.30, 7:30) is no
    # update.
    if certain.same_numbers is not None:
        same, update = (same, 0.0) if certain.same_numbers else (0.0, update)
    if certain.says_more:
        same = 0.0
    if certain.contradicts:
        likelier = min(max(update / (update + both), certain.sure), certain.most)
        return PairJudgement(0.0, likelier, 1 - likelier, certain=True)
    whole = same + update + both
    return PairJudgement(same / whole, update / whole, both / whole)


def told_update(newer: str, older: str, likely: float) -> str:
    """Return how a likely (0 to 1) update is described to the owner: "8443 -> 8444, 92% likely"."""
    if is_denied(newer, older):
        return f"one denies the other, {likely:.0%} likely"
    if settlement(newer, older):
        return f"paid or given back, {likely:.0%} likely"
    put = (each.words for each in differences(align_texts(newer, older)) if each.rule in _VALUES)
    what = next((words for words in put if " -> " in words), "another value")
    return f"{what}, {likely:.0%} likely"
