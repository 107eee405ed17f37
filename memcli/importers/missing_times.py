"""When something was said whose source does not tell it, or tells what is no time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from memcli.importers.records import Turn, UnreadTime, When, known
from memcli.text.secrets.redaction import secrets_in_value
from memcli.times import FIRST, LAST

_TICK = timedelta(milliseconds=1)


def own_time(at: When) -> datetime | None:
    """The time that is a statement's own, by which it is known; none that only stands in for it."""
    return at if isinstance(at, datetime) else None


def undated_mark(when: When) -> dict[str, Any]:
    """What is kept beside a text that nobody knows the time of: what stands in its place."""
    if not isinstance(when, UnreadTime) or when.instead:
        return {}
    return {"undated": True if secrets_in_value(when.told) else when.told}


def shifted(at: datetime, ticks: int) -> datetime:
    """A time so many ticks later, or earlier; at an end of the calendar that end."""
    try:
        return at + ticks * _TICK
    except OverflowError:
        return LAST if ticks > 0 else FIRST


def first_times(turns: Sequence[Turn]) -> dict[str, datetime]:
    """For each conversation whose first turns have no time, when they were said: just before the next."""
    waiting: dict[str, int] = {}
    found: dict[str, datetime] = {}
    for turn in turns:
        if turn.conversation in found:
            continue
        before = waiting.setdefault(turn.conversation, 0)
        if at := known(turn.at):
            found[turn.conversation] = shifted(at, -before)
        else:
            waiting[turn.conversation] += 1
    return found
