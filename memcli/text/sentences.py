"""Sentences of a text, bounded in length, and shortened texts."""

from __future__ import annotations

import re
from itertools import pairwise

from memcli.text.expressions import expression

# The longest sentence, in characters: a longer one is cut, because an endless one is no summary.
MAX_SENTENCE = 240


_CODE = expression(r"```.*?(?:```|\Z)", re.DOTALL)


# A full stop after one of these does not end a sentence.
_TITLES = ["Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Sr", "Sra", "Jr", "Nr"]
_SHORT = ["ca", "e.g", "i.e", "z.B", "vs"]
_ABBREVIATED = "".join(rf"(?<!\b{re.escape(each)}\.)" for each in _TITLES + _SHORT)
# Nor does that of an ordinal: "am 3. mai", and in German, which capitalises nouns, "am 3. Mai".
_ORDINAL = r"(?!(?<=\d\.)\s+(?:[a-zà-ÿ]|(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)))"

# A mark that closes a quotation in one language opens it in another: it closes if it directly follows the
# stop.
_ENDS = expression(
    rf"[.!?…]{_ABBREVIATED}{_ORDINAL}[\"'”“’‘»«›‹)\]]*(?:\s?»(?!\w))?(?=\s)|[。！？]+[」』”’）]*|\n"
)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line and cut at MAX_SENTENCE; code blocks are left out."""
    prose = _CODE.sub("\n", text)
    cuts = [0, *(end.end() for end in _ENDS.finditer(prose)), len(prose)]
    found = [" ".join(prose[start:end].split()) for start, end in pairwise(cuts)]
    return [
        part if len(part) <= MAX_SENTENCE else part[: MAX_SENTENCE - 1].rsplit(" ", 1)[0] + "…"
        for part in found
        if part
    ]


def shorten(text: str, limit: int) -> str:
    """Return head and tail of a text in `limit` characters, with its full length named between them.

    The head, with what was called, gets two thirds; the tail is how it ended. Cut at the end of a line if one
    is near.
    """
    if len(text) <= limit:
        return text
    mark = f"\n… [{len(text):,} characters, shortened] …\n"
    room = limit - len(mark)
    if room < 2:
        return text[:limit]
    head, tail = text[: room - room // 3], text[len(text) - room // 3 :]
    line_end = head.rfind("\n", len(head) * 3 // 4)
    line_start = tail.find("\n", 0, len(tail) // 4)
    return (head[:line_end] if line_end > 0 else head) + mark + tail[line_start + 1 :]
