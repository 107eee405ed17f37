"""Anchors: events by which a question names its time: "before the move", "when we launched the shop"."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from memcli.named_tuple import NamedTuple
from memcli.text.dates.calendar import COUNTS, DAYS, NUMBERS, number_of_words

TimeRelation = Literal["before", "after", "around"]

_MOST_WORDS = 10
_RELATIONS: dict[TimeRelation, str] = {
    "before": "before|prior to|until",
    "after": "after|since|following",
    "around": "during|while|when|throughout|around the time of|at the time of",
}
# A phrase that names an event begins with one of these, with a capital, or with "moving", "meeting".
_OPENS = r"the|my|our|his|her|their|your|its|this|that|those|these|i|we|he|she|they"
# Marks of the past, and of general questions: "what must I check before the release?" means any release.
_PAST = r"\b(?:did|was|were|had|used to|who \w+ed)\b"
_GENERAL = (
    r"\b(?:do|does|should|shall|must|need|can|could|may|might|will|would|is|are|am|be|to|always|never|every"
    r"|how|has|have)\b"
)
# Questions for duration, frequency or order concern both sides of an event.
_OF_ALL_TIMES = r"\bhow (?:long|many|often)\b|\bfirst\b"
_CUES = {"before", "prior", "until", "after", "since", "following", "during", "while", "when", "throughout",
         "time"}  # fmt: skip
_NUMBERS = "|".join(("the", *COUNTS, *NUMBERS[1:7]))


class Anchor(NamedTuple):
    """An event, by the words that name it, and on which side of it the answer lies.

    With `away` (days) the answer lies that far from it, give or take half of `unit` days.
    """

    relation: TimeRelation
    phrase: str
    away: int = 0
    unit: int = 0


def find_anchor(question: str) -> Anchor | None:
    """Return the event by which a question names its time; None if it names none.

    A question that begins with "when" asks for the time, unless the event ends at a comma: "When we moved,
    who helped?". A general question, not about the past, names no event.
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
            unit = DAYS.get((match["unit"] or "").lower(), 0)
            count = match["number"] or "1"
            return Anchor(
                relation, phrase, unit * (1 if count.lower() == "the" else number_of_words(count)), unit
            )
    return None


def _says(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


@cache
def _pattern() -> re.Pattern[str]:
    """Return the pattern of anchors, compiled when a question first needs it."""
    return re.compile(
        rf"(?i:\b(?:(?P<number>\d{{1,2}}|{_NUMBERS})\s+(?P<unit>day|week|month|year)s?\s+)?"
        rf"(?P<said>{'|'.join(_RELATIONS.values())}))\s+"
        rf"(?P<phrase>(?:(?i:(?:{_OPENS})\s+|(?=\w+ing\b))|(?=[A-ZÀ-Þ]))"
        r"(?:(?!(?i:\b(?:where|what|who|whom|whose|which|how|why|about|regarding)\b))[^,;.?!\n])+,?)"
    )
