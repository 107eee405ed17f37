"""Landmarks: times named by an event ("before the move"): the memory of the event, and its time as a span.

The event's words are found by `memcli.text.dates.anchors`; `memcli.recall` looks the memories up in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from memcli.model import Memory, Ref
from memcli.named_tuple import NamedTuple
from memcli.recall.ranking import floor
from memcli.text.dates.ahead import DayAhead, days_ahead
from memcli.text.dates.ahead_told import tells_of_past
from memcli.text.dates.anchors import Anchor
from memcli.text.dates.spans import cut_dates
from memcli.text.dates.time_span import TimeSpan

# The kinds of memories that may tell of an event; rules and procedures do not.
LANDMARK_KINDS = ("episode", "fact", "outcome")

# The least evidence above the floor (units of cosine) that a memory is the event, and its least lead over any
# memory of another time. Set by hand on made-up diaries: a wrong event misleads, a missed one only leaves the
# ranking as it was.
LEAST_EVIDENCE = 0.05
CLEAR_LEAD = 0.10
# The weight of a date found this way, beside 1 for a date in the question.
NAMED_SHARE = 0.5
# Memories within so many days of each other count as about one event.
SAME_EVENT = timedelta(days=4)
_BEGINNING, _END = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)


class Landmark(NamedTuple):
    """The memory of the event that an anchor names, and the span of time that is preferred because of it."""

    anchor: Anchor
    memory: Memory
    span: TimeSpan


def says_when(memory: Memory) -> bool:
    """True if a memory says when its event is; naming an event is not enough ("a wedding suit").

    It may name a day, be dated to another time than that of writing, or tell of the past.
    """
    # Imported where it is used: few questions name an event.
    from memcli.recall.agenda.due_dates import is_open_promise
    from memcli.text.semantics import senses

    if memory.valid_from:
        return True
    # The deadline of a promise is not the day of the event.
    if any(day.by for day in _days_ahead(memory)) and is_open_promise(memory):
        return False
    if _day_named(memory):
        return True
    if "undated" in memory.data:
        return False
    told_then = memory.happened_at != memory.created_at
    return told_then or tells_of_past(memory.text) or senses.tells_done(memory.text)


def landmark_memory(
    covered: Mapping[Ref, float],
    meanings: Mapping[Ref, float] | None,
    memories: Mapping[Ref, Memory],
    total: int,
    calibration: floor.Calibration = floor.DEFAULT_CALIBRATION,
) -> Memory | None:
    """Return the memory of the event that a phrase names; None if none stands out, or several do.

    `covered` is the share of the phrase's information that each of `memories` contains (0 to 1), `meanings`
    its cosine to the phrase (None if meaning is not searched: then all words must be there), `total` how many
    memories the space has in all.
    """

    def evidence(ref: Ref) -> float:
        words = covered.get(ref, 0.0)
        if meanings is None:
            return LEAST_EVIDENCE if words > 0.999 else 0.0
        return floor.event_strength(meanings.get(ref, 0.0), words, total, calibration)

    by_evidence = sorted(((evidence(ref), ref) for ref in memories), key=lambda pair: (-pair[0], pair[1]))
    if not by_evidence or by_evidence[0][0] < LEAST_EVIDENCE:
        return None
    most, first = by_evidence[0]
    rivals = [_when(memories[ref])[0] for strength, ref in by_evidence if strength > most - CLEAR_LEAD]
    apart = any(abs(other - _when(memories[first])[0]) > SAME_EVENT for other in rivals)
    return None if apart else memories[first]


def landmark(anchor: Anchor, memory: Memory) -> Landmark:
    """Return the span in which the answer lies, by the time of the event that `memory` tells of.

    That time is the memory's `valid_from`, else the day that its text names ("we moved last Friday", as told
    on that day), else when it happened or was told.
    """
    start, end = _when(memory)
    if anchor.away:
        sign = -1 if anchor.relation == "before" else 1
        middle = start + sign * timedelta(days=anchor.away)
        half = timedelta(days=anchor.unit) / 2
        span = TimeSpan(middle - half, middle + half, sure=NAMED_SHARE)
    elif anchor.relation == "before":
        span = TimeSpan(_BEGINNING, start, sharp=True, sure=NAMED_SHARE)
    elif anchor.relation == "after":
        span = TimeSpan(start, _END, sharp=True, sure=NAMED_SHARE)
    else:
        span = TimeSpan(start, max(end, start + timedelta(days=1)), sure=NAMED_SHARE)
    return Landmark(anchor, memory, span)


def _when(memory: Memory) -> tuple[datetime, datetime]:
    if memory.valid_from:
        return memory.valid_from, memory.valid_until or memory.valid_from
    return _day_named(memory) or (memory.happened_at, memory.happened_at)


def _day_named(memory: Memory) -> tuple[datetime, datetime] | None:
    """Return the one day, or span of days, that a text names, as seen from when it was written; else None."""
    told = memory.happened_at
    _, spans = cut_dates(memory.text, told)
    if not spans and len(days := _days_ahead(memory)) == 1:
        begins, last = (each.replace(hour=0) for each in (days[0].at, days[0].last or days[0].at))
        return begins, last + timedelta(days=1)
    if len(spans) != 1:
        return None
    [span] = spans
    start = span.start
    if span.yearly and not tells_of_past(memory.text):
        start = span.coming(told).start
    elif span.yearly:
        # 29 February is taken as the 28th in other years.
        years = (told.year - 1, told.year, told.year + 1)
        each = [start.replace(year=year, day=min(start.day, 28)) for year in years if year > 0]
        start = min(each, key=lambda one: abs(one - told))
    return start, start + (span.end - span.start)


def _days_ahead(memory: Memory) -> list[DayAhead]:
    return days_ahead(memory.text, memory.happened_at, told_due=True)
