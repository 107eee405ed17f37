"""Screening: exclude pairs of texts that cannot say the same by a cheap upper bound, before comparing them.

Filter and verify, as in joins of similar sets (Mann, Augsten & Bouros 2016, "An empirical evaluation of set
similarity join techniques"): a sketch is made of each text once; two sketches bound from above what
`compare_texts` could find. A bound that is too low would lose a duplicate, so in doubt a pair passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from memcli.text.comparison.alignment import word_keys
from memcli.text.comparison.duplicates import ALIKE_AT_LENGTH, REWORDED, is_question, text_key
from memcli.text.comparison.reading import content_tokens
from memcli.text.english.paraphrases import plainly_put
from memcli.text.english.tokens import Token, tokenize

# A tolerance, so that rounding does not decide.
_SLACK = 1e-6
# Words of one root share so many first letters; these keys begin with a character that begins no word.
_ROOT = 3
_Keys = tuple[str, ...]


class TextSketch:
    """The sketch of one text, from which pairs are screened."""

    def __init__(self, text: str) -> None:
        self.key = text_key(text)
        self.asks = is_question(text)
        self.words = _WordSketch(tokenize(text))


class _WordSketch:
    """The words of a text, each as its keys: tokens that match share at least one."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        plain = plainly_put(tokens)
        keys = {token: _keys(token) for token in plain}
        self.every = frozenset(key for some in keys.values() for key in some)
        self.content = [keys[token] for token in content_tokens(plain)]
        self.numbers = [keys[t] for t in plain if t.sort == "number" and t.shown.casefold() != "one"]


def may_be_same(new: TextSketch, old: TextSketch, cosine: float) -> bool:
    """True if `compare_texts` may find that `new` says the same as `old`."""
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


def _missing(some: Sequence[_Keys], other: _WordSketch) -> int:
    """Return how many of these words certainly match none of the other text."""
    return sum(other.every.isdisjoint(keys) for keys in some)


@lru_cache(maxsize=16384)
def _keys(token: Token) -> _Keys:
    keys = dict.fromkeys(word_keys(token))
    if token.content and token.sort == "word":
        keys[f"^{token.folded[:_ROOT]}"] = None
    return tuple(keys)
