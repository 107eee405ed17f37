"""Words that make a statement hold for a while only, whatever it says.

"Use the other printer just for now": kept, but as what was said at the time, not as
knowledge. Few phrases of which there is no doubt, for a judge misses half of such plain
sentences; all else `memcli.judgement` judges, and whatever is a guess. A phrase inside
quotation marks or code is somebody else's, a capitalised one inside a sentence a name.
"""

from __future__ import annotations

import re

from memcli.text.expressions import expression

_FOR_NOW = (
    "for now|for the time being|temporarily|at the moment|until further notice"
    "|vorerst|vorübergehend|pour l'instant|por ahora"
)
# "Temporarily Closed": of a name, whatever it means.
_QUOTED = expression(r'"[^"\n]{0,300}"|“[^”\n]{0,300}”|«[^»\n]{0,300}»|`[^`\n]{0,300}`|„[^“”\n]{0,300}[“”]')
_LONGEST = 4000


def transient_phrase(text: str) -> str | None:
    """The phrase by which a statement holds only for a while ("just for now"); else None."""
    text = text[:_LONGEST].replace("’", "'")
    lowered = text.lower()
    if not any(phrase in lowered for phrase in _FOR_NOW.split("|")):
        return None
    said = _QUOTED.sub(lambda quote: " " * len(quote[0]), text)
    for found in re.finditer(rf"(?<![\w'-])(?:{_FOR_NOW})(?![\w-])", said, re.IGNORECASE):
        before = said[: found.start()].rstrip()
        opening = not before or before[-1] in ".!?:;\n-–—•*([{>,"
        if not found[0][0].isupper() or opening or said.isupper():
            return found[0]
    return None
