"""Names of entities and relations: when two are the same, and where in a text one may stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from memcli.errors import BadInput

MAX_LENGTH = 200
# No name has more words than this, or signs where a script runs them together.
_LONGEST = 8
# Beyond so many words a text is a page, and what it names first will do.
_MOST_WORDS = 256

# Scripts without spaces between words, where a name may begin and end at any
# sign: Chinese, Japanese, Korean (particles stick to the noun), Thai, Lao, Burmese, Khmer.
_RUN_ON = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)


def key(name: str) -> str:
    """What the spellings of one name have in common: no case, no compatibility forms, single spaces.

    Accents count: Jose and José may be two people. A key is its own key.
    """
    if not name.isascii():
        # Unicode's compatibility caseless match (chapter 3.13, D146).
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", name).casefold())
        name = unicodedata.normalize("NFKC", folded.casefold())
    return " ".join(name.lower().split() if name.isascii() else name.split())


def checked(what: str, name: str) -> str:
    """The name of an entity or relation, white space made single; BadInput where it cannot be one.

    Any sign of any script may stand in it (joiners and directions belong to
    some), as long as something can be seen.
    """
    name = " ".join(name.split())
    try:
        name.encode("utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(f"the {what} is not valid UTF-8") from error
    if not 0 < len(name) <= MAX_LENGTH or "\0" in name or not any(sign.isprintable() for sign in name):
        raise BadInput(f"{what} {name!r:.60}: give 1 to {MAX_LENGTH} characters, one of them visible")
    return name


def stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where in a text a name may stand, as (start, end): by start, the longest first.

    Begins and ends lie at those of words (`O'Neil` in `O'Neil's`) and of what
    stands between spaces (`C++`), and in scripts without spaces at every sign.
    """
    begins: list[tuple[int, int]] = []
    ends: list[tuple[int, int]] = []
    number = 0
    for chunk in re.finditer(r"\S+", text):
        first = number
        for word in re.finditer(rf"[{_RUN_ON}]|[^\W{_RUN_ON}]+", chunk[0]):
            begins.append((chunk.start() + word.start(), number))
            ends.append((chunk.start() + word.end(), number))
            number += 1
        number = max(number, first + 1)
        begins.append((chunk.start(), first))
        ends.append((chunk.end(), number - 1))
        if number > _MOST_WORDS:
            break
    for begin, at in sorted(set(begins)):
        near = {end for end, word in ends if at <= word < at + _LONGEST and end > begin}
        yield from ((begin, end) for end in sorted(near, reverse=True))
