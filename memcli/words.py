"""From text to the words that are indexed and searched, for all scripts.

A memory and a query pass through the same analysis, so that what is typed
finds what was stored: `café` and `CAFE`, `user_id` and `userId`, 東京 inside a
sentence without spaces, 한국어 inside 한국어를. Words come out as plain tokens of
letters and digits; a user's text is therefore never query syntax.

The stemming of English words is left to the index (FTS5's `porter`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from memcli.stopwords import STOPWORDS

# A query of a whole page is cut here: FTS5's cost grows with every term.
MAX_QUERY_TERMS = 128
# Nobody looks for a word this long; base64 would fill the index with such.
MAX_TOKEN = 64

# Combining marks are no `\w`, yet part of a word in many scripts (Python's `re`
# has no property classes): accents, Hebrew and Arabic points, Indic and
# South-East Asian vowel signs.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u0900-\u0903\u093a-\u0963\u0966-\u0dff\u0e31-\u0e4e\u0eb1-\u0ecd"
    "\u0f18-\u0fbc\u102b-\u109d\u17b4-\u17d3\u3099\u309a"
)
# Written without spaces between words: overlapping pairs (Chinese, Japanese,
# as in Lucene's CJKAnalyzer; Korean because particles stick to the noun) or,
# where a syllable takes several signs (Thai, Lao, Burmese, Khmer), triples.
_PAIRED = (
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_HANGUL = "\uac00-\ud7af"
_TRIPLED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"

_SYMBOL = "\u2190-\u2bff\U0001f000-\U0001faff"
_SEPARATOR = re.compile(r"[_.@/:\\-]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAMES = {"++": "plusplus", "#": "sharp"}


@cache
def _piece(marks: str) -> re.Pattern[str]:
    """What a text is made of: named signs, compounds of words, symbols.

    Compiled on demand, with marks or without: the ranges of all scripts cost
    5 ms to compile, and most texts are ASCII.
    """
    return re.compile(
        rf"""
          (?P<named>[A-Za-z](?:\+\+|\#))(?![\w+#])            # C++, C#
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
def _folded_marks() -> re.Pattern[str]:
    return re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]")


@cache
def _invisible() -> re.Pattern[str]:
    return re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")


# Tokens that must stand side by side; mostly one.
Term = tuple[str, ...]


def index_text(text: str, tags: Iterable[str] = ()) -> str:
    """The tokens under which a memory is found, separated by spaces."""
    tokens = [token for piece in _pieces(text) for token in (*piece.parts, *piece.joined)]
    for tag in tags:
        tokens.extend(token for piece in _pieces(tag) for token in piece.parts)
    return " ".join(tokens or _characters(text))


def query_terms(text: str) -> tuple[Term, ...]:
    """The terms to search for, each once, in order of appearance.

    Stop-words are left out unless there is nothing else. Compounds search for
    their parts and, worth more because rarer, for the whole.
    """
    terms: dict[Term, None] = {}
    for piece in _pieces(text):
        parts = piece.parts
        if len(parts) == 1 or piece.grams:
            terms.update(((part,), None) for part in parts)
            continue
        # The 2 and the 3 of version 1.2.3 tell nothing apart by themselves.
        terms.update(((part,), None) for part in parts if not (part.isdigit() and len(part) < 3))
        terms.update(((whole,), None) for whole in piece.joined or ())
        if not piece.joined:
            terms[tuple(parts[:8])] = None
    if not terms:
        return tuple((token,) for token in dict.fromkeys(_characters(text)))[:MAX_QUERY_TERMS]
    telling = [term for term in terms if len(term) > 1 or term[0] not in STOPWORDS]
    return tuple(telling or terms)[:MAX_QUERY_TERMS]


def fold(text: str) -> str:
    """`text` without case and accents, compatibility forms made plain.

    Accents fold for Latin, Greek, Cyrillic, Hebrew and Arabic; the vowel signs
    of other scripts are letters and stay.
    """
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    return unicodedata.normalize("NFC", _folded_marks().sub("", folded))


class _Piece:
    """One stretch of a text: its tokens in order, and the whole where it has parts."""

    __slots__ = ("grams", "joined", "parts")

    def __init__(self, parts: list[str], joined: tuple[str, ...] = (), grams: bool = False) -> None:
        self.parts = parts
        self.joined = joined
        self.grams = grams


def _pieces(text: str) -> Iterator[_Piece]:
    if not text.isascii():
        text = _invisible().sub("", unicodedata.normalize("NFKC", text))
    for match in _piece("" if text.isascii() else _MARKS).finditer(text):
        found = match[0]
        if match["named"]:
            yield _Piece([fold(found[0]) + _NAMES[found[1:]]])
        elif match["symbol"]:
            yield _Piece([_spell(found)])
        elif found.isascii():
            yield from _compound(found)
        else:
            for script in _scripts().finditer(found):
                yield from _compound(script[0]) if script["spaced"] else _grams(script)


def _compound(text: str) -> Iterator[_Piece]:
    """`getUserById` -> get user by id + getuserbyid; `user_id` -> user id + userid."""
    text = text.replace("’", "'")
    # The owner's 's is no word, and an elided vowel no separator.
    text = re.sub(r"'s$", "", text, flags=re.IGNORECASE).replace("'", "")
    # A version is the same with its v.
    text = re.sub(r"^v(?=\d+\.)", "", text, flags=re.IGNORECASE)
    sections = [section for section in _SEPARATOR.split(text) if section]
    parts = [fold(hump) for section in sections for hump in _HUMP.split(section) if hump]
    parts = [part[:MAX_TOKEN] for part in parts if part]
    if not parts:
        return
    joinable = len(parts) > 1 and not re.search(r"[.@/:\\]", text) and not text[0].isdigit()
    joined = "".join(parts)
    yield _Piece(parts, (joined,) if joinable and len(joined) <= MAX_TOKEN else ())


def _grams(script: re.Match[str]) -> Iterator[_Piece]:
    text = fold(script[0])
    size = 3 if script["tripled"] else 2
    if len(text) <= size:
        yield _Piece([text], tuple(text) if script["paired"] and len(text) > 1 else (), grams=True)
        return
    grams = [text[i : i + size] for i in range(len(text) - size + 1)]
    # Single signs are indexed as well, so that one can be searched for.
    single = tuple(dict.fromkeys(text)) if script["paired"] else ()
    whole = (text[:MAX_TOKEN],) if script["hangul"] else ()
    yield _Piece(grams, single + whole, grams=True)


def _characters(text: str) -> list[str]:
    """What a text without any word is found by: its signs, spelled out."""
    return [_spell(sign) for sign in text if not sign.isspace()][: 4 * MAX_QUERY_TERMS]


def _spell(sign: str) -> str:
    return f"u{ord(sign):x}"
