"""Whether a newer statement says the same as an older one, gives it a new value, or stands beside it."""

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

# By these rules of `differences` one value is told in the place of another.
_VALUES = frozenset({"number", "opposite", "calendar", "name"})


class PairJudgement(NamedTuple):
    """How likely each relation is, 0 to 1, together 1."""

    same: float
    """The newer says nothing that the older does not, in other words."""
    update: float
    """The newer gives the same thing another value: the older holds no longer, or one of them never did."""
    both: float
    """Both hold: of two things, two attributes, two times; or of nothing in common."""
    certain: bool = False
    """The form of the two tells an update, whatever else stands beside them."""


class PairWeights(NamedTuple):
    """What a judge of pairs has learned."""

    words: PairWords
    """What the words that only one of the two has say by themselves ("moved", "no longer")."""
    network: Network


def packaged_weights(*, by_words: bool) -> PairWeights:
    """The weights in the package: of the judge that uses the model's cosine, or of that `by_words` alone."""
    return PairWeights(_packaged_words(), load_network("pair-by-words" if by_words else "pair"))


@cache
def _packaged_words() -> PairWords:
    return PairWords(load_linear("pair-words")["relation"])


def judge_pair(
    newer: str, older: str, cosine: float | None = None, weights: PairWeights | None = None
) -> PairJudgement:
    """Judge two statements; a third to a half of a millisecond.

    `cosine` is that of their vectors by the default model; without it the words alone
    are judged, less surely. `weights`: those of another judge than the package's.
    """
    [judged] = judge_pairs([(newer, older, cosine)], weights)
    return judged


def judge_pairs(
    pairs: Sequence[tuple[str, str, float | None]], weights: PairWeights | None = None
) -> list[PairJudgement]:
    """Judge many pairs at once, each a newer text, an older one and their cosine: see `judge_pair`.

    All have a cosine, or none has. Pairs that have a text in common should stand side by side.
    """
    by_words = bool(pairs) and pairs[0][2] is None
    words, network = weights or packaged_weights(by_words=by_words)
    found = [PairJudgement(same=0.0, update=0.0, both=1.0)] * len(pairs)
    # Of numbered things, of debts and of whose words they are a judge knows too little: the form is certain.
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
    """The features of two texts without those of their words, the words of their frame, and what is certain.

    All three are read from one alignment, which is cached until another pair is read.
    """
    return pair_features(newer, older), frame_words(newer, older), certain_of(newer, older)


def _are_apart(newer: str, older: str) -> bool:
    """Whether by their form two texts are of two things, so that both hold whatever a judge says."""
    return are_numbered(newer, older) or speak_apart(newer, older) or _of_other_debts(newer, older)


def _of_other_debts(newer: str, older: str) -> bool:
    """Whether of two texts that tell of debts, or of a debt and of some sum, each is of another."""
    if owe_apart(newer, older) or settlement(newer, older) == "other":
        return True
    return is_beside_debt(newer, older)


def _judgement(likely: Mapping[str, float], certain: Certain) -> PairJudgement:
    same, update, both = likely["same"], likely["update"], likely["both"]
    # Another number is never the same, and one in another writing (7.30, 7:30) is no other value.
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
    """How its owner is told of a likely (0 to 1) update of an older statement: "8443 -> 8444, 92% likely"."""
    if is_denied(newer, older):
        return f"one denies the other, {likely:.0%} likely"
    if settlement(newer, older):
        return f"paid or given back, {likely:.0%} likely"
    put = (each.words for each in differences(align_texts(newer, older)) if each.rule in _VALUES)
    what = next((words for words in put if " -> " in words), "another value")
    return f"{what}, {likely:.0%} likely"
