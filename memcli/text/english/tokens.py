"""Tokens of a statement, normalised for comparison: numbers, names, words, signs.

Two spellings of one thing become one token (`5 pm`, `5pm` and `17:00`; `1,200` and `1200`; `don't` and `do
not`; `U.S.` and `US`), and what differs stays different (`3.1` and `3.10`, `-5` and `5`, `C` and `C++`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Literal

from memcli.named_tuple import NamedTuple
from memcli.text.english.literals import LITERALS, PATTERN, is_camel_case, literal_form
from memcli.text.english.vocabulary import (
    CALENDAR,
    MODAL,
    NUMBERS,
    PAST,
    PERSON,
    PRESENT,
    UNIT_NAMES,
    UNITS_BY_CASE,
    word_set,
)
from memcli.text.english.word_forms import american_spelling, stem
from memcli.text.kept import STATEMENT, kept
from memcli.text.stopwords import STOPWORDS
from memcli.text.words import fold_case

Sort = Literal["number", "name", "code", "word", "sign"]

# At most so many tokens are read: a memory may be a page, and pages are not compared word by word.
MAX_TOKENS = 600


class Token(NamedTuple):
    """A token of a statement: a word, name, number, code or sign."""

    text: str
    """The normalised form, which is compared."""
    shown: str
    """As written."""
    sort: Sort
    stem: str
    folded: str
    """Without accents and in American spelling, to look up in word lists."""
    content: bool
    """True unless it is a sign or a function word."""


# A fast path for most of a text: letters followed by at most one punctuation mark and a space can only be a
# word.
_PLAIN = r"\s*(?P<plain>[a-z]++)(?=[.,;:!?)]?(?:\s|\Z)) |"


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(
        _PLAIN
        + PATTERN
        + r"""
        | (?P<clock>\d{1,2}(?:[:.]\d{2})?\s?[ap]\.?m\b\.?)                          # 5pm, 5:30 p.m.
        | (?P<number>(?<![\w.])[-+−]?\d{1,40}(?:[.,:/'’-]\d{1,40}){0,12}(?:st|nd|rd|th)?)(?![^\W_]|[.,:]\d)
        | (?P<measured>(?<![\w.])[-+−]?\d{1,40}(?:[.,]\d{1,40}){0,4})
            (?=(?:k|m|g|s|h|d|mm|cm|km|kg|mb|gb|tb|kb|ms|min|bn|lbs?|hrs?|oz|l|ml|w|v|c|f)\b)
        | (?P<named>[a-z](?:\+\+|\#)(?![\w+\#]))                                    # C++, C#
        | (?P<negated>(?<!\S)!(?=\w))                                               # !ready
        | (?P<operator>[!<>~=]=|=~|!~|<>|&&|\|\||(?<=\w[ ])[*](?=[ ]\w))               # x != 1, a || b, 2 * 3
        | (?P<word>[^\W_]+(?:['’][^\W\d_]+)*)
        | (?P<sign>[^\w\s])
        """,
        re.VERBOSE | re.IGNORECASE,
    )


# Punctuation without meaning of its own.
_SILENT = frozenset("¡¿。、「」.,;:!?\"'()[]{}…“”„«»‘’‚`´-–—‐‑_*·•/\\|&@")
_CONTRACTIONS = {
    "won't": "will not", "can't": "can not", "cannot": "can not", "shan't": "shall not", "ain't": "is not",
    "let's": "let us", "i'm": "i am", "wont": "will not", "cant": "can not", "im": "i am",
    "gonna": "going to", "wanna": "want to",
}  # fmt: skip
# Words after which "'s" means "is", not a genitive.
_WITH_IS = word_set("it that there what who where he she")
_TAILS = (("n't", "not"), ("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'d", "would"))
# Words that may precede an "nt" without apostrophe: "doesnt".
_BEFORE_NOT = PAST | PRESENT | MODAL
_INVISIBLE = "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]"
# Written without spaces: every character is a word.
_UNSPACED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff]"


@kept(pages=1024)
def tokenize(text: str) -> tuple[Token, ...]:
    """Return the first tokens of `text` in order, without punctuation: at most MAX_TOKENS and one more.

    Never raises.
    """
    text = _normalised(text)
    # In "Shell A" the letter is a name; in a text all in capitals it is an article.
    shouted = text.isupper()
    stretches = text.split()
    # Some alternatives match or look across a space: code in quotes, "2 * 3", "5 pm". Such a text is read
    # whole.
    across = "`" in text or "*" in text or any(each[-1].isdigit() for each in stretches[:-1])
    if across or len(text) > STATEMENT:
        return _read_stretch(text, _Before(shouted=shouted)).tokens
    found: list[Token] = []
    before = _Before(shouted=shouted)
    for stretch in stretches:
        read = _known_stretch(stretch, before)
        found += read.tokens
        before = read.behind
    return tuple(found)


def _normalised(text: str) -> str:
    if text.isascii():
        return text
    return re.sub(_INVISIBLE, "", unicodedata.normalize("NFKC", text)).replace("’", "'")


class _Before(NamedTuple):
    """The state of reading before a stretch of a text."""

    opening: bool = True
    """True at the beginning of a sentence."""
    after_number: bool = False
    is_first: bool = True
    """True if no token precedes it."""
    shouted: bool = False
    """True if the whole text is in capitals."""


class _Stretch(NamedTuple):
    tokens: tuple[Token, ...]
    behind: _Before
    """The state before the next stretch."""


def _read_stretch(text: str, before: _Before) -> _Stretch:
    """Read the tokens of a text, or of one stretch between spaces; up to one more than MAX_TOKENS."""
    found: list[Token] = []
    opening, after_number, is_first, shouted = before
    for match in _pattern().finditer(text):
        if len(found) > MAX_TOKENS:
            del found[MAX_TOKENS + 1 :]
            break
        sort = match.lastgroup or "sign"
        shown = match[sort]
        if sort == "sign":
            if shown in ".!?:\n" or (is_first and not found and shown in _SILENT):
                opening = True
            unit = UNIT_NAMES.get(shown)
            if unit or shown not in _SILENT:
                found.append(_token(unit or shown, shown, "word" if unit else "sign"))
                after_number = False
            continue
        opening = opening or (shouted and shown == "A")
        read = _tokens("word" if sort == "plain" else sort, shown, opening, after_number)
        found += read
        after_number = read[-1].sort == "number" if read else after_number
        opening = False
    return _Stretch(tuple(found), _Before(opening, after_number, is_first and not found, shouted))


# Cached: most texts use few different words.
_known_stretch = lru_cache(maxsize=1 << 14)(_read_stretch)


# Cached: most texts use few different words.
@lru_cache(maxsize=8192)
def _tokens(sort: str, shown: str, opening: bool, after_number: bool) -> tuple[Token, ...]:
    return tuple(_read_tokens(sort, shown, opening, after_number))


def _read_tokens(sort: str, shown: str, opening: bool, after_number: bool) -> list[Token]:
    if sort == "word":
        if not shown.isascii() and re.search(_UNSPACED, shown):
            return [_token(character, character, "word") for character in shown]
        return [_code(shown, shown)] if is_camel_case(shown) else _word(shown, opening, after_number)
    if sort in LITERALS:
        return [_code(text, text) for text in literal_form(sort, shown).split()]
    if sort in ("negated", "operator"):
        return [_token(shown, shown, "sign")]
    if number := _NUMBERS.get(sort):
        return [_token(number(shown), shown, "number")]
    return [
        _token(shown.replace(".", "").casefold() if sort == "acronym" else shown.casefold(), shown, "name")
    ]


def _token(text: str, shown: str, sort: Sort, root: str = "") -> Token:
    folded = american_spelling(fold_case(text))
    content = sort != "sign" and (sort != "word" or not (folded in STOPWORDS or folded in PERSON))
    return Token(text, shown, sort, root or text, folded, content)


def _code(text: str, shown: str) -> Token:
    """Return a literal token, whose stem no word has, so that it only equals what is written alike."""
    return Token(text, shown, "code", f"`{text}", text, content=True)


def _word(shown: str, opening: bool, after_number: bool) -> list[Token]:
    text = shown.casefold()
    if after_number and (unit := UNITS_BY_CASE.get(shown) or _unit(text)):
        return [_token(unit, shown, "word")]
    if text in NUMBERS:
        return [_token(NUMBERS[text], shown, "number")]
    if any(sign.isdigit() for sign in text):
        # A code in mixed case is kept as written; one in a single case is case-folded.
        plain = shown.upper() == shown or shown.lower() == shown
        return [_token(re.sub(r"^v(?=\d)", "", text) if plain else shown, shown, "number")]
    if undone := _undone(text, opening):
        return [_plain(part, shown) for part in undone]
    text = text.removesuffix("'s").strip("'") or text
    if text.removesuffix("s") in CALENDAR:
        text = text.removesuffix("s")
    letter = len(shown) == 1 and shown != "I"
    named = shown[0].isupper() and not opening and (letter or not (text in PERSON or text in STOPWORDS))
    named = named or re.match(r"[A-Za-z][a-z0-9]+[A-Z]", shown) is not None
    return [_token(text, shown, "name") if named else _plain(text, shown)]


def _undone(text: str, opening: bool) -> Sequence[str]:
    """Return the words of a contraction; empty if a word is none."""
    # "im Haus" is German.
    if (undone := _CONTRACTIONS.get(text)) and (text != "im" or opening):
        return undone.split()
    head, end = text[:-2], text[-2:]
    if end == "'s" and head in _WITH_IS:
        return head, "is"
    if end == "nt" and head in _BEFORE_NOT:
        return head, "not"
    return next(
        ((text.removesuffix(tail), meant) for tail, meant in _TAILS if text.endswith(tail) and text != tail),
        (),
    )


def _unit(text: str) -> str | None:
    # "5 vs 3" is no plural.
    return UNIT_NAMES.get(text) or UNIT_NAMES.get(text[:-1] if text.endswith("s") and len(text) > 2 else "")


def _plain(text: str, shown: str) -> Token:
    return _token(text, shown, "word", stem(text))


def _clock(shown: str) -> str:
    digits = re.findall(r"\d+", shown)
    afternoon = "p" in shown.casefold()
    hour = int(digits[0])
    if not 1 <= hour <= 12:
        return "".join(shown.casefold().split())
    return f"{hour % 12 + 12 * afternoon}:{digits[1] if len(digits) > 1 else '00'}"


def _number(shown: str) -> str:
    text = re.sub(r"(?:st|nd|rd|th)$", "", shown.casefold().replace("−", "-"))
    if re.fullmatch(r"[-+]?\d{1,3}(?:[,'’]\d{3})+(?:\.\d+)?", text):
        text = re.sub("[,'’]", "", text)
    return text.removeprefix("+")


def _version(shown: str) -> str:
    return shown.casefold().removeprefix("v")


_NUMBERS = {"clock": _clock, "version": _version, "number": _number, "measured": _number}
