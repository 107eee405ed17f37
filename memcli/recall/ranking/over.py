"""Over: memories about a time that is over ("Mo is on call this week", a week later).

They are marked on a page; if a question asks for what is true now, they rank below memories that are still
true, and alone they are no sure answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from memcli.model import Memory
from memcli.recall.results import Hit
from memcli.text.dates.ahead_asked import names_span
from memcli.text.question import Question

# At most so many of the best are examined; a memory with this share of the best total, and this share of the
# question's words that the memories that are over hold, may be the current answer instead.
_LOOKED_AT, _SHARE, _WORDS = 20, 0.85, 0.5
# The margin by which memories that are over are put below.
_BELOW = 1e-4
# The greatest sureness of a memory that is over.
SURE = 0.05
_DAY = timedelta(days=1)
_WHEN_WORDS = "did were had when wann quand cuándo cuando quando wanneer"
_PAST_WORDS = "was been war waren wurde hatte hatten était étaient fue era estaba estuvo foi"
_PAST_OR_WHEN, _PAST = frozenset(_WHEN_WORDS.split()), frozenset(_PAST_WORDS.split())


def asks_for_now(question: Question, now: datetime) -> bool:
    """True if a question asks for what is true now, and not for the past or for a time."""
    if question.formerly or question.asks_when or any(span.latest(now).end <= now for span in question.dates):
        return False
    said = re.findall(r"[^\W\d_]+", question.text.lower())
    # In German, a question with "was" first asks what.
    return _PAST.isdisjoint(said[1:]) and _PAST_OR_WHEN.isdisjoint(said)


def is_gone_by(past: tuple[datetime, datetime] | None, now: datetime) -> bool:
    """True if the time asked about is over; "this week" is not, though some of its days are."""
    return past is not None and (past[1] < now - _DAY or past[0].year == 1)


def over_since(memory: Memory, now: datetime) -> datetime | None:
    """Return since when a memory is no longer true by its own words, if that is not ahead; mostly None."""
    if memory.happened_at >= now or not names_span(memory.text):
        return None
    from memcli.recall.agenda.due_dates import is_open_promise
    from memcli.text.dates.ahead_lapsing import lapses
    from memcli.text.semantics import senses

    ends = lapses(memory.text, memory.happened_at)
    if ends is None or ends > now or senses.tells_of_past(memory.text) or is_open_promise(memory):
        return None
    return ends


def marked_over(
    question: Question, hits: Sequence[Hit], now: datetime, past: tuple[datetime, datetime] | None
) -> list[Hit]:
    """Return the hits of a page, each marked with the instant since which it is over by its own words.

    Not if the question asks about a time gone by. A memory about a limited time does not update an older one
    that is true again: if a question asks for now, the older one ranks above it.
    """
    if is_gone_by(past, now):
        return [*hits]
    marked = [hit._replace(over=over_since(hit.memory, now)) for hit in hits]
    over = {hit.memory.id for hit in marked if hit.over}
    if not over or not asks_for_now(question, now):
        return marked
    found: list[Hit] = []
    for hit in marked:
        updated = [each for each in marked if hit.over and each.updated_by == hit.memory.id and not each.over]
        found += [each._replace(updated_by=None) for each in updated]
        if hit.over or hit.updated_by not in over:
            found.append(hit)
    return found


def is_over(question: Question, hit: Hit, now: datetime, past: tuple[datetime, datetime] | None) -> bool:
    """True if a question asks for what is so now, and a hit says by its words that it is so no longer."""
    asked_now = not is_gone_by(past, now) and asks_for_now(question, now)
    return asked_now and over_since(hit.memory, now) is not None


def in_force_first(
    question: Question, hits: Sequence[Hit], now: datetime, past: tuple[datetime, datetime] | None
) -> list[Hit]:
    """Return the hits in their order, with totals that put those that are over below possible answers.

    Unchanged if the question asks about a time gone by.
    """
    if is_gone_by(past, now) or not asks_for_now(question, now):
        return [*hits]
    order = sorted(range(len(hits)), key=lambda row: -hits[row].total)[:_LOOKED_AT]
    over = [row for row in order if over_since(hits[row].memory, now)]
    found = list(hits)
    if not over:
        return found
    least, words = _SHARE * hits[order[0]].total, max(hits[row].words or 0.0 for row in over)
    others = [hits[row] for row in order if row not in over]
    standing = [
        each.total for each in others if each.total >= least and (each.words or 0.0) >= _WORDS * words
    ]
    if not standing:
        return found
    below = min(standing)
    for row in over:
        if (hit := hits[row]).total >= below:
            below -= _BELOW
            found[row] = hit._replace(parts=hit.parts | {"over": below - hit.total}, total=below)
    return found
