"""Ahead asked: whether a question asks only for events, deadlines or errands of some time ahead.

And whether a text may be so for a time only: for most texts nothing else is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Literal

from memcli.text.asking import OPENING, is_asked, is_foreign, what_is_asked
from memcli.text.dates import ahead_words
from memcli.text.expressions import expression
from memcli.text.stopwords import FUNCTION_WORDS
from memcli.text.words import fold_case

if TYPE_CHECKING:
    from memcli.text.dates.time_span import TimeSpan

# The kind whose next date is asked for: on a day, by a day, or either.
Next = Literal["appointment", "deadline", "any"]
# A question that asks only for a time has at most so many characters.
_LONGEST = 200
_FIRST_LETTERS = 4
_DOING, _TO_DO = (expression(rf"\b(?:{form})\b") for form in (ahead_words.DOING, ahead_words.TO_DO))
_WORD = expression(r"[^\W\d_]+")
_HAVE_TO = expression(
    r"\b(?:have|has|got|ought|tengo|tenemos|tenho|temos|hay) (?:still |left )?(?:to|que|de)\b"
)
# "Can you tell me what I have on Friday?"
_ASIDE = expression(r"\b(?:can|could) you\b")
# In seven languages, folded by `str.casefold`: what is so for a time has one of these in it, or one of those
# below and a number.
_FOR_A_TIME = (
    "week", " wk", "woche", "semaine", "semana", "settimana", "month", "diesen monat", "ce mois", "este mes",
    "este mês", "questo mese", "maand", "until", "till", " til ", "bis ", "jusqu", "hasta", "fino a", "até ",
    "ate ", "tot ", "today", "tonight", "tomorrow", "tmrw", "heute", "aujourd", " hoy", "oggi", "hoje",
    "vandaag", "demain", "domani",
)  # fmt: skip
_FROM_THEN = (
    "from ",
    "between ",
    "vom ",
    "von ",
    " du ",
    " del ",
    "dal ",
    "van ",
    "zwischen ",
    "entre ",
    " de ",
)


def spans_asked(
    question: str, now: datetime, statement: str, dates: Sequence[TimeSpan]
) -> Sequence[TimeSpan]:
    """Return the spans, not yet over, if a question asks only for what there is in them; mostly none.

    In seven languages, by the forms in which texts name days; for the next appointment (`next_asked`) all
    time from today on. `statement` is the question without the times by which memories are dated, `dates` are
    these times: they tell if it asks about the past, and cover spans that texts do not name as ahead ("this
    year").
    """
    folded = _folded(question)
    said, light = _WORD.findall(folded), _light_words()
    if len(question) > _LONGEST or _is_over(question, said):
        return ()
    if next_asked(question):
        from memcli.text.dates.ahead_spans import time_ahead

        return (time_ahead(now),)
    # What was read as a past time may be a form of days ahead as well: "from Monday to Wednesday".
    rest, spans = _spans_ahead(folded, said, now)
    if not spans:
        rest, spans = fold_case(statement), [each.latest(now) for each in dates]
    left = frozenset(_WORD.findall(rest))
    # "Prior to 5 December" would be read as that day alone.
    misread = any(map(_is_up_to, dates)) and any(each.start > now for each in spans)
    if misread or not spans or not left <= light or any(map(str.isdigit, rest)):
        return ()
    asks = not _agenda_words().isdisjoint(left)
    if not asks and not is_asked(question):
        return ()
    # Not a question for what was recorded in a time: "what is from today?"
    if dates and not (asks or "on" in said or is_foreign(question)):
        return ()
    return [each for each in spans if each.end > now]


def next_asked(question: str) -> Next | None:
    """Return the kind of thing whose next date is all that is asked for: "when is my next appointment?"."""
    said = _said(question)
    if _next_words().isdisjoint(said) or len(question) > _LONGEST:
        return None
    nouns = [(sort, noun) for sort, listed in _nouns().items() for noun in said if noun in listed]
    left = said - _next_words() - {noun for _, noun in nouns}
    return nouns[0][0] if nouns and left <= _light_words() else None


def errands_asked(question: str) -> bool:
    """True if a question asks for all that is still to be done: "what have I still got to do?"."""
    if len(question) > _LONGEST or not is_asked(question) or any(map(str.isdigit, question)):
        return False
    folded = _folded(question).replace("to-do", "todo")
    in_order = _WORD.findall(folded)
    said = frozenset(in_order)
    if what_is_asked(in_order) not in ("what", ""):
        return False
    errands, adjectives, still, having = map(_words, ("ERRANDS", "OPEN", "STILL", "HAVING_TO"))
    if not said <= _light_words() | errands | adjectives | still or _is_over(question, in_order):
        return False
    if said & errands or (said & adjectives and said & still):
        return True
    return _TO_DO.search(folded) is not None or bool(said & (having | still) and _DOING.search(folded))


def asks_what_to_do(question: str) -> bool:
    """Whether a question is for something that its asker has to do: "what do I still have to buy?"."""
    if not is_asked(question):
        return False
    said = _said(question)
    having = _words("HAVING_TO") | _words("STILL")
    return not said.isdisjoint(having) or _HAVE_TO.search(_folded(question)) is not None


@cache
def _words(table: str) -> frozenset[str]:
    return frozenset(getattr(ahead_words, table).split())


def _said(question: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_folded(question)))


def _folded(question: str) -> str:
    folded = fold_case(question).replace("’", "'")
    return _ASIDE.sub(" ", folded) if "you" in folded else folded


def _spans_ahead(folded: str, said: Sequence[str], now: datetime) -> tuple[str, list[TimeSpan]]:
    """Return the question without days ahead, and their spans; if it asks for more, all of it and none."""
    if _beginnings().isdisjoint(word[:_FIRST_LETTERS] for word in said) and not any(map(str.isdigit, folded)):
        return folded, []
    # Checked before the forms are compiled: few questions come so far, and fewer further.
    from memcli.text.dates.ahead_forms import may_be_of_days

    light = _light_words()
    if not may_be_of_days(word for word in said if word not in light):
        return folded, []
    from memcli.text.dates.ahead_spans import spans_ahead

    return spans_ahead(folded, now)


@cache
def _beginnings() -> frozenset[str]:
    return frozenset((*ahead_words.BEGINNINGS.split(), *ahead_words.BEGINNINGS_OF_NAMES.split()))


@cache
def _next_words() -> frozenset[str]:
    return frozenset(ahead_words.NEXT_ONE.split())


@cache
def _nouns() -> dict[Next, frozenset[str]]:
    return {
        "appointment": frozenset(ahead_words.APPOINTMENTS.split()),
        "deadline": frozenset(ahead_words.DEADLINES.split()),
        "any": frozenset(ahead_words.AGENDAS.split()),
    }


@cache
def _agenda_words() -> frozenset[str]:
    return frozenset(ahead_words.ON_THE_AGENDA.split())


@cache
def _light_words() -> frozenset[str]:
    listed = _agenda_words().union(ahead_words.ASKED_FOR.split())
    return (FUNCTION_WORDS | OPENING | listed) - {*ahead_words.BUT_FOR.split()}


def _is_up_to(span: TimeSpan) -> bool:
    """True if a span is all time before another: it begins with the calendar."""
    return span.start.year == 1


def _is_over(question: str, said: Sequence[str]) -> bool:
    """True if a question asks about the past; "was" in German means "what"."""
    was = "was" in said and ("wat" in said or not is_foreign(question))
    # "À" is no "a".
    having = {*ahead_words.HAVE_MADE.split()}
    made = "fait" in said and not having.isdisjoint(_WORD.findall(question.lower()))
    return was or made or not {*ahead_words.OVER.split()}.isdisjoint(said)


def names_span(text: str) -> bool:
    """Whether it is worth asking how long what a text says is so: of most it is not."""
    folded = text.casefold()
    spans = any(map(str.isdigit, folded)) and any(cue in folded for cue in _FROM_THEN)
    return spans or any(cue in folded for cue in _FOR_A_TIME)
