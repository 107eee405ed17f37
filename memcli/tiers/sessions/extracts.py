"""Extracts: many turns in a few lines, a long output in its head and tail.

Without an LLM a summary is an extract: whole sentences of the turns, each with
its day and speaker, chosen for what they are about (words that many turns
share, though not all) and for what the chosen ones do not say yet. The same
turns give the same summary. An LLM is another `Summariser`.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from memcli.model import OUTPUT_ROLES, Memory, speaker_of
from memcli.named_tuple import NamedTuple
from memcli.prompt.budget import SHORTENED, estimate_tokens
from memcli.prompt.context import extract_head
from memcli.text import words
from memcli.text.extraction.outputs import telling_lines
from memcli.text.sentences import MAX_SENTENCE, sentences, shorten


class SummaryRequest(NamedTuple):
    """What is to be summarised, and in how many tokens at most.

    `previous` is the summary so far, of `covered` turns (empty, 0: there is
    none), trusted or not; `turns` are those that come to it, in time order.
    """

    previous: str
    covered: int
    turns: Sequence[Memory]
    room: int
    previous_trusted: bool = True


# Gives the text of the new summary, which stands for the previous one as well.
Summariser = Callable[[SummaryRequest], str]

# What a word still counts that a chosen sentence holds already.
_SAID_ALREADY = 0.3
# A session is cut into so many stretches; each choice makes its own stretch less likely,
# so that the middle is heard too.
_STRETCHES = 8
_HEARD_ALREADY = 0.85
# Each choice of a turn's sentence, too: one long message is not the session.
_TURN_HEARD = 0.5
# Of what a program put out, so many lines stand for it: the first, the last, and what failed.
_OUTPUT_LINES = 4
# How much a line is worth by who says it, before its words are looked at.
_WORTH = {"decision": 2.0, "error": 1.5, "note": 1.3, "event": 1.3, "tool": 0.5}
# What a sentence's form says of it: it asks; it is about the other ("you", a compliment, mostly);
# it holds what can be looked up later, a number or a name.
_ASKS, _OF_YOU, _TELLING = 0.5, 0.6, 1.3
_YOU = re.compile(r"\b(?:you|your|yours|you're)\b", re.IGNORECASE)
_NUMBER_OR_NAME = re.compile(r"\d|(?<=[a-z,] )[A-Z]\w{2,}")


class _Line(NamedTuple):
    text: str
    terms: frozenset[words.Term]
    worth: float
    turn: int
    stretch: int


def extractive_summary(fold: SummaryRequest) -> str:
    """The extractive summary: lines in time order, never more tokens than there is room.

    What was said before and what comes to it get room by their number of
    turns, so a long session does not forget its beginning all at once.
    """
    before = fold.previous.splitlines()
    share = fold.covered / max(fold.covered + len(fold.turns), 1)
    kept = _chosen([_line(text, 1.0, n, len(before)) for n, text in enumerate(before)], fold.room * share)
    room = fold.room - sum(_cost(line) for line in kept)
    added = _chosen(_lines_of(fold.turns), room)
    return "\n".join(kept + added)


def _lines_of(turns: Sequence[Memory]) -> list[_Line]:
    lines = []
    for number, turn in enumerate(turns):
        role = speaker_of(turn) or "note"
        head = extract_head(turn)
        whole = telling_lines(turn.text, _OUTPUT_LINES) if role in OUTPUT_ROLES else sentences(turn.text)
        said = [shorten(each, MAX_SENTENCE) for each in whole] or [" ".join(turn.text.split())[:MAX_SENTENCE]]
        for sentence in said:
            worth = _WORTH.get(role, 1.0) * _worth(sentence)
            lines.append(_line(head + sentence, worth, number, len(turns), sentence))
    return lines


def _worth(sentence: str) -> float:
    asks = _ASKS if sentence.endswith(("?", "？")) else 1.0
    of_you = _OF_YOU if _YOU.search(sentence) else 1.0
    telling = _TELLING if _NUMBER_OR_NAME.search(sentence) else 1.0
    return asks * of_you * telling


def _line(text: str, worth: float, number: int, total: int, said: str | None = None) -> _Line:
    # A line of an earlier summary brings its head along: day and speaker tell nothing apart.
    said = text.split(": ", 1)[-1] if said is None else said
    terms = frozenset(words.query_terms(said))
    return _Line(text, terms, worth, number, number * _STRETCHES // max(total, 1))


def _chosen(lines: Sequence[_Line], room: float) -> list[str]:
    """The lines that say most in `room` tokens, in their own order."""
    if sum(_cost(line.text) for line in lines) <= room:
        return [line.text for line in lines]
    weight = _weights(lines)
    left = dict(enumerate(lines))
    heard = defaultdict[tuple[str, int], float](lambda: 1.0)
    chosen: list[int] = []
    while left:
        gain = {
            number: line.worth
            * heard["stretch", line.stretch]
            * heard["turn", line.turn]
            * sum(weight[term] for term in line.terms)
            # Long sentences hold more words and take more room: the root is the fair middle.
            / math.sqrt(5 + len(line.terms))
            for number, line in left.items()
        }
        best = max(gain, key=lambda number: (gain[number], -number))
        line = left.pop(best)
        if _cost(line.text) > room:
            # What is too long now stays too long.
            left = {number: each for number, each in left.items() if _cost(each.text) <= room}
            continue
        chosen.append(best)
        room -= _cost(line.text)
        heard["stretch", line.stretch] *= _HEARD_ALREADY
        heard["turn", line.turn] *= _TURN_HEARD
        for term in line.terms:
            weight[term] *= _SAID_ALREADY
    if not chosen and lines:
        return [text] if (text := _head(lines[0].text, room)) else []
    return [lines[number].text for number in sorted(chosen)]


def _weights(lines: Sequence[_Line]) -> dict[words.Term, float]:
    """What a term is worth: more the more lines hold it, less where nearly all do."""
    held = Counter(term for line in lines for term in line.terms)
    return {term: math.log1p(number) * math.log1p(len(lines) / number) for term, number in held.items()}


def _cost(line: str) -> int:
    return estimate_tokens(line) + 1


def _head(line: str, room: float) -> str:
    while line and _cost(line + SHORTENED) > room:
        line = line[: len(line) * 3 // 4]
    return line + SHORTENED if line else ""
