"""Times told by an event: "before the move", "since my surgery", "when we launched the shop".

Here the phrase is recognised, the memory that it names is told from others,
and the time of that memory becomes a span. `memcli.recall` looks it up between.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Literal, NamedTuple

from memcli.model import Memory, Ref
from memcli.recall.ranking import floor
from memcli.recall.ranking.dates import Span, cut_dates

Relation = Literal["before", "after", "around"]

# What may tell of an event; rules and procedures do not.
KINDS = ("episode", "fact", "outcome")

# Evidence above the floor (units of cosine) that a memory is the event, and how far it must
# stand above any that tells of another time. Set by hand on made-up diaries: a wrong event
# misleads, a missed one only leaves the ranking as it was.
ENOUGH = 0.05
CLEARLY = 0.10
# What a date that was found this way counts beside one that was said.
SURE = 0.5
# What is told within so many days is told of one event.
SAME_EVENT = timedelta(days=4)
_MOST_WORDS = 10
_BEGINNING, _END = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)

_RELATIONS: dict[Relation, str] = {
    "before": "before|prior to|until",
    "after": "after|since|following",
    "around": "during|while|when|throughout|around the time of|at the time of",
}
# A phrase that names an event begins so, with a capital, or with "moving", "meeting".
_OPENS = r"the|my|our|his|her|their|your|its|this|that|those|these|i|we|he|she|they"
# "What must I check before the release?" asks for a rule, and of no release in particular.
_PAST = r"\b(?:did|was|were|had|used to|who \w+ed)\b"
_GENERAL = (
    r"\b(?:do|does|should|shall|must|need|can|could|may|might|will|would|is|are|am|be|to|always|never|every"
    r"|how|has|have)\b"
)
# How long, how often, in which order: that is asked of both sides of an event.
_OF_ALL_TIMES = r"\bhow (?:long|many|often)\b|\bfirst\b"
_CUES = {"before", "prior", "until", "after", "since", "following", "during", "while", "when", "throughout",
         "time"}  # fmt: skip
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_NUMBERS = ("the|an?|one", "two|a couple of", "three|a few", "four", "five", "six")


class Anchor(NamedTuple):
    """An event by the words that name it, and on which side of it the answer lies.

    With `away` (days), so far from it, give or take half of `unit` days.
    """

    relation: Relation
    phrase: str
    away: int = 0
    unit: int = 0


class Landmark(NamedTuple):
    """The memory that an anchor names, and the span of time that is therefore preferred."""

    anchor: Anchor
    memory: Memory
    span: Span


def anchor(question: str) -> Anchor | None:
    """The event by which a question tells its time; None where it names none.

    A question that begins with "when" asks for the time, unless the event ends
    at a comma: "When we moved, who helped?". What is asked in general, and not
    of the past, names none.
    """
    if not _CUES & set(question.lower().split()) or _says(_OF_ALL_TIMES, question):
        return None
    for match in _pattern().finditer(question):
        said = match["said"].lower()
        relation = next(name for name, words in _RELATIONS.items() if said in words.split("|"))
        opening = not re.search(r"\w", question[: match.start()])
        asks = opening and relation == "around" and not match["phrase"].endswith(",")
        phrase = match["phrase"].rstrip(", ")
        rest = question[: match.start()] + question[match.end() :]
        general = said != "since" and not _says(_PAST, rest) and _says(_GENERAL, rest)
        if not asks and not general and len(phrase.split()) <= _MOST_WORDS:
            unit = _DAYS.get((match["unit"] or "").lower(), 0)
            return Anchor(relation, phrase, unit * _number(match["number"] or "1"), unit)
    return None


def clear_best(
    covered: Mapping[Ref, float],
    meanings: Mapping[Ref, float] | None,
    memories: Mapping[Ref, Memory],
    total: int,
    calibration: floor.Calibration = floor.DEFAULT,
) -> Memory | None:
    """The memory that an event's words name; None where none stands out, or several do.

    In: the share of the phrase's information that each of `memories` contains
    (0 to 1), its cosine to the phrase (None where meaning is not searched: then
    all words must be there), and how many memories the space has in all.
    """

    def evidence(ref: Ref) -> float:
        words = covered.get(ref, 0.0)
        if meanings is None:
            return ENOUGH if words > 0.999 else 0.0
        seen = floor.Evidence(meanings.get(ref, 0.0), words, 0, 0, about_owner=False, memories=total)
        return floor.strength(seen, calibration)

    by_evidence = sorted(((evidence(ref), ref) for ref in memories), key=lambda pair: (-pair[0], pair[1]))
    if not by_evidence or by_evidence[0][0] < ENOUGH:
        return None
    most, first = by_evidence[0]
    rivals = [memories[ref].happened_at for strength, ref in by_evidence if strength > most - CLEARLY]
    apart = any(abs(told - memories[first].happened_at) > SAME_EVENT for told in rivals)
    return None if apart else memories[first]


def landmark(anchor: Anchor, memory: Memory) -> Landmark:
    """The span in which the answer lies, by the time of the event that `memory` tells of.

    That is the memory's `valid_from`, else the date that its text names ("we
    moved last Friday", as told on that day), else when it happened or was told.
    """
    start, end = _when(memory)
    if anchor.away:
        sign = -1 if anchor.relation == "before" else 1
        middle = start + sign * timedelta(days=anchor.away)
        half = timedelta(days=anchor.unit) / 2
        span = Span(middle - half, middle + half, sure=SURE)
    elif anchor.relation == "before":
        span = Span(_BEGINNING, start, sharp=True, sure=SURE)
    elif anchor.relation == "after":
        span = Span(start, _END, sharp=True, sure=SURE)
    else:
        span = Span(start, max(end, start + timedelta(days=1)), sure=SURE)
    return Landmark(anchor, memory, span)


def _when(memory: Memory) -> tuple[datetime, datetime]:
    told = memory.happened_at
    if memory.valid_from:
        return memory.valid_from, memory.valid_until or memory.valid_from
    _, spans = cut_dates(memory.text, told)
    if len(spans) != 1:
        return told, told
    [span] = spans
    start = span.start
    if span.yearly:
        # 29 February comes round on the 28th.
        years = (told.year - 1, told.year, told.year + 1)
        each = [start.replace(year=year, day=min(start.day, 28)) for year in years if year > 0]
        start = min(each, key=lambda one: abs(one - told))
    return start, start + (span.end - span.start)


def _says(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _number(text: str) -> int:
    if text.isdigit():
        return int(text)
    return next(n for n, names in enumerate(_NUMBERS, 1) if re.fullmatch(names, text.lower()))


@cache
def _pattern() -> re.Pattern[str]:
    """Compiled where a question first needs it."""
    return re.compile(
        rf"(?i:\b(?:(?P<number>\d{{1,2}}|{'|'.join(_NUMBERS)})\s+(?P<unit>day|week|month|year)s?\s+)?"
        rf"(?P<said>{'|'.join(_RELATIONS.values())}))\s+"
        rf"(?P<phrase>(?:(?i:(?:{_OPENS})\s+|(?=\w+ing\b))|(?=[A-ZÀ-Þ]))"
        r"(?:(?!(?i:\b(?:where|what|who|whom|whose|which|how|why|about|regarding)\b))[^,;.?!\n])+,?)"
    )
