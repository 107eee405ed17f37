"""Names of entities and relations: when two are the same, and where in a text one may stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import islice

from memcli.errors import BadInput
from memcli.text.expressions import expression
from memcli.text.printable import is_blank, without_escapes

MAX_LENGTH = 200
# No name has more words than this, or characters where a script runs them together.
_LONGEST = 8
# Beyond so many words a text is a page, and what it names first will do.
_MOST_WORDS = 256
# No name begins or ends with more punctuation characters than this.
_SYMBOLS = 3

# Scripts without spaces between words, where a name may begin and end at any
# character: Chinese, Japanese, Korean (particles stick to the noun), Thai, Lao, Burmese, Khmer.
RUN_ON = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = expression(r"\w+")


def spelling_key(name: str) -> str:
    """What the spellings of one name have in common: no case, no compatibility forms, single spaces.

    Accents count: Jose and José may be two people; colours do not. A key is its own key.
    """
    # A letter that is folded may be the end of an escape sequence, or the like of one, that it was none of.
    while (key := _folded(name)) != name:
        name = key
    return name


def _folded(name: str) -> str:
    # Composed first: a lone escape takes the letter after it along, but not one with an accent.
    name = name if name.isascii() else unicodedata.normalize("NFC", name)
    # What stood on both sides of a sequence, or of white space, may be one once that is gone.
    while (plain := without_escapes(" ".join(name.split()))) != name:
        name = plain
    if not name.isascii():
        # Unicode's compatibility caseless match (chapter 3.13, D146).
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", name).casefold())
        name = unicodedata.normalize("NFKC", folded.casefold())
    return " ".join(name.lower().split() if name.isascii() else name.split())


def check_entity_name(what: str, name: str) -> str:
    """The name of an entity or relation, white space made single; BadInput where it cannot be one.

    Any character of any script may stand in it (joiners and directions belong to
    some), as long as something can be seen.
    """
    name = " ".join(without_escapes(name).split())
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(f"the {what} is not valid UTF-8") from error
    if not 0 < len(name) <= MAX_LENGTH or "\0" in name or is_blank(name):
        raise BadInput(f"{what} {name!r:.60}: give 1 to {MAX_LENGTH} characters, one of them visible")
    return name


def name_stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where in a text a name may stand, as (start, end): by start, the longest first.

    It begins and ends with a word (`O'Neil` in `O'Neil's`), with up to three
    characters around it (`C++` in `(C++)`), and in scripts without spaces anywhere;
    what has no words (an emoji) is taken as it stands between spaces.
    """
    word = _WORD if text.isascii() else _word_of_any_script()
    begins: set[tuple[int, int]] = set()
    ends: list[tuple[int, int]] = []
    number = 0
    for chunk in re.finditer(r"\S+", text):
        words = [match.span() for match in word.finditer(text, *chunk.span())]
        borders = [chunk.start(), *(place for word in words for place in word), chunk.end()]
        for place, (start, end) in enumerate(words or [chunk.span()]):
            before, after = (borders[2 * place], borders[2 * place + 3]) if words else (start, end)
            begins |= {(begin, number) for begin in range(max(before, start - _SYMBOLS), start + 1)}
            ends += ((stop, number) for stop in range(end, min(after, end + _SYMBOLS) + 1))
            number += 1
        if number > _MOST_WORDS:
            break
    first = 0
    for begin, place in sorted(begins):
        while ends[first][1] < place:
            first += 1
        near = set()
        for stop, last in islice(ends, first, None):
            if last >= place + _LONGEST:
                break
            near.add(stop)
        yield from ((begin, stop) for stop in sorted(near, reverse=True) if stop > begin)


@cache
def _word_of_any_script() -> re.Pattern[str]:
    # Compiling it takes 6 ms, and most questions can do without.
    return re.compile(rf"[{RUN_ON}]|[^\W{RUN_ON}]+")
