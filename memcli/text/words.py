"""Words of a text as they are indexed and searched, in all scripts.

A memory and a query pass through the same analysis, so that what is typed finds what was stored: `café` and
`CAFE`, `user_id` and `userId`, 東京 inside a sentence without spaces, 한국어 inside 한국어를. Words come
out as plain tokens of letters and digits; a user's text is therefore never query syntax. The stemming of
English words is left to the index (FTS5's `porter`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from memcli.text.expressions import expression
from memcli.text.stopwords import STOPWORDS

# The most terms of a query: FTS5's cost grows with every term, and a query may be a whole page.
MAX_QUERY_TERMS = 128
# The longest token: nobody searches for a longer word, and base64 would fill the index with them.
MAX_TOKEN = 64

# Combining marks, which are not `\w` but part of words in many scripts (Python's `re` has no property
# classes): accents, Hebrew and Arabic points, Indic and South-East Asian vowel signs.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u0900-\u0903\u093a-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd"
    "\u0f18-\u0fbc\u102b-\u109d\u17b4-\u17d3\u3099\u309a"
)
# Scripts without spaces between words are indexed by overlapping pairs of characters (Chinese, Japanese, as
# in Lucene's CJKAnalyzer; Korean because particles stick to the noun) or, where a syllable takes several
# characters (Thai, Lao, Burmese, Khmer), by triples.
_PAIRED = (
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HANGUL = "\uac00-\ud7af"
_TRIPLED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"

_SYMBOL = "\u2190-\u2bff\U0001f000-\U0001faff"
_SEPARATOR = expression(r"[_.@/:\\-]+")
_HUMP = expression(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAMES = {"++": "plusplus", "#": "sharp"}
# Accents and vowel points of Latin, Greek, Cyrillic, Hebrew and Arabic: see `fold_case`.
_FOLDED_MARKS = (
    *range(0x0300, 0x0370), *range(0x0591, 0x05C8), *range(0x0610, 0x061B), *range(0x064B, 0x0660), 0x0670,
    *range(0x06D6, 0x06EE),
)  # fmt: skip
# Letters with a stroke, ligatures, and Arabic letters with several forms, which Unicode normalisation keeps
# apart.
_PLAIN_LETTERS = dict.fromkeys(_FOLDED_MARKS) | str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th",
     "\u0629": "\u0647", "\u0649": "\u064a", "\u06cc": "\u064a", "\u06a9": "\u0643"}
)  # fmt: skip
# Letters and digits in one word (E1234, 100ms, python3) are also indexed separately, unless it is as long as
# a hash.
_LETTERS_OR_DIGITS = expression(r"[^\W\d_]{2,}|\d{2,}")
_MAX_MIXED = 16
# Arabic prefixes ("the", "and", "in"), which are written with the word: as in Lucene's light stemmer.
_ARABIC_HEAD = "^(?:[\u0648\u0641\u0628\u0643]?\u0627\u0644|\u0644\u0644|\u0648)(?=.{3})"
_KOREAN_PARTICLES = "을를은는이가의에도로와과만"
# Chinese stop-words: question words, "my", "your", "is it".
_HAN_STOPS = (
    "(?:是|在)?(?:为什么|為什麼|什么|什麼|怎么|怎麼|哪里|哪裡|哪儿|哪个|多少|谁|誰)"
    "|[吗嗎呢]|[我你]的|[我你][们們]?"
)
_HIRAGANA = "[\u3041-\u309f]+"
# A longer stretch of Japanese is a sentence, whose hiragana are particles and endings.
_SENTENCE = 5


@cache
def _piece(marks: str) -> re.Pattern[str]:
    """Return the pattern of the pieces of a text: named symbols, compounds of words, single symbols.

    Compiled on demand, with marks or without: the ranges of all scripts take 5 ms to compile, and most texts
    are ASCII.
    """
    return re.compile(
        rf"""
          (?P<named>[A-Za-z](?:\+\+|\#))(?![^\W\d]|[+#])      # C++, C#, C++20
        | (?P<compound>[^\W_][\w{marks}]*                     # user_id, 10.0.0.1, a@b.org, don't
            (?:['’.@/:\\-][^\W_][\w{marks}]*)*)
        | (?P<symbol>[{_SYMBOL}])                             # emoji, arrows
        """,
        re.VERBOSE,
    )


@cache
def _scripts() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<paired>[{_PAIRED}]+)|(?P<hangul>[{_HANGUL}]+)|(?P<tripled>[{_TRIPLED}]+)"
        rf"|(?P<spaced>[^{_PAIRED}{_HANGUL}{_TRIPLED}]+)"
    )


@cache
def _invisible() -> re.Pattern[str]:
    return re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")


# Tokens that must be adjacent; mostly one.
Term = tuple[str, ...]


def index_text(text: str, tags: Iterable[str] = ()) -> str:
    """Return the tokens under which a memory is indexed, separated by spaces."""
    # Not cached for scripts without spaces, in which stretches hardly recur.
    tokens_of = _known_tokens_of if text.isascii() else _tokens_of
    tokens = [token for found, sort in _stretches(text) for token in tokens_of(found, sort)]
    for tag in tags:
        tokens.extend(token for piece in _pieces(tag) for token in piece.parts)
    return " ".join(tokens or _characters(text))


def query_terms(text: str) -> tuple[Term, ...]:
    """Return the terms to search for, each once, in order of appearance.

    Stop-words are left out unless there is nothing else. Compounds are searched for by their parts and, worth
    more because rarer, as a whole: adjacent here, and see `run_together`.
    """
    terms: dict[Term, None] = {}
    for piece in _pieces(_without_stops(text)):
        parts = piece.asked or piece.parts
        if len(parts) == 1 or piece.grams:
            terms.update(((part,), None) for part in parts)
            continue
        # The 2 and the 3 of version 1.2.3 are no useful terms by themselves, nor is the e of e-mail.
        if len(parts[0]) > 1 or parts[0].isdigit():
            terms.update(((part,), None) for part in parts if len(part) > 2)
        terms[tuple(parts[:8])] = None
    if not terms:
        return tuple((token,) for token in dict.fromkeys(_characters(text)))[:MAX_QUERY_TERMS]
    telling = [term for term in terms if len(term) > 1 or term[0] not in STOPWORDS]
    return tuple(telling or terms)[:MAX_QUERY_TERMS]


def run_together(term: Term) -> Term | None:
    """Return a compound written as one word: `dryrun` for dry run; None if it cannot be.

    Adjacent numbers are not the same as one number.
    """
    together = "".join(term)
    whole = len(term) > 1 and together[0].isalpha() and not term[-1].isdigit() and len(together) <= MAX_TOKEN
    return (together,) if whole else None


def fold_case(text: str) -> str:
    """Return `text` without case and accents, compatibility forms normalised.

    Accents are folded for Latin, Greek, Cyrillic, Hebrew and Arabic; the vowel signs of other scripts are
    letters and stay.
    """
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", folded.translate(_PLAIN_LETTERS))


class _Piece:
    """A piece of a text: its tokens in order, and the whole joined if it has parts.

    `also` is indexed, for queries of less; `asked`, if it differs from the parts, is what to search for.
    """

    __slots__ = ("also", "asked", "grams", "joined", "parts")

    def __init__(
        self,
        parts: list[str],
        joined: tuple[str, ...] = (),
        grams: bool = False,
        also: Iterable[str] = (),
        asked: Iterable[str] = (),
    ) -> None:
        self.parts = parts
        self.joined = joined
        self.grams = grams
        self.also = tuple(also)
        self.asked = list(asked)


def _without_stops(query: str) -> str:
    """Return the query without Chinese question words and Japanese endings, if anything else is left."""
    if query.isascii():
        return query
    kept = re.sub(_HAN_STOPS, " ", query)

    def nouns(match: re.Match[str]) -> str:
        stretch = match[0]
        return re.sub(_HIRAGANA, " ", stretch) if len(stretch) > _SENTENCE else stretch

    kept = re.sub(rf"[{_PAIRED}]+", nouns, kept)
    return kept if re.search(r"\w", kept) else query


def _pieces(text: str) -> Iterator[_Piece]:
    for found, sort in _stretches(text):
        yield from _made_of(found, sort)


def _stretches(text: str) -> Iterator[tuple[str, str | None]]:
    """Return the stretches of a text, each with its kind: see `_piece`."""
    if not text.isascii():
        text = _invisible().sub("", unicodedata.normalize("NFKC", text))
        # Digits of other scripts are converted.
        text = re.sub(r"[^\x00-\x7f\D]", lambda digit: str(int(digit[0])), text)
    return ((match[0], match.lastgroup) for match in _piece("" if text.isascii() else _MARKS).finditer(text))


def _made_of(found: str, sort: str | None) -> Iterator[_Piece]:
    if sort == "named":
        yield _Piece([fold_case(found[0]) + _NAMES[found[1:]]])
    elif sort == "symbol":
        yield _Piece([_spell(found)])
    elif found.isascii():
        yield from _compound(found)
    else:
        for script in _scripts().finditer(found):
            yield from _compound(script[0]) if script["spaced"] else _grams(script)


def _tokens_of(found: str, sort: str | None) -> tuple[str, ...]:
    """Return the tokens under which a stretch of a text is indexed."""
    return tuple(
        token for piece in _made_of(found, sort) for token in (*piece.parts, *piece.joined, *piece.also)
    )


# Cached, because a bulk write has the same words over and over.
_known_tokens_of = lru_cache(maxsize=32768)(_tokens_of)


@lru_cache(maxsize=8192)
def _compound(text: str) -> tuple[_Piece, ...]:
    """Split a compound: `getUserById` -> get user by id + getuserbyid; `user_id` -> user id + userid."""
    # Most are plain words.
    if text.isascii() and text.isalpha() and text[1:].islower():
        return (_Piece([text.lower()[:MAX_TOKEN]]),)
    text = text.replace("’", "'")
    # A genitive 's is no word, and the apostrophe of an elision no separator: don't, O'Brien.
    text = re.sub(r"'s$", "", text, flags=re.IGNORECASE)
    if "'" in text:
        text = text.replace("'", "").lower()
    # A version is the same with and without its v.
    text = re.sub(r"^v(?=\d+\.)", "", text, flags=re.IGNORECASE)
    sections = [section for section in _SEPARATOR.split(text) if section]
    parts = [fold_case(hump) for section in sections for hump in _HUMP.split(section) if hump]
    parts = [part[:MAX_TOKEN] for part in parts if part]
    if not parts:
        return ()
    # Joined are names of variables, and node.js; not paths, addresses and numbers.
    separated = re.findall(r"[.@/:\\]", text)
    joinable = len(parts) > 1 and not text[0].isdigit() and (not separated or separated == ["."])
    joined = "".join(parts)
    also = [each for section in sections for each in _mixed(fold_case(section))]
    if len(parts) == 1 and not text.isascii() and (stem := re.sub(_ARABIC_HEAD, "", parts[0])) != parts[0]:
        return (_Piece(parts, also=[stem], asked=[stem]),)
    return (_Piece(parts, (joined,) if joinable and len(joined) <= MAX_TOKEN else (), also=also),)


def _mixed(section: str) -> list[str]:
    """Return the letters and the numbers of `E1234`, `100ms`; none if it is of one kind, or long."""
    if len(section) > _MAX_MIXED or section.isdigit() or not any(map(str.isdigit, section)):
        return []
    return [run for run in _LETTERS_OR_DIGITS.findall(section) if run != section]


def _grams(script: re.Match[str]) -> Iterator[_Piece]:
    text = fold_case(script[0])
    size = 3 if script["tripled"] else 2
    if len(text) <= size:
        single = tuple(text) if script["paired"] and len(text) > 1 else ()
        # A word of one syllable is found with any particle after it.
        stem = [text[0]] if script["hangul"] and len(text) == 2 and text[1] in _KOREAN_PARTICLES else []
        yield _Piece([text], single, grams=True, also=stem, asked=stem if text[1:] in set("을를은는") else [])
        return
    grams = [text[i : i + size] for i in range(len(text) - size + 1)]
    # Single characters are indexed as well, so that one can be searched for.
    single = tuple(dict.fromkeys(text)) if script["paired"] else ()
    whole = (text[:MAX_TOKEN],) if script["hangul"] else ()
    # Pairs are added to triples, so that a word of two characters is found.
    pairs = dict.fromkeys(text[i : i + 2] for i in range(len(text) - 1)) if script["tripled"] else ()
    yield _Piece(grams, single + whole, grams=True, also=pairs)


def _characters(text: str) -> list[str]:
    """Return the characters of a text without any word, spelled out as tokens."""
    return [_spell(character) for character in text if not character.isspace()][: 4 * MAX_QUERY_TERMS]


def _spell(character: str) -> str:
    return f"u{ord(character):x}"
