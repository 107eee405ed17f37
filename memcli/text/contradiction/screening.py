"""Which of many pairs of texts need no reading: bounds that show that they neither are the same nor disagree.

Filter and verify, as in joins of similar sets (Mann, Augsten & Bouros 2016, "An empirical
evaluation of set similarity join techniques"): of each text a sketch is made once; two
sketches bound from above what `compare_texts` and `may_contradict` could find. A bound that
is too low would lose a finding, so wherever it is not plain a pair is let through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from memcli.text.comparison.alignment import content_tokens, word_keys
from memcli.text.comparison.differences import standing_against
from memcli.text.comparison.duplicates import ALIKE_AT_LENGTH, REWORDED, is_question, text_key
from memcli.text.contradiction.claims import claims, overtaken_among
from memcli.text.contradiction.contradictions import (
    CLOSE_MEANING,
    RELATED,
    SHORT,
    STANCE,
    STATEMENT,
    TURNS,
    content_size,
    measures,
    only_asks,
    said_change,
    topics,
    without_idioms,
)
from memcli.text.contradiction.subjects import is_label
from memcli.text.english.phrasing import plainly_put
from memcli.text.english.tokens import Token, tokenize
from memcli.text.english.vocabulary import CALENDAR, NEGATION, UNIT

# Rounding must not decide.
_SLACK = 1e-6
# What words of one root begin with, after a sign that begins no word.
_ROOT = 3
_Keys = tuple[str, ...]


class TextSketch:
    """What of one text decides beforehand about its pairs. Its parts are read when first asked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.key = text_key(text)
        self.asks = is_question(text)
        self.only_asks = only_asks(text)
        self.claims = claims(text)
        self.changed = not self.asks and said_change(text) is not None
        self.words = _WordSketch(tokenize(text))
        plain = without_idioms(text)
        self.plain = self.words if plain == text else _WordSketch(tokenize(plain))


