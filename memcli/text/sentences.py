"""Sentences of a text, none too long, and texts shortened."""

from __future__ import annotations

import re
from itertools import pairwise

from memcli.text.expressions import expression

# A sentence is cut here: a summary of one endless sentence is none.
MAX_SENTENCE = 240


_CODE = expression(r"```.*?(?:```|\Z)", re.DOTALL)


# A full stop after one of these ends no sentence.
_TITLES = ["Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Sr", "Sra", "Jr", "Nr"]
_SHORT = ["ca", "e.g", "i.e", "z.B", "vs"]
_ABBREVIATED = "".join(rf"(?<!\b{re.escape(each)}\.)" for each in _TITLES + _SHORT)
# Nor does that of an ordinal: "am 3. mai", and in German, where nouns are capital, "am 3. Mai".
_ORDINAL = r"(?!(?<=\d\.)\s+(?:[a-zà-ÿ]|(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)))"

# What closes a quotation in one language opens it in another: it stands at the stop where it closes.
_ENDS = expression(
    rf"[.!?…]{_ABBREVIATED}{_ORDINAL}[\"'”“’‘»«›‹)\]]*(?:\s?»(?!\w))?(?=\s)|[。！？]+[」』”’）]*|\n"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line and cut at MAX_SENTENCE; code blocks left out."""
    prose = _CODE.sub("\n", text)
    cuts = [0, *(end.end() for end in _ENDS.finditer(prose)), len(prose)]
    found = [" ".join(prose[start:end].split()) for start, end in pairwise(cuts)]
    return [
        part if len(part) <= MAX_SENTENCE else part[: MAX_SENTENCE - 1].rsplit(" ", 1)[0] + "…"
        for part in found
        if part
    ]


def shorten(text: str, limit: int) -> str:
    """Head and tail of a text in `limit` characters, its whole length named between them.

    The head gets two thirds: what was called, before how it ended. Cut at a
    line's end where one is near.
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
