"""Name words: the words of a text as they are compared with names, with how each is written."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from memcli.named_tuple import NamedTuple
from memcli.text.expressions import expression
from memcli.text.naming.names import RUN_ON

_WORD = expression(rf"[{RUN_ON}]|[^\W_{RUN_ON}]+")
_SENTENCE_END = expression(r"(?:^|[.!?:;\n\"“„»*#>])[\s\-–—•(\[]*$")
_LETTERS = {"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ı": "i", "å": "a", "þ": "th"}
_WRITTEN_OUT = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}


class NameWord(NamedTuple):
    """A word of a text, and where it stands."""

    folds: frozenset[str]
    """The forms in which it is compared, with and without a genitive ending."""
    plain: str
    start: int
    end: int
    capital: bool
    first: bool
    """True at the beginning of a sentence."""


def name_words(text: str) -> Iterator[NameWord]:
    """Yield the words of a text in order; in a script without spaces each character is one."""
    for match in _WORD.finditer(text):
        raw, start = match.group(), match.start()
        folds = folds_of(raw)
        plain = _fold(raw)
        first = not start or _SENTENCE_END.search(text, max(0, start - 6), start) is not None
        genitives = {fold[:-1] for fold in folds if len(fold) > 3 and fold.endswith("s")}
        yield NameWord(folds | genitives, plain, start, match.end(), raw[0].isupper(), first)


def folds_of(word: str) -> frozenset[str]:
    """Return the forms in which a word is compared: without case and accents, umlauts also spelled out."""
    small = unicodedata.normalize("NFC", word).casefold()
    written_out = "".join(_WRITTEN_OUT.get(sign, sign) for sign in small)
    return frozenset({_fold(small), _fold(written_out)})


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    plain = "".join(_LETTERS.get(sign, sign) for sign in word.casefold())
    bare = "".join(s for s in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(s))
    return unicodedata.normalize("NFC", bare)


def is_genitive_mark(text: str, word: NameWord) -> bool:
    """True if a word is the s of "Kevin's"."""
    return word.plain == "s" and text[word.start - 1 : word.start] in ("'", "’")
