"""What a text quotes: somebody else's words, pasted to be answered, corrected or played."""

from __future__ import annotations

import re

from memcli.text.expressions import expression
from memcli.text.sentences import sentences

# Of so many words is what somebody said; fewer are a name, a title, a word that is spoken of.
_WORDS = 4
# The longest that is looked for, in characters: a mark that is never closed quotes nothing.
_LONGEST = 8000
_PAIRS = ('""', "“”", "„“", "„”", "””", "«»", "»«", "「」", "『』")
_QUOTED = expression(
    "|".join(
        rf"(?<![\w{start}]){start}{inside}[^{start}{end}]{{1,{_LONGEST}}}{behind}{end}(?!\w)"
        for start, end in (map(re.escape, pair) for pair in _PAIRS)
        # An inch is no quotation mark; French puts spaces within its own.
        for inside, behind in [(r"(?=\S)", r"(?<=\S)") if start == end else ("", "")]
    )
)
_MAILED = expression(r"(?m)^[ \t]*>.*$")


def unquoted_sentences(text: str) -> list[str]:
    """The sentences of a text in which nothing is quoted, by quotation marks (but for a few words) or ">"."""
    whole = set(sentences(text))
    return [each for each in sentences(_without_quotations(text)) if each in whole]


def _without_quotations(text: str) -> str:

    def left(found: re.Match[str]) -> str:
        return "\n" if len(found[0].split()) >= _WORDS else found[0]

    return _MAILED.sub("", _QUOTED.sub(left, text))
