"""Quotations in a text: somebody else's words, pasted to be answered, corrected or played."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memcli.text.expressions import expression
from memcli.text.sentences import sentences

# A quotation of at least so many words is what somebody said; fewer are a name, a title, a mentioned word.
_WORDS = 4
# The longest quotation, in characters: a mark that is never closed quotes nothing.
_LONGEST = 8000
_PAIRS = ('""', "“”", "„“", "„”", "””", "«»", "»«", "「」", "『』")
# The closing mark of these is an apostrophe as well, which ends nothing within a word.
_SINGLE_PAIRS = (("'", "'"), ("‘", "’"), ("‚", "‘"), ("‚", "’"))
_SINGLE = [
    rf"(?<![\w{start}]){start}(?=\S)(?:[^{start}{end}\n]|(?<=\w){end}(?=\w)){{1,{_LONGEST}}}(?<=\S){end}(?!\w)"
    for start, end in _SINGLE_PAIRS
]
_QUOTED = expression(
    "|".join(
        rf"(?<![\w{start}]){start}{inside}[^{start}{end}]{{1,{_LONGEST}}}{behind}{end}(?!\w)"
        for start, end in (map(re.escape, pair) for pair in _PAIRS)
        # Straight marks have no spaces inside (an inch mark is no quotation); French marks have.
        for inside, behind in [(r"(?=\S)", r"(?<=\S)") if start == end else ("", "")]
    )
    + "|"
    + "|".join(_SINGLE)
)
# Opening quotation marks; and all marks without which a text quotes and reports nothing.
_OPENING = expression(r"[\"“”„«»「『‘‚]|(?<!\w)'")
_MARKED = expression(rf"{_OPENING.pattern}|:|,\s+\w+ [^,]*$")
_MAILED = expression(r"(?m)^[ \t]*>.*$")
# A (stripped) line of a program or its output: an assignment, a call, the beginning or end of a block, an
# import, a query, a prompt, a timestamp. Its end is examined once, by lookahead, so that the time is linear
# in its length.
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
    """True if a text has a mark of quotation or report: a cheap test that most texts fail."""
    return _MARKED.search(text) is not None


def quotations(text: str) -> Iterator[re.Match[str]]:
    """Yield each stretch of a text in quotation marks, these included, however short."""
    return _QUOTED.finditer(text) if _OPENING.search(text) else iter(())


def unquoted_sentences(text: str) -> list[str]:
    """Return the sentences of a text in which nothing is quoted.

    Left out are quotation marks around more than a few words, lines after ">", programs and their comments.
    """
    whole = set(sentences(text))
    return [each for each in sentences(_without_quotations(text)) if each in whole]


def _without_quotations(text: str) -> str:

    def left(found: re.Match[str]) -> str:
        return "\n" if len(found[0].split()) >= _WORDS else found[0]

    return _without_programs(_MAILED.sub("", _QUOTED.sub(left, text)))


def _without_programs(text: str) -> str:
    """Return a text without lines of programs and their comments, which may be pasted."""
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
