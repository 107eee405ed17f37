"""Duplicates: whether a new statement says the same as an old one, changes it, or is different.

Cosine alone takes "at 5 pm" and "at 6 pm" for the same, and words alone miss a paraphrase. So both must find
the texts alike (the mean of cosine and the share of common content words), and then no difference may be
found that makes them two statements: see `differences`. A wrong "same" loses information, a missed one only
stores it twice; so every doubt is decided against "same".
"""

from __future__ import annotations

import re
from typing import Literal

from memcli.named_tuple import NamedTuple
from memcli.text.comparison.alignment import Alignment, Difference, align_texts, says_more
from memcli.text.comparison.differences import differences
from memcli.text.comparison.reading import Reading
from memcli.text.english.tokens import MAX_TOKENS, tokenize
from memcli.text.kept import kept

Sameness = Literal["same", "changed", "different"]

# From this cosine on two texts mean the same unless a difference is found.
SAME_MEANING = 0.90
# The least similarity of duplicates. Chosen on MSRP's training part: `python -m benchmarks.duplicates`.
ALIKE_BY_MEANING = 0.70
# The same for longer statements, of which fewer are similar by chance.
ALIKE_AT_LENGTH = 0.66
# From this similarity on two texts are about one thing.
ABOUT_ONE_THING = 0.55
# Or from this cosine on: short statements that differ in one word share few others ("sales rose", "sales
# fell").
CLOSE_BY_MEANING = 0.65
# In a statement of at most so many content words every one of them counts.
BRIEF = 6
# In a longer one a rewording may add or drop this share of words.
REWORDED = 0.3
# Rules for what a rewording of a longer statement may leave out ("on Tuesday", "Mr"), but never add.
_LEFT_OUT = frozenset({"calendar", "unit", "name", "quantity", "modal", "relation", "preposition", "plural"})
# Rules for what may also differ, if neither word replaced the other.
_ASIDE = frozenset({"modal", "relation", "preposition", "plural"})


class Comparison(NamedTuple):
    """How a new text relates to an old one, and the words that decide it ("5 -> 7")."""

    verdict: Sameness
    reason: str
    similarity: float
    """The mean of the cosine and the share of common words; without a vector the words alone. 0 to 1."""


def compare_texts(new: str, old: str, cosine: float | None) -> Comparison:
    """Compare two texts of one kind and space; `cosine` is that of their vectors.

    - "same": `new` says nothing that `old` does not. Without a vector only
      the same text, whatever its case, spacing and punctuation, is the same.
    - "changed": about the same thing, but something decisive differs.
    - "different": anything else, also a text that adds to the old one.

    Not symmetric: a longer text is not the same as the shorter. Never raises.
    """
    if new == old or text_key(new) == text_key(old):
        return Comparison("same", "same text", 1.0)
    pair = align_texts(new, old)
    share = pair.once(_words_in_common)
    similarity = share if cosine is None else max(0.0, (cosine + share) / 2)
    if similarity < ABOUT_ONE_THING and not (share and (cosine or 0.0) >= CLOSE_BY_MEANING):
        return Comparison("different", "little in common", similarity)
    if is_question(new) != is_question(old):
        return Comparison("different", "one is a question", similarity)
    if decisive := next((found for found in differences(pair) if not _aside(found, pair)), None):
        verdict: Sameness = "changed" if decisive.nature == "value" else "different"
        return Comparison(verdict, decisive.words, similarity)
    if doubt := _doubt(pair, cosine, similarity):
        return Comparison("different", doubt, similarity)
    return Comparison("same", "same meaning", similarity)


def _doubt(pair: Alignment, cosine: float | None, similarity: float) -> str | None:
    """Return why two texts may not be the same although no difference was found; None without a doubt."""
    if max(len(pair.new), len(pair.old)) >= MAX_TOKENS:
        return "too long to tell"
    if cosine is not None and cosine >= SAME_MEANING and not says_more(pair):
        return None
    if not _reworded(pair):
        return "too much is worded differently"
    least = ALIKE_BY_MEANING if _brief(pair) else ALIKE_AT_LENGTH
    return "not alike enough" if cosine is None or similarity < least else None


def reword_each_other(new: str, old: str) -> bool:
    """True if each of two texts has a content word that the other lacks."""
    pair = align_texts(new, old)
    return bool(pair.telling_new and pair.telling_old)


def is_question(text: str) -> bool:
    """True if a text ends with a question mark."""
    end = text[-80:]
    return (
        any(character in end for character in "?？؟\u037e")
        and re.search(r"[?？؟\u037e]\W*$", end) is not None
    )


@kept(pages=4096)
def text_key(text: str) -> str:
    """Return a key that is equal for texts that differ only in case, spacing and punctuation."""
    tokens = tokenize(text)
    if not tokens or len(tokens) > MAX_TOKENS:
        return " ".join(text.casefold().split())
    words = (f"\0{t.text}" if t.sort == "code" else f"\1{t.text}" for t in tokens)
    return f"{is_question(text):d}{''.join(words)}"


def _words_in_common(pair: Alignment) -> float:
    """Return the Jaccard similarity of the content words, by stem and synonym."""
    new, old = len(pair.new.telling), len(pair.old.telling)
    only = len(pair.telling_new) + len(pair.telling_old)
    common = (new + old - only) / 2
    return common / (common + only) if common + only else 0.0


def _brief(pair: Alignment) -> bool:
    """True if every word counts: in a short text, and in one in an unknown language."""
    unknown = pair.new.once(_is_foreign) or pair.old.once(_is_foreign)
    return unknown or min(len(pair.new.telling), len(pair.old.telling)) <= BRIEF


def _is_foreign(tokens: Reading) -> bool:
    return any(not token.text.isascii() and token.sort == "word" for token in tokens)


def _aside(found: Difference, pair: Alignment) -> bool:
    """True if a difference is no more than a rewording of a longer statement entails."""
    if _brief(pair):
        return False
    if found.rule == "addition":
        return found.nature == "less" and _reworded(pair)
    left_out = found.rule in _LEFT_OUT and found.one_sided and not found.adds
    return left_out or found.rule == "tense" or (found.rule in _ASIDE and found.apart)


def _reworded(pair: Alignment) -> bool:
    most = REWORDED * min(len(pair.new.telling), len(pair.old.telling))
    new, old = len(pair.telling_new), len(pair.telling_old)
    return new <= most and (old <= most or new > 0)
