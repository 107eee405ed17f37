"""Alignment of two statements: the tokens that only one of them has, and which replaced which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from typing import Any, Literal

from memcli.named_tuple import NamedTuple
from memcli.text.comparison.reading import Reading, T, content_tokens
from memcli.text.comparison.stretches import unlike_stretches
from memcli.text.english.paraphrases import BEING, passive_verbs, plainly_put, voice_relation
from memcli.text.english.tokens import MAX_TOKENS, Token, tokenize
from memcli.text.english.vocabulary import synonyms
from memcli.text.english.word_forms import ROOT_LETTERS, are_inflections, is_agent_of, is_derivation

# "value": the same thing has another value. "more", "less": the new statement says more, or less.
Nature = Literal["value", "more", "less"]


class Difference(NamedTuple):
    """A difference of two statements: its nature, the rule that found it, and the words ("5 -> 7")."""

    nature: Nature
    rule: str
    words: str
    one_sided: bool = False
    """Only one of the two statements has it."""
    apart: bool = False
    """Both have something of the kind, but in different places."""
    adds: bool = False
    """Only the new statement has it."""


class Alignment:
    """Two readings aligned: the tokens that only one of them has, and the stretches that were replaced."""

    def __init__(self, new: Reading, old: Reading) -> None:
        self.new, self.old = new, old
        ours, theirs = _without(_one_word, _unmatched(new, old), _unmatched(old, new), _keys_of_words)
        self.only_new, self.only_old = _without(_kin(new, old), ours, theirs, _keys_of_roots)
        """The tokens that the other statement does not have."""
        self.telling_new, self.telling_old = content_tokens(self.only_new), content_tokens(self.only_old)
        """The content tokens among these."""
        self.asked = 0
        """How many rules were applied so far, and what they found: see `differences`."""
        self.found: list[Difference] = []
        self._kept: dict[Callable[..., Any], Any] = {}

    def once(self, read: Callable[[Alignment], T]) -> T:
        """Return what a function computes from this pair alone, computed at the first call, then cached."""
        kept = self._kept
        if read not in kept:
            kept[read] = read(self)
        found: T = kept[read]
        return found

    @cached_property
    def voice(self) -> Literal["alike", "swapped"] | None:
        """Return how active and passive voice of the two relate: see `voice_relation`."""
        if BEING.isdisjoint(self.new.texts) and BEING.isdisjoint(self.old.texts):
            return None
        if not (self.new.once(passive_verbs) or self.old.once(passive_verbs)):
            return None
        return voice_relation(self.new, self.old)

    @cached_property
    def replaced(self) -> list[tuple[list[Token], list[Token]]]:
        """Return the stretches of the new statement, each with the one of the old that it replaced."""
        return [
            ([*self.new[stretch.new]], [*self.old[stretch.old]])
            for stretch in unlike_stretches(self.old.stems, self.new.stems, self.new.places)
        ]

    @cached_property
    def shared_stems(self) -> Set[str]:
        """Return the stems that both have."""
        return self.new.places.keys() & self.old.places.keys()


def align(new: Sequence[Token], old: Sequence[Token]) -> Alignment:
    """Align two lists of tokens: phrases in their plain form, words by their stems."""
    return Alignment(*_stems_told_apart(_read_plainly(new), _read_plainly(old)))


# The cache holds as many pairs as are judged in one batch, until the findings have been reported.
@lru_cache(maxsize=128)
def align_texts(new: str, old: str) -> Alignment:
    """Align two texts (the beginning of long ones); cached, as a pair is often asked about again."""
    return Alignment(*_stems_told_apart(plain_reading(new), plain_reading(old)))


# Cached, because one statement is compared with many.
@lru_cache(maxsize=4096)
def plain_reading(text: str) -> Reading:
    """Return the reading of a text (of the beginning of a long one), prepared for comparison."""
    return _read_plainly(tokenize(text)[:MAX_TOKENS])


def _read_plainly(tokens: Sequence[Token]) -> Reading:
    """Return the tokens with phrases in their plain form, and each name with one stem wherever it stands."""
    read = Reading(plainly_put(tokens))
    return _stemmed_as_named(read, read.names)


def _unmatched(these: Reading, those: Reading) -> list[Token]:
    """Return the tokens of `these` that `those` lack, each as often as it is missing."""
    there = those.by_stem
    return [token for stem, token in these.by_stem.items() if stem not in there]


def _stems_told_apart(new: Reading, old: Reading) -> tuple[Reading, Reading]:
    """Return both readings with separate stems for words that share a stem but are not forms of one word.

    And a name gets one stem, also at the beginning of a sentence, where it looks like a word ("Jonas owes
    Liv"). Most readings are returned as they are, with their cached results.
    """
    new = _stemmed_as_named(new, old.names)
    old = _stemmed_as_named(old, new.names)
    ours, theirs = new.forms, old.forms
    # Mostly none: most shared words have the same forms in both.
    differing = [stem for stem in ours.keys() & theirs.keys() if ours[stem] != theirs[stem]]
    if not differing:
        return new, old
    return _own_stems(new, old, differing), _own_stems(old, new, differing)


def _stemmed_as_named(tokens: Reading, names: Mapping[str, str]) -> Reading:
    if names.keys().isdisjoint(tokens.folded):
        return tokens
    return _restemmed(tokens, [names.get(token.folded, token.stem) for token in tokens])


def _own_stems(tokens: Reading, others: Reading, differing: Iterable[str]) -> Reading:
    """Return the tokens with separate stems where a form of one of these stems belongs to another word."""
    ours, theirs = tokens.forms, others.forms
    apart = {
        (stem, folded)
        for stem in differing
        for folded in ours[stem] - theirs[stem]
        if not any(are_inflections(folded, form) for form in theirs[stem])
    }
    if not apart:
        return tokens
    return _restemmed(
        tokens,
        [
            f"={token.folded}" if token.sort == "word" and (token.stem, token.folded) in apart else token.stem
            for token in tokens
        ],
    )


def _restemmed(tokens: Reading, stems: Sequence[str]) -> Reading:
    if stems == tokens.stems:
        return tokens
    return Reading(
        token if token.stem == stem else token._replace(stem=stem)
        for token, stem in zip(tokens, stems, strict=True)
    )


def _without(
    same: Callable[[Token, Token], bool],
    ours: list[Token],
    theirs: list[Token],
    keys: Callable[[Sequence[Token]], Set[str]],
) -> tuple[list[Token], list[Token]]:
    """Return both lists without tokens that have the `same` on the other side, found by shared keys."""
    known = keys(theirs)
    # Mostly no keys are shared.
    if known.isdisjoint(keys(ours)):
        return ours, theirs
    theirs, left = list(theirs), []
    for token in ours:
        found = None
        if not known.isdisjoint(keys((token,))):
            found = next((other for other in theirs if same(token, other)), None)
        if found is None:
            left.append(token)
        else:
            theirs.remove(found)
    return left, theirs


# Cached: most texts use few different words.
@lru_cache(maxsize=8192)
def word_keys(token: Token) -> frozenset[str]:
    """Return the keys of a token: two tokens that `_one_word` takes for one share at least one of them."""
    named = {token.folded, token.stem, token.shown, token.shown.strip("`")}
    return synonyms(token.folded) | synonyms(token.stem) | named


def _keys_of_words(tokens: Sequence[Token]) -> Set[str]:
    return frozenset().union(*map(word_keys, tokens))


def _keys_of_roots(tokens: Sequence[Token]) -> Set[str]:
    """Return the keys of tokens by root: two tokens of one root (see `_kin`) share at least one of them."""
    return {token.stem[:ROOT_LETTERS] for token in tokens if token.sort == "word" and token.content}


def _one_word(one: Token, other: Token) -> bool:
    """True if two tokens are one word in two spellings, or synonyms."""
    if "code" in (one.sort, other.sort):
        # "`ruff`", "ruff".
        return (
            one.sort != other.sort and other.shown == one.shown.strip("`")
        ) or one.shown == other.shown.strip("`")
    if one.folded == other.folded and (one.sort == other.sort == "name" or one.text == other.text):
        return True
    return other.folded in synonyms(one.folded) or other.stem in synonyms(one.stem)


def _kin(new: Reading, old: Reading) -> Callable[[Token, Token], bool]:
    """Return a predicate for words of one root: "has an allergy", "is allergic"; "manages", "manager of"."""

    def of_one_root(one: Token, other: Token) -> bool:
        if not (one.sort == other.sort == "word" and one.content and other.content):
            return False
        # Having a manager is not managing.
        for doer, deed, there in ((one, other, new), (other, one, old)):
            if is_agent_of(doer.stem, deed.stem):
                doers = new.telling[:1], old.telling[:1]
                return any(t.text in BEING for t in there) and doers[0][0].stem == doers[1][0].stem
        return is_derivation(one.stem, other.stem)

    return of_one_root


def as_written(tokens: Iterable[Token]) -> str:
    """Return the tokens as written, with spaces between."""
    return " ".join(token.shown for token in tokens)


def one_sided(rule: str, new: list[Token], old: list[Token], turns: bool = False) -> Difference:
    """Return the difference that only one side has the tokens; with `turns` it is another value."""
    words = f"+{as_written(new)}" if new else f"-{as_written(old)}"
    return Difference(
        "value" if turns else "more" if new else "less", rule, words, one_sided=True, adds=bool(new)
    )


def stand_for_each_other(pair: Alignment, new: list[Token], old: list[Token]) -> bool:
    """True if some tokens of one side were replaced by some of the other."""
    return any(
        any(t in new for t in ours) and any(t in old for t in theirs) for ours, theirs in pair.replaced
    )


def says_more(pair: Alignment) -> bool:
    """True if either statement has content that the other lacks."""
    return bool(pair.telling_new or pair.telling_old)


def shared_tokens(these: Reading, those: Reading) -> list[Token]:
    """Return the tokens of `these` that `those` have as well, in order."""
    there = those.by_stem
    return [token for stem, token in these.by_stem.items() if stem in there]
