"""Stemming of English words as in the word index of a file: Porter's algorithm.

M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, in the form of SQLite's FTS5
(ext/fts5/fts5_tokenize.c): words of 3 to 64 bytes, byte by byte, `logi` and `bli` among the endings.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

_LEAST, _MOST = 3, 64
_VOWELS = frozenset("aeiou")

# The endings of each step, and their replacements. Only the longest ending of a word is considered.
_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "logi": "log",
    "bli": "ble", "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize",
    "ation": "ate", "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous",
    "aliti": "al", "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP_3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_BY_LENGTH = [
    sorted(each.items(), key=lambda pair: len(pair[0]), reverse=True) for each in (_STEP_2, _STEP_3)
]
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive",
    "ize", "al", "er", "ic", "ou",
)  # fmt: skip


@lru_cache(maxsize=65536)
def stemmed(word: str) -> str:
    """Return a folded word as it is in the index."""
    size = len(word.encode())
    if not _LEAST <= size <= _MOST:
        return word
    if word.isascii():
        return _stem(word)
    # FTS5 works on single bytes.
    return _stem(word.encode().decode("latin-1")).encode("latin-1").decode("utf-8", "ignore")


def _stem(word: str) -> str:
    word = _without_ending_of_form(_without_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    for endings in _BY_LENGTH:
        word = _replaced(word, endings)
    for ending in _STEP_4:
        if word.endswith(ending) and len(word) > len(ending):
            head = word[: -len(ending)]
            if _measure(head) > 1 and (ending != "ion" or head[-1] in "st"):
                word = head
            break
    if word.endswith("e"):
        head = word[:-1]
        if _measure(head) > 1 or (_measure(head) == 1 and not _ends_short(head)):
            word = head
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word


def _without_plural(word: str) -> str:
    if not word.endswith("s"):
        return word
    if word.endswith("es"):
        cut = (len(word) > 4 and word.endswith("sses")) or (len(word) > 3 and word.endswith("ies"))
        return word[: -2 if cut else -1]
    return word if word.endswith("ss") else word[:-1]


def _without_ending_of_form(word: str) -> str:
    """Return the word without `ed` and `ing`, repaired if that leaves half a word."""
    if len(word) > 3 and word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and len(word) > len(ending) and _has_vowel(word[: -len(ending)]):
            return _mended(word[: -len(ending)])
    return word


def _mended(word: str) -> str:
    if len(word) > 2 and word.endswith(("at", "bl", "iz")):
        return word + "e"
    last = word[-1]
    if last not in _VOWELS and last not in "lsz" and word[-2:-1] == last:
        return word[:-1]
    if _measure(word) == 1 and _ends_short(word):
        return word + "e"
    return word


def _replaced(word: str, endings: Sequence[tuple[str, str]]) -> str:
    for ending, put in endings:
        if word.endswith(ending) and len(word) > len(ending):
            head = word[: -len(ending)]
            return head + put if _measure(head) > 0 else word
    return word


def _consonants(word: str) -> list[bool]:
    """Return for each letter whether it is a consonant; a `y` is one unless one precedes it."""
    found: list[bool] = []
    before = False
    for letter in word:
        before = not (letter in _VOWELS or (letter == "y" and before))
        found.append(before)
    return found


def _measure(word: str) -> int:
    """Return how often consonants follow vowels."""
    found = _consonants(word)
    return sum(then and not now for now, then in pairwise(found))


def _has_vowel(word: str) -> bool:
    return any(letter in _VOWELS or (letter == "y" and place) for place, letter in enumerate(word))


def _ends_short(word: str) -> bool:
    """True if it ends consonant, vowel, consonant, the last none of w, x and y."""
    return len(word) > 2 and word[-1] not in "wxy" and _consonants(word)[-3:] == [True, False, True]
