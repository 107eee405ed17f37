"""Names of entities and relations: their normal form, their validity, and where a text may hold one."""

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
# The most words of a name, or characters in a script without spaces.
_LONGEST = 8
# At most so many words of a text are searched: for a page, the names at its beginning will do.
_MOST_WORDS = 256
# The most punctuation characters at the beginning or end of a name.
_SYMBOLS = 3

# Scripts without spaces between words, where a name may begin and end at any
# character: Chinese, Japanese, Korean (particles stick to the noun), Thai, Lao, Burmese, Khmer.
RUN_ON = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = expression(r"\w+")


def spelling_key(name: str) -> str:
    """Return the normal form of a name: no case, no compatibility forms, single spaces.

    Accents count: Jose and José may be two people. Terminal escapes are removed. A key is its own key.
    """
    # Repeated, because a case-folded letter may complete an escape sequence.
    while (key := _folded(name)) != name:
        name = key
    return name


def _folded(name: str) -> str:
    # Composed first, because a lone escape consumes the letter after it, and must not leave its accent
    # behind.
    name = name if name.isascii() else unicodedata.normalize("NFC", name)
    # Repeated, because removing a sequence or white space may join two parts to a new sequence.
    while (plain := without_escapes(" ".join(name.split()))) != name:
        name = plain
    if not name.isascii():
        # Unicode's compatibility caseless match (chapter 3.13, D146).
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", name).casefold())
        name = unicodedata.normalize("NFKC", folded.casefold())
    return " ".join(name.lower().split() if name.isascii() else name.split())


def check_entity_name(what: str, name: str) -> str:
    """Return the name of an entity or relation with single spaces; raise BadInput if it is not valid.

    Any character of any script is allowed (joiners and directions belong to some), as long as something is
    visible.
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
    """Yield where in a text a name may stand, as (start, end): by start, the longest first.

    It begins and ends with a word (`O'Neil` in `O'Neil's`), with up to three characters around it (`C++` in
    `(C++)`), and in scripts without spaces at any character; a chunk without words (an emoji) counts as a
    whole.
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
    # Compiled on demand: it takes 6 ms, and most questions do not need it.
    return re.compile(rf"[{RUN_ON}]|[^\W{RUN_ON}]+")
