"""Extracts: summarise many turns in a few lines, and a long output by its head and tail.

Without an LLM a summary is an extract: whole sentences of the turns, each with its day and speaker, chosen
for their topics (words that many turns share, though not all) and for what the chosen ones do not say yet.
The same turns give the same summary. An LLM is another `Summariser`.
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
    """A request to summarise turns, in `room` tokens at most.

    `previous` is the summary so far, of `covered` turns (empty, 0: there is none), trusted or not; `turns`
    are those to be added, in time order.
    """

    previous: str
    covered: int
    turns: Sequence[Memory]
    room: int
    previous_trusted: bool = True


# Returns the text of the new summary, which includes the previous one.
Summariser = Callable[[SummaryRequest], str]

# The weight of a word that a chosen sentence holds already.
_SAID_ALREADY = 0.3
# The number of stretches of a session; each choice makes its own stretch less likely, so that the middle is
# included, too.
_STRETCHES = 8
_HEARD_ALREADY = 0.85
# The factor for each further sentence of a turn, so that one long message does not dominate.
_TURN_HEARD = 0.5
# How many lines represent a program's output: the first, the last, and failures.
_OUTPUT_LINES = 4
# The weight of a line by its speaker, before its words count.
_WORTH = {"decision": 2.0, "error": 1.5, "note": 1.3, "event": 1.3, "tool": 0.5}
# Weights by a sentence's form: a question; about the other ("you", mostly a compliment); with a number or a
# name, which can be looked up later.
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
    """Return the extractive summary: lines in time order, never more tokens than there is room.

    The previous summary and the new turns get room by their number of turns, so a long session does not
    lose its beginning all at once.
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
    # Without the head of a line from an earlier summary: day and speaker distinguish nothing.
    said = text.split(": ", 1)[-1] if said is None else said
    terms = frozenset(words.query_terms(said))
    return _Line(text, terms, worth, number, number * _STRETCHES // max(total, 1))


def _chosen(lines: Sequence[_Line], room: float) -> list[str]:
    """Return the lines that say most in `room` tokens, in their own order."""
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
            # Long sentences hold more words but take more room: divide by the root.
            / math.sqrt(5 + len(line.terms))
            for number, line in left.items()
        }
        best = max(gain, key=lambda number: (gain[number], -number))
        line = left.pop(best)
        if _cost(line.text) > room:
            # Lines that no longer fit never will.
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
    """Return the weight of each term: higher the more lines hold it, lower if nearly all do."""
    held = Counter(term for line in lines for term in line.terms)
    return {term: math.log1p(number) * math.log1p(len(lines) / number) for term, number in held.items()}


def _cost(line: str) -> int:
    return estimate_tokens(line) + 1


def _head(line: str, room: float) -> str:
    while line and _cost(line + SHORTENED) > room:
        line = line[: len(line) * 3 // 4]
    return line + SHORTENED if line else ""
