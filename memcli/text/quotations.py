"""What a text quotes: somebody else's words, pasted to be answered, corrected or played."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.text.expressions import expression
from memcli.text.sentences import sentences

# Of so many words is what somebody said; fewer are a name, a title, a word that is spoken of.
_WORDS = 4
# The longest that is looked for, in characters: a mark that is never closed quotes nothing.
_LONGEST = 8000
_PAIRS = ('""', "“”", "„“", "„”", "””", "«»", "»«", "「」", "『』")
# The mark at the end of these is an apostrophe, too: within a word it ends nothing.
_SINGLE_PAIRS = (("'", "'"), ("‘", "’"), ("‚", "‘"), ("‚", "’"))
_SINGLE = [
    rf"(?<![\w{start}]){start}(?=\S)(?:[^{start}{end}\n]|(?<=\w){end}(?=\w)){{1,{_LONGEST}}}(?<=\S){end}(?!\w)"
    for start, end in _SINGLE_PAIRS
]
_QUOTED = expression(
    "|".join(
        rf"(?<![\w{start}]){start}{inside}[^{start}{end}]{{1,{_LONGEST}}}{behind}{end}(?!\w)"
        for start, end in (map(re.escape, pair) for pair in _PAIRS)
        # An inch is no quotation mark; French puts spaces within its own.
        for inside, behind in [(r"(?=\S)", r"(?<=\S)") if start == end else ("", "")]
    )
    + "|"
    + "|".join(_SINGLE)
)
# What has no mark by which a quotation opens quotes nothing; and without these, nobody is reported either.
_OPENING = expression(r"[\"“”„«»「『‘‚]|(?<!\w)'")
_MARKED = expression(rf"{_OPENING.pattern}|:|,\s+\w+ [^,]*$")
_MAILED = expression(r"(?m)^[ \t]*>.*$")
# A line of a program or of what it printed: an assignment, a call, the begin or end of a block, what is
# imported or selected, a prompt, an instant.
# Of a stripped line; its end is looked at once, ahead, so that the time grows with its length alone.
_OF_PROGRAM = expression(
    r"""(?:
        [\w.\[\]'"]+\s?(?::=|[-+]?=)\s?\S | (?:\w+\s)?[\w.]+\(.*\)\s?[:;{]?$ | [\])}]+[;,]?$
        | (?:def|class|func|fn|function)\s\w+\s?[({:] | for\s[\w,\s]+\sin\s\S+:$ | SELECT\s.+\sFROM\s
        | (?:if|elif|while|with|except|return)\b(?=.*[:;{]$).*[=<>(\[] | (?=.*[;{]$).*[=(){}<>]
        | import\s[\w.]+$ | from\s[\w.]+\simport\s | (?:try|else):$
        | [$%]\s\S | \w+@[\w.-]+[:~] | \[?\d{4}-\d\d-\d\d[T\ ]\d\d:
    )""",
    re.VERBOSE,
)
_COMMENT = expression(r"^\s*(?:\#|//|/\*|--\s)")


def may_quote(text: str) -> bool:
    """Whether a text has a mark by which others' words are given: of most no more need be asked."""
    return _MARKED.search(text) is not None


def quotations(text: str) -> Iterator[re.Match[str]]:
    """Each stretch of a text that stands in quotation marks, with them, however short it is."""
    return _QUOTED.finditer(text) if _OPENING.search(text) else iter(())


def unquoted_sentences(text: str) -> list[str]:
    """The sentences of a text in which nothing is quoted.

    Left out are quotation marks with more than a few words, lines behind ">", programs and their comments.
    """
    whole = set(sentences(text))
    return [each for each in sentences(_without_quotations(text)) if each in whole]


def _without_quotations(text: str) -> str:

    def left(found: re.Match[str]) -> str:
        return "\n" if len(found[0].split()) >= _WORDS else found[0]

    return _without_programs(_MAILED.sub("", _QUOTED.sub(left, text)))


def _without_programs(text: str) -> str:
    """Without the lines of programs and their comments: who pastes them may not have written them."""
    kept: list[str] = []
    comments: list[str] = []
    behind = False
    for line in text.splitlines():
        if _COMMENT.match(line):
            comments.append(line)
            continue
        if not line.strip():
            (comments or kept).append(line)
            continue
        if not (program := _OF_PROGRAM.match(line.strip()) is not None):
            kept += [*([] if behind else comments), line]
        comments, behind = [], program
    return "\n".join([*kept, *([] if behind else comments)])
