"""Instants as options take them: written as `memcli.times` reads them, or named: "monday", "last week"."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta

from memcli import times
from memcli.errors import BadInput


def read_instant(text: str, now: datetime, *, end: bool = False, ahead: bool = False) -> datetime:
    """The instant that a text says: of a named span its first, or with `end` its last millisecond.

    A weekday or a month without a year is the one before, or with `ahead` the
    one to come. Raises BadInput for what names no time.
    """
    with suppress(BadInput):
        return times.parse_instant(text, now, end=end)
    from memcli.text.dates.calendar import WEEKDAYS
    from memcli.text.dates.spans import named_span

    span = named_span(text, now)
    if span is None:
        # In its words: what may be written.
        return times.parse_instant(text, now, end=end)
    span = span.coming(now) if ahead else span.latest(now)
    if ahead and text.strip().lower() in WEEKDAYS and span.end <= now:
        week = timedelta(days=7)
        span = span._replace(start=span.start + week, end=span.end + week)
    return times.to_milliseconds(span.end - timedelta(milliseconds=1) if end else span.start)
