"""Sentences of a text, none too long, and texts shortened."""

from __future__ import annotations

import re

from memcli.text.expressions import expression

# A sentence is cut here: a summary of one endless sentence is none.
MAX_SENTENCE = 240


_CODE = expression(r"```.*?(?:```|\Z)", re.DOTALL)


# A full stop after one of these ends no sentence.
_ABBREVIATED = "".join(
    rf"(?<!\b{re.escape(each)}\.)"
    for each in ("Mr", "Mrs", "Ms", "Dr", "Prof", "St", "Sr", "Jr", "e.g", "i.e", "vs")
)


_ENDS = expression(rf"(?<=[.!?…]){_ABBREVIATED}[\"'”’)\]]*\s+|(?<=[。！？])|\n+")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line and cut at MAX_SENTENCE; code blocks left out."""
    found = [" ".join(part.split()) for part in _ENDS.split(_CODE.sub("\n", text))]
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
