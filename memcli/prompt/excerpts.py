"""Excerpts: shorten a text that is too long for its place to the part that matches the query."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memcli.prompt.budget import beginning
from memcli.text import words
from memcli.text.printable import CUT

# A sentence or a line; or a piece of a longer one.
_UNIT = re.compile(r"[^\n]{1,400}?(?:[.!?。！？](?=\s)|\n|$)\s*|[^\n]{1,400}\s*|\n+")
# The characters of the beginning that precede a later stretch, to show which text it is.
_HEAD = 60
# Words that begin with so many equal letters count as forms of one, because the text is not stemmed.
_STEM = 5


def excerpt(text: str, query: str, size: int) -> str:
    """Return at most `size` characters: the beginning, or a little of it and the part that best matches."""
    if len(text) <= size:
        return text
    wanted = {term[0][:_STEM] for term in words.query_terms(query)}
    units = [unit[0] for unit in _UNIT.finditer(text)]
    holds = [wanted & {word[:_STEM] for word in words.index_text(unit).split()} for unit in units]
    room = size - _HEAD - len(f" {CUT} ")
    start = sum(map(len, units[: _best_start(units, holds, room)]))
    if start <= _HEAD or room < _HEAD:
        return beginning(text, size)
    return f"{beginning(text, _HEAD)} {CUT} {beginning(text[start:], room)}"


def _best_start(units: Sequence[str], holds: Sequence[set[str]], size: int) -> int:
    """Return the first unit of the stretch with the most distinct query words, then the most of them."""
    best, found = 0, (0, 0)
    for start in range(len(units)):
        if start and not holds[start]:
            continue
        room, seen, often = size, set[str](), 0
        for unit, held in zip(units[start:], holds[start:], strict=False):
            seen |= held
            often += len(held)
            room -= len(unit)
            if room < 0:
                break
        if (len(seen), often) > found:
            best, found = start, (len(seen), often)
    return best
