"""What was so for a time that is over: "Mo is on call this week" says nothing of who is on call a week later.

It is marked on a page; where a question asks for what is so now, it stands below what is in force, and alone
it is no sure answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from memcli.model import Memory
from memcli.recall.results import Hit
from memcli.text.dates.ahead_asked import names_span
from memcli.text.question import Question

# So many of the best are looked at; what has this share of the best one's total, and so many of its words of
# the question, may be in force instead.
_LOOKED_AT, _SHARE, _WORDS = 20, 0.85, 0.5
# So far below that it stands.
_BELOW = 1e-4
# So likely does it answer.
SURE = 0.05
_DAY = timedelta(days=1)
_WHEN_WORDS = "did were had when wann quand cuándo cuando quando wanneer"
_PAST_WORDS = "was been war waren wurde hatte hatten était étaient fue era estaba estuvo foi"
_PAST_OR_WHEN, _PAST = frozenset(_WHEN_WORDS.split()), frozenset(_PAST_WORDS.split())


def asks_for_now(question: Question, now: datetime) -> bool:
    """Whether a question is for what is so, and not for what was or for when it is."""
    if question.formerly or question.asks_when or any(span.latest(now).end <= now for span in question.dates):
        return False
    said = re.findall(r"[^\W\d_]+", question.text.lower())
    # "Was" in German asks what.
    return _PAST.isdisjoint(said[1:]) and _PAST_OR_WHEN.isdisjoint(said)


def is_gone_by(past: tuple[datetime, datetime] | None, now: datetime) -> bool:
    """Whether a time that is asked about is over: of this week some days are, and it is on."""
    return past is not None and (past[1] < now - _DAY or past[0].year == 1)


def over_since(memory: Memory, now: datetime) -> datetime | None:
    """The instant from which on what a memory says is so no longer, if that is not ahead; mostly None."""
    if memory.happened_at >= now or not names_span(memory.text):
        return None
    from memcli.judgement import senses
    from memcli.recall.agenda.due_dates import is_open_promise
    from memcli.text.dates.ahead_lapsing import lapses

    ends = lapses(memory.text, memory.happened_at)
    if ends is None or ends > now or senses.tells_of_past(memory.text) or is_open_promise(memory):
        return None
    return ends


def marked_over(
    question: Question, hits: Sequence[Hit], now: datetime, past: tuple[datetime, datetime] | None
) -> list[Hit]:
    """The hits of a page, each with the instant since which it is over, by its own words.

    Not where a time gone by is asked about.

    What was so for a time updates nothing that was so before and is again: where a question asks for now,
    that stands above it.
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
    """Whether a question is for what is so now, and what a hit says is so no longer."""
    asked_now = not is_gone_by(past, now) and asks_for_now(question, now)
    return asked_now and over_since(hit.memory, now) is not None


def in_force_first(
    question: Question, hits: Sequence[Hit], now: datetime, past: tuple[datetime, datetime] | None
) -> list[Hit]:
    """The hits, in their order; what is over below what may answer instead.

    Unless a time gone by is asked about.
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