class _WordSketch:
    """The words of a text as they are compared: each by the keys without one of which nothing matches it."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = plainly_put(tokens)
        keys = {token: _keys(token) for token in self._tokens}
        self.every = frozenset(key for some in keys.values() for key in some)
        self.content = [keys[token] for token in content_tokens(self._tokens)]
        self.numbers = [keys[t] for t in self._tokens if t.sort == "number" and t.shown.casefold() != "one"]
        self.size = content_size(self._tokens)

    @cached_property
    def about(self) -> _About:
        """What is asked only where two texts may disagree."""
        tokens = self._tokens
        return _About(
            stems=frozenset(t.stem for t in tokens),
            first=tokens[0].stem if tokens else "",
            topics=frozenset(topics(tokens)),
            names=frozenset(t.stem for t in tokens if t.sort in ("name", "number")),
            telling=[_keys(t) for t in tokens if t.content and t.stem not in STANCE],
            telling_words=Counter(t.folded for t in tokens if t.content),
            words=[(t.folded, t.stem) for t in tokens],
            labels=[_keys(t) for place, t in enumerate(tokens) if is_label(tokens, place)],
            measured=frozenset(measures(tokens)),
            digits=any(not t.text.isalpha() for t in tokens if t.sort != "sign"),
            denies=any(t.sort != "name" and t.folded in NEGATION for t in tokens),
            values={rule: sorted(t.stem for t in tokens if of(t)) for rule, of in _VALUES.items()},
        )


class _About(NamedTuple):
    """See `TURNS` and `measures` in `contradictions`: what each of their rules goes by."""

    stems: frozenset[str]
    first: str
    topics: frozenset[str]
    names: frozenset[str]
    telling: list[_Keys]
    telling_words: Counter[str]
    words: list[tuple[str, str]]
    labels: list[_Keys]
    measured: frozenset[str]
    digits: bool
    denies: bool
    values: dict[str, list[str]]


_VALUES: dict[str, Callable[[Token], bool]] = {
    "number": lambda t: t.sort == "number",
    "calendar": lambda t: t.folded in CALENDAR or (t.sort == "name" and t.text == "may"),
    "unit": lambda t: t.sort != "name" and t.folded in UNIT,
    "name": lambda t: t.sort == "name",
    "sign": lambda t: t.sort == "sign",
}


def may_be_same(new: TextSketch, old: TextSketch, cosine: float) -> bool:
    """Whether `compare_texts` may find that `new` says the same as `old`."""
    if new.key == old.key:
        return True
    ours, theirs = new.words, old.words
    if new.asks != old.asks or _missing(ours.numbers, theirs) or _missing(theirs.numbers, ours):
        return False
    of_new, of_old = len(ours.content), len(theirs.content)
    only_new, only_old = _missing(ours.content, theirs), _missing(theirs.content, ours)
    if only_new > REWORDED * min(of_new, of_old) + _SLACK:
        return False
    only = only_new + only_old
    common = (of_new + of_old - only) / 2
    share = common / (common + only) if common + only else 0.0
    return (cosine + share) / 2 >= ALIKE_AT_LENGTH - _SLACK


def may_disagree(new: TextSketch, old: TextSketch, cosine: float) -> bool:
    """Whether `may_contradict` may find something between `new` and `old`."""
    if new.only_asks or old.only_asks:
        return False
    if new.claims and (old.claims or any(claim.relation == "gone" for claim in new.claims)):
        met, claimed = overtaken_among(new.claims, old.claims, new.text, old.text)
        if met or claimed:
            return claimed is not None
    return cosine >= RELATED and _words_may_disagree(new, old, cosine)


def _words_may_disagree(new: TextSketch, old: TextSketch, cosine: float) -> bool:
    ours, theirs = new.plain.about, old.plain.about
    close = cosine >= CLOSE_MEANING - _SLACK
    size = max(new.plain.size, old.plain.size)
    # Numbers that name two things tell of two things.
    of_two = bool(_missing(ours.labels, old.plain) and _missing(theirs.labels, new.plain))
    counted = ours.measured | ours.topics if ours.digits else ours.measured
    if (close or size <= STATEMENT) and not of_two and not theirs.measured.isdisjoint(counted):
        return True
    if size > STATEMENT:
        return False
    share = _most_shared(new.plain, old.plain)
    if new.changed and (share >= _CHANGED or (size <= SHORT and ours.first == theirs.first)):
        return True
    return close and _may_turn(ours, theirs, share, of_two=of_two)


# The least share in `said_change`'s rule.
_CHANGED = 0.3 - _SLACK


def _may_turn(ours: _About, theirs: _About, share: float, *, of_two: bool) -> bool:
    """Whether a rule of `TURNS` may hold."""
    both = not ours.topics.isdisjoint(theirs.topics)
    for rule, turn in TURNS.items():
        if share < turn.share - _SLACK or (turn.topic and not both) or (of_two and not turn.of_two):
            continue
        if rule in _VALUES:
            new, old = ours.values[rule], theirs.values[rule]
            found = bool(new and old and new != old)
        elif rule == "negation":
            found = ours.denies or theirs.denies
        elif rule == "opposite":
            words = {word for each in theirs.words for word in each}
            found = any(not words.isdisjoint(standing_against(word)) for each in ours.words for word in each)
        elif rule == "slot":
            found = bool(ours.telling_words - theirs.telling_words)
            found = found and bool(theirs.telling_words - ours.telling_words)
        else:
            found = True
        if found:
            return True
    return False


def _most_shared(new: _WordSketch, old: _WordSketch) -> float:
    """The most that the share of what both are about can be."""
    ours, theirs = new.about, old.about
    names = len(ours.names & theirs.stems)
    common = len(ours.topics & theirs.topics) + 0.5 * names
    if not common:
        return 0.0
    only = _missing(ours.telling, old) + _missing(theirs.telling, new)
    return common / (common + only / 2)


def _missing(some: Sequence[_Keys], other: _WordSketch) -> int:
    """How many of these words surely match none of the other text."""
    return sum(other.every.isdisjoint(keys) for keys in some)


@lru_cache(maxsize=16384)
def _keys(token: Token) -> _Keys:
    keys = dict.fromkeys(word_keys(token))
    if token.content and token.sort == "word":
        keys[f"^{token.folded[:_ROOT]}"] = None
    return tuple(keys)
